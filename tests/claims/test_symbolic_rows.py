"""The rows that are proved: wrong versions of what they rest on are refused."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from claims.proving import can_be_met

from proofs_checks.tail_optimized import algorithm_2, appendix_c
from proofs_checks.tail_optimized.lemmas import cut_analysis as cuts
from proofs_checks.tail_optimized.lemmas import excess_calculus as rules
from proofs_checks.tail_optimized.lemmas import hidden_chain, limit_proofs
from proofs_checks.tail_optimized.lemmas.excess_calculus import growth
from teltheory.claims.search import decide
from teltheory.claims.smt import Obligation, cvc5_answer, prove, stated, z3_answer
from teltheory.claims.terms import Int, choose, equal, indicator, integer, least, positive, reals

LIMIT = limit_proofs.sum_over_who_returns(2)
LRU, T_LRU, THERE = limit_proofs.three_turns(1)
N = limit_proofs.N


def is_proved(obligation: Obligation) -> bool:
    answers = {z3_answer(obligation.text), cvc5_answer(obligation.text)}
    assert len(answers) == 1
    return answers == {"unsat"}


def above_the_score(rest: Int) -> Obligation:
    score = indicator(rules.FRACTION_AHEAD >= rules.WHOLE_CACHED)
    return stated(
        "", above=[rules.R, 1 - rules.R], zero=[growth(rules.FRACTION_AHEAD, rules.WHOLE_CACHED) - score - rest]
    )


def once(beyond: Int, value: Int) -> Int:
    return choose(equal(beyond, 0), value, 0)


R, BEYOND = rules.R, rules.BEYOND
WRONG = {
    "score > in the place of >=": stated(
        "",
        zero=[indicator(rules.WHOLE_AHEAD > rules.WHOLE_CACHED) - growth(rules.WHOLE_AHEAD, rules.WHOLE_CACHED)],
    ),
    "score for real xi": stated(
        "", zero=[indicator(rules.AHEAD >= rules.CACHED) - growth(rules.AHEAD, rules.CACHED)]
    ),
    "no difference": above_the_score(R - R),
    "xi - floor xi": above_the_score(once(BEYOND, 1 - R)),
    "at the ceiling": above_the_score(once(BEYOND - 1, R)),
    "concave": stated("", shown=[growth(rules.AHEAD, rules.CACHED + 1) - growth(rules.AHEAD, rules.CACHED)]),
    "budget one too small": stated(
        "", zero=[rules.excess(rules.CACHED) - rules.excess(least(rules.CACHED, positive(rules.AHEAD - 1)))]
    ),
    "nothing above the budget but one": stated(
        "", [rules.CACHED - rules.AHEAD + 1], zero=[rules.excess(rules.CACHED)]
    ),
    "budget within the past, xi < Q": stated("", [rules.PROMPT - rules.XI], shown=[rules.PAST - rules.AHEAD]),
    "short without a bound on the prompt": stated("", [0 - cuts.BEYOND, cuts.KEPT], zero=[cuts.excess(cuts.KEPT)]),
    "first case, T-LRU keeps all": cuts.of_a_conversation(
        "", (cuts.KEPT_R - cuts.BUDGET,), zero=(cuts.KEPT_T - cuts.CACHED,)
    ),
    "two cases are enough": cuts.of_a_conversation(
        "", (cuts.KEPT_T - cuts.BUDGET,), shown=(cuts.KEPT_R - cuts.BUDGET,)
    ),
    "second case without its condition": cuts.of_a_conversation("", shown=(cuts.KEPT_T - cuts.KEPT_H,)),
    "the excess of LRU is below": cuts.of_a_conversation(
        "", shown=(cuts.excess(cuts.KEPT_T) - cuts.excess(cuts.KEPT_R),)
    ),
    "the game without its room": replace(LIMIT, hypotheses=LIMIT.hypotheses[:-1]),
    "T-LRU pays nothing with a prompt of 1": stated("", [N - 1], zero=[T_LRU]),
    "two against n + 1 below 1": stated("", shown=THERE, zero=[LRU - (N + 1), T_LRU - 2]),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_version_is_refused(name: str) -> None:
    assert not is_proved(WRONG[name])


def test_the_right_versions_next_to_them_are_proved() -> None:
    assert is_proved(above_the_score(once(BEYOND, R)))
    assert is_proved(cuts.of_a_conversation("", shown=(cuts.excess(cuts.KEPT_R) - cuts.excess(cuts.KEPT_T),)))


@pytest.mark.parametrize("missing", range(len(cuts.GIVEN)))
def test_each_hypothesis_of_the_cut_is_needed_or_known_to_be_spare(missing: int) -> None:
    needed = {0: "x >= 0", 1: "L >= x", 3: "q <= Q", 4: "xi >= Q", 5: "room_T >= room_H", 6: "room_H >= room_R"}
    given = [e for k, e in enumerate(cuts.GIVEN) if k != missing]
    excesses = [cuts.excess(kept) for kept in (cuts.KEPT_R, cuts.KEPT_H, cuts.KEPT_T)]
    ordered = [excesses[1] - excesses[2], excesses[0] - excesses[1], cuts.PAST - cuts.BUDGET]
    assert is_proved(stated("", given, shown=ordered)) == (missing not in needed)


@pytest.mark.parametrize("obligation", [*rules.GREEDY, *rules.BUDGET, *cuts.CUT, *limit_proofs.GAME])
def test_the_hypotheses_can_be_met(obligation: Obligation) -> None:
    assert can_be_met(obligation.hypotheses)


def test_an_obligation_that_fails_leaves_the_row_with_what_was_tried() -> None:
    wrong = replace(WRONG["score for real xi"], name="the score")
    found = decide(replace(algorithm_2.score, proof=lambda: prove([wrong], "nothing")))
    assert (found.verdict, found.scope.kind) == ("holds", "exhaustive")
    assert found.scope.bounds["proof"]["unproved"] == ("the score (z3)", "the score (cvc5)")


def test_halves_tell_real_numbers_from_whole_ones() -> None:
    (x,), n = reals("x"), integer("n")
    between = [n + n - 1, 1 - n - n]
    assert is_proved(stated("whole", between, shown=[n - 1]))
    assert not is_proved(stated("real", [x + x - 1, 1 - x - x], shown=[x - 1]))


@pytest.mark.long
def test_a_wrong_solution_of_the_chain_is_not_a_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    model = hidden_chain.Model()
    model.dead = model.dead + model.tau
    monkeypatch.setattr(hidden_chain, "_model", lambda: model)
    assert set(hidden_chain.proof(("living", "dead", "start")).unproved) == {"dead"}
    model.alive = 2 * model.alive
    assert "start" in hidden_chain.proof(("living", "dead", "start")).unproved


def test_the_script_on_the_step_is_the_ledger_s_counterexample() -> None:
    found = decide(appendix_c.step).counterexample
    assert found is not None
    script = Path(appendix_c.__file__).parents[1] / "counterexamples" / "appendix_c_step.py"
    told = subprocess.run([sys.executable, "-I", script], capture_output=True, text=True, check=True).stdout
    assert told == ", ".join(f"{name} {kept}" for name, kept in found["values"].items()) + "\n"
