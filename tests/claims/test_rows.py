"""What holds of rows of all papers: on listed cases, and on steps of proofs."""

import pytest
from claims.expected_verdicts import EXPECTED
from claims.proving import can_be_met

from proofs_checks import all_claims
from proofs_checks.prompt_cache.lemmas import budgets
from proofs_checks.tail_optimized.lemmas import exchange_proof
from proofs_checks.tiers.lemmas import one_budget, two_tiers
from teltheory.claims.search import refutes
from teltheory.claims.smt import cvc5_answer, z3_answer
from teltheory.claims.worlds import Given

LISTED = [claim for claim in all_claims() if isinstance(claim.space, Given) and claim.rule is None]
LISTED = [claim for claim in LISTED if claim.id != "sensitivity.text"]  # of whose two samples one refutes
OBLIGATIONS = [
    *(budgets.own_budget(), *budgets.shared_budget()),
    *(*two_tiers.obligations(), *one_budget.any_budget(), *one_budget.one_budget()),
    *(one for one in exchange_proof.obligations() if one.size <= 4),
]


@pytest.mark.parametrize("claim", LISTED, ids=lambda claim: claim.id)
def test_the_listed_cases_are_decided_as_expected(claim):
    cases = list(next(claim.space.classes("quick")))
    expected = EXPECTED.get(claim.id) == "refuted"
    assert [refutes(claim, case) for case in cases] == [expected] * len(cases)


@pytest.mark.parametrize("obligation", OBLIGATIONS, ids=lambda obligation: obligation.name)
def test_each_step_is_proved_by_both_provers_and_its_hypotheses_can_be_met(obligation):
    assert z3_answer(obligation.text) == cvc5_answer(obligation.text) == "unsat"
    assert can_be_met(obligation.hypotheses)
