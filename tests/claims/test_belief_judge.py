"""The judge of the belief MDP, in fractions alone, against the package; drawn models; faults planted in both."""

from dataclasses import replace
from fractions import Fraction
from itertools import islice, product
from random import Random

import pytest

from proofs_checks.tail_optimized import belief_validation as validation
from proofs_checks.tail_optimized import theorem_d2_general as general
from proofs_checks.tail_optimized.belief_validation import INDICES, PROMPTS, RATES, classes, drawn_case, judge_of
from proofs_checks.tail_optimized.instances import belief_grids
from proofs_checks.tail_optimized.instances.belief_grids import A_HALF, PAPER, kinds_of
from proofs_checks.tail_optimized.lemmas import exchange_proof
from proofs_checks.tail_optimized.plain_beliefs import Judge
from teltheory.belief.mdp import Solver
from teltheory.belief.model import BeliefMDP, allocations, charged
from teltheory.belief.optimality import alive, decisions
from teltheory.belief.tables import backward_induction
from teltheory.claims.beliefs import model_as_dict
from teltheory.claims.search import decide_safely
from teltheory.claims.smt import cvc5_answer, z3_answer
from teltheory.workloads.laws import fixed

EVERY = classes(("paper", "bayes"), ("optional", "forced"), RATES, PROMPTS)
PRICED = {f"priced, {name}": draw for name, draw in general.PRICED.items()}


def cases(name, number):
    """Draw cases of a class, most of them with two turns to come."""
    rng = Random(f"test {name}")
    return [drawn_case(rng, {**EVERY, **PRICED}[name]) for _ in range(number)]


@pytest.mark.parametrize("name", [*EVERY, *PRICED])
def test_the_judge_computes_what_the_recursion_computes(name):
    for case in cases(name, 1):
        judge, solver, state = judge_of(case), Solver(case.model), case.state
        assert [(k, p, past) for k, _, p, past in judge.known] == [
            (o.kind, o.alive, o.past) for o in state.conversations
        ]
        for index, weights in INDICES.items():
            assert judge.weights(index) == weights(case.model, state)
        for cached in islice(general.caches(case), 4 - case.turns):
            every = allocations(case.model, state, cached)
            assert judge.allowed(judge.known, cached, judge.theta) == every
            kept = every[len(every) // 2]
            assert judge.keeping(kept, case.turns) == solver.cost_of_keeping(state, kept, case.turns)
            assert judge.least(cached, case.turns) == backward_induction(case.model, state, cached, case.turns)


@pytest.mark.parametrize(
    "name", ["bayes, optional, heterogeneous, random", "paper, forced, heterogeneous, fixed", *PRICED]
)
def test_the_judge_chooses_as_the_rule_does(name):
    for case, (ties, which) in product(cases(name, 3), (("worst", max), ("best", min))):
        judge = judge_of(case)
        for found in decisions(case.tables, case.state, case.turns, INDICES["belief"], ties):
            every = judge.choices(found.cached, judge.weights("belief"))
            assert found.kept in every
            assert found.cost == which(judge.keeping(kept, case.turns) for kept in every)


@pytest.mark.parametrize("name", EVERY)
def test_a_class_has_what_its_name_says(name):
    belief, caching, rates, prompts = name.split(", ")
    for case in cases(name, 10):
        model, later = case.model, [kind.prompts[-1] for kind in case.model.kinds]
        assert (model.belief, model.forced) == (belief, caching == "forced")
        assert (len({kind.turn_rate for kind in model.kinds}) > 1) == (rates == "heterogeneous")
        assert prompts == "by-conversation" or len(set(later)) == 1
        assert {len(law.lengths) for law in later} <= set(validation.SIZES[prompts])
        assert list(general.caches(case))
    assert cases(name, 3) == cases(name, 3)


@pytest.mark.parametrize("uncached", range(6))
def test_a_sum_of_hinges(uncached):
    assert charged(((1, 2),), uncached) == max(uncached - 2, 0)
    assert charged(general.VIOLATIONS[1][0], uncached) == (uncached > 1)
    model = general.priced(
        replace(PAPER, capacity=1, kinds=kinds_of((1,), ((fixed(1),),), fixed(0))), general.VIOLATIONS[1]
    )
    judge = Judge(model_as_dict(model), [["1", 0, 0, 1, 0]])
    assert judge.cost(0, uncached) == (uncached > 1)
    assert model.first_excess == 0
    assert "hinges" not in model_as_dict(replace(PAPER, xi=3))["kinds"][0]


def small(row, number=20):
    """Return a row on fewer drawn models."""
    return replace(row, space=replace(row.space, quick=number))


def shorter(row):
    """Return a row on histories of three turns alone, with two to come."""
    return replace(row, space=replace(row.space, lengths={"quick": ((3, 2),)}))


def test_another_index_turns_the_validation(monkeypatch):
    assert decide_safely(small(validation.optional)).verdict == "holds"
    honest = belief_grids.decisions
    monkeypatch.setattr(belief_grids, "decisions", lambda *of: honest(*of[:3], alive, *of[4:]))
    assert decide_safely(small(validation.optional)).verdict in ("refuted", "error")


@pytest.mark.parametrize(
    ("method", "fault"),
    [
        ("cost", lambda self, kind, uncached: max(uncached - self.model["xi"] - 1, 0)),
        ("aged", lambda self, one, x: (*one[:2], one[2] * x**self.mu / 2, one[3])),
        ("allowed", lambda self, known, cached, theta: [tuple(0 for _ in cached)]),
    ],
)
def test_a_judge_that_errs_is_no_judge(method, fault, monkeypatch):
    """Where the two routes differ the row is an error, whatever the first one found."""
    monkeypatch.setattr(Judge, method, fault)
    assert decide_safely(small(validation.bayes, 5)).verdict == "error"


def test_without_prices_a_violation_is_an_excess(monkeypatch):
    monkeypatch.setattr(general.Priced, "hinges", BeliefMDP.hinges)
    assert decide_safely(shorter(general.violations)).verdict == "holds"


def confirmed(row):
    """Return a refuted row's counterexample, and its judge."""
    example = decide_safely(row).counterexample
    return example, Judge(example["model"], example["history"])


REFUTED = [shorter(general.violations), general.convex_bayes, general.weights_bayes]


@pytest.mark.parametrize("row", REFUTED, ids=lambda row: row.id)
def test_the_judge_confirms_what_refutes_a_row_from_its_plain_data(row):
    example, judge = confirmed(row)
    cached, turns = tuple(example["cached"]), example["following"]
    rule = min(judge.keeping(kept, turns) for kept in judge.choices(cached, judge.weights("belief")))
    assert [str(rule), str(judge.least(cached, turns))] == list(example["values"].values())
    assert rule > judge.least(cached, turns) == judge.keeping(tuple(example["best"]), turns)


def test_no_one_decision_is_best_for_every_horizon():
    example, judge = confirmed(shorter(general.one_for_all))
    cached, every = tuple(example["cached"]), range(1, example["following"] + 1)
    ways = judge.allowed(judge.known, cached, judge.theta)
    assert all(any(judge.keeping(kept, m) > judge.least(cached, m) for m in every) for kept in ways)


@pytest.mark.parametrize("belief", ["paper", "bayes"])
def test_half_of_each_of_three_is_best_with_the_posterior(belief):
    """The counterexample on the page of proofs, built by hand."""
    kinds = kinds_of((1, 8), ((fixed(1),), (fixed(2), fixed(0))), fixed(0))
    model = BeliefMDP(3, 0, kinds, gaps=general.SELDOM, belief=belief)
    coarse = model_as_dict(model)
    double = general.scaled(general.BeliefCase(model, (), 2), 2).model
    history = [["1", 0, 0, 1, 0], ["1", 1, 0, 1, 0], ["1", 2, 0, 1, 0], ["1", 3, 1, 2, 0]]
    finer = Judge(model_as_dict(double), [[x, i, k, 2 * q, a] for x, i, k, q, a in history])
    even, any_number = 2 * Judge(coarse, history).least((1, 1, 1, 2), 2), finer.least((2, 2, 2, 4), 2)
    assert (any_number < even) == (belief == "bayes")
    assert finer.keeping((1, 1, 1, 3), 2) == any_number or belief == "paper"


def test_a_convex_cost_is_what_the_proof_assumes():
    (obligation,) = exchange_proof.CONVEX
    assert z3_answer(obligation.text) == cvc5_answer(obligation.text) == "unsat"
    for left_out in range(len(obligation.hypotheses)):
        kept = tuple(h for i, h in enumerate(obligation.hypotheses) if i != left_out)
        assert z3_answer(replace(obligation, hypotheses=kept).text) == "sat"


def test_one_decision_is_best_for_six_turns():
    model = replace(
        PAPER, capacity=1, kinds=kinds_of((1, 3), ((fixed(1),),), fixed(0)), birth_rate=Fraction(0), gaps=A_HALF
    )
    steps = (general_step(Fraction(1), 0, 0), general_step(belief_grids.HALF, 1, 1))
    case = general.BeliefCase(model, steps, 6)
    assert len(general.at_every_horizon(case)) == 6 * len(list(general.caches(case))) > 0
    assert not any(one.loss for one in general.at_every_horizon(case))
    assert not any(one.loss for one in general.one_decision(case))


def general_step(x, place, kind):
    """Return a turn with a prompt of 1."""
    return validation.PastTurn(x, place, kind, 1, 0)
