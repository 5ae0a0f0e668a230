"""PGDSF: what formulas 1 to 3 do where costs depend on what stands before a document, and their readings.

docs/proofs-ragcache.md has the proofs, docs/counterexamples-ragcache.md what is cached after each request. A
prefill takes either 1 for each token, or (c + u)^2 - c^2 with c tokens cached and u not, as attention does.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from proofs_checks.ragcache.knowledge_tree import PAPER
from proofs_checks.ragcache.plain_tiers import (
    LRU,
    PGDSF,
    TwoTiers,
    attention,
    fewest_missed,
    hits,
    linear,
    missed,
    seconds_of,
)
from proofs_checks.ragcache.worlds import Asked, Worlds, flat, listed
from teltheory.claims.claim import Values, rows
from teltheory.claims.listed import Listed, ToldCase
from teltheory.claims.origin import reading, repairs, sharpness

GPU_ALONE = listed(Worlds({2: 4, 3: 4, 4: 4}), Worlds({2: 6, 3: 6, 4: 5, 5: 4}), "the GPU alone")
LONGER = listed(
    Worlds({3: 4, 4: 4, 5: 4}, most_documents=3),
    Worlds({3: 5, 4: 5, 5: 5}, most_documents=4),
    "the GPU alone, up to 3 documents (4 at full effort)",
)
UNITS = listed(
    Worlds({4: 3, 5: 3, 6: 3, 7: 3}, 1, given=flat),
    Worlds({4: 5, 5: 5, 6: 5, 7: 4}, 1, given=flat),
    "the GPU alone, documents of 1 token, none before another",
)
row = rows(source="PGDSF (RAGCache, formulas 1 to 3)", space=GPU_ALONE)


def pgdsf(world: Asked, **readings: Any) -> PGDSF:
    """Return PGDSF with costs of attention, if the readings do not say otherwise."""
    return PGDSF(world.tree, **{"seconds": attention, **readings})


def found(**runs: dict[str, Any]) -> Callable[[Asked], Values]:
    """Return the check of what each request finds with some readings of PGDSF, by their names."""
    return lambda world: {name: hits(world, pgdsf(world, **readings)) for name, readings in runs.items()}


def alike(of: Values) -> bool:
    """Whether all values are the same."""
    first, *others = of.values()
    return all(value == first for value in others)


with_linear = row(
    "ragcache.pgdsf.linear",
    "If a prefill takes as long for each uncached token, PGDSF evicts what GDSF with cost = size does: LFU with a "
    "clock. Sizes and places in the tree change nothing.",
    relation=alike,
)(found(pgdsf={"seconds": linear}, gdsf={"cost": "tokens"}))

with_linear_question = row(
    "ragcache.pgdsf.linear.question",
    "The same if the question is among the uncached tokens, in Cost_i and in NewSize_i.",
    relation=alike,
)(found(pgdsf={"seconds": linear, "question": 1}, gdsf={"cost": "tokens"}))

with_linear_document = row(
    "ragcache.pgdsf.linear.document",
    "The same if NewSize_i is the document's.",
    relation=alike,
    origin=sharpness("ragcache.pgdsf.linear", "NewSize_i is the uncached tokens of the request"),
)(found(pgdsf={"seconds": linear, "new_size": "document"}, gdsf={"cost": "tokens"}))


def one_size(world: Asked) -> bool:
    """Whether all documents are as long."""
    return len(set(world.size_of)) == 1


with_one_size = row(
    "ragcache.pgdsf.one-size",
    "If in addition all documents are of one size, it is also GDSF with cost 1 a document.",
    relation=alike,
    space=listed(Worlds({3: 4, 4: 4}, given=one_size), Worlds({3: 6, 4: 6, 5: 4}, given=one_size), "one size"),
)(found(pgdsf={"seconds": linear}, gdsf={"cost": "document"}))

with_attention = row(
    "ragcache.pgdsf.attention",
    "With attention too PGDSF evicts what GDSF with cost = size does.",
    relation=alike,
    origin=sharpness("ragcache.pgdsf.linear", "each uncached token takes as long"),
)(found(pgdsf={}, gdsf={"cost": "tokens"}))


@dataclass(frozen=True)
class Cycles(ToldCase):
    """The length of a document before another, and how often three requests come in turn."""

    above: int
    times: int


def cycles(most: int) -> Iterator[list[Cycles]]:
    """Yield lengths up to a limit, each with its square of cycles."""
    return ([Cycles(above, above**2)] for above in range(1, most + 1))


@row(
    "ragcache.pgdsf.any-factor",
    "The prefix-aware cost can save any factor: A of length L before X of 1, Y and Z of 1, room for L + 2, and [A "
    "X], [Y], [Z] in turn, L^2 times: with attention GDSF computes for at least L / 2 as long as PGDSF.",
    relation=lambda of: 2 * of["GDSF"] >= of["L"] * of["PGDSF"],
    space=Listed(cycles, 8, 16, "L up to {}"),
)
def any_factor(case: Cycles) -> Values:
    """Replay both."""
    world = Asked((-1, 0, -1, -1), (case.above, 1, 1, 1), (1, 2, 3) * case.times, case.above + 2)
    return {**_seconds_of_both(world), "L": case.above}


def _seconds_of_both(world: Asked) -> dict[str, int]:
    runs = {"PGDSF": pgdsf(world), "GDSF": pgdsf(world, cost="tokens")}
    return {name: seconds_of(world, hits(world, rule), attention) for name, rule in runs.items()}


never_worse = row(
    "ragcache.pgdsf.never-worse",
    "With attention PGDSF never computes for longer than GDSF with cost = size.",
    relation=lambda of: of["PGDSF"] <= of["GDSF"],
    space=LONGER,
    origin=reading("a more precise cost is of use on every trace"),
)(_seconds_of_both)


@row(
    "ragcache.pgdsf.least-misses",
    "PGDSF minimises the miss rate: no order of eviction computes fewer tokens of documents.",
    relation=lambda of: of["PGDSF"] <= of["fewest"],
    origin=reading("minimises, which the notes say of its purpose: the fewest that any order of eviction misses"),
)
def least_misses(world: Asked) -> Values:
    """Count what PGDSF misses, and what the best order of eviction does, by trying all."""
    return {"PGDSF": sum(missed(world, hits(world, pgdsf(world)))), "fewest": fewest_missed(world)}


@row(
    "ragcache.pgdsf.least-misses.lru",
    "PGDSF misses no more tokens of documents than LRU.",
    relation=lambda of: of["PGDSF"] <= of["LRU"],
    space=LONGER,
    origin=reading("minimises: misses no more than the policies that the paper names"),
)
def against_lru(world: Asked) -> Values:
    """Count what both miss."""
    return {name: sum(missed(world, hits(world, rule))) for name, rule in _with_lru(world).items()}


def _with_lru(world: Asked) -> dict[str, PGDSF | LRU]:
    return {"PGDSF": pgdsf(world), "LRU": LRU(world.tree)}


question = row(
    "ragcache.pgdsf.question",
    "Whether the question is among the uncached tokens of a request changes nothing.",
    relation=alike,
    space=LONGER,
    origin=reading("beta of T(alpha, beta): all that is computed, or what can be cached"),
)(found(with_it={"question": 1}, without={"question": 1, "question_counts": False}))

new_size = row(
    "ragcache.pgdsf.new-size",
    "Whether NewSize_i is what the request computes, or the document's size changes nothing.",
    relation=alike,
    origin=reading(
        "NewSize_i is the request's, as the text says (time for an uncached token), not the document's"
    ),
)(found(request={}, document={"new_size": "document"}))

remembered = row(
    "ragcache.pgdsf.remembered",
    "Whether the frequency and the cost of a document that leaves the cache are remembered changes nothing.",
    relation=alike,
    space=UNITS,
    origin=reading("frequency: retrievals in a time window, of documents in the cache or of all"),
)(found(remembered={}, forgotten={"remembers": False}))

window = row(
    "ragcache.pgdsf.window",
    "Whether retrievals count for ever or in the latest two requests changes nothing.",
    relation=alike,
    space=LONGER,
    origin=reading("the window's length, which the notes do not tell"),
)(found(all_of_them={}, latest_two={"window": 2}))


def _estimates(world: Asked) -> dict[int, Fraction]:
    rule = pgdsf(world)
    hits(world, rule)
    return rule.rate


FIRST_REQUEST = listed(
    Worlds({1: 6}, given=lambda world: len(world.parent) > 1),
    Worlds({1: 9}, given=lambda world: len(world.parent) > 1),
    "one request for two documents or more",
)

same_request = row(
    "ragcache.formula-3.same-request",
    "Documents that one request computes get the same Cost / Size from it, wherever they stand and however long "
    "they are.",
    relation=lambda of: len(set(of["Cost / Size"])) == 1,
    space=FIRST_REQUEST,
    origin=reading("NewSize_i is the request's"),
)(lambda world: {"Cost / Size": list(_estimates(world).values())})


@row(
    "ragcache.formula-3.position",
    "With attention a document behind another one has the larger Cost / Size, as it takes longer for each token.",
    relation=lambda of: all(
        low < high for low, high in zip(of["Cost / Size"], of["Cost / Size"][1:], strict=False)
    ),
    space=FIRST_REQUEST,
    origin=reading("prefix-aware: the estimate tells documents apart by what stands before them"),
)
def position(world: Asked) -> Values:
    """Return the estimates, and what each document takes for each of its tokens where it stands."""
    tree, estimates = world.tree, _estimates(world)
    starts = [tree.tokens(tree.paths[node]) - tree.size[node] for node in estimates]
    taken = [
        Fraction(attention(start, tree.size[node]), tree.size[node])
        for start, node in zip(starts, estimates, strict=True)
    ]
    return {"Cost / Size": list(estimates.values()), "taken": taken}


def clocks_of(**readings: Any) -> Callable[[Asked], Values]:
    """Return the check that has the clock of the GPU after each request."""

    def values(world: Asked) -> Values:
        rule = pgdsf(world, falls=True, **readings)
        tiers, clocks = TwoTiers(world, rule), []
        for node in world.asked:
            tiers.serve(node)
            clocks.append(rule.clock[0])
        return {"clock": clocks}

    return values


def never_falls(of: Values) -> bool:
    """Whether no clock is below the one before."""
    return bool(of["clock"] == sorted(of["clock"]))


clock = row(
    "ragcache.clock",
    "Formula 2: the clock, which each eviction sets to the largest priority of what it took, never falls, so that "
    "an older clock means an earlier use.",
    relation=never_falls,
    space=LONGER,
    origin=PAPER,
)(clocks_of())

clock_late = row(
    "ragcache.clock.late",
    "It never falls if a document takes the clock after the evictions of the request that reads it.",
    relation=never_falls,
    space=listed(Worlds({3: 4, 4: 4}), Worlds({3: 5, 4: 5, 5: 4}), "the GPU alone"),
    origin=reading("a node is updated at the end of a request, when the tensors have come"),
)(clocks_of(late=True))

clock_flat = row(
    "ragcache.clock.flat",
    "It never falls if in addition no document stands before another.",
    relation=never_falls,
    space=listed(
        Worlds({3: 5, 4: 5, 5: 4}, given=flat),
        Worlds({4: 6, 5: 6, 6: 4}, given=flat),
        "the GPU alone, no document before another",
    ),
    origin=repairs("ragcache.clock"),
)(clocks_of(late=True))
