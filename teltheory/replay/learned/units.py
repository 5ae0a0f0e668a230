"""The learnt order on a forest, unit by unit: what the reference replays, and the loop is judged by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.model.instance import ForestInstance
from teltheory.model.numbers import FloatArray, IntArray
from teltheory.policies.learned.hazards import Estimates, WatchedVisits, cells, tag_numbers, tags_of
from teltheory.policies.learned.scores import Steps
from teltheory.policies.policy import LeastRecentlyUsed


@dataclass(frozen=True)
class RequestFacts:
    """What of each request cells go by, and when it arrived, in seconds since the first one."""

    number: IntArray
    prompt: IntArray
    tag: IntArray
    time: FloatArray

    @classmethod
    def of(cls, instance: ForestInstance, paths: Sequence[Sequence[int]]) -> RequestFacts:
        """Look at requests; the number is how many places of its path were an earlier one's end."""
        forest, ends, number = instance.requests, set[int](), list[int]()
        if forest.arrival is None:
            raise ArgumentError("forest", "no arrival times", "arrival times, from which returns are learnt")
        for path in paths:
            number.append(len(ends.intersection(path)))
            ends.update(path[-1:])
        prompt, time = instance.total - instance.known, np.asarray(forest.arrival - forest.arrival[:1], np.float64)
        return cls(np.array(number, np.int64), prompt, tag_numbers(forest.hints, len(forest)), time)

    def cell(self, hits: int, request: int) -> int:
        """Return the cell of a unit that so many requests went through, the last of them by number."""
        number = np.maximum(hits - 1, self.number[request])
        return int(cells(number, self.prompt[request], self.tag[request]))


def learnt_units(xi: int, instance: ForestInstance) -> Callable[[int], LeastRecentlyUsed]:
    """Return the rules of the learnt order after each request of a forest."""
    forest = instance.by_units().requests
    paths = [forest.path(k) for k in range(len(forest))]
    facts = RequestFacts.of(instance, paths)
    learnt = Estimates.of(watched_units(paths, facts), np.where(instance.known > 0, facts.prompt, -1))
    laws = [Steps(learnt.first.tolist(), log) for log in learnt.law.tolist()]
    return lambda request: LearntUnits(xi, request, learnt, laws, facts)


def watched_units(paths: Sequence[Sequence[int]], facts: RequestFacts) -> WatchedVisits:
    """Return what estimates look at, each unit an item."""
    hits, last, previous, cell = Counter[int](), dict[int, int](), list[int](), list[int]()
    for k, path in enumerate(paths):
        for node in path:
            hits[node] += 1
            cell.append(facts.cell(hits[node], k))
            previous.append(last.get(node, -1))
            last[node] = len(previous) - 1
    start = np.cumsum([0, *map(len, paths)])
    columns = np.array(previous, np.int64), np.array(cell, np.int64)
    return WatchedVisits(start, *columns, facts.time, tags_of(facts.tag))


@dataclass(frozen=True)
class LearntUnits(LeastRecentlyUsed):
    """The rules after a request: what has the smallest score goes first."""

    xi: int
    request: int
    learnt: Estimates
    laws: Sequence[Steps]
    facts: RequestFacts

    def eviction_key(self, unit: Any) -> float:  # type: ignore[override]
        """Return the log of a unit's score; of the initial cache it counts as first walked at time 0."""
        last, since = unit.last, 0.0
        if last >= 0:
            cell, since = self.facts.cell(unit.hits, last), self.facts.time[last]
        else:
            cell = int(cells(np.array(0), np.array(unit.past)))
        worth = self.learnt.at(self.request, np.array(cell), self.facts.time[self.request] - since)
        law = self.laws[self.learnt.table[self.request]]
        return float(worth + law.at(unit.place - unit.past + self.xi))
