"""What a claim is given beside its space in plain Python: the same cases in C (``worlds.c``), and larger ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import NamedTuple

import numpy as np

from teltheory.base.loops import call
from teltheory.claims.case import Case, World
from teltheory.claims.comparison import Tally
from teltheory.claims.compiled.pace import Pace
from teltheory.claims.worlds import SmallWorlds
from teltheory.errors import ArgumentError
from teltheory.model.numbers import IntArray

# What stands below is in the order of layout.h, simulator.h and readings.h, checks.h and worlds.c.
WIDTH = 8
"""Most turns, and most conversations."""
LEVELS = 48
"""Policies are replayed at levels (xi, or xi - q_hat) from -LEVELS to LEVELS - 1."""
LABEL, PROMPT, RESPONSE, PAST, HELD = range(5)
POLICIES = (
    *("LRU", "round-robin", "least-recent", "eager", "threshold"),
    *("end-aware round-robin", "end-aware least-recent", "end-aware eager"),
    *("length-aware round-robin", "length-aware least-recent", "length-aware eager"),
    *("tail-optimized", "Belady", "latest first"),
    *("as printed", "printed trim loop", "printed LRU loop", "at the budget", "repaired", "single pass"),
)
"""Policies, and from "as printed" on readings of Algorithm 1."""
ENDS = ("", "trim loop", "LRU loop")
"""The loop of a reading that goes round without end."""
COMPARISONS = (
    *("TEL of T-LRU and LRU", "excesses of T-LRU and LRU", "TEL with any estimate", "T-LRU is LRU"),
    *("TEL of T-LRU, Threshold-LRU and LRU", "TEL of T-LRU and Threshold-LRU", "TEL of Threshold-LRU and LRU"),
    *("Algorithm 1 with >=", "Algorithm 1, single pass", "two orders below a prompt"),
    *("always or on overflow", "named orders"),
)
CHECKS = (
    *COMPARISONS,
    *("Algorithm 1, lowest X", "Algorithm 1, both loops", "Algorithm 1, trim loop", "Algorithm 1, LRU loop"),
    *("Algorithm 1, repaired", "all orders", "all orders below a prompt"),
    *("inclusion of LRU", "inclusion of T-LRU", "inclusion, round-robin"),
    *("Tail-Optimized Belady is optimal", "least bound"),
    *("caps in every optimum", "caps in some optimum", "most hits"),
    *("excess by blocks kept", "budget exists", "budget exists, xi >= Q"),
)
CAPACITIES = ("all", "first past")
THRESHOLDS = ("all", "zero")
ESTIMATES = (
    "none",
    "upper bounds",
    "from xi",
    "from longest",
    "below longest",
    "mean of all",
    "mean of continuing",
)

OUTSIDE, REFUTED = -1, 0
"""Answers of a check, beside true."""
PARAMETERS = 3
RESULT = 2 * WIDTH + 3
MOST_VALUES = 128


class Room(NamedTuple):
    """Working room: what policies do at C, C + 1 and each level; and two numbers for each state of a cache."""

    results: IntArray
    states: int
    numbers: IntArray

    @classmethod
    def of(cls, conversations: int, tokens: int) -> Room:
        """Make room for conversations whose last pasts are so many tokens together."""
        each, more = divmod(tokens, conversations)
        states = (each + 1) ** (conversations - more) * (each + 2) ** more
        results = np.empty(2 * len(POLICIES) * 2 * LEVELS * RESULT, np.int64)
        return cls(results, states, np.empty(2 * states, np.int64))


class TinyWorld(NamedTuple):
    """What turns reuse under a policy; and of a reading the loop without end, and the lowest X of each cut."""

    turns: int
    starts: int
    rows: IntArray
    numbers: IntArray

    @classmethod
    def of(cls, case: Case) -> TinyWorld:
        """Return a case's; its conversations are numbered in order of appearance."""
        turns, initial = case.world.turns, case.world.initial
        _check_size("turns", len(turns), WIDTH)
        _check_size("conversation", max(c for c, _, _ in (*initial, *turns)), WIDTH - 1)
        _check_size("parameters", max(case.xi, case.q_hat), LEVELS - 1)
        rows = np.zeros((5, WIDTH), np.int64)
        rows[: RESPONSE + 1, : len(turns)] = np.transpose(turns)
        for conversation, past, held in initial:
            rows[PAST:, conversation] = past, held
        numbers = np.array((case.capacity, case.xi, case.q_hat, case.forced), np.int64)
        return cls(len(turns), len(initial), rows, numbers)


class TinyOutcome(NamedTuple):
    """What turns reuse under a policy; and of a reading the loop without end, and the lowest X after each cut."""

    reused: list[int]
    ended: str
    lowest: list[int]


def replayed(policy: str, case: Case) -> TinyOutcome:
    """Replay a case under one of `POLICIES`; nothing after a loop of a reading that goes round without end."""
    tiny, result = TinyWorld.of(case), np.zeros(RESULT, np.int64)
    call("replay_tiny_world", POLICIES.index(policy), tiny, Room.of(1, 0).results, result)
    reused, lowest, (cuts, ended, _) = result[:WIDTH], result[WIDTH:-3], result[-3:].tolist()
    known = cuts if ended else tiny.turns
    return TinyOutcome(reused[:known].tolist(), ENDS[ended], lowest[:cuts].tolist())


def _check_size(name: str, found: int, most: int) -> None:
    if found > most:
        raise ArgumentError(name, found, f"at most {most} of a compiled world")


@dataclass(frozen=True)
class CompiledWorlds:
    """A compiled check of a claim and the small worlds on which it is run.

    `check` is a name in `CHECKS`. Of `worlds` bounds, caching mode and initial caches count; names in
    `CAPACITIES`, `THRESHOLDS` and `ESTIMATES` stand for its ranges.
    """

    check: str
    worlds: SmallWorlds
    capacities: str = "all"
    thresholds: str = "all"
    estimates: str = "none"

    def natural(self) -> CompiledWorlds:
        """Return the same check on natural worlds."""
        return replace(self, worlds=self.worlds.natural())

    def tally(self, turns: int, conversations: int, tokens: int, most_starts: int) -> Tally[Case]:
        """Check every case of a class."""
        _check_size("tokens", tokens, LEVELS - 2)
        _check_size("turns", max(turns, conversations), WIDTH)
        total, room, pace = Tally[Case](), Room.of(conversations, tokens), Pace()
        for starts in range(min(most_starts, conversations) + 1):
            for labels in _visits(turns, conversations, starts):
                total += self._visiting(labels, starts, tokens, room, pace)
        return total

    def _visiting(self, labels: tuple[int, ...], starts: int, tokens: int, room: Room, pace: Pace) -> Tally[Case]:
        """Check every case whose turns visit conversations in one way."""
        least, lengths = self.worlds.least, 2 * len(labels) - 1 + starts
        split, rows = np.zeros(lengths, np.int64), np.zeros((5, WIDTH), np.int64)
        split[-1], rows[LABEL, : len(labels)] = tokens - 2 * least * len(labels), labels
        totals, smallest = np.zeros(3, np.int64), np.zeros(PARAMETERS + lengths + 1 + starts, np.int64)
        names = ((CHECKS, self.check), (CAPACITIES, self.capacities), (THRESHOLDS, self.thresholds))
        codes = tuple(listed.index(name) for listed, name in (*names, (ESTIMATES, self.estimates)))
        size = (self.worlds.forced, least, tokens, len(labels), starts)
        pace.until_done(
            lambda worlds: call("tally_worlds", worlds, codes, size, rows, split, totals, smallest, room)
        )
        within, refuting, values = totals.tolist()
        return Tally(within, refuting, values, self._case(smallest, labels, starts) if refuting else None)

    def _case(self, row: IntArray, labels: tuple[int, ...], starts: int) -> Case:
        """Return a case from C, xi, q_hat, past and held of each start, prompt and response of each turn."""
        capacity, xi, q_hat = row[:PARAMETERS].tolist()
        lengths = row[PARAMETERS:].reshape(-1, 2).tolist()
        initial = tuple((c, past, held) for c, (past, held) in enumerate(lengths[:starts]))
        turns = tuple((c, q, a) for c, (q, a) in zip(labels, lengths[starts:], strict=True))
        return Case(World(turns, initial), capacity, xi, q_hat, self.worlds.forced)

    def judged(self, case: Case) -> tuple[bool | None, list[int]]:
        """Return whether a single case refutes, None if it lies outside the hypotheses; and its values."""
        tiny, values = TinyWorld.of(case), np.zeros(1 + MOST_VALUES, np.int64)
        room = Room.of(len({c for c, _, _ in (*case.world.initial, *case.world.turns)}), case.world.tokens)
        answer = call("judge_world", CHECKS.index(self.check), tiny, room, values)
        return (None if answer == OUTSIDE else answer == REFUTED), values[1 : 1 + values[0]].tolist()

    def weighed(self, case: Case, values: list[int]) -> int:
        """Return what the values of a case, in a row, add to the sum of a tally."""
        weight = 1 + case.capacity + 31 * case.xi + 961 * case.q_hat
        return weight * sum(place * value for place, value in enumerate(values, start=1))


def _visits(turns: int, conversations: int, starts: int) -> Iterator[tuple[int, ...]]:
    """Yield the ways in which turns visit conversations, numbered in order of appearance after the starts."""
    for labels in product(range(conversations), repeat=turns):
        if [*dict.fromkeys((*range(starts), *labels))] == [*range(conversations)]:
            yield labels
