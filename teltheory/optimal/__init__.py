"""The hindsight optimum: the least TEL that any policy reaches on a trace that is known in advance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from teltheory.errors import ArgumentError, SolverError
from teltheory.instance import Initial, Instance
from teltheory.numbers import IntArray, exact_sum, readonly, whole_number
from teltheory.optimal.certificate import Certificate, check_certificate
from teltheory.optimal.deadline import deadline_of
from teltheory.optimal.reuse import unavoidable_reuse
from teltheory.outcome import Outcome
from teltheory.trace import Trace

__all__ = ["Certificate", "HindsightOptimum", "Method", "check_certificate", "hindsight_optimum"]

Method = Literal["auto", "greedy", "lp", "milp", "pyomo"]


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
    certificate : Certificate or None
        A proof of optimality for `check_certificate`; None where the method has none.
    """

    objective: int
    outcome: Outcome
    method: str
    bound: float | None = None
    certificate: Certificate | None = None

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
        variables: a few hundred turns). "auto" takes "greedy". "greedy" and "lp" give a certificate.
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
        check. The error has the status, and an incumbent and a bound where they are known.
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
    return HindsightOptimum(certificate.objective, outcome, "greedy", None, certificate)


def _by_relaxation(instance: Instance, xi: int, time_limit: float | None) -> HindsightOptimum:
    from teltheory.optimal.intervals import interval_problem
    from teltheory.optimal.lazy import LazyIntervalSolver

    problem = interval_problem(instance, xi)
    solution = LazyIntervalSolver(problem).solve(time_limit=time_limit)
    kept = problem.reused(solution.kept, len(instance.trace))
    objective = problem.unavoidable - exact_sum(kept)
    certificate = Certificate(objective, readonly(kept), readonly(solution.steps))
    return replace(_optimum(instance, xi, kept, "lp", float(objective)), certificate=certificate)


def _by_intervals(instance: Instance, xi: int, time_limit: float | None) -> HindsightOptimum:
    from teltheory.optimal.intervals import interval_problem
    from teltheory.optimal.solver import solve_intervals

    problem = interval_problem(instance, xi)
    kept, bound = solve_intervals(problem, relaxed=False, time_limit=time_limit)
    cached = problem.reused(kept, len(instance.trace))
    return _optimum(instance, xi, cached, "milp", problem.unavoidable - bound)


def _by_pyomo(instance: Instance, xi: int, time_limit: float | None) -> HindsightOptimum:
    from teltheory.optimal.formulation import hindsight_model, reused
    from teltheory.optimal.solver import solve_model

    if not len(instance.trace):
        return _optimum(instance, xi, np.empty(0, np.int64), "pyomo", 0.0)
    model = hindsight_model(instance, xi)
    _, bound = solve_model(model, time_limit)
    return _optimum(instance, xi, reused(model, instance), "pyomo", bound)


def _optimum(instance: Instance, xi: int, cached: IntArray, method: str, bound: float | None) -> HindsightOptimum:
    """Count the TEL in whole numbers and hold it against the solver's bound."""
    outcome = Outcome.of(instance, np.maximum(cached, unavoidable_reuse(instance)))
    objective = exact_sum(np.maximum(outcome.uncached - xi, 0))
    if bound is not None and abs(objective - bound) > 0.5:
        raise SolverError("optimal, but not in whole numbers", float(objective), bound)
    return HindsightOptimum(objective, outcome, method, bound)
