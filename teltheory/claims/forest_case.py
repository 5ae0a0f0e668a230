"""A small forest as a case of a claim: which blocks there are, where paths end, and what the requests need."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import chain
from typing import Any, TypeAlias

import numpy as np

from teltheory.claims.claim import Values
from teltheory.claims.listed import told
from teltheory.errors import ArgumentError, TelTheoryError
from teltheory.model.forest import Forest
from teltheory.model.instance import ForestInstance
from teltheory.model.numbers import readonly, whole_number
from teltheory.policies.policy import AnyPolicy
from teltheory.replay import Cache, replay_forest

Row: TypeAlias = tuple[int, ...]


@dataclass(frozen=True)
class Shape:
    """The parent of each block, -1 for a root and else a smaller number; the last block of each request's path."""

    parent: Row
    leaf: Row

    @cached_property
    def depth(self) -> Row:
        """Blocks from the root to each block, itself included."""
        depth: list[int] = []
        for parent in self.parent:
            depth.append(1 + (depth[parent] if parent >= 0 else 0))
        return tuple(depth)

    @cached_property
    def paths(self) -> tuple[Row, ...]:
        """The blocks of each request, root first."""
        return tuple(self._path(leaf) for leaf in self.leaf)

    def _path(self, block: int) -> Row:
        return () if block < 0 else (*self._path(self.parent[block]), block)

    @cached_property
    def ends(self) -> Row:
        """Length of each request's path."""
        return tuple(map(len, self.paths))

    @cached_property
    def known(self) -> Row:
        """Leading blocks of each path that an earlier request made available."""
        seen: set[int] = set()
        known = []
        for path in self.paths:
            known.append(sum(block in seen for block in path))
            seen.update(path)
        return tuple(known)

    @property
    def is_growing(self) -> bool:
        """Whether each request brings a new block."""
        return all(known < end for known, end in zip(self.known, self.ends, strict=True))

    def pinned(self, running: int) -> int:
        """Return the most blocks that the paths of so many successive requests have, the last one left out."""
        latest = (self.paths[max(k - running, 0) : k] for k in range(1, len(self.leaf)))
        return max((len({block for path in paths for block in path}) for paths in latest), default=0)

    def canonical(self) -> Shape:
        """Return the shape with its blocks numbered as they come up; those that no request reads are left out."""
        number: dict[int, int] = {}
        for path in self.paths:
            for block in path:
                number.setdefault(block, len(number))
        parent = tuple(number.get(self.parent[block], -1) for block in number)
        return Shape(parent, tuple(number[leaf] for leaf in self.leaf))


@lru_cache(maxsize=2)
def _forest(shape: Shape, ask: Row, total: Row) -> Forest:
    """Return the forest of a case that was made in order; its shape alone says how deep nodes are."""
    base = _of_shape(shape)
    asked, computed = (readonly(np.array(column, np.int64)) for column in (ask, total))
    forest = Forest(base.parent, base.length, base.leaf, asked, computed)
    vars(forest)["depth"] = base.depth
    return forest


@lru_cache(maxsize=2)
def _of_shape(shape: Shape) -> Forest:
    parent, leaf = (readonly(np.array(column, np.int64)) for column in (shape.parent, shape.leaf))
    return Forest(parent, readonly(np.ones(len(parent), np.int64)), leaf, leaf, leaf)


_PARAMETERS = ("capacity", "xi", "q_hat")
_OF_A_CASE = ("paths", "ask", "total", *_PARAMETERS, "forced")


@dataclass(frozen=True)
class ForestCase:
    """A shape, what its requests ask for and compute, a capacity, a threshold, an estimate and a caching mode.

    `running` is how many of the latest paths no cut touches under forced caching.
    """

    shape: Shape
    ask: Row
    total: Row
    capacity: int
    xi: int = 0
    q_hat: int = 0
    forced: bool = False
    running: int = 1

    @classmethod
    def of(cls, example: Mapping[str, Any]) -> ForestCase:
        """Return the case that `as_counterexample` wrote down; an error names a field of anything else."""
        if not isinstance(example, Mapping) or not set(_OF_A_CASE) <= set(example):
            raise ArgumentError("case", example, f"an object with {', '.join(_OF_A_CASE)}")
        forest = Forest.from_paths(example["paths"], example["ask"], example["total"])
        if not isinstance(example["forced"], bool):
            raise ArgumentError("forced", example["forced"], "true or false")
        columns = (tuple(column.tolist()) for column in (forest.parent, forest.leaf, forest.ask, forest.total))
        parent, leaf, ask, total = columns
        capacity, xi, q_hat = (whole_number(name, example[name]) for name in _PARAMETERS)
        running = whole_number("running", example.get("running", 1))
        return cls(Shape(parent, leaf), ask, total, capacity, xi, q_hat, example["forced"], running)

    @property
    def forest(self) -> Forest:
        """The requests as a forest of blocks of length 1."""
        return _forest(self.shape, self.ask, self.total)

    @property
    def instance(self) -> ForestInstance:
        """The forest and its cache, for replay, optimum and brute force."""
        return ForestInstance.of(self.forest, self.capacity, forced=self.forced, running=self.running)

    @property
    def need(self) -> Row:
        """How many leading cached blocks lower the excess of each request."""
        return tuple(min(ask, max(0, total - self.xi)) for ask, total in zip(self.ask, self.total, strict=True))

    @property
    def known(self) -> Row:
        """Leading blocks of each input that an earlier request made available."""
        return tuple(map(min, self.shape.known, self.ask))

    def replay(self, policy: AnyPolicy, cache: Cache = "strict") -> list[int]:
        """Return how many leading blocks each request finds in the cache, by the reference."""
        return list(map(int, replay_forest(self.instance, policy, cache, "reference").cached))

    def excesses_of(self, cached: Sequence[int]) -> list[int]:
        """Return the excess of each request that finds so many blocks."""
        return [max(total - found - self.xi, 0) for total, found in zip(self.total, cached, strict=True)]

    def excesses(self, policy: AnyPolicy, cache: Cache = "strict") -> list[int]:
        """Return max(uncached - xi, 0) of each request under a policy."""
        return self.excesses_of(self.replay(policy, cache))

    def tel(self, policy: AnyPolicy, cache: Cache = "strict") -> int:
        """Return the tail excess latency under a policy."""
        return sum(self.excesses(policy, cache))

    def size(self) -> tuple[Any, ...]:
        """Return the order of "smallest": requests, blocks, block reads, all totals, then C, xi, q_hat."""
        reads, parameters = sum(self.shape.ends), (self.capacity, self.xi, self.q_hat, self.forced, self.running)
        last = (self.shape.parent, self.shape.leaf, self.ask, self.total)
        return (*self.measures().values(), reads, sum(self.total), *parameters, *last)

    def measures(self) -> dict[str, int]:
        """Return requests and blocks."""
        return {"requests": len(self.shape.leaf), "blocks": len(self.shape.parent)}

    def smaller(self) -> Iterator[ForestCase]:
        """Yield the admissible cases one step smaller, blocks numbered as they come up.

        A step takes away a request (unless it is the only one) or a block (its children go below its parent), ends
        a path a block earlier, or lowers a total (down to what is asked for), C, xi or q_hat by one.
        """
        steps = (self._without_a_request(), self._without_a_block(), self._with_a_shorter_path(), self._lower())
        for case in chain.from_iterable(steps):
            if case.admissible:
                yield replace(case, shape=case.shape.canonical())

    def _without_a_request(self) -> Iterator[ForestCase]:
        for k in range(len(self.ask) if len(self.ask) > 1 else 0):
            leaf, ask, total = (row[:k] + row[k + 1 :] for row in (self.shape.leaf, self.ask, self.total))
            yield replace(self, shape=Shape(self.shape.parent, leaf), ask=ask, total=total)

    def _without_a_block(self) -> Iterator[ForestCase]:
        for block, above in enumerate(self.shape.parent):
            parent = tuple(above if p == block else p for p in self.shape.parent)
            leaf = tuple(above if end == block else end for end in self.shape.leaf)
            if min(leaf) >= 0:
                yield self._cut(Shape(parent, leaf))

    def _with_a_shorter_path(self) -> Iterator[ForestCase]:
        parent, leaf = self.shape.parent, self.shape.leaf
        for k, end in enumerate(leaf):
            if parent[end] >= 0:
                yield self._cut(Shape(parent, (*leaf[:k], parent[end], *leaf[k + 1 :])))

    def _cut(self, shape: Shape) -> ForestCase:
        """Return the case with shorter paths: no request asks for more than its path, and its tail is the same."""
        ask = tuple(map(min, self.ask, shape.ends))
        total = tuple(t - a + less for t, a, less in zip(self.total, self.ask, ask, strict=True))
        return replace(self, shape=shape, ask=ask, total=total)

    def _lower(self) -> Iterator[ForestCase]:
        for k, (ask, total) in enumerate(zip(self.ask, self.total, strict=True)):
            if total > ask:
                yield replace(self, total=(*self.total[:k], total - 1, *self.total[k + 1 :]))
        for name in _PARAMETERS:
            yield replace(self, **{name: getattr(self, name) - 1})

    @property
    def admissible(self) -> bool:
        """Whether there is such a forest, and its cache."""
        if min(self.xi, self.q_hat) < 0:
            return False
        try:
            _ = self.instance
        except TelTheoryError:
            return False
        return True

    def as_counterexample(self, values: Values) -> dict[str, Any]:
        """Return the case and the values that refute a claim, as `Forest.from_paths` takes it; blocks from 1."""
        return {
            "paths": [[block + 1 for block in path] for path in self.shape.paths],
            "ask": list(self.ask),
            "total": list(self.total),
            **{name: getattr(self, name) for name in (*_PARAMETERS, "forced")},
            **({"running": self.running} if self.running > 1 else {}),
            "values": told(values),
        }
