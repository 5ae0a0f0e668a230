"""What rows on Theorem 3.1, the interval matrix and beyond TEL compare, on instances where it must not hold."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import teltheory as tt
from proofs_checks.tail_optimized import certificates
from proofs_checks.tail_optimized.theorem_31 import dominated, has_cutoff, is_upper_bound
from proofs_checks.tail_optimized.theorem_b1 import gaps, is_integral, is_run
from teltheory.claims.case import Case, World
from teltheory.claims.search import refutes
from teltheory.model.instance import Instance
from teltheory.optimal.chains.intervals import interval_problem


@pytest.mark.parametrize(
    ("first", "second", "holds"),
    [
        (2, 2, True),
        (3, 2, False),
        ([1, 2], [1, 3], True),
        ([1, 3], [2, 2], False),
        ([3, 1], [2, 2], False),
        ([], [], True),
    ],
)
def test_dominated_is_entry_by_entry(first, second, holds):
    assert dominated({"T-LRU": first, "LRU": second}) is holds


def test_a_gap_in_the_matrix_is_counted(monkeypatch):
    trace = tt.Trace.from_turns([0, 1, 0, 1, 0], [2, 2, 2, 2, 2], [1, 1, 1, 1, 1])
    problem = interval_problem(Instance.of(trace, 4), 0)
    assert gaps(problem) == 0
    right = type(problem).rows

    def rows_in_another_order(self, steps):
        return right(self, steps)[np.argsort(steps % 2, kind="stable")]

    monkeypatch.setattr(type(problem), "rows", rows_in_another_order)
    assert gaps(problem) > 0


STARTED = World(((0, 3, 0), (1, 7, 0), (1, 2, 5)), initial=((0, 4, 1),))


def test_a_prompt_continues_what_the_initial_cache_holds():
    assert STARTED.continuing_prompts == [3, 2]
    assert not is_upper_bound(Case(STARTED, 8, xi=4, q_hat=2))
    assert is_upper_bound(Case(STARTED, 8, xi=4, q_hat=3))


def test_a_cutoff_of_zero_is_a_cutoff():
    case = Case(STARTED, 8, xi=3, q_hat=3)
    assert has_cutoff(case)
    assert not has_cutoff(replace(case, xi=2))


def test_forced_caching_needs_room_for_all_pasts_but_the_last():
    assert STARTED.forced_capacity() == 7
    assert World(STARTED.turns[:2]).forced_capacity() == 3


@pytest.mark.parametrize("column", [[], [0, 0], [1], [0, 1, 1, 0], [1, 1, 1], [0, 0, 1]])
def test_one_run_of_ones(column):
    assert is_run(column)


@pytest.mark.parametrize("column", [[1, 0, 1], [0, 1, 0, 0, 1], [2], [0, 1, 0.5], [-1, 0]])
def test_a_gap_or_another_number(column):
    assert not is_run(column)


def test_a_gap_or_another_optimum_refutes():
    assert is_integral({"columns with a gap": 0, "relaxation": 3, "optimum": 3})
    assert not is_integral({"columns with a gap": 1, "relaxation": 3, "optimum": 3})
    assert not is_integral({"columns with a gap": 0, "relaxation": 2, "optimum": 3})


CASE = Case(World(((0, 2, 1), (0, 1, 0))), capacity=1, xi=1)


def test_an_optimum_that_is_half_a_token_off_is_not_the_optimum(monkeypatch):
    exact = certificates.weighted_optimum

    def half_a_token_off(*arguments):
        best = exact(*arguments)
        return replace(best, lower=best.lower + Fraction(1, 2), upper=best.upper + Fraction(1, 2))

    assert refutes(certificates.weighted_certificate, CASE) is False
    monkeypatch.setattr(certificates, "weighted_optimum", half_a_token_off)
    assert refutes(certificates.weighted_certificate, CASE) is True
