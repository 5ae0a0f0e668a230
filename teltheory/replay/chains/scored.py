"""ET-LRU's loops in ``scored.c``: what they take of a trace, and when T-LRU's is the same.

With homogeneous rates every belief orders conversations by recency. If in addition every token has the same
score or none, as with a fixed prompt, ET-LRU is T-LRU with least-recent trim and has its loop (`as_tlru`).
"""

import math
from typing import Any, NamedTuple

import numpy as np

from teltheory.base.loops import call
from teltheory.model.instance import Instance
from teltheory.model.numbers import FloatArray, IntArray
from teltheory.policies.learned.etlru import ETLRU, LEARNT, LawTable, continuing_turns, seconds
from teltheory.policies.learned.scores import LOWEST, log_order
from teltheory.policies.online import TLRU
from teltheory.replay.chains.slots import Layout, Slots


class Laws(NamedTuple):
    """The steps of all laws, one law after the other: where each begins, and its logarithm.

    `first` is the first step of each law, and the end; `of_slot` the law of each slot's conversation, None if
    there is one law.
    """

    start: IntArray
    log: FloatArray
    first: IntArray
    of_slot: IntArray | None

    @property
    def sized(self) -> tuple[Any, ...]:
        """The arrays, with their lengths before them."""
        return len(self.start), self.start, self.log, len(self.first) - 1, self.first, self.of_slot


class Lessons(NamedTuple):
    """What is learnt of the law: at each turn the place of its prompt among the lengths, -1 if it adds none.

    A prompt beyond all lengths has the place after the last. `counts` has that many entries and one more.
    """

    place: IntArray
    counts: IntArray


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
    learnt, paper = etlru.prompts == LEARNT, etlru.belief == "paper"
    laws, lessons = _lessons(instance, etlru.xi) if learnt else (_laws(etlru.law_table(instance), code), None)
    worth = log_order(np.log(rates)[code], since, etlru.death_rate) if paper else np.empty(most)
    heap = np.empty(2 * (most + 1), np.int64)
    scored = layout.sizes, layout, holds, slots.past, etlru.xi, worth, laws.sized, heap, instance.forced
    if paper and not learnt:
        call("replay_scores_in_order", scored, _least(slots.past, laws, etlru.xi))
        return
    clock = (None, None, None) if paper else (since, rates[code], times)
    waiting = np.empty(most, np.int64)
    call("replay_scores_at_cuts", scored, waiting, clock, etlru.death_rate, lessons or (None, None))


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
        table.of_code[code] if len(sizes) > 1 else None,
    )


def _least(past: IntArray, laws: Laws, xi: int) -> IntArray:
    """Return what each slot holds at most once its tokens of score -inf are gone."""
    last = laws.first[1:] - 1
    safe = np.where(np.isneginf(laws.log[last]), xi - (np.maximum(laws.start[last], 1) - 1), 0)
    return np.maximum(past - (safe[0] if laws.of_slot is None else safe[laws.of_slot]), 0)


def _lessons(instance: Instance, xi: int) -> tuple[Laws, Lessons]:
    """Return room for the law learnt so far, and what each turn adds to it."""
    turns = continuing_turns(instance)
    prompts = instance.requests.prompt[turns]
    lengths = np.union1d(prompts[prompts < xi], [0])
    place = np.full(len(instance.requests), -1, np.int64)
    place[turns] = np.searchsorted(lengths, prompts)
    start = np.concatenate(([LOWEST], lengths + 1)).astype(np.int64)
    log: FloatArray = np.zeros(len(start))
    laws = Laws(start, log, np.array([0, len(start)]), None)
    return laws, Lessons(place, np.zeros(len(start), np.int64))
