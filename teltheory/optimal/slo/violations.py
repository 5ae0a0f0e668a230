"""The fewest SLO violations that any policy reaches, exact or between two bounds.

1. *Relax*: the linear relaxation with cuts; its prices prove a bound that `violations_bound` evaluates.
2. *Pack*: a plan, by filling in several orders, ruin and fill.
3. *Exhaust*: while bound and plan differ, prove by `teltheory.optimal.slo.exhaustion` that no more can be avoided.
4. *Choose*: HiGHS' branch and bound looks for a better plan, and says how many can be avoided.

`proved` is what 1 and 3 prove in exact arithmetic; `check_violations` repeats it. The incumbent is a plan that was
checked in whole numbers. Only the bound of the MILP is the solver's word; what rests on it is called "by solver".

On a forest of shared prefixes 1 to 4 are about caches with holes (`teltheory.optimal.slo.selection`), which can do
all that strict caches can, so their bounds hold for both. For a strict cache a plan is made of the one that is
found: the chosen requests and all that lies above what they hold (`teltheory.optimal.trees.closing`), or
Tail-Optimized Belady, leaf-first, if that is better.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf
from typing import Any, Literal

import numpy as np

from teltheory.cost.given import Model, Size, Units
from teltheory.cost.metrics import slo_violations
from teltheory.errors import ArgumentError, CertificateError, SolverError
from teltheory.model.forest import Forest
from teltheory.model.initial import Initial
from teltheory.model.instance import prefix_instance
from teltheory.model.numbers import BoolArray, IntArray, whole_number
from teltheory.model.outcome import Outcome
from teltheory.model.trace import Trace
from teltheory.optimal.costs.prices import bound_of
from teltheory.optimal.deadline import deadline_of, part_of, seconds_left
from teltheory.optimal.methods import AnyInstance, BlockCache, checked_cache, planned
from teltheory.optimal.sides import Optimum, Status
from teltheory.optimal.slo.exhaustion import MOST_STATES, is_least
from teltheory.optimal.slo.filling import ROUNDS, Filling
from teltheory.optimal.slo.selection import Selection, selection
from teltheory.optimal.slo.solver import Relaxation, SharesProgram, choose
from teltheory.optimal.trees.closing import closed

ViolationsMethod = Literal["auto", "heuristic", "milp"]

FEW_STATES = 100_000
"""Of an exhaustion that takes a second or two."""
SHARE_OF_SOLVER = 3 / 4
"""Of the time that is left after the first exhaustion, if it is limited."""


@dataclass(frozen=True)
class SearchUnderWay:
    """A search under way: everything that the stages need, and the best so far.

    `strict` is whether the plan is to be one of a strict cache of shared prefixes; the stages allow holes.
    """

    instance: AnyInstance
    xi: int
    problem: Selection
    program: SharesProgram
    relaxation: Relaxation
    proved: int
    chosen: BoolArray
    strict: bool = False
    lower_by_solver: int = 0
    status: Status = "feasible"
    method: str = "heuristic"

    @property
    def most(self) -> int:
        """No choice has more intervals, as is proved."""
        return self.problem.above - self.proved

    @property
    def count(self) -> int:
        """Intervals of the best choice so far."""
        return int(self.chosen.sum())

    def is_open_at(self, target: int | None = None) -> bool:
        """Whether it is open if so many can be chosen, whoever closes it; by default more than were, by proof."""
        if target is None:
            return self.count < self.most
        return self.count < target <= min(self.most, self.problem.above - self.lower_by_solver)


def fewest_violations(
    trace: Trace | Forest,
    capacity: Size,
    xi: Size,
    forced: bool = False,
    initial: Initial = (),
    method: ViolationsMethod = "auto",
    time_limit: float | None = None,
    seed: int = 0,
    *,
    cache: BlockCache = "strict",
    running: int = 1,
    model: Model | None = None,
) -> Optimum:
    """Find the fewest turns that compute more than `xi`, whatever the policy.

    Parameters
    ----------
    trace, capacity, xi, forced, initial, cache, running, model : as in `Problem`
    method : {"auto", "heuristic", "milp"}
        "heuristic": a linear bound with cuts, a good plan, a short proof. "milp": HiGHS after it; "auto": both.
    time_limit, seed : float, int
        Seconds in all, after which the best so far is returned; of the random rounds.

    Raises
    ------
    ArgumentError, TraceError, ForcedCachingError
        Wrong arguments; all are `ValueError`.
    """
    units = Units.of(trace, model)
    instance = prefix_instance(trace, units.capacity(capacity), forced=forced, initial=initial, running=running)
    strict = is_strict(instance, cache)
    threshold, seed = units.xi(xi), whole_number("seed", seed)
    if method not in ("auto", "heuristic", "milp"):
        raise ArgumentError("method", method, "'auto', 'heuristic' or 'milp'")
    deadline = deadline_of(time_limit)
    search = replace(started(instance, threshold), strict=strict)
    try:
        search = relaxed(search, deadline)
        search = packed(search, np.random.default_rng(seed), deadline, ROUNDS)
        search = sharpened(search, deadline)
        if method != "milp":
            search = exhausted(search, deadline, FEW_STATES)
        if method != "heuristic":
            search = exactly(search, deadline) if method == "milp" else decided(search, deadline)
    except KeyboardInterrupt:
        search = replace(search, status="interrupted")
    return found(search)


def started(instance: AnyInstance, xi: int) -> SearchUnderWay:
    """Begin a search with no interval chosen and nothing proved."""
    problem = selection(instance, xi)
    program = SharesProgram(problem)
    nothing = np.zeros(len(problem), np.bool_)
    return _priced(SearchUnderWay(instance, xi, problem, program, program.relaxation(), 0, nothing))


def relaxed(search: SearchUnderWay, deadline: float) -> SearchUnderWay:
    """Solve the linear relaxation."""
    search.program.add_rows(deadline)
    return _priced(search)


def sharpened(search: SearchUnderWay, deadline: float) -> SearchUnderWay:
    """Add cuts to the relaxation while the bound and the plan do not meet."""
    if not search.is_open_at():
        return search
    search.program.add_cuts(deadline)
    return _priced(search)


def _priced(search: SearchUnderWay) -> SearchUnderWay:
    relaxation = search.program.relaxation()
    proved = bound_of(search.instance, search.xi, relaxation.prices)
    return search if proved < search.proved else replace(search, relaxation=relaxation, proved=proved)


def packed(search: SearchUnderWay, rng: np.random.Generator, deadline: float, rounds: int) -> SearchUnderWay:
    """Choose by the heuristic; the orders are by share, by need x length and by end."""
    problem, share = search.problem, search.relaxation.share
    filling = Filling(problem.intervals, False, problem.start, problem.rows)
    nothing, work = np.zeros_like(problem.need), problem.work()
    orders = (
        np.lexsort((work, -np.round(share, 6))),
        np.argsort(work, kind="stable"),
        np.argsort(problem.last_end),
    )

    def cost(plan: IntArray) -> int:
        return -int(np.count_nonzero(plan[problem.top]))

    best = min((filling.fill(nothing, order) for order in orders), key=cost)
    plan = filling.improve(best, share, cost, -search.most, rng, deadline, rounds)
    return _with(search, plan[problem.top] > 0)


def exhausted(
    search: SearchUnderWay, deadline: float, most_states: int = MOST_STATES, target: int | None = None
) -> SearchUnderWay:
    """Prove without the solver that more can't be avoided, or not as many as a target.

    `SolverError` if more can be avoided than the solver said.
    """
    above = search.problem.above
    beyond = range(search.proved + 1, above - search.count + 1) if target is None else [above - target + 1]
    for least in beyond:
        if not search.proved < least <= above - search.count:
            continue
        try:
            proved = is_least(search.instance, search.xi, search.relaxation.prices, least, most_states, deadline)
        except CertificateError:
            return search
        if not proved:
            if least <= search.lower_by_solver:
                raise SolverError(
                    "a bound above what is possible", float(least - 1), float(search.lower_by_solver)
                )
            return search
        search = replace(search, proved=least)
    return search


def _with(search: SearchUnderWay, chosen: BoolArray | None) -> SearchUnderWay:
    """Take a choice if it is better and feasible in whole numbers."""
    if chosen is None or chosen.sum() <= search.count or not search.problem.fits(chosen):
        return search
    return replace(search, chosen=chosen)


def exactly(search: SearchUnderWay, deadline: float, target: int | None = None) -> SearchUnderWay:
    """Continue with the MILP, unless plan and bound meet."""
    if not search.is_open_at():
        return search
    answer = choose(search.problem, search.chosen, seconds_left(deadline), target)
    search = replace(_with(search, answer.chosen), status="time limit", method="milp")
    if answer.most < search.count:
        raise SolverError("a bound below a plan", float(search.count), float(answer.most))
    return replace(search, lower_by_solver=max(search.lower_by_solver, search.problem.above - answer.most))


def decided(search: SearchUnderWay, deadline: float) -> SearchUnderWay:
    """Continue with the MILP and then with a long exhaustion; without a deadline the other way round.

    Then nothing would end the MILP, and the exhaustion ends by itself.
    """
    if deadline == inf:
        search = exhausted(search, deadline)
    return exhausted(exactly(search, part_of(deadline, SHARE_OF_SOLVER)), deadline)


def found(search: SearchUnderWay) -> Optimum:
    """Count the violations of the plan and wrap them up."""
    problem = search.problem
    if not problem.fits(search.chosen):
        raise SolverError("a plan that does not fit")
    outcome = outcome_of(search)
    violations = slo_violations(outcome, search.xi)
    lower = max(search.proved, search.lower_by_solver)
    if violations < lower:
        raise SolverError("a bound above a plan", float(violations), float(lower))
    ended: Status = "feasible" if search.strict and not search.is_open_at() else search.status
    facts = {"unavoidable": problem.above - problem.within_history, "avoidable": problem.within_history}
    sides, prices = (lower, violations, search.proved), search.relaxation.prices
    return Optimum(*sides, outcome, prices, search.method, ended=ended, facts=facts, what="violations")


def outcome_of(search: SearchUnderWay) -> Outcome:
    """Return what each turn reuses when the chosen staircases hold what they need; if strict, those that can."""
    instance, problem = search.instance, search.problem
    if search.strict:
        return _strict_outcome(search, instance)
    return planned(instance, problem.reused(search.chosen, len(instance)))


def _strict_outcome(search: SearchUnderWay, instance: Any) -> Outcome:
    """Return the best plan of a strict cache that was found; none is better than that of a cache with holes."""
    fewest, plans = search.problem.above - search.count, _strict_plans(search, instance)
    best = next(plans)
    while slo_violations(best, search.xi) > fewest and (plan := next(plans, None)) is not None:
        best = min(best, plan, key=lambda plan: slo_violations(plan, search.xi))
    return best


def _strict_plans(search: SearchUnderWay, instance: Any) -> Iterator[Outcome]:
    """Yield plans that are closed towards the root, the chosen requests first, and Tail-Optimized Belady."""
    from teltheory.policies import TailOptimizedBelady
    from teltheory.replay import replay_forest

    problem, work, others = search.problem, search.problem.work(), ~search.chosen
    need = problem.reused(np.ones(len(problem), np.bool_), len(instance))
    for keys in ((work, others), (problem.last_end, others), (work,)):
        yield planned(instance, closed(instance, need, problem.turn[np.lexsort(keys)]))
    yield replay_forest(instance, TailOptimizedBelady(search.xi), "strict")


def is_strict(instance: AnyInstance, cache: BlockCache) -> bool:
    """Whether a plan has to be closed towards the root, which on private conversations every plan is."""
    return checked_cache(instance, cache) == "strict" and instance.requests.shared
