"""Every way in which an overflow can be taken from the surpluses, on tiny worlds.

The set of reachable cache states is an array of flags over the states of `optimum`; recency and pasts are the same
in all of them.
"""

import numpy as np

from teltheory.claims.compiled.layout import Tiny
from teltheory.claims.compiled.optimum import digit, states
from teltheory.claims.compiled.simulator import EXACT, arrive, begin, budget
from teltheory.model.numbers import BoolArray
from teltheory.replay.compiled import compiled


@compiled
def put_fewest_and_most(tiny: Tiny, kind: int, level: int) -> None:
    """Append the smallest excess of each turn over all orders, then the largest.

    With EXACT budgets know the next prompt, and conversations are dropped right after their last turn.
    """
    n, first = tiny.turns, tiny.out[0]
    reachable = np.zeros(states(tiny), np.bool_)
    reachable[0] = True
    begin(tiny)
    for turn in range(n):
        tiny.out[1 + first + turn], tiny.out[1 + first + n + turn] = _extremes(tiny, reachable, turn)
        arrive(tiny, turn)
        if turn < n - 1:
            reachable = _after_cut(tiny, reachable, turn, kind, level)
    tiny.out[0] += 2 * n


@compiled
def _extremes(tiny: Tiny, reachable: BoolArray, turn: int) -> tuple[int, int]:
    fewest, most = tiny.total[turn], -1
    for index in np.flatnonzero(reachable):
        excess = max(0, tiny.total[turn] - digit(tiny, int(index), tiny.label[turn]) - tiny.xi)
        fewest, most = min(fewest, excess), max(most, excess)
    return fewest, most


@compiled
def _after_cut(tiny: Tiny, reachable: BoolArray, turn: int, kind: int, level: int) -> BoolArray:
    after = np.zeros(len(reachable), np.bool_)
    arriving = tiny.label[turn]
    whole = 0 if kind == EXACT and tiny.next[turn] == tiny.turns else tiny.cached[arriving]
    for index in np.flatnonzero(reachable):
        for c in range(tiny.known):
            tiny.cached[c] = whole if c == arriving else digit(tiny, int(index), c)
        _cut_in_every_way(tiny, kind, level, after)
    return after


@compiled
def _cut_in_every_way(tiny: Tiny, kind: int, level: int, after: BoolArray) -> None:
    over = max(0, tiny.cached.sum() - tiny.capacity)
    tiny.taken[:] = tiny.surplus[:] = 0
    for c in range(tiny.known):
        tiny.surplus[c] = max(0, tiny.cached[c] - budget(tiny, kind, level, c))
    amount = min(over, tiny.surplus.sum())
    while True:
        if tiny.taken.sum() == amount:
            after[_evicted(tiny, over - amount)] = True
        if not _next_taking(tiny):
            return


@compiled
def _next_taking(tiny: Tiny) -> bool:
    """Count up in `taken`, each digit up to the surplus; return whether there was one more."""
    for c in range(tiny.known):
        if tiny.taken[c] < tiny.surplus[c]:
            tiny.taken[c] += 1
            return True
        tiny.taken[c] = 0
    return False


@compiled
def _evicted(tiny: Tiny, over: int) -> int:
    """Return the state after what was taken is trimmed and the rest evicted, least recent first."""
    index = 0
    for c in tiny.order[: tiny.known]:
        kept = tiny.cached[c] - tiny.taken[c]
        evicted = min(kept, over)
        over -= evicted
        index += (kept - evicted) * tiny.stride[c]
    return index
