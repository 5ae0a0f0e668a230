from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import teltheory as tt
from teltheory.claims.case import Case, World
from teltheory.claims.claim import Claim, MissingDataError, Proof, SecondRoute
from teltheory.claims.search import decide, decide_safely, refutes
from teltheory.claims.worlds import SmallWorlds, no_estimate, upper_bounds, worlds
from teltheory.optimal.chains.brute_force import smallest_total

DRAWN = {"conversations": 2, "samples": 500, "most_turns": 6, "longest": 2}
NATURAL = ({1: 1, 2: 1, 3: 0}, {})
SPACE = SmallWorlds({1: 2, 2: 2, 3: 3}, {}, estimates=upper_bounds, natural_sizes=NATURAL, **DRAWN)


def at_most(values):
    first, second = values.values()
    return first <= second


def false_claim(name, values, space=SPACE):
    return Claim(name, "nowhere", "A false statement.", values, at_most, space)


T_LRU_COMPUTES_LESS = false_claim(
    "T-LRU computes no more than LRU",
    lambda case: {"T-LRU": sum(case.uncached(tt.TLRU(case.xi, case.q_hat))), "LRU": sum(case.uncached(tt.LRU()))},
)
LRU_IS_OPTIMAL = false_claim(
    "LRU is optimal in hindsight",
    lambda case: {
        "LRU": case.tel(tt.LRU()),
        "optimum": smallest_total(case.instance, lambda uncached: max(uncached - case.xi, 0)),
    },
)
BELADY_MINIMISES_TEL = false_claim(
    "Belady has a TEL of at most Tail-Optimized Belady's",
    lambda case: {"Belady": case.tel(tt.Belady()), "optimum": case.tel(tt.TailOptimizedBelady(case.xi))},
    replace(SPACE, quick={**SPACE.quick, 4: 3}, estimates=no_estimate),
)
FALSE_CLAIMS = (T_LRU_COMPUTES_LESS, LRU_IS_OPTIMAL, BELADY_MINIMISES_TEL)


@pytest.fixture(scope="module")
def decided():
    """The verdicts on the false claims, each found once."""
    return {claim.id: decide(claim) for claim in FALSE_CLAIMS}


@pytest.mark.parametrize("claim", FALSE_CLAIMS, ids=lambda claim: claim.id)
def test_false_claims_are_refuted_by_the_smallest_counterexample(claim, decided):
    verdict = decided[claim.id]
    assert (verdict.verdict, verdict.expected) == ("refuted", False)
    values = list(verdict.counterexample["values"].values())
    assert values[0] > values[1]
    found = Case.of(verdict.counterexample)
    size, cases = found.size(), [case for size_class in claim.space.classes("quick") for case in size_class]
    no_larger = [case for case in cases if case.size() <= size]
    assert 1 < len(no_larger) < len(cases)
    assert [case for case in no_larger if refutes(claim, case)] == [found]


def natural_cases(turns, conversations, tokens):
    """Yield the natural cases of a size, picked from the worlds of every kind that have no last response."""
    for world in worlds(turns, conversations, tokens - 1):
        *others, (conversation, prompt, _) = world.turns
        played = (*others, (conversation, prompt, 1))
        if all(min(lengths) > 0 for _, *lengths in played):
            natural = World(played)
            for capacity, xi in product(range(1, tokens + 1), repeat=2):
                least = max(1, *world.continuing_prompts, 1)
                for q_hat in range(least, max(least, xi) + 1):
                    yield Case(natural, capacity, xi, q_hat)


@pytest.mark.parametrize("claim", [T_LRU_COMPUTES_LESS, LRU_IS_OPTIMAL], ids=lambda claim: claim.id)
def test_the_natural_counterexample_is_the_smallest_natural_one(claim, decided):
    found = Case.of(decided[claim.id].natural["counterexample"])
    turns, conversations, tokens, *_ = found.size()
    sizes = product(range(1, turns + 1), (1, 2, 3), range(2, tokens + 1))
    cases = [case for size in sizes if size <= (turns, conversations, tokens) for case in natural_cases(*size)]
    assert next(case for case in sorted(cases, key=Case.size) if refutes(claim, case)) == found


@pytest.mark.parametrize("claim", FALSE_CLAIMS, ids=lambda claim: claim.id)
def test_random_cases_refute_too_and_are_shrunk(claim):
    only_random = replace(claim, space=replace(claim.space, quick={}))
    verdict = decide(only_random)
    assert verdict.verdict == "refuted"
    assert verdict.scope.kind == "sampled"
    found = Case.of(verdict.counterexample)
    assert not any(refutes(claim, smaller) for smaller in found.smaller())
    turns = found.world.turns
    shorter = {World(turns[:k] + turns[k + 1 :]).canonical().turns for k in range(len(turns))}
    assert shorter <= {smaller.world.turns for smaller in found.smaller()}
    assert decide(only_random).counterexample == verdict.counterexample


FEWER = replace(SPACE, quick={1: 2, 2: 2}, samples=50)
TRUE = Claim("true", "", "", lambda case: {"TEL": case.tel(tt.LRU())}, lambda values: values["TEL"] >= 0, FEWER)
CASES = [case for size_class in TRUE.space.classes("quick") for case in size_class]


def test_a_true_claim_holds_with_its_scope():
    verdict = decide(TRUE)
    assert (verdict.verdict, verdict.scope.kind, verdict.scope.instances) == ("holds", "exhaustive", len(CASES))
    assert verdict.scope.bounds["sampled"]["instances"] == 50
    assert verdict.expected


def test_a_claim_outside_whose_hypotheses_all_cases_lie_is_undecided():
    assert decide(replace(TRUE, values=lambda case: None)).verdict == "undecided"


def missing():
    raise MissingDataError("a prover")


@pytest.mark.parametrize(
    ("proof", "kind", "told"),
    [
        (lambda: Proof("a prover", "all", 3), "proved", {"by": "a prover", "covers": "all", "obligations": 3}),
        (
            lambda: Proof("a prover", "all", 2, ("consecution",)),
            "exhaustive",
            {"by": "a prover", "covers": "all", "obligations": 2, "unproved": ("consecution",)},
        ),
        (missing, "exhaustive", {"missing": "a prover"}),
    ],
    ids=["finished", "unfinished", "no prover"],
)
def test_a_finished_proof_makes_the_scope(proof, kind, told):
    verdict = decide(replace(TRUE, proof=proof))
    assert (verdict.verdict, verdict.scope.kind, verdict.scope.bounds["proof"]) == ("holds", kind, told)


def by_two_routes(claim, wrong_at):
    asked = []

    def again(case, values):
        asked.append(case)
        return {name: value + (len(asked) == wrong_at) for name, value in values.items()}

    return replace(claim, second=SecondRoute("counting again", again)), asked


def test_some_cases_are_computed_in_two_ways():
    claim, asked = by_two_routes(TRUE, 0)
    verdict = decide(claim)
    assert asked == CASES[::100]
    assert len(asked) > 1
    assert verdict.scope.bounds["second route"] == {"by": "counting again", "instances": len(asked)}


@pytest.mark.parametrize("claim", [TRUE, LRU_IS_OPTIMAL], ids=lambda claim: claim.id)
@pytest.mark.parametrize("wrong_at", [1, 2])
def test_two_routes_that_differ_give_no_verdict(claim, wrong_at):
    verdict = decide_safely(by_two_routes(claim, wrong_at)[0])
    assert verdict.verdict == "error"
    assert "by counting again" in verdict.problem


def test_a_check_that_breaks_is_an_error_in_the_ledger():
    def broken(case):
        raise ZeroDivisionError("planted")

    verdict = decide_safely(replace(TRUE, values=broken))
    assert verdict.verdict == "error"
    assert "planted" in verdict.problem
    assert not verdict.expected


@pytest.mark.parametrize("number", [1.0, np.float64(1), [0, 1.0], {"by name": [(Fraction(1), 1.0)]}])
def test_a_claim_without_a_rule_that_computes_a_float_has_no_verdict(number):
    verdict = decide_safely(replace(TRUE, values=lambda case: {"TEL": 1, "beside it": number}))
    assert verdict.verdict == "error"
    assert "found 1.0 among the values of 'true'" in verdict.problem
