"""Every case of a class, once, and what a check says of them.

A class is cut in pieces, each a way in which turns visit conversations and a first length, so that no compiled
call is long: one can be interrupted between two of them, and their tallies add up whatever their order.
"""

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import numpy as np

from teltheory.claims.compiled.checks import CHECKS, judge
from teltheory.claims.compiled.layout import OUTSIDE, REFUTED, WIDTH, Tiny, describe, new_tiny
from teltheory.model.numbers import IntArray
from teltheory.replay.compiled import compiled

CAPACITIES = {"all": 0, "first past": 1}
THRESHOLDS = {"all": 0, "zero": 1}
NO_ESTIMATE, UPPER_BOUNDS, FROM_XI, FROM_LONGEST, BELOW_LONGEST, MEAN_OF_ALL, MEAN_OF_CONTINUING = range(7)
ESTIMATES = {
    "none": NO_ESTIMATE,
    "upper bounds": UPPER_BOUNDS,
    "from xi": FROM_XI,
    "from longest": FROM_LONGEST,
    "below longest": BELOW_LONGEST,
    "mean of all": MEAN_OF_ALL,
    "mean of continuing": MEAN_OF_CONTINUING,
}

PARAMETERS = 3
KEY = PARAMETERS + 4 * WIDTH
"""Length of a case as a row: C, xi, q_hat, past and held of each start, prompt and response of each turn."""

WITHIN, REFUTING, SUM = range(3)


class WorldPlan(NamedTuple):
    """What is tried of a world: names of a check and of ranges, the caching mode and the least length."""

    check: str
    capacities: str
    thresholds: str
    estimates: str
    forced: bool
    least: int = 0


class ClassPart(NamedTuple):
    """A part of a class: which conversation each turn visits, after the starts, and the first length."""

    labels: tuple[int, ...]
    starts: int
    tokens: int
    first: int


def pieces(turns: int, conversations: int, tokens: int, starts: int, least: int = 0) -> Iterator[ClassPart]:
    """Yield the pieces of a class, in which no prompt and no response is below the least."""
    more = tokens - 2 * turns * least
    alone = 2 * turns - 1 + starts == 1
    for labels in product(range(conversations), repeat=turns):
        if [*dict.fromkeys((*range(starts), *labels))] == [*range(conversations)]:
            yield from (ClassPart(labels, starts, tokens, first) for first in range(more * alone, more + 1))


def tally_piece(plan: WorldPlan, piece: ClassPart) -> tuple[IntArray, IntArray]:
    """Check a piece; return its totals and the smallest case that refutes, as a row of length `KEY`.

    The totals are the cases within the hypotheses, those that refute, and a sum of their values with weights,
    modulo 2^64.
    """
    labels, starts, tokens, first = piece
    conversations = max((starts - 1, *labels)) + 1
    tiny = new_tiny(turns=len(labels), conversations=conversations, starts=starts, tokens=tokens)
    tiny["label"][: len(labels)] = labels
    tiny["check"], tiny["capacities"] = CHECKS[plan.check], CAPACITIES[plan.capacities]
    tiny["thresholds"], tiny["estimates"] = THRESHOLDS[plan.thresholds], ESTIMATES[plan.estimates]
    tiny["forced"], tiny["least"] = plan.forced, plan.least
    return _tally(tiny, first)


@compiled
def _tally(tiny: Tiny, first: int) -> tuple[IntArray, IntArray]:
    totals, smallest = np.zeros(3, np.int64), np.zeros(KEY, np.int64)
    split = np.zeros(2 * tiny.turns - 1 + tiny.starts, np.int64)
    split[-1] = tiny.tokens - 2 * tiny.least * tiny.turns - first
    split[0] += first
    more = True
    while more:
        _place(tiny, split)
        held = True
        while held:
            describe(tiny)
            _tally_world(tiny, totals, smallest)
            held = _next_held(tiny)
        more = _next_split(split)
    return totals, smallest


@compiled
def _place(tiny: Tiny, split: IntArray) -> None:
    """Give the lengths to the starts, which hold nothing yet, then above the least to prompts and responses."""
    for c in range(tiny.starts):
        tiny.start_past[c], tiny.start_held[c] = split[c], 0
    for turn in range(tiny.turns):
        place = tiny.starts + 2 * turn
        tiny.prompt[turn] = tiny.least + split[place]
        tiny.response[turn] = tiny.least + (split[place + 1] if turn < tiny.turns - 1 else 0)


@compiled
def _next_split(split: IntArray) -> bool:
    """Go to the next way to split the tokens after the first length; return whether there was one."""
    last = len(split) - 1
    while last > 1 and split[last] == 0:
        last -= 1
    if last <= 1:
        return False
    rest = split[last] - 1
    split[last] = 0
    split[last - 1] += 1
    split[-1] = rest
    return True


@compiled
def _next_held(tiny: Tiny) -> bool:
    """Go to the next initial cache with the same pasts; return whether there was one."""
    for c in range(tiny.starts):
        if tiny.start_held[c] < tiny.start_past[c]:
            tiny.start_held[c] += 1
            return True
        tiny.start_held[c] = 0
    return False


@compiled
def _tally_world(tiny: Tiny, totals: IntArray, smallest: IntArray) -> None:
    least, most = max(tiny.least, tiny.least_capacity), tiny.tokens
    if tiny.capacities:
        least = most = tiny.after[0]
    for capacity in range(least, most + 1):
        tiny.capacity = capacity
        tiny.stamp += 1
        for xi in range(0 if tiny.thresholds else tiny.least, 1 if tiny.thresholds else tiny.tokens + 1):
            tiny.xi = xi
            low, high = _estimates(tiny)
            for estimate in range(low, high + 1):
                tiny.estimate = estimate
                _count(tiny, judge(tiny.check, tiny), totals, smallest)


@compiled
def _estimates(tiny: Tiny) -> tuple[int, int]:
    """Return the least and the largest estimate to try; none if the first is larger."""
    which, longest = tiny.estimates, tiny.longest
    if which == NO_ESTIMATE:
        return 0, 0
    low, high = 0, longest - 1
    if which == UPPER_BOUNDS:
        low, high = longest, max(longest, tiny.xi)
    elif which == FROM_XI:
        low, high = tiny.xi, tiny.xi + 1
    elif which == FROM_LONGEST:
        low, high = longest, tiny.tokens + 1
    elif which != BELOW_LONGEST:
        total, number = tiny.prompts, max(1, tiny.continuing)
        if which == MEAN_OF_ALL:
            total, number = tiny.prompt[: tiny.turns].sum(), tiny.turns
        low, high = total // number, total // number - (total % number > 0)
    return max(low, tiny.least), high


@compiled
def _count(tiny: Tiny, answer: int, totals: IntArray, smallest: IntArray) -> None:
    if answer == OUTSIDE:
        return
    totals[WITHIN] += 1
    values = 0
    for i in range(1, tiny.out[0] + 1):
        values += i * tiny.out[i]
    totals[SUM] += values * (1 + tiny.capacity + 31 * tiny.xi + 961 * tiny.estimate)
    if answer == REFUTED:
        totals[REFUTING] += 1
        _keep_smaller(tiny, smallest, totals[REFUTING] == 1)


@compiled
def _keep_smaller(tiny: Tiny, smallest: IntArray, is_first: bool) -> None:
    """Keep the case where it is the first or smaller than the one before."""
    key, at = np.zeros(KEY, np.int64), PARAMETERS
    key[0], key[1], key[2] = tiny.capacity, tiny.xi, tiny.estimate
    for c in range(tiny.starts):
        key[at], key[at + 1] = tiny.start_past[c], tiny.start_held[c]
        at += 2
    for turn in range(tiny.turns):
        key[at], key[at + 1] = tiny.prompt[turn], tiny.response[turn]
        at += 2
    different = np.flatnonzero(key != smallest)
    if is_first or (len(different) and key[different[0]] < smallest[different[0]]):
        smallest[:] = key
