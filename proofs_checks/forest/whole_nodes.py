"""What eviction by whole nodes costs: LRU on nodes of at most k blocks against LRU on blocks.

docs/proofs-forest.md has the proofs; the enumeration is for k = 2.
"""

from dataclasses import replace

from proofs_checks.forest.runs import NOT_FOUND, Pair, Run, forests
from teltheory.claims.claim import Values, rows
from teltheory.claims.forests import ForestCase, any_ask, no_threshold
from teltheory.claims.origin import sharpness
from teltheory.claims.worlds import Given

JUDGED = forests({1: 2, 2: 3, 3: 3}, thresholds=no_threshold, forced=True, natural_sizes=({3: 4}, {3: 5}))
LARGE = {1: 5, 2: 5, 3: 5, 4: 5}
ENUMERATED = replace(JUDGED, quick=LARGE, full={**LARGE, 4: 6, 5: 5}, natural_sizes=({3: 5, 4: 6}, {3: 5, 4: 6}))
CHUNK = 2

NODES, BLOCKS = Run("nodes, C", "LRU", "nodes"), Run("blocks, C", "LRU", "strict")
FEWER = Run("blocks, C - k + 1", "LRU", "strict", "C - k + 1")
PART = Run("blocks, C / k", "LRU", "strict", "C / k")

least, most = Pair(FEWER, NODES, chunk=CHUNK, renew=False), Pair(NODES, BLOCKS, chunk=CHUNK, renew=False)
renewed, renewed_most = Pair(FEWER, NODES, chunk=CHUNK), Pair(NODES, BLOCKS, chunk=CHUNK)
part = Pair(PART, NODES, chunk=CHUNK)

row = rows(source="SGLang's radix tree, on forests")

excess = row(
    "forest.nodes.excess",
    "Nodes of at most k blocks, and a split leaves what was not read as old as it is: LRU by nodes at C hits no "
    "less than LRU by blocks at C - k + 1.",
    relation=least.holds,
    space=JUDGED,
    compiled=least.compiled(ENUMERATED),
)(least.values)

excess_most = row(
    "forest.nodes.excess.most",
    "... and no more than LRU by blocks at C.",
    relation=most.holds,
    space=JUDGED,
    compiled=most.compiled(ENUMERATED),
)(most.values)

excess_renewed = row(
    "forest.nodes.excess.renewed",
    "As SGLang splits nodes, LRU by nodes of at most k blocks at C hits no less than LRU by blocks at C - k + 1.",
    relation=renewed.holds,
    space=JUDGED,
    compiled=renewed.compiled(ENUMERATED),
    origin=sharpness(
        "forest.nodes.excess", "a split makes what was not read as recent as the request that split it"
    ),
)(renewed.values)

excess_renewed_part = row(
    "forest.nodes.excess.renewed.part",
    "As SGLang splits nodes, LRU by nodes of at most k blocks at C hits no less than LRU by blocks at C / k.",
    relation=part.holds,
    space=JUDGED,
    compiled=part.compiled(ENUMERATED),
)(part.values)


def _renewing(nodes: int) -> ForestCase:
    """Return requests for pairs of blocks, then for the first of each, for another pair, and the first again."""
    pairs = [[2 * i, 2 * i + 1] for i in range(nodes + 1)]
    paths = [*pairs[:nodes], *([first] for first, _ in pairs[:nodes]), pairs[nodes], [0]]
    lengths = [len(path) for path in paths]
    parameters = {"capacity": 2 * nodes, "xi": 0, "q_hat": 0, "forced": True}
    return ForestCase.of({"paths": paths, "ask": lengths, "total": lengths, **parameters})


@row(
    "forest.nodes.excess.renewed.unbounded",
    "The loss to renewed blocks grows with the cache: with C = 2m and k = 2, LRU by nodes can miss a block that "
    "LRU by blocks has at m + 2.",
    relation=lambda values: values["nodes, C"] < values["blocks, m + 2"],
    space=Given(tuple(map(_renewing, range(3, 9))), "m = 3 ... 8"),
)
def unbounded(case: ForestCase) -> Values | None:
    """Return what the last request hits in both."""
    nodes = renewed.hits(NODES, case)
    blocks = renewed.hits(BLOCKS, replace(case, capacity=case.capacity // 2 + 2, forced=False))
    return {"nodes, C": nodes[-1], "blocks, m + 2": blocks[-1]}


excess_outputs = row(
    "forest.nodes.excess.outputs",
    "The same bound where outputs may be there already: LRU by nodes at C, without renewal, hits no less than LRU "
    "by blocks at C - k + 1.",
    relation=least.holds,
    space=replace(JUDGED, asks=any_ask, natural_sizes=NOT_FOUND),
    compiled=least.compiled(replace(ENUMERATED, quick={1: 3, 2: 3, 3: 3}, asks=any_ask, natural_sizes=NOT_FOUND)),
    origin=sharpness("forest.nodes.excess", "room is made for an output though the tree has it"),
)(least.values)
