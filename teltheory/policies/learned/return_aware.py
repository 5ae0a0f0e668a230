"""Return-aware T-LRU: LRU, T-LRU or an order that is learnt while it runs, whichever has done best so far.

The learnt order lets a token go by the score of Zhang et al. 2025 (Appendix D, Algorithm 2), the smallest first,

    v_i = r_i P(L_i + Q - xi >= X_i),

with the return index r_i (`teltheory.policies.learned.hazards`), which is expected reuse a second of room, and the
law of the prompts Q that have continued something, both as they were last renewed. Equal scores: the least recent
first, with its whole run. Before anything has ever been continued, Q counts as 0.

An estimate may be worse than recency, most of all while little is learnt, and T-LRU may be worse than LRU. So the
policy watches three caches in shadow, which hold lengths and no tokens: its *experts*. It follows one of them: on
overflow it loses, the least recent first, what that expert does not hold. It begins with LRU, and goes on to the
best expert so far that leads the one that is followed. One leads that has saved S > 0 excess if S > lead V, V the
root of the sum of the squares of what it saved or lost at each request; or if W > lead sqrt(N), N the requests at
which the two differ, W those at which it had less excess minus those at which it had more. So a few giant requests
prove nothing. What following can cost at most is on docs/limits.md, "Behind the best of several policies".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.model.instance import Instance
from teltheory.model.numbers import FloatArray, IntArray
from teltheory.model.turns import turn_numbers
from teltheory.policies.learned.etlru import continuing_turns, seconds
from teltheory.policies.learned.eviction import evict_in_runs
from teltheory.policies.learned.hazards import Estimates, WatchedVisits, cells, tag_numbers, tags_of
from teltheory.policies.learned.scores import Steps
from teltheory.policies.node import Node
from teltheory.policies.online import LRU, TLRU
from teltheory.policies.policy import (
    CuttingPolicy,
    LeastRecentlyUsed,
    Length,
    Policy,
    Seen,
    Trim,
    check_parameters,
)

EXPERTS = ("LRU", "T-LRU", "learnt order")
FIRST = 0
"""The expert that is followed at first."""


@dataclass(frozen=True)
class ReturnAwareTLRU:
    """The best so far of LRU, T-LRU and an order by who returns, which it learns; requests need arrival times.

    Parameters
    ----------
    xi, q_hat, trim
        As for `TLRU`; the learnt order takes only xi, LRU none.
    lead : float or None
        How many standard deviations, by what it saved or by how often, another expert must be ahead of the one
        that is followed, 0 or more; None follows the learnt order always.

    Raises
    ------
    ArgumentError
        For a wrong value; from a replay, if there are no arrival times.
    """

    name = "return-aware"
    loop = "experts"
    xi: Length
    q_hat: Length = None
    trim: Trim | None = "least-recent"
    lead: float | None = 4.0

    def __post_init__(self) -> None:
        check_parameters(self)
        if self.lead is not None and not 0 <= self.lead < np.inf:
            raise ArgumentError("lead", self.lead, "a finite number, 0 or more, or None")

    @property
    def tlru(self) -> TLRU:
        """The T-LRU that is one of its experts."""
        return TLRU(self.xi, self.q_hat, self.trim)

    def shadows(self, instance: Any) -> tuple[LRU, TLRU, LearntOrder]:
        """Return its experts, in the order of `EXPERTS`."""
        return LRU(), self.tlru, LearntOrder(self.xi)

    def beside(self, instance: Any) -> Callable[[int, Sequence[Seen]], Policy]:
        """Return what says after each request which expert's cache to keep."""
        requests, record = instance.requests, TrackRecord(self.lead)
        scale = requests.scale
        inputs = (requests.inputs + scale * (instance.total - requests.total)).tolist()

        def after(k: int, seen: Sequence[Seen]) -> Policy:
            excess = [max(inputs[k] - scale * (reused + self.xi), 0) for reused, _ in seen]
            return KeptByExpert(seen[record.after(excess)][1])

        return after


@dataclass(frozen=True)
class KeptByExpert(LeastRecentlyUsed):
    """What a cache holds stays, the rest goes as room is needed, the least recent first."""

    held: Callable[[Node], int]

    def budget(self, node: Node) -> int:
        """Return what the cache holds."""
        return self.held(node)


@dataclass
class TrackRecord:
    """What experts have spent above the threshold, how they compare by requests, and which one is followed."""

    lead: float | None
    followed: int = FIRST
    spent: list[int] = field(default_factory=lambda: [0] * len(EXPERTS))
    won: IntArray = field(default_factory=lambda: np.zeros((len(EXPERTS), len(EXPERTS)), np.int64))
    squares: FloatArray = field(default_factory=lambda: np.zeros((len(EXPERTS), len(EXPERTS))))

    def after(self, excess: Sequence[int]) -> int:
        """Return the expert to follow after a request on which they spent so much."""
        self.spent = [*map(sum, zip(self.spent, excess, strict=True))]
        self.won += np.array([[one < other for other in excess] for one in excess])
        self.squares += np.array([[float(one - other) ** 2 for other in excess] for one in excess])
        if self.lead is None:
            return EXPERTS.index("learnt order")
        leading = [e for e in range(len(EXPERTS)) if self.leads(e, self.followed, self.lead)]
        self.followed = min(leading, key=self.spent.__getitem__, default=self.followed)
        return self.followed

    def leads(self, one: int, other: int, lead: float) -> bool:
        """Return whether an expert is far enough ahead of another, by what it saved or by how often."""
        won, lost = int(self.won[one, other]), int(self.won[other, one])
        saved = self.spent[other] - self.spent[one]
        by_sum = saved > lead * math.sqrt(self.squares[one, other])
        return saved > 0 and (by_sum or won - lost > lead * math.sqrt(won + lost))


@dataclass(frozen=True)
class LearntOrder:
    """The policy that always follows the learnt order."""

    xi: int

    def bound_to(self, instance: Instance) -> Callable[[int], CuttingPolicy]:
        """Return the cuts of a replay of conversations, of whose turns each estimate knows those before it."""
        times = seconds(instance)
        cell = cells_of_turns(instance)
        learnt = Estimates.of(watched_turns(instance, times, cell), continued_prompts(instance))
        laws = [Steps(learnt.first.tolist(), log) for log in learnt.law.tolist()]
        return lambda turn: _LearntCut(self.xi, turn, learnt, laws, times, cell)


def watched_turns(instance: Instance, times: FloatArray, cell: IntArray) -> WatchedVisits:
    """Return what the estimates look at: each turn is a visit to its conversation."""
    start = np.arange(len(instance) + 1)
    return WatchedVisits(start, instance.requests.previous_turn, cell, times, tags_of(_tags(instance)))


def cells_of_turns(instance: Instance) -> IntArray:
    """Return the cell of each turn."""
    return cells(turn_numbers(instance.requests.code), instance.requests.prompt, _tags(instance))


def _tags(instance: Instance) -> IntArray:
    return tag_numbers(instance.requests.hints, len(instance))


def continued_prompts(instance: Instance) -> IntArray:
    """Return the prompts of turns that continue a conversation, -1 of the others."""
    prompts = np.full(len(instance), -1, np.int64)
    continuing = continuing_turns(instance)
    prompts[continuing] = instance.requests.prompt[continuing]
    return prompts


@dataclass(frozen=True)
class _LearntCut:
    """The cut of the learnt order after a turn."""

    xi: int
    turn: int
    learnt: Estimates
    laws: Sequence[Steps]
    times: FloatArray
    cell: IntArray
    forgets = True

    def cut(self, conversations: Sequence[Node], overflow: int) -> None:
        """Evict the tokens with the smallest scores."""
        if overflow <= 0:
            return
        holding = [c for c in conversations if c.cached > 0]
        cached, offset = [c.cached for c in holding], [self.xi - c.past for c in holding]
        steps = self.laws[self.learnt.table[self.turn]]
        left = evict_in_runs(cached, self._worth(holding).tolist(), offset, steps, overflow)
        for conversation, kept in zip(holding, left, strict=True):
            conversation.cached = kept

    def _worth(self, holding: Sequence[Node]) -> FloatArray:
        """Return log r; a conversation of the initial cache counts as a first turn of its length at time 0."""
        last = np.array([c.last for c in holding])
        cell = self.cell[last]
        for i in np.flatnonzero(last < 0).tolist():
            cell[i] = cells(np.array(0), np.array(holding[i].past))
        silence = self.times[self.turn] - np.where(last < 0, 0.0, self.times[last])
        return self.learnt.at(self.turn, cell, silence)
