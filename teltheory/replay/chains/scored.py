"""Compiled loops for ET-LRU: scores as `teltheory.policies.learned.scores` has them, in a heap of slots.

What a slot holds is stored, as any slot may lose something; a slot whose conversation came back holds nothing. A
slot's tokens have the score worth + log P(Q >= X - L + xi), and the law of Q has steps, so that tokens go by whole
runs of equal score. Equal scores: the slot that comes first, which is the least recent.

1. `by_order`, for the paper's belief: what a slot is worth never changes. Tokens of score -inf go first, from a
   pointer that only moves forward; a slot enters the heap at the first cut that needs more, and leaves it when it
   is popped empty. O(log slots) for each slot and each run.
2. `by_current_worth`, for the posterior and for the law learnt so far: the heap is built again at every cut that
   overflows, from the slots that hold anything. O(slots that do) a cut.

With homogeneous rates every belief orders conversations by recency. If in addition every token has the same
score or none, as with a fixed prompt, ET-LRU is T-LRU with least-recent trim and has its loop (`as_tlru`).
"""

import math
from typing import NamedTuple

import numpy as np

from teltheory.model.instance import Instance
from teltheory.model.numbers import FloatArray, IntArray
from teltheory.policies.learned.etlru import ETLRU, LEARNT, LawTable, continuing_turns, seconds
from teltheory.policies.learned.scores import LOWEST, log_order
from teltheory.policies.online import TLRU
from teltheory.replay.chains.slots import Layout, Slots
from teltheory.replay.chains.stored import holding, serve, trim_to
from teltheory.replay.compiled import compiled, inlined

STEEPEST = 600.0


class Laws(NamedTuple):
    """The steps of all laws, one law after the other: where each begins, and its logarithm.

    `first` is the first step of each law, and the end; `of_slot` the law of each slot's conversation, empty if
    there is one law.
    """

    start: IntArray
    log: FloatArray
    first: IntArray
    of_slot: IntArray


class Heap(NamedTuple):
    """A binary heap of scores and their slots, with a score of inf after the last."""

    score: FloatArray
    slot: IntArray


class PosteriorTimes(NamedTuple):
    """What the posterior depends on: times and rates of slots, times of turns, the death rate."""

    since: FloatArray
    rate: FloatArray
    now: FloatArray
    death_rate: float


class Lessons(NamedTuple):
    """What is learnt of the law: at each turn the place of its prompt among the lengths, -1 if it adds none.

    A prompt beyond all lengths has the place after the last. `counts` has that many entries and one more.
    """

    place: IntArray
    counts: IntArray


def new_heap(most: int) -> Heap:
    """Return an empty heap for so many slots."""
    return Heap(np.empty(most + 1, np.float64), np.empty(most + 1, np.int64))


@inlined
def _rise(heap: Heap, at: int, score: float, slot: int) -> None:
    """Put an entry where a leaf is free and let it rise."""
    while at > 0:
        above = (at - 1) >> 1
        over = heap.score[above]
        if over < score or (over == score and heap.slot[above] < slot):
            break
        heap.score[at] = over
        heap.slot[at] = heap.slot[above]
        at = above
    heap.score[at] = score
    heap.slot[at] = slot


@inlined
def _push(heap: Heap, size: int, score: float, slot: int) -> None:
    heap.score[size + 1] = np.inf
    _rise(heap, size, score, slot)


@inlined
def _replace_root(heap: Heap, size: int, score: float, slot: int) -> None:
    """Let the smaller children rise down to a leaf and put an entry there: fewer guesses than sinking it."""
    at, child = 0, 1
    while child < size:
        left, right = heap.score[child], heap.score[child + 1]
        other = (right < left) | ((right == left) & (heap.slot[child + 1] < heap.slot[child]))
        child += other
        heap.score[at] = heap.score[child]
        heap.slot[at] = heap.slot[child]
        at, child = child, 2 * child + 1
    _rise(heap, at, score, slot)


@inlined
def _step_of(laws: Laws, law: int, d: int) -> int:
    """Return the step of a law that a length is on: at once where the steps below it are one length each."""
    low, high = laws.first[law], laws.first[law + 1] - 1
    if low < high:
        beyond = d - laws.start[low + 1]
        high = low if beyond < 0 else low + min(high - low, beyond + 1)
        low = high if laws.start[high] <= d else low
    while low < high:
        middle = (low + high + 1) >> 1
        if laws.start[middle] <= d:
            low = middle
        else:
            high = middle - 1
    return int(low)


@inlined
def _law_of(laws: Laws, slot: int) -> int:
    return int(laws.of_slot[slot]) if len(laws.of_slot) else 0


@inlined
def _evict(
    heap: Heap, size: int, holds: IntArray, past: IntArray, worth: FloatArray, laws: Laws, xi: int, overflow: int
) -> int:
    """Evict what has the smallest score until the overflow is gone; return the size of the heap."""
    while overflow > 0:
        slot = heap.slot[0]
        held, above = holds[slot], past[slot] - xi
        law = _law_of(laws, slot)
        step = _step_of(laws, law, held - above)
        floor = max(above + laws.start[step] - 1, 0) if step > laws.first[law] else 0
        taken = min(held - floor, overflow)
        overflow -= taken
        holds[slot] = held - taken
        if held - taken > floor:
            break
        if floor > 0:
            _replace_root(heap, size, worth[slot] + laws.log[step - 1], slot)
        else:
            size -= 1
            score = heap.score[size]
            heap.score[size] = np.inf
            _replace_root(heap, size, score, heap.slot[size])
    return size


@compiled
def by_order(
    layout: Layout,
    past: IntArray,
    order: FloatArray,
    laws: Laws,
    least: IntArray,
    xi: int,
    holds: IntArray,
    heap: Heap,
    forced: bool,
) -> None:
    """Replay ET-LRU with the paper's belief.

    `full` is what is available, `holds` the initial cache and zeros, `order` what slots are worth, `least` what a
    slot holds once its tokens of score -inf are gone.
    """
    n = len(layout.history)
    m = len(layout.full) - n
    overflow = holds[:m].sum() - layout.capacity
    trim = entered = size = 0
    for k in range(n):
        overflow += serve(layout, holds, k)
        if forced and k == n - 1:
            break
        end = m + k if forced else m + k + 1
        trim, overflow = trim_to(least, holds, trim, end, overflow)
        if overflow > 0:
            while entered < end:
                if holds[entered] > 0:
                    step = _step_of(laws, _law_of(laws, entered), holds[entered] - past[entered] + xi)
                    _push(heap, size, order[entered] + laws.log[step], entered)
                    size += 1
                entered += 1
            size = _evict(heap, size, holds, past, order, laws, xi, overflow)
            overflow = 0


@inlined
def _log_bayes_rate(rate: float, death_rate: float, silence: float) -> float:
    leaving = death_rate + rate
    exponent = leaving * silence
    if exponent > STEEPEST:
        return math.log(rate * leaving) - (exponent + math.log(death_rate))
    return math.log(rate * leaving) - math.log(rate + death_rate * math.exp(exponent))


@inlined
def _learn(laws: Laws, counts: IntArray) -> None:
    """Write the logarithms of the empirical law; nothing seen yet counts as a prompt of 0."""
    total = counts.sum()
    below = 0
    for step in range(1, len(laws.log)):
        below += counts[step - 1]
        left = total - below
        laws.log[step] = math.log(left / total) if left > 0 else -math.inf


@compiled
def by_current_worth(
    layout: Layout,
    past: IntArray,
    worth: FloatArray,
    clock: PosteriorTimes | None,
    laws: Laws,
    lessons: Lessons | None,
    xi: int,
    holds: IntArray,
    waiting: IntArray,
    heap: Heap,
    forced: bool,
) -> None:
    """Replay ET-LRU with what slots are worth at each cut.

    `full` is what is available, `holds` the initial cache and zeros. With a clock `worth` is written, otherwise it
    is the order of the paper's beliefs; with lessons `laws.log` is written. `waiting` and `heap` have room for all
    slots.
    """
    n = len(layout.history)
    m = len(layout.full) - n
    overflow = holds[:m].sum() - layout.capacity
    alive = entered = 0
    for k in range(n):
        overflow += serve(layout, holds, k)
        if lessons is not None and lessons.place[k] >= 0:
            lessons.counts[lessons.place[k]] += 1
        if forced and k == n - 1:
            break
        end = m + k if forced else m + k + 1
        while entered < end:
            waiting[alive] = entered
            alive += 1
            entered += 1
        if overflow > 0:
            if lessons is not None:
                _learn(laws, lessons.counts)
            alive = holding(waiting, alive, holds)
            for i in range(alive):
                s = waiting[i]
                if clock is not None:
                    worth[s] = _log_bayes_rate(clock.rate[s], clock.death_rate, clock.now[k] - clock.since[s])
                step = _step_of(laws, _law_of(laws, s), holds[s] - past[s] + xi)
                _push(heap, i, worth[s] + laws.log[step], s)
            _evict(heap, alive, holds, past, worth, laws, xi, overflow)
            overflow = 0


def as_tlru(instance: Instance, etlru: ETLRU) -> TLRU | None:
    """Return the T-LRU that does what an ET-LRU does, None if none does."""
    seconds(instance)
    if isinstance(etlru.turn_rate, tuple) or etlru.prompts == LEARNT:
        return None
    laws = etlru.law_table(instance)
    if len(laws.steps) > 1:
        return None
    finite = [log for log in laws.steps[0].log if log > -math.inf]
    if len(finite) > 1:
        return None
    surplus_from = [start for start, log in zip(*laws.steps[0], strict=True) if log == -math.inf]
    return TLRU(etlru.xi, max(surplus_from[0] - 1, 0) if surplus_from else etlru.xi, "least-recent")


def lowest_scores_first(instance: Instance, etlru: ETLRU, slots: Slots, layout: Layout, holds: IntArray) -> None:
    """Replay ET-LRU; `full` of the layout is what slots hold before their first cut, `holds` the initial cache."""
    rates, code = etlru.rates(instance), _codes(instance)
    times = seconds(instance)
    since = np.concatenate((np.zeros(len(instance.initial)), times))
    most = len(slots.past)
    learnt = etlru.prompts == LEARNT
    laws, lessons = _lessons(instance, etlru.xi) if learnt else (_laws(etlru.law_table(instance), code), None)
    if etlru.belief == "paper" and not learnt:
        order = log_order(np.log(rates)[code], since, etlru.death_rate)
        least = _least(slots.past, laws, etlru.xi)
        by_order(layout, slots.past, order, laws, least, etlru.xi, holds, new_heap(most), instance.forced)
        return
    clock: PosteriorTimes | None = PosteriorTimes(since, rates[code], times, etlru.death_rate)
    worth = np.empty(most)
    if etlru.belief == "paper":
        clock, worth = None, log_order(np.log(rates)[code], since, etlru.death_rate)
    waiting, heap = np.empty(most, np.int64), new_heap(most)
    by_current_worth(
        layout, slots.past, worth, clock, laws, lessons, etlru.xi, holds, waiting, heap, instance.forced
    )


def _codes(instance: Instance) -> IntArray:
    if not instance.initial:
        return instance.requests.code
    return np.concatenate(([start.code for start in instance.initial], instance.requests.code))


def _laws(table: LawTable, code: IntArray) -> Laws:
    sizes = [len(steps.start) for steps in table.steps]
    return Laws(
        np.concatenate([np.array(steps.start, np.int64) for steps in table.steps]),
        np.concatenate([np.array(steps.log, np.float64) for steps in table.steps]),
        np.concatenate(([0], np.cumsum(sizes))).astype(np.int64),
        table.of_code[code] if len(sizes) > 1 else np.empty(0, np.int64),
    )


def _least(past: IntArray, laws: Laws, xi: int) -> IntArray:
    """Return what each slot holds at most once its tokens of score -inf are gone."""
    last = laws.first[1:] - 1
    safe = np.where(np.isneginf(laws.log[last]), xi - (np.maximum(laws.start[last], 1) - 1), 0)
    return np.maximum(past - (safe[laws.of_slot] if len(laws.of_slot) else safe[0]), 0)


def _lessons(instance: Instance, xi: int) -> tuple[Laws, Lessons]:
    """Return room for the law learnt so far, and what each turn adds to it."""
    turns = continuing_turns(instance)
    prompts = instance.requests.prompt[turns]
    lengths = np.union1d(prompts[prompts < xi], [0])
    place = np.full(len(instance.requests), -1, np.int64)
    place[turns] = np.searchsorted(lengths, prompts)
    start = np.concatenate(([LOWEST], lengths + 1)).astype(np.int64)
    log: FloatArray = np.zeros(len(start))
    laws = Laws(start, log, np.array([0, len(start)]), np.empty(0, np.int64))
    return laws, Lessons(place, np.zeros(len(start), np.int64))
