"""Cells: the requests of the same prompt and cached tokens, and their median TTFT."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from teltheory.calibration.runs import TTFTRuns
from teltheory.model.numbers import FloatArray, IntArray


@dataclass(frozen=True)
class Cells:
    """Medians (in seconds) of requests with equal n and c, and how many requests each stands for."""

    prompt_tokens: IntArray
    cached_tokens: IntArray
    seconds: FloatArray
    count: IntArray

    def __len__(self) -> int:
        return len(self.seconds)

    @property
    def uncached_tokens(self) -> IntArray:
        """Tokens that were computed, u = n - c."""
        return self.prompt_tokens - self.cached_tokens

    @property
    def cold(self) -> bool:
        """Whether nothing was cached in any."""
        return not self.cached_tokens.any()

    def at(self, places: IntArray) -> Cells:
        """Return some of them."""
        n, c = self.prompt_tokens[places], self.cached_tokens[places]
        return Cells(n, c, self.seconds[places], self.count[places])


def cells_of(runs: TTFTRuns) -> tuple[Cells, IntArray]:
    """Return the cells, ordered by n, then c, and the cell of each request."""
    pairs = np.stack([runs.prompt_tokens, runs.cached_tokens], axis=1)
    different, cell = np.unique(pairs, axis=0, return_inverse=True)
    cell = cell.reshape(-1)
    order = np.argsort(cell, kind="stable")
    count = np.bincount(cell)
    groups = np.split(runs.ttft[order], np.cumsum(count)[:-1])
    medians = np.array([np.median(group) for group in groups])
    return Cells(different[:, 0], different[:, 1], medians, count), cell
