"""The ceiling: what one core moves from and to memory, over what a turn must move.

The bandwidth is that of STREAM's copy and triad loops over arrays far larger than the caches, counted as STREAM
does: 16 and 24 bytes an element, without the reading of a line before it is written.

Whoever replays LRU or T-LRU on a trace must read each turn's history, prompt, response and previous turn, and
write what it reuses and what it computes: `BYTES_A_TURN`. What conversations hold need not leave the caches.
"""

from __future__ import annotations

import numpy as np

from benchmarks.timing import Job, Report, measure
from teltheory.numbers import FloatArray
from teltheory.replay.compiled import compiled

MOVED = ("history", "prompt", "response", "previous turn", "cached", "uncached")
BYTES_A_TURN = 8 * len(MOVED)


@compiled
def _copy(target: FloatArray, source: FloatArray) -> None:
    for i in range(len(target)):
        target[i] = source[i]


@compiled
def _triad(target: FloatArray, source: FloatArray, other: FloatArray) -> None:
    for i in range(len(target)):
        target[i] = source[i] + 3.0 * other[i]


def bandwidth(elements: int, rounds: int, report: Report = lambda _: None) -> dict[str, float]:
    """Measure the bandwidth of one core.

    Parameters
    ----------
    elements : int
        Length of each of three arrays of 8-byte numbers.
    rounds : int
        Timings; their median counts.

    Returns
    -------
    dict
        Bytes a second of ``copy`` and ``triad``.
    """
    a, b, c = np.zeros(elements), np.ones(elements), np.ones(elements)
    jobs = [
        Job("memory bandwidth, copy", lambda _: _copy(a, b)),
        Job("memory bandwidth, triad", lambda _: _triad(a, b, c)),
    ]
    copy, triad = measure(jobs, rounds, report).values()
    return {"copy": 16 * elements / copy.median, "triad": 24 * elements / triad.median}
