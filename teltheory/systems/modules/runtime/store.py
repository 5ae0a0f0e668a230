"""A store of items in two tiers of memory, each with a budget in bytes that holds at every instant.

1. An item is in one tier or in none. A prompt's items are *pinned* while it runs: they are not evicted.
2. A pinned item in the slow tier is copied to the fast one. Room is made first; during a copy both tiers count it.
3. Room is made by evicting unpinned items in the order of a policy. What the fast tier loses is copied to the slow
   one if room can be made there, else it is gone; what the slow one loses is gone, and encoded anew on its next
   use.
4. An item for which no room can be made in the fast tier, as it is too large or pinned items fill it, stays in or
   goes to the slow one; if there is no room either, it is used once and not kept.

While the items of each prompt fit in the fast tier, this is forced caching as docs/module-sets.md has it. What a
pass computes, and the memory in which a prompt's keys and values are put behind each other, are no part of a tier.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from typing import Generic, Protocol, TypeVar

from teltheory.errors import ArgumentError
from teltheory.model.numbers import whole_number
from teltheory.policies import LRU, AnyPolicy
from teltheory.systems.modules.runtime.eviction import TIERS, Entry, Order, Tier


class Sized(Protocol):
    """What takes memory."""

    @property
    def nbytes(self) -> int:
        """Its bytes."""
        ...


K = TypeVar("K", bound=Hashable)
V = TypeVar("V", bound=Sized)


class ItemStore(Generic[K, V]):
    """Items in two tiers.

    Parameters
    ----------
    fast, slow : int or None
        Bytes of each tier; None: no bound.
    policy : policy
        Says what is evicted first: one with rules (LRU, LFU, T-LRU, ...), or GDSF.
    move : callable
        ``move(value, tier)`` returns a value in a tier. It must not call the store's methods that change it.

    Attributes
    ----------
    used : dict of int
        Bytes of each tier, "fast" and "slow", that are taken or reserved.
    copied : int
        Bytes copied between tiers so far.
    """

    def __init__(
        self,
        fast: int | None = None,
        slow: int | None = None,
        policy: AnyPolicy = LRU(),  # noqa: B008 (a frozen value)
        move: Callable[[V, Tier], V] = lambda value, tier: value,
    ) -> None:
        given = {"fast": fast, "slow": slow}
        self.budgets = {tier: whole_number(tier, given[tier]) for tier in TIERS if given[tier] is not None}
        self.used: dict[Tier, int] = dict.fromkeys(TIERS, 0)
        self.copied = 0
        self._order, self._move = Order(policy), move
        self._entries: dict[K, Entry] = {}
        self._pinned: frozenset[K] = frozenset()
        self._uses = 0

    def where(self, item: K) -> Tier | None:
        """Return the tier that an item is in."""
        entry = self._entries.get(item)
        return None if entry is None or entry.held is None else entry.tier

    def items(self) -> dict[K, Tier]:
        """Return the items that are kept, and where."""
        found = ((item, self.where(item)) for item in self._entries)
        return {item: tier for item, tier in found if tier is not None}

    @contextmanager
    def pinned(self, sizes: Mapping[K, int]) -> Iterator[None]:
        """Pin a prompt's items, which it uses in this order; the values are their tokens, 1 or more."""
        if self._pinned:
            raise ArgumentError("sizes", list(sizes), "no prompt while another one runs")
        self._pinned, ahead = frozenset(sizes), sum(sizes.values())
        for item, size in sizes.items():
            ahead -= size
            self._use(item, size, sum(sizes.values()), ahead)
        try:
            self._drop_unwanted()
            yield
        finally:
            for item in sizes:
                self._release(self._entries[item])
            self._pinned = frozenset()

    def fetch(self, item: K) -> V | None:
        """Return a pinned item, copied to the fast tier if room can be made there; None if it is not kept."""
        entry = self._of(item)
        if entry.tier == "slow" and self._make_room("fast", entry.nbytes):
            self._copy(entry, "fast")
        held: V | None = entry.held
        return held

    def reserve(self, item: K, nbytes: int, cost: int) -> Tier | None:
        """Make room for a pinned item before it is computed.

        Parameters
        ----------
        item : hashable
            The item, which is in no tier.
        nbytes : int
            What it will take.
        cost : int
            Tokens that computing it takes; GDSF looks at it.

        Returns
        -------
        tier : {"fast", "slow"} or None
            Where its room is; None: it will not be kept.
        """
        entry = self._of(item)
        if entry.tier is not None:
            raise ArgumentError("item", item, "one that is in no tier")
        entry.tier = next((tier for tier in TIERS if self._make_room(tier, nbytes)), None)
        if entry.tier is not None:
            self.used[entry.tier] += nbytes
            entry.nbytes, entry.cost, entry.cached = nbytes, cost, entry.past
        return entry.tier

    def put(self, item: K, value: V) -> None:
        """Keep a pinned item in the room that was reserved for it; without room it is not kept."""
        entry = self._of(item)
        if entry.tier is None:
            return
        if value.nbytes != entry.nbytes:
            raise ArgumentError("value", f"{value.nbytes} bytes", f"the {entry.nbytes} that were reserved")
        entry.held = self._move(value, entry.tier) if entry.tier == "slow" else value
        self.copied += entry.nbytes if entry.tier == "slow" else 0

    def forget(self, item: K) -> None:
        """Free an item that is not pinned, wherever it is."""
        if item in self._pinned:
            raise ArgumentError("item", item, "one that no running prompt uses")
        if item in self._entries:
            self._free(self._entries.pop(item))

    def _of(self, item: K) -> Entry:
        if item not in self._pinned:
            raise ArgumentError("item", item, "one that is pinned")
        return self._entries[item]

    def _use(self, item: K, size: int, asked: int, ahead: int) -> None:
        if item not in self._entries:
            self._entries[item] = Entry(len(self._entries), size, 0, None, len(self._entries))
        entry = self._entries[item]
        resident = entry.tier is not None
        entry.since, entry.reads = (entry.since, entry.reads + 1) if resident else (self._uses, 1)
        entry.last, entry.hits, entry.asked, entry.ahead = self._uses, entry.hits + 1, asked, ahead
        self._uses += 1

    def _release(self, entry: Entry) -> None:
        if entry.held is None:
            self._free(entry)
        self._order.entered(entry)

    def _drop_unwanted(self) -> None:
        for item, entry in self._entries.items():
            if entry.tier is not None and item not in self._pinned and self._order.unwanted(entry):
                self._free(entry)

    def _make_room(self, tier: Tier, nbytes: int) -> bool:
        """Evict from a tier until it has room for some bytes; evict nothing if that is not enough."""
        if tier not in self.budgets:
            return True
        budget, inside = self.budgets[tier], self._inside(tier)
        if nbytes > budget - self.used[tier] + sum(entry.nbytes for entry in inside):
            return False
        for entry in sorted(inside, key=self._order.key):
            if self.used[tier] + nbytes <= budget:
                break
            self._evict(entry)
        return True

    def _inside(self, tier: Tier) -> list[Entry]:
        return [entry for item, entry in self._entries.items() if entry.tier == tier and item not in self._pinned]

    def _evict(self, entry: Entry) -> None:
        self._order.left(entry)
        if entry.tier == "fast" and self._make_room("slow", entry.nbytes):
            self._copy(entry, "slow")
            self._order.entered(entry)
        else:
            self._free(entry)

    def _copy(self, entry: Entry, to: Tier) -> None:
        """Copy an item to another tier, in which there is room; both count it until it is there."""
        assert entry.tier is not None
        self.used[to] += entry.nbytes
        try:
            entry.held = self._move(entry.held, to)
        except BaseException:
            self.used[to] -= entry.nbytes
            raise
        self.used[entry.tier] -= entry.nbytes
        self.copied += entry.nbytes
        entry.tier = to

    def _free(self, entry: Entry) -> None:
        if entry.tier is not None:
            self.used[entry.tier] -= entry.nbytes
        entry.tier, entry.held, entry.nbytes, entry.cached = None, None, 0, 0
