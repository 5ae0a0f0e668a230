"""Is T-LRU never worse than LRU where prefixes are shared? Theorem 3.1 on forests, by a block's mark.

docs/proofs-forest.md has the proof, docs/counterexamples.md the counterexamples step by step.
"""

from dataclasses import replace
from typing import Any

from proofs_checks.forest.lemmas import induction_high_water
from proofs_checks.forest.runs import (
    NOT_FOUND,
    covered,
    dominance,
    forests,
    least_estimate,
    new_parts,
    tail_of_one,
)
from teltheory.claims.claim import Values, rows
from teltheory.claims.compiled.replays.space import EXCESSES
from teltheory.claims.forests import ForestCase, any_ask
from teltheory.claims.origin import sharpness
from teltheory.claims.worlds import Given
from teltheory.policies import TLRU

SOURCE = "Theorem 3.1 on shared prefixes"
ANY: dict[str, Any] = {"asks": any_ask, "totals": tail_of_one, "estimates": new_parts}
JUDGED = forests({1: 2, 2: 2, 3: 2}, **ANY)
ENUMERATED = forests({1: 4, 2: 4, 3: 3, 4: 2}, {1: 5, 2: 5, 3: 4, 4: 4}, **ANY)
SMALL = {1: 2, 2: 3, 3: 3}
LARGE = {1: 6, 2: 6, 3: 6, 4: 5, 5: 5}
WHOLE = forests(SMALL, estimates=new_parts, natural_sizes=({3: 4}, {3: 5}))
LARGE_WHOLE = replace(WHOLE, quick=LARGE, full=LARGE, natural_sizes=({3: 6, 4: 8}, {3: 6, 4: 8}))
FORCED = replace(WHOLE, forced=True, natural_sizes=NOT_FOUND)
LARGE_FORCED = replace(LARGE_WHOLE, forced=True, natural_sizes=NOT_FOUND)
COVERS = "and Q covers the part of each request that no earlier one had, of those that continue a path"
FORGETS = "a block's L is not the longest request that ever went through it"

row = rows(source=SOURCE)
each = dominance("high-water", "strict", EXCESSES)
in_forced = replace(JUDGED, forced=True)


high_water = row(
    "forest.tlru.high-water",
    f"With high-water marks, {COVERS}, T-LRU has at most LRU's excess at every request.",
    relation=each.holds,
    space=JUDGED,
    proof=induction_high_water.proved,
    compiled=each.compiled(ENUMERATED, tail=1),
)(covered(each.values))

high_water_forced = row(
    "forest.tlru.high-water.forced",
    f"The same under forced caching: with high-water marks, {COVERS}, T-LRU has at most LRU's excess at every "
    "request.",
    relation=each.holds,
    space=in_forced,
    proof=induction_high_water.proved,
    compiled=each.compiled(replace(ENUMERATED, forced=True), tail=1),
)(covered(each.values))

high_water_running = row(
    "forest.tlru.high-water.running",
    f"The same with two running requests: with high-water marks, {COVERS}, T-LRU has at most LRU's excess.",
    relation=each.holds,
    space=forests({2: 4, 3: 4}, {2: 5, 3: 5, 4: 4}, forced=True, running=2, estimates=new_parts),
    proof=induction_high_water.proved,
)(covered(each.values))


@row(
    "forest.tlru.high-water.closed",
    "With high-water marks strict caches and caches with holes are the same: what is surplus ends a path.",
    relation=lambda values: values["strict"] == values["holes"],
    space=forests({2: 4, 3: 4}, {2: 5, 3: 5, 4: 4}),
    proof=induction_high_water.proved,
)
def closed(case: ForestCase) -> Values:
    """Replay in both."""
    return _in_both(case, TLRU(case.xi, 0, "least-recent"))


@row(
    "forest.tlru.resident.closed",
    "With resident marks strict caches and caches with holes are the same.",
    relation=lambda values: values["strict"] == values["holes"],
    space=forests({2: 4, 3: 4}, {2: 5, 3: 5, 4: 4}),
)
def resident_closed(case: ForestCase) -> Values:
    """Replay in both."""
    return _in_both(case, TLRU(case.xi, 0, "least-recent", "resident"))


def _in_both(case: ForestCase, policy: TLRU) -> Values:
    return {"strict": case.replay(policy, "strict"), "holes": case.replay(policy, "holes")}


def inputs_alone(case: ForestCase) -> range:
    """Return the estimates below xi that cover what requests ask for and do not know, without their tails."""
    return range(least_estimate(case, case.ask), case.xi)


@row(
    "forest.tlru.high-water.without-tail",
    "It is enough that Q covers the blocks that a request asks for and no earlier one had, without its tail.",
    relation=each.holds,
    origin=sharpness(
        "forest.tlru.high-water", "Q does not cover what no block holds, the rest behind the last full one"
    ),
    space=forests({2: 3, 3: 4}, totals=tail_of_one, estimates=inputs_alone),
)
def without_tail(case: ForestCase) -> Values | None:
    """Compare the excesses if the estimate is large enough."""
    return each.values(case) if case.q_hat >= least_estimate(case, case.ask) else None


LAST = f"{FORGETS}, but that of the last one"
RESIDENT = f"{FORGETS}, as it is forgotten with the block"
in_holes, in_strict = dominance("last", "holes"), dominance("last", "strict")
resident = dominance("resident", "strict")
last_nodes, resident_nodes = dominance("last", "nodes"), dominance("resident", "nodes")
high_water_nodes = dominance("high-water", "nodes")

last = row(
    "forest.tlru.last",
    f"With L of the last request (vLLM PR 37825), {COVERS}, T-LRU's TEL is at most LRU's in caches with holes.",
    relation=in_holes.holds,
    space=WHOLE,
    compiled=in_holes.compiled(LARGE_WHOLE),
    origin=sharpness("forest.tlru.high-water", LAST),
)(covered(in_holes.values))

last_forced = row(
    "forest.tlru.last.forced",
    f"The same under forced caching: with L of the last request, {COVERS}, T-LRU's TEL is at most LRU's.",
    relation=in_holes.holds,
    space=FORCED,
    compiled=in_holes.compiled(LARGE_FORCED),
    origin=sharpness("forest.tlru.high-water.forced", LAST),
)(covered(in_holes.values))

last_strict = row(
    "forest.tlru.last.strict",
    f"With L of the last request, {COVERS}, T-LRU's TEL is at most LRU's in strict caches.",
    relation=in_strict.holds,
    space=WHOLE,
    compiled=in_strict.compiled(LARGE_WHOLE),
    origin=sharpness("forest.tlru.high-water", LAST),
)(covered(in_strict.values))

resident_marks = row(
    "forest.tlru.resident",
    f"With L the longest since a block was last computed (SGLang PR 34012), {COVERS}, T-LRU's TEL is at most "
    "LRU's.",
    relation=resident.holds,
    space=WHOLE,
    compiled=resident.compiled(LARGE_WHOLE),
    origin=sharpness("forest.tlru.high-water", RESIDENT),
)(covered(resident.values))

resident_forced = row(
    "forest.tlru.resident.forced",
    f"The same under forced caching: with L the longest since a block was last computed, {COVERS}, T-LRU's TEL is "
    "at most LRU's.",
    relation=resident.holds,
    space=FORCED,
    compiled=resident.compiled(LARGE_FORCED),
    origin=sharpness("forest.tlru.high-water.forced", RESIDENT),
)(covered(resident.values))

nodes_last = row(
    "forest.tlru.nodes.last",
    f"In SGLang's tree of whole nodes, with L of the last request, {COVERS}, T-LRU's TEL is at most LRU's.",
    relation=last_nodes.holds,
    space=FORCED,
    compiled=last_nodes.compiled(LARGE_FORCED),
    origin=sharpness("forest.tlru.high-water", LAST),
)(covered(last_nodes.values))

nodes_resident = row(
    "forest.tlru.nodes.resident",
    f"In SGLang's tree of whole nodes, with SGLang's marks, {COVERS}, T-LRU's TEL is at most LRU's.",
    relation=resident_nodes.holds,
    space=FORCED,
    compiled=resident_nodes.compiled(LARGE_FORCED),
    origin=sharpness("forest.tlru.high-water", RESIDENT),
)(covered(resident_nodes.values))


def _given(leaves: tuple[int, ...], parent: tuple[int, ...], capacity: int, xi: int, q_hat: int) -> ForestCase:
    paths = []
    for leaf in leaves:
        path = [leaf]
        while parent[path[0]] >= 0:
            path.insert(0, parent[path[0]])
        paths.append(path)
    lengths = [len(path) for path in paths]
    return ForestCase.of(
        {
            "paths": paths,
            "ask": lengths,
            "total": lengths,
            "capacity": capacity,
            "xi": xi,
            "q_hat": q_hat,
            "forced": True,
        }
    )


BY_NODES = (
    _given((2, 3, 5, 0, 3, 5), (-1, 0, 1, -1, -1, 4), 5, 1, 0),
    _given((1, 2, 3, 4, 1, 5), (-1, 0, -1, -1, 2, 4), 3, 2, 1),
)
"""The smallest one, by compiled enumeration, and the smallest with C, xi and Q of at least 1."""

nodes_high_water = row(
    "forest.tlru.nodes.high-water",
    f"In SGLang's tree of whole nodes, with high-water marks, {COVERS}, T-LRU's TEL is at most LRU's.",
    relation=high_water_nodes.holds,
    space=Given(BY_NODES, "the smallest, and the smallest with every parameter at least 1"),
    origin=sharpness(
        "forest.tlru.high-water",
        "what is evicted are nodes, and what a policy evicted decides where later nodes begin",
    ),
)(covered(high_water_nodes.values))
