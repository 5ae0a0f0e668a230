"""Rows on the belief MDP: a planted fault turns one that holds, and one without its condition holds again."""

from dataclasses import replace
from fractions import Fraction

import pytest
from claims.planting import long, plant

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
from teltheory.belief import optimality, tables
from teltheory.belief.optimality import alive, next_turns, turn_rates
from teltheory.belief.tables import Exact
from teltheory.claims.registry import claim_named
from teltheory.claims.search import decide_safely
from teltheory.policies import LRU, TLRU
from teltheory.replay.chains import reference
from teltheory.workloads.laws import fixed


def verdict(name):
    found = decide_safely(claim_named(name))
    return "two routes differ" if "but by recursion over states" in (found.problem or "") else found.verdict


def weigh_by(index):
    def weighed(exact):
        return lambda tables, state, turns, _, ties: exact(tables, state, turns, index, ties)

    return belief_grids, "decisions", weighed


def least_recent_most(model, state):
    return [Fraction(len(state.recency) - state.recency.index(i)) for i in range(len(state.recency))]


def rate_alone(model, state):
    return [Fraction(model.kinds[known.kind].turn_rate) for known in state.conversations]


def by_the_prompt_that_came(exact):
    def objective(model, state, weights):
        before = [known._replace(turns=max(known.turns - 1, 0)) for known in state.conversations]
        return exact(model, state._replace(conversations=tuple(before)), weights)

    return objective


def mistaken(exact):
    def of_keeping(self, state, turns):
        found = exact(self, state, turns)
        return Exact(found.numerators[..., ::-1], found.denominator)

    return of_keeping


FAULTS = {
    "weigh by the belief alone": weigh_by(alive),
    "weigh the least recent most": weigh_by(least_recent_most),
    "weigh by the rate alone": weigh_by(rate_alone),
    "weigh tokens without the threshold": (
        *(optimality, "objective"),
        lambda exact: lambda model, *rest: exact(replace(model, xi=0), *rest),
    ),
    "weigh tokens by the prompt that came": (optimality, "objective", by_the_prompt_that_came),
    "mistake who keeps what": (tables.Tables, "of_keeping", mistaken),
    "evict the most recent": (reference, "evict", lambda exact: lambda seen, *rest: exact(seen[::-1], *rest)),
    "evict whole pasts only": (TLRU, "budget", lambda _: lambda self, conversation: conversation.past),
    "trim below the budget": (TLRU, "budget", lambda exact: lambda self, seen: max(0, exact(self, seen) - 1)),
    "replay without trimming": (corollaries_d2, "as_replayed", lambda exact: lambda policy: exact(LRU())),
}


@pytest.mark.parametrize(
    ("fault", "row"),
    [
        long("weigh by the belief alone", "theorem-d2"),
        long("weigh the least recent most", "theorem-d2.homogeneous.fixed"),
        long("weigh by the rate alone", "theorem-d2.homogeneous.random"),
        ("weigh tokens without the threshold", "theorem-d2.homogeneous.fixed"),
        long("weigh tokens without the threshold", "theorem-d2.bayes"),
        long("weigh tokens by the prompt that came", "theorem-d2.turn-law.promising"),
        long("mistake who keeps what", "corollary.paging"),
        ("evict the most recent", "corollary.lru"),
        long("evict the most recent", "corollary.lru.bayes"),
        long("evict whole pasts only", "corollary.tlru.homogeneous"),
        ("trim below the budget", "corollary.tlru.homogeneous"),
        long("trim below the budget", "corollary.tlru.homogeneous.bayes"),
        long("replay without trimming", "corollary.tlru.homogeneous.bayes"),
    ],
)
def test_a_planted_fault_turns_its_row(fault, row, monkeypatch):
    plant(monkeypatch, *FAULTS[fault])
    assert verdict(row) in ("refuted", "two routes differ")


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
    assert verdict("paging.ever") == "refuted"
