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

from teltheory.model.numbers import FloatArray, IntArray
from teltheory.optimal.slo.selection import Selection
from teltheory.replay.compiled import compiled

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
    x = share[items]
    divisor = _best_divisor(x, need, room)
    yield from _cut(row, items, x, need // divisor, room // divisor)
    for order in (np.argsort(-x), np.argsort((1 - x) / need), np.lexsort((-need, -np.round(x, 2)))):
        weights = np.zeros(len(items), np.int64)
        most = _lifted_cover(order, np.lexsort((-need, -x)), x, need, room, weights)
        if most >= 0:
            yield from _cut(row, items, x, weights, most)


def _cut(
    row: int, items: IntArray, x: FloatArray, weights: IntArray, most: int
) -> Iterator[tuple[float, CoverRow]]:
    """Yield a cut and by how much shares violate it, over the length of the weights as a vector."""
    excess = (weights @ x - most) / max(float(np.linalg.norm(weights)), 1.0)
    if excess > VIOLATED and weights.sum() <= HEAVIEST:
        some = weights > 0
        yield float(excess), CoverRow(row, items[some], weights[some], int(most))


@compiled
def _best_divisor(x: FloatArray, need: IntArray, room: int) -> int:
    """Return the need whose rounded row is violated most."""
    excess = np.empty(len(need))
    for i, d in enumerate(need):
        weight = length = 0.0
        for k in range(len(need)):
            times = need[k] // d
            weight += times * x[k]
            length += times * times
        excess[i] = (weight - room // d) / np.sqrt(length)
    return int(need[np.argmax(excess)])


@compiled
def _lifted_cover(
    order: IntArray, lifted: IntArray, x: FloatArray, need: IntArray, room: int, weights: IntArray
) -> int:
    """Weigh a cover with 1 and lift the other intervals; return the most, -1 if all fit together."""
    most = _cover(order, x, need, room, weights) - 1
    least = np.full(HEAVIEST + 1, room + 1, np.int64)
    least[0] = 0
    for k in range(len(need)):
        if weights[k] == 1:
            _add_item(least, 1, need[k], room)
    for k in lifted:
        if most >= 0 and weights[k] == 0:
            weight = most - np.flatnonzero(least <= room - need[k])[-1]
            if weight > 0:
                weights[k] = weight
                _add_item(least, weight, need[k], room)
    return most


@compiled
def _cover(order: IntArray, x: FloatArray, need: IntArray, room: int, weights: IntArray) -> int:
    """Weigh intervals with 1, in an order, until they do not fit; drop what is not needed for that; count them."""
    taken = 0
    for k in order:
        if taken <= room:
            weights[k] = 1
            taken += need[k]
    if taken <= room:
        weights[:] = 0
    for k in order[::-1]:
        if weights[k] == 1 and x[k] < 1 - WHOLE and taken - need[k] > room:
            weights[k] = 0
            taken -= need[k]
    return int(weights.sum())


@compiled
def _add_item(least: IntArray, weight: int, need: int, room: int) -> None:
    """Add an item to the least need of each weight; needs above the room are all alike."""
    for total in range(len(least) - 1, weight - 1, -1):
        least[total] = min(least[total], least[total - weight] + need, room + 1)
