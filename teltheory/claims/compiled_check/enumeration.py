"""Every case of a class, once, and what a check says of them.

A class is cut in pieces, each a way in which turns visit conversations and a first length, so that no compiled
call is long: one can be interrupted between two of them, and their tallies add up whatever their order.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import numpy as np

from teltheory.claims.compiled_check.judge import judge
from teltheory.claims.compiled_check.layout import (
    AFTER,
    CAPACITY,
    CASE,
    CONTINUING,
    ESTIMATE,
    FORCED,
    LABEL,
    LEAST_CAPACITY,
    LONGEST,
    OUT_WIDTH,
    OUTSIDE,
    PROMPT,
    PROMPTS,
    REFUTED,
    RESPONSE,
    SIZE,
    STAMP,
    START_HELD,
    START_PAST,
    STARTS,
    STATE_ROWS,
    TOKENS,
    TURNS,
    WIDTH,
    XI,
    describe,
    new_world,
)
from teltheory.claims.compiled_check.outcomes import new_memo
from teltheory.model.numbers import IntArray
from teltheory.replay.compiled import compiled

ALL_CAPACITIES, FIRST_PAST = range(2)
ALL_THRESHOLDS, ZERO = range(2)
NO_ESTIMATE, UPPER_BOUNDS, FROM_XI, MEAN_OF_ALL, MEAN_OF_CONTINUING, FROM_LONGEST, BELOW_LONGEST = range(7)

KEY = 4 + 6 * WIDTH
"""Length of a case as a row: C, xi, q_hat, (1, past, held) for each start, 0, and the turns."""

WITHIN, REFUTING, SUM = range(3)


class Plan(NamedTuple):
    """What is tried of a world, by the codes of this module, and the check."""

    check: int
    capacities: int
    thresholds: int
    estimates: int
    forced: bool
    least: int = 0


class Size(NamedTuple):
    """A class of worlds."""

    turns: int
    conversations: int
    tokens: int
    starts: int


class Piece(NamedTuple):
    """A part of a class: which conversation each turn visits, and the first length, above the least."""

    size: Size
    labels: tuple[int, ...]
    first: int


def pieces(size: Size, least: int = 0) -> Iterator[Piece]:
    """Yield the pieces of a class, in which no prompt and no response is below the least."""
    more = size.tokens - 2 * size.turns * least
    for labels in product(range(size.conversations), repeat=size.turns):
        seen = size.starts
        for label in labels:
            if label > seen:
                break
            seen = max(seen, label + 1)
        else:
            if seen == size.conversations:
                alone = 2 * size.turns - 1 + size.starts == 1
                yield from (Piece(size, labels, first) for first in range(more * alone, more + 1))


def tally_piece(plan: Plan, piece: Piece, rows: int = 0) -> tuple[IntArray, IntArray]:
    """Check a piece; return totals and cases as rows of length `KEY`.

    The totals are the cases within the hypotheses, those that refute, and a sum of their values with weights,
    modulo 2^64. The rows are the smallest case that refutes, working room, and up to `rows` cases that refute as
    found.
    """
    size = piece.size
    world = new_world(size.turns, size.conversations, size.starts, size.tokens)
    world[LABEL, : size.turns] = piece.labels
    world[CASE, FORCED] = plan.forced
    found = np.zeros((2 + rows, KEY), np.int64)
    memo = new_memo(size.tokens)
    ranges = plan.capacities, plan.thresholds, plan.estimates, plan.least
    return _tally(plan.check, *ranges, world, memo, piece.first, found), found


@compiled
def _tally(
    check: int,
    capacities: int,
    thresholds: int,
    estimates: int,
    lowest: int,
    world: IntArray,
    memo: IntArray,
    first: int,
    found: IntArray,
) -> IntArray:
    state, out = np.zeros((STATE_ROWS, WIDTH), np.int64), np.zeros(OUT_WIDTH, np.int64)
    totals = np.zeros(3, np.int64)
    split = np.zeros(2 * world[SIZE, TURNS] - 1 + world[SIZE, STARTS], np.int64)
    split[-1] = world[SIZE, TOKENS] - 2 * lowest * world[SIZE, TURNS] - first
    split[0] += first
    more = True
    while more:
        _place(world, split, lowest)
        held = True
        while held:
            describe(world)
            _tally_world(check, capacities, thresholds, estimates, lowest, world, state, memo, out, totals, found)
            held = _next_held(world)
        more = _next_split(split)
    return totals


@compiled
def _place(world: IntArray, split: IntArray, lowest: int) -> None:
    """Give the lengths to the starts, which hold nothing yet, then above the least to prompts and responses."""
    starts, n = world[SIZE, STARTS], world[SIZE, TURNS]
    for c in range(starts):
        world[START_PAST, c], world[START_HELD, c] = split[c], 0
    for turn in range(n):
        world[PROMPT, turn] = lowest + split[starts + 2 * turn]
        world[RESPONSE, turn] = lowest + (split[starts + 2 * turn + 1] if turn < n - 1 else 0)


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
def _next_held(world: IntArray) -> bool:
    """Go to the next initial cache with the same pasts; return whether there was one."""
    for c in range(world[SIZE, STARTS]):
        if world[START_HELD, c] < world[START_PAST, c]:
            world[START_HELD, c] += 1
            return True
        world[START_HELD, c] = 0
    return False


@compiled
def _tally_world(
    check: int,
    capacities: int,
    thresholds: int,
    estimates: int,
    lowest: int,
    world: IntArray,
    state: IntArray,
    memo: IntArray,
    out: IntArray,
    totals: IntArray,
    found: IntArray,
) -> None:
    tokens = world[SIZE, TOKENS]
    least, most = max(lowest, world[SIZE, LEAST_CAPACITY]), tokens
    if capacities == FIRST_PAST:
        least = most = world[AFTER, 0]
    for capacity in range(least, most + 1):
        world[CASE, CAPACITY] = capacity
        world[CASE, STAMP] += 1
        for xi in range(0 if thresholds == ZERO else lowest, 1 if thresholds == ZERO else tokens + 1):
            world[CASE, XI] = xi
            low, high = _estimates(estimates, world, xi)
            for estimate in range(low if estimates == NO_ESTIMATE else max(low, lowest), high + 1):
                world[CASE, ESTIMATE] = estimate
                _count(judge(check, world, state, memo, out), world, out, totals, found)


@compiled
def _estimates(which: int, world: IntArray, xi: int) -> tuple[int, int]:
    """Return the least and the largest estimate to try; none where the first is larger."""
    longest = world[SIZE, LONGEST]
    if which == UPPER_BOUNDS:
        return longest, max(longest, xi)
    if which == FROM_XI:
        return xi, xi + 1
    if which == FROM_LONGEST:
        return longest, world[SIZE, TOKENS] + 1
    if which == BELOW_LONGEST:
        return 0, longest - 1
    if which == NO_ESTIMATE:
        return 0, 0
    return _whole_mean(which, world)


@compiled
def _whole_mean(which: int, world: IntArray) -> tuple[int, int]:
    total, number = world[SIZE, PROMPTS], max(1, world[SIZE, CONTINUING])
    if which == MEAN_OF_ALL:
        total, number = 0, world[SIZE, TURNS]
        for turn in range(number):
            total += world[PROMPT, turn]
    mean = total // number
    return mean, mean if mean * number == total else mean - 1


@compiled
def _count(answer: int, world: IntArray, out: IntArray, totals: IntArray, found: IntArray) -> None:
    if answer == OUTSIDE:
        return
    totals[WITHIN] += 1
    values = 0
    for i in range(out[0]):
        values += (i + 1) * out[1 + i]
    totals[SUM] += values * (1 + world[CASE, CAPACITY] + 31 * world[CASE, XI] + 961 * world[CASE, ESTIMATE])
    if answer == REFUTED:
        totals[REFUTING] += 1
        _note(world, found, totals[REFUTING])


@compiled
def _note(world: IntArray, found: IntArray, number: int) -> None:
    """Keep the case where it is the smallest so far, and where there is room for all."""
    _write_key(world, found[1])
    if number == 1 or _is_smaller(found[1], found[0]):
        found[0] = found[1]
    if number + 1 < len(found):
        found[number + 1] = found[1]


@compiled
def _write_key(world: IntArray, key: IntArray) -> None:
    key[:] = 0
    key[0], key[1], key[2] = world[CASE, CAPACITY], world[CASE, XI], world[CASE, ESTIMATE]
    at = 3
    for c in range(world[SIZE, STARTS]):
        key[at], key[at + 1], key[at + 2] = 1, world[START_PAST, c], world[START_HELD, c]
        at += 3
    for turn in range(world[SIZE, TURNS]):
        key[at + 1], key[at + 2] = world[LABEL, turn], world[PROMPT, turn]
        key[at + 3] = world[RESPONSE, turn]
        at += 3


@compiled
def _is_smaller(first: IntArray, second: IntArray) -> bool:
    for i in range(KEY):
        if first[i] != second[i]:
            return bool(first[i] < second[i])
    return False
