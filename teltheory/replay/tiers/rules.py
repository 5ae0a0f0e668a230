"""What each tier's policy says of every slot of private conversations, asked before the compiled loop starts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from teltheory.base.loops import call
from teltheory.errors import ForcedCachingError
from teltheory.model.instance import Instance
from teltheory.model.numbers import INT64_MAX, IntArray, readonly
from teltheory.model.tiers import Tiers
from teltheory.policies.node import Deferred
from teltheory.policies.policy import NotCompiledError, has_rules
from teltheory.replay.chains.rules import Keys, Nodes, SlotRules, constant, places
from teltheory.replay.chains.slots import Slots, first_arrival_ranks
from teltheory.replay.tiers.budgets import Scaled
from teltheory.replay.tiers.chains import policies_of_chains

WHOLE, SAFE = -1, -2
MOST_BY_FORMULA = 2**53 // 1_000 - 1
"""Longest past of which scaled budgets are computed from one slot's past, in floats that are exact."""


class Seen(NamedTuple):
    """What the loops read.

    `full` and `least` have for each tier the row of `kept` that says of each slot what tiers 0 to it hold of that
    at most, overflow or not, and how much of it is no surplus; `WHOLE`: the past, and all of that; `SAFE`: all of
    the past but `safe`, times `up` over `down`, rounded up. `order` has for trimming and for eviction in each tier
    the row of `place`, and of `at`, the slot at each place; the largest goes first; -1: by recency; -2 - row: one
    unit of each after the other, in rounds.
    """

    capacity: IntArray
    inclusive: bool
    history: IntArray
    past: IntArray
    kept: IntArray
    full: IntArray
    least: IntArray
    safe: IntArray
    up: IntArray
    down: IntArray
    place: IntArray
    at: IntArray
    order: IntArray

    @property
    def sizes(self) -> tuple[int, int, int, int]:
        """Turns, tiers, and rows of `kept` and of `place`."""
        return len(self.history), len(self.capacity), len(self.kept), len(self.place)


class Writes(NamedTuple):
    """What the loops write: what turns reuse of each tier, what they add, and what each but the first was sent."""

    cached: IntArray
    written: IntArray
    copied: IntArray


class Stock(NamedTuple):
    """The tiers of some replicas.

    What slots hold in each tier, and how much of that sank there with this turn, both a row a slot; what each
    replica's tiers hold in all; slots that changed; and who waits, two sets for each tier of each replica, as bits
    and a number above which no bit is set.
    """

    held: IntArray
    sunk: IntArray
    used: IntArray
    changed: IntArray
    bits: NDArray[np.uint64]
    high: IntArray


def replay_kernel(instance: Instance, policies: Any, tiers: Tiers) -> Writes:
    """Replay private conversations by the compiled loop; `NotCompiledError` if it does not do what a policy does.

    Raises
    ------
    ArgumentError, ForcedCachingError
        As the plain replay does.
    """
    layout = layout_of(instance, policies, tiers)
    moved = moved_of(len(tiers), len(instance))
    rest = moved, Slots.of(instance).previous, instance.forced
    if walks_forward(layout):
        call("replay_two_tiers_by_recency", layout.sizes, layout, *np.empty((3, len(instance)), np.int64), rest)
    else:
        call("replay_tiers", layout.sizes, layout, empty(layout, 1), rest)
    return Writes(*map(readonly, moved))


def walks_forward(layout: Seen) -> bool:
    """Whether the loop of ``two_by_recency.c`` does what a layout says."""
    if len(layout.capacity) != 2 or (layout.order != -1).any():
        return False
    if layout.least[0] == WHOLE:
        return bool(layout.least[1] == WHOLE) and _grows(layout, layout.full)
    return bool(layout.full[0] == layout.full[1]) and _grows(layout, layout.least)


def _grows(layout: Seen, rows: IntArray) -> bool:
    """Whether the second tier's policy keeps at least what the first's does."""
    first, second = rows.tolist()
    if second == WHOLE or first == second >= 0:
        return True
    if first == second == SAFE:
        scales = layout.up * layout.down[::-1]
        return bool(layout.safe[1] <= layout.safe[0]) and bool(scales[0] <= scales[1])
    return min(first, second) >= 0 and bool((layout.kept[first] <= layout.kept[second]).all())


class JoinedRows:
    """Different arrays, one after the other."""

    def __init__(self, n: int) -> None:
        self.arrays: list[IntArray] = []
        self.n = n

    def of(self, array: IntArray | None) -> int:
        """Return the row of an array, a new one unless it is there; -1 for none."""
        if array is None:
            return -1
        for row, known in enumerate(self.arrays):
            if known is array:
                return row
        self.arrays.append(array)
        return len(self.arrays) - 1

    def stacked(self) -> IntArray:
        """Return all arrays; shape (rows, n)."""
        return readonly(np.array(self.arrays, np.int64).reshape(len(self.arrays), self.n))


def layout_of(instance: Instance, policies: Any, tiers: Tiers, kind: type[Nodes] = Nodes) -> Seen:
    """Ask each tier's policy for its rules, which see nodes of a kind; errors as those of `replay_kernel`."""
    if tiers.keeps_copies and len(tiers) > 1:
        raise NotCompiledError("engine", "kernel", "'reference' for tiers that keep copies")
    slots, n = Slots.of(instance), len(instance.requests)
    every = [Said.of(policy, instance, slots, kind) for policy in policies_of_chains(policies, tiers)]
    for turn in np.flatnonzero(instance.past[:-1] > tiers.capacities[0])[:1].tolist() if instance.forced else ():
        raise ForcedCachingError(turn, int(instance.past[turn]), tiers.capacities[0])
    kept, place = JoinedRows(n), JoinedRows(n)
    full, least = (_column(rows) for rows in zip(*(said.rows(kept) for said in every), strict=True))
    safe, up, down = (_column(numbers) for numbers in zip(*(said.formula for said in every), strict=True))
    order = [said.order(place) for said in every]
    stacked = place.stacked()
    return Seen(
        _column(tiers.capacities),
        tiers.mode == "inclusive",
        instance.history,
        instance.past,
        kept.stacked(),
        full,
        least,
        safe,
        up,
        down,
        stacked,
        readonly(_inverse(stacked)),
        readonly(np.array(list(zip(*order, strict=True)), np.int64)),
    )


def _column(values: Sequence[int]) -> IntArray:
    return readonly(np.array(values, np.int64))


@dataclass(frozen=True)
class Said:
    """What a tier's policy says; `formula` is what is safe of a past, and the scale of budgets as two numbers.

    `ranks` has the order of first arrivals where trimming is in rounds.
    """

    rules: SlotRules
    past: IntArray
    ranks: IntArray | None
    formula: tuple[int, int, int]
    by_formula: bool

    @classmethod
    def of(cls, policy: Any, instance: Instance, slots: Slots, kind: type[Nodes]) -> Said:
        """Ask a policy, for arrays only if no formula says the same."""
        flat, scale = (
            (policy.policy, (policy.of, policy.parts)) if isinstance(policy, Scaled) else (policy, (1, 1))
        )
        rules = rules_of(flat, instance, slots, kind)
        ranks = first_arrival_ranks(instance) if rules.trims and policy.trim == "round-robin" else None
        budget, small = rules.budget, int(instance.past.max(initial=0)) <= MOST_BY_FORMULA
        if isinstance(budget, Deferred) and budget.of is rules.kept is slots.past and small:
            return cls(rules, slots.past, ranks, (min(int(budget.safe), INT64_MAX), *scale), True)
        asked = rules if flat is policy else rules_of(policy, instance, slots, kind)
        return cls(asked, slots.past, ranks, (0, 1, 1), False)

    def order(self, place: JoinedRows) -> tuple[int, int]:
        """Return the rows of trimming and of eviction."""
        keys = self.rules.trimming if self.ranks is None else self.ranks
        trimming, eviction = (place.of(_places(one, place.n)) for one in (keys, self.rules.eviction))
        return trimming if self.ranks is None else -2 - trimming, eviction

    def rows(self, kept: JoinedRows) -> tuple[int, int]:
        """Return the rows of what is kept, and of what is no surplus."""
        rules = self.rules
        if self.by_formula:
            return (SAFE, WHOLE) if rules.eager else (WHOLE, SAFE)
        full = None if rules.full is self.past else rules.full
        return kept.of(full), kept.of(rules.least if rules.trims else None)


def rules_of(policy: Any, instance: Instance, slots: Slots, kind: type[Nodes]) -> SlotRules:
    """Return what a tier's policy says of each slot."""
    if not has_rules(policy):
        raise NotCompiledError("engine", "kernel", f"'reference' for {policy!r}, which the kernel does not run")
    rules = SlotRules.of(policy, instance, slots, kind)
    if rules.trims and policy.trim == "round-robin" and kind is not Nodes:  # first arrivals at each replica
        raise NotCompiledError("engine", "kernel", f"'reference' for {policy!r}, whose trimming is round-robin")
    return rules


def moved_of(tiers: int, n: int) -> Writes:
    """Return what the loop writes, not written yet."""
    return Writes(np.empty((tiers, n), np.int64), np.empty(n, np.int64), np.empty((tiers - 1, n), np.int64))


def empty(layout: Seen, replicas: int) -> Stock:
    """Return empty tiers; the arrays come from numpy, which asks for large pages."""
    n, tiers = len(layout.history), len(layout.capacity)
    sets, words = 2 * tiers * replicas, n // 63 + 12
    return Stock(
        held=np.zeros((n, tiers), np.int64),
        sunk=np.zeros((n, tiers), np.int64),
        used=np.zeros((replicas, tiers), np.int64),
        changed=np.empty((2, n), np.int64),
        bits=np.zeros(sets * words, np.uint64),
        high=np.full(sets, -1, np.int64),
    )


def _places(keys: Keys, n: int) -> IntArray | None:
    return None if constant(keys) else places(keys, n)


def _inverse(place: IntArray) -> IntArray:
    at = np.empty_like(place)
    np.put_along_axis(at, place, np.broadcast_to(np.arange(place.shape[1]), place.shape), axis=1)
    return at
