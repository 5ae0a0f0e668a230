"""The best percentile of uncached lengths that any policy reaches, by bisection over the threshold.

P_q <= xi is possible if and only if the fewest violations at xi are at most n - rank, rank = ceil(q n). The fewest
violations fall as xi grows, so:

1. *Refute*: the smallest xi whose linear bound allows it, by bisection. The prices one below prove it.
2. *Confirm*: bisection upwards from there with the heuristic; each plan's own percentile is an upper bound.
3. *Decide*: what is left between, with the MILP, cuts and exhaustion, each with a target. If a threshold stays
   open, those below it come first, which raises the lower bound, and then those above it.
4. *Prove*: refute again, without the MILP, what only the MILP refuted, while there is time.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from teltheory.cost.given import Model, Size, Units
from teltheory.errors import ArgumentError
from teltheory.model.forest import Forest
from teltheory.model.initial import Initial
from teltheory.model.instance import prefix_instance
from teltheory.model.numbers import whole_number
from teltheory.model.outcome import Outcome
from teltheory.model.trace import Trace
from teltheory.optimal.costs.prices import Prices
from teltheory.optimal.deadline import deadline_of, part_of, seconds_left
from teltheory.optimal.methods import AnyInstance, BlockCache
from teltheory.optimal.sides import Optimum, Status
from teltheory.optimal.slo.violations import (
    SHARE_OF_SOLVER,
    SearchUnderWay,
    exactly,
    exhausted,
    is_strict,
    outcome_of,
    packed,
    relaxed,
    sharpened,
    started,
)

SHARES = (1 / 16, 1 / 4, 1.0)
"""Of the time that is left, for a decision in the first round, and in later ones where some stayed open."""
SHARE_OF_DECISIONS = 3 / 4
"""Of the time left after the first bounds, for all decisions; the rest is for proofs without the solver."""
SHARE_OF_PROOF = 1 / 2
"""Of the time that is left, for a proof without the solver."""
ROUNDS = 300


def best_percentile(
    trace: Trace | Forest,
    capacity: Size,
    q: float,
    forced: bool = False,
    initial: Initial = (),
    time_limit: float | None = None,
    seed: int = 0,
    *,
    cache: BlockCache = "strict",
    running: int = 1,
    model: Model | None = None,
) -> Optimum:
    """Find the smallest P_q of uncached lengths that any policy reaches on one turn or more.

    Parameters
    ----------
    trace, capacity, forced, initial, cache, running, model : as in `Problem`
    q : float
        Level in (0, 1], such as 0.95.
    time_limit, seed : as for `fewest_violations`; bounds and a first plan are always found

    Raises
    ------
    ArgumentError, TraceError, ForcedCachingError
    """
    room = Units.of(trace, model).capacity(capacity)
    instance = prefix_instance(trace, room, forced=forced, initial=initial, running=running)
    strict = is_strict(instance, cache)
    if isinstance(q, bool) or not isinstance(q, (int, float)) or not 0 < q <= 1:
        raise ArgumentError("q", q, "a level above 0, at most 1")
    if not len(trace):
        raise ArgumentError("trace", "no turn", "at least one turn")
    rank = int(np.quantile(np.arange(1, len(trace) + 1), q, method="inverted_cdf"))
    rng = np.random.default_rng(whole_number("seed", seed))
    search = _Bisection(instance, strict, rank, deadline_of(time_limit), rng)
    status: Status = "time limit"
    try:
        search.refute()
        search.confirm()
        until = part_of(search.deadline, SHARE_OF_DECISIONS)
        for share in SHARES:
            search.decide(share, until)
        search.prove()
        if strict and seconds_left(search.deadline) != 0:
            status = "feasible"
    except KeyboardInterrupt:
        status = "interrupted"
    return search.result(status)


class _Bisection:
    """Two ends that close in on the percentile."""

    def __init__(
        self, instance: AnyInstance, strict: bool, rank: int, deadline: float, rng: np.random.Generator
    ) -> None:
        self.instance, self.strict = instance, strict
        self.rank, self.deadline, self.rng = rank, deadline, rng
        self.allowed = len(instance) - rank
        self.lower = self.proved = 0
        self.prices: Prices | None = None
        self.outcome = outcome_of(started(instance, int(instance.total.max())))
        self.value = self._percentile(self.outcome)

    def _percentile(self, outcome: Outcome) -> int:
        return int(np.partition(outcome.uncached, self.rank - 1)[self.rank - 1])

    def _take(self, outcome: Outcome) -> None:
        value = self._percentile(outcome)
        if value < self.value:
            self.value, self.outcome = value, outcome

    def refute(self) -> None:
        """Raise the lower end as far as linear bounds do."""
        high = self.value
        while self.lower < high:
            xi = (self.lower + high) // 2
            search = self._relaxed(xi)
            if search.proved > self.allowed:
                self.lower = self.proved = xi + 1
                self.prices = search.relaxation.prices
            else:
                high = xi

    def confirm(self) -> None:
        """Lower the upper end as far as the heuristic does."""
        low = self.lower
        while low < self.value:
            xi = (low + self.value) // 2
            before = self.value
            search = self._relaxed(xi)
            self._take(outcome_of(packed(search, self.rng, self.deadline, ROUNDS)))
            low = low if self.value < before else xi + 1

    def decide(self, share: float, until: float) -> None:
        """Decide thresholds between the ends: first those below the lowest that stays open, then those above."""
        opened = self._bisect(self.lower, share, until, downwards=True)
        if opened:
            self._bisect(max(opened) + 1, share, until, downwards=False)

    def _bisect(self, low: int, share: float, until: float, downwards: bool) -> list[int]:
        """Decide thresholds from low on, each in a share of the time left; return those that stay open."""
        high, opened = self.value, []
        while max(low, self.lower) < min(high, self.value):
            xi = (max(low, self.lower) + min(high, self.value)) // 2
            if seconds_left(until) == 0:
                break
            self._decide(xi, part_of(until, share))
            if self.lower <= xi < self.value:
                opened.append(xi)
                low, high = (low, xi) if downwards else (xi + 1, high)
        return opened

    def _decide(self, xi: int, deadline: float) -> None:
        """Move an end beyond xi: the upper one if P_q <= xi is possible, the lower one if it is not."""
        search = packed(self._relaxed(xi), self.rng, self.deadline, ROUNDS)
        target = search.problem.above - self.allowed
        if search.is_open_at(target):
            search = exactly(search, part_of(deadline, SHARE_OF_SOLVER), target)
        if search.is_open_at(target):
            search = exhausted(sharpened(search, deadline), deadline, target=target)
        self._take(outcome_of(search))
        self._refuted(search)

    def _relaxed(self, xi: int) -> SearchUnderWay:
        return replace(relaxed(started(self.instance, xi), self.deadline), strict=self.strict)

    def _refuted(self, search: SearchUnderWay) -> None:
        """Raise the lower ends as far as a search at a threshold allows it."""
        beyond = search.xi + 1
        if max(search.proved, search.lower_by_solver) > self.allowed:
            self.lower = max(self.lower, beyond)
        if search.proved > self.allowed and beyond > self.proved:
            self.proved, self.prices = beyond, search.relaxation.prices

    def prove(self) -> None:
        """Refute without the solver what only the solver did, each threshold in a share of the time left."""
        high = self.lower
        while self.proved < high and seconds_left(self.deadline) != 0:
            xi, deadline = (self.proved + high) // 2, part_of(self.deadline, SHARE_OF_PROOF)
            search = sharpened(self._relaxed(xi), deadline)
            self._refuted(exhausted(search, deadline, target=search.problem.above - self.allowed))
            high = high if self.proved > xi else xi

    def result(self, status: Status) -> Optimum:
        sides, facts = (self.lower, self.value, self.proved), {"allowed": self.allowed}
        return Optimum(
            *sides, self.outcome, self.prices, "bisection", ended=status, facts=facts, what="percentile"
        )
