"""Work-Aware T-LRU: budgets by marginal gain, for w times the prefilled tokens plus TEL.

A cached token of a conversation saves w if its next turn begins with it, and w + 1 as far as that turn would else
be above the threshold: within T-LRU's budget. How soon the turn comes nobody knows. Of a conversation that was
silent for A turns the rate of return is taken to be in proportion to 1 / A. Then most is saved at the next turn by
the tokens with the largest

    w / A   above the budget,       (w + 1) / A   within it,

and on overflow the smallest goes first. In other words: LRU, where what is above the budget counts as (w + 1) / w
times as old. So w = 0 is T-LRU with least-recent trim, and a large w is LRU.

1. A is counted in turns of the trace: the next one less the conversation's last. The initial cache counts as turns
   before the first.
2. Equal gains: what is above a budget goes before what is within one; then the least recent conversation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from teltheory.model.instance import Instance
from teltheory.model.numbers import rational
from teltheory.policies.node import Node
from teltheory.policies.policy import CuttingPolicy, Length, checked_length, tel_safe_budget


@dataclass(frozen=True)
class WorkAwareTLRU:
    """T-LRU that weighs work against the tail; of private conversations.

    Parameters
    ----------
    xi, q_hat : as for `TLRU`
    work : int or Fraction
        w, what a prefilled token costs if one above the threshold costs 1 more.
    """

    name = "work-aware"
    loop = "work-aware"
    xi: Length
    q_hat: Length = None
    work: Fraction = Fraction(1, 4)

    def __post_init__(self) -> None:
        for name in ("xi", "q_hat"):
            object.__setattr__(self, name, checked_length(name, getattr(self, name)))
        object.__setattr__(self, "work", rational("work", self.work, 0))

    def kept(self, past: Any) -> Any:
        """Return the budget of a conversation with such a past; of several, as an array."""
        return tel_safe_budget(past, self.q_hat, self.xi)

    def bound_to(self, instance: Instance) -> Callable[[int], CuttingPolicy]:
        """Return what says, after each turn, how to cut."""
        return lambda turn: _ByGain(self, turn, len(instance.initial))


@dataclass(frozen=True)
class _ByGain:
    policy: WorkAwareTLRU
    turn: int
    initial: int
    forgets = True

    def cut(self, conversations: Sequence[Node], overflow: int) -> None:
        """Take the tokens with the smallest gain, one at a time in the order of gains, a run of equals at once."""
        if overflow <= 0:
            return
        runs = [
            (self._gain(node, above), not above, at, node)
            for at, node in enumerate(conversations)
            for above in (True, False)
        ]
        for _, within, _, node in sorted(runs, key=lambda run: run[:3]):
            least = 0 if within else min(self.policy.kept(node.past), node.cached)
            taken = min(node.cached - least, overflow)
            node.cached -= taken
            overflow -= taken

    def _gain(self, node: Node, above: bool) -> Fraction:
        last = node.last if node.last >= 0 else node.first - self.initial
        return (self.policy.work + (not above)) / (self.turn + 1 - last)
