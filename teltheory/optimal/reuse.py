"""What every policy reuses, whether it wants to or not."""

from __future__ import annotations

import numpy as np

from teltheory.model.instance import Instance
from teltheory.model.numbers import IntArray


def unavoidable_reuse(instance: Instance) -> IntArray:
    """Return what no policy can help reusing: nothing is cut before turn 0 and, forced, between turns in a row."""
    least = np.zeros(len(instance.trace), np.int64)
    for start in instance.initial:
        if len(least) and start.code == instance.trace.code[0]:
            least[0] = min(start.cached, instance.history[0])
    if instance.forced:
        in_a_row = np.flatnonzero(instance.trace.code[1:] == instance.trace.code[:-1]) + 1
        least[in_a_row] = instance.history[in_a_row]
    return least
