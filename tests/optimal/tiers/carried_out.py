"""A plan for tiers, carried out unit by unit as docs/proofs-tiers.md proves that it can be.

A unit is needed in the tier that its next turn is to find it in, or in none. A tier that holds more than its
capacity loses what is needed in the slowest tier first, the end of each conversation's part first, to the next.
"""

import numpy as np

from teltheory.model.instance import Instance
from teltheory.model.numbers import IntArray
from teltheory.model.tiers import Tiers

Unit = tuple[int, int]
"""A conversation, and how many units lie above."""


def carried_out(instance: Instance, tiers: Tiers, plan: IntArray) -> IntArray:
    """Return what each turn meets in each tier; a unit that sinks below where it is needed is an error."""
    held, needed = np.cumsum(plan, axis=0), dict[Unit, int]()
    place: dict[Unit, int] = {}
    met = np.zeros_like(plan)
    following = instance.requests.next_turn.tolist()
    for k, theta in enumerate(instance.requests.code.tolist()):
        for unit in [unit for unit in place if unit[0] == theta]:
            if unit[1] < instance.history[k]:
                met[place[unit], k] += 1
            del place[unit], needed[unit]
        wanted = held[:, following[k]] if 0 <= following[k] < len(instance) else np.zeros(len(tiers), np.int64)
        for depth in range(int(instance.past[k])):
            place[theta, depth] = 0
            needed[theta, depth] = int((wanted <= depth).sum())
        for tier, capacity in enumerate(tiers.capacities):
            _cut(tier, capacity, place, needed, tiers.mode == "inclusive", theta if instance.forced else -1)
        for unit in [unit for unit, tier in place.items() if tier == len(tiers)]:
            del place[unit], needed[unit]
    return met


def _cut(
    tier: int, capacity: int, place: dict[Unit, int], needed: dict[Unit, int], inclusive: bool, stays: int
) -> None:
    inside = [unit for unit, at in place.items() if at == tier or (inclusive and at < tier)]
    may_go = [unit for unit in inside if place[unit] == tier and (unit[0] != stays or tier > 0)]
    may_go.sort(key=lambda unit: (needed[unit], unit[1]), reverse=True)
    for unit in may_go[: max(0, len(inside) - capacity)]:
        assert needed[unit] > tier, f"{unit} is needed in tier {needed[unit]}"
        place[unit] += 1
