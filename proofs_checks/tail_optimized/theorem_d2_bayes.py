"""Theorem D.2 with the posterior given the silence in place of exp(-mu tau) (ours, from Appendix D's model).

Two ways to draw the gap to the next turn: from a given law, as in `theorem_d2.py`, and by the race between the
conversations, whose density of a next turn weighs a few gaps (`BeliefMDP.race`). Rows that hold do so under both.
ET-LRU weighs a conversation by its turn rate lambda_i pi_i, or by the exact probability that it is next.
"""

from functools import partial

from proofs_checks.tail_optimized.instances import belief_grids as grids
from proofs_checks.tail_optimized.instances.belief_grids import Grid, Laws, always, both, optimality_row
from teltheory.belief.optimality import Ties, next_turns
from teltheory.claims.beliefs import BeliefCase, Models
from teltheory.claims.claim import Claim
from teltheory.claims.origin import reading
from teltheory.workloads.laws import fixed

KNOWN = (*grids.PROMPTS["fixed"], ((grids.FIRST, fixed(0)), (grids.FIRST, fixed(2))))
FEW = {"quick": ((2, 1), (3, 1), (2, 2)), "full": ((2, 1), (3, 1), (4, 1), (2, 2), (3, 2), (2, 3))}
TWO_TO_COME = {"quick": ((2, 2),), "full": ((2, 2), (3, 2))}
"""With a single turn to come the probability of the next turn is right by definition."""

row = partial(
    optimality_row,
    source="Theorem D.2 with the posterior",
    rule=grids.EVERY_CHOICE,
    lengths=FEW,
    origin=grids.POSTERIOR,
)


def gaps_and_race(laws: tuple[tuple[Laws, ...], ...], xis: tuple[int, ...], wide: bool) -> Models:
    """Return models of homogeneous rates, with given gaps and with a race."""
    capacities, gaps = ((1, 2, 3), (grids.A_HALF, grids.TWO_GAPS)) if wide else ((2,), (grids.A_HALF,))
    given = Grid(((1,),), laws, capacities, xis, gaps, base=grids.BAYES)
    return both(given, Grid(((1,),), laws, capacities, xis, (grids.NODES,), base=grids.RACE))


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
    gaps_and_race((*grids.PROMPTS["random"], grids.PROMPTS["by-conversation"][1]), (0,), wide=False),
    gaps_and_race((*grids.PROMPTS["random"], grids.PROMPTS["by-conversation"][1]), (0,), wide=True),
    "homogeneous rates, random prompts, xi = 0",
)
ONE_GAP = (always("3/4"), grids.A_HALF, always("1/3"))
RANDOM = Grid(((1,),), grids.PROMPTS["random"], thresholds=(1,), gaps=ONE_GAP, base=grids.BAYES)
bayes_random = row(
    "theorem-d2.bayes-random",
    "With the posterior some choice of ET-LRU is optimal where rates are homogeneous, prompts random and xi > 0.",
    RANDOM,
    None,
    "homogeneous rates, one law of prompts, a single gap",
    rule=grids.SOME_CHOICE,
)
NOTHING_LATER = tuple(((first, fixed(0)),) for first in (fixed(1), grids.FIRST))
UNLIKE = Grid(((1, 2), (1, 3)), NOTHING_LATER, gaps=ONE_GAP, base=grids.BAYES)
bayes_heterogeneous = row(
    "theorem-d2.bayes-heterogeneous",
    "With the posterior some choice of ET-LRU is optimal where rates differ.",
    UNLIKE,
    None,
    "two rates, prompts 0 after the first, a single gap",
    rule=grids.SOME_CHOICE,
)


def next_event(
    rates: str, prompts: str, quick: Models, note: str, full: Models | None = None, ties: Ties = "best"
) -> Claim[BeliefCase]:
    """Return the row of one combination, with the exact probability of the next turn as ET-LRU's index."""
    which = "every" if ties == "worst" else "some"
    return row(
        f"theorem-d2.bayes-next-event.{rates}.{prompts}",
        f"With the posterior {which} choice of ET-LRU by the probability of the next turn is optimal: {rates} "
        f"turn rates and {grids.WORDS[prompts]}.",
        quick,
        full,
        note,
        rule=grids.by_index("ET-LRU", next_turns, ties),
        lengths=FEW if ties == "worst" else TWO_TO_COME,
        origin=reading("the belief is the posterior, and the index the exact chance to be the next"),
    )


def searched(rates: tuple[tuple[int, ...], ...], laws: tuple[tuple[Laws, ...], ...], *gaps: str) -> Grid:
    """Return a grid where a new conversation is likely and seldom has anything that is worth keeping."""
    return Grid(rates, laws, (1,), (1, 2), tuple(always(x) for x in gaps), (4,), base=grids.BAYES)


SAME, DIFFERENT = ((1,),), ((1, 3), (3, 1))
FIRSTS = (grids.SHORT_OR_LONG, grids.MOSTLY_ONE)
ONE_LAW = tuple(((first, grids.TWO_IN_THREE),) for first in FIRSTS)
OWN = tuple(((first, fixed(0)), (first, grids.COIN)) for first in FIRSTS)

next_homogeneous_fixed = next_event(
    "homogeneous",
    "fixed",
    gaps_and_race(KNOWN, (0, 1), wide=False),
    "homogeneous rates, known lengths",
    gaps_and_race(KNOWN, (0, 1, 2), wide=True),
    "worst",
)
next_homogeneous_random = next_event(
    "homogeneous", "random", searched(SAME, ONE_LAW, "3/4", "2/3", "1/2"), "homogeneous rates, one law of prompts"
)
next_homogeneous_own = next_event(
    "homogeneous",
    "by-conversation",
    searched(SAME, OWN, "3/4", "13/20", "1/2"),
    "homogeneous rates, two laws of prompts",
)
next_heterogeneous_fixed = next_event(
    "heterogeneous",
    "fixed",
    searched(DIFFERENT, (((grids.MOSTLY_ONE, fixed(0)),),), "3/4", "5/7", "1/2"),
    "two rates, prompts 0 after the first",
)
next_heterogeneous_random = next_event(
    "heterogeneous", "random", searched(DIFFERENT, ONE_LAW, "3/4", "2/3", "1/2"), "two rates, one law of prompts"
)
next_heterogeneous_own = next_event(
    "heterogeneous",
    "by-conversation",
    searched(DIFFERENT, OWN, "3/4", "5/7", "1/2"),
    "two rates, two laws of prompts",
)
