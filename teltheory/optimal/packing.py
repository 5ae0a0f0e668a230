"""Good choices of reuse intervals at any size: fill in several orders, then ruin and fill again.

1. *Fill*: go through the intervals in some order and take each one that still fits over all its rows. Nothing more
   fits afterwards, whatever the order.
2. Orders: largest share in the linear relaxation first; smallest need x length first; earliest end first.
3. *Ruin and fill*: drop what is chosen over a random stretch of rows, fill again in an order that favours the
   relaxation's shares with noise, and keep the result unless it is worse.
"""

from __future__ import annotations

from time import monotonic

import numpy as np

from teltheory.numbers import BoolArray, FloatArray, IntArray
from teltheory.optimal.selection import Selection
from teltheory.replay.compiled import compiled

ROUNDS = 2000


def pack(
    problem: Selection,
    share: FloatArray,
    rng: np.random.Generator,
    enough: int,
    deadline: float = np.inf,
    rounds: int = ROUNDS,
) -> BoolArray:
    """Choose many intervals that fit together.

    Parameters
    ----------
    problem : Selection
        The intervals.
    share : ndarray of float64, shape (m,)
        Their shares in the linear relaxation.
    rng : numpy.random.Generator
        For the random rounds.
    enough : int
        Number at which to stop, such as an upper bound.
    deadline : float
        When to stop, on the clock of `time.monotonic`; the first fill is always done.
    rounds : int
        Most random rounds.
    """
    best = np.zeros(len(problem), np.bool_)
    for order in _orders(problem, share):
        chosen = _filled(problem, order, np.zeros(len(problem), np.bool_))
        if chosen.sum() > best.sum():
            best = chosen
        if monotonic() >= deadline:
            return best
    for _ in range(rounds):
        if best.sum() >= enough or monotonic() >= deadline:
            break
        best = _ruined_and_filled(problem, share, best, rng)
    return best


def _orders(problem: Selection, share: FloatArray) -> list[IntArray]:
    work = problem.need.astype(np.float64) * np.maximum(problem.end - problem.begin, 0)
    return [np.lexsort((work, -np.round(share, 6))), np.argsort(work, kind="stable"), np.argsort(problem.end)]


def _ruined_and_filled(
    problem: Selection, share: FloatArray, best: BoolArray, rng: np.random.Generator
) -> BoolArray:
    width = max(1, int(len(problem.rows) * rng.random() ** 2 / 2))
    low = int(rng.integers(-width, len(problem.rows)))
    hit = (problem.begin < low + width) & (problem.end > low) & (rng.random(len(problem)) < rng.random())
    order = np.argsort(-share + rng.random(len(share)) * rng.random())
    chosen = _filled(problem, order, best & ~hit)
    return chosen if chosen.sum() >= best.sum() else best


def _filled(problem: Selection, order: IntArray, chosen: BoolArray) -> BoolArray:
    free = problem.room[problem.rows] - problem.occupied(np.where(chosen, problem.need, 0))
    _fill(order, problem.begin, problem.end, problem.need, free, chosen)
    return chosen


@compiled
def _fill(
    order: IntArray, begin: IntArray, end: IntArray, need: IntArray, free: IntArray, chosen: BoolArray
) -> None:
    """Take each interval, in this order, that fits into what is free; both change in place."""
    for k in order:
        if chosen[k]:
            continue
        fits = True
        for row in range(begin[k], end[k]):
            if free[row] < need[k]:
                fits = False
                break
        if fits:
            chosen[k] = True
            for row in range(begin[k], end[k]):
                free[row] -= need[k]
