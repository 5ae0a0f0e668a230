"""The optimum of tiny forests in tiers by trying every place of every unit: the judge of forests in tiers.

Written from the problem's description, as `teltheory.optimal.tiers.brute_force` is for private conversations. A
content says of each unit in which tier it is, or that it is in none. Forests are meant by units: a node is one.

1. A request reuses the leading units of its input that any tier has, and pays the excess that is left.
2. Then all of its path is in the first tier.
3. Then any unit may go to a slower tier or be lost, as long as every tier has room. In a strict cache no unit is
   in a faster tier than its parent. Under forced caching the path of the last request stays in tier 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import accumulate, takewhile

from teltheory.model.forest import Forest
from teltheory.model.instance import ForestInstance
from teltheory.model.tiers import Tiers
from teltheory.optimal.tiers.brute_force import excess

Places = tuple[int, ...]
"""The tier of each unit, or the number of tiers if it is in none."""


def least_tel_of_forest(
    forest: Forest, tiers: Tiers, xi: int, forced: bool = False, strict: bool = True
) -> Fraction:
    """Return the least TEL of any policy; for some six requests and five units.

    Parameters
    ----------
    forest : Forest
        Requests; the tiers are empty at first.
    tiers : Tiers
        Exclusive or inclusive, and loading of either kind.
    xi : int
        The threshold.
    forced : bool
        Forced caching.
    strict : bool
        Whether the cache is closed towards the root, or one with holes.
    """
    instance = ForestInstance.of(forest.by_units(), tiers.capacities[0], forced=forced)
    values: dict[Places, Fraction] = {(len(tiers),) * instance.requests.nodes: Fraction(0)}
    for k in range(len(instance)):
        arrived: dict[Places, Fraction] = {}
        for places, value in values.items():
            paid = value + _pays(places, instance, tiers, k, xi)
            at_hand = _at_hand(places, instance, k)
            arrived[at_hand] = min(paid, arrived.get(at_hand, paid))
        values = _after(arrived, instance, tiers, k, strict)
    return min(values.values())


def _pays(places: Places, instance: ForestInstance, tiers: Tiers, k: int, xi: int) -> Fraction:
    """Return the excess of a request that finds units in these places."""
    forest = instance.requests
    asked = (places[node] for node in forest.path(k)[: forest.ask[k]])
    found = list(takewhile(lambda tier: tier < len(tiers), asked))
    return excess(int(forest.total[k]), tuple(found.count(tier) for tier in range(len(tiers))), tiers, xi)


def _at_hand(places: Places, instance: ForestInstance, k: int) -> Places:
    path = set(instance.requests.path(k))
    return tuple(0 if node in path else tier for node, tier in enumerate(places))


def _after(
    arrived: dict[Places, Fraction], instance: ForestInstance, tiers: Tiers, k: int, strict: bool
) -> dict[Places, Fraction]:
    """Return every content that may follow request k, and what it costs at least so far."""
    if k == len(instance) - 1:
        return arrived
    stay = set(instance.requests.path(k)) if instance.forced else set()
    after: dict[Places, Fraction] = {}
    for at_hand, paid in arrived.items():
        for places in _sunk(at_hand, stay, len(tiers)):
            if _fits(places, tiers) and (not strict or _is_closed(places, instance.requests)):
                after[places] = min(paid, after.get(places, paid))
    return after


def _sunk(at_hand: Places, stay: set[int], tiers: int, node: int = 0) -> Iterator[Places]:
    """Yield the places of units from `node` on, each where it was or slower."""
    if node == len(at_hand):
        yield ()
        return
    for tier in range(at_hand[node], at_hand[node] + 1 if node in stay else tiers + 1):
        for others in _sunk(at_hand, stay, tiers, node + 1):
            yield (tier, *others)


def _fits(places: Places, tiers: Tiers) -> bool:
    held = [places.count(tier) for tier in range(len(tiers))]
    taken = accumulate(held) if tiers.mode == "inclusive" else held
    return all(units <= room for units, room in zip(taken, tiers.capacities, strict=True))


def _is_closed(places: Places, forest: Forest) -> bool:
    return all(above < 0 or places[above] <= places[node] for node, above in enumerate(forest.parent.tolist()))
