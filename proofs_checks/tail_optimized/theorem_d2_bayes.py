"""Theorem D.2 with the posterior given the silence in place of exp(-mu tau) (ours, from Appendix D's model).

Two ways to draw the gap to the next turn: from a given law, as in `theorem_d2.py`, and by the race between the
conversations, whose density of a next turn weighs a few gaps (`BeliefMDP.race`). Rows that hold do so under both.
ET-LRU weighs a conversation by its turn rate lambda_i pi_i, or by the exact probability that it is next.
"""

from __future__ import annotations

from proofs_checks.tail_optimized.instances.belief_grids import (
    A_HALF,
    BAYES,
    COIN,
    FIRST,
    MOSTLY_ONE,
    NODES,
    PROMPTS,
    RACE,
    SHORT_OR_LONG,
    TWO_GAPS,
    TWO_IN_THREE,
    WORDS,
    Grid,
    Laws,
    Lengths,
    always,
    both,
    by_index,
    optimality_row,
)
from teltheory.belief.optimality import Index, Ties, next_turns, turn_rates
from teltheory.claims.beliefs import BeliefCase, Models
from teltheory.claims.claim import Claim
from teltheory.claims.origin import BOTH, Origin, reading
from teltheory.claims.registry import run
from teltheory.workloads.laws import fixed

KNOWN = (*PROMPTS["fixed"], ((FIRST, fixed(0)), (FIRST, fixed(2))))
FEW = {"quick": ((2, 1), (3, 1), (2, 2)), "full": ((2, 1), (3, 1), (4, 1), (2, 2), (3, 2), (2, 3))}
TWO_TO_COME = {"quick": ((2, 2),), "full": ((2, 2), (3, 2))}
"""With a single turn to come the probability of the next turn is right by definition."""


def row(
    id: str,
    statement: str,
    quick: Models,
    full: Models,
    note: str,
    index: Index = turn_rates,
    ties: Ties = "worst",
    lengths: Lengths = FEW,
    origin: Origin = BOTH,
) -> Claim[BeliefCase]:
    """Return a row on the optimality of ET-LRU with the posterior."""
    rule = by_index("ET-LRU", index, ties)
    return optimality_row(
        id, "Theorem D.2 with the posterior", statement, rule, (quick, full), lengths, note, origin
    )


def gaps_and_race(laws: tuple[tuple[Laws, ...], ...], xis: tuple[int, ...], wide: bool) -> Models:
    """Return models of homogeneous rates, with given gaps and with a race."""
    capacities, gaps = ((1, 2, 3), (A_HALF, TWO_GAPS)) if wide else ((2,), (A_HALF,))
    given = Grid(((1,),), laws, capacities, xis, gaps, base=BAYES)
    return both(given, Grid(((1,),), laws, capacities, xis, (NODES,), base=RACE))


bayes = row(
    "theorem-d2.bayes",
    "With the posterior ET-LRU is optimal where rates are homogeneous and lengths of prompts are known.",
    gaps_and_race(KNOWN, (0, 1), wide=False),
    gaps_and_race(KNOWN, (0, 1, 2), wide=True),
    "homogeneous rates, known lengths",
)
bayes_zero = row(
    "theorem-d2.bayes.zero-threshold",
    "With the posterior ET-LRU is optimal where rates are homogeneous and xi = 0, whatever the laws of prompts.",
    gaps_and_race((*PROMPTS["random"], PROMPTS["by-conversation"][1]), (0,), wide=False),
    gaps_and_race((*PROMPTS["random"], PROMPTS["by-conversation"][1]), (0,), wide=True),
    "homogeneous rates, random prompts, xi = 0",
)
ONE_GAP = (always("3/4"), A_HALF, always("1/3"))
RANDOM = Grid(((1,),), PROMPTS["random"], thresholds=(1,), gaps=ONE_GAP, base=BAYES)
bayes_random = row(
    "theorem-d2.bayes-random",
    "With the posterior some choice of ET-LRU is optimal where rates are homogeneous, prompts random and xi > 0.",
    RANDOM,
    RANDOM,
    "homogeneous rates, one law of prompts, a single gap",
    ties="best",
)
UNLIKE = Grid(((1, 2), (1, 3)), (((fixed(1), fixed(0)),), ((FIRST, fixed(0)),)), gaps=ONE_GAP, base=BAYES)
bayes_heterogeneous = row(
    "theorem-d2.bayes-heterogeneous",
    "With the posterior some choice of ET-LRU is optimal where rates differ.",
    UNLIKE,
    UNLIKE,
    "two rates, prompts 0 after the first, a single gap",
    ties="best",
)


def next_event(
    rates: str, prompts: str, quick: Models, full: Models, note: str, ties: Ties = "best"
) -> Claim[BeliefCase]:
    """Return the row of one combination, with the exact probability of the next turn as ET-LRU's index."""
    which = "every" if ties == "worst" else "some"
    return row(
        f"theorem-d2.bayes-next-event.{rates}.{prompts}",
        f"With the posterior {which} choice of ET-LRU by the probability of the next turn is optimal: {rates} "
        f"turn rates and {WORDS[prompts]}.",
        quick,
        full,
        note,
        next_turns,
        ties,
        FEW if ties == "worst" else TWO_TO_COME,
        reading("the belief is the posterior, and the index the exact chance to be the next"),
    )


def searched(rates: tuple[tuple[int, ...], ...], laws: tuple[tuple[Laws, ...], ...], *gaps: str) -> Grid:
    """Return a grid where a new conversation is likely and seldom has anything that is worth keeping."""
    return Grid(rates, laws, (1,), (1, 2), tuple(always(x) for x in gaps), (4,), base=BAYES)


SAME, DIFFERENT = ((1,),), ((1, 3), (3, 1))
ONE_LAW = (((SHORT_OR_LONG, TWO_IN_THREE),), ((MOSTLY_ONE, TWO_IN_THREE),))
OWN = (((SHORT_OR_LONG, fixed(0)), (SHORT_OR_LONG, COIN)), ((MOSTLY_ONE, fixed(0)), (MOSTLY_ONE, COIN)))

next_homogeneous_fixed = next_event(
    "homogeneous",
    "fixed",
    gaps_and_race(KNOWN, (0, 1), wide=False),
    gaps_and_race(KNOWN, (0, 1, 2), wide=True),
    "homogeneous rates, known lengths",
    "worst",
)
HOMOGENEOUS_RANDOM = searched(SAME, ONE_LAW, "3/4", "2/3", "1/2")
next_homogeneous_random = next_event(
    "homogeneous", "random", HOMOGENEOUS_RANDOM, HOMOGENEOUS_RANDOM, "homogeneous rates, one law of prompts"
)
HOMOGENEOUS_OWN = searched(SAME, OWN, "3/4", "13/20", "1/2")
next_homogeneous_own = next_event(
    "homogeneous", "by-conversation", HOMOGENEOUS_OWN, HOMOGENEOUS_OWN, "homogeneous rates, two laws of prompts"
)
HETEROGENEOUS_FIXED = searched(DIFFERENT, (((MOSTLY_ONE, fixed(0)),),), "3/4", "5/7", "1/2")
next_heterogeneous_fixed = next_event(
    "heterogeneous", "fixed", HETEROGENEOUS_FIXED, HETEROGENEOUS_FIXED, "two rates, prompts 0 after the first"
)
HETEROGENEOUS_RANDOM = searched(DIFFERENT, ONE_LAW, "3/4", "2/3", "1/2")
next_heterogeneous_random = next_event(
    "heterogeneous", "random", HETEROGENEOUS_RANDOM, HETEROGENEOUS_RANDOM, "two rates, one law of prompts"
)
HETEROGENEOUS_OWN = searched(DIFFERENT, OWN, "3/4", "5/7", "1/2")
next_heterogeneous_own = next_event(
    "heterogeneous", "by-conversation", HETEROGENEOUS_OWN, HETEROGENEOUS_OWN, "two rates, two laws of prompts"
)


if __name__ == "__main__":
    run(__file__)
