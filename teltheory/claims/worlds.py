"""Small worlds: every trace up to a size, smallest first, no trace twice; and random ones beyond.

A world of n turns over k conversations with a total of m tokens is enumerated once: conversations are numbered
in order of appearance (those of the initial cache first, then by first arrival; a restricted growth string),
and the tokens are split over prompts and responses (and initial pasts) in every way. The response of the last
turn changes nothing and is 0. All capacities from 0 to m and all thresholds from 0 to m are tried: a larger
cache never overflows, and above a threshold of m every excess is 0.

The *natural* worlds are those of which every prompt and response is at least 1, under capacities, thresholds and
estimates of at least 1: the same worlds with 1 more in each prompt and response.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import product
from math import comb
from typing import Any, Generic

import numpy as np

from teltheory.claims.case import Case, Starts, Turns, World
from teltheory.claims.claim import C, Enumerated

__all__ = ["SmallWorlds", "upper_bounds"]

Range = Callable[[World], range]
Estimates = Callable[[World, int], "range | tuple[int, ...]"]


def all_sizes(world: World) -> range:
    """Return 0 ... all tokens."""
    return range(world.tokens + 1)


def no_estimate(world: World, xi: int) -> tuple[int, ...]:
    """Return 0, for claims without a prompt estimate."""
    return (0,)


def upper_bounds(world: World, xi: int) -> range:
    """Return the estimates that no continuing prompt exceeds, up to xi, from where on T-LRU is LRU."""
    least = max(world.continuing_prompts, default=0)
    return range(least, max(least, xi) + 1)


@dataclass(frozen=True)
class Reach:
    """The most turns, tokens and conversations that the worlds of a campaign may have."""

    turns: int = 200
    tokens: int = 20_000
    conversations: int = 20


FEW = 50
"""Ways to split the tokens of worlds that are kept."""
JUDGED_BY_BRUTE_FORCE = Reach(6, 8, 3)
"""For claims whose values are computed by trying every cache."""

Limits = Mapping[int, int]
NATURAL: tuple[Limits, Limits] = {1: 2, 2: 2, 3: 2}, {1: 4, 2: 4, 3: 3, 4: 1}
"""Most tokens of natural worlds above the least, by number of turns, at either effort."""


@dataclass(frozen=True)
class SmallWorlds:
    """What is enumerated and sampled for a claim.

    Attributes
    ----------
    quick, full : mapping of int to int
        Most tokens for each number of turns, at either effort.
    capacities, thresholds : callable
        Ranges for a world.
    estimates : callable
        Prompt estimates for a world and a threshold. `upper_bounds` are Theorem 3.1's. When left out, 0 alone,
        with which a claim in a file that is not registered may not compute.
    forced : bool
        Forced caching; capacities then start where it is feasible.
    starts : int
        Most conversations in the initial cache.
    start_tokens : mapping of str to int
        Most tokens of a world with an initial cache, at either effort.
    conversations : int
        Most conversations in all.
    samples : int
        Random cases after the enumeration at quick effort; twenty times as many at full effort.
    most_turns, longest : int
        Size of the random cases: turns, and tokens of a prompt, a response or an initial past.
    reach : Reach
        Size of the cases of a campaign.
    least : int
        The least prompt, response and capacity, and the least threshold and estimate where there are any. The
        tokens in `quick` and `full` are those above the least ones.
    natural_sizes : pair of mappings
        `quick` and `full` of the natural worlds; none are tried where they are empty.
    """

    quick: Limits
    full: Limits
    capacities: Range = all_sizes
    thresholds: Range = all_sizes
    estimates: Estimates = no_estimate
    forced: bool = False
    starts: int = 0
    start_tokens: Mapping[str, int] = field(default_factory=lambda: {"quick": 2, "full": 4})
    conversations: int = 4
    samples: int = 2000
    most_turns: int = 12
    longest: int = 8
    reach: Reach = Reach()
    least: int = 0
    natural_sizes: tuple[Limits, Limits] = NATURAL

    def natural(self) -> SmallWorlds:
        """Return the natural worlds, in which nothing but an initial cache is 0."""
        quick, full = self.natural_sizes
        return replace(self, quick=quick, full=full, samples=0, least=1)

    def classes(self, effort: str) -> Iterator[Iterator[Case]]:
        """Yield the cases of each size class, smallest class first."""
        for size in self.sizes(effort):
            yield self._class(*size)

    def sizes(self, effort: str) -> Iterator[tuple[int, int, int, int]]:
        """Yield the size of each class: turns, conversations, tokens, most conversations in the initial cache."""
        for turns, most in getattr(self, effort).items():
            fewest = 2 * turns * self.least
            for conversations in range(1, min(turns + self.starts, self.conversations) + 1):
                for more in range(most + 1):
                    starts = self.starts if more <= self.start_tokens[effort] else 0
                    yield turns, conversations, fewest + more, starts

    def _class(self, turns: int, conversations: int, tokens: int, most_starts: int) -> Iterator[Case]:
        for starts in range(min(most_starts, conversations) + 1):
            for world in kept_worlds(turns, conversations, tokens, starts, self.least):
                yield from self.cases(world)

    def cases(self, world: World) -> Iterator[Case]:
        """Yield a world under every capacity, threshold and estimate."""
        for capacity in self.feasible_capacities(world):
            for xi in self.thresholds_of(world):
                for q_hat in self.estimates_of(world, xi):
                    yield Case(world, capacity, xi, q_hat, self.forced)

    def thresholds_of(self, world: World) -> range:
        """Return the thresholds to try; where a claim has none, 0 stands for it."""
        thresholds = self.thresholds(world)
        return thresholds if thresholds == range(1) else thresholds[bisect_left(thresholds, self.least) :]

    def estimates_of(self, world: World, xi: int) -> Sequence[int]:
        """Return the estimates to try; where a claim has none, 0 stands for it."""
        estimates = self.estimates(world, xi)
        return estimates if self.estimates is no_estimate else estimates[bisect_left(estimates, self.least) :]

    def feasible_capacities(self, world: World) -> range:
        """Return the capacities that hold the initial cache and, under forced caching, every past."""
        least = max(self.least, world.held, world.forced_capacity() if self.forced else 0)
        capacities = self.capacities(world)
        return capacities[bisect_left(capacities, least) :]

    def sample_size(self, effort: str) -> int:
        """Return the number of random cases at an effort."""
        return self.samples * (20 if effort == "full" else 1)

    def sample(self, rng: np.random.Generator) -> Case | None:
        """Return a random case beyond the enumerated sizes, None if the draw has no admissible parameter."""
        return self.with_parameters(rng, self.random_world(rng).canonical())

    def with_parameters(self, rng: np.random.Generator, world: World) -> Case | None:
        """Return a world under random parameters, None if one of them has no admissible value."""
        capacities = self.feasible_capacities(world)
        if not capacities:
            return None
        capacity, xi = chosen(rng, capacities), chosen(rng, self.thresholds(world))
        estimates = self.estimates(world, xi)
        if not len(estimates):
            return None
        return Case(world, capacity, xi, chosen(rng, estimates), self.forced)

    def random_world(self, rng: np.random.Generator) -> World:
        """Return a small world, its conversations not yet in canonical order."""
        most = int(rng.integers(1, self.conversations + 1))
        n = int(rng.integers(2, self.most_turns + 1))
        longest = int(rng.integers(1, self.longest + 1))
        labels = rng.integers(0, most, n).tolist()
        prompts, responses = rng.integers(0, longest + 1, (2, n)).tolist()
        initial = []
        for conversation in rng.permutation(most)[: rng.integers(0, self.starts + 1)].tolist():
            past = int(rng.integers(0, longest + 1))
            initial.append((conversation, past, int(rng.integers(0, past + 1))))
        return World(tuple(zip(labels, prompts, responses, strict=True)), tuple(initial))

    def bounds(self, effort: str) -> dict[str, Any]:
        """Return what was enumerated, for the scope of a verdict."""
        limits = getattr(self, effort)
        return {
            "tokens_by_turns": {str(turns): 2 * turns * self.least + tokens for turns, tokens in limits.items()},
            "conversations": self.conversations,
            "initial_conversations": self.starts,
            "tokens_with_an_initial_cache": self.start_tokens[effort] if self.starts else 0,
        }


def chosen(rng: np.random.Generator, values: Sequence[int]) -> int:
    """Return one of some values, as `rng.choice` does, which makes an array of them first."""
    return values[int(rng.integers(0, len(values)))]


@dataclass(frozen=True)
class Given(Enumerated, Generic[C]):
    """A fixed list of cases, such as the example of a figure."""

    listed: tuple[C, ...]
    note: str

    def classes(self, effort: str) -> Iterator[Iterator[C]]:
        """Yield the cases as one class."""
        yield iter(self.listed)

    def bounds(self, effort: str) -> dict[str, Any]:
        """Return what the cases are."""
        return {"cases": self.note}


def kept_worlds(turns: int, conversations: int, tokens: int, starts: int, least: int) -> Iterable[World]:
    """Return the worlds of a size; few ones are kept, and so is what replays found of them, for the next claim."""
    parts = 2 * turns - 1 + starts
    few = turns <= 4 and comb(tokens - 2 * turns * least + parts - 1, parts - 1) <= FEW
    return (_few_worlds if few else worlds)(turns, conversations, tokens, starts, least)


@lru_cache(maxsize=128)
def _few_worlds(turns: int, conversations: int, tokens: int, starts: int, least: int) -> tuple[World, ...]:
    return tuple(worlds(turns, conversations, tokens, starts, least))


def worlds(turns: int, conversations: int, tokens: int, starts: int = 0, least: int = 0) -> Iterator[World]:
    """Yield every world of exactly this size, no prompt and no response below the least, each once."""
    for labels in _growth_strings(turns, starts, conversations):
        for lengths in _splits(tokens - 2 * turns * least, 2 * turns - 1 + starts):
            pasts, rest = lengths[:starts], (*(length + least for length in lengths[starts:]), least)
            played: Turns = tuple(zip(labels, rest[::2], rest[1::2], strict=True))
            for held in product(*(range(past + 1) for past in pasts)):
                initial: Starts = tuple(zip(range(starts), pasts, held, strict=True))
                yield World(played, initial)


def _growth_strings(length: int, seen: int, conversations: int) -> Iterator[tuple[int, ...]]:
    """Yield the ways in which turns visit conversations, new ones numbered in order, all of them used."""
    if conversations - seen > length:
        return
    if length == 0:
        yield ()
        return
    for label in range(min(seen, conversations - 1) + 1):
        for rest in _growth_strings(length - 1, max(seen, label + 1), conversations):
            yield (label, *rest)


def _splits(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """Yield the ways to write `total` as an ordered sum of `parts` whole numbers."""
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in _splits(total - first, parts - 1):
            yield (first, *rest)
