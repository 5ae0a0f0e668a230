"""Rows on the belief MDP: one without its condition holds again."""

from dataclasses import replace

import pytest

from proofs_checks.tail_optimized import corollaries_d2
from proofs_checks.tail_optimized.instances import belief_grids
from proofs_checks.tail_optimized.instances.belief_grids import (
    A_HALF,
    BAYES,
    COIN,
    FIRST,
    FORCED,
    MOSTLY_ONE,
    ONE_IN_THREE,
    PAPER,
    SELDOM_ONE,
    SHORT_OR_LONG,
    TWO_IN_THREE,
    UP_TO_THREE,
    Grid,
    always,
    kinds_of,
)
from teltheory.belief.optimality import next_turns, turn_rates
from teltheory.claims.registry import claim_named
from teltheory.claims.search import decide_safely
from teltheory.workloads.laws import fixed


def on(grid, lengths, ties, index):
    """Return the verdict on the optimality of ET-LRU on some models."""
    rule = belief_grids.by_index("ET-LRU", index, ties)
    options = {"source": "", "rule": rule, "lengths": {"quick": (lengths,)}}
    return decide_safely(belief_grids.optimality_row("none", "", grid, None, "", **options)).verdict


FALLING = Grid(((4,),), (((fixed(2), COIN, fixed(0)),),), (2,), (1,), (always("9/20"),))
APART = Grid(((1, 3),), (((FIRST, fixed(0)),),), (2,), (0,), (always("9/10"),), base=FORCED)
OWN_LAWS = Grid(
    ((1, 1),),
    (((UP_TO_THREE, fixed(1)), (UP_TO_THREE, ONE_IN_THREE)),),
    (4,),
    (2,),
    (always("9/10"),),
    base=FORCED,
)
RANDOM = Grid(((1,),), (((FIRST, SELDOM_ONE),),), (1,), (1,), (A_HALF,), base=BAYES)
UNLIKE = Grid(((1, 3),), (((fixed(1), fixed(0)),),), (2,), (0,), (always("1/3"),), base=BAYES)
NEXT_RANDOM = Grid(((1,),), (((SHORT_OR_LONG, TWO_IN_THREE),),), (1,), (2,), (always("3/4"),), (4,), base=BAYES)
NEXT_FIXED = Grid(((1, 3),), (((MOSTLY_ONE, fixed(0)),),), (1,), (1,), (always("5/7"),), (4,), base=BAYES)
SAME_LAW = (((UP_TO_THREE, ONE_IN_THREE),),)


@pytest.mark.parametrize(
    ("refuted", "condition", "lengths", "index"),
    [
        (FALLING, {"laws": (((fixed(2), COIN),),)}, (2, 2), turn_rates),
        (FALLING, {"laws": (((fixed(2), fixed(1), fixed(0)),),)}, (2, 2), turn_rates),
        (APART, {"rates": ((1,),)}, (3, 2), turn_rates),
        pytest.param(APART, {"base": PAPER}, (3, 2), turn_rates, marks=pytest.mark.long),
        pytest.param(OWN_LAWS, {"laws": SAME_LAW}, (3, 2), turn_rates, marks=pytest.mark.long),
        pytest.param(
            OWN_LAWS,
            {"laws": (((UP_TO_THREE, fixed(1)), (UP_TO_THREE, fixed(2))),)},
            (3, 2),
            turn_rates,
            marks=pytest.mark.long,
        ),
        (RANDOM, {"thresholds": (0,)}, (2, 1), turn_rates),
        (RANDOM, {"laws": (((FIRST, fixed(0)),),)}, (2, 1), turn_rates),
        (RANDOM, {"base": PAPER}, (2, 1), turn_rates),
        (UNLIKE, {"rates": ((1,),)}, (3, 1), turn_rates),
        (UNLIKE, {"base": PAPER}, (3, 1), turn_rates),
        (NEXT_RANDOM, {"laws": (((SHORT_OR_LONG, fixed(1)),),)}, (2, 2), next_turns),
        (NEXT_RANDOM, {"thresholds": (0,)}, (2, 2), next_turns),
        (NEXT_FIXED, {"rates": ((1,),)}, (2, 2), next_turns),
    ],
)
def test_a_refuted_row_holds_with_its_condition(refuted, condition, lengths, index):
    """Where no choice of ET-LRU is optimal, every one is as soon as the condition is there."""
    assert on(replace(refuted, **condition), lengths, "worst", index) == "holds"


@pytest.mark.parametrize(
    ("refuted", "lengths", "index"),
    [
        (FALLING, (2, 2), turn_rates),
        (APART, (3, 2), turn_rates),
        (OWN_LAWS, (3, 2), turn_rates),
        (RANDOM, (2, 1), turn_rates),
        (UNLIKE, (3, 1), turn_rates),
        (NEXT_RANDOM, (2, 2), next_turns),
        (NEXT_FIXED, (2, 2), next_turns),
    ],
)
def test_a_refuted_row_is_refuted_without_it(refuted, lengths, index):
    assert on(refuted, lengths, "best", index) == "refuted"


@pytest.mark.parametrize("capacity", [1, 2])
def test_classic_paging_by_the_belief_alone_needs_rates_that_are_alike(capacity):
    model = replace(PAPER, capacity=capacity, kinds=kinds_of((1, 1), ((fixed(1), fixed(0)),), fixed(0)))
    space = replace(corollaries_d2.paging_ever.space, models={"quick": lambda: iter([model])})
    assert decide_safely(replace(corollaries_d2.paging_ever, space=space)).verdict == "holds"
    assert decide_safely(claim_named("paging.ever")).verdict == "refuted"
