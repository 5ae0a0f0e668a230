"""The least cost over every cache state, on tiny worlds.

A state, one digit a conversation (what it holds, up to its last past), is an index. What may be kept of what is
available is any prefix of each conversation: the least cost of a state is the least over all states that hold no
less of any conversation, which is one pass a conversation from the largest digit down.
"""

from __future__ import annotations

import numpy as np

from teltheory.claims.compiled_check.layout import (
    AFTER,
    CAPACITY,
    CASE,
    CONVERSATIONS,
    FORCED,
    LABEL,
    LENGTH,
    SIZE,
    START_HELD,
    STRIDE,
    TOTAL,
    TURNS,
    XI,
    codes,
)
from teltheory.model.numbers import IntArray
from teltheory.replay.compiled import compiled

EXCESS, MOST_ABOVE, FEWEST_ABOVE, CAPPED_REUSE = codes(range(4))
"""TEL; TEL, then the most blocks above the caps; then the fewest; minus the reuse, with none above the caps."""

UNIT = 1 << 20
"""A token of TEL beside the blocks above the caps."""

FAR = 1 << 50


@compiled
def states(world: IntArray, state: IntArray) -> int:
    """Return the number of cache states, and set the stride of each conversation's digit."""
    size = 1
    for c in range(world[SIZE, CONVERSATIONS]):
        state[STRIDE, c] = size
        size *= world[LENGTH, c] + 1
    return size


@compiled
def digit(world: IntArray, state: IntArray, index: int, c: int) -> int:
    """Return what a conversation holds in a state."""
    return int(index // state[STRIDE, c] % (world[LENGTH, c] + 1))


@compiled
def least_cost(world: IntArray, state: IntArray, objective: int) -> int:
    """Return the least cost that any policy reaches, at the capacity of the case."""
    size, n = states(world, state), world[SIZE, TURNS]
    costs = np.full(size, FAR)
    costs[_start(world, state)] = 0
    for turn in range(n - 1):
        costs = _arrived(world, state, costs, turn, objective)
        exempt = world[LABEL, turn] if world[CASE, FORCED] else -1
        for c in range(world[SIZE, CONVERSATIONS]):
            if c != exempt:
                _keep_any_prefix(world, state, costs, c)
        _fit(world, state, costs)
    costs = _arrived(world, state, costs, n - 1, objective)
    return int(costs.min())


@compiled
def _start(world: IntArray, state: IntArray) -> int:
    index = 0
    for c in range(world[SIZE, CONVERSATIONS]):
        index += world[START_HELD, c] * state[STRIDE, c]
    return index


@compiled
def _arrived(world: IntArray, state: IntArray, costs: IntArray, turn: int, objective: int) -> IntArray:
    c, after = world[LABEL, turn], np.full(len(costs), FAR)
    for index in range(len(costs)):
        if costs[index] < FAR:
            reused = digit(world, state, index, c)
            cost = costs[index] + _price(world, turn, reused, objective)
            whole = index + (world[AFTER, turn] - reused) * state[STRIDE, c]
            after[whole] = min(after[whole], cost)
    return after


@compiled
def _price(world: IntArray, turn: int, reused: int, objective: int) -> int:
    total, xi = world[TOTAL, turn], world[CASE, XI]
    above = max(0, reused - max(0, total - xi))
    if objective == CAPPED_REUSE:
        return 2 * FAR if above else -reused
    excess = max(0, total - reused - xi)
    if objective == EXCESS:
        return int(excess)
    return int(UNIT * excess + (above if objective == FEWEST_ABOVE else -above))


@compiled
def _keep_any_prefix(world: IntArray, state: IntArray, costs: IntArray, c: int) -> None:
    for index in range(len(costs) - 1, -1, -1):
        if digit(world, state, index, c) < world[LENGTH, c]:
            costs[index] = min(costs[index], costs[index + state[STRIDE, c]])


@compiled
def _fit(world: IntArray, state: IntArray, costs: IntArray) -> None:
    for index in range(len(costs)):
        held = 0
        for c in range(world[SIZE, CONVERSATIONS]):
            held += digit(world, state, index, c)
        if held > world[CASE, CAPACITY]:
            costs[index] = FAR
