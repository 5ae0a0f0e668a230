"""Return-aware T-LRU: T-LRU that evicts first who is least likely to be back soon, learnt while it runs.

The cut trims surplus above the TEL-safe budgets as T-LRU does. What overflow is left goes in the order of the
return index (`teltheory.belief.hazards`), which is expected reuse a second of room, the smallest first. Every
token below the budget counts the same for TEL, so that no length enters. Equal indices: the least recent first.

An estimate may be worse than recency, most of all while little is learnt. So the policy runs two caches beside
its own, which hold lengths and no tokens: T-LRU's, and that of the learnt order alone. With S the excess that the
learnt order has saved against T-LRU so far and V the root of the sum of its squares over turns, it cuts as T-LRU
until S > lead V, and again from when S <= 0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from teltheory.belief.etlru import seconds
from teltheory.belief.hazards import ReturnRanks, cells
from teltheory.errors import ArgumentError
from teltheory.instance import Instance
from teltheory.numbers import FloatArray, IntArray, whole_number
from teltheory.policies.online import TLRU
from teltheory.policies.policy import Conversation, Policy, Trim, trim_order
from teltheory.replay.reference import replay_reference


@dataclass(frozen=True)
class ReturnAwareTLRU:
    """T-LRU that learns who comes back; the trace needs arrival times.

    Parameters
    ----------
    xi, q_hat, trim
        As for `TLRU`.
    shrinkage : float
        kappa, above 0: how many returns an estimate's prior counts for.
    lead : float or None
        How far ahead of T-LRU the learnt order must be before it is followed, 0 or more; None follows it always.

    Raises
    ------
    ArgumentError
        For a wrong value; from a replay, where the trace has no arrival times.
    """

    xi: int
    q_hat: int
    trim: Trim = "round-robin"
    shrinkage: float = 5.0
    lead: float | None = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "xi", whole_number("xi", self.xi))
        object.__setattr__(self, "q_hat", whole_number("q_hat", self.q_hat))
        trim_order(self.trim)
        if not 0 < self.shrinkage < np.inf:
            raise ArgumentError("shrinkage", self.shrinkage, "a finite number above 0")
        if self.lead is not None and not 0 <= self.lead < np.inf:
            raise ArgumentError("lead", self.lead, "a finite number, 0 or more, or None")

    @property
    def has_kernel(self) -> bool:
        """Whether the kernel runs it: no, the reference does."""
        return False

    @property
    def tlru(self) -> TLRU:
        """The T-LRU that it starts from."""
        return TLRU(self.xi, self.q_hat, self.trim)

    def bound_to(self, instance: Instance) -> Callable[[int], Policy]:
        """Return the cuts of a replay of the instance."""
        times = seconds(instance)
        always = _Always(self, ReturnRanks.of(instance.trace, times, self.shrinkage), times)
        if self.lead is None:
            return always.after
        follows, tlru = self._follows(instance, always, self.lead), self.tlru
        return lambda turn: always.after(turn) if follows[turn] else tlru

    def _follows(self, instance: Instance, always: _Always, lead: float) -> NDArray[np.bool_]:
        """Return after which turns the learnt order is followed, from replays of the two caches beside."""
        beside = replay_reference(instance, self.tlru), replay_reference(instance, always)
        excess = [np.maximum(outcome.uncached - self.xi, 0) for outcome in beside]
        return followed(excess[0] - excess[1], lead)


def followed(saved: IntArray, lead: float) -> NDArray[np.bool_]:
    """Return after which turns savings, one a turn, have been enough.

    Enough is a sum S > lead V, V the root of the sum of squares; then it stays enough until S <= 0.
    """
    total = np.cumsum(saved)
    spread = lead * np.sqrt(np.cumsum(saved.astype(np.float64) ** 2))
    steps = zip(total > 0, total > spread, strict=True)
    states = accumulate(steps, lambda on, step: bool(step[0] and (on or step[1])), initial=False)
    return np.array(list(states)[1:], np.bool_)


@dataclass(frozen=True)
class _Always:
    """The policy that follows the learnt order always."""

    policy: ReturnAwareTLRU
    ranks: ReturnRanks
    times: FloatArray

    @property
    def has_kernel(self) -> bool:
        return False

    def bound_to(self, instance: Instance) -> Callable[[int], Policy]:
        return self.after

    def after(self, turn: int) -> Policy:
        return _ByReturn(self.policy, self.ranks, self.times, turn)


@dataclass(frozen=True)
class _ByReturn:
    """The rules of the cut after a turn."""

    policy: ReturnAwareTLRU
    ranks: ReturnRanks
    times: FloatArray
    turn: int

    @property
    def trim(self) -> Trim:
        return self.policy.trim

    def drops(self, conversation: Conversation) -> bool:
        return False

    def budget(self, conversation: Conversation) -> int:
        return self.policy.tlru.budget(conversation)

    def trim_key(self, conversation: Conversation) -> int:
        return 0

    def eviction_key(self, conversation: Conversation) -> int:
        """Return the rank of the return index; one of the initial cache counts as a first turn of its length."""
        ranks, now, last = self.ranks, float(self.times[self.turn]), conversation.last
        if last < 0:
            return ranks.rank(self.turn, int(cells(np.array(0), np.array(conversation.past))), now)
        return ranks.rank(self.turn, int(ranks.cell[last]), now - float(self.times[last]))
