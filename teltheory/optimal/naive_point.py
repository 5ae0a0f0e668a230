"""A point of (1)-(5), or of the forced variant with (9), checked in whole numbers.

The equations are written here once more, from the instance alone: nothing of the Pyomo model is used.
"""

from __future__ import annotations

import numpy as np

from teltheory.errors import NOT_WHOLE, SolverError
from teltheory.instance import Instance
from teltheory.numbers import IntArray


def check_point(instance: Instance, xi: int, x: list[list[int]], u: list[int]) -> IntArray:
    """Check that a point is feasible, and return what each turn reuses in it.

    Parameters
    ----------
    instance : Instance
        Trace of n turns, capacity, caching mode and initial cache.
    xi : int
        Threshold.
    x : list of list of int
        What each conversation, by its code, has in the cache at the start of each turn.
    u : list of int
        Excess of each turn.

    Returns
    -------
    ndarray of int64, shape (n,)
        The reuse of each turn.

    Raises
    ------
    SolverError
        Where the point breaks an equation; the error names equation and turn.
    """
    columns = (instance.trace.code, instance.total, instance.history, instance.past)
    code, total, h, past = (column.tolist() for column in columns)
    held = {start.code: start.cached for start in instance.initial}
    reused = [min(x[i][t], h[t]) for t, i in enumerate(code)]
    for j, row in enumerate(x):
        _expect(row[0] <= held.get(j, 0), "the initial state", 0)
    for t, i in enumerate(code):
        in_a_row = instance.forced and t > 0 and code[t - 1] == i
        _expect(min(u[t], *(row[t] for row in x)) >= 0, "0 or more", t)
        _expect(u[t] >= total[t] - reused[t] - xi, "(2)", t)
        _expect(sum(row[t] for row in x) <= instance.capacity, "(3)", t)
        _expect(in_a_row or x[i][t] <= h[t], "the cut to the history", t)
        for j, row in enumerate(x if t + 1 < len(code) else ()):
            after = row[t + 1]
            _expect(j == i or after <= row[t], "(5)", t)
            _expect(j != i or after <= past[t], "(4)", t)
            _expect(j != i or not instance.forced or after == past[t], "(9)", t)
    return np.array(reused, np.int64)


def _expect(holds: bool, equation: str, turn: int) -> None:
    if not holds:
        raise SolverError(f"{NOT_WHOLE}: {equation} does not hold at turn {turn}")
