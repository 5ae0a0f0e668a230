"""Cells: the requests of the same prompt and cached tokens, their median TTFT, and whether the server was busy.

A request that waits in a queue takes longer than its prefill. Three signs, each of which alone is a warning:

1. requests overlap in time, where the file says when they were sent and done;
2. equal requests take longer towards the end of the file (Spearman's rank correlation of TTFT over the cell's
   median with the place in the file, at a significance of 0.001 and a coefficient above 0.2);
3. one in ten equal requests takes over twice its cell's median.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from teltheory.calibration.runs import TTFTRuns
from teltheory.model.numbers import FloatArray, IntArray

SIGNIFICANCE, CORRELATION = 0.001, 0.2
REPEATS, ENOUGH = 3, 20
SLOW_SHARE, SLOW = 0.1, 2.0


@dataclass(frozen=True)
class MedianCells:
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

    def at(self, places: IntArray) -> MedianCells:
        """Return some of them."""
        n, c = self.prompt_tokens[places], self.cached_tokens[places]
        return MedianCells(n, c, self.seconds[places], self.count[places])


def cells_of(runs: TTFTRuns) -> tuple[MedianCells, IntArray]:
    """Return the cells, ordered by n, then c, and the cell of each request."""
    pairs = np.stack([runs.prompt_tokens, runs.cached_tokens], axis=1)
    different, cell = np.unique(pairs, axis=0, return_inverse=True)
    cell = cell.reshape(-1)
    order = np.argsort(cell, kind="stable")
    count = np.bincount(cell)
    groups = np.split(runs.ttft[order], np.cumsum(count)[:-1])
    medians = np.array([np.median(group) for group in groups])
    return MedianCells(different[:, 0], different[:, 1], medians, count), cell


def signs_of_load(runs: TTFTRuns, cells: MedianCells, cell: IntArray) -> tuple[str, ...]:
    """Return a sentence for each sign of load in requests that are in the order of the file."""
    repeated = cells.count[cell] >= REPEATS
    relative = (runs.ttft / cells.seconds[cell])[repeated]
    signs = [_overlap(runs), _drift(relative), _skew(relative)]
    if not repeated.sum() >= ENOUGH:
        signs.append("too few equal requests to see from their times whether the server was busy")
    return tuple(sign for sign in signs if sign)


def _overlap(runs: TTFTRuns) -> str:
    if runs.sent is None or runs.done is None or len(runs) < 2:
        return ""
    order = np.argsort(runs.sent, kind="stable")
    busy_until = np.maximum.accumulate(runs.done[order])[:-1]
    waiting = int((runs.sent[order][1:] < busy_until).sum())
    if not waiting:
        return ""
    return f"{waiting} of {len(runs)} requests were sent while another was running: their TTFT has queueing in it"


def _drift(relative: FloatArray) -> str:
    from scipy.stats import spearmanr

    if len(relative) < ENOUGH or np.ptp(relative) == 0:
        return ""
    found = spearmanr(np.arange(len(relative)), relative, alternative="greater")
    if not (found.pvalue < SIGNIFICANCE and found.statistic > CORRELATION):
        return ""
    return f"equal requests take longer towards the end of the file (rank correlation {found.statistic:.2f})"


def _skew(relative: FloatArray) -> str:
    slow = float(np.mean(relative > SLOW)) if len(relative) >= ENOUGH else 0.0
    if slow < SLOW_SHARE:
        return ""
    return f"{slow:.0%} of the equal requests take over twice their cell's median: they may have waited"
