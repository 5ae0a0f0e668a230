"""Every way in which an overflow can be taken from the surpluses, on tiny worlds.

The set of reachable cache states is an array of flags over the states of `optimum`; recency and pasts are the same
in all of them.
"""

from __future__ import annotations

import numpy as np

from teltheory.claims.compiled_check.layout import (
    CACHED,
    CAPACITY,
    CASE,
    KNOWN,
    LABEL,
    NEXT,
    ORDER,
    SIZE,
    STRIDE,
    SURPLUS,
    TAKEN,
    TOTAL,
    TURNS,
    XI,
)
from teltheory.claims.compiled_check.optimum import digit, states
from teltheory.claims.compiled_check.simulator import EXACT, arrive, begin, budget, held
from teltheory.model.numbers import BoolArray, IntArray
from teltheory.replay.compiled import compiled


@compiled
def put_fewest_and_most(world: IntArray, state: IntArray, kind: int, level: int, out: IntArray) -> None:
    """Append the smallest excess of each turn over all orders, then the largest.

    With EXACT budgets know the next prompt, and conversations are dropped right after their last turn.
    """
    size, n, first = states(world, state), world[SIZE, TURNS], out[0]
    reachable = np.zeros(size, np.bool_)
    reachable[0] = True
    begin(world, state)
    for turn in range(n):
        out[1 + first + turn], out[1 + first + n + turn] = _extremes(world, state, reachable, turn)
        arrive(world, state, turn)
        if turn < n - 1:
            reachable = _after_cut(world, state, reachable, turn, kind, level)
    out[0] += 2 * n


@compiled
def _extremes(world: IntArray, state: IntArray, reachable: BoolArray, turn: int) -> tuple[int, int]:
    fewest, most = world[TOTAL, turn], -1
    for index in range(len(reachable)):
        if reachable[index]:
            uncached = world[TOTAL, turn] - digit(world, state, index, world[LABEL, turn])
            excess = max(0, uncached - world[CASE, XI])
            fewest, most = min(fewest, excess), max(most, excess)
    return fewest, most


@compiled
def _after_cut(
    world: IntArray, state: IntArray, reachable: BoolArray, turn: int, kind: int, level: int
) -> BoolArray:
    after = np.zeros(len(reachable), np.bool_)
    arriving = world[LABEL, turn]
    whole = state[CACHED, arriving]
    if kind == EXACT and world[NEXT, turn] == world[SIZE, TURNS]:
        whole = 0
    for index in range(len(reachable)):
        if reachable[index]:
            for c in range(state[KNOWN, 0]):
                state[CACHED, c] = whole if c == arriving else digit(world, state, index, c)
            _cut_in_every_way(world, state, kind, level, after)
    return after


@compiled
def _cut_in_every_way(world: IntArray, state: IntArray, kind: int, level: int, after: BoolArray) -> None:
    over, known, surplus = held(state) - world[CASE, CAPACITY], state[KNOWN, 0], 0
    for c in range(known):
        state[SURPLUS, c] = max(0, state[CACHED, c] - budget(world, state, kind, level, c))
        state[TAKEN, c] = 0
        surplus += state[SURPLUS, c]
    amount = min(max(0, over), surplus)
    while True:
        taken = 0
        for c in range(known):
            taken += state[TAKEN, c]
        if taken == amount:
            after[_evicted(state, max(0, over) - amount)] = True
        if not _next_taking(state):
            return


@compiled
def _next_taking(state: IntArray) -> bool:
    """Count up in `TAKEN`, each digit up to the surplus; return whether there was one more."""
    for c in range(state[KNOWN, 0]):
        if state[TAKEN, c] < state[SURPLUS, c]:
            state[TAKEN, c] += 1
            return True
        state[TAKEN, c] = 0
    return False


@compiled
def _evicted(state: IntArray, over: int) -> int:
    """Return the state after what was taken is trimmed and the rest evicted, least recent first."""
    index = 0
    for i in range(state[KNOWN, 0]):
        c = state[ORDER, i]
        kept = state[CACHED, c] - state[TAKEN, c]
        evicted = min(kept, over)
        over -= evicted
        index += (kept - evicted) * state[STRIDE, c]
    return index
