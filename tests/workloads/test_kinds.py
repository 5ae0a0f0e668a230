"""Samples of conversations of several kinds against closed formulas and a plain sampler."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refusals

import teltheory as tt
from teltheory.errors import ArgumentError
from teltheory.policies.learned.posterior import bayes_posterior
from teltheory.sweep import Sample
from teltheory.workloads import (
    ConversationMixture,
    ConversationModel,
    Empirical,
    Finite,
    GammaRates,
    Kind,
    LabelledTrace,
    LogNormal,
    fixed,
    sample_conversations,
    sample_labelled,
)

BIRTHS, DEATHS = 0.05, 0.01
SLOW = Kind(0.01, (fixed(50), Finite((1, 4), (Fraction(1, 4), Fraction(3, 4)))), fixed(7), 0.7)
FAST = Kind(0.05, LogNormal(30.0, 0.5), (Empirical.of([2, 2, 5]), fixed(0), fixed(9)), 0.3)
MIXTURE = ConversationMixture(BIRTHS, DEATHS, (SLOW, FAST))
VARIED = ConversationMixture(BIRTHS, DEATHS, (Kind(GammaRates(0.03, 1.5), fixed(2), fixed(1)),))
TURNS = 60_000
COMPLETE = 30 / DEATHS


def plain_sample(model: ConversationModel, turns: int, rng: np.random.Generator) -> tt.Trace:
    """All turns of all births at once, and the first of them: what the fast sampler must give for one kind."""
    births = np.cumsum(rng.exponential(1 / model.birth_rate, turns))
    lifetimes = rng.exponential(1 / model.death_rate, turns)
    returns = rng.poisson(model.turn_rate * lifetimes)
    conversation = np.concatenate((np.arange(turns), np.repeat(np.arange(turns), returns)))
    delays = rng.random(int(returns.sum())) * np.repeat(lifetimes, returns)
    arrival = np.concatenate((births, np.repeat(births, returns) + delays))
    order = np.lexsort((conversation, arrival))[:turns]
    lengths = [
        np.ceil(mean * rng.lognormal(-(model.spread**2) / 2, model.spread, turns)).astype(np.int64)
        for mean in (model.mean_prompt, model.mean_response)
    ]
    return tt.Trace.from_turns(conversation[order], *lengths, arrival[order])


@settings(max_examples=60)
@given(
    st.builds(
        ConversationModel,
        birth_rate=st.sampled_from([0.01, 1.0]),
        death_rate=st.sampled_from([0.001, 0.1]),
        turn_rate=st.sampled_from([0.0001, 0.01, 0.3]),
        spread=st.sampled_from([0, 1.0]),
    ),
    st.integers(0, 200),
    st.integers(0, 2**32 - 1),
)
def test_one_kind_is_sampled_as_ever(model: ConversationModel, turns: int, seed: int) -> None:
    fast, plain = np.random.default_rng(seed), np.random.default_rng(seed)
    assert sample_conversations(model, turns, fast) == plain_sample(model, turns, plain)
    assert fast.random() == plain.random()


def test_the_model_of_one_kind_is_the_mixture_of_that_kind() -> None:
    model = ConversationModel()
    mixture = ConversationMixture(model.birth_rate, model.death_rate, model.kinds)
    first, second = (sample_conversations(m, 300, np.random.default_rng(1)) for m in (model, mixture))
    assert first == second


@pytest.fixture(scope="module")
def mixed() -> LabelledTrace:
    return sample_labelled(MIXTURE, TURNS, np.random.default_rng(2025))


@pytest.fixture(scope="module")
def varied() -> LabelledTrace:
    return sample_labelled(VARIED, TURNS, np.random.default_rng(2026))


def births_of(sample: LabelledTrace) -> np.ndarray:
    return sample.trace.arrival[~sample.trace.continuing]


def early(sample: LabelledTrace) -> np.ndarray:
    """Codes of the conversations of which the sample holds all turns."""
    return np.flatnonzero(births_of(sample) < sample.trace.arrival[-1] - COMPLETE)


def test_the_label_says_what_the_trace_was_made_of(mixed: LabelledTrace) -> None:
    assert sample_conversations(MIXTURE, TURNS, np.random.default_rng(2025)) == mixed.trace
    assert len(mixed.kind) == len(mixed.turn_rate) == len(mixed.death) == mixed.trace.conversations
    assert (mixed.turn_rate == np.where(mixed.kind == 0, 0.01, 0.05)).all()
    assert (mixed.trace.arrival < mixed.death[mixed.trace.code]).all()
    assert not any(array.flags.writeable for array in (mixed.kind, mixed.turn_rate, mixed.death))


def test_turns_of_a_conversation_are_geometric_for_each_kind(mixed: LabelledTrace) -> None:
    """P(k further turns) = (mu / (mu + lambda)) (lambda / (mu + lambda))**k."""
    returns = np.bincount(mixed.trace.code)[early(mixed)] - 1
    for kind, rate in enumerate((0.01, 0.05)):
        further = returns[mixed.kind[early(mixed)] == kind]
        for k in range(6):
            expected = DEATHS / (DEATHS + rate) * (rate / (DEATHS + rate)) ** k
            assert abs((further == k).mean() - expected) < 4 * math.sqrt(expected / len(further))


def test_turns_under_gamma_rates_follow_each_conversation_s_own(varied: LabelledTrace) -> None:
    codes = early(varied)
    returns, rates = np.bincount(varied.trace.code)[codes] - 1, varied.turn_rate[codes]
    for some in (rates < 0.01, (rates >= 0.01) & (rates < 0.05), rates >= 0.05):
        ratio = rates[some] / DEATHS
        error = math.sqrt((ratio * (1 + ratio)).sum())
        assert abs(returns[some].sum() - ratio.sum()) < 4 * error


def test_another_turn_comes_as_the_posterior_says(mixed: LabelledTrace) -> None:
    """P(another turn | silent for tau) = pi(tau) lambda / (lambda + mu), pi the Bayes posterior."""
    trace = mixed.trace
    after = np.append(trace.arrival, np.inf)[trace.next_turn]
    wait = (after - trace.arrival)[trace.arrival < trace.arrival[-1] - COMPLETE]
    kind = mixed.kind[trace.code][: len(wait)]
    for which, rate in enumerate((0.01, 0.05)):
        for silence in (0.0, 5.0, 20.0, 60.0, 150.0):
            left = wait[(kind == which) & (wait > silence)]
            expected = float(bayes_posterior(np.array(silence), DEATHS, np.array(rate))) * rate / (rate + DEATHS)
            error = math.sqrt(expected * (1 - expected) / len(left))
            assert len(left) > 100
            assert abs(np.isfinite(left).mean() - expected) < 4 * error


def test_lengths_follow_the_law_of_kind_and_turn(mixed: LabelledTrace) -> None:
    trace, number = mixed.trace, np.empty(TURNS, np.int64)
    seen: dict[int, int] = {}
    for turn, code in enumerate(trace.code.tolist()):
        number[turn] = seen[code] = seen.get(code, -1) + 1
    slow, fast = (mixed.kind[trace.code] == kind for kind in (0, 1))
    assert set(trace.prompt[slow & (number == 0)]) == {50}
    assert set(trace.response[slow]) == {7}
    assert set(trace.response[fast & (number == 1)]) == {0}
    assert set(trace.response[fast & (number >= 2)]) == {9}
    for lengths, law in (
        (trace.prompt[slow & (number >= 1)], SLOW.laws[0][1]),
        (trace.prompt[fast], LogNormal(30.5, 0.0)),
        (trace.response[fast & (number == 0)], FAST.laws[1][0]),
    ):
        assert len(lengths) > 1000
        assert abs(lengths.mean() - law.mean) < 4 * lengths.std() / math.sqrt(len(lengths)) + 0.02


def test_a_sweep_s_key_tells_mixtures_apart() -> None:
    long = [Empirical.of([*range(3000), last]) for last in (5, 6)]
    models = [
        MIXTURE,
        VARIED,
        replace(MIXTURE, kinds=(SLOW, replace(FAST, responses=fixed(2)))),
        *(ConversationMixture(BIRTHS, DEATHS, (Kind(0.1, law, fixed(1)),)) for law in long),
    ]
    assert len({Sample(model, 50, 1).key for model in models}) == len(models)
    assert Sample(MIXTURE, 50, 1).load() == sample_conversations(MIXTURE, 50, np.random.default_rng(1))


test_a_bad_argument_is_named_with_what_was_expected = refusals(
    ArgumentError,
    ("turn_rate: found ", lambda: Kind(0.0, fixed(1), fixed(1))),
    ("prompts: found ", lambda: Kind(1.0, 5, fixed(1))),
    ("responses: found ", lambda: Kind(1.0, fixed(1), [fixed(1), None])),
    ("share: found ", lambda: Kind(1.0, fixed(1), fixed(1), 1.5)),
    ("variation: found ", lambda: GammaRates(1.0, 0.0)),
    ("birth_rate: found ", lambda: ConversationMixture(0.0, 1.0, (SLOW, FAST))),
    ("kinds: found ", lambda: ConversationMixture(1.0, 1.0, ())),
    ("kinds: found ", lambda: ConversationMixture(1.0, 1.0, (SLOW, "fast"))),
)
