"""Cuts: what fits into the room of one step together, beyond what the room itself says of shares.

At step t the chosen intervals with sum of need <= room_t are the solutions of a knapsack. For whole weights w the
inequality sum of w_e x_e <= W, with W the largest weight of a solution, holds for every choice, and may cut off
shares that the linear relaxation allows. Two kinds are tried at each step that is half full or more:

1. *Rounding* (Chvatal and Gomory): w_e = floor(need_e / d), W = floor(room_t / d), for each need d.
2. *Lifted covers* (Balas 1975): intervals that do not fit together, at most all but one of which can be chosen;
   the others get, one after the other, the largest weight that keeps the inequality valid.

`teltheory.optimal.costs.prices` finds W again by itself, so an error here could only weaken a bound.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from teltheory.base.loops import call
from teltheory.model.numbers import FloatArray, IntArray
from teltheory.optimal.slo.selection import Selection

VIOLATED = 1e-4
HALF_FULL = 0.5
HEAVIEST = 512
MOST_ROWS = 4096
WHOLE = 1e-6


class CoverRow(NamedTuple):
    """An inequality over choices that cover a row of a selection: their weights add up to `most` at most.

    `row` is a position in the selection's rows, `choices` ascend. The weights are the needs if it is the row
    itself, and whole numbers, 1 or more, of a cut otherwise.
    """

    row: int
    choices: IntArray
    weights: IntArray
    most: int
    is_cut: bool = True


def violated_cuts(problem: Selection, share: FloatArray) -> list[CoverRow]:
    """Return different cuts that shares violate, the most violated first."""
    room = problem.room
    full = np.flatnonzero(problem.taken(share) > HALF_FULL * room)
    in_part = (share > WHOLE) & (share < 1 - WHOLE)
    split = problem.occupied(np.where(in_part[problem.choice], 1, 0))[full] > 0
    tried = full[split][:: max(1, int(split.sum()) // MOST_ROWS)]
    found: dict[tuple[bytes, bytes], tuple[float, CoverRow]] = {}
    for row in tried.tolist():
        for excess, cut in _at_row(problem, share, row, int(room[row])):
            key = (cut.choices.tobytes(), cut.weights.tobytes())
            if key not in found or found[key][1].most > cut.most:
                found[key] = excess, cut
    return [cut for _, cut in sorted(found.values(), key=lambda pair: -pair[0])]


def _at_row(problem: Selection, share: FloatArray, row: int, room: int) -> Iterator[tuple[float, CoverRow]]:
    treads = problem.covering(row)
    items, need = problem.choice[treads], problem.need[treads]
    x, n = share[items], len(items)
    orders, least = np.empty((3, n), np.int64), np.empty(HEAVIEST + 1, np.int64)
    orders[:] = np.argsort(-x), np.argsort((1 - x) / need), np.lexsort((-need, -np.round(x, 2)))
    weights, most, excess = np.zeros((4, n), np.int64), np.empty(4, np.int64), np.empty(4)
    rest = np.lexsort((-need, -x)), 1 - WHOLE, HEAVIEST, least
    call("weigh_cuts", n, x, need, room, orders, rest, weights, most, excess)
    for k in np.flatnonzero(excess > VIOLATED).tolist():
        some = weights[k] > 0
        yield float(excess[k]), CoverRow(row, items[some], weights[k][some], int(most[k]))
