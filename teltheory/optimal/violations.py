"""The fewest SLO violations that any policy reaches, exact or between two bounds.

The lower bound `proved` follows from prices in exact arithmetic: `violations_bound` evaluates them, and where a
search along the steps ruled out everything better, `check_violations` repeats that. A search that left states out
counts in whole numbers too, but can't be repeated. The incumbent is a plan that was checked in whole numbers. Only
the bound of the MILP is the solver's word; what rests on it is kept apart and called "by solver".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf
from time import monotonic
from typing import Literal

import numpy as np

from teltheory.errors import ArgumentError, SolverError
from teltheory.instance import Initial, Instance
from teltheory.metrics import slo_violations
from teltheory.numbers import BoolArray, whole_number
from teltheory.optimal.deadline import deadline_of, part_of, seconds_left
from teltheory.optimal.packing import ROUNDS, pack
from teltheory.optimal.prices import Prices, bound_of
from teltheory.optimal.reuse import unavoidable_reuse
from teltheory.optimal.search import search as along_the_steps
from teltheory.optimal.selection import Selection, selection
from teltheory.optimal.slo_solver import Relaxation, SharesProgram, choose
from teltheory.outcome import Outcome
from teltheory.trace import Trace

ViolationsMethod = Literal["auto", "heuristic", "milp"]
Status = Literal["optimal", "optimal by solver", "feasible", "time limit", "interrupted"]

WIDTHS = (2_000, 20_000, 200_000, 2_000_000)
NARROW, WIDE = WIDTHS[:1], WIDTHS[1:]
SHARE_OF_SOLVER = 3 / 4
"""Of the time that is left after the narrow search, where it is limited."""
SECONDS_A_ROW = 1e-3
"""What a row takes at least, roughly, in the narrowest search."""


@dataclass(frozen=True)
class FewestViolations:
    """The fewest turns that compute more than xi, between two bounds.

    Attributes
    ----------
    violations : int
        Of the incumbent.
    lower : int
        No policy has fewer.
    by_solver : bool
        Whether `lower` rests on the solver alone; otherwise it was counted in whole numbers, without the solver.
    proved : int
        The part of `lower` that `check_violations` proves from `prices` in exact arithmetic.
    outcome : Outcome
        What each turn reuses and computes in the incumbent.
    prices : Prices
        For `violations_bound` and `check_violations`.
    unavoidable : int
        Turns above xi that need more than was ever there.
    avoidable : int
        The other turns above xi.
    status : str
        Where `violations` equals `lower`, "optimal by solver" if `by_solver` and else "optimal"; otherwise how the
        search ended.
    method : str
        "heuristic", or "milp" where the MILP was asked.
    """

    violations: int
    lower: int
    by_solver: bool
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
class SearchUnderWay:
    """A search under way: everything that the stages need, and the best so far; `lower` is without the solver."""

    instance: Instance
    xi: int
    problem: Selection
    program: SharesProgram
    relaxation: Relaxation
    proved: int
    lower: int
    chosen: BoolArray
    lower_by_solver: int = 0
    status: Status = "feasible"
    method: str = "heuristic"

    @property
    def most(self) -> int:
        """No choice has more intervals, by whole numbers."""
        return self.problem.above - self.lower

    @property
    def count(self) -> int:
        """Intervals of the best choice so far."""
        return int(self.chosen.sum())

    @property
    def is_open(self) -> bool:
        """Whether a better choice is possible, as far as whole numbers tell."""
        return self.count < self.most

    def is_open_at(self, target: int) -> bool:
        """Whether it is open if so many can be chosen, whoever closes it."""
        return self.count < target <= min(self.most, self.problem.above - self.lower_by_solver)


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
        "heuristic" stops at the linear bound with cuts, a good plan and a narrow search along the steps; "auto"
        goes on, where they do not meet, with the MILP with HiGHS, for a part of the time, and with wider and wider
        searches, which may prove without the solver what it said; "milp" with the MILP alone.
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
    search = started(instance, xi)
    try:
        search = relaxed(search, deadline)
        search = packed(search, np.random.default_rng(seed), deadline, ROUNDS)
        search = sharpened(search, deadline)
        if method != "milp":
            search = explored(search, deadline, NARROW)
        if method != "heuristic":
            search = exactly(search, deadline) if method == "milp" else decided(search, deadline)
    except KeyboardInterrupt:
        search = replace(search, status="interrupted")
    return found(search)


def started(instance: Instance, xi: int) -> SearchUnderWay:
    """Begin a search with no interval chosen and nothing proved."""
    problem = selection(instance, xi)
    program = SharesProgram(problem)
    nothing = np.zeros(len(problem), np.bool_)
    return _priced(SearchUnderWay(instance, xi, problem, program, program.relaxation(), 0, 0, nothing))


def relaxed(search: SearchUnderWay, deadline: float) -> SearchUnderWay:
    """Solve the linear relaxation."""
    search.program.add_rows(deadline)
    return _priced(search)


def sharpened(search: SearchUnderWay, deadline: float) -> SearchUnderWay:
    """Add cuts to the relaxation while the bound and the plan do not meet."""
    if not search.is_open:
        return search
    search.program.add_cuts(deadline)
    return _priced(search)


def _priced(search: SearchUnderWay) -> SearchUnderWay:
    relaxation = search.program.relaxation()
    proved = bound_of(search.instance, search.xi, relaxation.prices)
    if proved < search.proved:
        return search
    return replace(search, relaxation=relaxation, proved=proved, lower=max(search.lower, proved))


def packed(search: SearchUnderWay, rng: np.random.Generator, deadline: float, rounds: int) -> SearchUnderWay:
    """Choose by the heuristic."""
    chosen = pack(search.problem, search.relaxation.share, rng, search.most, deadline, rounds)
    return _with(search, chosen)


def explored(
    search: SearchUnderWay, deadline: float, widths: Sequence[int], target: int | None = None
) -> SearchUnderWay:
    """Search along the steps for more intervals, or for those of the target, wider while there is time for it."""
    pace = len(search.problem.rows) * SECONDS_A_ROW / widths[0]
    for width in widths:
        wanted = search.count + 1 if target is None else target
        begun = monotonic()
        if not search.count < wanted <= search.most or pace * width > deadline - begun:
            return search
        answer = along_the_steps(search.problem, search.relaxation, wanted, width, deadline)
        search = _with(search, answer.chosen, answer.most)
        if answer.complete:
            search = replace(search, proved=max(search.proved, search.problem.above - answer.most))
        pace = (monotonic() - begun) / width
    return search


def _with(search: SearchUnderWay, chosen: BoolArray | None, most: int | None = None) -> SearchUnderWay:
    """Take a choice where it is better and feasible in whole numbers, and a bound without the solver."""
    if chosen is not None and chosen.sum() > search.count and search.problem.feasible(chosen):
        search = replace(search, chosen=chosen)
    return search if most is None else replace(search, lower=max(search.lower, _fewest(search, most)))


def _fewest(search: SearchUnderWay, most: int) -> int:
    """Return the violations that are left where at most so many can be avoided, which no plan may contradict."""
    if most < search.count:
        raise SolverError("a bound below a plan", float(search.count), float(most))
    return search.problem.above - most


def exactly(search: SearchUnderWay, deadline: float, target: int | None = None) -> SearchUnderWay:
    """Go on with the MILP, unless plan and bound meet."""
    if not search.is_open:
        return search
    answer = choose(search.problem, search.chosen, seconds_left(deadline), target)
    search = replace(_with(search, answer.chosen), status="time limit", method="milp")
    return replace(search, lower_by_solver=max(search.lower_by_solver, _fewest(search, answer.most)))


def decided(search: SearchUnderWay, deadline: float) -> SearchUnderWay:
    """Go on with the MILP and then with wide searches; without a deadline the other way round.

    Then nothing would end the MILP, and the wide searches end by themselves.
    """
    if deadline == inf:
        return exactly(explored(search, deadline, WIDE), deadline)
    return explored(exactly(search, part_of(deadline, SHARE_OF_SOLVER)), deadline, WIDE)


def found(search: SearchUnderWay) -> FewestViolations:
    """Count the violations of the plan and wrap them up."""
    problem = search.problem
    if not problem.feasible(search.chosen):
        raise SolverError("a plan that does not fit")
    outcome = outcome_of(search)
    violations = slo_violations(outcome, search.xi)
    lower, by_solver = max(search.lower, search.lower_by_solver), search.lower_by_solver > search.lower
    if violations < lower:
        raise SolverError("a bound above a plan", float(violations), float(lower))
    optimal: Status = "optimal by solver" if by_solver else "optimal"
    unavoidable = problem.above - problem.within_history
    return FewestViolations(
        violations,
        lower,
        by_solver,
        search.proved,
        outcome,
        search.relaxation.prices,
        unavoidable,
        problem.within_history,
        optimal if violations == lower else search.status,
        search.method,
    )


def outcome_of(search: SearchUnderWay) -> Outcome:
    """Return what each turn reuses when the chosen intervals hold what they need."""
    cached = search.problem.reused(search.chosen, len(search.instance.trace))
    return Outcome.of(search.instance, np.maximum(cached, unavoidable_reuse(search.instance)))
