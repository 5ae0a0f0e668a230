"""A replay of tiny worlds under a policy that is a row of rules; written on its own, to be compared.

After each turn but the last: drop, trim all surplus where that is the rule, and on overflow trim, then evict.
A conversation's surplus is what it holds above its budget: its whole past, or its past less a level (xi - q_hat),
or its past and its next prompt less a level (xi), nothing where it never returns.
"""

from __future__ import annotations

import numpy as np

from teltheory.claims.compiled_check.layout import (
    AFTER,
    CACHED,
    CASE,
    CONVERSATIONS,
    FIRST,
    FORCED,
    KNOWN,
    LABEL,
    NEXT,
    ORDER,
    PAST,
    PROMPT,
    SIZE,
    START_HELD,
    START_PAST,
    STARTS,
    SURPLUS,
    TURNS,
    UPCOMING,
    codes,
)
from teltheory.model.numbers import IntArray
from teltheory.replay.compiled import compiled

LRU, ROUND_ROBIN, LEAST_RECENT, EAGER, THRESHOLD = codes(range(5))
END_AWARE, LENGTH_AWARE, TAIL_OPTIMIZED, LATEST_FIRST = codes((5, 8, 11, 12))
"""End-Aware and Length-Aware T-LRU have three codes each, in the order round-robin, least-recent, eager."""

DROPS, BUDGET, TRIM, FURTHEST = range(4)
NOTHING, SHORT, GONE = codes(range(3))
WHOLE, ESTIMATED, EXACT = codes(range(3))
IN_ROUNDS, BY_RECENCY, ALWAYS, GONE_FIRST, LATEST = codes(range(5))
(SOON,) = codes((0,))

RULES = np.array(
    [
        (NOTHING, WHOLE, BY_RECENCY, 0),
        (NOTHING, ESTIMATED, IN_ROUNDS, 0),
        (NOTHING, ESTIMATED, BY_RECENCY, 0),
        (NOTHING, ESTIMATED, ALWAYS, 0),
        (SHORT, WHOLE, BY_RECENCY, 0),
        (GONE, ESTIMATED, IN_ROUNDS, 0),
        (GONE, ESTIMATED, BY_RECENCY, 0),
        (GONE, ESTIMATED, ALWAYS, 0),
        (GONE, EXACT, IN_ROUNDS, 0),
        (GONE, EXACT, BY_RECENCY, 0),
        (GONE, EXACT, ALWAYS, 0),
        (NOTHING, EXACT, GONE_FIRST, 1),
        (NOTHING, ESTIMATED, LATEST, 0),
    ]
)


@compiled
def begin(world: IntArray, state: IntArray) -> None:
    """Set up the initial cache."""
    for c in range(world[SIZE, CONVERSATIONS]):
        state[CACHED, c] = world[START_HELD, c]
        state[PAST, c] = world[START_PAST, c]
        state[UPCOMING, c] = world[FIRST, c]
        state[ORDER, c] = c
    state[KNOWN, 0] = world[SIZE, STARTS]


@compiled
def arrive(world: IntArray, state: IntArray, turn: int) -> int:
    """Let a turn's conversation arrive, grow and be the most recent; return what it reuses."""
    c = world[LABEL, turn]
    reused = state[CACHED, c]
    state[CACHED, c] = state[PAST, c] = world[AFTER, turn]
    state[UPCOMING, c] = world[NEXT, turn]
    place, known = 0, state[KNOWN, 0]
    while place < known and state[ORDER, place] != c:
        place += 1
    if place == known:
        known = state[KNOWN, 0] = known + 1
    for i in range(place, known - 1):
        state[ORDER, i] = state[ORDER, i + 1]
    state[ORDER, known - 1] = c
    return int(reused)


@compiled
def held(state: IntArray) -> int:
    """Return what the cache holds."""
    total = 0
    for c in range(state[KNOWN, 0]):
        total += state[CACHED, c]
    return total


@compiled
def budget(world: IntArray, state: IntArray, kind: int, level: int, c: int) -> int:
    """Return what of a conversation is worth keeping."""
    past = state[PAST, c]
    if kind == WHOLE:
        return int(past)
    prompt = 0
    if kind == EXACT:
        if state[UPCOMING, c] == world[SIZE, TURNS]:
            return 0
        prompt = world[PROMPT, state[UPCOMING, c]]
    return int(min(past, max(0, past + prompt - level)))


@compiled
def simulate(world: IntArray, state: IntArray, policy: int, level: int, capacity: int, reused: IntArray) -> None:
    """Write down what each turn reuses under a policy; `level` is xi - q_hat, xi, or the cutoff."""
    n, forced = world[SIZE, TURNS], world[CASE, FORCED]
    begin(world, state)
    for turn in range(n):
        reused[turn] = arrive(world, state, turn)
        if turn < n - 1:
            _cut(world, state, policy, level, capacity, world[LABEL, turn] if forced else -1)


@compiled
def _cut(world: IntArray, state: IntArray, policy: int, level: int, capacity: int, exempt: int) -> None:
    if RULES[policy, DROPS] != NOTHING:
        _drop(world, state, RULES[policy, DROPS], level, exempt)
    if RULES[policy, TRIM] == ALWAYS:
        _find_surplus(world, state, RULES[policy, BUDGET], level, exempt)
        for c in range(state[KNOWN, 0]):
            state[CACHED, c] -= state[SURPLUS, c]
    over = held(state) - capacity
    if over > 0 and RULES[policy, BUDGET] != WHOLE:
        _find_surplus(world, state, RULES[policy, BUDGET], level, exempt)
        over = _trim(world, state, RULES[policy, TRIM], over)
    if over > 0:
        _evict(state, RULES[policy, FURTHEST], exempt, over)


@compiled
def _drop(world: IntArray, state: IntArray, which: int, level: int, exempt: int) -> None:
    for c in range(state[KNOWN, 0]):
        is_short = which == SHORT and state[PAST, c] <= level
        is_gone = which == GONE and state[UPCOMING, c] == world[SIZE, TURNS]
        if (is_short or is_gone) and c != exempt:
            state[CACHED, c] = 0


@compiled
def _find_surplus(world: IntArray, state: IntArray, kind: int, level: int, exempt: int) -> None:
    for c in range(state[KNOWN, 0]):
        above = state[CACHED, c] - budget(world, state, kind, level, c)
        state[SURPLUS, c] = 0 if c == exempt else max(0, above)


@compiled
def _trim(world: IntArray, state: IntArray, how: int, over: int) -> int:
    if how == IN_ROUNDS:
        return _trim_in_rounds(state, over)
    if how == GONE_FIRST:
        over = _trim_in_order(state, how, world[SIZE, TURNS], over)
    return _trim_in_order(state, how, SOON, over)


@compiled
def _trim_in_rounds(state: IntArray, over: int) -> int:
    trimming = True
    while trimming:
        trimming = False
        for c in range(state[KNOWN, 0]):
            if over > 0 and state[SURPLUS, c] > 0:
                state[CACHED, c] -= 1
                state[SURPLUS, c] -= 1
                over -= 1
                trimming = True
    return over


@compiled
def _trim_in_order(state: IntArray, how: int, from_turn: int, over: int) -> int:
    """Trim conversations that return at a turn or later; the number of turns stands for never."""
    known = state[KNOWN, 0]
    for i in range(known):
        c = known - 1 - i if how == LATEST else state[ORDER, i]
        if state[UPCOMING, c] < from_turn:
            continue
        trimmed = min(state[SURPLUS, c], over)
        state[CACHED, c] -= trimmed
        state[SURPLUS, c] -= trimmed
        over -= trimmed
    return over


@compiled
def _evict(state: IntArray, furthest: int, exempt: int, over: int) -> None:
    while over > 0:
        victim = -1
        for i in range(state[KNOWN, 0]):
            c = state[ORDER, i]
            if state[CACHED, c] == 0 or c == exempt:
                continue
            if victim < 0 or (furthest and state[UPCOMING, c] > state[UPCOMING, victim]):
                victim = c
        evicted = min(state[CACHED, victim], over)
        state[CACHED, victim] -= evicted
        over -= evicted
