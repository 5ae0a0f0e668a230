"""Fitted conversation models against the models that their traces were sampled from."""

from __future__ import annotations

import math
from collections.abc import Callable
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
    FittedConversations,
    GammaRates,
    Kind,
    LogNormal,
    fit_conversations,
    fixed,
    log_likelihood,
    sample_conversations,
)

ONE = ConversationModel(0.05, 0.01, 0.03, mean_prompt=40.0, mean_response=6.0, spread=0.8)
PROMPTS, RESPONSES = ONE.kinds[0].laws
SLOW_FAST = ConversationMixture(
    0.05, 0.01, (Kind(0.004, PROMPTS, RESPONSES, 0.6), Kind(0.08, PROMPTS, RESPONSES, 0.4))
)
VARIED = ConversationMixture(0.05, 0.01, (Kind(GammaRates(0.03, 1.2), PROMPTS, RESPONSES),))
TRUTH_OF_LENGTHS = {
    "prompts[0].mean_length": 40.0,
    "prompts[0].spread": 0.8,
    "responses[0].mean_length": 6.0,
    "responses[0].spread": 0.8,
}
TRUTH = {"birth_rate": 0.05, "death_rate": 0.01, "turn_rate": 0.03, **TRUTH_OF_LENGTHS}


def fitted(model: Any, kinds: Any, turns: int, seed: int, **options: Any) -> FittedConversations:
    return fit_conversations(sample_conversations(model, turns, np.random.default_rng(seed)), kinds, **options)


def parameters(fit: FittedConversations) -> dict[str, float]:
    """Every fitted number by the name of its standard error."""
    found = {"birth_rate": fit.model.birth_rate, "death_rate": fit.model.death_rate}
    kinds = fit.model.kinds
    for j, kind in enumerate(kinds):
        if isinstance(kind.turn_rate, GammaRates):
            found |= {"turn_rate.mean": kind.turn_rate.mean, "turn_rate.variation": kind.turn_rate.variation}
        elif len(kinds) == 1:
            found["turn_rate"] = kind.turn_rate
        else:
            found |= {f"turn_rate[{j}]": kind.turn_rate, f"share[{j}]": kind.share}
    for name, laws in zip(("prompts", "responses"), kinds[0].laws, strict=True):
        for i, law in enumerate(laws):
            if isinstance(law, LogNormal):
                found |= {f"{name}[{i}].mean_length": law.mean_length, f"{name}[{i}].spread": law.spread}
    return found


def deviations(fit: FittedConversations, truth: dict[str, float]) -> dict[str, float]:
    found = parameters(fit)
    assert found.keys() == truth.keys() == fit.standard_errors.keys()
    return {name: (found[name] - truth[name]) / fit.standard_errors[name] for name in truth}


def test_one_kind_is_found_again() -> None:
    fit = fitted(ONE, 1, 20_000, 0)
    assert max(map(abs, deviations(fit, TRUTH).values())) < 4
    assert all(fit.standard_errors[name] < 0.05 * truth for name, truth in TRUTH.items())


def test_two_kinds_are_found_again() -> None:
    fit = fitted(SLOW_FAST, 2, 20_000, 0)
    truth = {"turn_rate[0]": 0.004, "turn_rate[1]": 0.08, "share[0]": 0.6, "share[1]": 0.4}
    truth |= {"birth_rate": 0.05, "death_rate": 0.01, **TRUTH_OF_LENGTHS}
    assert max(map(abs, deviations(fit, truth).values())) < 4
    assert all(fit.standard_errors[name] < 0.1 * value for name, value in truth.items())


def test_gamma_rates_are_found_again() -> None:
    fit = fitted(VARIED, "gamma", 20_000, 0)
    truth = {"birth_rate": 0.05, "death_rate": 0.01, "turn_rate.mean": 0.03, "turn_rate.variation": 1.2}
    assert max(map(abs, deviations(fit, truth | TRUTH_OF_LENGTHS).values())) < 4
    assert all(fit.standard_errors[name] < 0.1 * value for name, value in truth.items())


@pytest.mark.long
def test_standard_errors_are_as_large_as_the_errors() -> None:
    """The mean square of error / standard error over n fits is 1, give or take sqrt(2 / n) for each parameter."""
    fits = 40
    squares = dict.fromkeys(TRUTH, 0.0)
    for seed in range(fits):
        for name, deviation in deviations(fitted(ONE, 1, 1500, 100 + seed), TRUTH).items():
            squares[name] += deviation**2 / fits
    assert all(abs(square - 1) < 4 * math.sqrt(2 / fits) for square in squares.values()), squares


@cache
def trace_of_one() -> tt.Trace:
    return sample_conversations(ONE, 3000, np.random.default_rng(77))


@pytest.mark.parametrize("kinds", [1, 2, "gamma"])
def test_the_result_says_what_it_found(kinds: Any) -> None:
    trace = trace_of_one()
    end = float(trace.arrival[-1]) + 100.0
    fit = fit_conversations(trace, kinds, end=end)
    assert (fit.turns, fit.conversations, fit.seconds) == (3000, trace.conversations, end)
    assert fit.log_likelihood == pytest.approx(log_likelihood(fit.model, trace, end=end), rel=1e-12)
    both = fit.log_likelihood + fit.log_likelihood_of_lengths
    assert both == pytest.approx(log_likelihood(fit.model, trace, lengths=True, end=end), rel=1e-12)
    rates = [kind.turn_rate for kind in fit.model.kinds]
    assert kinds == "gamma" or (len(rates) == kinds and rates == sorted(rates))
    with pytest.raises(TypeError):
        fit.standard_errors["birth_rate"] = 0.0


@pytest.mark.parametrize(("model", "kinds"), [(ONE, 1), (SLOW_FAST, 2), (VARIED, "gamma")])
def test_nothing_near_is_likelier(model: Any, kinds: Any) -> None:
    trace = sample_conversations(model, 2000, np.random.default_rng(5))
    fit = fit_conversations(trace, kinds)
    assert fit.log_likelihood >= log_likelihood(model, trace)
    rng = np.random.default_rng(6)
    for _ in range(40):
        birth, death, *factors = np.exp(rng.normal(0, 0.03, 4))
        changed = tuple(
            Kind(_times(kind.turn_rate, factor), kind.prompts, kind.responses, kind.share)
            for kind, factor in zip(fit.model.kinds, factors, strict=False)
        )
        other = ConversationMixture(fit.model.birth_rate * birth, fit.model.death_rate * death, changed)
        assert log_likelihood(other, trace) < fit.log_likelihood


def _times(rate: float | GammaRates, factor: float) -> float | GammaRates:
    return GammaRates(rate.mean * factor, rate.variation) if isinstance(rate, GammaRates) else rate * factor


@pytest.mark.long
def test_more_kinds_are_never_less_likely() -> None:
    fits = [fit_conversations(trace_of_one(), kinds).log_likelihood for kinds in (1, 2, 3)]
    assert fits[0] <= fits[1] + 1e-6
    assert fits[1] <= fits[2] + 1e-6


@pytest.mark.long
def test_rates_that_hardly_vary_are_at_the_lower_end() -> None:
    """Two conversations with the same gaps: no variation is likelier than any."""
    trace = tt.Trace.from_turns([0, 0, 0, 1, 1, 1], [1] * 6, [1] * 6, [0.0, 1, 2, 10, 11, 12])
    fit = fit_conversations(trace, "gamma", end=30.0)
    assert fit.model.kinds[0].turn_rate.variation == pytest.approx(0.01, rel=1e-4)
    assert math.isnan(fit.standard_errors["turn_rate.variation"])
    assert math.isfinite(fit.standard_errors["turn_rate.mean"])


def test_laws_by_turn_are_fitted_to_their_own_turns() -> None:
    laws = [LogNormal(80.0, 0.5), LogNormal(10.0, 0.9)]
    model = ConversationMixture(0.05, 0.01, (Kind(0.03, laws, fixed(3)),))
    fit = fitted(model, 1, 12_000, 9, by_turn=2)
    truth = {"birth_rate": 0.05, "death_rate": 0.01, "turn_rate": 0.03}
    for i, law in enumerate(laws):
        truth |= {f"prompts[{i}].mean_length": law.mean_length, f"prompts[{i}].spread": law.spread}
    truth |= {
        f"responses[{i}].{name}": value for i in (0, 1) for name, value in (("mean_length", 3), ("spread", 0))
    }
    found = deviations(fit, truth)
    assert max(abs(found[name]) for name in truth if name[0] != "r") < 4
    assert fit.model.kinds[0].laws[1] == (LogNormal(3.0, 0.0),) * 2
    assert all(math.isnan(fit.standard_errors[name]) for name in truth if name.startswith("responses"))


def test_empirical_laws_are_the_lengths_that_were_seen() -> None:
    trace = trace_of_one()
    fit = fit_conversations(trace, lengths="empirical", by_turn=2)
    first, later = trace.prompt[~trace.continuing], trace.prompt[trace.continuing]
    assert fit.model.kinds[0].laws[0] == (Empirical.of(first), Empirical.of(later))
    assert set(fit.standard_errors) == {"birth_rate", "death_rate", "turn_rate"}


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
    (lambda: fit_conversations(trace_of_one(), by_turn=5000), "by_turn", "5000"),
    (lambda: fit_conversations(trace_of_one(), end=1.0), "end", "1.0"),
]


@pytest.mark.parametrize(("fit", "argument", "found"), DEGENERATE)
def test_what_cannot_be_fitted_is_named(fit: Callable[[], Any], argument: str, found: str) -> None:
    with pytest.raises(ArgumentError, match=rf"^{argument}: found .*{found}.*, expected ") as caught:
        fit()
    assert "\n" not in str(caught.value)
