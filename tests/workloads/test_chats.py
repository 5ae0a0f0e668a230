from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refusals, refused

from teltheory.errors import ArgumentError
from teltheory.model.turns import turn_numbers
from teltheory.paper import fit_chat_lengths as fit
from teltheory.workloads import chat_data
from teltheory.workloads.chat_data import giant_turns, sharegpt_like, wildchat_like
from teltheory.workloads.chats import Chats, turn_law
from teltheory.workloads.laws import Finite, LogNormal, Quantiles, fixed
from teltheory.workloads.times import ExponentialGaps, LogNormalGaps


def sampled(chats, turns=2000, seed=1):
    return chats.sample(turns, np.random.default_rng(seed))


def test_the_fitted_numbers_are_those_of_the_file(shared):
    data = fit.columns(shared(fit.FILE))
    for name, lengths in fit.quantiles(data).items():
        assert getattr(chat_data, name) == lengths
    assert round(fit.correlation(data, "response"), 2) == chat_data.RESPONSE_CORRELATION
    assert abs(fit.correlation(data, "prompt")) < 0.06


def test_a_correlation_is_found_again():
    chats = replace(wildchat_like(), response_correlation=0.56, gaps=ExponentialGaps(1e-3))
    trace = sampled(chats, 20_000)
    columns = {"conversation": trace.conversation, "turn": turn_numbers(trace.conversation) + 1}
    data = {**columns, "prompt": trace.prompt, "response": trace.response}
    assert fit.correlation(data, "response") == pytest.approx(0.56, abs=0.03)
    assert fit.correlation(data, "prompt") == pytest.approx(0.0, abs=0.03)


def test_published_shares_come_back():
    law = turn_law(chat_data.WILDCHAT_AT_LEAST, 60)
    shares = law.at_least(np.array([1, 2, 3, 5, 10]))
    assert shares == pytest.approx([1, 0.421, 0.262, 0.124, 0.027], abs=1e-6)
    assert law.mean == pytest.approx(2.35, abs=0.02)
    assert [
        int(np.argmax(1 - law.at_least(np.arange(1, 60) + 1) > q - 1e-6)) + 1 for q in (0.5, 0.9, 0.95, 0.99)
    ] == [
        1,
        5,
        7,
        13,
    ]


def test_means():
    assert wildchat_like().mean_prompt == pytest.approx(200, abs=0.5)
    assert wildchat_like(mean_prompt=None, longest=60).mean_prompt == pytest.approx(280, abs=2)
    assert sharegpt_like().mean_turns == pytest.approx(3.5, abs=1e-6)
    assert sharegpt_like().mean_prompt == pytest.approx(100)
    trace = sampled(replace(wildchat_like(), gaps=ExponentialGaps(1e-3)), 50_000)
    assert trace.prompt.mean() == pytest.approx(wildchat_like().mean_prompt, rel=0.03)
    assert trace.response.mean() == pytest.approx(wildchat_like().mean_response, rel=0.03)


def test_turns_and_gaps_of_a_sample_follow_their_laws():
    trace = sampled(wildchat_like(ExponentialGaps(400.0)), 200_000, seed=8)
    counts = np.bincount(trace.code)[:60_000]
    assert len(counts) == 60_000
    at_least = [(counts >= k).mean() for k in (2, 3, 5, 10)]
    assert at_least == pytest.approx(wildchat_like().turns.at_least(np.array([2, 3, 5, 10])), abs=0.006)
    earlier = trace.previous_turn[trace.continuing]
    gaps = trace.arrival[trace.continuing] - trace.arrival[earlier]
    assert gaps.mean() == pytest.approx(400, rel=0.02)
    assert np.median(gaps) == pytest.approx(400 * np.log(2), rel=0.02)
    starts = np.diff(trace.arrival[~trace.continuing])
    assert starts.mean() == pytest.approx(35.3, rel=0.02)


def test_lengths_do_not_depend_on_the_gaps():
    quick, slow = (
        sampled(wildchat_like(gaps), 3000) for gaps in (ExponentialGaps(30.0), LogNormalGaps(900.0, 1.5))
    )
    seen = [
        {
            (c, k): (q, a)
            for c, k, q, a in zip(t.conversation, turn_numbers(t.conversation), t.prompt, t.response, strict=True)
        }
        for t in (quick, slow)
    ]
    both = seen[0].keys() & seen[1].keys()
    assert len(both) > 1000
    assert all(seen[0][turn] == seen[1][turn] for turn in both)


@given(st.integers(0, 40), st.integers(0, 2**32 - 1))
def test_a_sample_is_a_trace_of_the_first_turns(turns, seed):
    trace = sampled(sharegpt_like(), turns, seed)
    assert len(trace) == turns
    assert trace.cumulative
    assert (np.diff(trace.arrival) >= 0).all()
    assert trace.conversation.tolist() == trace.code.tolist()
    assert trace == sampled(sharegpt_like(), turns, seed)


LEVELS = (0.0, 0.25, 0.5, 1.0)


@given(st.lists(st.integers(0, 60), min_size=4, max_size=4, unique=True))
def test_quantiles_are_a_law(lengths):
    law = Quantiles(LEVELS, sorted(lengths))
    support = np.arange(0, 62)
    mass = law.at_least(support) - law.at_least(support + 1)
    assert mass.sum() == pytest.approx(1)
    assert law.mean == pytest.approx(support @ mass)
    grid = (np.arange(20_000) + 0.5) / 20_000
    assert law.quantile(grid).mean() == pytest.approx(law.mean, abs=0.01)
    assert np.bincount(law.quantile(grid), minlength=62) / 20_000 == pytest.approx(mass, abs=2e-4)


def test_a_lognormal_law_is_drawn_by_inversion():
    grid = (np.arange(200_000) + 0.5) / 200_000
    law = LogNormal(100.0, 1.0)
    lengths = law.quantile(grid)
    for k in (1, 10, 100, 1000):
        assert (lengths >= k).mean() == pytest.approx(law.at_least(np.array(k)), abs=1e-5)
    assert law.quantile(np.array([0.0]))[0] == 1
    assert LogNormal(7.5, 0.0).quantile(np.array([0.0, 0.5])).tolist() == [8, 8]
    assert law.scaled(0.5) == LogNormal(50.0, 1.0)


GOOD = {"name": "x", "seconds_between_starts": 1.0, "turns": fixed(2), "gaps": ExponentialGaps(1.0)}
LAWS = {"prompts": (LogNormal(5.0),), "responses": (LogNormal(5.0),)}


test_wrong_arguments = refusals(
    ArgumentError,
    ("seconds_between_starts", lambda: Chats(**{**GOOD, **LAWS, **{"seconds_between_starts": 0.0}})),
    ("turns", lambda: Chats(**{**GOOD, **LAWS, **{"turns": Finite((0, 1), (Fraction(1, 2), Fraction(1, 2)))}})),
    ("prompts", lambda: Chats(**{**GOOD, **LAWS, **{"prompts": ()}})),
    ("response_correlation", lambda: Chats(**{**GOOD, **LAWS, **{"response_correlation": 1.5}})),
)


def test_other_wrong_arguments():
    refused(ArgumentError, "at_least", turn_law, {1: 1.0, 2: 1.0}, 5)
    refused(ArgumentError, "mean_turns", giant_turns, 0.5, 60.0, 120, 3.5)
    refused(ArgumentError, "lengths", Quantiles, (0, 1), (3, 3))
    refused(ArgumentError, "levels", Quantiles, (0, 0.5), (3, 4))
    assert sharegpt_like(mean_turns=4.0).mean_turns == pytest.approx(4.0, abs=1e-6)
