"""The rows that are proved: wrong versions of what they rest on are refused, and faults turn them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from proofs_checks import (
    appendix_c,
    appendix_c_step,
    cut_analysis,
    engines,
    excess_calculus,
    figures_1_2,
    hidden_chain,
    hindsight,
    limit_proofs,
    not_competitive,
    scores,
    tail_measures,
)
from proofs_checks import posterior as beliefs
from proofs_checks.algorithm_2 import lemma_d3, real_threshold_by_marginals
from proofs_checks.case_analysis import Obligation, indicator, is_proved, least, numbers, plus
from proofs_checks.cut_analysis import CUT, Conversation
from proofs_checks.excess_calculus import growth
from teltheory.claims.claim import Claim
from teltheory.claims.search import decide, decide_safely, refutes
from teltheory.claims.worlds import SmallWorlds
from teltheory.policies import online
from teltheory.report.words import counterexample_text

Fault = Callable[[pytest.MonkeyPatch], None]
PAST, PROMPT, XI, CACHED = numbers("L Q xi X")
AHEAD = PAST + PROMPT - XI
WHOLE_PAST, WHOLE_PROMPT, WHOLE_XI, WHOLE_CACHED, K = numbers("L Q xi X k", whole=True)
WHOLE_AHEAD = WHOLE_PAST + WHOLE_PROMPT - WHOLE_XI
R, KEPT = numbers("r y")
C = Conversation()
LIMIT = limit_proofs.sum_over_who_returns(2)
N, LRU, T_LRU, THERE = limit_proofs.three_turns(1)


def above_the_score(score: Any, rest: Any) -> Obligation:
    beyond = WHOLE_PAST + WHOLE_PROMPT - WHOLE_CACHED - K
    ahead = WHOLE_PAST + WHOLE_PROMPT - (K + 1 - R)
    return Obligation(
        above=(R, 1 - R),
        equal=(growth(ahead, WHOLE_CACHED) - score(ahead - WHOLE_CACHED) - rest(beyond),),
        by_sign_of=(beyond - 1, beyond),
    )


def once(e: Any) -> Any:
    return indicator(e) - indicator(e - 1)


WRONG = {
    "score > in the place of >=": Obligation(
        equal=(indicator(WHOLE_AHEAD - WHOLE_CACHED - 1) - growth(WHOLE_AHEAD, WHOLE_CACHED),)
    ),
    "score for real xi": Obligation(equal=(indicator(AHEAD - CACHED) - growth(AHEAD, CACHED),)),
    "score of the token after": Obligation(
        equal=(indicator(WHOLE_AHEAD - WHOLE_CACHED) - growth(WHOLE_AHEAD, WHOLE_CACHED + 1),)
    ),
    "no difference": above_the_score(indicator, lambda beyond: 0),
    "xi - floor xi": above_the_score(indicator, lambda beyond: (1 - R) * once(beyond)),
    "at the ceiling": above_the_score(indicator, lambda beyond: R * once(beyond - 1)),
    "one token further": above_the_score(indicator, lambda beyond: R * once(beyond + 1)),
    "concave": Obligation(shown=(growth(AHEAD, CACHED + 1) - growth(AHEAD, CACHED),)),
    "growth above 0": Obligation(shown=(growth(AHEAD, CACHED) - Fraction(1, 10**6),)),
    "growth of at most a half": Obligation(shown=(Fraction(1, 2) - growth(AHEAD, CACHED),)),
    "budget one too small": Obligation(
        equal=(plus(AHEAD - CACHED) - plus(AHEAD - least(CACHED, plus(AHEAD - 1))),)
    ),
    "nothing above the budget but one": Obligation(given=(CACHED - AHEAD + 1,), equal=(plus(AHEAD - CACHED),)),
    "budget within the past, xi < Q": Obligation(given=(PROMPT - XI,), shown=(PAST - AHEAD,)),
    "short without a bound on the prompt": Obligation(given=(-C.beyond, KEPT), equal=(C.excess(KEPT),)),
    "short counted uncached": Obligation(
        given=(*C.given, -C.beyond, KEPT, C.past - KEPT), equal=(C.past + C.prompt - KEPT,)
    ),
    "short, one token longer": Obligation(given=(*C.given, 1 - C.beyond, KEPT), equal=(C.excess(KEPT),)),
    "first case, T-LRU keeps all": Obligation(given=(*C.given, C.kept_r - C.budget), equal=(C.kept_t - C.cached,)),
    "two cases are enough": Obligation(given=(*C.given, C.kept_t - C.budget), shown=(C.kept_r - C.budget,)),
    "second case without its condition": Obligation(given=C.given, shown=(C.kept_t - C.kept_h,)),
    "second case, strictly more": Obligation(
        given=C.given, above=(C.budget - C.kept_t,), shown=(C.kept_t - C.kept_r - 1,)
    ),
    "Threshold-LRU ahead of T-LRU": Obligation(
        given=(*C.given, C.past - C.bound), shown=(C.excess(C.kept_t) - C.excess(C.kept_h),)
    ),
    "the excess of LRU is below": Obligation(given=C.given, shown=(C.excess(C.kept_t) - C.excess(C.kept_r),)),
    "the game, a little more": Obligation(given=LIMIT.given, shown=(LIMIT.shown[0] - Fraction(1, 10**6),)),
    "the game without its room": Obligation(given=LIMIT.given[:-1], shown=LIMIT.shown),
    "T-LRU pays nothing with a prompt of 1": Obligation(given=(N - 1,), equal=(T_LRU,)),
    "two against n + 1 below 1": Obligation(shown=THERE, equal=(LRU - (N + 1), T_LRU - 2)),
    "rooms without their order": Obligation(
        given=C.given[:5], above=(C.budget - C.kept_t,), shown=(C.kept_t - C.kept_r,)
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_version_is_refused(name: str) -> None:
    assert not is_proved(WRONG[name])


def test_the_right_versions_next_to_them_are_proved() -> None:
    assert is_proved(above_the_score(indicator, lambda beyond: R * once(beyond)))
    assert is_proved(Obligation(given=C.given, shown=(C.excess(C.kept_r) - C.excess(C.kept_t),)))


@pytest.mark.parametrize("missing", range(len(Conversation().given)))
def test_each_hypothesis_of_the_cut_is_needed_or_known_to_be_spare(missing: int) -> None:
    needed = {0: "x >= 0", 1: "L >= x", 3: "q <= Q", 4: "xi >= Q", 5: "room_T >= room_H", 6: "room_H >= room_R"}
    given = tuple(e for k, e in enumerate(C.given) if k != missing)
    ordered = (C.excess(C.kept_h) - C.excess(C.kept_t), C.excess(C.kept_r) - C.excess(C.kept_h))
    fits = Obligation(given=given, shown=(*ordered, C.past - C.budget))
    assert is_proved(fits) == (missing not in needed)


PROVED: list[Claim[Any]] = [
    scores.score,
    scores.difference,
    scores.convex,
    lemma_d3,
    real_threshold_by_marginals,
    figures_1_2.figure_1,
    figures_1_2.only_the_budget_matters,
    figures_1_2.budget_exists_for_long_thresholds,
    beliefs.silence,
    beliefs.alive_at_last_turn,
    beliefs.sign,
    beliefs.symbolic,
    appendix_c.short,
    appendix_c.cut,
    engines.one_parameter,
    engines.repeated_least_recent,
    hindsight.capped,
    hindsight.capped_forced_counted,
    not_competitive.not_competitive,
    not_competitive.not_competitive_forced,
    tail_measures.arbitrarily_poor,
]


@pytest.mark.parametrize("claim", PROVED, ids=lambda claim: claim.id)
def test_a_proof_covers_every_obligation_and_says_for_what(claim: Claim[Any]) -> None:
    assert claim.proof is not None
    proof = claim.proof()
    assert proof.unproved == ()
    assert proof.obligations > 0
    assert proof.covers.startswith(("all ", "any number "))


def test_an_obligation_that_fails_leaves_the_row_with_what_was_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(excess_calculus.WHOLE_SCORE, "score is the growth", lambda: WRONG["score for real xi"])
    found = decide(scores.score)
    assert (found.verdict, found.scope.kind) == ("holds", "exhaustive")
    assert found.scope.bounds["proof"]["unproved"] == ("score is the growth",)


@pytest.mark.parametrize("name", CUT)
def test_the_cut_is_not_proved_without_one_of_its_obligations(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(cut_analysis.CUT, name, lambda: WRONG["two cases are enough"])
    assert cut_analysis.cut_proof().unproved == (name,)


def test_a_wrong_solution_of_the_chain_is_not_a_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    model = hidden_chain.Model()
    model.dead = model.dead + model.tau
    monkeypatch.setattr(hidden_chain, "_model", lambda: model)
    assert set(hidden_chain.proof(("living", "dead", "start")).unproved) == {"dead"}
    model.alive = 2 * model.alive
    assert "start" in hidden_chain.proof(("living", "dead", "start")).unproved


def count_above_only(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = scores.Finite.exactly_at_least
    monkeypatch.setattr(scores.Finite, "exactly_at_least", lambda law, least: exact(law, least + 1))


def square_the_excess(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = scores.mean_excess
    monkeypatch.setattr(scores, "mean_excess", lambda *case: exact(*case) ** 2)


def saturate_late(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = scores.mean_excess
    monkeypatch.setattr(scores, "mean_excess", lambda *case: min(exact(*case), Fraction(3)))


def forget_the_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scores.Token, "just_missed", Fraction(0))


def trim_below_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = online.TLRU.budget
    monkeypatch.setattr(online.TLRU, "budget", lambda self, c: max(0, exact(self, c) - 1))


def trim_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(online.TLRU, "budget", lambda self, c: c.past)


def trim_on_overflow_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(appendix_c, "eager", appendix_c.t_lru)


def keep_short_conversations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(appendix_c, "threshold_lru", lambda case: online.ThresholdLRU(case.world.tokens))


def forget_the_recency(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(appendix_c_step.Pair, "in_recency_order", True)


def keep_the_least_recent(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = appendix_c_step.in_room_form
    monkeypatch.setattr(appendix_c_step, "in_room_form", lambda left, c: exact(left[::-1], c)[::-1])


def count_all_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(appendix_c, "continuing", lambda case, long: list(range(len(case.world.turns))))


@pytest.mark.parametrize(
    ("fault", "claim"),
    [
        (count_above_only, scores.score),
        (count_above_only, scores.difference),
        (square_the_excess, scores.score),
        (saturate_late, scores.convex),
        (forget_the_missed, scores.difference),
        (trim_below_the_budget, appendix_c.first_at_least),
        (trim_below_the_budget, appendix_c.second),
        (trim_below_the_budget, appendix_c.cut),
        (trim_nothing, appendix_c.short_trimmed_eagerly),
        (trim_nothing, appendix_c.second),
        (trim_on_overflow_only, appendix_c.short_trimmed_eagerly),
        (keep_short_conversations, appendix_c.third),
        (keep_short_conversations, appendix_c.cut),
        (count_all_turns, appendix_c.short),
        (forget_the_recency, appendix_c_step.step_in_recency_order),
        (keep_the_least_recent, appendix_c_step.step_in_recency_order),
    ],
)
def test_a_planted_fault_turns_its_row(fault: Fault, claim: Claim[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    fault(monkeypatch)
    assert decide_safely(without_natural_cases(claim)).verdict == "refuted"


def without_natural_cases(claim: Claim[Any]) -> Claim[Any]:
    """Leave out the search for a natural counterexample, which takes longer than the smallest one."""
    if not isinstance(claim.space, SmallWorlds):
        return claim
    return replace(claim, space=replace(claim.space, natural_sizes=({}, {})))


def test_the_case_that_the_proof_leaves_out_replays() -> None:
    found = decide(appendix_c.cases)
    assert found.counterexample is not None
    assert found.counterexample["turns"] == [[0, 0, 2], [1, 0, 1], [0, 0, 0]]
    lru, _, t_lru, budget = (values[0] for values in found.counterexample["values"].values())
    assert lru < budget <= t_lru


def test_no_smaller_token_refutes_the_printed_score() -> None:
    found = decide(scores.score_at_real_thresholds).counterexample
    assert found is not None
    assert (found["xi"], found["prompt"]) == ("1/2", {"0": "1"})
    least_token = scores.Token(1, 1, Fraction(1, 2), scores.LAWS[0])
    assert refutes(scores.score_at_real_thresholds, least_token)


@pytest.mark.repository
@pytest.mark.parametrize(
    "claim",
    [appendix_c.short_uncached, appendix_c.short_trimmed, appendix_c.first, appendix_c.cases],
    ids=lambda claim: claim.id,
)
def test_the_page_on_claims_shows_the_counterexample(claim: Claim[Any]) -> None:
    found = decide(claim).counterexample
    text = counterexample_text(found).split(":")[0].replace("; C", ", C").replace("xi", "ξ")
    name = claim.id.removeprefix("appendix-c")
    page = (Path(__file__).parents[2] / "docs" / "claims.md").read_text().splitlines()
    assert any(f"{name}` | refuted: {text} |" in line for line in page)


def test_the_script_on_the_step_is_the_ledger_s_counterexample() -> None:
    found = decide(appendix_c_step.step).counterexample
    assert found is not None
    script = Path(appendix_c_step.__file__).parent / "counterexamples" / "appendix_c_step.py"
    told = subprocess.run([sys.executable, "-I", script], capture_output=True, text=True, check=True).stdout
    assert told == ", ".join(f"{name} {kept}" for name, kept in found["values"].items()) + "\n"
