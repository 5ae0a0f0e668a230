"""Whether a server was busy while it was measured: a request that waits in a queue takes longer than its prefill.

Three signs, each of which alone is a warning:

1. requests overlap in time, where the file says when they were sent and done;
2. equal requests take longer towards the end of the file (Spearman's rank correlation of TTFT over the cell's
   median with the place in the file, at a significance of 0.001 and a coefficient above 0.2);
3. one in ten equal requests takes over twice its cell's median.
"""

from __future__ import annotations

import numpy as np

from teltheory.calibration.cells import Cells
from teltheory.calibration.runs import TTFTRuns
from teltheory.model.numbers import FloatArray, IntArray

SIGNIFICANCE, CORRELATION = 0.001, 0.2
REPEATS, ENOUGH = 3, 20
SLOW_SHARE, SLOW = 0.1, 2.0


def signs_of_load(runs: TTFTRuns, cells: Cells, cell: IntArray) -> tuple[str, ...]:
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
