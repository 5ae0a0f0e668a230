"""The optimum of tiny traces of module sets by trying every content of the cache after every request.

This is the judge of everything else in this folder, so it shares nothing with it but the trace, and it is written
from the problem's description. A content says of each item how many units of it each tier holds, the first ones in
the first tier, the next in the second, and so on; a cache is one tier.

1. A request reuses what the tiers hold of its items, and pays the excess of what that leaves.
2. Then all of its items are whole in the first tier.
3. Then any unit may go to a slower tier or be lost, if of its item's units those behind it do so as well. Every
   tier holds no more than its capacity; if tiers are inclusive, with copies of what the tiers before hold. Under
   forced caching the items of the request stay in the first tier. If items go whole, each is in one tier or none.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from teltheory.model.module_trace import ModuleTrace
from teltheory.model.tiers import Tiers, tiers_of
from teltheory.optimal.tiers.brute_force import Content, Held, excess, sunk

Cost = Callable[[int, Held], Fraction]
"""Of a request, by its number and what it reuses of each tier."""


def least_tel(
    trace: ModuleTrace, capacity: int | Tiers, xi: int, forced: bool = False, whole: bool = False
) -> Fraction:
    """Return the least TEL of any policy; for some five requests of a few units.

    Parameters
    ----------
    trace : ModuleTrace
        The requests; the cache is empty at first.
    capacity : int or Tiers
        Units of the cache, or tiers, exclusive or inclusive, and loading of either kind.
    xi : int
        The threshold.
    forced : bool
        Forced caching.
    whole : bool
        Whether items are kept whole or not at all.
    """
    tiers = tiers_of(capacity)
    total = trace.total.tolist()
    return least_cost(trace, tiers, lambda k, reused: excess(total[k], reused, tiers, xi), forced, whole)


def least_cost(
    trace: ModuleTrace, tiers: Tiers, cost: Cost, forced: bool = False, whole: bool = False
) -> Fraction:
    """Return the smallest sum over requests of ``cost(request, reused)`` that any policy reaches."""
    values: dict[Content, Fraction] = {((0,) * len(tiers),) * len(trace.sizes): Fraction(0)}
    for k in range(len(trace)):
        items = set(trace.items(k).tolist())
        arrived: dict[Content, Fraction] = {}
        for content, value in values.items():
            paid = value + cost(k, tuple(sum(content[i][tier] for i in items) for tier in range(len(tiers))))
            at_hand = _at_hand(content, trace, items)
            arrived[at_hand] = min(paid, arrived.get(at_hand, paid))
        if k == len(trace) - 1:
            return min(arrived.values())
        values = {}
        for at_hand, paid in arrived.items():
            for after in sunk(at_hand, tiers, items if forced else (), whole):
                values[after] = min(paid, values.get(after, paid))
    return Fraction(0)


def _at_hand(content: Content, trace: ModuleTrace, items: set[int]) -> Content:
    """Return a content with these items whole in the first tier."""
    sizes = trace.sizes.tolist()
    return tuple((sizes[i], *(0 for _ in held[1:])) if i in items else held for i, held in enumerate(content))
