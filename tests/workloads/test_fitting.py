"""Fitted conversation models against the models that their traces were sampled from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import teltheory as tt
from teltheory.errors import ArgumentError
from teltheory.workloads import (
    ConversationMixture,
    ConversationModel,
    Empirical,
    Kind,
    LogNormal,
    fit_conversations,
    log_likelihood,
    sample_conversations,
)
from teltheory.workloads.fitting import fit_lognormal

ONE = ConversationModel(0.05, 0.01, 0.03, mean_prompt=40.0, mean_response=6.0, spread=0.8)
PROMPTS, RESPONSES = ONE.kinds[0].laws
SLOW_FAST = ConversationMixture(
    0.05, 0.01, (Kind(0.004, PROMPTS, RESPONSES, 0.6), Kind(0.08, PROMPTS, RESPONSES, 0.4))
)


@pytest.mark.parametrize(("model", "kinds"), [(ONE, 1), (SLOW_FAST, 2)])
def test_a_model_is_found_again(model: Any, kinds: int) -> None:
    fit = fit_conversations(sample_conversations(model, 20_000, np.random.default_rng(0)), kinds)
    assert fit.model.birth_rate == pytest.approx(0.05, rel=0.1)
    assert fit.model.death_rate == pytest.approx(0.01, rel=0.1)
    for found, kind in zip(fit.model.kinds, model.kinds, strict=True):
        assert (found.turn_rate, found.share) == pytest.approx((kind.turn_rate, kind.share), rel=0.15)
        for (law,), (truth,) in zip(found.laws, kind.laws, strict=True):
            assert (law.mean_length, law.spread) == pytest.approx((truth.mean_length, truth.spread), rel=0.03)


@cache
def trace_of_one() -> tt.Trace:
    return sample_conversations(ONE, 3000, np.random.default_rng(77))


@pytest.mark.parametrize("kinds", [1, 2])
def test_the_result_says_what_it_found(kinds: int) -> None:
    trace = trace_of_one()
    end = float(trace.arrival[-1]) + 100.0
    fit = fit_conversations(trace, kinds, end=end)
    assert (fit.turns, fit.conversations, fit.seconds) == (3000, trace.conversations, end)
    assert fit.log_likelihood == pytest.approx(log_likelihood(fit.model, trace, end=end), rel=1e-12)
    rates = [kind.turn_rate for kind in fit.model.kinds]
    assert len(rates) == kinds
    assert rates == sorted(rates)


@pytest.mark.parametrize(("model", "kinds"), [(ONE, 1), (SLOW_FAST, 2)])
def test_nothing_near_is_likelier(model: Any, kinds: int) -> None:
    trace = sample_conversations(model, 2000, np.random.default_rng(5))
    fit = fit_conversations(trace, kinds)
    assert fit.log_likelihood >= log_likelihood(model, trace)
    rng = np.random.default_rng(6)
    for _ in range(40):
        birth, death, *factors = np.exp(rng.normal(0, 0.03, 4))
        changed = tuple(
            replace(kind, turn_rate=kind.turn_rate * factor)
            for kind, factor in zip(fit.model.kinds, factors, strict=False)
        )
        other = ConversationMixture(fit.model.birth_rate * birth, fit.model.death_rate * death, changed)
        assert log_likelihood(other, trace) < fit.log_likelihood


@pytest.mark.long
def test_more_kinds_are_never_less_likely() -> None:
    fits = [fit_conversations(trace_of_one(), kinds).log_likelihood for kinds in (1, 2, 3)]
    assert fits[0] <= fits[1] + 1e-6
    assert fits[1] <= fits[2] + 1e-6


def test_a_lognormal_law_fits_best_and_equal_lengths_have_no_spread() -> None:
    lengths = trace_of_one().prompt
    best = fit_lognormal(lengths)
    for factor, wider in ((1.01, 1), (0.99, 1), (1, 1.01), (1, 0.99)):
        other = LogNormal(best.mean_length * factor, best.spread * wider)
        assert other.log_probability(lengths).sum() < best.log_probability(lengths).sum()
    assert fit_lognormal(np.array([3, 3, 3])) == LogNormal(3.0, 0.0)


def test_empirical_laws_are_the_lengths_that_were_seen() -> None:
    trace = trace_of_one()
    fit = fit_conversations(trace, lengths="empirical")
    assert fit.model.kinds[0].laws == ((Empirical.of(trace.prompt),), (Empirical.of(trace.response),))


def trace_at(conversation: list[int], arrival: list[float] | None, response: int = 1) -> tt.Trace:
    ones = [1] * len(conversation)
    return tt.Trace.from_turns(conversation, ones, [response] * len(conversation), arrival)


DEGENERATE: list[tuple[Callable[[], Any], str, str]] = [
    (lambda: fit_conversations(trace_at([0, 0], None)), "trace", "no arrival times"),
    (lambda: fit_conversations(trace_at([0, 1, 2], [1, 2, 3])), "trace", "no conversation that returns"),
    (lambda: fit_conversations(trace_at([0, 0, 1], [0, 1, 1])), "trace", "no silence"),
    (lambda: fit_conversations(trace_of_one(), 0), "kinds", "0"),
    (lambda: fit_conversations(trace_of_one(), 1.5), "kinds", "1.5"),  # type: ignore[arg-type]
    (lambda: fit_conversations(trace_of_one(), lengths="gamma"), "lengths", "gamma"),  # type: ignore[arg-type]
    (lambda: fit_conversations(trace_at([0, 0, 1], [0, 1, 5], 0), end=9.0), "lengths", "a length of 0"),
    (lambda: fit_conversations(trace_of_one(), end=1.0), "end", "1.0"),
]


@pytest.mark.parametrize(("fit", "argument", "found"), DEGENERATE)
def test_what_cannot_be_fitted_is_named(fit: Callable[[], Any], argument: str, found: str) -> None:
    with pytest.raises(ArgumentError, match=rf"^{argument}: found .*{found}.*, expected ") as caught:
        fit()
    assert "\n" not in str(caught.value)
