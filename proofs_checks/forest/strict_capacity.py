"""How large a strict cache must be: to lose nothing, and to do what a cache with holes does (ours).

docs/proofs-forest.md has the proofs. A block is *held up* at a step if it is needed by its next request, or lies
above one that is.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from proofs_checks.forest.judges import optimum, optimum_from
from proofs_checks.tail_optimized.theorem_b1 import all_equal
from teltheory.claims.claim import Values, rows
from teltheory.claims.forests import ForestCase, Shape, shapes
from teltheory.claims.listed import Listed, ToldCase

LOSES_NOTHING, HAS_ROOM = "TEL is that of an endless cache", "there is room for all that is held up"
STRICT, HOLES = "strict, D times the capacity", "with holes"
TIGHT = "strict, D times the tasks less 1"


def useful(case: ForestCase) -> list[int]:
    """Return how many leading blocks of each request's path are known and needed."""
    return list(map(min, case.known, case.need))


def most_held_up(case: ForestCase) -> int:
    """Return the most blocks that are held up before a request, with the paths that no cut touches."""
    paths, reads = case.shape.paths, useful(case)
    return max(len(held_up(case, k, paths, reads)) for k in range(len(paths)))


def held_up(case: ForestCase, k: int, paths: Sequence[Sequence[int]], reads: Sequence[int]) -> set[int]:
    """Return the blocks that are held up before request k, and the paths that no cut touches."""
    running = range(max(k - case.running, 0), k) if case.forced else range(0)
    held = {block for j in running for block in paths[j]}
    past = {block for path in paths[:k] for block in path}
    for block in past:
        coming = next((j for j in range(k, len(paths)) if block in paths[j]), None)
        if coming is not None and block in paths[coming][: reads[coming]]:
            held.update(paths[coming][: paths[coming].index(block) + 1])
    return held


def lossless(case: ForestCase) -> Values:
    """Ask whether a strict cache loses nothing, by all its contents, and whether all fits that is held up."""
    endless = sum(case.excesses_of(case.known))
    return {
        LOSES_NOTHING: optimum(case, strict=True) == endless,
        HAS_ROOM: most_held_up(case) <= case.capacity,
    }


def augmented(case: ForestCase) -> Values:
    """Return the least TEL with holes, and in a strict cache of D times the capacity, by all contents."""
    deepest = max(1, *useful(case))
    larger = replace(case, capacity=case.capacity * deepest)
    return {
        STRICT: optimum_from(larger, (), strict=True),
        HOLES: optimum_from(case, ()),
    }


@dataclass(frozen=True)
class ChainsAtOnce(ToldCase):
    """So many chains begin; then each is read but for its last block, which nobody needs, and at once wholly."""

    chains: int
    depth: int

    def forest_case(self, capacity: int) -> ForestCase:
        """Return the requests, of which those that read a chain again need all of it."""
        chains, depth = range(self.chains), self.depth
        parent = [-1 if i == 0 else depth * k + i - 1 for k in chains for i in range(depth)]
        last = [depth * k + depth - 1 for k in chains]
        leaf = [*last, *(block for end in last for block in (end - 1, end))]
        ask = [depth] * self.chains + [depth - 1, depth] * self.chains
        total = [depth] * self.chains + [depth - 1, 2 * depth] * self.chains
        return ForestCase(Shape(tuple(parent), tuple(leaf)), tuple(ask), tuple(total), capacity, depth)


def chains_at_once(most: int) -> Iterator[Iterator[ChainsAtOnce]]:
    """Yield chains of 2 blocks or more with so many blocks in all."""
    for blocks in range(2, most + 1):
        yield (ChainsAtOnce(blocks // depth, depth) for depth in range(2, blocks + 1) if blocks % depth == 0)


def sharp(case: ChainsAtOnce) -> Values:
    """Return the least TEL with holes, and in a strict cache with one block too few."""
    few, room = case.chains * case.depth - 1, case.chains + case.depth - 1
    return {
        TIGHT: optimum(case.forest_case(few), strict=True),
        HOLES: optimum(case.forest_case(room)),
    }


def small_forests(most: Mapping[int, int], forced: bool) -> Iterator[Iterator[ForestCase]]:
    """Yield the forests with up to so many blocks in each number of requests."""
    for requests, blocks in most.items():
        for count in range(1, blocks + 1):
            yield (case for shape in shapes(requests, count) for case in with_needs(shape, forced))


def with_needs(shape: Shape, forced: bool) -> Iterator[ForestCase]:
    """Yield a shape with every capacity that may overflow, and every need of known blocks: no other can be met."""
    xi, fewest = max(shape.depth), shape.pinned(1) if forced else 1
    for needs in product(*(range(known + 1) for known in shape.known)):
        total = tuple(xi + need for need in needs)
        for capacity in range(fewest, len(shape.parent)):
            yield ForestCase(shape, shape.ends, total, capacity, xi, forced=forced)


def forests(forced: bool) -> Listed[ForestCase]:
    """Return the small forests within limits."""

    def note(most: Mapping[int, int]) -> dict[str, Any]:
        blocks = {str(requests): blocks for requests, blocks in most.items()}
        return {
            "blocks_by_requests": blocks,
            "needs": "any of known blocks",
            "capacities": "1 to all but one",
        }

    quick, full = {2: 5, 3: 4, 4: 3, 5: 3}, {2: 6, 3: 5, 4: 5, 5: 4}
    return Listed(lambda most: small_forests(most, forced), quick, full, note)


row = rows(source="Beyond the paper: docs/limits.md")

no_loss = row(
    "forest.strict.no-loss",
    "A strict cache can have the TEL of an endless one if and only if at each step it has room for the blocks "
    "that their next requests need and those above them; so the least such capacity is found in polynomial time.",
    relation=all_equal,
    space=forests(forced=False),
)(lossless)

no_loss_forced = replace(
    no_loss,
    id="forest.strict.no-loss.forced",
    statement="The same under forced caching, with the paths of the running requests besides.",
    space=forests(forced=True),
)

larger = row(
    "forest.strict.augmented",
    "If no request needs more than D known blocks, a strict cache of D times the capacity has at most the least "
    "TEL with holes.",
    relation=lambda values: values[STRICT] <= values[HOLES],
    space=forests(forced=False),
)(augmented)

larger_forced = replace(
    larger,
    id="forest.strict.augmented.forced",
    statement="The same under forced caching.",
    space=forests(forced=True),
)

tight = row(
    "forest.strict.augmented.sharp",
    "D times cannot be less: c chains of D blocks exceed no threshold in a cache of c + D - 1 with holes, and do "
    "in a strict one of c D - 1.",
    relation=lambda values: values[TIGHT] > values[HOLES] == 0,
    space=Listed(chains_at_once, 10, 12, "chains of equal depth, 2 or more, with up to {} blocks in all"),
)(sharp)
