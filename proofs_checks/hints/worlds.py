"""Small forests whose requests tell hints: the cases of the rows, each once, smallest first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property, lru_cache
from itertools import product
from math import nan
from typing import Any, Literal, TypeAlias

import numpy as np

from teltheory.claims.claim import Enumerated, Unshrunk
from teltheory.claims.forest_case import Row, Shape
from teltheory.claims.forests import shapes
from teltheory.claims.listed import told
from teltheory.model.forest import Forest
from teltheory.model.hints import CLOSE, PRIORITY, RESUME, RETAIN, WHAT, Hints
from teltheory.model.instance import ForestInstance
from teltheory.policies.policy import Mark

Use: TypeAlias = tuple[str, ...]
Kind: TypeAlias = Literal["strict", "holes"]
Size: TypeAlias = tuple[int, int]
NEVER = 63
"""A time that does not come, and what was not told."""
RELEASE: tuple[Use, ...] = (("close",), ("superseded",), ("close", "superseded"))
USES = ("close", "superseded", "retain", "priority", "resume", "after", "hard", "unrenewed")
"""As ``teltheory/claims/compiled/hints.c`` numbers the bits of what is used; the last two are of times to live."""
COLUMNS = ("agent", "close", "other", "time", "at", "value")


@dataclass(frozen=True)
class Messages:
    """What requests tell: when they come, whose they are, when an agent was said to be over, and one value each.

    `other` and `other_use` are those of the run that is compared. `at` says when a value is told: the end of a
    retention, a priority, or the time of a return, as `use` has it.
    """

    agent: Row
    close: Row
    other: Row
    time: Row
    at: Row
    value: Row
    use: Use = ()
    other_use: Use = ()

    @classmethod
    def of(cls, agent: Row, use: Use = (), other_use: Use = (), **columns: Row) -> Messages:
        """Return what is told; requests come at times 0, 1, ..., and what is left out is not told."""
        ends = columns.get("close", (NEVER,) * len(agent))
        none = {"close": ends, "other": ends, "time": tuple(range(len(agent))), "at": (NEVER,) * len(agent)}
        return cls(agent, use=use, other_use=other_use, **{"value": (0,) * len(agent), **none, **columns})

    @property
    def size(self) -> tuple[Any, ...]:
        """Return how many agents, and how many hints; of equal ones any fixed order."""
        hints = sum(time != NEVER for time in (*self.close, *self.at))
        return (len(set(self.agent)), hints, *(getattr(self, one.name) for one in fields(self)))

    def numbers(self, capacity: int, level: int) -> list[int]:
        """Return a row as C takes it."""
        columns = (one for name in COLUMNS for one in getattr(self, name))
        return [code_of(self.use), code_of(self.other_use), capacity, level, *columns]

    @property
    def shown(self) -> dict[str, Any]:
        """What is not as `of` leaves it; None where nothing is told."""
        blank = Messages.of(self.agent, close=self.close)
        columns = {one.name: getattr(self, one.name) for one in fields(self)}
        said = {name: value for name, value in columns.items() if value != getattr(blank, name)}
        said = {"agent": self.agent, "close": self.close} | said
        return {name: tuple(None if one == NEVER else one for one in value) for name, value in said.items()}


def code_of(use: Use) -> int:
    """Return the bits of what is used."""
    return sum(1 << USES.index(name) for name in use)


@dataclass(frozen=True)
class HintedCase(Unshrunk):
    """A shape, what its requests tell, a capacity, T-LRU's level (xi with a Q of 0; 0 is LRU), and the cache."""

    shape: Shape
    told: Messages
    capacity: int
    level: int = 0
    forced: bool = False
    cache: Kind = "strict"
    mark: Mark = "high-water"

    @classmethod
    def given(cls, paths: Iterable[Iterable[int]], told: Messages, capacity: int, **others: Any) -> HintedCase:
        """Return the case of some paths, whose blocks are numbered as they come up."""
        parent: dict[int, int] = {}
        rows = [tuple(path) for path in paths]
        for path in rows:
            for above, block in zip((-1, *path), path, strict=False):
                parent.setdefault(block, above)
        number = {block: i for i, block in enumerate(parent)} | {-1: -1}
        shape = Shape(tuple(number[one] for one in parent.values()), tuple(number[path[-1]] for path in rows))
        return cls(shape, told, capacity, **others)

    def size(self) -> tuple[Any, ...]:
        """Return requests, blocks, agents, hints and block reads, then C and the level; then any fixed order."""
        agents, hints, *rest = self.told.size
        shape = (sum(self.shape.ends), self.shape.parent, self.shape.leaf)
        return (*self.measures().values(), agents, hints, *rest, *shape, self.capacity, self.level)

    def measures(self) -> dict[str, int]:
        """Return requests and blocks."""
        return {"requests": len(self.shape.leaf), "blocks": len(self.shape.parent)}

    @cached_property
    def estimate(self) -> int:
        """The longest new part of a request that knows something."""
        pairs = zip(self.shape.ends, self.shape.known, strict=True)
        return max((end - known for end, known in pairs if known), default=0)

    def forest(self, close: Row, use: Use) -> Forest:
        """Return the requests as a forest of blocks of length 1, with what a run is told."""
        base = _forest(self.shape, self.told.time)
        what = next((one for one in (RETAIN, PRIORITY, RESUME) if one in use), RETAIN)
        events = [(time, k, CLOSE, nan) for k, time in enumerate(close) if time != NEVER]
        events += [
            (t, k, what, v)
            for k, (t, v) in enumerate(zip(self.told.at, self.told.value, strict=True))
            if t != NEVER
        ]
        time, about, said, value = zip(*sorted(events), strict=True) if events else ((),) * 4
        codes = np.array([WHAT.index(one) for one in said], np.int64)
        columns = np.array(time, float), np.array(about, np.int64), codes, np.array(value, float)
        return base.with_hints(Hints(np.array(self.told.agent, np.int64), *columns))

    def instance(self, close: Row, use: Use) -> ForestInstance:
        """Return the forest and its cache."""
        return ForestInstance.of(self.forest(close, use), self.capacity, forced=self.forced)

    def as_counterexample(self, values: Any) -> dict[str, Any]:
        """Return the case with its values, as `Forest.from_paths` takes it; blocks from 1."""
        paths = [[block + 1 for block in path] for path in self.shape.paths]
        facts = {"paths": paths, **self.told.shown, "capacity": self.capacity, "level": self.level}
        return told({**facts, "forced": self.forced, "cache": self.cache, "mark": self.mark, "values": values})


def agents_of(requests: int, most: int) -> Iterator[Row]:
    """Yield whose each request is, agents numbered as they come up."""
    for row in product(range(most), repeat=requests):
        if all(one <= max(row[:k], default=-1) + 1 for k, one in enumerate(row)):
            yield row


def ends_of(agent: Row) -> Iterator[Row]:
    """Yield every time at which each request's agent may be said to be over, up to its next request, and never.

    An end that is told after the last request but one changes nothing.
    """
    n = len(agent)
    yield from product(*((*range(k, min(next_of(agent, k), n - 2) + 1), NEVER) for k in range(n)))


def next_of(agent: Row, k: int) -> int:
    """Return the agent's next request after one, their number if there is none."""
    return next((i for i in range(k + 1, len(agent)) if agent[i] == agent[k]), len(agent))


def released(
    requests: int, most_agents: int, uses: tuple[Use, ...] = RELEASE, both: bool = False
) -> Iterator[Messages]:
    """Yield every end of every agent, used by the first run or `both`; superseded alone knows no ends."""
    for agent in agents_of(requests, most_agents):
        for use in uses:
            for close in ends_of(agent) if "close" in use else [(NEVER,) * requests]:
                yield Messages.of(agent, use, use if both else (), close=close)


@dataclass(frozen=True)
class SmallHints(Enumerated):
    """All shapes up to so many blocks, by the number of requests, with all that may be told, all rooms and levels.

    `told(requests)` yields what is told. `least_level` is 1 where LRU is compared with T-LRU; without `levels`
    there is LRU alone.
    """

    quick: Mapping[int, int]
    full: Mapping[int, int]
    told: Callable[[int], Iterable[Messages]]
    note: str
    levels: bool = True
    least_level: int = 0
    forced: bool = False
    cache: Kind = "strict"
    mark: Mark = "high-water"

    def sizes(self, effort: str) -> Iterator[Size]:
        """Yield requests and blocks of each class."""
        for requests, most in getattr(self, effort).items():
            yield from ((requests, blocks) for blocks in range(1, most + 1))

    def classes(self, effort: str) -> Iterator[Iterator[HintedCase]]:
        """Yield the cases of each class."""
        return (self._cases(*size) for size in self.sizes(effort))

    def bounds(self, effort: str) -> dict[str, Any]:
        """Return what is enumerated, in words."""
        most = {str(requests): blocks for requests, blocks in getattr(self, effort).items()}
        return {"blocks_by_requests": most, "told": self.note}

    def listed(self, requests: int) -> list[Messages]:
        """Return what is told, from the smallest on, each once."""
        return sorted(set(self.told(requests)), key=lambda one: one.size)

    def _cases(self, requests: int, blocks: int) -> Iterator[HintedCase]:
        for one in self.listed(requests):
            for shape in sorted_shapes(requests, blocks):
                yield from self._of(HintedCase(shape, one, 0, 0, self.forced, self.cache, self.mark))

    def _of(self, case: HintedCase) -> Iterator[HintedCase]:
        least = max(case.shape.ends[:-1], default=0) if self.forced else 0
        most = max(case.shape.ends) if self.levels else 0
        for capacity in range(least, len(case.shape.parent) + 1):
            for level in range(self.least_level, most + 1):
                yield replace(case, capacity=capacity, level=level)


@lru_cache(maxsize=2)
def _forest(shape: Shape, time: Row) -> Forest:
    parent, leaf = (np.array(column, np.int64) for column in (shape.parent, shape.leaf))
    lengths = np.array(shape.ends, np.int64)
    return Forest(parent, np.ones(len(parent), np.int64), leaf, lengths, lengths, arrival=np.array(time, float))


@lru_cache(maxsize=32)
def sorted_shapes(requests: int, blocks: int) -> tuple[Shape, ...]:
    """Return every shape of a size, by block reads."""
    return tuple(sorted(shapes(requests, blocks), key=lambda one: (sum(one.ends), one.parent, one.leaf)))
