"""The hindsight optimum: the least TEL that any policy reaches on a trace that is known in advance.

No solver is believed. What turns reuse is checked and counted in whole numbers, and a certificate, checked by code
that made neither, proves that nothing is better.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from teltheory.errors import NOT_WHOLE, ArgumentError, CertificateError, SolverError
from teltheory.instance import Initial, Instance
from teltheory.numbers import IntArray, exact_sum, readonly, whole_number
from teltheory.optimal.certificate import Certificate, check_against, check_certificate
from teltheory.optimal.deadline import deadline_of
from teltheory.optimal.reuse import unavoidable_reuse
from teltheory.outcome import Outcome
from teltheory.trace import Trace

__all__ = ["Certificate", "HindsightOptimum", "Method", "check_certificate", "hindsight_optimum"]

Method = Literal["auto", "greedy", "lp", "milp", "pyomo"]

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
        The solver's lower bound on the TEL; None where no solver was asked.
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
        """What the solver's bound leaves open, objective - bound; None where no solver was asked."""
        return None if self.bound is None else self.objective - self.bound


def hindsight_optimum(
    trace: Trace,
    capacity: int,
    xi: int,
    forced: bool = False,
    initial: Initial = (),
    method: Method = "auto",
    time_limit: float | None = None,
    progress: Callable[[int], object] | None = None,
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
        the "lp" are added where they are violated: millions of turns), "pyomo" the naive formulation (N T
        variables: a few hundred turns). "auto" takes "greedy". "lp" proves its optimum by its own prices, the
        others by the log of Tail-Optimized Belady.
    time_limit : float, optional
        Seconds for the solver; no effect on "greedy".
    progress : callable, optional
        Called by "greedy" with the number of turns done.

    Raises
    ------
    ArgumentError, TraceError, ForcedCachingError
        Wrong arguments; all are `ValueError`.
    SolverError
        The solver did not prove an optimum: its time was up, it was interrupted, or its answer failed the exact
        check: its point breaks (1)-(5), or what it says is not what the certificate proves. The error has the
        status, and an incumbent and a bound where they are known.
    """
    instance = Instance.of(trace, capacity, forced=forced, initial=initial)
    xi = whole_number("xi", xi)
    deadline_of(time_limit)
    if method in ("auto", "greedy"):
        return _by_greedy(instance, xi, progress)
    if method == "lp":
        return _by_relaxation(instance, xi, time_limit)
    if method == "milp":
        return _by_intervals(instance, xi, time_limit)
    if method == "pyomo":
        return _by_pyomo(instance, xi, time_limit)
    raise ArgumentError("method", method, "'auto', 'greedy', 'lp', 'milp' or 'pyomo'")


def _by_greedy(instance: Instance, xi: int, progress: Callable[[int], object] | None) -> HindsightOptimum:
    from teltheory.optimal.greedy import certified_greedy

    outcome, certificate = certified_greedy(instance, xi)
    if progress is not None:
        progress(len(outcome))
    return _proved(instance, xi, _Answer("greedy", outcome.cached), certificate.steps)


def _by_relaxation(instance: Instance, xi: int, time_limit: float | None) -> HindsightOptimum:
    from teltheory.optimal.intervals import interval_problem
    from teltheory.optimal.lazy import LazyIntervalSolver

    problem = interval_problem(instance, xi)
    solution = LazyIntervalSolver(problem).solve(time_limit=time_limit)
    kept = problem.reused(solution.kept, len(instance.trace))
    objective = float(problem.unavoidable - exact_sum(kept))
    return _proved(instance, xi, _Answer("lp", kept, (objective,)), solution.steps)


def _by_intervals(instance: Instance, xi: int, time_limit: float | None) -> HindsightOptimum:
    from teltheory.optimal.intervals import interval_problem
    from teltheory.optimal.solver import solve_intervals

    problem = interval_problem(instance, xi)
    kept, worth, bound = solve_intervals(problem, time_limit)
    cached, most = problem.reused(kept, len(instance.trace)), problem.unavoidable
    return _proved(instance, xi, _Answer("milp", cached, (most - worth, most - bound)))


def _by_pyomo(instance: Instance, xi: int, time_limit: float | None) -> HindsightOptimum:
    from teltheory.optimal.formulation import hindsight_model, whole_point
    from teltheory.optimal.naive_point import check_point
    from teltheory.optimal.solver import solve_model

    if not len(instance.trace):
        return _proved(instance, xi, _Answer("pyomo", np.empty(0, np.int64), (0.0,)))
    model = hindsight_model(instance, xi)
    said = solve_model(model, time_limit)
    x, u = whole_point(model)
    return _proved(instance, xi, _Answer("pyomo", check_point(instance, xi, x, u), (sum(u), *said)))


class _Answer(NamedTuple):
    """What a method says that turns reuse and, where it asks a solver, that the TEL is; last its bound on it."""

    method: str
    cached: IntArray
    said: tuple[float, ...] = ()


def _proved(instance: Instance, xi: int, answer: _Answer, steps: IntArray | None = None) -> HindsightOptimum:
    """Count the TEL, and prove it by a set of steps: its own, or that of Tail-Optimized Belady.

    Whatever a solver says beside its point only has to agree with that.
    """
    outcome = Outcome.of(instance, np.maximum(answer.cached, unavoidable_reuse(instance)))
    useful = np.maximum(instance.total - xi, 0)
    kept = np.minimum(outcome.cached, useful)
    objective = exact_sum(useful) - exact_sum(kept)
    looked_at = _steps(instance, xi) if steps is None else steps
    certificate = Certificate(objective, readonly(kept), readonly(looked_at))
    bound = answer.said[-1] if answer.said else None
    try:
        check_against(instance, xi, certificate)
    except CertificateError as error:
        raise SolverError(f"{NOT_WHOLE}: {error}", float(objective), bound) from None
    for said in answer.said:
        if not abs(said - objective) < HALF:
            raise SolverError(f"{NOT_WHOLE}: {objective} is proved", float(objective), said)
    return HindsightOptimum(objective, outcome, answer.method, bound, certificate)


def _steps(instance: Instance, xi: int) -> IntArray:
    from teltheory.optimal.greedy import certified_greedy

    return certified_greedy(instance, xi)[1].steps
