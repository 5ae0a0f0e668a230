"""How large a strict cache must be: to lose nothing, and to do what a cache with holes does (ours).

docs/limits.md has the proofs. A block is *held up* at a step if it is needed by its next request, or lies above
one that is.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from proofs_checks.tail_optimized.theorem_b1 import all_equal
from teltheory.claims.claim import Values, rows
from teltheory.claims.forests import ForestCase, Shape, SmallForests
from teltheory.claims.listed import Listed, Told
from teltheory.claims.registry import run
from teltheory.optimal.trees.states import least_tel

LOSES_NOTHING, HAS_ROOM = "TEL is that of an endless cache", "there is room for all that is held up"
STRICT, HOLES = "strict, D times the capacity", "with holes"
TIGHT = "strict, D times the tasks less 1"


def useful(case: ForestCase) -> list[int]:
    """Return how many leading blocks of each request's path are known and needed."""
    return list(map(min, case.known, case.need))


def held_up(case: ForestCase, k: int) -> set[int]:
    """Return the blocks that are held up before request k, and the paths that no cut touches."""
    paths, reads = case.shape.paths, useful(case)
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
    endless = replace(case, capacity=len(case.shape.parent))
    tel = least_tel(case.instance, case.xi, True)
    most = max(len(held_up(case, k)) for k in range(len(case.ask)))
    return {LOSES_NOTHING: tel == least_tel(endless.instance, case.xi, True), HAS_ROOM: most <= case.capacity}


def augmented(case: ForestCase) -> Values:
    """Return the least TEL with holes, and in a strict cache of D times the capacity, by all contents."""
    deepest = max(1, *useful(case))
    larger = replace(case, capacity=case.capacity * deepest)
    return {
        STRICT: least_tel(larger.instance, case.xi, True),
        HOLES: least_tel(case.instance, case.xi, False),
    }


@dataclass(frozen=True)
class ChainsAtOnce(Told):
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
        TIGHT: least_tel(case.forest_case(few).instance, case.depth, True),
        HOLES: least_tel(case.forest_case(room).instance, case.depth, False),
    }


row = rows(source="Beyond the paper: docs/limits.md")
SPACE = SmallForests({2: 5, 3: 4, 4: 3}, {2: 6, 3: 5, 4: 4}, samples=300)

no_loss = row(
    "forest.strict.no-loss",
    "A strict cache can have the TEL of an endless one if and only if at each step it has room for the blocks "
    "that their next requests need and those above them; so the least such capacity is found in polynomial time.",
    relation=all_equal,
    space=SPACE,
)(lossless)

no_loss_forced = replace(
    no_loss,
    id="forest.strict.no-loss.forced",
    statement="The same under forced caching, with the paths of the running requests besides.",
    space=replace(SPACE, forced=True),
)

larger = row(
    "forest.strict.augmented",
    "If no request needs more than D known blocks, a strict cache of D times the capacity has at most the least "
    "TEL with holes.",
    relation=lambda values: values[STRICT] <= values[HOLES],
    space=SPACE,
)(augmented)

larger_forced = replace(
    larger,
    id="forest.strict.augmented.forced",
    statement="The same under forced caching.",
    space=replace(SPACE, forced=True),
)

tight = row(
    "forest.strict.augmented.sharp",
    "D times cannot be less: c chains of D blocks exceed no threshold in a cache of c + D - 1 with holes, and do "
    "in a strict one of c D - 1.",
    relation=lambda values: values[TIGHT] > values[HOLES] == 0,
    space=Listed(chains_at_once, 8, 10, "chains of equal depth, 2 or more, with up to {} blocks in all"),
)(sharp)


if __name__ == "__main__":
    run(__file__)
