"""Small forests: every shape up to a size, smallest first, no forest twice; and random ones beyond.

A shape says which blocks there are and where each request's path ends. It is enumerated once: request by request
the path ends at a block that an earlier one has, or at the end of a new chain below such a block or below none,
and blocks are numbered as they come up. Every path has a block or more.

What is tried of a shape are ranges: what each request asks for, the threshold, each total, the capacities and the
estimates. For what only the optimum decides `any_need` is enough: the excess of a request is max(0, total - xi)
less the leading cached blocks, counted up to need = min(ask, max(0, total - xi)), and what no earlier request read
is not cached; so two instances of one shape whose needs are the same up to what is known differ in the excesses
without a cache, and in nothing that a policy can change. With ask the whole path, xi the depth of the forest and
total = xi + need each request has any need that it can have, up to what is known of its path.

The *natural* forests are those whose requests ask for their whole path, have no tail, and each bring a new block,
under capacities, thresholds and estimates of at least 1. Where a claim has no threshold or no estimate it is 0.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, TypeAlias

import numpy as np

from teltheory.claims.forest_case import ForestCase, Row, Shape

__all__ = ["ForestCase", "Shape", "SmallForests", "shapes"]

Limits: TypeAlias = Mapping[int, int]


def shapes(requests: int, blocks: int) -> Iterator[Shape]:
    """Yield every shape of exactly so many requests and blocks, each once."""
    yield from _grown(Shape((), ()), requests, blocks)


def _grown(shape: Shape, requests: int, blocks: int) -> Iterator[Shape]:
    """Yield the shapes that a shape and so many further requests make, if that has all the blocks."""
    parent, leaf = shape.parent, shape.leaf
    if requests == 0:
        yield from [shape] if len(parent) == blocks else []
        return
    for block in range(len(parent)):
        yield from _grown(Shape(parent, (*leaf, block)), requests - 1, blocks)
    for top in range(-1, len(parent)):
        for end in range(len(parent), blocks):
            chain = (top, *range(len(parent), end))
            yield from _grown(Shape((*parent, *chain), (*leaf, end)), requests - 1, blocks)


def whole_path(end: int) -> range:
    """Return the ask of a request whose path is all input."""
    return range(end, end + 1)


def any_ask(end: int) -> range:
    """Return every ask of a path."""
    return range(end + 1)


def no_tail(ask: int, known: int, xi: int) -> range:
    """Return the total of a request without a tail."""
    return range(ask, ask + 1)


def any_need(ask: int, known: int, xi: int) -> range:
    """Return the totals with which a request, asking for no more than xi, needs 0 ... all that is known of it."""
    return range(xi, xi + min(ask, known) + 1)


def no_threshold(shape: Shape) -> range:
    """Return 0, for claims without a threshold."""
    return range(1)


def deepest(shape: Shape) -> range:
    """Return the depth of the forest: no request asks for more."""
    return range(max(shape.depth), max(shape.depth) + 1)


def any_depth(shape: Shape) -> range:
    """Return 0 ... the depth of the forest, where every excess without a tail is 0."""
    return range(max(shape.depth) + 1)


def any_capacity(shape: Shape) -> range:
    """Return 0 ... all blocks: no larger cache ever overflows."""
    return range(len(shape.parent) + 1)


def no_estimate(case: ForestCase) -> range:
    """Return 0, for claims without a prompt estimate."""
    return range(1)


def upper_bounds(case: ForestCase) -> range:
    """Return the estimates that no request's new part exceeds, up to xi, from where on T-LRU is LRU."""
    least = max(total - known for total, known in zip(case.total, case.known, strict=True))
    return range(least, max(least, case.xi) + 1)


NATURAL: tuple[Limits, Limits] = {2: 4, 3: 5, 4: 5}, {2: 6, 3: 6, 4: 6, 5: 6}
"""Most blocks of natural forests by number of requests, at either effort."""
LONGEST_NEW = 3
"""Most new blocks of a request of a random shape."""


@dataclass(frozen=True)
class SmallForests:
    """What is enumerated and sampled for a claim on forests.

    Attributes
    ----------
    quick, full : mapping of int to int
        Most blocks for each number of requests, at either effort.
    asks, totals, thresholds, capacities, estimates : callable
        Ranges: of an ask for the length of the path; of a total for the ask, the length of what is known of the
        path and the threshold; of thresholds and capacities for a shape; of estimates for a case. As they are,
        every vector of needs.
    forced, running : bool, int
        Forced caching with so many requests that run; capacities then start where it is feasible.
    samples : int
        Random cases after the enumeration at quick effort; twenty times as many at full effort.
    most_requests, most_blocks : int
        Size of the random cases.
    least : int
        The least capacity, and the least threshold and estimate where there are any; 1 if each request is to
        bring a new block.
    natural_sizes : pair of mappings
        `quick` and `full` of the natural forests; none are tried where they are empty.
    """

    quick: Limits
    full: Limits
    asks: Callable[[int], range] = whole_path
    totals: Callable[[int, int, int], range] = any_need
    thresholds: Callable[[Shape], range] = deepest
    capacities: Callable[[Shape], range] = any_capacity
    estimates: Callable[[ForestCase], range] = no_estimate
    forced: bool = False
    running: int = 1
    samples: int = 1000
    most_requests: int = 8
    most_blocks: int = 7
    least: int = 0
    natural_sizes: tuple[Limits, Limits] = NATURAL

    def natural(self) -> SmallForests:
        """Return the natural forests."""
        quick, full = self.natural_sizes
        thresholds = no_threshold if self.thresholds is no_threshold else any_depth
        ranges: dict[str, Any] = {"asks": whole_path, "totals": no_tail, "thresholds": thresholds}
        return replace(self, quick=quick, full=full, samples=0, least=1, **ranges)

    def classes(self, effort: str) -> Iterator[Iterator[ForestCase]]:
        """Yield the cases of each size class, smallest class first."""
        for size in self.sizes(effort):
            yield self._class(*size)

    def sizes(self, effort: str) -> Iterator[tuple[int, int]]:
        """Yield the size of each class: requests and blocks."""
        for requests, most in getattr(self, effort).items():
            yield from ((requests, blocks) for blocks in range(1, most + 1))

    def _class(self, requests: int, blocks: int) -> Iterator[ForestCase]:
        for shape in shapes(requests, blocks):
            if shape.is_growing or not self.least:
                yield from self.cases(shape)

    def cases(self, shape: Shape) -> Iterator[ForestCase]:
        """Yield a shape with every ask, threshold, total, capacity and estimate."""
        for ask in product(*map(self.asks, shape.ends)):
            for xi in self.thresholds_of(shape):
                for total in product(*self._totals(shape, ask, xi)):
                    for capacity in self.feasible_capacities(shape):
                        case = ForestCase(shape, ask, total, capacity, xi, 0, self.forced, self.running)
                        yield from (replace(case, q_hat=q_hat) for q_hat in self.estimates_of(case))

    def _totals(self, shape: Shape, ask: Row, xi: int) -> Iterator[range]:
        """Yield the totals to try of each request."""
        return (self.totals(one, known, xi) for one, known in zip(ask, shape.known, strict=True))

    def thresholds_of(self, shape: Shape) -> Sequence[int]:
        """Return the thresholds to try."""
        thresholds = self.thresholds(shape)
        return thresholds if self.thresholds is no_threshold else _from(thresholds, self.least)

    def estimates_of(self, case: ForestCase) -> Sequence[int]:
        """Return the estimates to try."""
        estimates = self.estimates(case)
        return estimates if self.estimates is no_estimate else _from(estimates, self.least)

    def feasible_capacities(self, shape: Shape) -> Sequence[int]:
        """Return the capacities that hold, under forced caching, every path that no cut touches."""
        least = max(self.least, shape.pinned(self.running) if self.forced else 0)
        return _from(self.capacities(shape), least)

    def sample_size(self, effort: str) -> int:
        """Return the number of random cases at an effort."""
        return self.samples * (20 if effort == "full" else 1)

    def sample(self, rng: np.random.Generator) -> ForestCase | None:
        """Return a random case, None if the draw has no admissible parameter."""
        shape = self.random_shape(rng)
        thresholds, capacities = self.thresholds_of(shape), self.feasible_capacities(shape)
        if not thresholds or not capacities:
            return None
        xi, capacity = _one(rng, thresholds), _one(rng, capacities)
        ask = tuple(_one(rng, self.asks(end)) for end in shape.ends)
        total = tuple(_one(rng, totals) for totals in self._totals(shape, ask, xi))
        case = ForestCase(shape, ask, total, capacity, xi, 0, self.forced, self.running)
        estimates = self.estimates_of(case)
        return replace(case, q_hat=_one(rng, estimates)) if estimates else None

    def random_shape(self, rng: np.random.Generator) -> Shape:
        """Return a random shape of two requests or more."""
        parent: list[int] = []
        leaf: list[int] = []
        for _ in range(int(rng.integers(2, self.most_requests + 1))):
            room = self.most_blocks - len(parent)
            end = int(rng.integers(-1 if room else 0, len(parent)))
            new = int(rng.integers(end < 0, min(room, LONGEST_NEW) + 1))
            parent += [end, *range(len(parent), len(parent) + new - 1)][:new]
            leaf.append(len(parent) - 1 if new else end)
        return Shape(tuple(parent), tuple(leaf))

    def bounds(self, effort: str) -> dict[str, Any]:
        """Return what was enumerated, for the scope of a verdict."""
        limits = getattr(self, effort)
        return {"blocks_by_requests": {str(requests): blocks for requests, blocks in limits.items()}}


def _from(values: range, least: int) -> range:
    """Return the values that are no less than the least."""
    return values[bisect_left(values, least) :]


def _one(rng: np.random.Generator, values: Sequence[int]) -> int:
    return values[int(rng.integers(len(values)))]
