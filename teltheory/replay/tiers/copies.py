"""Private conversations in a first tier and a host that is sent everything once (RAGCache's "swap out only once").

1. What a turn loads stays in the host as a copy. So of a conversation the host holds its part of the second tier,
   and copies of intervals of the first tier's part.
2. Copies take room in the host and are no candidates there. What sinks and has a copy is a candidate from then on,
   and is not sent again.
3. So it matters in which order things sink, and the host is cut after each: first what the first tier's policy
   does not keep at all, then surplus, then the rest in its order, each conversation from its end. Units beside
   each other that all have a copy, or all have none, sink together: the host's order is that of a list that only
   grows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from teltheory.model.tiers import Tiers
from teltheory.policies.node import Node
from teltheory.policies.policy import Policy
from teltheory.replay.chains.reference import evict, trim_all, trim_in_order, trim_in_rounds
from teltheory.replay.tiers.chains import Conversations, TierTurn

Intervals = list[tuple[int, int]]
"""Beginnings and ends of some units of a conversation, in order."""


def conversations_in(policies: Any, tiers: Tiers, turns: Sequence[TierTurn], forced: bool) -> Conversations:
    """Return the empty cache of private conversations in tiers."""
    kind = WithCopies if tiers.keeps_copies and len(tiers) > 1 else Conversations
    return kind(policies, tiers, turns, forced)


class WithCopies(Conversations):
    """Two tiers, and what of each conversation's part of the first has a copy in the second."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.copies: dict[int, Intervals] = {}

    def load(self, theta: int, reused: tuple[int, ...], past: int) -> None:
        """Load what a turn reuses, which keeps its copy, and put its whole past into the first tier."""
        super().load(theta, reused, past)
        fast, slow = reused
        self.copies[theta] = [*within(self.copies.get(theta, []), 0, fast), (fast, fast + slow)]

    def cut(self, exempt: Node | None) -> tuple[int, ...]:
        """Cut the first tier, and the second after all that sinks; return what was copied and is there."""
        sent = [(code, part) for code, left in self._sinking(exempt) for part in self._sink(code, left)]
        reach = {code: sum(held[code] for held in self.held) for code in self.nodes}
        return (sum(size(within([part], 0, reach[code])) for code, part in sent),)

    def _sinking(self, exempt: Node | None) -> Iterator[tuple[int, int]]:
        """Yield the conversations of which the first tier keeps less, in order, and what it keeps."""
        policy, held, room = self.policies[0], self.held[0], self.tiers.capacities[0]
        in_rounds = policy.trim == "round-robin"
        ways: tuple[tuple[Callable[..., Any], Callable[..., object]], ...] = (
            (lambda _: 0, leave_out),
            (lambda node: node.first, trim_in_rounds) if in_rounds else (policy.trim_key, trim_in_order),
            (policy.eviction_key, evict),
        )
        for key, way in ways:
            for code, node in self.nodes.items():
                node.cached = held[code]
            nodes = [node for node in self.nodes.values() if node is not exempt]
            order = sorted(nodes, key=key)
            way(nodes, policy, max(sum(held.values()) - room, 0))
            yield from [(node.code, node.cached) for node in order if node.cached < held[node.code]]

    def _sink(self, code: int, left: int) -> Iterator[tuple[int, int]]:
        """Let the first tier keep so much of a conversation; yield what is sent to the second."""
        for begin, end, has_copy in reversed(list(pieces(self.copies[code], left, self.held[0][code]))):
            self.held[0][code] = begin
            self.held[1][code] += end - begin
            self.copies[code] = within(self.copies[code], 0, begin)
            if not has_copy:
                yield begin, end
            copies = sum(map(size, self.copies.values()))
            self.cut_tier(1, self.held[0], self.tiers.capacities[1] - copies)


def leave_out(nodes: Sequence[Node], policy: Policy, _: int) -> None:
    """Take what a policy does not keep, overflow or not."""
    for node in nodes:
        if policy.drops(node):
            node.cached = 0
    if policy.trim == "eager":
        trim_all(nodes, policy)


def size(intervals: Intervals) -> int:
    """Return how many units there are."""
    return sum(end - begin for begin, end in intervals)


def within(intervals: Intervals, begin: int, end: int) -> Intervals:
    """Return what of the units lies between two places."""
    cut = ((max(one, begin), min(other, end)) for one, other in intervals)
    return [(one, other) for one, other in cut if one < other]


def pieces(copies: Intervals, begin: int, end: int) -> Iterator[tuple[int, int, bool]]:
    """Yield the parts between two places that all have a copy, or all have none."""
    at = begin
    for one, other in within(copies, begin, end):
        if at < one:
            yield at, one, False
        yield one, other, True
        at = other
    if at < end:
        yield at, end, False
