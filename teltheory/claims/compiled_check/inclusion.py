"""Checks of inclusion and of reuse in closed form (`proofs_checks/tail_optimized/stack.py`), compiled."""

from __future__ import annotations

from teltheory.claims.compiled_check.layout import (
    CAPACITY,
    CASE,
    KNOWN,
    LABEL,
    ORDER,
    PAST,
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
    ONE_MORE,
    no_more,
    outcome,
    put_reuses,
    same_lists,
    shift,
)
from teltheory.claims.compiled_check.simulator import LEAST_RECENT, LRU, ROUND_ROBIN, arrive, begin
from teltheory.model.numbers import IntArray
from teltheory.replay.compiled import compiled

STACK_LRU, STACK_TLRU, STACK_ROUND_ROBIN = range(3)


@compiled
def inclusion(check: int, world: IntArray, state: IntArray, memo: IntArray, out: IntArray) -> int:
    """Compare what is reused at C with C + 1, and with the formula."""
    n = world[SIZE, TURNS]
    level = NO_LEVEL if check == STACK_LRU else shift(world)
    policy = LRU if check == STACK_LRU else LEAST_RECENT if check == STACK_TLRU else ROUND_ROBIN
    put_reuses(world, memo, outcome(world, state, memo, policy, level, AT_CAPACITY), out)
    put_reuses(world, memo, outcome(world, state, memo, policy, level, ONE_MORE), out)
    included = no_more(out, 0, n, n)
    if check == STACK_ROUND_ROBIN:
        return TRUE if included else REFUTED
    begin(world, state)
    for turn in range(n):
        put(out, _formula(world, state, turn, 0 if check == STACK_LRU else world[CASE, XI]))
        arrive(world, state, turn)
    return TRUE if included and same_lists(out, 0, 2 * n, n) else REFUTED


@compiled
def _formula(world: IntArray, state: IntArray, turn: int, xi: int) -> int:
    """Return clip(C - S, 0, b) + clip(C - S', 0, L - b), from the pasts by recency, most recent first."""
    arriving, capacity, found = world[LABEL, turn], world[CASE, CAPACITY], False
    before, surplus, budgets, length = 0, 0, 0, 0
    for i in range(state[KNOWN, 0] - 1, -1, -1):
        c = state[ORDER, i]
        safe = max(0, state[PAST, c] - xi)
        budgets += safe
        if c == arriving:
            found, length = True, state[PAST, c]
        elif not found:
            before += safe
            surplus += state[PAST, c] - safe
    within = max(0, length - xi)
    low = min(max(capacity - before, 0), within)
    return int(low + min(max(capacity - budgets - surplus, 0), length - within))
