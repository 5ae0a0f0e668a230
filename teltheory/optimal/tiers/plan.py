"""Plans for tiers: what the linear program keeps, rounded down, and then more where there is room.

A plan says what each turn reuses of tiers 0 to i, ``kept[i]``, leading units of its path. On a forest the pieces
that the program keeps for a turn are put together at the root: the pieces nearer to it have shorter intervals, so
this takes room at no step at which they did not.

1. *Round*: tier by tier, keep what the program keeps, rounded down, turn by turn, if that fits; if not, half of
   it, and so on. In a strict cache what is kept of a path is kept with all that lies above it
   (`teltheory.optimal.trees.closing`), which takes more room than the program says.
2. *Fill*: in the last tier, then in the one before it, and so on, keep more of turns that exceed the threshold,
   as much as they lack, the next ones first.

Tiers 0 to i + 1 hold what tiers 0 to i do, so a tier begins with what the tiers before keep.
`teltheory.optimal.tiers.outcome` checks the plan.
"""

from __future__ import annotations

from functools import singledispatch
from typing import Any, NamedTuple

import numpy as np

from teltheory.model.instance import ForestInstance, Instances, ModuleInstance
from teltheory.model.numbers import FloatArray, IntArray, exact_sum, readonly
from teltheory.model.tiers import TieredOutcome
from teltheory.optimal.chains.intervals import most_reused
from teltheory.optimal.sets.reuses import Reuses
from teltheory.optimal.tiers.problem import TieredProblem, loads_a_unit, worths
from teltheory.optimal.trees.closing import keep
from teltheory.replay.trees.runs import Runs

HAIR = 1e-6


class Reads(NamedTuple):
    """What each turn can find, as `keep` takes it, whether a cache is closed towards the root, and its input."""

    start: IntArray
    slot: IntArray
    to: IntArray
    exempt: int
    strict: bool
    ask: IntArray


@singledispatch
def reads_of(instance: Any, strict: bool) -> Reads:
    """Return for each turn of a conversation what its last turn left; of a forest runs, of sets items."""
    start, most = readonly(np.arange(len(instance) + 1)), readonly(most_reused(instance))
    return Reads(start, instance.requests.previous_turn, most, instance.exempt, False, instance.asked)


@reads_of.register(ForestInstance)
def _of_paths(instance: ForestInstance, strict: bool) -> Reads:
    return Reads(*Runs.of(instance.requests)[1:], instance.exempt, strict, instance.asked)


@reads_of.register(ModuleInstance)
def _of_items(instance: ModuleInstance, strict: bool) -> Reads:
    return Reads(*Reuses.of(instance)[:3], instance.exempt, False, instance.asked)


class TierPlan:
    """What is kept so far, and the room that it leaves in tiers 0 to i at each step."""

    def __init__(self, problem: TieredProblem, reads: Reads) -> None:
        self._problem, self._reads = problem, reads
        self.kept = np.zeros((len(problem.tiers), len(problem.total)), np.int64)
        self._free = problem.rooms()
        self._most = np.zeros(len(problem.total), np.int64)
        np.add.at(self._most, problem.pieces.turn, problem.pieces.most)

    def round(self, kept: FloatArray) -> None:
        """Keep what each tier and piece has in the program, rounded down."""
        wanted = np.floor(self._problem.leading(kept) + HAIR).astype(np.int64)
        before, taken = np.zeros_like(wanted[0]), np.zeros_like(self._free[0])
        for tier, goal in enumerate(wanted):
            self.kept[tier] = before
            self._free[tier] -= taken
            room = self._free[tier].copy()
            self._keep(tier, np.minimum(goal, self._most))
            before, taken = self.kept[tier], taken + room - self._free[tier]

    def fill(self) -> None:
        """Keep more of turns that exceed the threshold, from the last tier to the first."""
        tiers = self._problem.tiers
        lowers = worths(tiers) if tiers.loading == "additive" else [*-loads_a_unit(tiers)[:-1], tiers.denominator]
        for tier in reversed(range(len(tiers))):
            if lowers[tier]:
                most = self.kept[tier + 1] if tier + 1 < len(tiers) else self._most
                more = -(-self.excess() // int(lowers[tier]))
                self._keep(tier, np.minimum(self.kept[tier] + more, most))

    def excess(self) -> IntArray:
        """Return by how many parts of a unit each turn exceeds the threshold; shape (n,)."""
        reused = np.diff(np.minimum(self.kept, self._reads.ask), axis=0, prepend=0)
        nothing = np.zeros_like(reused)
        still = (nothing[0], nothing[1:], nothing[1:])
        outcome = TieredOutcome(reused, self._problem.total, self._problem.tiers, *still)
        return outcome.excess_units(self._problem.xi)

    def _keep(self, tier: int, wanted: IntArray) -> None:
        """Keep so much of each turn in tiers 0 to `tier`, or as much of it as halving finds room for."""
        kept, high = self.kept[tier], wanted
        while len(order := np.flatnonzero(high > kept)):
            need = high if high is wanted else (kept + high + 1) // 2
            keep(order, need, *self._reads[:4], self._free[tier], kept, self._reads.strict)
            high = np.where(kept < need, need - 1, high)


def plan_of(problem: TieredProblem, instance: Instances, kept: FloatArray, strict: bool) -> IntArray:
    """Return what tiers 0 to i hold of each turn's path in a plan near the program's; shape (tiers, n)."""
    plan = TierPlan(problem, reads_of(instance, strict))
    plan.round(kept)
    rounded, least = plan.kept.copy(), exact_sum(plan.excess())
    plan.fill()
    return plan.kept if exact_sum(plan.excess()) <= least else rounded
