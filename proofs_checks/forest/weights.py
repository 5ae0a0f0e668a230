"""Weights of blocks by request and depth: which keep statement F; see docs/proofs-forest.md.

A request loses the sum of its weights over the blocks that it does not find. Need is the weight 1 down to the need
and 0 below: it does not grow with depth. What a longer context costs by attention does.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from proofs_checks.forest.judges import least_loss
from proofs_checks.forest.optimum import all_equal
from proofs_checks.forest.programs import Interval, Pairs, in_a_request, intervals, most_kept, no_precedence
from teltheory.claims.claim import Unshrunk, Values, rows
from teltheory.claims.forest_case import ForestCase, Row, Shape
from teltheory.claims.forests import Limits, shapes
from teltheory.claims.listed import Listed, told
from teltheory.claims.origin import sharpness


@dataclass(frozen=True)
class Weighted(Unshrunk):
    """A shape under a capacity, and the weights of each request's known blocks, root first."""

    shape: Shape
    weights: tuple[Row, ...]
    capacity: int

    @property
    def case(self) -> ForestCase:
        """The requests, all of whose paths are asked for."""
        return ForestCase(self.shape, self.shape.ends, self.shape.ends, self.capacity)

    def worth(self, one: Interval) -> int:
        """Return the weight of the block of an interval in the request that ends it."""
        return self.weights[one.end - 1][one.depth - 1]

    def size(self) -> tuple[Any, ...]:
        """Return the order of "smallest": the case's, then the weights."""
        requests, blocks, reads, *others = self.case.size()
        return (requests, blocks, reads, sum(map(sum, self.weights)), self.capacity, *others, self.weights)

    def measures(self) -> dict[str, int]:
        """Return requests and blocks."""
        return self.case.measures()

    def as_counterexample(self, values: Values) -> dict[str, Any]:
        """Return the requests with the weights of their known blocks."""
        paths = [[block + 1 for block in path] for path in self.shape.paths]
        return told({"requests": paths, "weights": self.weights, "C": self.capacity, "values": values})


def weighted(limits: Limits, most: int, *, growing: bool) -> Iterator[Iterator[Weighted]]:
    """Yield small forests with all weights up to the most that grow, or fall, with depth (or stay the same)."""
    for requests, blocks in limits.items():
        for size in range(1, blocks + 1):
            yield _weighted(requests, size, most, growing)


def _weighted(requests: int, blocks: int, most: int, growing: bool) -> Iterator[Weighted]:
    for shape in shapes(requests, blocks):
        for weights in product(*(list(_monotone(known, most, growing)) for known in shape.known)):
            for capacity in range(1, blocks + 1):
                yield Weighted(shape, weights, capacity)


def _monotone(length: int, most: int, growing: bool) -> Iterator[Row]:
    for row in product(range(most + 1), repeat=length):
        if list(row) == sorted(row, reverse=not growing):
            yield row


def small(most: int, *, growing: bool, quick: Limits, full: Limits) -> Listed[Weighted]:
    """Return the space of small forests with weights."""
    order = "grow with depth or stay the same" if growing else "do not grow with depth"
    note = f"weights 0 to {most} that {order}, blocks by requests {{}}"
    return Listed(lambda limits: weighted(limits, most, growing=growing), quick, full, note)


def kept(one: Weighted, pairs: Pairs) -> Fraction:
    """Return what the relaxation over intervals keeps at most, in weights."""
    return most_kept(one.case, intervals(one.case), one.worth, pairs)


def best(one: Weighted) -> int:
    """Return what any policy keeps at most, by trying every content of the cache."""
    return sum(map(sum, one.weights)) - least_loss(one.case, one.weights)


row = rows(source="docs/forest-optimum.md, weights", relation=all_equal)
QUICK, FULL = {1: 2, 2: 4, 3: 2}, {1: 3, 2: 4, 3: 3, 4: 2}
GROWING = small(2, growing=True, quick=QUICK, full=FULL)
NOT_GROWING = sharpness("forest.weights.falling", "weights do not grow with depth")


@row(
    "forest.weights.falling",
    "If weights do not grow with depth within a request, the precedence between its blocks is redundant, and the "
    "linear relaxation over reuse intervals has the optimum of a cache with holes.",
    space=small(3, growing=False, quick=QUICK, full=FULL),
)
def falling(one: Weighted) -> Values:
    """Solve the relaxation without precedence, in fractions, and hold it against the judge."""
    return {"without precedence": kept(one, no_precedence), "optimum": best(one)}


@row(
    "forest.weights.growing",
    "The same if weights grow with depth.",
    space=GROWING,
    origin=NOT_GROWING,
)
def growing(one: Weighted) -> Values:
    """Solve the relaxation without precedence, in fractions, and hold it against the judge."""
    return {"without precedence": kept(one, no_precedence), "optimum": best(one)}


@row(
    "forest.weights.growing.relaxation",
    "If weights grow with depth, the relaxation with the precedence between a request's blocks has the optimum.",
    space=GROWING,
    origin=NOT_GROWING,
)
def growing_relaxation(one: Weighted) -> Values:
    """Solve the relaxation with precedence, in fractions, and hold it against the judge."""
    return {"with precedence": kept(one, in_a_request), "optimum": best(one)}
