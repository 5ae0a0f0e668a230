"""What a turn holds over time to keep its SLO: facts for the checks of prices.

A turn that needs a number of units of its past keeps its SLO if and only if all of them are kept for it, each
from when it was last at hand. On a private conversation that is one step for all. On a forest of shared prefixes
(caches with holes) the units of a path were last read by different requests, and what is held for a request grows
towards it. A unit is held for the next request that reads it alone, so nothing is held for two.

This module uses nothing of what makes prices or plans. Steps are those of `teltheory.optimal.parts`.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from teltheory.model.instance import ForestInstance, Instance
from teltheory.optimal.parts import inputs, parts_read, totals


class Staircase(NamedTuple):
    """What a turn, counted from 0, holds: ``units[i]`` more from step ``first[i]`` on; all up to step `last`.

    `first` ascends; what begins after `last` takes no room at all.
    """

    turn: int
    first: tuple[int, ...]
    units: tuple[int, ...]
    last: int

    def at(self, step: int) -> int:
        """Return what is held at a step."""
        within = zip(self.first, self.units, strict=True)
        return sum(units for first, units in within if first <= step <= self.last)

    def fits(self, room: list[int]) -> bool:
        """Return whether it fits alone, ``room[t]`` at step t."""
        held, beyond = 0, (*self.first[1:], self.last + 1)
        for first, units, end in zip(self.first, self.units, beyond, strict=True):
            held += units
            if first <= self.last and held > min(room[first:end], default=held):
                return False
        return True


def staircases(instance: Instance | ForestInstance, xi: int) -> Iterator[Staircase]:
    """Yield those of the turns above xi without a cache that need no more than was ever there; turns ascend."""
    parts, need = parts_read(instance), totals(instance) - xi
    need = np.where(need <= inputs(instance), need, 0)
    units, together = parts.within(need), np.zeros(len(need), np.int64)
    np.add.at(together, parts.turn, units)
    some = np.flatnonzero((units > 0) & (together == need)[parts.turn])
    some = some[np.lexsort((parts.first[some], parts.turn[some]))]
    turn, first, amount = (column[some].tolist() for column in (parts.turn, parts.first, units))
    starts = np.flatnonzero(np.diff(parts.turn[some], prepend=-1)).tolist()
    for low, high in pairwise([*starts, len(some)]):
        yield Staircase(turn[low], tuple(first[low:high]), tuple(amount[low:high]), turn[low] + 1)
