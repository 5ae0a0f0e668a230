"""Checks of Figure 1 (`proofs_checks/tail_optimized/figures_1_2.py`), compiled."""

from __future__ import annotations

from teltheory.claims.compiled_check.layout import AFTER, CASE, OUTSIDE, PROMPT, REFUTED, TOTAL, TRUE, XI, put
from teltheory.claims.compiled_check.simulator import LRU, simulate
from teltheory.model.numbers import IntArray
from teltheory.replay.compiled import compiled

BUDGET, BUDGET_EXISTS, BUDGET_EXISTS_REPAIRED = range(3)


@compiled
def figures(check: int, world: IntArray, state: IntArray, memo: IntArray, out: IntArray) -> int:
    """Replay a second turn with 0, 1, ... L blocks of the first kept."""
    xi, length = world[CASE, XI], world[AFTER, 0]
    needed = length + world[PROMPT, 1] - xi
    if check != BUDGET and needed <= 0:
        return OUTSIDE
    if check == BUDGET_EXISTS_REPAIRED and xi < world[PROMPT, 1]:
        return OUTSIDE
    as_stated, least = True, world[TOTAL, 1]
    for kept in range(length + 1):
        simulate(world, state, LRU, 0, kept, memo[0])
        excess = max(0, world[TOTAL, 1] - memo[0, 1] - xi)
        put(out, excess)
        least = min(least, excess)
        as_stated = as_stated and excess == max(0, needed - kept)
    put(out, needed)
    holds = as_stated if check == BUDGET else least == 0
    return TRUE if holds else REFUTED
