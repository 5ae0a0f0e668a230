"""Two sides of an optimum: what is proved, what a solver says, what a plan comes to, and how they are shown."""

from fractions import Fraction

import numpy as np
import pytest

import teltheory as tt
from teltheory.optimal.sides import Optimum, lower_side


def sides(lower, upper, proved, **more):
    return Optimum(lower, upper, proved, None, None, "lp", **more)


@pytest.mark.parametrize(
    ("proved", "bound", "parts", "lower"),
    [
        (3, None, 1, 3),
        (3, 2.5, 1, 3),
        (3, 3.2, 1, 4),
        (3, 4.0000005, 1, 4),
        (Fraction(5, 2), 2.6, 10, Fraction(13, 5)),
        (Fraction(5, 2), 2.61, 10, Fraction(27, 10)),
    ],
)
def test_a_solver_is_rounded_up_to_what_a_plan_can_come_to(proved, bound, parts, lower):
    found = lower_side(proved, 5, bound, parts)
    assert (found, type(found)) == (lower, type(lower))


def test_a_solver_above_a_plan_is_wrong():
    with pytest.raises(tt.SolverError):
        lower_side(3, 4, 4.1)
    with pytest.raises(tt.SolverError):
        lower_side(5, 4, None)


@pytest.mark.parametrize(
    ("found", "objective", "status", "text"),
    [
        (sides(4, 4, 4), 4, "optimal", "TEL 4"),
        (sides(4, 4, 3), 4, "optimal by solver", "TEL 4"),
        (sides(3, 4, 3), None, "feasible", "TEL 3 to 4, 25.00%"),
        (sides(3, 4, 3, ended="time limit", what="P95"), None, "time limit", "P95 3 to 4, 25.00%"),
        (sides(Fraction(1, 2), Fraction(5, 2), 0), None, "feasible", "TEL 0.5 to 2.5, 80.00%"),
        (sides(0, 0, 0), 0, "optimal", "TEL 0"),
    ],
)
def test_sides_that_meet_are_the_optimum(found, objective, status, text):
    assert (found.objective, found.status, str(found)) == (objective, status, text)
    assert found.gap == found.upper - found.lower == found.relative_gap * found.upper


def test_the_plan_is_what_the_outcome_reuses_unless_it_says_more():
    outcome = tt.Outcome(np.array([0, 2]), np.array([3, 1]))
    assert Optimum(1, 1, 1, outcome, None, "lp").plan is outcome.cached
    assert Optimum(1, 1, 1, outcome, None, "lp", plan=(7,)).plan == (7,)
