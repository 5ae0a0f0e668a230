"""The least bound on what is kept that any set of steps proves: all 2^n sets are tried."""

from __future__ import annotations

from teltheory.claims.compiled_check.layout import (
    AFTER,
    CAPACITY,
    CASE,
    FORCED,
    LABEL,
    PROMPT,
    SIZE,
    START_HELD,
    STARTS,
    TOTAL,
    TURNS,
    XI,
)
from teltheory.model.numbers import IntArray
from teltheory.replay.compiled import compiled


@compiled
def least_bound(world: IntArray) -> int:
    """Return the least, over sets of steps, of their rooms and the caps of intervals that cover none of them."""
    least = 1 << 40
    for chosen in range(1 << world[SIZE, TURNS]):
        bound = 0
        for turn in range(world[SIZE, TURNS]):
            if chosen >> turn & 1:
                bound += _room(world, turn)
            if not chosen & _steps(world, turn):
                bound += _cap(world, turn)
        least = min(least, bound)
    return least


@compiled
def _room(world: IntArray, step: int) -> int:
    """Return the room at a step, counted from 0, at which the cache is that before the turn of this number."""
    if step == 0 or not world[CASE, FORCED]:
        return int(world[CASE, CAPACITY])
    return int(world[CASE, CAPACITY] - world[AFTER, step - 1])


@compiled
def _before(world: IntArray, turn: int) -> int:
    """Return the turn before of the same conversation, -1 where there is none."""
    earlier = turn - 1
    while earlier >= 0 and world[LABEL, earlier] != world[LABEL, turn]:
        earlier -= 1
    return earlier


@compiled
def _steps(world: IntArray, turn: int) -> int:
    """Return the steps of the interval that ends with a turn, as bits."""
    earlier = _before(world, turn)
    begin = earlier + 1 + (1 if world[CASE, FORCED] and earlier >= 0 else 0)
    steps = 0
    for step in range(begin, turn + 1):
        steps |= 1 << step
    return steps


@compiled
def _cap(world: IntArray, turn: int) -> int:
    """Return the most that is worth reusing at a turn, of what can be there."""
    c, history = world[LABEL, turn], world[TOTAL, turn] - world[PROMPT, turn]
    cap = min(history, max(0, world[TOTAL, turn] - world[CASE, XI]))
    if c < world[SIZE, STARTS] and _before(world, turn) < 0:
        cap = min(cap, world[START_HELD, c])
    return int(cap)
