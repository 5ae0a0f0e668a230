"""Algorithm 1 to the letter and the readings of it, on tiny worlds; written on its own, to be compared.

A loop that goes round without changing anything ends the replay there, and its number says which one it was.
"""

import numpy as np

from teltheory.claims.compiled.layout import CUTS, LOOPED, LOWEST, Tiny, codes
from teltheory.claims.compiled.simulator import arrive, begin
from teltheory.model.numbers import IntArray
from teltheory.replay.compiled import compiled

FIRST_READING = 14
PRINTED, PRINTED_TRIM, PRINTED_LRU, AT_THE_BUDGET, REPAIRED, SINGLE_PASS = codes(range(FIRST_READING, 20))
"""As printed; with an LRU loop that ends; with a trim loop that ends; with both, and X >= 0, so that only the test
>= is as printed; repaired; and the `if` form, repaired."""

STRICTLY, NONNEGATIVE, LOOP, LEAST = range(4)
"""Of a reading: its test, whether X stays at 0 or more, its trim loop, and of whom the LRU loop evicts."""
WHILE, UNTIL, IF = range(3)
ENDS, ENDLESS_TRIM, ENDLESS_LRU = range(3)

READINGS = np.array(
    [(0, 0, WHILE, 2), (0, 0, WHILE, 1), (0, 0, UNTIL, 2), (0, 1, UNTIL, 1), (1, 1, UNTIL, 1), (1, 1, IF, 1)]
)


@compiled
def read(tiny: Tiny, reading: int, level: int, capacity: int, result: IntArray) -> None:
    """Replay a reading; `level` is xi - q_hat."""
    result[CUTS], result[LOOPED] = 0, ENDS
    begin(tiny)
    for turn in range(tiny.turns):
        result[turn] = arrive(tiny, turn)
        result[LOOPED] = _cut(tiny, READINGS[reading - FIRST_READING], level, tiny.cached.sum() - capacity)
        result[LOWEST + turn] = tiny.cached[: tiny.known].min()
        result[CUTS] += 1
        if result[LOOPED] != ENDS:
            break


@compiled
def _cut(tiny: Tiny, reading: IntArray, level: int, over: int) -> int:
    while over > 0:
        trimmed = _round(tiny, reading, level, over)
        over -= trimmed
        if reading[LOOP] == IF:
            break
        if trimmed == 0:
            if reading[LOOP] == WHILE:
                return ENDLESS_TRIM
            break
    for c in tiny.order[: tiny.known]:
        evicted = max(0, min(over, tiny.cached[c] - reading[LEAST] + 1))
        tiny.cached[c] -= evicted
        over -= evicted
    return ENDLESS_LRU if over > 0 else ENDS


@compiled
def _round(tiny: Tiny, reading: IntArray, level: int, over: int) -> int:
    """Visit every conversation once, in order of first arrival; return how much was trimmed."""
    trimmed = 0
    for c in range(tiny.known):
        above = tiny.cached[c] - (tiny.past[c] - level)
        if reading[NONNEGATIVE] and tiny.cached[c] == 0:
            continue
        if trimmed < over and (above > 0 or (above == 0 and not reading[STRICTLY])):
            tiny.cached[c] -= 1
            trimmed += 1
    return trimmed
