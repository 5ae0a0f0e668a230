"""Checks of Theorem 3.1 and what goes with it (`proofs_checks/tail_optimized/theorem_31.py`), compiled."""

from __future__ import annotations

from teltheory.claims.compiled_check.layout import (
    CASE,
    ESTIMATE,
    LONGEST,
    OUTSIDE,
    REFUTED,
    SIZE,
    TRUE,
    TURNS,
    XI,
    put,
)
from teltheory.claims.compiled_check.outcomes import (
    AT_CAPACITY,
    NO_LEVEL,
    no_more,
    outcome,
    put_excesses,
    put_uncached,
    same_lists,
    shift,
    tel,
)
from teltheory.claims.compiled_check.simulator import LRU, ROUND_ROBIN, THRESHOLD
from teltheory.model.numbers import IntArray
from teltheory.replay.compiled import compiled

TELS, PER_REQUEST, MEAN, LARGE_Q, CHAIN, CHAIN_FIRST, CHAIN_SECOND = range(7)


@compiled
def is_upper_bound(world: IntArray) -> bool:
    """Whether no continuing prompt exceeds the estimate."""
    return bool(world[CASE, ESTIMATE] >= world[SIZE, LONGEST])


@compiled
def dominance(check: int, world: IntArray, state: IntArray, memo: IntArray, out: IntArray) -> int:
    """Compare T-LRU with LRU, or both with Threshold-LRU."""
    if check >= CHAIN:
        return _chain(check, world, state, memo, out)
    if check == LARGE_Q:
        return _large_q(world, state, memo, out)
    if check != MEAN and not is_upper_bound(world):
        return OUTSIDE
    first = outcome(world, state, memo, ROUND_ROBIN, shift(world), AT_CAPACITY)
    second = outcome(world, state, memo, LRU, NO_LEVEL, AT_CAPACITY)
    if check == PER_REQUEST:
        put_excesses(world, memo, first, out)
        put_excesses(world, memo, second, out)
        return TRUE if no_more(out, 0, world[SIZE, TURNS], world[SIZE, TURNS]) else REFUTED
    put(out, tel(world, memo, first))
    put(out, tel(world, memo, second))
    return TRUE if out[1] <= out[2] else REFUTED


@compiled
def _large_q(world: IntArray, state: IntArray, memo: IntArray, out: IntArray) -> int:
    if world[CASE, ESTIMATE] < world[CASE, XI]:
        return OUTSIDE
    put_uncached(world, memo, outcome(world, state, memo, ROUND_ROBIN, shift(world), AT_CAPACITY), out)
    put_uncached(world, memo, outcome(world, state, memo, LRU, NO_LEVEL, AT_CAPACITY), out)
    return TRUE if same_lists(out, 0, world[SIZE, TURNS], world[SIZE, TURNS]) else REFUTED


@compiled
def _chain(check: int, world: IntArray, state: IntArray, memo: IntArray, out: IntArray) -> int:
    if not is_upper_bound(world) or shift(world) < 0:
        return OUTSIDE
    if check != CHAIN_SECOND:
        put(out, tel(world, memo, outcome(world, state, memo, ROUND_ROBIN, shift(world), AT_CAPACITY)))
    put(out, tel(world, memo, outcome(world, state, memo, THRESHOLD, shift(world), AT_CAPACITY)))
    if check != CHAIN_FIRST:
        put(out, tel(world, memo, outcome(world, state, memo, LRU, NO_LEVEL, AT_CAPACITY)))
    return TRUE if no_more(out, 0, 1, out[0] - 1) else REFUTED
