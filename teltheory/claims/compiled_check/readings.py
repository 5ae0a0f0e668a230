"""Algorithm 1 to the letter and the readings of it, on tiny worlds; written on its own, to be compared.

A loop that goes round without changing anything ends the replay there, and its number says which one it was.
"""

from __future__ import annotations

import numpy as np

from teltheory.claims.compiled_check.layout import CACHED, KNOWN, ORDER, PAST, SIZE, TURNS, WIDTH, codes
from teltheory.claims.compiled_check.simulator import arrive, begin, held
from teltheory.model.numbers import IntArray
from teltheory.replay.compiled import compiled

FIRST_READING = 13
PRINTED, PRINTED_TRIM, PRINTED_LRU, AT_THE_BUDGET, REPAIRED, SINGLE_PASS = codes(range(FIRST_READING, 19))
"""As printed; with an LRU loop that ends; with a trim loop that ends; with both, and X >= 0, so that only the test
>= is as printed; repaired; and the `if` form, repaired."""

STRICTLY, NONNEGATIVE, LOOP, LEAST = range(4)
WHILE, UNTIL, IF = range(3)
ENDS, ENDLESS_TRIM, ENDLESS_LRU = range(3)

READINGS = np.array(
    [(0, 0, WHILE, 2), (0, 0, WHILE, 1), (0, 0, UNTIL, 2), (0, 1, UNTIL, 1), (1, 1, UNTIL, 1), (1, 1, IF, 1)]
)

# Columns of a row of results: what turns reuse, the lowest X after each cut, how many cuts, and which loop.
LOWEST, CUTS, LOOPED = WIDTH, 2 * WIDTH, 2 * WIDTH + 1


@compiled
def read(world: IntArray, state: IntArray, reading: int, level: int, capacity: int, result: IntArray) -> None:
    """Replay a reading; `level` is xi - q_hat."""
    result[CUTS], result[LOOPED] = 0, ENDS
    begin(world, state)
    for turn in range(world[SIZE, TURNS]):
        result[turn] = arrive(world, state, turn)
        result[LOOPED] = _cut(state, reading - FIRST_READING, level, held(state) - capacity)
        result[LOWEST + turn] = _lowest(state)
        result[CUTS] += 1
        if result[LOOPED] != ENDS:
            break


@compiled
def _lowest(state: IntArray) -> int:
    lowest = state[CACHED, 0]
    for c in range(1, state[KNOWN, 0]):
        lowest = min(lowest, state[CACHED, c])
    return int(lowest)


@compiled
def _cut(state: IntArray, reading: int, level: int, over: int) -> int:
    while over > 0:
        trimmed = _round(state, reading, level, over)
        over -= trimmed
        if READINGS[reading, LOOP] == IF:
            break
        if trimmed == 0:
            if READINGS[reading, LOOP] == WHILE:
                return ENDLESS_TRIM
            break
    return _evict(state, READINGS[reading, LEAST], over)


@compiled
def _round(state: IntArray, reading: int, level: int, over: int) -> int:
    """Visit every conversation once, in order of first arrival; return how much was trimmed."""
    trimmed = 0
    for c in range(state[KNOWN, 0]):
        x = state[CACHED, c]
        above = x - (state[PAST, c] - level)
        if READINGS[reading, NONNEGATIVE] and x == 0:
            continue
        if trimmed < over and (above > 0 or (above == 0 and not READINGS[reading, STRICTLY])):
            state[CACHED, c] -= 1
            trimmed += 1
    return trimmed


@compiled
def _evict(state: IntArray, least: int, over: int) -> int:
    """Evict from the least recent conversation with at least `least`, and so on."""
    for i in range(state[KNOWN, 0]):
        c = state[ORDER, i]
        evicted = max(0, min(over, state[CACHED, c] - least + 1))
        state[CACHED, c] -= evicted
        over -= evicted
    return ENDLESS_LRU if over > 0 else ENDS
