"""The hindsight optimum where turns have weights: the least sum of weight max(uncached - xi, 0).

The interval problem with a weight a column is still an interval matrix with whole right sides, so its linear
relaxation has an integral optimum, and with whole weights its dual has whole prices (`teltheory.optimal.lazy` has
the proof). Tail-Optimized Belady is not optimal here: what is furthest may weigh most.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from teltheory.errors import NOT_WHOLE, CertificateError, SolverError
from teltheory.instance import Initial, Instance
from teltheory.numbers import IntArray, exact_dot, readonly, whole_number
from teltheory.optimal.deadline import deadline_of
from teltheory.optimal.intervals import IntervalProblem, interval_problem
from teltheory.optimal.lazy import LazyIntervalSolver
from teltheory.optimal.prices import Prices
from teltheory.optimal.reuse import unavoidable_reuse
from teltheory.optimal.weighted_certificate import WeightedCertificate, check_weighted_against
from teltheory.optimal.weights import TurnWeights, Weights, turn_weights
from teltheory.outcome import Outcome
from teltheory.trace import Trace


@dataclass(frozen=True)
class WeightedOptimum:
    """An optimum of the weighted hindsight problem.

    Attributes
    ----------
    objective : int or Fraction
        The least weighted TEL, exact, in weights times the trace's unit.
    outcome : Outcome
        What each turn reuses in one optimal solution.
    certificate : WeightedCertificate
        A proof of optimality for `check_weighted_certificate`.
    """

    objective: int | Fraction
    outcome: Outcome
    certificate: WeightedCertificate


def weighted_optimum(
    trace: Trace,
    capacity: int,
    xi: int,
    weights: Weights,
    forced: bool = False,
    initial: Initial = (),
    time_limit: float | None = None,
) -> WeightedOptimum:
    """Find the least weighted TEL, sum of weight max(uncached - xi, 0), that any policy reaches.

    Parameters
    ----------
    trace : Trace
        The turns.
    capacity, xi : int
        Capacity and threshold, in the trace's unit.
    weights : sequence of int or Fraction, or mapping
        One weight a turn, 0 or more, or a mapping from conversations, as the trace names them, to the weight of
        all their turns; conversations that are left out have 1.
    forced : bool
        Forced caching, (9) in place of (4) of Zhang et al. 2025.
    initial : iterable of (conversation, past, cached)
        Initial cache, least recent first.
    time_limit : float, optional
        Seconds.

    Raises
    ------
    ArgumentError, TraceError, ForcedCachingError
        Wrong arguments, floats as weights among them; all are `ValueError`.
    SolverError
        The solver did not prove an optimum: its time was up, it was interrupted, or its answer failed the exact
        check. The error has the status, an incumbent and a bound on the weighted TEL.
    """
    instance = Instance.of(trace, capacity, forced=forced, initial=initial)
    xi, read = whole_number("xi", xi), turn_weights(trace, weights)
    deadline_of(time_limit)
    problem = _weighted(instance, xi, read.whole)
    try:
        solution = LazyIntervalSolver(problem).solve(time_limit=time_limit)
    except SolverError as error:
        sides = (None if side is None else float(side * read.unit) for side in (error.incumbent, error.bound))
        raise SolverError(error.status, *sides) from None
    kept = problem.reused(solution.kept, len(trace))
    outcome = Outcome.of(instance, np.maximum(kept, unavoidable_reuse(instance)))
    objective = exact_dot(read.whole, np.maximum(outcome.uncached - xi, 0))
    if objective != problem.unavoidable - problem.worth(solution.kept):
        raise SolverError(NOT_WHOLE)
    prices = _in_weights(read, solution.steps, solution.prices)
    certificate = WeightedCertificate(read.scaled(objective), readonly(kept), prices)
    try:
        check_weighted_against(instance, xi, read, certificate)
    except CertificateError as error:
        raise SolverError(f"{NOT_WHOLE}: {error}") from None
    return WeightedOptimum(certificate.objective, outcome, certificate)


def _weighted(instance: Instance, xi: int, weight: IntArray) -> IntervalProblem:
    """Return the interval problem of the turns that weigh something."""
    plain = interval_problem(instance, xi)
    some = weight[plain.turn] > 0
    turn = plain.turn[some]
    return replace(
        plain,
        turn=turn,
        first=plain.first[some],
        last=plain.last[some],
        most=plain.most[some],
        unavoidable=exact_dot(weight, np.maximum(instance.total - xi, 0)),
        weight=weight[turn],
    )


def _in_weights(weights: TurnWeights, steps: IntArray, prices: IntArray) -> Prices:
    numerators = [price * weights.unit.numerator for price in prices.tolist()]
    return Prices(tuple(steps.tolist()), tuple(numerators), weights.unit.denominator)
