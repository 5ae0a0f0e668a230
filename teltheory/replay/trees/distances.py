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

One tree of sums per class (``occupancy.h``); O(log distance) for each run.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from teltheory.base.loops import call
from teltheory.model.forest import Forest
from teltheory.model.numbers import IntArray, readonly
from teltheory.model.outcome import Outcome
from teltheory.replay.chains.segments import Ladder
from teltheory.replay.trees.recency import KeptPaths
from teltheory.replay.trees.runs import Runs


class PathSegments(NamedTuple):
    """The segments of all paths, by depth; those of request k are `offset[k]` to `offset[k + 1]`."""

    offset: IntArray
    start: IntArray
    length: IntArray

    @property
    def sizes(self) -> tuple[int, int]:
        """How many requests, and how many segments."""
        return len(self.offset) - 1, len(self.start)

    def outcome(self, forest: Forest, capacity: int) -> Outcome:
        """Return what each request reuses, computes and adds at one capacity."""
        cached, written = (np.empty(len(forest), np.int64) for _ in range(2))
        call("paths_at", *self.sizes, *self, forest.ask, Runs.of(forest).end, capacity, cached, written)
        reused, computed, added = map(readonly, (cached, forest.total - cached, written))
        return Outcome(reused, computed, added, forest.inputs, forest.block_size)

    def reuse_changes(self, forest: Forest, xi: int, rungs: Ladder) -> IntArray:
        """Return where what lowers requests' excess begins and ends, and all excess, as `Segments` do."""
        sizes = len(rungs.capacities)
        changes = np.zeros((sizes + 1, 3), np.int64)
        call("path_reuse_changes", *self.sizes, *self, forest.ask, forest.total, xi, sizes, *rungs, changes)
        return changes

    def violation_ends(self, forest: Forest, xi: int, rungs: Ladder) -> IntArray:
        """Return how many requests no longer exceed xi from each capacity on; last, how many do at all of them."""
        sizes = len(rungs.capacities)
        ends = np.zeros(sizes + 1, np.int64)
        call("path_violation_ends", *self.sizes, *self, forest.ask, forest.total, xi, sizes, *rungs, ends)
        return ends


def path_segments(forest: Forest, kept: KeptPaths) -> PathSegments:
    """Return the segments of a forest, given what a policy keeps of each path by high-water marks."""
    runs, n = Runs.of(forest), len(forest)
    classes = 1 if kept.least is None else 2
    offset, sums = np.empty(n + 1, np.int64), [np.empty(4 * n + 4, np.int64) for _ in range(classes)]
    start, length = (np.empty(classes * len(runs.slot), np.int64) for _ in range(2))
    room = len(start), start, length
    found = call("path_distances", runs.sizes, *runs[1:], kept, sums[0], sums[-1], offset, room)
    return PathSegments(*map(readonly, (offset, start[:found], length[:found])))
