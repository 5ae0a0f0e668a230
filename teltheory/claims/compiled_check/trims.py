"""Checks of the order and the time of trimming (`proofs_checks/tail_optimized/trimming.py`), compiled."""

from __future__ import annotations

from teltheory.claims.compiled_check.dominance import is_upper_bound
from teltheory.claims.compiled_check.layout import CASE, OUTSIDE, REFUTED, SIZE, TRUE, TURNS, XI
from teltheory.claims.compiled_check.orders import put_fewest_and_most
from teltheory.claims.compiled_check.outcomes import (
    AT_CAPACITY,
    outcome,
    put_excesses,
    same_lists,
    shift,
)
from teltheory.claims.compiled_check.simulator import (
    EAGER,
    END_AWARE,
    ESTIMATED,
    EXACT,
    LATEST_FIRST,
    LEAST_RECENT,
    LENGTH_AWARE,
    ROUND_ROBIN,
)
from teltheory.model.numbers import IntArray
from teltheory.replay.compiled import compiled

ALL_ORDERS, NAMED, TWO_BELOW, ALL_BELOW, ALWAYS = range(5)


@compiled
def trims(check: int, world: IntArray, state: IntArray, memo: IntArray, out: IntArray) -> int:
    """Compare excesses, turn by turn."""
    n, below = world[SIZE, TURNS], not is_upper_bound(world)
    if below != (check in (TWO_BELOW, ALL_BELOW)):
        return OUTSIDE
    if check == ALL_ORDERS:
        put_fewest_and_most(world, state, ESTIMATED, shift(world), out)
        put_fewest_and_most(world, state, EXACT, world[CASE, XI], out)
        same = same_lists(out, 0, n, n) and same_lists(out, 2 * n, 3 * n, n)
        return TRUE if same else REFUTED
    if check == NAMED:
        return _named(world, state, memo, out)
    if check == ALL_BELOW:
        put_fewest_and_most(world, state, ESTIMATED, shift(world), out)
        _put(LEAST_RECENT, world, state, memo, out)
        _put(LATEST_FIRST, world, state, memo, out)
    else:
        _put(ROUND_ROBIN, world, state, memo, out)
        _put(EAGER if check == ALWAYS else LEAST_RECENT, world, state, memo, out)
    return TRUE if same_lists(out, 0, n, n) else REFUTED


@compiled
def _put(policy: int, world: IntArray, state: IntArray, memo: IntArray, out: IntArray) -> None:
    put_excesses(world, memo, outcome(world, state, memo, policy, shift(world), AT_CAPACITY), out)


@compiled
def _named(world: IntArray, state: IntArray, memo: IntArray, out: IntArray) -> int:
    """Compare the three ways of trimming of T-LRU, End-Aware and Length-Aware T-LRU."""
    n, xi = world[SIZE, TURNS], world[CASE, XI]
    for trim in range(3):
        _put(ROUND_ROBIN + trim, world, state, memo, out)
        _put(END_AWARE + trim, world, state, memo, out)
        put_excesses(world, memo, outcome(world, state, memo, LENGTH_AWARE + trim, xi, AT_CAPACITY), out)
    same = same_lists(out, 0, 3 * n, 3 * n) and same_lists(out, 0, 6 * n, 3 * n)
    return TRUE if same else REFUTED
