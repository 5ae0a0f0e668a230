"""Cascades: LRU's is the difference of single caches, Belady's is best in every tier at once, and free migration.

docs/proofs-tiers.md has the proofs. The judges are a plain replay and every content of the tiers.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from proofs_checks.tiers.chains import Chain, SmallChains, Trace
from proofs_checks.tiers.plain_chains import excesses, found
from proofs_checks.tiers.states import foreseen, held_together, in_one_pool, least, most_hits, pools
from teltheory.claims.claim import Values, rows
from teltheory.claims.listed import Listed
from teltheory.claims.origin import sharpness

row = rows(source="Tiers of memory: docs/tiers-theory.md", relation=lambda of: len({*map(str, of.values())}) == 1)
REPLAYED = SmallChains(
    {1: 3, 2: 4, 3: 4, 4: 3}, {1: 4, 2: 5, 3: 5, 4: 4, 5: 3}, ((0, 0),), estimates="none", thresholds=False
)
ALL_CONTENTS = replace(
    REPLAYED, quick={2: 2, 3: 3, 4: 2}, full={2: 4, 3: 4, 4: 3}, loads=((0, 2),), responses=False
)


def difference(case: Chain) -> Values:
    """Return what turns find of tiers 0 to i, and of single LRU caches as large as those together."""
    single = [found(Chain(case.trace, (room,), (0,), 1)) for room in pools(case)]
    return {
        "tiers": held_together(found(case)),
        "single caches": [[hits for (hits,) in turn] for turn in zip(*single, strict=True)],
    }


lru = row(
    "tiers.lru.difference",
    "What an exclusive LRU cascade finds of tiers 0 to i together is what one LRU cache of C_0 + ... + "
    "C_i finds, at "
    "every turn: tier i holds the difference of two caches.",
    space=REPLAYED,
)(difference)

lru_three = row(
    "tiers.lru.difference.three",
    "The same in three tiers.",
    space=replace(REPLAYED, loads=((0, 0, 0),), quick={1: 3, 2: 3, 3: 3, 4: 2}, full={1: 4, 2: 4, 3: 4, 4: 3}),
)(difference)

lru_inclusive = row(
    "tiers.lru.difference.inclusive",
    "What an inclusive LRU cascade finds of tiers 0 to i together is what one LRU cache of C_i finds, at "
    "every turn.",
    space=replace(REPLAYED, inclusive=True),
)(difference)


def with_edits(space: SmallChains, growing: bool = False) -> Listed[Chain]:
    """Return the cases in which conversations forget any part of their past before a turn; `growing` ones too."""

    def up_to(effort: str) -> Iterator[Iterator[Chain]]:
        return (
            (replace(case, trace=trace) for case in cases for trace in forgetting(case.trace, growing))
            for cases in space.classes(effort)
        )

    forgets = "any part, any turn" + (", or nothing" if growing else "")
    return Listed(up_to, "quick", "full", lambda effort: space.bounds(effort) | {"forgets": forgets})


def forgetting(trace: Trace, growing: bool = False) -> Iterator[Trace]:
    """Yield a trace with every choice of what turns forget first, the trace itself if it may grow."""
    for forgotten in product(*(range(sum(turn[1] + turn[2] for turn in trace) + 1) for _ in trace)):
        past: dict[int, int] = {}
        possible = growing or any(forgotten)
        for (theta, prompt, response), less in zip(trace, forgotten, strict=True):
            possible = possible and less <= past.get(theta, 0)
            past[theta] = past.get(theta, 0) - less + prompt + response
        if possible:
            yield tuple((*turn, less) for turn, less in zip(trace, forgotten, strict=True))


lru_edits = row(
    "tiers.lru.difference.edits",
    "The exclusive LRU cascade is the difference of single caches also if conversations forget.",
    space=with_edits(replace(REPLAYED, quick={2: 3, 3: 3, 4: 2}, full={2: 4, 3: 4, 4: 3})),
    origin=sharpness("tiers.lru.difference", "conversations grow"),
)(difference)


@row(
    "tiers.belady.cascade",
    "At xi = 0 Belady's cascade finds of tiers 0 to i together the most that any cache of that size "
    "finds, for every i "
    "at once.",
    space=with_edits(replace(ALL_CONTENTS, loads=((0, 0),)), growing=True),
)
def belady(case: Chain) -> Values:
    """Compare with the most that single caches find, by all their contents."""
    held = zip(*held_together(foreseen(case, ("LRU", "LRU"))), strict=True)
    return {"cascade": [sum(row) for row in held], "most": [most_hits(case, room) for room in pools(case)]}


@row(
    "tiers.belady.every-load",
    "So at xi = 0 Belady's cascade, which knows no loads, is optimal in tiers for all loads.",
    space=with_edits(replace(ALL_CONTENTS, loads=((0, 1), (0, 3))), growing=True),
)
def belady_for_every_load(case: Chain) -> Values:
    """Compare with the best plan, by all contents of the tiers."""
    cascade = sum(excesses(case, foreseen(case, ("LRU", "LRU"))))
    return {"cascade": cascade, "least": least(case)}


@row(
    "tiers.migration",
    "If migration between tiers is free both ways, the least TEL is that of one pool of all tiers' room, "
    "of which a "
    "turn finds its part in the fastest room: its first C_0 tokens in tier 0, and so on.",
    space=replace(ALL_CONTENTS, thresholds=True),
)
def migration(case: Chain) -> Values:
    """Compute both, by all contents."""
    return {"free migration": least(case, free=True), "one pool": in_one_pool(case)}


@row(
    "tiers.migration.gains",
    "Free migration is worth nothing: sinking alone has the same least TEL.",
    space=replace(ALL_CONTENTS, thresholds=True),
    origin=sharpness("tiers.migration", "migration is free"),
)
def migration_gains(case: Chain) -> Values:
    """Compute both, by all contents."""
    return {"free migration": least(case, free=True), "sinking alone": least(case)}
