"""Strict caches, closed towards the root: when they reach the optimum of caches with holes, and when not.

See docs/proofs-forest.md for the proofs and the families, docs/counterexamples.md for steps.
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from proofs_checks.forest.judges import optimum, optimum_from
from proofs_checks.forest.optimum import all_equal
from proofs_checks.forest.programs import at_every_step, intervals, most_kept, needed
from teltheory.claims.claim import Values, rows
from teltheory.claims.compiled.forests import CompiledForests
from teltheory.claims.forests import ForestCase, Limits, SmallForests, no_tail, no_threshold
from teltheory.claims.listed import Listed
from teltheory.claims.origin import sharpness
from teltheory.optimal import hindsight_optimum
from teltheory.policies import Belady, TailOptimizedBelady

NOT_ENUMERATED: tuple[Limits, Limits] = ({}, {})
PLAIN = SmallForests({1: 3, 2: 3, 3: 3}, {1: 4, 2: 4, 3: 4}, natural_sizes=NOT_ENUMERATED)
ENUMERATED = SmallForests({1: 5, 2: 5, 3: 5, 4: 5, 5: 4}, {1: 6, 2: 6, 3: 6, 4: 6, 5: 5, 6: 4})
FORCED, FORCED_ENUMERATED = replace(PLAIN, forced=True), replace(ENUMERATED, forced=True)


def of_needs(paths: Sequence[Sequence[int]], need: Sequence[int], capacity: int) -> ForestCase:
    """Return a case with these needs: xi is the longest path, a total xi + need, or the path if that is 0."""
    xi = max(map(len, paths))
    total = [xi + one if one else len(path) for one, path in zip(need, paths, strict=True)]
    return ForestCase.of(_plain(paths, total, capacity, xi))


def _plain(paths: Sequence[Sequence[int]], total: Sequence[int], capacity: int, xi: int) -> dict[str, object]:
    ask = [len(path) for path in paths]
    parameters = {"capacity": capacity, "xi": xi, "q_hat": 0, "forced": False}
    return {"paths": paths, "ask": ask, "total": total, **parameters}


def natural(paths: Sequence[Sequence[int]], capacity: int, xi: int) -> ForestCase:
    """Return the case of whole paths without tails."""
    return ForestCase.of(_plain(paths, [len(path) for path in paths], capacity, xi))


row = rows(source="docs/forest-optimum.md, strict caches", relation=all_equal, space=PLAIN)


def strict_and_holes(case: ForestCase) -> Values:
    """Try every content of either cache."""
    return {"strict": optimum(case, strict=True), "with holes": optimum(case)}


SAME_OPTIMUM = "A cache that is closed towards the root reaches the optimum of a cache with holes."
MAY_HAVE_HOLES = "a block may outlive its parent"

strict = row(
    "forest.strict",
    SAME_OPTIMUM,
    origin=sharpness("forest.optimum", MAY_HAVE_HOLES),
    compiled=CompiledForests("strict and holes", ENUMERATED),
)(strict_and_holes)

strict_forced = row(
    "forest.strict.forced",
    "The same under forced caching.",
    origin=sharpness("forest.optimum.forced", MAY_HAVE_HOLES),
    space=FORCED,
    compiled=CompiledForests("strict and holes", FORCED_ENUMERATED),
)(strict_and_holes)

NATURAL = natural([[1], [2, 3], [1, 4, 5], [2, 6], [2, 3, 7, 8]], capacity=2, xi=2)


def listed(note: str, *cases: ForestCase) -> Listed[ForestCase]:
    """Return the space of some cases."""
    return Listed(lambda some: [iter(some)], cases, cases, lambda some: {"cases": note})


strict_natural = row(
    "forest.strict.natural",
    "The same if each request asks for its whole path, has no tail and brings a new block, with C, xi at least 1.",
    origin=sharpness("forest.optimum", MAY_HAVE_HOLES),
    space=listed("one, the counterexample of forest.strict with new blocks at the ends of its paths", NATURAL),
)(strict_and_holes)


def leaf_first(case: ForestCase) -> Values:
    """Replay Tail-Optimized Belady over leaves, and try every content of a strict cache."""
    return {
        "leaf-first": case.tel(TailOptimizedBelady(case.xi), "strict"),
        "strict": optimum(case, strict=True),
    }


BELADY = "requests need what they share, as forest.strict.closed-needs asks for"
SEVEN = of_needs([[1], [2], [3, 4], [1], [3], [3, 4], [2]], [0, 0, 0, 1, 0, 2, 1], capacity=2)
SEVEN_NATURAL = natural([[1], [2], [3, 4], [1, 5, 6], [3, 7], [3, 4, 8, 9], [2, 10, 11]], capacity=2, xi=2)


BEYOND = "one, not known to be the smallest: forest.strict.belady.small says up to where there is none"

belady = row(
    "forest.strict.belady",
    "In a strict cache Tail-Optimized Belady over leaves reaches the least TEL.",
    origin=sharpness("forest.strict.closed-needs", BELADY),
    space=listed(BEYOND, SEVEN),
)(leaf_first)

belady_natural = row(
    "forest.strict.belady.natural",
    "The same if each request asks for its whole path, has no tail and brings a new block, with C, xi at least 1.",
    origin=sharpness("forest.strict.closed-needs", BELADY),
    space=listed(
        "one, the counterexample of forest.strict.belady with new blocks at the ends of its paths", SEVEN_NATURAL
    ),
)(leaf_first)

SIX = replace(of_needs([[1], [2, 3], [4, 5], [2], [2, 3], [1]], [0, 0, 0, 0, 2, 1], capacity=3), forced=True)

belady_forced = row(
    "forest.strict.belady.forced",
    "Under forced caching Tail-Optimized Belady over leaves reaches the least TEL of strict caches.",
    origin=sharpness("forest.strict.closed-needs.forced", BELADY),
    space=listed(BEYOND, SIX),
)(leaf_first)

SEARCHED = SmallForests({1: 5, 2: 5, 3: 5, 4: 5, 5: 4, 6: 3}, {1: 6, 2: 6, 3: 6, 4: 6, 5: 5, 6: 5, 7: 3})

belady_small = row(
    "forest.strict.belady.small",
    "On small forests, up to the bounds below, Tail-Optimized Belady over leaves reaches the least TEL of strict "
    "caches.",
    space=replace(PLAIN, samples=0),
    compiled=CompiledForests("leaf first and strict", SEARCHED),
)(leaf_first)

belady_small_forced = row(
    "forest.strict.belady.small.forced",
    "The same under forced caching.",
    space=replace(FORCED, samples=0),
    compiled=CompiledForests("leaf first and strict", replace(SEARCHED, forced=True)),
)(leaf_first)


def chain_and_singles(length: int) -> ForestCase:
    """Return the family in which leaves that are needed later go for a chain of which one block is needed.

    So many singles; a chain of the same length; another chain of that length, twice, which needs the room; the
    first chain without its last block, which is not needed; the first chain, needed; the singles, needed.
    """
    singles, below, other = (list(range(k * length + 1, (k + 1) * length + 1)) for k in range(3))
    each = [[one] for one in singles]
    paths = [*each, below, other, other, below[:-1], below, *each]
    need = [*[0] * length, 0, 0, length, 0, length, *[1] * length]
    return of_needs(paths, need, capacity=2 * length)


def k_times(values: Values) -> bool:
    """Whether the least TEL is 1, and the policy's K."""
    return bool(values["certified below"] == values["a plan"] == 1 and values["leaf-first"] == values["K"])


@row(
    "forest.strict.belady.ratio",
    "Tail-Optimized Belady over leaves can have K times the least TEL of strict caches, for every K.",
    relation=k_times,
    space=Listed(lambda most: ([chain_and_singles(k)] for k in range(2, most + 1)), 8, 16, "K from 2 to {}"),
)
def belady_ratio(case: ForestCase) -> Values:
    """Take K from the capacity, which is 2K."""
    best = hindsight_optimum(case.forest, case.capacity, case.xi, cache="strict", method="milp")
    return {
        "leaf-first": case.tel(TailOptimizedBelady(case.xi), "strict"),
        "certified below": int(best.certificate.objective),
        "a plan": best.upper,
        "K": case.capacity // 2,
    }


def needs_are_closed(case: ForestCase) -> bool:
    """Whether between a read of a block and the next, if that needs it, requests need what they share with it."""
    paths, read = case.shape.paths, dict[int, int]()
    for e, (path, need) in enumerate(zip(paths, case.need, strict=True)):
        for block in path[:need]:
            between = range(read.get(block, e - 1) + 1, e)
            if any(_shared(paths[k], path) > case.need[k] for k in between):
                return False
        read.update(dict.fromkeys(path, e))
    return True


def _shared(one: Sequence[int], other: Sequence[int]) -> int:
    return sum(a == b for a, b in zip(one, other, strict=False))


def both(case: ForestCase) -> Values:
    """Hold leaf-first against the least TEL of either cache."""
    return {**leaf_first(case), "with holes": optimum(case)}


def given_closed_needs(case: ForestCase) -> Values | None:
    """Only of forests whose needs are closed."""
    return both(case) if needs_are_closed(case) else None


CLOSED = (
    "If between a read of a block and the next request through it, should that need the block, every request "
    "needs all that it shares with that one, a strict cache reaches the optimum of caches with holes, by "
    "Tail-Optimized Belady over leaves."
)

closed_needs = row(
    "forest.strict.closed-needs",
    CLOSED,
    compiled=CompiledForests("closed needs", ENUMERATED),
)(given_closed_needs)

closed_needs_forced = row(
    "forest.strict.closed-needs.forced",
    "The same under forced caching.",
    space=FORCED,
    compiled=CompiledForests("closed needs", FORCED_ENUMERATED),
)(given_closed_needs)


def at_xi_0(space: SmallForests) -> SmallForests:
    """Return the forests of a space with whole paths, no tails and no threshold."""
    return replace(space, totals=no_tail, thresholds=no_threshold)


MISSES = replace(at_xi_0(ENUMERATED), quick={1: 5, 2: 5, 3: 5, 4: 5, 5: 5})


@row(
    "forest.belady",
    "With xi = 0 and whole paths that are asked for, Belady's rule over leaves has the most hits of any policy, "
    "in a strict cache and in one with holes.",
    space=at_xi_0(PLAIN),
    compiled=CompiledForests("closed needs", MISSES, "no tail"),
)
def belady_at_xi_0(case: ForestCase) -> Values:
    """Count misses: of Belady's rule over leaves, and the least of either cache."""
    return {**both(case), "leaf-first": case.tel(Belady(), "strict")}


def gap(length: int) -> ForestCase:
    """Return the family of a chain, of which only the last block is needed at first, and of a block beside it."""
    single, below = [length + 1], list(range(1, length + 1))
    paths = [single, below, single, below[:-1], below]
    return of_needs(paths, [0, 0, 1, 0, length], capacity=length)


def relaxed(case: ForestCase) -> Values:
    """Solve the relaxation of the program over intervals with the order of a strict cache, in fractions.

    If both caches have one optimum the relaxation lies between them, and is not solved.
    """
    best, free = optimum_from(case, (), strict=True), optimum_from(case, ())
    return {"relaxation": best if best == free else _relaxation(case), "strict": best}


def _relaxation(case: ForestCase) -> Fraction:
    pairs = at_every_step(case.shape.parent)
    return sum(case.excesses_of([0] * len(case.ask))) - most_kept(case, intervals(case), needed(case), pairs)


relaxation = row(
    "forest.strict.relaxation",
    "The linear relaxation of the integer program of strict caches, over reuse intervals, has their optimum.",
    origin=sharpness("forest.optimum.relaxation", "a block may outlive its parent"),
    space=SmallForests(
        {1: 3, 2: 3, 3: 3, 4: 3, 5: 3}, {1: 4, 2: 4, 3: 4, 4: 4, 5: 3}, natural_sizes=NOT_ENUMERATED
    ),
)(relaxed)


@row(
    "forest.strict.gap",
    "For every K there is a forest on which a cache with holes loses nothing, a strict cache 1, and the "
    "relaxation of the strict program 1/K.",
    relation=lambda values: (
        values["K times the relaxation"] == values["strict"] == 1 and values["with holes"] == 0
    ),
    space=Listed(lambda most: ([gap(k)] for k in range(2, most + 1)), 8, 10, "K from 2 to {}"),
)
def strict_gap(case: ForestCase) -> Values:
    """Take K from the capacity."""
    both = strict_and_holes(case)
    return {"K times the relaxation": case.capacity * _relaxation(case), **both}
