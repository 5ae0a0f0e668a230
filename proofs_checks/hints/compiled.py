"""A claim on hints in C (``teltheory/claims/compiled/hints.c``), for many more cases, and for random ones."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from proofs_checks.hints.drawn import ANYTHING, RandomHints, shapes_of
from proofs_checks.hints.worlds import COLUMNS, USES, HintedCase, Messages, SmallHints, sorted_shapes
from teltheory.base.loops import call
from teltheory.claims.comparison import Tally
from teltheory.claims.forests import Shape
from teltheory.model.numbers import IntArray

CACHES, MARKS = ("strict", "holes"), ("high-water", "last", "resident")
RELATIONS, COMPARED = ("safe", "each", "same", "in all"), ("misses", "excess", "excess, LRU")
"""As ``hints.c`` numbers them."""
ANY = -1


@dataclass(frozen=True)
class CompiledHints:
    """How two runs compare, compiled, and the cases on which it is run.

    `compared` is what runs miss, or their excess with an estimate that covers each new part, of one policy or of
    T-LRU against LRU; `drawn` is what random worlds are told.
    """

    relation: str
    worlds: SmallHints
    compared: str = "misses"
    drawn: RandomHints = ANYTHING

    @property
    def plan(self) -> IntArray:
        """Kind of cache, mark, whether caching is forced, how runs compare, levels, and what is compared."""
        worlds = self.worlds
        codes = CACHES.index(worlds.cache), MARKS.index(worlds.mark), worlds.forced, RELATIONS.index(self.relation)
        return np.array((*codes, worlds.levels, COMPARED.index(self.compared)), np.int64)

    def tally(self, requests: int, blocks: int) -> Tally[HintedCase]:
        """Check every case of a class."""
        some, told = sorted_shapes(requests, blocks), self.worlds.listed(requests)
        if not some or not told:
            return Tally()
        rows = np.array([one.numbers(ANY, ANY) for one in told], np.int64)
        return self._tally(requests, blocks, _columns(some), rows, each=False)

    def tally_random(self, rng: np.random.Generator, requests: int, blocks: int, number: int) -> Tally[HintedCase]:
        """Check so many random worlds of one size, each in one room and at one level."""
        shapes = shapes_of(rng, number, requests, blocks)
        return self._tally(requests, blocks, shapes, self.drawn.told(rng, number, requests), each=True)

    def random_case(self, rng: np.random.Generator, requests: int, blocks: int) -> HintedCase:
        """Return a random world in a room that holds each path, at a level of its depth at most."""
        (parent,), (leaf,) = shapes_of(rng, 1, requests, blocks)
        (row,) = self.drawn.told(rng, 1, requests)
        case = self.case_of(parent, leaf, row, int(row[2]), 0)
        depth, least = max(case.shape.ends), int(self.compared != "misses")
        room = max(case.capacity, depth) if self.worlds.forced else case.capacity
        level = max(least, int(row[3]) % (depth + 1)) if self.worlds.levels else 0
        return replace(case, capacity=room, level=level)

    def _tally(
        self, requests: int, blocks: int, shapes: tuple[IntArray, IntArray], rows: IntArray, each: bool
    ) -> Tally[HintedCase]:
        totals, first = np.zeros(3, np.int64), np.zeros(4, np.int64)
        sizes = self.plan, requests, blocks, len(shapes[0])
        call("tally_hints", *sizes, *shapes, len(rows), rows, each, totals, first)
        (within, refuting, values), (room, level, shape, row) = totals.tolist(), first.tolist()
        found = (shapes[0][shape], shapes[1][shape], rows[row])
        return Tally(within, refuting, values % (1 << 64), self.case_of(*found, room, level) if refuting else None)

    def case_of(self, parent: IntArray, leaf: IntArray, row: IntArray, room: int, level: int) -> HintedCase:
        """Return a case from rows of numbers."""
        uses = [tuple(name for i, name in enumerate(USES) if code >> i & 1) for code in row[:2].tolist()]
        columns = dict(zip(COLUMNS, map(tuple, row[4:].reshape(-1, len(leaf)).tolist()), strict=True))
        worlds, shape = self.worlds, Shape(tuple(parent.tolist()), tuple(leaf.tolist()))
        told = Messages(use=uses[0], other_use=uses[1], **columns)
        return HintedCase(shape, told, room, level, worlds.forced, worlds.cache, worlds.mark)

    def judged(self, case: HintedCase) -> tuple[bool, list[int]]:
        """Return whether a case refutes, and its values."""
        n, blocks = len(case.shape.leaf), len(case.shape.parent)
        row, values = np.array(case.told.numbers(case.capacity, case.level), np.int64), np.zeros(3 * n, np.int64)
        answer = call("judge_hints", self.plan, n, blocks, *_columns((case.shape,)), row, values)
        width = 3 * n if self.relation == "safe" else 2 * n + (self.relation == "in all")
        return answer == 0, values[:width].tolist()

    def weighed(self, case: HintedCase, values: Iterable[int]) -> int:
        """Return what the values of a case, in a row, add to the sum of a tally."""
        weight = 1 + case.capacity + 31 * case.level
        return weight * sum(place * value for place, value in enumerate(values, start=1))


def _columns(some: Iterable[Shape]) -> tuple[IntArray, IntArray]:
    return np.array([one.parent for one in some], np.int64), np.array([one.leaf for one in some], np.int64)
