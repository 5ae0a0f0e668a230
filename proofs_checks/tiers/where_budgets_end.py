"""Where the dominance of scaled budgets ends: estimates that change, more tiers, edits, overlap, rounding.

Enumerated if a smallest case is within reach; otherwise the case was found by a search, and made smaller until no
single step, and none that lowers two numbers, left a counterexample. docs/counterexamples.md follows them.
"""

from dataclasses import dataclass, replace

from proofs_checks.tiers.chains import Chain, SmallChains
from proofs_checks.tiers.dominance import Duel
from proofs_checks.tiers.plain_chains import Kind, Trim
from proofs_checks.tiers.scaled_budgets import ENUMERATED, JUDGED, row
from teltheory.claims.claim import Claim, Values
from teltheory.claims.listed import Listed, ToldCase
from teltheory.claims.origin import sharpness
from teltheory.claims.smt import prove, stated
from teltheory.claims.terms import choose, reals
from teltheory.claims.worlds import Given

FOUND = "one case, found by a search and made smaller"
eager, eager_tel = Duel(trim="eager"), Duel(trim="eager", each=False)
EXACT = "the estimate stays the same within a conversation"
WITHOUT_RESPONSES = SmallChains(
    {5: 0}, {5: 0}, ((0, 3),), estimates="exact", responses=False, conversations=2, least=0
)


def given(id: str, statement: str, case: Chain, duel: Duel, of: str, without: str) -> Claim[Chain]:
    """Return the row that a single case refutes."""
    space = Given((case,), FOUND)
    return row(id, statement, relation=duel.holds, space=space, origin=sharpness(of, without))(duel.values)


exact = row(
    "tiers.tlru.scaled.exact",
    "Scaled budgets in two tiers dominate LRU at every turn also if the estimate is the prompt that "
    "comes next, and "
    "all surplus goes at once.",
    relation=eager.holds,
    space=replace(WITHOUT_RESPONSES, quick={5: 4}, full={5: 4}),
    compiled=eager.compiled(replace(WITHOUT_RESPONSES, quick={3: 5, 4: 6, 5: 8}, full={3: 8, 4: 8, 5: 8})),
    origin=sharpness("tiers.tlru.scaled.eager", EXACT),
)(eager.values)

exact_tel = given(
    "tiers.tlru.scaled.exact.tel",
    "Then T-LRU's TEL is at most the LRU cascade's.",
    Chain(((0, 3, 0), (1, 3, 0), (1, 0, 0), (0, 0, 2), (1, 2, 0)), (3, 2), (0, 3), 4, 2, None),
    eager_tel,
    "tiers.tlru.scaled.eager",
    EXACT,
)


def exact_on_overflow(trim: Trim, name: str, of: str) -> Claim[Chain]:
    """Return the row on exact estimates with trimming on overflow."""
    turns = ((0, 1, 0), (1, 2, 0), (2, 4, 0), (2, 0, 0), (1, 1, 3), (2, 2, 0), (0, 2, 0))
    return given(
        f"tiers.tlru.scaled.exact.{name}",
        f"The same if surplus goes on overflow, {trim}.",
        Chain(turns, (4, 2), (0, 2), 4, 2, None),
        Duel(trim=trim, each=False),
        of,
        EXACT,
    )


exact_round_robin = exact_on_overflow("round-robin", "round-robin", "tiers.tlru.scaled")
exact_least_recent = exact_on_overflow("least-recent", "least-recent", "tiers.tlru.scaled.least-recent")

THREE: tuple[Kind, ...] = ("scaled", "scaled", "scaled")
three = given(
    "tiers.tlru.scaled.three",
    "Scaled budgets in three tiers have a TEL of at most the LRU cascade's, if all surplus goes at once.",
    Chain(((0, 10, 0), (1, 8, 0), (1, 3, 0), (0, 3, 0)), (0, 17, 4), (0, 2, 3), 4, 9, 3),
    Duel(THREE, "eager", each=False),
    "tiers.tlru.scaled.eager",
    "there are two tiers",
)
three_on_overflow = given(
    "tiers.tlru.scaled.three.round-robin",
    "The same if surplus goes on overflow, round-robin.",
    Chain(((0, 6, 0), (1, 7, 0), (2, 8, 0), (2, 2, 0), (1, 2, 0)), (0, 13, 2), (0, 3, 4), 6, 7, 2),
    Duel(THREE, each=False),
    "tiers.tlru.scaled",
    "there are two tiers",
)
three_least_recent = given(
    "tiers.tlru.scaled.three.least-recent",
    "The same if surplus goes on overflow, the least recent first.",
    Chain(((0, 7, 0), (1, 7, 0), (2, 8, 0), (2, 2, 0), (1, 2, 0)), (0, 13, 2), (0, 3, 4), 6, 7, 2),
    Duel(THREE, "least-recent", each=False),
    "tiers.tlru.scaled.least-recent",
    "there are two tiers",
)

edits = given(
    "tiers.tlru.scaled.edits",
    "Scaled budgets in two tiers have a TEL of at most LRU's also if conversations forget, if all surplus goes at "
    "once.",
    Chain(((0, 0, 3), (1, 0, 4), (2, 0, 4), (2, 0, 0, 4), (1, 0, 4), (0, 0, 0)), (6, 4), (0, 1), 2, 2, 0),
    eager_tel,
    "tiers.tlru.scaled.eager",
    "conversations grow",
)

overlap = Duel(overlapped=True, each=False)
overlapped = row(
    "tiers.tlru.scaled.overlapped",
    "Scaled budgets in two tiers have a TEL of at most LRU's also if loading is overlapped with computing.",
    relation=overlap.holds,
    space=JUDGED,
    compiled=overlap.compiled(ENUMERATED),
    origin=sharpness("tiers.tlru.scaled", "loading and computing add up"),
)(overlap.values)

last_overlap = Duel(("LRU", "scaled"), overlapped=True, each=False)
last_overlapped = row(
    "tiers.tlru.last-tier.overlapped",
    "With LRU in the first tier and T-LRU in the second TEL is at most LRU's also if loading is overlapped.",
    relation=last_overlap.holds,
    space=JUDGED,
    compiled=last_overlap.compiled(ENUMERATED),
    origin=sharpness("tiers.tlru.last-tier", "loading and computing add up"),
)(last_overlap.values)

down = Duel(("rounded down", "rounded down"), each=False)
rounded_down = row(
    "tiers.tlru.scaled.rounded-down",
    "Scaled budgets that are rounded down have a TEL of at most LRU's.",
    relation=down.holds,
    space=JUDGED,
    compiled=down.compiled(ENUMERATED),
    origin=sharpness("tiers.tlru.scaled", "budgets are rounded up"),
)(down.values)

small = Duel(each=False)
too_small = row(
    "tiers.tlru.scaled.too-small",
    "Scaled budgets have a TEL of at most LRU's also with an estimate below a prompt that continues a "
    "conversation.",
    relation=small.holds,
    space=replace(JUDGED, estimates="too small"),
    compiled=small.compiled(replace(ENUMERATED, estimates="too small")),
    origin=sharpness("tiers.tlru.scaled", "the estimate is at least every prompt that continues a conversation"),
)(small.values)


@dataclass(frozen=True)
class Moved(ToldCase):
    """What a turn computes and what it loads, in seconds of the same unit."""

    computed: int
    loaded: int


def moved(most: int) -> list[list[Moved]]:
    """Return all of both up to a limit."""
    return [[Moved(computed, loaded) for loaded in range(most + 1)] for computed in range(most + 1)]


COMPUTED, LOADED = reals("computed loaded")
LONGER = choose(COMPUTED >= LOADED, COMPUTED, LOADED)
OVERLAP = [
    stated(
        "max(c, l) <= c + l <= 2 max(c, l)",
        given=[COMPUTED, LOADED],
        shown=[COMPUTED + LOADED - LONGER, LONGER + LONGER - COMPUTED - LOADED],
    )
]


@row(
    "tiers.overlap",
    "Overlapped loading never hurts: it takes a turn at most as long as loading and computing one after "
    "the other, "
    "and at least half as long.",
    relation=lambda of: of["overlapped"] <= of["added"] <= 2 * of["overlapped"],
    space=Listed(moved, 30, 60, "both up to {}"),
    proof=lambda: prove(OVERLAP, "all real numbers from 0 on; what is cached does not depend on loading"),
)
def overlap_of_a_turn(case: Moved) -> Values:
    """Return both."""
    return {"overlapped": max(case.computed, case.loaded), "added": case.computed + case.loaded}
