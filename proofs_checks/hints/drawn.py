"""Random forests whose requests tell hints, many at once, as ``teltheory/claims/compiled/hints.c`` takes them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from proofs_checks.hints.worlds import COLUMNS, NEVER, RELEASE, Use, code_of
from teltheory.model.numbers import IntArray

Rng: TypeAlias = np.random.Generator
Columns: TypeAlias = dict[str, IntArray]
AGENTS, MOST_BLOCKS, LATEST = 3, 7, 6


@dataclass(frozen=True)
class RandomHints:
    """What is drawn beside shapes, times, agents and ends.

    `uses` are pairs of what either run uses. `tell(rng, columns)` fills in `at` and `value`, `other(rng, columns)`
    the ends in the run that is compared.
    """

    uses: tuple[tuple[Use, Use], ...] = tuple((use, ()) for use in RELEASE)
    tell: Callable[[Rng, Columns], None] | None = None
    other: Callable[[Rng, Columns], None] | None = None

    def columns(self, rng: Rng, number: int, n: int) -> Columns:
        """Return what is told, by name."""
        drawn: Columns = {"time": np.cumsum(rng.integers(0, 3, (number, n)), axis=1)}
        drawn["agent"] = rng.integers(0, AGENTS, (number, n))
        ends = drawn["time"] + rng.integers(0, LATEST, (number, n))
        drawn["close"] = np.where(rng.random((number, n)) < rng.random((number, 1)), ends, NEVER)
        drawn["other"] = drawn["close"].copy()
        drawn["at"], drawn["value"] = np.full((number, n), NEVER), np.zeros((number, n), np.int64)
        for fill in (self.tell, self.other):
            if fill is not None:
                fill(rng, drawn)
        return drawn

    def told(self, rng: Rng, number: int, n: int) -> IntArray:
        """Return rows of what is told, with a room and a level for each."""
        columns = self.columns(rng, number, n)
        codes = np.array([[code_of(use) for use in pair] for pair in self.uses])
        rooms, levels = rng.integers(0, MOST_BLOCKS + 1, number), rng.integers(0, MOST_BLOCKS + 1, number)
        head = np.column_stack((codes[rng.integers(0, len(codes), number)], rooms, levels))
        return np.concatenate([head, *(columns[name] for name in COLUMNS)], axis=1).astype(np.int64)


ANYTHING = RandomHints()
"""Any ends; a run with release hints, and one without."""


def shapes_of(rng: Rng, number: int, n: int, blocks: int) -> tuple[IntArray, IntArray]:
    """Return the parents of blocks and the last block of each path."""
    parent = np.floor(rng.random((number, blocks)) * (np.arange(blocks) + 1)).astype(np.int64) - 1
    return parent, rng.integers(0, blocks, (number, n))
