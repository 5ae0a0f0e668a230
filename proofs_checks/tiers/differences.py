"""Tiers as differences of caches: what tiers 0 to i find together is what one cache of their room finds.

Exclusive tiers begin empty, and have one policy in all of them. docs/proofs-tiers.md has the proofs. The
judges are two plain replays, of conversations and of trees; the cases are optional and forced, and conversations
forget any part of their past.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache, partial
from itertools import accumulate, chain
from typing import Any

from proofs_checks.tiers.cascades import forgetting
from proofs_checks.tiers.chains import Chain, SmallChains
from proofs_checks.tiers.plain_chains import Cascade, Kind, Trim
from proofs_checks.tiers.plain_trees import Paths, SmallPaths, TreeCascade
from proofs_checks.tiers.states import Clairvoyant, TailOptimized, held_together, pools
from teltheory.claims.claim import Claim, Values, rows
from teltheory.claims.listed import Listed
from teltheory.claims.origin import sharpness

SOURCE = "Tiers of memory: docs/tiers-theory.md"
row = rows(source=SOURCE, relation=lambda of: len({*map(str, of.values())}) == 1)
ONE = "one budget for all tiers"
FLAT = "T-LRU, flat budgets,"
GROWING = {2: 3, 3: 2}, {1: 4, 2: 5, 3: 4, 4: 3}
FOUR_TURNS = {2: 2, 3: 2, 4: 2}, GROWING[1]
FORGETFUL = {2: 2, 3: 2}, {2: 4, 3: 3, 4: 2}
ENDS = "at every turn, optional and forced, in two tiers and in three, whatever conversations forget"


def chains(thresholds: bool = True, growing: Any = GROWING, responses: bool = True) -> Listed[Chain]:
    """Return traces that only grow in two tiers and in three, and that forget in two; all optional and forced."""
    given: dict[str, Any] = {"estimates": "none", "thresholds": thresholds, "responses": responses}
    two, three, edits = (
        SmallChains(quick, full, ((0,) * tiers,), **given)
        for (quick, full), tiers in ((growing, 2), (growing, 3), (FORGETFUL, 2))
    )

    def up_to(effort: str) -> Iterator[Iterator[Chain]]:
        yield from map(ways, chain(two.classes(effort), three.classes(effort)))
        yield from (ways(edited(cases)) for cases in edits.classes(effort))

    def bounds(effort: str) -> dict[str, Any]:
        growing, forgetful = (space.bounds(effort)["cases"] for space in (two, edits))
        return {"cases": f"{growing}; the same in three tiers; optional and forced", "forgets": forgetful}

    return Listed(up_to, "quick", "full", bounds)


def edited(cases: Iterator[Chain]) -> Iterator[Chain]:
    """Yield cases with every choice of what turns forget."""
    return (replace(case, trace=trace) for case in cases for trace in forgetting(case.trace))


def ways(cases: Iterator[Chain]) -> Iterator[Chain]:
    """Yield cases, each forced too if every past but the last fits into tier 0."""
    for case in cases:
        yield case
        if fits(case):
            yield replace(case, forced=True)


def fits(case: Chain) -> bool:
    """Whether every past but the last fits into tier 0."""
    past: dict[int, int] = {}
    for theta, prompt, response, *forgotten in case.trace[:-1]:
        past[theta] = past.get(theta, 0) - sum(forgotten) + prompt + response
        if past[theta] > case.capacities[0]:
            return False
    return True


def difference(case: Chain, cascade: Callable[..., Cascade], kind: Kind, trim: Trim) -> Values:
    """Return what turns find of tiers 0 to i, and of single caches as large as those together."""
    single = [alone(replace(case, capacities=(room,), loads=(0,)), cascade, kind, trim) for room in pools(case)]
    return {
        "tiers": held_together(cascade(case, (kind,) * len(case.loads), trim).found()),
        "single caches": [[hits for (hits,) in turn] for turn in zip(*single, strict=True)],
    }


@lru_cache(1 << 12)
def alone(case: Chain, cascade: Callable[..., Cascade], kind: Kind, trim: Trim) -> list[list[int]]:
    """Return what turns find of one cache; the cases of one trace ask for few rooms, often."""
    return cascade(case, (kind,), trim).found()


def conversations(
    name: str, of: str, kind: Kind, trim: Trim, cascade: Callable[..., Cascade] = Cascade, **space: Any
) -> Claim[Chain]:
    """Return the row of a policy for private conversations."""
    said = f"Private conversations, {of}: tiers 0 to i find together what one cache of S_i finds, {ENDS}."
    values = partial(difference, cascade=cascade, kind=kind, trim=trim)
    return row(f"tiers.difference.{name}", said, space=chains(**space))(values)


lru = conversations("lru", "LRU", "LRU", "least-recent", thresholds=False, growing=FOUR_TURNS)
threshold = conversations("threshold", "Threshold-LRU", "threshold", "eager")
belady = conversations(
    "belady", "Belady", "LRU", "least-recent", Clairvoyant, thresholds=False, growing=FOUR_TURNS
)
in_rounds = conversations("flat.round-robin", f"{FLAT} trimmed in rounds", "flat", "round-robin")
least_recent = conversations("flat.least-recent", f"{FLAT} trimmed least recent first", "flat", "least-recent")
eager = conversations("flat.eager", f"{FLAT} trimmed at once", "flat", "eager")
tail_optimized = conversations(
    "tob.flat",
    f"Tail-Optimized Belady with {ONE}",
    "flat",
    "least-recent",
    TailOptimized,
    growing=FOUR_TURNS,
    responses=False,
)


def scaled(name: str, of: str, cascade: Callable[..., Cascade], left_out: str) -> Claim[Chain]:
    """Return the row of a policy whose budgets are scaled by what loading costs, for private conversations."""
    sizes = {2: 3, 3: 3, 4: 3}, {2: 4, 3: 4, 4: 4}
    space = SmallChains(*sizes, ((0, 2),), estimates="none", responses=False)
    said = f"Private conversations, {of} with scaled budgets, trimmed least recent first, in two tiers: the same."
    values = partial(difference, cascade=cascade, kind="scaled", trim="least-recent")
    origin = sharpness(left_out, "all tiers have the same budgets")
    return row(f"tiers.difference.{name}", said, space=space, origin=origin)(values)


scaled_tlru = scaled("scaled", "T-LRU", Cascade, "tiers.difference.flat.least-recent")
scaled_belady = scaled("tob.scaled", "Tail-Optimized Belady", TailOptimized, "tiers.difference.tob.flat")


def tree_difference(case: Paths, **policy: Any) -> Values:
    """Return what requests find of tiers 0 to i, and of single caches as large as those together."""
    rooms = accumulate(case.capacities)
    policies = tuple(policy.items())
    single = [tree_alone(replace(case, capacities=(room,), loads=(0,)), policies) for room in rooms]
    return {
        "tiers": held_together(TreeCascade(case, **policy).found()),
        "single caches": [[hits for (hits,) in turn] for turn in zip(*single, strict=True)],
    }


@lru_cache(1 << 12)
def tree_alone(case: Paths, policy: tuple[tuple[str, Any], ...]) -> list[list[int]]:
    """Return what requests find of one cache."""
    return TreeCascade(case, **dict(policy)).found()


TREES = SmallPaths({2: 4, 3: 4, 4: 4}, {1: 4, 2: 6, 3: 6, 4: 6, 5: 5}, xi=(0, 1))
ALIKE = replace(TREES, xi=(0,))
LAST: dict[str, Any] = {"rule": "T-LRU", "mark": "last"}
IN_TWO = replace(TREES, quick={2: 4, 3: 5, 4: 6}, loads=((0, 0),), xi=(1,), ways=(False,))


def forest(name: str, of: str, space: Any = TREES, left_out: str = "", **policy: Any) -> Claim[Paths]:
    """Return the row of a policy for requests that share prefixes."""
    said = f"Shared prefixes, {of}: tiers 0 to i find together what one cache of S_i finds, at every request."
    flat = f"flat.{policy.get('trim', 'least-recent')}"
    kept = {"T-LRU": flat, "threshold": "threshold", "Belady": "belady"}.get(policy["rule"])
    origins = {"origin": sharpness(f"tiers.difference.forest.{kept}", left_out)} if left_out else {}
    values = partial(tree_difference, **policy)
    return row(f"tiers.difference.forest.{name}", said, space=space, **origins)(values)


forest_lru = forest("lru", "LRU", ALIKE, rule="LRU")
forest_belady = forest("belady", "Belady", ALIKE, rule="Belady")
forest_threshold = forest("threshold", "Threshold-LRU with high-water marks", rule="threshold")
forest_flat = forest("flat.least-recent", f"{FLAT} high-water marks, trimmed least recent first", rule="T-LRU")
forest_eager = forest("flat.eager", f"{FLAT} high-water marks, trimmed at once", rule="T-LRU", trim="eager")
MARKS = "marks are high-water marks"
forest_last = forest("flat.last", f"{FLAT} marks of the last path", IN_TWO, MARKS, **LAST)
forest_last_eager = forest(
    "flat.last.eager",
    f"{FLAT} marks of the last path, trimmed at once",
    replace(IN_TWO, quick={2: 4, 3: 6}),
    MARKS,
    **LAST,
    trim="eager",
)
forest_resident = forest(
    "flat.resident", f"{FLAT} marks since a unit was last computed", IN_TWO, MARKS, rule="T-LRU", mark="resident"
)
forest_threshold_last = forest(
    "threshold.last", "Threshold-LRU with marks of the last path", IN_TWO, MARKS, rule="threshold", mark="last"
)
forest_scaled = forest(
    "scaled",
    "T-LRU with scaled budgets",
    replace(IN_TWO, loads=((0, 2),)),
    "all tiers have the same budgets",
    rule="T-LRU",
    scaled=True,
)
SEARCHED = Paths(((0, 0), (1,), (0,), (0, 0, 0), (1,)), (1, 1), (0, 0), 4, 1)
forest_tail_optimized = forest(
    "tob",
    f"Tail-Optimized Belady with {ONE}",
    Listed(lambda case: [[case]], SEARCHED, SEARCHED, "{}, found by a search and then made smaller"),
    "xi = 0",
    rule="Belady",
)
