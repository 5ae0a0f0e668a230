"""Whether a larger cache includes a smaller one where prefixes are shared (Mattson et al. 1970).

What a cache holds shows in what later requests hit, and a trace stands among the small forests with every request
that could follow. docs/proofs-forest.md has the proofs.
"""

from dataclasses import replace
from operator import le

from proofs_checks.forest.lemmas import induction_inclusion
from proofs_checks.forest.runs import forests, inclusion
from teltheory.claims.claim import Values, rows
from teltheory.claims.forests import ForestCase, no_threshold
from teltheory.claims.origin import sharpness
from teltheory.claims.worlds import Given
from teltheory.policies import Belady, TailOptimizedBelady
from teltheory.policies.policy import AnyPolicy

NATURAL = {3: 4}, {3: 5}
LARGE_NATURAL = {3: 6, 4: 7}, {3: 6, 4: 7}
JUDGED = forests({1: 2, 2: 3, 3: 3}, natural_sizes=NATURAL)
LARGE = {1: 5, 2: 5, 3: 5, 4: 5}
LARGER = {1: 5, 2: 6, 3: 6, 4: 5, 5: 5}
ENUMERATED = replace(JUDGED, quick=LARGE, full=LARGER, natural_sizes=LARGE_NATURAL)
PLAIN, PLAIN_ENUMERATED = (replace(space, thresholds=no_threshold) for space in (JUDGED, ENUMERATED))
WRITTEN_OUT = forests({2: 4, 3: 4, 4: 3}, {2: 5, 3: 5, 4: 4})

row = rows(source="Mattson et al. 1970, on shared prefixes")
of_lru, of_high_water = inclusion("LRU", "strict"), inclusion("high-water", "strict")
of_last, of_last_strict = inclusion("last", "holes"), inclusion("last", "strict")
of_resident = inclusion("resident", "strict")
of_nodes, unrenewed = inclusion("LRU", "nodes"), inclusion("LRU", "nodes", renew=False)
in_chunks, of_tlru_nodes = inclusion("LRU", "nodes", renew=False, chunk=3), inclusion("high-water", "nodes")

lru = row(
    "forest.stack.lru",
    "Under LRU a larger cache includes a smaller one: it holds the C most recent blocks.",
    relation=of_lru.holds,
    proof=induction_inclusion.proved,
    space=PLAIN,
    compiled=of_lru.compiled(PLAIN_ENUMERATED),
)(of_lru.values)

high_water = row(
    "forest.stack.tlru.high-water",
    "Under T-LRU with high-water marks a larger cache includes a smaller one.",
    relation=of_high_water.holds,
    proof=induction_inclusion.proved,
    space=JUDGED,
    compiled=of_high_water.compiled(ENUMERATED),
)(of_high_water.values)

last = row(
    "forest.stack.tlru.last",
    "Under T-LRU with marks of the last request a larger cache with holes includes a smaller one.",
    relation=of_last.holds,
    proof=induction_inclusion.proved,
    space=JUDGED,
    compiled=of_last.compiled(ENUMERATED),
)(of_last.values)

last_strict = row(
    "forest.stack.tlru.last.strict",
    "Under T-LRU with marks of the last request a larger strict cache includes a smaller one.",
    relation=of_last_strict.holds,
    space=JUDGED,
    compiled=of_last_strict.compiled(ENUMERATED),
    origin=sharpness(
        "forest.stack.tlru.last",
        "a block that would go stays while a cached block is below it, and another one goes",
    ),
)(of_last_strict.values)

resident = row(
    "forest.stack.tlru.resident",
    "Under T-LRU with resident marks, which depend on what is cached, a larger cache includes a smaller one.",
    relation=of_resident.holds,
    space=JUDGED,
    compiled=of_resident.compiled(ENUMERATED),
)(of_resident.values)

nodes = row(
    "forest.stack.nodes",
    "Under LRU in SGLang's tree of whole nodes a larger cache includes a smaller one.",
    relation=of_nodes.holds,
    space=replace(PLAIN, forced=True),
    compiled=of_nodes.compiled(replace(PLAIN_ENUMERATED, forced=True)),
    origin=sharpness(
        "forest.stack.nodes.without-renewal", "whole nodes go, and a split makes what was not read recent"
    ),
)(of_nodes.values)

nodes_without_renewal = row(
    "forest.stack.nodes.without-renewal",
    "Whole prompts, LRU, and a split leaves what was not read as old as it is: a larger cache includes a "
    "smaller one.",
    relation=unrenewed.holds,
    space=replace(PLAIN, forced=True),
    compiled=unrenewed.compiled(replace(PLAIN_ENUMERATED, forced=True)),
)(unrenewed.values)

tlru_nodes = row(
    "forest.stack.tlru.nodes",
    "Under T-LRU with high-water marks in SGLang's tree of whole nodes a larger cache includes a smaller one.",
    relation=of_tlru_nodes.holds,
    space=replace(JUDGED, forced=True),
    compiled=of_tlru_nodes.compiled(replace(ENUMERATED, forced=True)),
    origin=sharpness("forest.stack.tlru.high-water", "whole nodes go, and a node is surplus by its first block"),
)(of_tlru_nodes.values)


def _chunked() -> ForestCase:
    """Return requests of which the smaller cache keeps three blocks in a chunk, the larger one two."""
    long = [1, 2, 3, 4, 5, 6]
    paths = [[1, 2], [7, 8, 9, 10, 11], long, [12, 13, 14], long]
    lengths = [len(path) for path in paths]
    parameters = {"capacity": 6, "xi": 0, "q_hat": 0, "forced": True}
    return ForestCase.of({"paths": paths, "ask": lengths, "total": lengths, **parameters})


nodes_in_chunks = row(
    "forest.stack.nodes.chunks",
    "Prefill in chunks of three blocks, LRU, and a split leaves what was not read as old as it is: a larger cache "
    "includes a smaller one.",
    relation=in_chunks.holds,
    space=Given((_chunked(),), "one"),
    origin=sharpness(
        "forest.stack.nodes.without-renewal",
        "chunks begin where a request's hits end, so that nodes of the larger cache end elsewhere",
    ),
)(in_chunks.values)


def _by_capacity(case: ForestCase, policy: AnyPolicy, cache: str) -> Values:
    larger = replace(case, capacity=case.capacity + 1)
    return {"hits": case.replay(policy, cache), "hits, C + 1": larger.replay(policy, cache)}  # type: ignore[arg-type]


def includes(values: Values) -> bool:
    """Whether each request hits no less with a block of capacity more."""
    return all(map(le, values["hits"], values["hits, C + 1"]))


@row(
    "forest.belady.inclusion",
    "Under Belady, if requests ask for their whole paths, a larger strict cache includes a smaller one.",
    relation=includes,
    proof=induction_inclusion.proved,
    space=replace(WRITTEN_OUT, thresholds=no_threshold, quick={2: 5, 3: 5, 4: 4}),
)
def belady(case: ForestCase) -> Values:
    """Replay at two capacities."""
    return _by_capacity(case, Belady(), "strict")


@row(
    "forest.belady.leaf-first",
    "Under Belady, if requests ask for their whole paths, strict caches and caches with holes are the same.",
    relation=lambda values: values["strict"] == values["holes"],
    space=replace(WRITTEN_OUT, thresholds=no_threshold, quick={2: 5, 3: 5, 4: 4}),
)
def belady_leaf_first(case: ForestCase) -> Values:
    """Replay in both."""
    return {cache: case.replay(Belady(), cache) for cache in ("strict", "holes")}


@row(
    "forest.tail-optimized-belady.inclusion",
    "Under Tail-Optimized Belady a larger cache with holes includes a smaller one.",
    relation=includes,
    proof=induction_inclusion.proved,
    space=WRITTEN_OUT,
)
def tail_optimized(case: ForestCase) -> Values:
    """Replay at two capacities."""
    return _by_capacity(case, TailOptimizedBelady(case.xi), "holes")


def _kept_by_a_child() -> ForestCase:
    paths = [[1, 2], [3], [3], [1], [1, 2, 4]]
    lengths = [len(path) for path in paths]
    return ForestCase.of(
        {"paths": paths, "ask": lengths, "total": lengths, "capacity": 1, "xi": 1, "q_hat": 0, "forced": False}
    )


@row(
    "forest.tail-optimized-belady.inclusion.strict",
    "Under Tail-Optimized Belady a larger strict cache includes a smaller one.",
    relation=includes,
    space=Given((_kept_by_a_child(),), "the smallest, by compiled enumeration"),
    origin=sharpness(
        "forest.tail-optimized-belady.inclusion",
        "a block that no request needs stays while a needed one is below it",
    ),
)
def tail_optimized_strict(case: ForestCase) -> Values:
    """Replay at two capacities."""
    return _by_capacity(case, TailOptimizedBelady(case.xi), "strict")
