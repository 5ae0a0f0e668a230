"""What each turn reuses under a policy, worked out once for each world, capacity and level."""

from __future__ import annotations

import numpy as np

from teltheory.claims.compiled_check.layout import (
    CAPACITY,
    CASE,
    ESTIMATE,
    SIZE,
    STAMP,
    TOKENS,
    TOTAL,
    TURNS,
    WIDTH,
    XI,
    codes,
    put,
)
from teltheory.claims.compiled_check.readings import FIRST_READING, SINGLE_PASS, read
from teltheory.claims.compiled_check.simulator import simulate
from teltheory.model.numbers import IntArray
from teltheory.replay.compiled import compiled

STAMPED = 2 * WIDTH + 2
COLUMNS = STAMPED + 1
CODES = int(SINGLE_PASS) + 1

NO_LEVEL, AT_CAPACITY, ONE_MORE = codes((0, 0, 1))


def new_memo(tokens: int) -> IntArray:
    """Return room for every policy, at C and at C + 1, and every level from -(tokens + 1) to the tokens."""
    return np.full((2 * CODES * (2 * tokens + 2), COLUMNS), -1, np.int64)


@compiled
def outcome(world: IntArray, state: IntArray, memo: IntArray, policy: int, level: int, more: int) -> int:
    """Return the row of `memo` that has what each turn reuses, at `more` than the capacity of the case."""
    levels = 2 * world[SIZE, TOKENS] + 2
    row = (more * CODES + policy) * levels + level + levels // 2
    if memo[row, STAMPED] != world[CASE, STAMP]:
        memo[row, STAMPED] = world[CASE, STAMP]
        if policy < FIRST_READING:
            simulate(world, state, policy, level, world[CASE, CAPACITY] + more, memo[row])
        else:
            read(world, state, policy, level, world[CASE, CAPACITY] + more, memo[row])
    return int(row)


@compiled
def shift(world: IntArray) -> int:
    """Return xi - q_hat."""
    return int(world[CASE, XI] - world[CASE, ESTIMATE])


@compiled
def excess(world: IntArray, memo: IntArray, row: int, turn: int) -> int:
    """Return max(uncached - xi, 0) of a turn."""
    return int(max(world[TOTAL, turn] - memo[row, turn] - world[CASE, XI], 0))


@compiled
def tel(world: IntArray, memo: IntArray, row: int) -> int:
    """Return the sum of the excesses."""
    total = 0
    for turn in range(world[SIZE, TURNS]):
        total += excess(world, memo, row, turn)
    return total


@compiled
def put_excesses(world: IntArray, memo: IntArray, row: int, out: IntArray) -> None:
    """Append the excess of each turn."""
    for turn in range(world[SIZE, TURNS]):
        put(out, excess(world, memo, row, turn))


@compiled
def put_reuses(world: IntArray, memo: IntArray, row: int, out: IntArray) -> None:
    """Append what each turn reuses."""
    for turn in range(world[SIZE, TURNS]):
        put(out, memo[row, turn])


@compiled
def put_uncached(world: IntArray, memo: IntArray, row: int, out: IntArray) -> None:
    """Append the uncached length of each turn."""
    for turn in range(world[SIZE, TURNS]):
        put(out, world[TOTAL, turn] - memo[row, turn])


@compiled
def same_lists(out: IntArray, first: int, second: int, length: int) -> bool:
    """Whether the values of number `first` on and those of number `second` on are the same."""
    different = 0
    for i in range(length):
        different += out[1 + first + i] != out[1 + second + i]
    return different == 0


@compiled
def no_more(out: IntArray, first: int, second: int, length: int) -> bool:
    """Whether the values of number `first` on are at most those of number `second` on."""
    greater = 0
    for i in range(length):
        greater += out[1 + first + i] > out[1 + second + i]
    return greater == 0
