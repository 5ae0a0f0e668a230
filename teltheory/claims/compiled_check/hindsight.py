"""Checks of Theorem B.1 (`proofs_checks/tail_optimized/hindsight.py` and `certificates.py`), compiled."""

from __future__ import annotations

from teltheory.claims.compiled_check.layout import (
    CACHED,
    CAPACITY,
    CASE,
    KNOWN,
    REFUTED,
    SIZE,
    TOTAL,
    TRUE,
    TURNS,
    UPCOMING,
    XI,
    put,
)
from teltheory.claims.compiled_check.optimum import (
    CAPPED_REUSE,
    EXCESS,
    FEWEST_ABOVE,
    MOST_ABOVE,
    UNIT,
    least_cost,
)
from teltheory.claims.compiled_check.outcomes import AT_CAPACITY, NO_LEVEL, outcome, put_reuses, same_lists, tel
from teltheory.claims.compiled_check.proofs import least_bound
from teltheory.claims.compiled_check.simulator import LRU, TAIL_OPTIMIZED, arrive, begin, held
from teltheory.model.numbers import IntArray
from teltheory.replay.compiled import compiled

OPTIMAL, CAP_IS_NECESSARY, CAP_IS_ENOUGH, BELADY, CERTIFIED = range(5)


@compiled
def hindsight(check: int, world: IntArray, state: IntArray, memo: IntArray, out: IntArray) -> int:
    """Compare Tail-Optimized Belady, optima and bounds."""
    if check == CAP_IS_NECESSARY:
        return _cap_is_necessary(world, state, memo, out)
    if check == CAP_IS_ENOUGH:
        return _cap_is_enough(world, state, out)
    if check == BELADY:
        return _belady(world, state, memo, out)
    best = tel(world, memo, outcome(world, state, memo, TAIL_OPTIMIZED, world[CASE, XI], AT_CAPACITY))
    if check == CERTIFIED:
        put(out, _unavoidable(world) - best)
        put(out, least_bound(world))
    else:
        put(out, best)
        put(out, least_cost(world, state, EXCESS))
    return TRUE if out[1] == out[2] else REFUTED


@compiled
def _unavoidable(world: IntArray) -> int:
    """Return the TEL where nothing is ever reused, the sum of (total - xi)+."""
    total = 0
    for turn in range(world[SIZE, TURNS]):
        total += max(0, world[TOTAL, turn] - world[CASE, XI])
    return total


@compiled
def _cap_is_necessary(world: IntArray, state: IntArray, memo: IntArray, out: IntArray) -> int:
    cost = least_cost(world, state, MOST_ABOVE)
    optimum = -(-cost // UNIT)
    above = UNIT * optimum - cost
    put(out, optimum)
    put(out, above)
    lru = outcome(world, state, memo, LRU, NO_LEVEL, AT_CAPACITY)
    put(out, tel(world, memo, lru))
    put_reuses(world, memo, lru, out)
    for turn in range(world[SIZE, TURNS]):
        put(out, max(0, world[TOTAL, turn] - world[CASE, XI]))
    return TRUE if above == 0 else REFUTED


@compiled
def _cap_is_enough(world: IntArray, state: IntArray, out: IntArray) -> int:
    cost = least_cost(world, state, FEWEST_ABOVE)
    capped = _unavoidable(world) + least_cost(world, state, CAPPED_REUSE)
    put(out, cost // UNIT)
    put(out, cost % UNIT)
    put(out, capped)
    return TRUE if cost % UNIT == 0 and capped == cost // UNIT else REFUTED


@compiled
def _belady(world: IntArray, state: IntArray, memo: IntArray, out: IntArray) -> int:
    n, totals, hits = world[SIZE, TURNS], 0, 0
    put_reuses(world, memo, outcome(world, state, memo, TAIL_OPTIMIZED, NO_LEVEL, AT_CAPACITY), out)
    begin(world, state)
    for turn in range(n):
        put(out, arrive(world, state, turn))
        _furthest_first(world, state)
        totals += world[TOTAL, turn]
        hits += out[1 + turn]
    put(out, hits)
    put(out, totals - least_cost(world, state, EXCESS))
    return TRUE if same_lists(out, 0, n, n) and hits == out[out[0]] else REFUTED


@compiled
def _furthest_first(world: IntArray, state: IntArray) -> None:
    """Evict block by block what is needed furthest ahead, until the cache fits."""
    for _ in range(held(state) - world[CASE, CAPACITY]):
        furthest = -1
        for c in range(state[KNOWN, 0]):
            if state[CACHED, c] and (furthest < 0 or state[UPCOMING, c] > state[UPCOMING, furthest]):
                furthest = c
        state[CACHED, furthest] -= 1
