"""Which check: a section of the checks and a number in it."""

from __future__ import annotations

from teltheory.claims.compiled_check import dominance as d
from teltheory.claims.compiled_check import figures as f
from teltheory.claims.compiled_check import hindsight as h
from teltheory.claims.compiled_check import inclusion as i
from teltheory.claims.compiled_check import printed as p
from teltheory.claims.compiled_check import trims as t
from teltheory.claims.compiled_check.dominance import dominance
from teltheory.claims.compiled_check.figures import figures
from teltheory.claims.compiled_check.hindsight import hindsight
from teltheory.claims.compiled_check.inclusion import inclusion
from teltheory.claims.compiled_check.layout import REFUTED
from teltheory.claims.compiled_check.printed import printed
from teltheory.claims.compiled_check.trims import trims
from teltheory.model.numbers import IntArray
from teltheory.replay.compiled import compiled

DOMINANCE, PRINTED, TRIMS, INCLUSION, HINDSIGHT, FIGURES, EVERY = range(7)
ROOM = 10
"""Most checks of a section."""

CHECKS = {
    "TEL of T-LRU and LRU": ROOM * DOMINANCE + d.TELS,
    "excesses of T-LRU and LRU": ROOM * DOMINANCE + d.PER_REQUEST,
    "TEL with any estimate": ROOM * DOMINANCE + d.MEAN,
    "T-LRU is LRU": ROOM * DOMINANCE + d.LARGE_Q,
    "TEL of T-LRU, Threshold-LRU and LRU": ROOM * DOMINANCE + d.CHAIN,
    "TEL of T-LRU and Threshold-LRU": ROOM * DOMINANCE + d.CHAIN_FIRST,
    "TEL of Threshold-LRU and LRU": ROOM * DOMINANCE + d.CHAIN_SECOND,
    "Algorithm 1 with >=": ROOM * PRINTED + p.AS_PRINTED,
    "Algorithm 1, lowest X": ROOM * PRINTED + p.NONNEGATIVE,
    "Algorithm 1, both loops": ROOM * PRINTED + p.TERMINATES,
    "Algorithm 1, trim loop": ROOM * PRINTED + p.TRIM_LOOP,
    "Algorithm 1, LRU loop": ROOM * PRINTED + p.LRU_LOOP,
    "Algorithm 1, repaired": ROOM * PRINTED + p.AS_REPAIRED,
    "Algorithm 1, single pass": ROOM * PRINTED + p.ONE_PASS,
    "all orders": ROOM * TRIMS + t.ALL_ORDERS,
    "named orders": ROOM * TRIMS + t.NAMED,
    "two orders below a prompt": ROOM * TRIMS + t.TWO_BELOW,
    "all orders below a prompt": ROOM * TRIMS + t.ALL_BELOW,
    "always or on overflow": ROOM * TRIMS + t.ALWAYS,
    "inclusion of LRU": ROOM * INCLUSION + i.STACK_LRU,
    "inclusion of T-LRU": ROOM * INCLUSION + i.STACK_TLRU,
    "inclusion, round-robin": ROOM * INCLUSION + i.STACK_ROUND_ROBIN,
    "Tail-Optimized Belady is optimal": ROOM * HINDSIGHT + h.OPTIMAL,
    "caps in every optimum": ROOM * HINDSIGHT + h.CAP_IS_NECESSARY,
    "caps in some optimum": ROOM * HINDSIGHT + h.CAP_IS_ENOUGH,
    "most hits": ROOM * HINDSIGHT + h.BELADY,
    "least bound": ROOM * HINDSIGHT + h.CERTIFIED,
    "excess by blocks kept": ROOM * FIGURES + f.BUDGET,
    "budget exists": ROOM * FIGURES + f.BUDGET_EXISTS,
    "budget exists, xi >= Q": ROOM * FIGURES + f.BUDGET_EXISTS_REPAIRED,
    "every case": ROOM * EVERY,
}
"""Checks by name. The last one refutes on every case, so that an enumeration can be listed."""


@compiled
def judge(check: int, world: IntArray, state: IntArray, memo: IntArray, out: IntArray) -> int:
    """Check a case: write its values to `out`, and return OUTSIDE, TRUE or REFUTED."""
    out[0] = 0
    section, number = check // ROOM, check % ROOM
    if section == DOMINANCE:
        return dominance(number, world, state, memo, out)
    if section == PRINTED:
        return printed(number, world, state, memo, out)
    if section == TRIMS:
        return trims(number, world, state, memo, out)
    return _judge_more(section, number, world, state, memo, out)


@compiled
def _judge_more(section: int, number: int, world: IntArray, state: IntArray, memo: IntArray, out: IntArray) -> int:
    if section == INCLUSION:
        return inclusion(number, world, state, memo, out)
    if section == HINDSIGHT:
        return hindsight(number, world, state, memo, out)
    if section == FIGURES:
        return figures(number, world, state, memo, out)
    return REFUTED
