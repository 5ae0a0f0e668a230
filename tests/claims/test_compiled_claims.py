"""The runner compares the two encodings of a claim, and a disagreement is no verdict."""

from dataclasses import replace

import pytest
from claims.tiny_rows import COMPILED, tiny

from teltheory.claims.comparison import DisagreementError, compare
from teltheory.claims.search import decide, decide_safely

pytestmark = pytest.mark.ledger


def named(name):
    return tiny(next(claim for claim in COMPILED if claim.id == name))


@pytest.mark.parametrize("claim", COMPILED, ids=lambda claim: claim.id)
def test_the_two_encodings_agree_on_all_small_cases(claim):
    assert compare(tiny(claim), "quick").within > 0


def without(claim, name):
    """Plant a claim that computes one value more than it should, on some cases."""

    def values(case):
        found = claim.values(case)
        if found is None or case.capacity != 1 or case.xi != 1:
            return found
        return {**found, name: found[name] + 1}

    return replace(claim, values=values)


def test_a_planted_disagreement_on_values_is_an_error_that_names_the_case():
    verdict = decide_safely(without(named("theorem-31"), "LRU"))
    assert (verdict.verdict, verdict.expected) == ("error", False)
    assert "theorem-31: {'turns': [[0, 1, 0]], 'initial': [], 'capacity': 1, 'xi': 1" in verdict.problem
    assert "values [0, 1], but compiled true with values [0, 0]" in verdict.problem


def test_a_planted_disagreement_on_the_hypotheses_is_an_error():
    claim = named("theorem-31")
    verdict = decide_safely(replace(claim, values=lambda case: claim.values(case) if case.xi else None))
    assert verdict.verdict == "error"
    assert "outside the hypotheses, but compiled true" in verdict.problem


@pytest.mark.parametrize(
    "changes",
    [{"estimates": "from longest"}, {"thresholds": "zero"}, {"check": "excesses of T-LRU and LRU"}],
    ids=lambda changes: next(iter(changes)),
)
def test_another_enumeration_or_check_is_an_error(changes):
    claim = named("theorem-31")
    assert decide_safely(replace(claim, compiled=replace(claim.compiled, **changes))).verdict == "error"


def test_enumerations_that_differ_without_a_case_to_name():
    claim = named("theorem-31")
    worlds = replace(claim.space, estimates=lambda world, xi: (max(world.continuing_prompts, default=0),))
    with pytest.raises(
        DisagreementError, match=r"14 instances, 0 refute, sum of values \d+, but compiled 19 instances"
    ):
        compare(replace(claim, space=worlds), "quick")


def test_a_counterexample_beyond_the_judge_must_refute_the_claim_itself():
    claim = named("trim.order-is-free.mean.any-order")
    wide = replace(claim.compiled, worlds=replace(claim.compiled.worlds, quick={1: 2, 2: 2, 3: 3}))
    assert decide(replace(claim, compiled=wide)).counterexample["values"]["most"] == [0, 0, 1]
    denied = replace(claim, compiled=wide, relation=lambda values: True)
    verdict = decide_safely(denied)
    assert verdict.verdict == "error"
    assert "true with values [0, 0, 0, 0, 0, 1" in verdict.problem


def test_a_class_that_only_plain_python_has_is_an_error():
    claim = named("theorem-31")
    fewer = replace(claim.compiled, worlds=replace(claim.compiled.worlds, quick={1: 2, 2: 2}))
    verdict = decide_safely(replace(claim, compiled=fewer))
    assert verdict.verdict == "error"
    assert "class (3, 1, 0) is not among the compiled ones" in verdict.problem


def test_the_scope_names_both_bounds():
    claim = tiny(next(claim for claim in COMPILED if claim.id == "theorem-31"), quick={1: 2, 2: 3, 3: 2})
    scope = decide(claim).scope
    assert scope.bounds["tokens_by_turns"] == {"1": 2, "2": 3, "3": 2}
    judged = scope.bounds["compared with plain Python"]
    assert judged["tokens_by_turns"] == {"1": 2, "2": 2, "3": 2}
    assert 0 < judged["instances"] < scope.instances
