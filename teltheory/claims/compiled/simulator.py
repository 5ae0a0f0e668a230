"""A replay of tiny worlds under a policy that is a row of rules; written on its own, to be compared.

After each turn but the last: drop, trim all surplus where that is the rule, and on overflow trim, then evict.
A conversation's surplus is what it holds above its budget: its whole past, or its past less a level (xi - q_hat),
or its past and its next prompt less a level (xi), nothing where it never returns.
"""

import numpy as np

from teltheory.claims.compiled.layout import WIDTH, Tiny, codes
from teltheory.model.numbers import IntArray
from teltheory.replay.compiled import compiled

LRU, ROUND_ROBIN, LEAST_RECENT, EAGER, THRESHOLD = codes(range(5))
END_AWARE, LENGTH_AWARE, TAIL_OPTIMIZED, BELADY, LATEST_FIRST = codes((5, 8, 11, 12, 13))
"""End-Aware and Length-Aware T-LRU have three codes each, in the order round-robin, least-recent, eager."""

DROPS, BUDGET, TRIM, FURTHEST, LEVEL = range(5)
NOTHING, SHORT, GONE = codes(range(3))
WHOLE, ESTIMATED, EXACT = codes(range(3))
IN_ROUNDS, BY_RECENCY, ALWAYS, GONE_FIRST, LATEST = codes(range(5))
ZERO, SHIFT, THRESHOLD_ALONE = range(3)

RULES = np.array(
    [
        (NOTHING, WHOLE, BY_RECENCY, 0, ZERO),
        *((NOTHING, ESTIMATED, trim, 0, SHIFT) for trim in (IN_ROUNDS, BY_RECENCY, ALWAYS)),
        (SHORT, WHOLE, BY_RECENCY, 0, SHIFT),
        *((GONE, ESTIMATED, trim, 0, SHIFT) for trim in (IN_ROUNDS, BY_RECENCY, ALWAYS)),
        *((GONE, EXACT, trim, 0, THRESHOLD_ALONE) for trim in (IN_ROUNDS, BY_RECENCY, ALWAYS)),
        (NOTHING, EXACT, GONE_FIRST, 1, THRESHOLD_ALONE),
        (NOTHING, EXACT, GONE_FIRST, 1, ZERO),
        (NOTHING, ESTIMATED, LATEST, 0, SHIFT),
    ]
)


@compiled
def begin(tiny: Tiny) -> None:
    """Set up the initial cache."""
    for c in range(WIDTH):
        tiny.cached[c], tiny.past[c] = tiny.start_held[c], tiny.start_past[c]
        tiny.upcoming[c], tiny.order[c] = tiny.first[c], c
    tiny.known = tiny.starts


@compiled
def arrive(tiny: Tiny, turn: int) -> int:
    """Let a turn's conversation arrive, grow and be the most recent; return what it reuses."""
    c = tiny.label[turn]
    reused = tiny.cached[c]
    tiny.cached[c] = tiny.past[c] = tiny.after[turn]
    tiny.upcoming[c] = tiny.next[turn]
    place, known = 0, tiny.known
    while place < known and tiny.order[place] != c:
        place += 1
    if place == known:
        known = tiny.known = known + 1
    for i in range(place, known - 1):
        tiny.order[i] = tiny.order[i + 1]
    tiny.order[known - 1] = c
    return int(reused)


@compiled
def budget(tiny: Tiny, kind: int, level: int, c: int) -> int:
    """Return what of a conversation is worth keeping."""
    past = tiny.past[c]
    if kind == WHOLE:
        return int(past)
    prompt = 0
    if kind == EXACT:
        if tiny.upcoming[c] == tiny.turns:
            return 0
        prompt = tiny.prompt[tiny.upcoming[c]]
    return int(min(past, max(0, past + prompt - level)))


@compiled
def level_of(tiny: Tiny, policy: int) -> int:
    """Return a policy's level in the case."""
    if RULES[policy, LEVEL] == ZERO:
        return 0
    return int(tiny.xi - (tiny.estimate if RULES[policy, LEVEL] == SHIFT else 0))


@compiled
def simulate(tiny: Tiny, policy: int, level: int, capacity: int, reused: IntArray) -> None:
    """Write down what each turn reuses under a policy."""
    begin(tiny)
    for turn in range(tiny.turns):
        reused[turn] = arrive(tiny, turn)
        if turn < tiny.turns - 1:
            _cut(tiny, RULES[policy], level, capacity, tiny.label[turn] if tiny.forced else -1)


@compiled
def _cut(tiny: Tiny, rule: IntArray, level: int, capacity: int, exempt: int) -> None:
    if rule[DROPS] != NOTHING:
        _drop(tiny, rule[DROPS], level, exempt)
    if rule[TRIM] == ALWAYS:
        _find_surplus(tiny, rule[BUDGET], level, exempt)
        tiny.cached[:] -= tiny.surplus
    over = tiny.cached.sum() - capacity
    if over > 0 and rule[BUDGET] != WHOLE:
        _find_surplus(tiny, rule[BUDGET], level, exempt)
        over = _trim(tiny, rule[TRIM], over)
    if over > 0:
        _evict(tiny, rule[FURTHEST], exempt, over)


@compiled
def _drop(tiny: Tiny, which: int, level: int, exempt: int) -> None:
    for c in range(tiny.known):
        is_short = which == SHORT and tiny.past[c] <= level
        is_gone = which == GONE and tiny.upcoming[c] == tiny.turns
        if (is_short or is_gone) and c != exempt:
            tiny.cached[c] = 0


@compiled
def _find_surplus(tiny: Tiny, kind: int, level: int, exempt: int) -> None:
    tiny.surplus[:] = 0
    for c in range(tiny.known):
        if c != exempt:
            tiny.surplus[c] = max(0, tiny.cached[c] - budget(tiny, kind, level, c))


@compiled
def _trim(tiny: Tiny, how: int, over: int) -> int:
    while how == IN_ROUNDS and over > 0 and tiny.surplus.any():
        for c in range(tiny.known):
            over -= _taken(tiny, c, min(over, 1))
    for never in range(1 if how == GONE_FIRST else 0, -1, -1):
        for i in range(tiny.known):
            c = tiny.known - 1 - i if how == LATEST else tiny.order[i]
            if not never or tiny.upcoming[c] == tiny.turns:
                over -= _taken(tiny, c, over)
    return over


@compiled
def _taken(tiny: Tiny, c: int, most: int) -> int:
    """Trim a conversation by at most so much; return by how much."""
    trimmed = min(tiny.surplus[c], most)
    tiny.cached[c] -= trimmed
    tiny.surplus[c] -= trimmed
    return int(trimmed)


@compiled
def _evict(tiny: Tiny, furthest: int, exempt: int, over: int) -> None:
    while over > 0:
        victim = -1
        for c in tiny.order[: tiny.known]:
            if tiny.cached[c] == 0 or c == exempt:
                continue
            if victim < 0 or (furthest and tiny.upcoming[c] > tiny.upcoming[victim]):
                victim = c
        evicted = min(tiny.cached[victim], over)
        tiny.cached[victim] -= evicted
        over -= evicted
