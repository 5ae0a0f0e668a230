"""The least cost that any policy reaches where a turn's cost is piecewise linear in its reuse.

1. The interval problem over the lower convex envelopes (`teltheory.optimal.costs.pieces`), with HiGHS by violated
   rows. Its prices prove a bound, which `teltheory.optimal.costs.prices` counts in whole numbers; what it keeps is
   a plan, which is costed in whole numbers. Where every cost is convex both agree.
2. Elsewhere a better plan is sought by dropping and filling (`teltheory.optimal.slo.filling`).
3. Then the integer program with HiGHS, a binary variable for each piece that gains more than the one before it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil, isfinite

import numpy as np

from teltheory.cost.given import Model, Size, Units
from teltheory.errors import SolverError
from teltheory.model.initial import Initial
from teltheory.model.instance import Instance
from teltheory.model.numbers import IntArray, running_sums, whole_number
from teltheory.model.outcome import Outcome
from teltheory.model.trace import Trace
from teltheory.optimal.certificate import check_kept
from teltheory.optimal.chains.intervals import IntervalProblem
from teltheory.optimal.chains.lazy import LazyIntervalSolver, LazySolution
from teltheory.optimal.costs.of_turns import PiecewiseCosts
from teltheory.optimal.costs.pieces import Pieces, choose_pieces, envelope_problem, pieces_of, turns_problem
from teltheory.optimal.costs.prices import Prices, bound_of_costs, check_costs
from teltheory.optimal.deadline import deadline_of, seconds_left
from teltheory.optimal.methods import unavoidable_reuse
from teltheory.optimal.sides import Optimum, Status
from teltheory.optimal.slo.filling import Filling
from teltheory.optimal.solver import INTERRUPTED, OUT_OF_TIME

STOPS: dict[str, Status] = {OUT_OF_TIME: "time limit", INTERRUPTED: "interrupted"}


@dataclass(frozen=True)
class _Search:
    """A search under way; `plan` is the best so far, what each turn reuses."""

    instance: Instance
    costs: PiecewiseCosts
    pieces: Pieces
    prices: Prices
    proved: int
    bound: int
    plan: IntArray
    status: Status = "feasible"

    @property
    def cost(self) -> int:
        return self.costs.total(self.plan)

    def plan_of(self, problem: IntervalProblem) -> IntArray:
        """Return the plan's amounts of the intervals, one a turn, as far as they lower the cost."""
        return np.minimum(self.plan[problem.turn], problem.most)

    def with_plan(self, plan: IntArray) -> _Search:
        """Return the search with this plan where it costs less."""
        plan = np.maximum(plan, unavoidable_reuse(self.instance))
        return replace(self, plan=plan) if self.costs.total(plan) < self.cost else self


def cost_optimum(
    trace: Trace,
    capacity: Size,
    costs: PiecewiseCosts,
    forced: bool = False,
    initial: Initial = (),
    time_limit: float | None = None,
    seed: int = 0,
    *,
    model: Model | None = None,
) -> Optimum:
    """Find the least cost that any policy reaches, or two sides of it.

    Parameters
    ----------
    trace, capacity, forced, initial, model : as in `Problem`
        The initial cache is the one that the costs were made with.
    costs : PiecewiseCosts
        What each turn costs, from what it reuses.
    time_limit : float, optional
        Seconds in all; what was found by then is returned.
    seed : int
        Of the random rounds in which better plans are sought; no effect if every cost is convex.

    Raises
    ------
    ArgumentError, TraceError, ForcedCachingError
        Wrong arguments; all are `ValueError`.
    SolverError
        The solver's bound is above a plan: it is wrong.
    CertificateError
        A plan that does not fit; both would be faults of this toolkit.
    """
    room = Units.of(trace, model).capacity(capacity)
    instance = Instance.of(trace, room, forced=forced, initial=initial)
    check_costs(costs, instance)
    seed, deadline, pieces = whole_number("seed", seed), deadline_of(time_limit), pieces_of(instance, costs)
    problem, divisor = envelope_problem(instance, costs, pieces)
    solution, stopped = _relaxed(LazyIntervalSolver(problem), deadline)
    prices = Prices(tuple(solution.steps.tolist()), tuple(solution.prices.tolist()), divisor)
    proved = bound_of_costs(instance, costs, prices)
    plan = np.maximum(problem.reused(solution.kept, len(trace)), unavoidable_reuse(instance))
    search = _Search(instance, costs, pieces, prices, proved, proved, plan, stopped)
    if stopped == "feasible" and len(pieces.rising) and search.cost > search.bound:
        search = _better(search, np.random.default_rng(seed), deadline)
    return _found(search)


def _relaxed(solver: LazyIntervalSolver, deadline: float) -> tuple[LazySolution, Status]:
    """Solve the envelope problem; an early stop leaves weaker prices and a plan cut to the room."""
    try:
        return solver.solve(time_limit=seconds_left(deadline)), "feasible"
    except SolverError as error:
        return solver.so_far(), STOPS.get(error.status, "feasible")


def _better(search: _Search, rng: np.random.Generator, deadline: float) -> _Search:
    """Go on where costs are not convex: first with other plans, then with the integer program."""
    problem = turns_problem(search.instance, search.pieces)
    try:
        search = _filled(search, problem, rng, deadline)
    except KeyboardInterrupt:
        return replace(search, status="interrupted")
    return _chosen(search, problem, deadline) if search.cost > search.bound else search


def _filled(search: _Search, problem: IntervalProblem, rng: np.random.Generator, deadline: float) -> _Search:
    """Look for a better plan by dropping and filling."""
    costs, n, prices = search.costs, len(search.plan), search.prices
    begins = np.searchsorted(search.pieces.turn, problem.turn)
    gain = np.add.reduceat(search.pieces.gain, begins)
    begin, end = problem.places(np.array(prices.steps, np.int64))
    up_to = running_sums(np.array(prices.numerators, np.int64)).astype(float)
    profit = gain - (up_to[end] - up_to[begin]) / prices.denominator * problem.most
    plan = Filling(problem, parts=True).improve(
        search.plan_of(problem),
        profit,
        lambda kept: costs.total(problem.reused(kept, n)),
        search.bound,
        rng,
        deadline,
    )
    return search.with_plan(problem.reused(plan, n))


def _chosen(search: _Search, problem: IntervalProblem, deadline: float) -> _Search:
    """Go on with the integer program from the plan."""
    answer = choose_pieces(problem, search.pieces, search.plan_of(problem), seconds_left(deadline))
    nothing = search.costs.total(np.zeros(len(search.plan), np.int64))
    bound = max(search.bound, ceil(nothing - answer.most)) if isfinite(answer.most) else search.bound
    search = replace(search, bound=bound, status=STOPS.get(answer.status or "", "feasible"))
    return search if answer.kept is None else search.with_plan(problem.reused(answer.kept, len(search.plan)))


def _found(search: _Search) -> Optimum:
    """Check the plan in whole numbers and hold it against the bound."""
    instance, cost = search.instance, search.cost
    check_kept(search.plan, instance)
    if cost < search.bound:
        raise SolverError("a bound above a plan", float(cost), float(search.bound))
    sides, outcome = (search.bound, cost, search.proved), Outcome.of(instance, search.plan)
    method = "milp" if len(search.pieces.rising) else "lp"
    return Optimum(*sides, outcome, search.prices, method, ended=search.status, what="cost")
