"""The hindsight optimum, plain or with weights of turns, by every method that finds it.

The interval problem with a weight per column is still an interval matrix with whole right sides, so its linear
relaxation has an integral optimum, and with whole weights its dual has whole prices (`teltheory.optimal.lazy` has
the proof). Tail-Optimized Belady is not optimal with weights: what is furthest may weigh most.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from teltheory.errors import NOT_WHOLE, ArgumentError, CertificateError, SolverError
from teltheory.model.instance import Initial, Instance
from teltheory.model.numbers import IntArray, exact_dot, readonly, whole_number
from teltheory.model.outcome import Outcome
from teltheory.model.trace import Trace
from teltheory.optimal.certificate import (
    Certificate,
    TurnWeights,
    Weight,
    Weights,
    check_against,
    turn_weights,
    unavoidable_reuse,
)
from teltheory.optimal.deadline import deadline_of

Method = Literal["auto", "greedy", "lp", "milp", "pyomo"]
Status = Literal["optimal", "optimal by solver", "feasible", "time limit", "interrupted"]
"""How a search between two sides ended; "by solver" rests on the word of HiGHS alone."""

HALF = 0.5


@dataclass(frozen=True)
class HindsightOptimum:
    """An optimum of the hindsight problem.

    Attributes
    ----------
    objective : int
        The optimal TEL, in the trace's unit.
    outcome : Outcome
        What each turn reuses in one optimal solution.
    method : str
        What found it: "greedy", "lp", "milp" or "pyomo".
    bound : float or None
        The solver's lower bound on the TEL; None if no solver was asked.
    certificate : Certificate
        A proof of optimality for `check_certificate`; whatever the method, it was checked.
    """

    objective: int
    outcome: Outcome
    method: str
    bound: float | None
    certificate: Certificate

    @property
    def gap(self) -> float | None:
        """What the solver's bound leaves open, objective - bound; None if no solver was asked."""
        return None if self.bound is None else self.objective - self.bound


@dataclass(frozen=True)
class WeightedOptimum:
    """An optimum of the weighted hindsight problem.

    Attributes
    ----------
    objective : int or Fraction
        The least weighted TEL, exact, in weights times the trace's unit.
    outcome : Outcome
        What each turn reuses in one optimal solution.
    certificate : Certificate
        A proof of optimality for `check_certificate` with these weights; it was checked.
    """

    objective: Weight
    outcome: Outcome
    certificate: Certificate


def hindsight_optimum(
    trace: Trace,
    capacity: int,
    xi: int,
    forced: bool = False,
    initial: Initial = (),
    method: Method = "auto",
    time_limit: float | None = None,
) -> HindsightOptimum:
    """Find the least TEL that any policy reaches (Zhang et al. 2025, Appendix B, problem (1)-(5)).

    Parameters
    ----------
    trace : Trace
        The turns.
    capacity, xi : int
        Capacity and threshold, in the trace's unit.
    forced : bool
        Forced caching, (9) in place of (4).
    initial : iterable of (conversation, past, cached)
        Initial cache, least recent first.
    method : {"auto", "greedy", "lp", "milp", "pyomo"}
        "greedy" is Tail-Optimized Belady (Theorem B.1), "lp" and "milp" the interval form with HiGHS (rows of
        the "lp" are added as they are violated: millions of turns), "pyomo" the naive formulation (N T
        variables: a few hundred turns). "auto" takes "greedy". "lp" proves its optimum by its own prices, the
        others by the log of Tail-Optimized Belady.
    time_limit : float, optional
        Seconds for the solver; no effect on "greedy".

    Raises
    ------
    ArgumentError, TraceError, ForcedCachingError
        Wrong arguments; all are `ValueError`.
    SolverError
        The solver did not prove an optimum: its time was up, it was interrupted, or its answer failed the exact
        check: what turns reuse does not fit, or what it says is not what the certificate proves. The error has
        the status, and an incumbent and a bound if they are known.
    """
    instance = Instance.of(trace, capacity, forced=forced, initial=initial)
    xi = whole_number("xi", xi)
    deadline_of(time_limit)
    weights = turn_weights(trace, None)
    if method in ("auto", "greedy"):
        answer = _by_greedy(instance, xi)
    elif method == "lp":
        answer = _by_relaxation(instance, xi, weights, time_limit)
    elif method == "milp":
        answer = _by_intervals(instance, xi, time_limit)
    elif method == "pyomo":
        answer = _by_pyomo(instance, xi, time_limit)
    else:
        raise ArgumentError("method", method, "'auto', 'greedy', 'lp', 'milp' or 'pyomo'")
    outcome, certificate = _proved(instance, xi, weights, answer)
    bound = answer.said[-1] if answer.said else None
    return HindsightOptimum(int(certificate.objective), outcome, answer.method, bound, certificate)


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
    trace, capacity, xi : as for `hindsight_optimum`
    weights : sequence of int or Fraction, or mapping
        One weight per turn, 0 or more, or a mapping from conversations, as the trace names them, to the weight of
        all their turns; conversations that are left out have 1.
    forced, initial, time_limit : as for `hindsight_optimum`

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
    try:
        answer = _by_relaxation(instance, xi, read, time_limit)
    except SolverError as error:
        sides = (None if side is None else float(side * read.unit) for side in (error.incumbent, error.bound))
        raise SolverError(error.status, *sides) from None
    outcome, certificate = _proved(instance, xi, read, answer)
    return WeightedOptimum(certificate.objective, outcome, certificate)


class _Answer(NamedTuple):
    """What a method says that turns reuse, that the TEL is and last its bound on it; and prices of steps."""

    method: str
    cached: IntArray
    said: tuple[float, ...] = ()
    steps: IntArray | None = None
    prices: IntArray | None = None


def _by_greedy(instance: Instance, xi: int) -> _Answer:
    from teltheory.optimal.greedy import certified_greedy

    outcome, steps = certified_greedy(instance, xi)
    return _Answer("greedy", outcome.cached, steps=steps)


def _by_relaxation(instance: Instance, xi: int, weights: TurnWeights, time_limit: float | None) -> _Answer:
    from teltheory.optimal.intervals import interval_problem
    from teltheory.optimal.lazy import LazyIntervalSolver

    problem = interval_problem(instance, xi, weights.whole)
    solution = LazyIntervalSolver(problem).solve(time_limit=time_limit)
    said = float(problem.unavoidable - problem.worth(solution.kept))
    cached = problem.reused(solution.kept, len(instance.trace))
    return _Answer("lp", cached, (said,), solution.steps, solution.prices)


def _by_intervals(instance: Instance, xi: int, time_limit: float | None) -> _Answer:
    from teltheory.optimal.intervals import interval_problem
    from teltheory.optimal.solver import solve_intervals

    problem = interval_problem(instance, xi)
    kept, worth, bound = solve_intervals(problem, time_limit)
    said = (problem.unavoidable - worth, problem.unavoidable - bound)
    return _Answer("milp", problem.reused(kept, len(instance.trace)), said)


def _by_pyomo(instance: Instance, xi: int, time_limit: float | None) -> _Answer:
    from teltheory.optimal.formulation import hindsight_model, whole_point
    from teltheory.optimal.solver import solve_model

    if not len(instance.trace):
        return _Answer("pyomo", np.empty(0, np.int64), (0.0,))
    model = hindsight_model(instance, xi)
    said = solve_model(model, time_limit)
    cached, excess = whole_point(model)
    return _Answer("pyomo", np.minimum(cached, instance.history), (sum(excess), *said))


def _proved(instance: Instance, xi: int, weights: TurnWeights, answer: _Answer) -> tuple[Outcome, Certificate]:
    """Count the TEL, and prove it by the answer's steps, or else by those of Tail-Optimized Belady.

    What a solver says beside its point only has to agree with that.
    """
    outcome = Outcome.of(instance, np.maximum(answer.cached, unavoidable_reuse(instance)))
    useful = np.maximum(instance.total - xi, 0)
    kept = np.minimum(outcome.cached, useful)
    whole = exact_dot(weights.whole, useful) - exact_dot(weights.whole, kept)
    steps = _by_greedy(instance, xi).steps if answer.steps is None else answer.steps
    assert steps is not None
    prices = None if answer.prices is None else readonly(answer.prices)
    certificate = Certificate(weights.scaled(whole), readonly(kept), readonly(steps), prices)
    sides = (float(certificate.objective), float(answer.said[-1] * weights.unit) if answer.said else None)
    try:
        check_against(instance, xi, certificate, weights)
    except CertificateError as error:
        raise SolverError(f"{NOT_WHOLE}: {error}", *sides) from None
    for said in answer.said:
        if not abs(said - whole) < HALF:
            raise SolverError(f"{NOT_WHOLE}: {certificate.objective} is proved", *sides)
    return outcome, certificate
