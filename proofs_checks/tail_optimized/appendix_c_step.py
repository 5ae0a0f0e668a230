"""Whether Appendix C's inequality carries itself from one turn to the next, on pairs of cache states.

A pair: the arriving conversation, and two others, most recent first, of which LRU and T-LRU cache different
amounts. Both policies then keep the arriving one and cut to C in room form: y = min(d, room), room' = room - y,
where d is x under LRU, and under T-LRU min(x, b) if its cache overflows: all surplus goes. b = (L - s)+ and
s = xi - Q.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from teltheory.claims.claim import Values, claim
from teltheory.claims.listed import Listed, Told, plain
from teltheory.claims.origin import reading, repairs
from teltheory.claims.registry import run

SOURCE = 'Appendix C, "such an inequality holds until the next time conversation i arrives again"'
Conversation = tuple[int, int, int]
T_LRU, LEAST = "X of T-LRU", "min(X of LRU, b)"


@dataclass(frozen=True)
class Pair(Told):
    """Two states of the same conversations; `safe` is s = xi - Q.

    `arriving` is the past of the arriving conversation after its turn; `others` are (L, X of LRU, X of T-LRU),
    most recent first.
    """

    arriving: int
    others: tuple[Conversation, ...]
    capacity: int
    safe: int

    def budget(self, past: int) -> int:
        """Return b."""
        return max(past - self.safe, 0)

    @property
    def dominated(self) -> bool:
        """Whether X of T-LRU >= min(X of LRU, b) for each, and both fit."""
        enough = all(t >= min(r, self.budget(past)) for past, r, t in self.others)
        return enough and all(sum(held) <= self.capacity for held in list(zip(*self.others, strict=True))[1:])

    @property
    def in_recency_order(self) -> bool:
        """Whether LRU caches nothing less recent than a conversation that it does not cache fully."""
        (past, more_recent, _), (_, less_recent, _) = self.others
        return more_recent == past or less_recent == 0

    def after(self) -> Values:
        """Return what T-LRU keeps of each conversation, and min(X of LRU, b)."""
        pasts = [self.arriving, *(past for past, _, _ in self.others)]
        lru = in_room_form([self.arriving, *(r for _, r, _ in self.others)], self.capacity)
        held = [self.arriving, *(t for _, _, t in self.others)]
        trimmed = [min(x, self.budget(past)) for x, past in zip(held, pasts, strict=True)]
        t_lru = in_room_form(trimmed if sum(held) > self.capacity else held, self.capacity)
        return {T_LRU: t_lru, LEAST: [min(r, self.budget(past)) for r, past in zip(lru, pasts, strict=True)]}

    def size(self) -> tuple[Any, ...]:
        tokens = self.arriving + sum(past for past, _, _ in self.others)
        return (tokens, self.capacity, self.safe, self.arriving, self.others)

    def measures(self) -> dict[str, int]:
        return {"tokens": self.size()[0]}

    def as_counterexample(self, values: Values) -> dict[str, Any]:
        others = {"arriving": self.arriving, "others (L, X of LRU, X of T-LRU)": plain(self.others)}
        return {**others, "capacity": self.capacity, "xi - Q": self.safe, "values": plain(values)}


def in_room_form(left: Sequence[int], capacity: int) -> list[int]:
    """Return what is kept, most recent first, of what is left."""
    kept, room = [], capacity
    for x in left:
        kept.append(min(x, room))
        room -= kept[-1]
    return kept


def pairs(most: int) -> Iterator[Iterator[Pair]]:
    """Yield the pairs of states of pasts up to a length in which the inequality holds, by longest past."""
    for longest in range(1, most + 1):
        yield (pair for pair in _pairs(longest) if pair.dominated)


def _pairs(longest: int) -> Iterator[Pair]:
    sizes = range(longest + 1)
    kinds = [(past, r, t) for past in sizes for r in range(past + 1) for t in range(past + 1)]
    for arriving, first, second in product(sizes, kinds, kinds):
        if max(arriving, first[0], second[0]) == longest:
            tokens = arriving + first[0] + second[0]
            for capacity, safe in product(range(tokens + 1), sizes):
                yield Pair(arriving, (first, second), capacity, safe)


PAIRS = Listed(pairs, 2, 4, "every pair of states of two conversations, pasts up to {}, and a third")


def carried(values: Values) -> bool:
    """Whether X of T-LRU >= min(X of LRU, b) again."""
    return all(t >= least for t, least in zip(values[T_LRU], values[LEAST], strict=True))


@claim(
    "appendix-c.step",
    SOURCE,
    "Where X of T-LRU >= min(X of LRU, b) for every conversation before a turn, so it is after it.",
    relation=carried,
    space=PAIRS,
    origin=reading("the inequality goes on holding from any two cache states, not only from equal ones"),
)
def step(case: Pair) -> Values:
    """Cut both caches."""
    return case.after()


@claim(
    "appendix-c.step.recency",
    SOURCE,
    "So it is if, moreover, LRU caches nothing less recent than a conversation that it does not cache fully.",
    relation=carried,
    space=PAIRS,
    origin=repairs("appendix-c.step"),
)
def step_in_recency_order(case: Pair) -> Values | None:
    """Cut both caches."""
    return case.after() if case.in_recency_order else None


if __name__ == "__main__":
    run(__file__)
