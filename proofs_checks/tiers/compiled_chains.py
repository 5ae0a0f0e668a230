"""The replays of `plain_chains` a second time, compiled, for the enumeration of many more cases.

A trace is four columns: conversation, prompt, response, and the prompt that comes next in the conversation.
"""

from typing import NamedTuple

import numpy as np

from teltheory.model.numbers import IntArray
from teltheory.replay.compiled import compiled, uncounted

LRU, FLAT, SCALED, DOWN, LAST = range(5)
ROUND_ROBIN, LEAST_RECENT, EAGER = range(3)
EXACT, UPPER_BOUNDS, TOO_SMALL = range(3)
WITHIN, REFUTING, SUM = range(3)


class Check(NamedTuple):
    """What T-LRU has in each tier and how it trims; whether loading is overlapped, each turn is compared."""

    kinds: IntArray
    trim: int
    overlapped: bool
    each: bool


class Ranges(NamedTuple):
    """Loads to try in parts of so many, the mode, the estimates, and what all numbers have at least."""

    loads: IntArray
    parts: int
    inclusive: bool
    estimates: int
    least: int


class Tiers(NamedTuple):
    """A setting, and what the tiers hold: blocks by tier and conversation."""

    capacities: IntArray
    loads: IntArray
    parts: int
    inclusive: bool
    xi: int
    blocks: IntArray


class Known(NamedTuple):
    """Of each conversation its past, its last turn and its estimate."""

    past: IntArray
    last: IntArray
    estimate: IntArray


@uncounted
def worth(tiers: Tiers, known: Known, kind: int, tier: int, one: int) -> int:
    """Return how many blocks tiers 0 to this one are to hold of a conversation."""
    past = int(known.past[one])
    if kind == LRU:
        return past
    b = min(past, max(0, past + int(known.estimate[one]) - tiers.xi))
    if kind == FLAT:
        return b
    less = tiers.parts - int(tiers.loads[len(tiers.loads) - 1 if kind == LAST else tier])
    more = b * tiers.parts if kind == DOWN else b * tiers.parts + less - 1
    return min(past, more // less)


@uncounted
def surplus(tiers: Tiers, known: Known, kind: int, tier: int, one: int) -> int:
    """Return how many blocks of a tier are above that."""
    held = 0
    for before in range(tier + 1):
        held += int(tiers.blocks[before, one])
    return min(int(tiers.blocks[tier, one]), max(0, held - worth(tiers, known, kind, tier, one)))


@uncounted
def sink(tiers: Tiers, tier: int, one: int, blocks: int) -> None:
    """Move blocks to the next tier, or away."""
    tiers.blocks[tier, one] -= blocks
    if tier + 1 < len(tiers.capacities):
        tiers.blocks[tier + 1, one] += blocks


@uncounted
def overflow(tiers: Tiers, tier: int) -> int:
    """Return what a tier holds above its capacity."""
    over = -int(tiers.capacities[tier])
    for counted in range(0 if tiers.inclusive else tier, tier + 1):
        for one in range(tiers.blocks.shape[1]):
            over += int(tiers.blocks[counted, one])
    return over


@uncounted
def trim(tiers: Tiers, known: Known, check: Check, tier: int, turn: int, over: int) -> int:
    """Trim on overflow; return what overflow is left."""
    more = over > 0
    while more:
        more = False
        for step in range(turn + 1 if check.trim == LEAST_RECENT else 1):
            for one in range(len(known.past)):
                if check.trim == LEAST_RECENT and known.last[one] != step:
                    continue
                extra = surplus(tiers, known, check.kinds[tier], tier, one)
                gone = min(over, min(extra, 1) if check.trim == ROUND_ROBIN else extra)
                sink(tiers, tier, one, gone)
                over -= gone
                more = more or (gone > 0 and over > 0)
    return over


@uncounted
def cut(tiers: Tiers, known: Known, check: Check, tier: int, turn: int) -> None:
    """Cut a tier after a turn."""
    kind = check.kinds[tier]
    if kind != LRU and check.trim == EAGER:
        for one in range(len(known.past)):
            sink(tiers, tier, one, surplus(tiers, known, kind, tier, one))
    over = overflow(tiers, tier)
    if kind != LRU and check.trim != EAGER:
        over = trim(tiers, known, check, tier, turn, over)
    for step in range(turn + 1):
        if over <= 0:
            return
        for one in range(len(known.past)):
            if known.last[one] == step:
                gone = min(over, tiers.blocks[tier, one])
                sink(tiers, tier, one, gone)
                over -= gone


@uncounted
def replay(trace: IntArray, tiers: Tiers, known: Known, check: Check, estimate: int, excess: IntArray) -> None:
    """Replay a trace; `estimate` is -1 for the next prompt. Fills what each turn has above xi, in parts."""
    tiers.blocks[:] = 0
    known.past[:], known.last[:], known.estimate[:] = 0, -1, 0
    for turn in range(len(trace)):
        one, prompt, response = trace[turn, 0], trace[turn, 1], trace[turn, 2]
        computed, loaded = known.past[one] + prompt, 0
        for tier in range(len(tiers.capacities)):
            computed -= tiers.blocks[tier, one]
            loaded += tiers.loads[tier] * tiers.blocks[tier, one]
            tiers.blocks[tier, one] = 0
        computed *= tiers.parts
        took = max(computed, loaded) if check.overlapped else computed + loaded
        excess[turn] = max(0, took - tiers.xi * tiers.parts)
        known.past[one] += prompt + response
        known.last[one] = turn
        known.estimate[one] = trace[turn, 3] if estimate < 0 else estimate
        tiers.blocks[0, one] = known.past[one]
        for tier in range(len(tiers.capacities)):
            cut(tiers, known, check, tier, turn)


@uncounted
def has_less(first: IntArray, second: IntArray, each: bool) -> bool:
    """Whether the first has no more excess than the second: at each turn, or in all."""
    if not each:
        return bool(first.sum() <= second.sum())
    less = True
    for turn in range(len(first)):
        less = less and bool(first[turn] <= second[turn])
    return less


@compiled
def estimates(largest: int, xi: int, ranges: Ranges) -> tuple[int, int]:
    """Return the first estimate to try, and the one behind the last."""
    if ranges.estimates == EXACT:
        return -1, 0
    if ranges.estimates == TOO_SMALL:
        return ranges.least, largest
    return largest, max(largest, xi) + 1


@compiled
def next_row(capacities: IntArray, tokens: int, least: int, inclusive: bool) -> bool:
    """Go on to the next capacities that are allowed, in lexicographic order; return whether there are any."""
    while True:
        place = len(capacities) - 1
        while place >= 0 and capacities[place] == tokens:
            capacities[place] = least
            place -= 1
        if place < 0:
            return False
        capacities[place] += 1
        rising = True
        for tier in range(1, len(capacities)):
            rising = rising and capacities[tier - 1] <= capacities[tier]
        if rising if inclusive else capacities.sum() <= tokens:
            return True


@compiled
def tally_trace(trace: IntArray, largest: int, check: Check, ranges: Ranges) -> tuple[IntArray, IntArray]:
    """Check every setting of a trace whose largest continuing prompt is given.

    Return the cases within the hypotheses, those that refute and the sum of all values; and the smallest that
    refutes: capacities, number of the loads, xi, q_hat.
    """
    turns, tiers = len(trace), ranges.loads.shape[1]
    tokens, conversations = trace[:, 1:3].sum(), trace[:, 0].max() + 1
    counts, smallest = np.zeros(3, np.int64), np.zeros(tiers + 3, np.int64)
    lru = Check(np.zeros(tiers, np.int64), LEAST_RECENT, check.overlapped, check.each)
    column = np.zeros(conversations, np.int64)
    known = Known(column, column.copy(), column.copy())
    blocks = np.zeros((tiers, conversations), np.int64)
    first, took = np.zeros(turns, np.int64), np.zeros(turns, np.int64)
    capacities = np.full(tiers, ranges.least, np.int64)
    more = capacities.max() <= tokens and (ranges.inclusive or capacities.sum() <= tokens)
    while more:
        for number in range(len(ranges.loads)):
            # LRU knows no xi: what its turns take is what they have above 0
            setting = Tiers(capacities, ranges.loads[number], ranges.parts, ranges.inclusive, 0, blocks)
            replay(trace, setting, known, lru, 0, took)
            for xi in range(ranges.least, tokens + 1):
                setting = Tiers(capacities, ranges.loads[number], ranges.parts, ranges.inclusive, xi, blocks)
                second = np.maximum(took - xi * ranges.parts, 0)
                low, high = estimates(largest, xi, ranges)
                for q_hat in range(low, high):
                    replay(trace, setting, known, check, q_hat, first)
                    counts[WITHIN] += 1
                    counts[SUM] += first.sum() + second.sum()
                    if not has_less(first, second, check.each):
                        if counts[REFUTING] == 0:
                            smallest[:tiers] = capacities
                            smallest[tiers], smallest[tiers + 1], smallest[tiers + 2] = number, xi, q_hat
                        counts[REFUTING] += 1
        more = next_row(capacities, tokens, ranges.least, ranges.inclusive)
    return counts, smallest
