"""What each reuse of an item is worth to its request in hindsight: a cap of its own for every reuse interval.

A request t can use g = max(0, total - xi) cached tokens to lower its excess, in all its items together. It
promises them to its items in order of their last use, most recent first, to each at most its size; of items used
last by the same request the larger number is the more recent. What an item is promised is the cap of the interval
that ends in its use at t; an item without an earlier use is promised nothing.
"""

from __future__ import annotations

import numpy as np

from teltheory.model.module_trace import ModuleTrace
from teltheory.model.numbers import IntArray, readonly, whole_number


def caps(trace: ModuleTrace, xi: int) -> IntArray:
    """Return the cap of the reuse interval that ends in each use.

    Parameters
    ----------
    trace : ModuleTrace
        Requests for sets of items.
    xi : int
        Threshold, in tokens.

    Returns
    -------
    ndarray of int64, shape (number of uses,)
        For each place in `ModuleTrace.members`; 0 for the first use of an item.
    """
    worth = np.maximum(trace.total - whole_number("xi", xi), 0)[trace.request]
    sizes = np.where(trace.previous >= 0, trace.sizes[trace.members], 0)
    order = np.argsort(trace.request * (len(sizes) + 1) - trace.previous, kind="stable")
    up_to = np.concatenate(([0], np.cumsum(sizes[order])))
    before = up_to[:-1] - up_to[trace.offsets[trace.request]]
    promised = np.empty_like(sizes)
    promised[order] = np.clip(worth - before, 0, sizes[order])
    return readonly(promised)
