"""Checks of Algorithm 1 as printed and its readings (`proofs_checks/tail_optimized/algorithm_1.py`), compiled."""

from __future__ import annotations

from teltheory.claims.compiled_check.dominance import is_upper_bound
from teltheory.claims.compiled_check.layout import OUTSIDE, REFUTED, TRUE, put
from teltheory.claims.compiled_check.outcomes import AT_CAPACITY, NO_LEVEL, outcome, shift, tel
from teltheory.claims.compiled_check.readings import (
    AT_THE_BUDGET,
    CUTS,
    ENDLESS_LRU,
    ENDLESS_TRIM,
    ENDS,
    LOOPED,
    LOWEST,
    PRINTED,
    PRINTED_LRU,
    PRINTED_TRIM,
    REPAIRED,
    SINGLE_PASS,
)
from teltheory.claims.compiled_check.simulator import LRU
from teltheory.model.numbers import IntArray
from teltheory.replay.compiled import compiled

AS_PRINTED, NONNEGATIVE, TERMINATES, TRIM_LOOP, LRU_LOOP, AS_REPAIRED, ONE_PASS = range(7)


@compiled
def printed(check: int, world: IntArray, state: IntArray, memo: IntArray, out: IntArray) -> int:
    """Run a reading, and LRU where it is compared."""
    if check == NONNEGATIVE:
        row = outcome(world, state, memo, PRINTED, shift(world), AT_CAPACITY)
        return TRUE if _put_lowest(memo, row, out) >= 0 else REFUTED
    if TERMINATES <= check <= LRU_LOOP:
        return _ends(check, world, state, memo, out)
    if not is_upper_bound(world):
        return OUTSIDE
    if check == AS_REPAIRED:
        return _repaired(world, state, memo, out)
    reading = AT_THE_BUDGET if check == AS_PRINTED else SINGLE_PASS
    put(out, tel(world, memo, outcome(world, state, memo, reading, shift(world), AT_CAPACITY)))
    put(out, tel(world, memo, outcome(world, state, memo, LRU, NO_LEVEL, AT_CAPACITY)))
    return TRUE if out[1] <= out[2] else REFUTED


@compiled
def _put_lowest(memo: IntArray, row: int, out: IntArray) -> int:
    """Append the lowest X after each cut; return the lowest of them."""
    lowest = 0
    for cut in range(memo[row, CUTS]):
        put(out, memo[row, LOWEST + cut])
        lowest = min(lowest, memo[row, LOWEST + cut])
    return int(lowest)


@compiled
def _ends(check: int, world: IntArray, state: IntArray, memo: IntArray, out: IntArray) -> int:
    endless = 0
    if check != LRU_LOOP:
        row = outcome(world, state, memo, PRINTED_TRIM, shift(world), AT_CAPACITY)
        put(out, 1 if memo[row, LOOPED] == ENDLESS_TRIM else 0)
        endless += out[out[0]]
    if check != TRIM_LOOP:
        row = outcome(world, state, memo, PRINTED_LRU, shift(world), AT_CAPACITY)
        put(out, 1 if memo[row, LOOPED] == ENDLESS_LRU else 0)
        endless += out[out[0]]
    return REFUTED if endless else TRUE


@compiled
def _repaired(world: IntArray, state: IntArray, memo: IntArray, out: IntArray) -> int:
    row = outcome(world, state, memo, REPAIRED, shift(world), AT_CAPACITY)
    endless = memo[row, LOOPED] != ENDS
    put(out, 1 if endless else 0)
    lowest = _put_lowest(memo, row, out)
    ours = -1 if endless else tel(world, memo, row)
    put(out, ours)
    put(out, tel(world, memo, outcome(world, state, memo, LRU, NO_LEVEL, AT_CAPACITY)))
    return REFUTED if endless or lowest < 0 or ours > out[out[0]] else TRUE
