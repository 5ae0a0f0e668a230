"""T-LRU for an SLO in seconds: T-LRU where TTFT is linear, and budgets that keep the SLO where it is not."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from replay.instances import TRIMS, Case, assume_feasible, cases, examples

import teltheory as tt
from teltheory.policies import SLOTLRU, Conversation

SLOPES = st.fractions("1/7", 4, max_denominator=7)
PAIRS = st.fractions(0, 1, max_denominator=9)
FORMULAS = st.builds(tt.LatencyModel, SLOPES, PAIRS, st.fractions(-2, 2, max_denominator=3), PAIRS)
TABLE = tt.TableLatency((2, 9, 20), (0, Fraction(1, 2)), ((1, 1), (8, 3), (40, 20)))
SLOS = st.fractions(0, 30, max_denominator=5)


@examples(150)
@given(cases(), SLOPES, SLOS, st.sampled_from(TRIMS))
def test_where_ttft_is_linear_it_is_tlru(case: Case, slope: Fraction, slo: Fraction, trim: str) -> None:
    assume_feasible(case)
    model = tt.LatencyModel(slope)
    found = case.replay(SLOTLRU(model, slo, case.q_hat, trim))
    same = case.replay(tt.TLRU(model.threshold(slo), case.q_hat, trim))
    assert found.cached.tolist() == same.cached.tolist()


@examples(150)
@given(cases(), FORMULAS | st.just(TABLE), SLOS, st.sampled_from(TRIMS))
def test_the_kernel_replays_it_as_the_reference_does(case: Case, model: object, slo: Fraction, trim: str) -> None:
    assume_feasible(case)
    policy = SLOTLRU(model, slo, case.q_hat, trim)
    assert case.replay(policy, "kernel").cached.tolist() == case.replay(policy).cached.tolist()


@given(FORMULAS | st.just(TABLE), SLOS, st.integers(0, 60), st.integers(0, 30), st.integers(1, 3))
def test_the_budget_is_the_least_prefix_that_keeps_the_slo(
    model: object, slo: Fraction, past: int, q: int, size: int
) -> None:
    budget = SLOTLRU(model, slo, q, block_size=size).budget(Conversation(0, past, past, None))
    total = past * size + q
    keeping = [x for x in range(past + 1) if model.safe_uncached(np.array(total), slo) >= total - x * size]
    assert budget == min(keeping, default=past)


@examples(150)
@given(FORMULAS | st.just(TABLE), SLOS, st.integers(0, 60), st.integers(0, 30), st.data())
def test_a_kept_budget_keeps_the_slo_of_every_prompt_up_to_the_estimate(
    model: object, slo: Fraction, past: int, q_hat: int, data: st.DataObject
) -> None:
    """Wherever the whole past would keep it; what is cached beyond the budget does no harm."""
    budget = SLOTLRU(model, slo, q_hat).budget(Conversation(0, past, past, None))
    cached, prompt = data.draw(st.integers(budget, past)), data.draw(st.integers(0, q_hat))

    def keeps(cached: int, prompt: int) -> bool:
        u = past + prompt - cached
        outcome = tt.Outcome(np.array([cached]), np.array([u]))
        return tt.ttft_violations(outcome, model, slo) == 0

    if keeps(past, q_hat):
        assert keeps(cached, q_hat)
        assert keeps(cached, prompt)


def test_with_attention_a_long_conversation_keeps_more_than_tlru_would() -> None:
    slo, model = Fraction(1), tt.A100_LLAMA2_7B_ATTENTION
    policy, plain = SLOTLRU(model, slo, 200), tt.TLRU(model.threshold(slo), 200)
    past = Conversation(0, 60_000, 60_000, None)
    budget = policy.budget(past)
    assert budget > plain.budget(past)
    for cached, late in ((budget, 0), (budget - 1, 1), (plain.budget(past), 1)):
        turn = tt.Outcome(np.array([cached]), np.array([60_200 - cached]))
        assert tt.ttft_violations(turn, model, slo) == late


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"latency": 3}, "latency: found 3"),
        ({"slo": 0.2}, "slo: found 0.2, expected a whole number or a Fraction"),
        ({"slo": Fraction(-1)}, "slo: found '-1', expected a fraction, 0 or more"),
        ({"q_hat": -1}, "q_hat: found -1"),
        ({"trim": "late"}, "trim: found 'late'"),
    ],
)
def test_wrong_arguments_are_named(change: dict[str, object], message: str) -> None:
    good = {"latency": tt.A100_LLAMA2_7B, "slo": Fraction(1), "q_hat": 1, "trim": "eager"}
    with pytest.raises(tt.ArgumentError, match=f"^{message}"):
        SLOTLRU(**{**good, **change})
