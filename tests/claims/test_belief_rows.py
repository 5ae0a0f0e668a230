"""Rows on the belief MDP: a planted fault turns one that holds, and one without its condition holds again."""

from dataclasses import replace
from fractions import Fraction

import pytest

from proofs_checks import all_claims
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
from teltheory.belief.optimality import alive, as_replayed, next_turns, turn_rates
from teltheory.belief.tables import Exact
from teltheory.claims.search import decide_safely
from teltheory.policies import LRU, TLRU
from teltheory.replay import reference
from teltheory.workloads.laws import fixed


def verdict(name):
    found = decide_safely(next(claim for claim in all_claims() if claim.id == name))
    return "two routes differ" if "but by recursion over states" in (found.problem or "") else found.verdict


def weigh_by(monkeypatch, index):
    def by_index(tables, state, turns, _, ties):
        return optimality.decisions(tables, state, turns, index, ties)

    monkeypatch.setattr(belief_grids, "decisions", by_index)


def weigh_by_the_belief_alone(monkeypatch):
    weigh_by(monkeypatch, alive)


def weigh_the_least_recent_most(monkeypatch):
    def index(model, state):
        return [Fraction(len(state.recency) - state.recency.index(i)) for i in range(len(state.recency))]

    weigh_by(monkeypatch, index)


def weigh_by_the_rate_alone(monkeypatch):
    def index(model, state):
        return [Fraction(model.kinds[known.kind].turn_rate) for known in state.conversations]

    weigh_by(monkeypatch, index)


def weigh_tokens_without_the_threshold(monkeypatch):
    exact = tables.objective
    monkeypatch.setattr(optimality, "objective", lambda model, *rest: exact(replace(model, xi=0), *rest))


def weigh_tokens_by_the_prompt_that_came(monkeypatch):
    exact = tables.objective

    def objective(model, state, weights):
        before = [known._replace(turns=max(known.turns - 1, 0)) for known in state.conversations]
        return exact(model, state._replace(conversations=tuple(before)), weights)

    monkeypatch.setattr(optimality, "objective", objective)


def mistake_who_keeps_what(monkeypatch):
    exact = tables.Tables.of_keeping

    def of_keeping(self, state, turns):
        found = exact(self, state, turns)
        return Exact(found.numerators[..., ::-1], found.denominator)

    monkeypatch.setattr(tables.Tables, "of_keeping", of_keeping)


def evict_the_most_recent(monkeypatch):
    exact = reference.evict
    monkeypatch.setattr(reference, "evict", lambda seen, *rest: exact(list(reversed(seen)), *rest))


def evict_whole_pasts_only(monkeypatch):
    monkeypatch.setattr(TLRU, "budget", lambda self, conversation: conversation.past)


def trim_below_the_budget(monkeypatch):
    exact = TLRU.budget
    monkeypatch.setattr(TLRU, "budget", lambda self, conversation: max(0, exact(self, conversation) - 1))


def replay_without_trimming(monkeypatch):
    monkeypatch.setattr(corollaries_d2, "as_replayed", lambda policy: as_replayed(LRU()))


@pytest.mark.parametrize(
    ("fault", "row"),
    [
        (weigh_by_the_belief_alone, "theorem-d2"),
        pytest.param(weigh_the_least_recent_most, "theorem-d2.homogeneous.fixed", marks=pytest.mark.long),
        pytest.param(weigh_by_the_rate_alone, "theorem-d2.homogeneous.random", marks=pytest.mark.long),
        (weigh_tokens_without_the_threshold, "theorem-d2.homogeneous.fixed"),
        pytest.param(weigh_tokens_without_the_threshold, "theorem-d2.bayes", marks=pytest.mark.long),
        pytest.param(
            weigh_tokens_by_the_prompt_that_came, "theorem-d2.turn-law.promising", marks=pytest.mark.long
        ),
        pytest.param(mistake_who_keeps_what, "corollary.paging", marks=pytest.mark.long),
        (evict_the_most_recent, "corollary.lru"),
        pytest.param(evict_the_most_recent, "corollary.lru.bayes", marks=pytest.mark.long),
        pytest.param(evict_whole_pasts_only, "corollary.tlru.homogeneous", marks=pytest.mark.long),
        (trim_below_the_budget, "corollary.tlru.homogeneous"),
        pytest.param(trim_below_the_budget, "corollary.tlru.homogeneous.bayes", marks=pytest.mark.long),
        pytest.param(replay_without_trimming, "corollary.tlru.homogeneous.bayes", marks=pytest.mark.long),
    ],
)
def test_a_planted_fault_turns_its_row(fault, row, monkeypatch):
    fault(monkeypatch)
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
        (APART, {"base": PAPER}, (3, 2), turn_rates),
        (OWN_LAWS, {"laws": SAME_LAW}, (3, 2), turn_rates),
        (OWN_LAWS, {"laws": (((UP_TO_THREE, fixed(1)), (UP_TO_THREE, fixed(2))),)}, (3, 2), turn_rates),
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
