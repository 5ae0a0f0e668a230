"""Two replays of a small forest and how they compare: in plain Python, and as the numbers of a compiled check."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from operator import le
from typing import Any, Literal, TypeAlias

from teltheory.claims.claim import Values
from teltheory.claims.compiled.replays.space import EXCESS_IN_ALL, HITS, CompiledReplays
from teltheory.claims.forests import ForestCase, Limits, SmallForests, any_depth, no_estimate, no_tail
from teltheory.errors import ForcedCachingError
from teltheory.policies import LRU, TLRU
from teltheory.policies.policy import AnyPolicy
from teltheory.replay import RadixNodes

Rule: TypeAlias = Literal["LRU", "high-water", "last", "resident"]
Kind: TypeAlias = Literal["strict", "holes", "nodes"]
Room: TypeAlias = Literal["C", "C + 1", "C - k + 1", "C / k"]


def policy_of(rule: Rule, case: ForestCase) -> AnyPolicy:
    """Return LRU, or T-LRU with a mark and the parameters of a case."""
    return LRU() if rule == "LRU" else TLRU(case.xi, case.q_hat, "least-recent", rule)


def capacity_of(room: Room, capacity: int, chunk: int) -> int:
    """Return the capacity of a run."""
    if room == "C":
        return capacity
    if room == "C + 1":
        return capacity + 1
    return max(0, capacity - chunk + 1) if room == "C - k + 1" else capacity // chunk


@dataclass(frozen=True)
class Run:
    """A policy, a cache and its room; `name` is what its values are called."""

    name: str
    rule: Rule
    cache: Kind
    room: Room = "C"


@dataclass(frozen=True)
class Pair:
    """Two runs, of which the first has no more of something than the second.

    `chunk` is k, the most blocks of a node, 0 for whole prompts; `renew` is that of `RadixNodes`; `relation` is
    what is compared: the excess in all, each request's excess, or each request's hits.
    """

    first: Run
    second: Run
    relation: int = HITS
    chunk: int = 0
    renew: bool = True

    def hits(self, run: Run, case: ForestCase) -> list[int]:
        """Return what each request hits."""
        forced = case.forced and run.room in ("C", "C + 1")
        sized = replace(case, capacity=capacity_of(run.room, case.capacity, self.chunk), forced=forced)
        if run.cache != "nodes":
            return sized.replay(policy_of(run.rule, case), run.cache)
        return sized.replay(policy_of(run.rule, case), RadixNodes(self.chunk or None, renew=self.renew))

    def values(self, case: ForestCase) -> Values | None:
        """Return what is compared, of both runs; None if paths do not fit into the cache."""
        try:
            found = {run.name: self.hits(run, case) for run in (self.first, self.second)}
        except ForcedCachingError:
            return None
        if self.relation == HITS:
            return found
        return {name: case.excesses_of(hits) for name, hits in found.items()}

    def holds(self, values: Values) -> bool:
        """Whether the first has no more than the second."""
        first, second = values[self.first.name], values[self.second.name]
        if self.relation == EXCESS_IN_ALL:
            return bool(sum(first) <= sum(second))
        return all(map(le, first, second))

    def compiled(self, worlds: SmallForests, tail: int = 0) -> CompiledReplays:
        """Return the compiled check."""
        first, second = ((run.cache, run.rule, run.room) for run in (self.first, self.second))
        return CompiledReplays((first, second), self.relation, worlds, self.chunk, self.renew, tail)


def dominance(rule: Rule, cache: Kind, relation: int = EXCESS_IN_ALL, **nodes: Any) -> Pair:
    """Return T-LRU with a mark against LRU, in one kind of cache."""
    return Pair(Run("T-LRU", rule, cache), Run("LRU", "LRU", cache), relation, **nodes)


def inclusion(rule: Rule, cache: Kind, **nodes: Any) -> Pair:
    """Return a policy's hits against those with a block of capacity more."""
    return Pair(Run("hits", rule, cache), Run("hits, C + 1", rule, cache, "C + 1"), HITS, **nodes)


def new_parts(case: ForestCase) -> range:
    """Return the estimates below xi that cover what each request adds to what it knows, if it knows something."""
    return range(least_estimate(case, case.total), case.xi)


def least_estimate(case: ForestCase, lengths: tuple[int, ...]) -> int:
    """Return the largest length beyond what a request knows, of requests that know something."""
    pairs = zip(lengths, case.known, strict=True)
    return max((length - known for length, known in pairs if known > 0), default=0)


def covered(values: Callable[[ForestCase], Values | None]) -> Callable[[ForestCase], Values | None]:
    """Return a check that says nothing of cases in which the estimate is below a new part."""

    def of_covered(case: ForestCase) -> Values | None:
        return values(case) if case.q_hat >= least_estimate(case, case.total) else None

    return of_covered


def tail_of_one(ask: int, known: int, xi: int) -> range:
    """Return the totals without a tail and with one of a block."""
    return range(ask, ask + 2)


NOT_FOUND: tuple[Limits, Limits] = {}, {}
"""For spaces of which no natural forests are tried."""


def forests(quick: Limits, full: Limits | None = None, **others: Any) -> SmallForests:
    """Return forests whose requests have no tail and ask for all, with thresholds, if nothing else is said."""
    ranges = {"totals": no_tail, "thresholds": any_depth, "estimates": no_estimate, "natural_sizes": NOT_FOUND}
    return SmallForests(quick, full or quick, **{**ranges, **others})
