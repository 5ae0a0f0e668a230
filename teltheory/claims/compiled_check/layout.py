"""The arrays of a tiny world, and what follows from its turns.

A check reads and writes four arrays of int64, by the names of their rows and columns below: `world` (turns,
starts, parameters), `state` (a cache), `memo` (what each turn reuses under a policy; `outcomes`), and `out` (the
number of values, then the values). Conversations are numbered in order of appearance, so that their numbers are
the order of first arrival.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from teltheory.model.numbers import IntArray
from teltheory.replay.compiled import compiled

WIDTH = 8
"""Most turns, and most conversations."""

# Rows of `world`: by turn, then by conversation, then facts.
LABEL, PROMPT, RESPONSE, TOTAL, AFTER, NEXT = range(6)
START_PAST, START_HELD, FIRST, LATEST, LENGTH = range(6, 11)
SIZE, CASE = 11, 12
WORLD_ROWS = 13

# Columns of `world[SIZE]`.
TURNS, CONVERSATIONS, STARTS, TOKENS, LEAST_CAPACITY, LONGEST, CONTINUING, PROMPTS = range(WIDTH)

# Columns of `world[CASE]`.
CAPACITY, XI, ESTIMATE, FORCED, STAMP = range(5)

# Rows of `state`, by conversation; the last three are working room.
CACHED, PAST, UPCOMING, ORDER, SURPLUS, KNOWN, STRIDE, TAKEN = range(8)
STATE_ROWS = 8

OUT_WIDTH = 128


def codes(values: Iterable[int]) -> list[int]:
    """Return whole numbers of numpy's, for codes that are passed on.

    A compiled function that is called with Python's own constants is compiled once for each of them.
    """
    return list(np.array([*values], np.int64))


OUTSIDE, TRUE, REFUTED = -1, 0, 1
"""Answers of a check."""


def new_world(turns: int, conversations: int, starts: int, tokens: int) -> IntArray:
    """Return the array of a world of this size, still without turns."""
    world = np.zeros((WORLD_ROWS, WIDTH), np.int64)
    world[SIZE, : TOKENS + 1] = turns, conversations, starts, tokens
    return world


@compiled
def describe(world: IntArray) -> None:
    """Fill in totals, pasts, next turns, and what the turns say as a whole, from turns and starts."""
    n, starts = world[SIZE, TURNS], world[SIZE, STARTS]
    for c in range(world[SIZE, CONVERSATIONS]):
        world[LENGTH, c] = world[START_PAST, c]
        world[FIRST, c] = n
    world[SIZE, LONGEST] = world[SIZE, CONTINUING] = world[SIZE, PROMPTS] = 0
    for turn in range(n):
        c, prompt = world[LABEL, turn], world[PROMPT, turn]
        if c < starts or world[FIRST, c] < n:
            world[SIZE, CONTINUING] += 1
            world[SIZE, PROMPTS] += prompt
            world[SIZE, LONGEST] = max(world[SIZE, LONGEST], prompt)
        world[TOTAL, turn] = world[LENGTH, c] + prompt
        world[LENGTH, c] = world[AFTER, turn] = world[TOTAL, turn] + world[RESPONSE, turn]
        _link(world, turn, c)
    world[SIZE, LEAST_CAPACITY] = _least_capacity(world)


@compiled
def _link(world: IntArray, turn: int, c: int) -> None:
    n = world[SIZE, TURNS]
    if world[FIRST, c] == n:
        world[FIRST, c] = turn
    else:
        world[NEXT, world[LATEST, c]] = turn
    world[LATEST, c] = turn
    world[NEXT, turn] = n


@compiled
def _least_capacity(world: IntArray) -> int:
    """Return what the initial cache holds or, under forced caching, the longest past before the last turn."""
    least = 0
    for c in range(world[SIZE, STARTS]):
        least += world[START_HELD, c]
    if world[CASE, FORCED]:
        for turn in range(world[SIZE, TURNS] - 1):
            least = max(least, world[AFTER, turn])
    return least


@compiled
def put(out: IntArray, value: int) -> None:
    """Append a value."""
    out[0] += 1
    out[out[0]] = value
