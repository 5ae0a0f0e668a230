"""ET-LRU for the kernel: which loop replays it, and the arrays that this one reads.

With homogeneous rates every belief orders conversations by recency. If in addition every token has the same
score or none, as with a fixed prompt, ET-LRU is T-LRU with least-recent trim and has its loop.
"""

from __future__ import annotations

import math

import numpy as np

from teltheory.model.instance import Instance
from teltheory.model.numbers import FloatArray, IntArray
from teltheory.policies.learned.etlru import ETLRU, LEARNT, LawTable, continuing_turns, seconds
from teltheory.policies.learned.scores import LOWEST, log_order
from teltheory.policies.online import TLRU
from teltheory.replay.recency import Layout
from teltheory.replay.scored import Clock, Laws, Lessons, by_current_worth, by_order, new_heap
from teltheory.replay.slots import Slots


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
    clock: Clock | None = Clock(since, rates[code], times, etlru.death_rate)
    worth = np.empty(most)
    if etlru.belief == "paper":
        clock, worth = None, log_order(np.log(rates)[code], since, etlru.death_rate)
    waiting, heap = np.empty(most, np.int64), new_heap(most)
    by_current_worth(
        layout, slots.past, worth, clock, laws, lessons, etlru.xi, holds, waiting, heap, instance.forced
    )


def _codes(instance: Instance) -> IntArray:
    if not instance.initial:
        return instance.trace.code
    return np.concatenate(([start.code for start in instance.initial], instance.trace.code))


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
    prompts = instance.trace.prompt[turns]
    lengths = np.union1d(prompts[prompts < xi], [0])
    place = np.full(len(instance.trace), -1, np.int64)
    place[turns] = np.searchsorted(lengths, prompts)
    start = np.concatenate(([LOWEST], lengths + 1)).astype(np.int64)
    log: FloatArray = np.zeros(len(start))
    laws = Laws(start, log, np.array([0, len(start)]), np.empty(0, np.int64))
    return laws, Lessons(place, np.zeros(len(start), np.int64))
