"""The fewest SLO violations that any policy reaches, exact or between two bounds.

The lower bound `proved` follows from prices that `violations_bound` evaluates in exact arithmetic; the incumbent
is a plan that was checked in whole numbers. Only the MILP's own bound, where it is better, rests on the solver.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from time import monotonic
from typing import Literal

import numpy as np

from teltheory.errors import ArgumentError, SolverError
from teltheory.instance import Initial, Instance
from teltheory.metrics import slo_violations
from teltheory.numbers import whole_number
from teltheory.optimal.packing import ROUNDS, pack
from teltheory.optimal.prices import Prices, bound_of
from teltheory.optimal.reuse import unavoidable_reuse
from teltheory.optimal.selection import BoolArray, Selection, selection
from teltheory.optimal.slo_solver import Relaxation, choose, relax
from teltheory.outcome import Outcome
from teltheory.trace import Trace

ViolationsMethod = Literal["auto", "heuristic", "milp"]
Status = Literal["optimal", "feasible", "time limit", "interrupted"]


@dataclass(frozen=True)
class FewestViolations:
    """The fewest turns that compute more than xi, between two bounds.

    Attributes
    ----------
    violations : int
        Of the incumbent.
    lower : int
        No policy has fewer.
    proved : int
        The part of `lower` that `prices` prove in exact arithmetic.
    outcome : Outcome
        What each turn reuses and computes in the incumbent.
    prices : Prices
        For `violations_bound`.
    unavoidable : int
        Turns above xi that need more than was ever there.
    avoidable : int
        The other turns above xi.
    status : str
        "optimal" if and only if `violations` equals `lower`; otherwise how the search ended.
    method : str
        "heuristic", or "milp" where the MILP was asked.
    """

    violations: int
    lower: int
    proved: int
    outcome: Outcome
    prices: Prices
    unavoidable: int
    avoidable: int
    status: Status
    method: str

    @property
    def gap(self) -> Fraction:
        """(violations - lower) / violations; 0 without violations."""
        return Fraction(self.violations - self.lower, max(self.violations, 1))

    @property
    def gap_of_avoidable(self) -> Fraction:
        """(violations - lower) / avoidable violations; 0 where none is avoidable."""
        return Fraction(self.violations - self.lower, max(self.avoidable, 1))


@dataclass(frozen=True)
class _Search:
    """A search under way: everything that the stages need, and the best so far."""

    instance: Instance
    xi: int
    problem: Selection
    relaxation: Relaxation
    proved: int
    lower: int
    chosen: BoolArray
    status: Status = "feasible"
    method: str = "heuristic"

    @property
    def most(self) -> int:
        return self.problem.above - self.lower


def fewest_violations(
    trace: Trace,
    capacity: int,
    xi: int,
    forced: bool = False,
    initial: Initial = (),
    method: ViolationsMethod = "auto",
    time_limit: float | None = None,
    seed: int = 0,
) -> FewestViolations:
    """Find the fewest turns that compute more than `xi`, whatever the policy.

    Parameters
    ----------
    trace : Trace
        The turns.
    capacity, xi : int
        Capacity and threshold, in the trace's unit.
    forced : bool
        Forced caching.
    initial : iterable of (conversation, past, cached)
        Initial cache, least recent first.
    method : {"auto", "heuristic", "milp"}
        "heuristic" stops at the linear bound and a good plan; "milp" goes on with HiGHS where they do not meet,
        and so does "auto".
    time_limit : float, optional
        Seconds in all; the best so far is returned then.
    seed : int
        Of the random rounds of the heuristic.

    Raises
    ------
    ArgumentError, TraceError, ForcedCachingError
        Wrong arguments; all are `ValueError`.
    """
    instance = Instance.of(trace, capacity, forced=forced, initial=initial)
    xi, seed = whole_number("xi", xi), whole_number("seed", seed)
    if method not in ("auto", "heuristic", "milp"):
        raise ArgumentError("method", method, "'auto', 'heuristic' or 'milp'")
    deadline = deadline_of(time_limit)
    search = relaxed(instance, xi, deadline)
    try:
        search = packed(search, np.random.default_rng(seed), deadline, ROUNDS)
        if method != "heuristic" and search.chosen.sum() < search.most:
            search = exactly(search, deadline)
    except KeyboardInterrupt:
        search = replace(search, status="interrupted")
    return found(search)


def deadline_of(time_limit: float | None) -> float:
    """Return when a time limit ends on the clock of `time.monotonic`."""
    if time_limit is None:
        return float("inf")
    if isinstance(time_limit, bool) or not isinstance(time_limit, (int, float)) or not time_limit >= 0:
        raise ArgumentError("time_limit", time_limit, "seconds, 0 or more")
    return monotonic() + time_limit


def relaxed(instance: Instance, xi: int, deadline: float) -> _Search:
    """Begin a search with the linear relaxation and no interval chosen."""
    problem = selection(instance, xi)
    relaxation = relax(problem, instance.capacity, left(deadline))
    proved = bound_of(instance, xi, relaxation.prices)
    nothing = np.zeros(len(problem), np.bool_)
    return _Search(instance, xi, problem, relaxation, proved, proved, nothing)


def packed(search: _Search, rng: np.random.Generator, deadline: float, rounds: int) -> _Search:
    """Choose by the heuristic."""
    chosen = pack(search.problem, search.relaxation.share, rng, search.most, deadline, rounds)
    return replace(search, chosen=chosen)


def exactly(search: _Search, deadline: float, target: int | None = None) -> _Search:
    """Go on with the MILP; its choice is taken where it is feasible in whole numbers and better."""
    answer = choose(search.problem, search.instance.capacity, search.chosen, left(deadline), target)
    chosen = search.chosen
    better = answer.chosen is not None and answer.chosen.sum() > chosen.sum()
    if answer.chosen is not None and better and search.problem.feasible(answer.chosen):
        chosen = answer.chosen
    if answer.most < chosen.sum():
        raise SolverError(answer.status, float(chosen.sum()), float(answer.most))
    lower = max(search.lower, search.problem.above - answer.most)
    return replace(search, chosen=chosen, lower=lower, status="time limit", method="milp")


def found(search: _Search) -> FewestViolations:
    """Count the violations of the plan and wrap them up."""
    problem = search.problem
    if not problem.feasible(search.chosen):
        raise SolverError("a plan that does not fit")
    outcome = outcome_of(search)
    violations = slo_violations(outcome, search.xi)
    if violations < search.lower:
        raise SolverError("a bound above a plan", float(violations), float(search.lower))
    status: Status = "optimal" if violations == search.lower else search.status
    unavoidable = problem.above - problem.within_history
    return FewestViolations(
        violations,
        search.lower,
        search.proved,
        outcome,
        search.relaxation.prices,
        unavoidable,
        problem.within_history,
        status,
        search.method,
    )


def outcome_of(search: _Search) -> Outcome:
    """Return what each turn reuses when the chosen intervals hold what they need."""
    cached = search.problem.reused(search.chosen, len(search.instance.trace))
    return Outcome.of(search.instance, np.maximum(cached, unavoidable_reuse(search.instance)))


def left(deadline: float) -> float | None:
    """Return the seconds that are left, None where there is no limit."""
    return None if deadline == float("inf") else max(0.0, deadline - monotonic())
