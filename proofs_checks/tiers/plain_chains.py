"""A plain replay of conversations in tiers, block by block: the judge of the rows. It uses nothing of the package.

A turn finds what the tiers hold of its conversation, and its whole past is in tier 0 then. Tier after tier is
cut: it loses surplus first, by the way of trimming, then the end of the least recent conversation that it holds.
What a tier loses is in the next one, and what the last one loses is gone. In inclusive tiers a capacity counts
what the tiers before hold too. Under forced caching tier 0 loses nothing of the conversation whose turn it is.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

from proofs_checks.tiers.chains import Chain, Row, Trace

Kind: TypeAlias = Literal["LRU", "flat", "scaled", "rounded down", "last", "threshold"]
"""What tiers 0 to i are to hold of a conversation: all; b; b / (1 - load of i), rounded up or down; b / (1 - load
of the last tier), rounded up; all if it is longer than xi, else nothing."""
Trim: TypeAlias = Literal["round-robin", "least-recent", "eager"]
TRIMS: tuple[Trim, ...] = ("round-robin", "least-recent", "eager")
LRU: tuple[Kind, ...] = ("LRU",) * 9


@dataclass(eq=False)
class Conversation:
    """One conversation: its past, its blocks by tier, its last turn, its estimate, its worth by tier."""

    past: int
    blocks: list[int]
    last: int
    estimate: int = 0
    worths: Row = ()


@dataclass(eq=False)
class Cascade:
    """Tiers, and all conversations that have come, in order of first arrival."""

    case: Chain
    kinds: tuple[Kind, ...]
    trim: Trim

    def __post_init__(self) -> None:
        self.known: dict[int, Conversation] = {}

    def found(self) -> list[list[int]]:
        """Return, turn by turn, what is found of each tier."""
        return [self._turn(k) for k in range(len(self.case.trace))]

    def _turn(self, k: int) -> list[int]:
        theta, prompt, response, *forgotten = self.case.trace[k]
        one = self.known.setdefault(theta, Conversation(0, [0] * len(self.case.capacities), k))
        self.now = one
        one.past -= sum(forgotten)
        found = self._head(one, one.past)
        one.past += prompt + response
        one.blocks = [one.past, *(0 for _ in found[1:])]
        one.last = k
        one.estimate = self._estimate(k, theta)
        one.worths = tuple([self._worth(tier, one) for tier in range(len(found))])
        for tier in range(len(found)):
            self._cut(tier)
        return found

    def _head(self, one: Conversation, history: int) -> list[int]:
        found: list[int] = []
        for blocks in one.blocks:
            found.append(min(blocks, history - sum(found)))
        return found

    def _estimate(self, k: int, theta: int) -> int:
        if self.case.q_hat is not None:
            return self.case.q_hat
        return next((turn[1] for turn in self.case.trace[k + 1 :] if turn[0] == theta), 0)

    def _worth(self, tier: int, one: Conversation) -> int:
        """Return how many blocks tiers 0 to this one are to hold."""
        kind = self.kinds[tier]
        if kind in ("LRU", "threshold"):
            return one.past if kind == "LRU" or one.past > self.case.xi else 0
        b = min(one.past, max(0, one.past + one.estimate - self.case.xi))
        if kind == "flat":
            return b
        less = self.case.parts - self.case.loads[-1 if kind == "last" else tier]
        parts = b * self.case.parts
        return min(one.past, parts // less if kind == "rounded down" else -(-parts // less))

    def _surplus(self, tier: int, one: Conversation) -> int:
        over = sum(one.blocks[: tier + 1]) - one.worths[tier]
        return min(one.blocks[tier], over) if over > 0 else 0

    def _overflow(self, tier: int) -> int:
        first = 0 if self.case.inclusive else tier
        return sum([sum(one.blocks[first : tier + 1]) for one in self.known.values()]) - self.case.capacities[tier]

    def _cut(self, tier: int) -> None:
        if self.trim == "eager":
            for one in self._may_lose(tier):
                self._sink(tier, one, self._surplus(tier, one))
        while (over := self._overflow(tier)) > 0 and self._trimmed(tier):
            pass
        for one in self._by_recency(tier) if over > 0 else ():
            gone = min(one.blocks[tier], over)
            self._sink(tier, one, gone)
            over -= gone

    def _trimmed(self, tier: int) -> bool:
        """Trim a round, or a block of the least recent that has surplus; return whether there was any."""
        may = self._may_lose(tier) if self.trim == "round-robin" else self._by_recency(tier)
        some = [one for one in may if self._surplus(tier, one)]
        for one in some if self.trim == "round-robin" else some[:1]:
            if self._overflow(tier) > 0:
                self._sink(tier, one, 1)
        return bool(some)

    def _by_recency(self, tier: int) -> list[Conversation]:
        """Return who may lose something in a tier, least recent first."""
        others = self._may_lose(tier)
        return sorted(others, key=lambda one: one.last)

    def _may_lose(self, tier: int) -> list[Conversation]:
        """Return who may lose something in a tier, in order of first arrival."""
        stays = self.now if self.case.forced and tier == 0 else None
        return [one for one in self.known.values() if one is not stays]

    def _sink(self, tier: int, one: Conversation, blocks: int) -> None:
        one.blocks[tier] -= blocks
        if tier + 1 < len(one.blocks):
            one.blocks[tier + 1] += blocks


def found(case: Chain, kinds: tuple[Kind, ...] = LRU, trim: Trim = "least-recent") -> list[list[int]]:
    """Return what each turn finds of each tier."""
    return Cascade(case, kinds, trim).found()


def found_by_lru(case: Chain) -> list[list[int]]:
    """Return what each turn finds of each tier under LRU; remembered while only loads, xi and Q change."""
    return _by_lru(case.trace, case.capacities, case.inclusive)


@lru_cache(maxsize=1)
def _by_lru(trace: Trace, capacities: Row, inclusive: bool) -> list[list[int]]:
    return found(Chain(trace, capacities, (), inclusive=inclusive))


def totals(case: Chain) -> list[int]:
    """Return the input of each turn: its history and its prompt."""
    past: dict[int, int] = {}
    inputs = []
    for theta, prompt, response, *forgotten in case.trace:
        inputs.append(past.get(theta, 0) - sum(forgotten) + prompt)
        past[theta] = inputs[-1] + response
    return inputs


def excesses(case: Chain, found_by_turn: list[list[int]], overlapped: bool = False) -> list[int]:
    """Return what each turn has above xi, in parts of a token."""
    above = []
    for total, found_of in zip(totals(case), found_by_turn, strict=True):
        computed = (total - sum(found_of)) * case.parts
        loaded = sum([load * blocks for load, blocks in zip(case.loads, found_of, strict=True)])
        effective = max(computed, loaded) if overlapped else computed + loaded
        above.append(max(0, effective - case.xi * case.parts))
    return above
