"""Every capacity of a forest at once: how many units precede each run of a path in the order of what goes last.

*Ranking.* All units that a policy of the loop by recency keeps (`teltheory.replay.trees.recency`; high-water
marks, optional caching, an empty start), best first: units within their budgets before surplus, in either class
those of a later last request first, of one path the shallow first. Nothing in it depends on the capacity C.

*Lemma. After each cut the cache is the first C units of the ranking.* By induction over requests. At the cut of
request k available are the first C units of the ranking before, and the whole path of k. What the policy does not
keep of the path goes at this cut, and is in no ranking; elsewhere no mark changed. Let x be among the first C now.
If it is on the path, it is available. If not, it has its old class and last request, and all that preceded it
before still does: what is not on the path stands to x as it stood; of what is, the last request is k now, later
than that through x, and what was within a budget still is, as marks only grow, and with them budgets; what was
surplus preceded x only as x is surplus too. So x was among the first C before, and is available. So all first C
are available, and the cut, which removes from the end, keeps them.

So the run of a path from depth a to b, whose slot s keeps `least` within budgets and `full` at all, reuses two
segments: the depths (a, min(b, least)] begin at the rank of all budgets in later slots, and (max(a, least),
min(b, full)] at that of all budgets and the surpluses of later slots. At capacity C a segment (start, length)
reuses clip(C - start, 0, length). Ranks rise along a path, so what is reused is a prefix by itself.

One tree of sums per class (`teltheory.replay.occupancy`); O(log distance) for each run.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from teltheory.model.forest import Forest
from teltheory.model.numbers import IntArray, readonly
from teltheory.model.outcome import Outcome
from teltheory.replay.chains.segments import Ladder, note_change, rung
from teltheory.replay.compiled import compiled
from teltheory.replay.occupancy import add_slot, new_sums, take
from teltheory.replay.trees.recency import KeptPaths
from teltheory.replay.trees.runs import Runs


class PathSegments(NamedTuple):
    """The segments of all paths, by depth; those of request k are `offset[k]` to `offset[k + 1]`."""

    offset: IntArray
    start: IntArray
    length: IntArray

    def outcome(self, forest: Forest, capacity: int) -> Outcome:
        """Return what each request reuses, computes and adds at one capacity."""
        cached, written = (np.empty(len(forest), np.int64) for _ in range(2))
        _reused_at(self, forest.ask, Runs.of(forest).end, capacity, cached, written)
        reused, computed, added = map(readonly, (cached, forest.total - cached, written))
        return Outcome(reused, computed, added, forest.inputs, forest.block_size)

    def reuse_changes(self, forest: Forest, xi: int, rungs: Ladder) -> IntArray:
        """Return where what lowers a request's excess above xi begins and ends, by capacities."""
        return _reuse_changes(self, forest.ask, forest.total, xi, rungs)

    def violation_ends(self, forest: Forest, xi: int, rungs: Ladder) -> IntArray:
        """Return how many requests no longer exceed xi from each capacity on; last, how many do at all of them."""
        return _violation_ends(self, forest.ask, forest.total, xi, rungs)


def path_segments(forest: Forest, kept: KeptPaths) -> PathSegments:
    """Return the segments of a forest, given what a policy keeps of each path by high-water marks."""
    runs, n = Runs.of(forest), len(forest)
    classes = 1 if kept.least is None else 2
    offset = np.zeros(n + 1, np.int64)
    start, length = (np.empty(classes * len(runs.slot), np.int64) for _ in range(2))
    sums, others = (new_sums(n if used else 0, 1) for used in (True, classes == 2))
    found = _distances(runs, kept.full, kept.least, sums, others, offset, start, length)
    return PathSegments(*map(readonly, (offset, start[:found], length[:found])))


@compiled
def _distances(
    runs: Runs,
    full: IntArray,
    least: IntArray | None,
    sums: IntArray,
    others: IntArray,
    offset: IntArray,
    start: IntArray,
    length: IntArray,
) -> int:
    """Write the segments of every request; return how many there are."""
    _, begin, slot, to = runs
    found = budgets = 0
    for k in range(len(full)):
        above = gone = lost = 0  # lost of budgets and of surpluses to this request, which are still in the ranks
        for j in range(begin[k], begin[k + 1]):
            s, below = slot[j], to[j]
            within = max(min(below, full[s] if least is None else least[s]) - above, 0)
            if within > 0:
                start[found], length[found] = gone + take(sums, s, within, k), within
                gone += within
                found += 1
            if least is not None:
                surplus = max(min(below, full[s]) - max(above, least[s]), 0)
                if surplus > 0:
                    start[found], length[found] = budgets + lost + take(others, s, surplus, k), surplus
                    lost += surplus
                    found += 1
            above = below
        offset[k + 1] = found
        if least is None:
            add_slot(sums, k, full[k])
        else:
            budgets += least[k] - gone
            add_slot(sums, k, least[k])
            add_slot(others, k, full[k] - least[k])
    return found


@compiled
def _reused_at(
    segments: PathSegments, ask: IntArray, end: IntArray, capacity: int, cached: IntArray, written: IntArray
) -> None:
    """Write what each request reuses and adds at one capacity."""
    offset, start, length = segments
    for k in range(len(ask)):
        held = 0
        for j in range(offset[k], offset[k + 1]):
            held += min(max(capacity - start[j], 0), length[j])
        cached[k] = min(held, ask[k])
        written[k] = end[k] - held


@compiled
def _reuse_changes(segments: PathSegments, ask: IntArray, total: IntArray, xi: int, rungs: Ladder) -> IntArray:
    """Return which segments begin (+) or end (-) at or before each capacity and after the one below it."""
    offset, start, length = segments
    changes = np.zeros((len(rungs.capacities) + 1, 3), np.int64)
    most = rungs.capacities[-1]
    for k in range(len(ask)):
        counts = min(total[k] - xi, ask[k])
        for j in range(offset[k], offset[k + 1]):
            lowers = min(length[j], counts)
            if lowers <= 0 or start[j] >= most:
                break
            note_change(changes, rungs, start[j], 1)
            note_change(changes, rungs, start[j] + lowers, -1)
            counts -= lowers
    return changes


@compiled
def _violation_ends(segments: PathSegments, ask: IntArray, total: IntArray, xi: int, rungs: Ladder) -> IntArray:
    """Return how many requests no longer exceed xi from each capacity on; last, how many do at all of them."""
    offset, start, length = segments
    ends = np.zeros(len(rungs.capacities) + 1, np.int64)
    for k in range(len(ask)):
        excess = total[k] - xi
        if excess <= 0:
            continue
        place = len(rungs.capacities)
        for j in range(offset[k], offset[k + 1] if excess <= ask[k] else offset[k]):
            if excess <= length[j]:
                place = rung(rungs, start[j] + excess)
                break
            excess -= length[j]
        ends[place] += 1
    return ends
