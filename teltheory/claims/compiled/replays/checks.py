"""Every case of a shape, once, and how two replays of it compare.

A check is a row of numbers: two runs, each a kind of cache, a policy and the room that it has, and whether the
first has no more excess in all, no more excess at each request, or no more hits at each request than the second.
"""

from typing import NamedTuple

import numpy as np

from teltheory.claims.compiled.replays.caches import LRU, Tiny, replay_blocks
from teltheory.claims.compiled.replays.nodes import replay_nodes
from teltheory.model.numbers import IntArray
from teltheory.replay.compiled import compiled

STRICT, HOLES, NODES = range(3)
AS_IT_IS, ONE_MORE, LESS_A_CHUNK, IN_CHUNKS = range(4)
"""Rooms: C, C + 1, C - chunk + 1 or 0, and C / chunk rounded down. In the last two caching is optional, as paths
may be longer."""
EXCESS_IN_ALL, EXCESSES, HITS = range(3)

FIRST, SECOND = range(2)
REFUTED, TRUE = range(2)
WITHIN, REFUTING, SUM = range(3)
CAPACITY, XI, Q_HAT = range(3)


class Check(NamedTuple):
    """Cache, policy and room of both runs; tokens of a chunk and whether splits renew; what is compared."""

    caches: IntArray
    policies: IntArray
    rooms: IntArray
    chunk: int
    renew: bool
    relation: int


class Ranges(NamedTuple):
    """What is tried of a shape.

    Any ask or whole paths, the longest tail, whether there are thresholds and estimates, forced caching, and the
    least capacity, threshold and estimate.
    """

    any_ask: bool
    tail: int
    thresholds: bool
    estimates: bool
    forced: bool
    least: int


class Numbers(NamedTuple):
    """What a case says beside its shape, and what comes of it.

    Of each request what it computes, and what an earlier one made available; C, xi and q_hat; and of both runs
    what each request hits, and what is compared.
    """

    total: IntArray
    known: IntArray
    parameters: IntArray
    hits: IntArray
    values: IntArray


@compiled
def tally_shape(parent: IntArray, leaf: IntArray, check: Check, ranges: Ranges) -> tuple[IntArray, IntArray]:
    """Check every case of a shape.

    Return the cases within the hypotheses, those that refute and a weighted sum of values; and the smallest case
    that refutes: all totals together, C, xi, q_hat, asks, totals.
    """
    n = len(leaf)
    totals, smallest = np.zeros(3, np.int64), np.zeros(4 + 2 * n, np.int64)
    tiny, numbers = new_tiny(parent, leaf)
    more = True
    while more:
        put_known(tiny, numbers)
        for capacity in range(_least_capacity(tiny, ranges), len(parent) + 1):
            numbers.parameters[CAPACITY] = capacity
            _tally_levels(tiny, numbers, check, ranges, totals, smallest)
        more = _next(tiny, numbers, ranges)
    return totals, smallest


@compiled
def _tally_levels(
    tiny: Tiny, numbers: Numbers, check: Check, ranges: Ranges, totals: IntArray, smallest: IntArray
) -> None:
    """Check every threshold and estimate; what a run hits depends on their difference alone."""
    longest = 0
    for depth in tiny.depth:
        longest = max(longest, depth)
    low, high = (ranges.least, longest) if ranges.thresholds else (0, 0)
    least = _least_estimate(numbers, ranges)
    fits = replayed(tiny, numbers, check, ranges.forced, SECOND, 0) if check.policies[SECOND] == LRU else True
    for level in range(1 if ranges.estimates else low, high + 1):
        fits = replayed(tiny, numbers, check, ranges.forced, FIRST, level) and fits
        if check.policies[SECOND] != LRU:
            fits = replayed(tiny, numbers, check, ranges.forced, SECOND, level) and fits
        for xi in range(
            max(low, level + least) if ranges.estimates else level, high + 1 if ranges.estimates else level + 1
        ):
            if fits:
                numbers.parameters[XI], numbers.parameters[Q_HAT] = xi, xi - level
                _count(tiny, numbers, judge(numbers, check), totals, smallest)


@compiled
def new_tiny(parent: IntArray, leaf: IntArray) -> tuple[Tiny, Numbers]:
    """Return a shape whose requests ask for their whole paths, without a tail."""
    depth = np.ones(len(parent), np.int64)
    for block in range(len(parent)):
        depth[block] += depth[parent[block]] if parent[block] >= 0 else 0
    end = depth[leaf]
    runs = np.zeros((2, 2, len(leaf)), np.int64)
    numbers = Numbers(end.copy(), np.zeros(len(leaf), np.int64), np.zeros(3, np.int64), runs[0], runs[1])
    return Tiny(parent, depth, leaf, end, end.copy()), numbers


@compiled
def put_known(tiny: Tiny, numbers: Numbers) -> None:
    """Write down how many leading blocks of each input an earlier request made available."""
    seen = np.zeros(len(tiny.parent), np.bool_)
    for k in range(len(tiny.leaf)):
        known, block = 0, tiny.leaf[k]
        while block >= 0:
            known += seen[block]
            seen[block] = True
            block = tiny.parent[block]
        numbers.known[k] = min(known, tiny.ask[k])


@compiled
def _least_capacity(tiny: Tiny, ranges: Ranges) -> int:
    least = ranges.least
    for k in range(len(tiny.end) - 1 if ranges.forced else 0):
        least = max(least, tiny.end[k])
    return least


@compiled
def _least_estimate(numbers: Numbers, ranges: Ranges) -> int:
    """Return the longest new part of a request that knows something."""
    least = ranges.least
    for k in range(len(numbers.total)):
        if numbers.known[k] > 0:
            least = max(least, numbers.total[k] - numbers.known[k])
    return least


@compiled
def replayed(tiny: Tiny, numbers: Numbers, check: Check, forced: bool, run: int, level: int) -> bool:
    """Put what each request hits in a run, with xi - q_hat = `level`; return whether all fit."""
    room, hits = numbers.parameters[CAPACITY], numbers.hits[run]
    if check.rooms[run] == ONE_MORE:
        room += 1
    elif check.rooms[run] == LESS_A_CHUNK:
        room = max(0, room - check.chunk + 1)
    elif check.rooms[run] == IN_CHUNKS:
        room //= check.chunk
    if check.caches[run] == NODES:
        return replay_nodes(tiny, check.policies[run], level, room, check.chunk, check.renew, hits)
    pinned = forced and check.rooms[run] < LESS_A_CHUNK
    replay_blocks(tiny, check.policies[run], level, room, check.caches[run] == STRICT, pinned, hits)
    return True


@compiled
def judge(numbers: Numbers, check: Check) -> int:
    """Put the values of both runs and return whether they compare as they should."""
    total, more = np.zeros(2, np.int64), False
    for k in range(len(numbers.total)):
        for run in range(2):
            hits = numbers.hits[run, k]
            excess = max(0, numbers.total[k] - hits - numbers.parameters[XI])
            numbers.values[run, k] = hits if check.relation == HITS else excess
            total[run] += numbers.values[run, k]
        more = more or numbers.values[FIRST, k] > numbers.values[SECOND, k]
    refuted = total[FIRST] > total[SECOND] if check.relation == EXCESS_IN_ALL else more
    return REFUTED if refuted else TRUE


@compiled
def _count(tiny: Tiny, numbers: Numbers, answer: int, totals: IntArray, smallest: IntArray) -> None:
    capacity, xi, q_hat = numbers.parameters[CAPACITY], numbers.parameters[XI], numbers.parameters[Q_HAT]
    n = len(numbers.total)
    total = 0
    for run in range(2):
        for k in range(n):
            total += (1 + run * n + k) * numbers.values[run, k]
    totals[WITHIN] += 1
    totals[SUM] += total * (1 + capacity + 31 * xi + 961 * q_hat)
    if answer == REFUTED:
        totals[REFUTING] += 1
        _keep_smaller(tiny, numbers, smallest, totals[REFUTING] == 1)


@compiled
def _keep_smaller(tiny: Tiny, numbers: Numbers, smallest: IntArray, is_first: bool) -> None:
    n = len(tiny.leaf)
    key = np.zeros(4 + 2 * n, np.int64)
    for i in range(3):
        key[1 + i] = numbers.parameters[i]
    for k in range(n):
        key[0] += numbers.total[k]
        key[4 + k], key[4 + n + k] = tiny.ask[k], numbers.total[k]
    at = 0
    while at < 4 + 2 * n - 1 and key[at] == smallest[at]:
        at += 1
    if is_first or key[at] < smallest[at]:
        for i in range(4 + 2 * n):
            smallest[i] = key[i]


@compiled
def _next(tiny: Tiny, numbers: Numbers, ranges: Ranges) -> bool:
    """Go to the next asks and tails; return whether there were any."""
    for k in range(len(tiny.leaf)):
        if numbers.total[k] < tiny.ask[k] + ranges.tail:
            numbers.total[k] += 1
            return True
        if ranges.any_ask and tiny.ask[k] > 0:
            tiny.ask[k] -= 1
            numbers.total[k] = tiny.ask[k]
            return True
        tiny.ask[k] = numbers.total[k] = tiny.end[k]
    return False
