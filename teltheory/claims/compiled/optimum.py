"""The least cost over every cache state, and the least bound over every set of steps, on tiny worlds.

A state, one digit a conversation (what it holds, up to its last past), is an index. What may be kept of what is
available is any prefix of each conversation: the least cost of a state is the least over all states that hold no
less of any conversation, which is one pass a conversation from the largest digit down.
"""

import numpy as np

from teltheory.claims.compiled.layout import Tiny, codes
from teltheory.model.numbers import IntArray
from teltheory.replay.compiled import compiled

EXCESS, MOST_ABOVE, FEWEST_ABOVE, CAPPED_REUSE = codes(range(4))
"""TEL; TEL, then the most blocks above the caps; then the fewest; minus the reuse, with none above the caps."""

UNIT = 1 << 20
"""A token of TEL beside the blocks above the caps."""

FAR = 1 << 50


@compiled
def states(tiny: Tiny) -> int:
    """Return the number of cache states, and set the stride of each conversation's digit."""
    size = 1
    for c in range(tiny.conversations):
        tiny.stride[c] = size
        size *= tiny.length[c] + 1
    return size


@compiled
def digit(tiny: Tiny, index: int, c: int) -> int:
    """Return what a conversation holds in a state."""
    return int(index // tiny.stride[c] % (tiny.length[c] + 1))


@compiled
def least_cost(tiny: Tiny, objective: int) -> int:
    """Return the least cost that any policy reaches, at the capacity of the case."""
    costs = np.full(states(tiny), FAR)
    costs[(tiny.start_held * tiny.stride)[: tiny.conversations].sum()] = 0
    for turn in range(tiny.turns):
        costs = _arrived(tiny, costs, turn, objective)
        if turn == tiny.turns - 1:
            break
        exempt = tiny.label[turn] if tiny.forced else -1
        for c in range(tiny.conversations):
            if c != exempt:
                _keep_any_prefix(tiny, costs, c)
        _fit(tiny, costs)
    return int(costs.min())


@compiled
def _arrived(tiny: Tiny, costs: IntArray, turn: int, objective: int) -> IntArray:
    c, after = tiny.label[turn], np.full(len(costs), FAR)
    for index in range(len(costs)):
        if costs[index] < FAR:
            reused = digit(tiny, index, c)
            cost = costs[index] + _price(tiny, turn, reused, objective)
            whole = index + (tiny.after[turn] - reused) * tiny.stride[c]
            after[whole] = min(after[whole], cost)
    return after


@compiled
def _price(tiny: Tiny, turn: int, reused: int, objective: int) -> int:
    above = max(0, reused - max(0, tiny.total[turn] - tiny.xi))
    if objective == CAPPED_REUSE:
        return 2 * FAR if above else -reused
    excess = max(0, tiny.total[turn] - reused - tiny.xi)
    if objective == EXCESS:
        return int(excess)
    return int(UNIT * excess + (above if objective == FEWEST_ABOVE else -above))


@compiled
def _keep_any_prefix(tiny: Tiny, costs: IntArray, c: int) -> None:
    for index in range(len(costs) - 1, -1, -1):
        if digit(tiny, index, c) < tiny.length[c]:
            costs[index] = min(costs[index], costs[index + tiny.stride[c]])


@compiled
def _fit(tiny: Tiny, costs: IntArray) -> None:
    for index in range(len(costs)):
        held = 0
        for c in range(tiny.conversations):
            held += digit(tiny, index, c)
        if held > tiny.capacity:
            costs[index] = FAR


@compiled
def least_bound(tiny: Tiny) -> int:
    """Return the least, over sets of steps, of their rooms and the caps of intervals that cover none of them."""
    least = FAR
    for chosen in range(1 << tiny.turns):
        bound = 0
        for turn in range(tiny.turns):
            if chosen >> turn & 1:
                bound += tiny.capacity - (tiny.after[turn - 1] if tiny.forced and turn > 0 else 0)
            bound += _cap_outside(tiny, chosen, turn)
        least = min(least, bound)
    return least


@compiled
def _cap_outside(tiny: Tiny, chosen: int, turn: int) -> int:
    """Return the most that is worth reusing at a turn, 0 if a step of its interval is chosen.

    Steps count from 0; at a step the cache is that before the turn of this number.
    """
    c, earlier = tiny.label[turn], turn - 1
    while earlier >= 0 and tiny.label[earlier] != c:
        earlier -= 1
    for step in range(earlier + 1 + (1 if tiny.forced and earlier >= 0 else 0), turn + 1):
        if chosen >> step & 1:
            return 0
    cap = min(tiny.total[turn] - tiny.prompt[turn], max(0, tiny.total[turn] - tiny.xi))
    if c < tiny.starts and earlier < 0:
        cap = min(cap, tiny.start_held[c])
    return int(cap)
