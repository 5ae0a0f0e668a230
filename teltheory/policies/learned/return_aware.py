"""Return-aware T-LRU: ET-LRU whose rates are learnt while it runs, and T-LRU until they have a track record.

A token goes by the score of Zhang et al. 2025 (Appendix D, Algorithm 2), the smallest first,

    v_i = r_i P(L_i + Q - xi >= X_i),

with the return index r_i (`teltheory.policies.learned.hazards`), which is expected reuse a second of room, and the
empirical law of the prompts Q that have continued a conversation, both as they were last renewed. Equal scores:
the least recent conversation first, with its whole run. Before a conversation has ever been continued, Q counts as
0.

An estimate may be worse than recency, most of all while little is learnt. So the policy watches two shadow caches,
which hold lengths and no tokens: T-LRU's, and that of the learnt order alone. With S the excess that the
learnt order has saved against T-LRU so far and V the root of the sum of its squares over turns, it cuts as T-LRU
until S > lead V, and again from when S <= 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from teltheory.errors import ArgumentError
from teltheory.model.instance import Instance
from teltheory.model.numbers import FloatArray, IntArray
from teltheory.model.outcome import Outcome
from teltheory.policies.learned.etlru import continuing_turns, seconds
from teltheory.policies.learned.eviction import evict_in_runs
from teltheory.policies.learned.hazards import ReturnIndices, cells
from teltheory.policies.learned.scores import Steps, learnt_steps
from teltheory.policies.node import Node
from teltheory.policies.online import TLRU
from teltheory.policies.policy import CuttingPolicy, Length, Policy, Trim, check_parameters


@dataclass(frozen=True)
class ReturnAwareTLRU:
    """T-LRU that learns return hazards; the trace needs arrival times.

    Parameters
    ----------
    xi, q_hat, trim
        As for `TLRU`; the learnt order takes only xi.
    lead : float or None
        How far ahead of T-LRU the learnt order must be before it is followed, 0 or more; None follows it always.

    Raises
    ------
    ArgumentError
        For a wrong value; from a replay, if the trace has no arrival times.
    """

    name = "return-aware"
    xi: Length
    q_hat: Length = None
    trim: Trim | None = None
    lead: float | None = 1.0

    def __post_init__(self) -> None:
        check_parameters(self)
        if self.lead is not None and not 0 <= self.lead < np.inf:
            raise ArgumentError("lead", self.lead, "a finite number, 0 or more, or None")

    @property
    def tlru(self) -> TLRU:
        """The T-LRU that it starts from."""
        return TLRU(self.xi, self.q_hat, self.trim)

    def shadows(self, instance: Instance) -> tuple[LearntOrder, TLRU]:
        """Return the learnt order on an instance, and T-LRU."""
        return LearntOrder.of(self.xi, instance), self.tlru

    def beside(
        self, instance: Instance, shadows: tuple[LearntOrder, TLRU], outcomes: Sequence[Outcome]
    ) -> Callable[[int], Policy | CuttingPolicy]:
        """Return the cuts of a replay: the learnt order's after the turns at which it has the lead."""
        always, tlru = shadows
        if self.lead is None:
            return always.after
        learnt, plain = (np.maximum(outcome.uncached - self.xi, 0) for outcome in outcomes)
        follows = followed(plain - learnt, self.lead)
        return lambda turn: always.after(turn) if follows[turn] else tlru


def followed(saved: IntArray, lead: float) -> NDArray[np.bool_]:
    """Return after which turns savings, one per turn, have been enough.

    Enough is a sum S > lead V, V the root of the sum of squares; then it stays enough until S <= 0.
    """
    total = np.cumsum(saved)
    spread = lead * np.sqrt(np.cumsum(saved.astype(np.float64) ** 2))
    steps = zip(total > 0, total > spread, strict=True)
    states = accumulate(steps, lambda on, step: bool(step[0] and (on or step[1])), initial=False)
    return np.array(list(states)[1:], np.bool_)


@dataclass(frozen=True)
class LearntOrder:
    """The policy that always follows the learnt order on one instance; a law of prompts per estimate."""

    xi: int
    indices: ReturnIndices
    laws: tuple[Steps, ...]
    times: FloatArray

    @classmethod
    def of(cls, xi: int, instance: Instance) -> LearntOrder:
        """Learn from the instance's turns, each estimate from those before it."""
        times = seconds(instance)
        indices = ReturnIndices.of(instance.requests, times)
        continuing = continuing_turns(instance)
        prompts = instance.requests.prompt[continuing]
        known = np.searchsorted(continuing, indices.after, side="right").tolist()
        return cls(xi, indices, tuple(learnt_steps(prompts[:count]) for count in known), times)

    def bound_to(self, instance: Instance) -> Callable[[int], CuttingPolicy]:
        """Return the cuts of a replay of the instance, the one it has learnt from."""
        return self.after

    def after(self, turn: int) -> CuttingPolicy:
        """Return the cut after a turn."""
        return _LearntCut(self, turn)


@dataclass(frozen=True)
class _LearntCut:
    """The cut of the learnt order after a turn."""

    order: LearntOrder
    turn: int
    forgets = True

    def cut(self, conversations: Sequence[Node], overflow: int) -> None:
        """Evict the tokens with the smallest scores."""
        if overflow <= 0:
            return
        holding = [c for c in conversations if c.cached > 0]
        cached, offset = [c.cached for c in holding], [self.order.xi - c.past for c in holding]
        steps = self.order.laws[self.order.indices.table[self.turn]]
        left = evict_in_runs(cached, self._worth(holding).tolist(), offset, steps, overflow)
        for conversation, kept in zip(holding, left, strict=True):
            conversation.cached = kept

    def _worth(self, holding: Sequence[Node]) -> FloatArray:
        """Return log r; a conversation of the initial cache counts as a first turn of its length at time 0."""
        indices, times = self.order.indices, self.order.times
        last = np.array([c.last for c in holding])
        cell = indices.cell[last]
        for i in np.flatnonzero(last < 0).tolist():
            cell[i] = cells(np.array(0), np.array(holding[i].past))
        silence = times[self.turn] - np.where(last < 0, 0.0, times[last])
        return indices.at(self.turn, cell, silence)
