"""The likelihood of observed conversations against integration over every hidden death."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import gammaln
from scipy.stats import gamma

import teltheory as tt
from teltheory.errors import ArgumentError
from teltheory.workloads import (
    ConversationMixture,
    ConversationModel,
    Empirical,
    Finite,
    GammaRates,
    Kind,
    LogNormal,
    fixed,
    kind_posterior,
    log_likelihood,
    sample_conversations,
    sample_labelled,
)
from teltheory.workloads.likelihood import Histories, histories, log_arrivals
from teltheory.workloads.model import Conversations
from teltheory.workloads.rate_fits import kinds_log_likelihood, kinds_slopes

HALVES = Finite((1, 2), (Fraction(1, 2), Fraction(1, 2)))
ONE = ConversationModel(birth_rate=0.3, death_rate=0.2, turn_rate=0.5, mean_prompt=2.0, mean_response=3.0)
TWO = ConversationMixture(
    0.4,
    0.15,
    (
        Kind(0.2, (fixed(2), HALVES), LogNormal(3.0, 0.6), 0.25),
        Kind(1.1, HALVES, Empirical.of([1, 2, 3, 3, 4, 5, 6]), 0.75),
    ),
)
GAMMA = ConversationMixture(0.4, 0.15, (Kind(GammaRates(0.6, 0.8), HALVES, LogNormal(3.0)),))
WILD = ConversationMixture(0.4, 0.15, (replace(GAMMA.kinds[0], turn_rate=GammaRates(0.6, 1.7)),))
MODELS = {"one": ONE, "two": TWO, "gamma": GAMMA, "wild": WILD}

TRACES = [
    tt.Trace.from_turns([0], [2], [3], [1.5]),
    tt.Trace.from_turns([0, 0], [2, 1], [3, 1], [0.5, 4.5]),
    tt.Trace.from_turns([0, 1, 0, 0, 2, 1], [2, 2, 1, 2, 2, 1], [3, 4, 1, 1, 5, 6], [0.2, 1, 1.5, 4, 4, 9.5]),
]


def turn_times(trace: tt.Trace) -> Iterator[tuple[list[int], np.ndarray]]:
    for code in range(trace.conversations):
        turns = np.flatnonzero(trace.code == code)
        yield turns.tolist(), trace.arrival[turns]


def density_given_rate(rate: float, mu: float, times: np.ndarray, end: float) -> float:
    """Integrate over the time of the death: turns at `times` and at no other time of its life up to `end`."""

    def silent_elsewhere(death: float) -> float:
        life, seen = death - times[0], min(death, end) - times[0]
        return mu * math.exp(-mu * life) * rate ** (len(times) - 1) * math.exp(-rate * seen)

    before = quad(silent_elsewhere, times[-1], end, epsabs=0, epsrel=1e-10)[0] if end > times[-1] else 0.0
    return before + quad(silent_elsewhere, end, np.inf, epsrel=1e-10)[0]


def probability(law: Any, length: int) -> float:
    return float(law.at_least(np.array(length)) - law.at_least(np.array(length + 1)))


def density_of_lengths(kind: Kind, trace: tt.Trace, turns: list[int]) -> float:
    product = 1.0
    for laws, column in zip(kind.laws, (trace.prompt, trace.response), strict=True):
        for number, turn in enumerate(turns):
            product *= probability(laws[min(number, len(laws) - 1)], int(column[turn]))
    return product


def density_of_arrivals(kind: Kind, mu: float, times: np.ndarray, end: float) -> float:
    rate = kind.turn_rate
    if not isinstance(rate, GammaRates):
        return density_given_rate(rate, mu, times, end)
    law = gamma(1 / rate.variation**2, scale=rate.mean * rate.variation**2)
    return quad(lambda u: density_given_rate(law.ppf(u), mu, times, end), 0, 1, epsabs=1e-9, epsrel=1e-7)[0]


def judged(model: Conversations, trace: tt.Trace, lengths: bool, end: float) -> float:
    total = trace.conversations * math.log(model.birth_rate) - model.birth_rate * end
    for turns, times in turn_times(trace):
        density = 0.0
        for kind in model.kinds:
            of_lengths = density_of_lengths(kind, trace, turns) if lengths else 1.0
            density += kind.share * of_lengths * density_of_arrivals(kind, model.death_rate, times, end)
        total += math.log(density)
    return total


@pytest.mark.parametrize("silence", [0.0, 6.0])
@pytest.mark.parametrize("trace", TRACES, ids=len)
@pytest.mark.parametrize("name", ["one", "two"])
@pytest.mark.parametrize("lengths", [False, True])
def test_hidden_deaths_are_integrated_out(name: str, trace: tt.Trace, lengths: bool, silence: float) -> None:
    end = float(trace.arrival[-1]) + silence
    found = log_likelihood(MODELS[name], trace, lengths=lengths, end=end)
    assert found == pytest.approx(judged(MODELS[name], trace, lengths, end), rel=1e-8)


@pytest.mark.parametrize("trace", TRACES[:2], ids=len)
@pytest.mark.parametrize("name", ["gamma", "wild"])
def test_gamma_rates_are_averaged_too(name: str, trace: tt.Trace) -> None:
    end = float(trace.arrival[-1]) + 6
    found = log_likelihood(MODELS[name], trace, end=end)
    assert found == pytest.approx(judged(MODELS[name], trace, False, end), abs=2e-6)


@pytest.mark.parametrize("rate", [2.0, GammaRates(0.5, 0.7)])
@pytest.mark.parametrize("seconds", [12.0])
def test_the_densities_of_all_histories_add_up_to_one(rate: float | GammaRates, seconds: float) -> None:
    """k further turns within g seconds can lie in g**(k - 1) / (k - 1)! ways, the last of them at g."""
    nodes, weights = np.polynomial.legendre.leggauss(60)
    active = np.append(0.0, seconds * (nodes + 1) / 2)
    total = 0.0
    for k in range(400):
        seen = Histories(seconds, np.full(len(active), float(k)), active, seconds - active)
        density = log_arrivals(rate, 0.1, seen)
        if k == 0:
            total += math.exp(density[0])
            continue
        ways = (k - 1) * np.log(active[1:]) - math.lgamma(k)
        total += float(weights @ np.exp(density[1:] + ways)) * seconds / 2
    assert total == pytest.approx(1.0, abs=1e-6)


def judged_gamma(k: int, g: float, s: float, mu: float, law: GammaRates) -> float:
    """Integrate over the death's time piece by piece, after the average over the rate in closed form."""
    inverse, order = law.shape / law.mean, law.shape + k

    def averaged(seconds: float) -> float:
        """Mean of lambda**k exp(-lambda seconds), over that for g seconds, times exp(-mu (seconds - g))."""
        return math.exp(-order * math.log((inverse + seconds) / (inverse + g)) - mu * (seconds - g))

    pieces = [0.0, *np.geomspace(1e-9 * s, s, 40)] if s else [0.0, 0.0]
    dead = sum(quad(lambda x: mu * averaged(g + x), a, b, epsabs=0, epsrel=1e-11)[0] for a, b in pairwise(pieces))
    start = gammaln(order) - gammaln(law.shape) + law.shape * math.log(inverse) - order * math.log(inverse + g)
    return float(start - mu * g + math.log(averaged(g + s) + dead))


def test_the_quadrature_over_deaths_is_exact_to_rounding() -> None:
    rng = np.random.default_rng(3)
    for _ in range(60):
        k = int(rng.choice([0, 0, 1, 5, 40, 300]))
        g, s = (0.0 if k == 0 else float(10 ** rng.uniform(-2, 4))), float(10 ** rng.uniform(-3, 5))
        mu, law = 10 ** rng.uniform(-4, 0), GammaRates(10 ** rng.uniform(-4, 0), 10 ** rng.uniform(-1.3, 0.8))
        seen = Histories(1.0, *(np.array([float(value)]) for value in (k, g, s)))
        assert log_arrivals(law, mu, seen)[0] == pytest.approx(judged_gamma(k, g, s, mu, law), rel=1e-12, abs=1e-9)


GAPS = st.sampled_from([0.0, 0.3, 1.7, 25.0])
timed_traces = st.lists(st.tuples(st.integers(0, 4), GAPS, st.integers(1, 2)), min_size=1, max_size=12).map(
    lambda turns: tt.Trace.from_turns(
        [code for code, _, _ in turns],
        [2] * len(turns),
        [length for _, _, length in turns],
        np.cumsum([gap for _, gap, _ in turns]),
    )
)
any_model = st.sampled_from(list(MODELS.values()))


def faster(model: Conversations, factor: float) -> ConversationMixture:
    kinds = tuple(
        replace(
            kind,
            turn_rate=replace(kind.turn_rate, mean=kind.turn_rate.mean * factor)
            if isinstance(kind.turn_rate, GammaRates)
            else kind.turn_rate * factor,
        )
        for kind in model.kinds
    )
    return ConversationMixture(model.birth_rate * factor, model.death_rate * factor, kinds)


@given(timed_traces, any_model, st.sampled_from([0.01, 3.0, 60.0]), st.sampled_from([0.0, 11.0]))
def test_another_unit_of_time_changes_the_density_by_that_unit(
    trace: tt.Trace, model: Conversations, factor: float, silence: float
) -> None:
    slow = tt.Trace.from_turns(trace.conversation, trace.prompt, trace.response, trace.arrival / factor)
    end = float(trace.arrival[-1]) + silence
    found = log_likelihood(faster(model, factor), slow, end=max(end / factor, float(slow.arrival[-1])))
    assert found == pytest.approx(log_likelihood(model, trace, end=end) + len(trace) * math.log(factor), abs=1e-7)


def test_lengths_that_no_law_allows_have_no_likelihood() -> None:
    model = replace(GAMMA, kinds=(replace(GAMMA.kinds[0], prompts=Empirical.of([1, 3])),))
    assert log_likelihood(model, TRACES[0], lengths=True) == -math.inf
    assert math.isfinite(log_likelihood(model, TRACES[0]))
    with pytest.raises(ArgumentError, match=r"^model: found .* conversation 0"):
        kind_posterior(model, TRACES[0])


def test_the_posterior_of_a_kind_is_the_share_of_it_among_such_conversations() -> None:
    """Of conversations that the posterior gives a kind with about p, about p are of that kind."""
    kinds = (Kind(0.01, HALVES, fixed(1), 0.4), Kind(0.06, fixed(2), fixed(1), 0.6))
    model = ConversationMixture(0.05, 0.01, kinds)
    sample = sample_labelled(model, 40_000, np.random.default_rng(8))
    for lengths in (False, True):
        posterior = kind_posterior(model, sample.trace, lengths=lengths)
        assert posterior.sum(axis=1) == pytest.approx(np.ones(len(sample.kind)))
        p = posterior[:, 1]
        for low, high in ((0.0, 0.3), (0.3, 0.7), (0.7, 1.01)):
            some = (p >= low) & (p < high)
            error = math.sqrt((p[some] * (1 - p[some])).sum())
            assert some.sum() > 200
            assert abs((sample.kind[some] == 1).sum() - p[some].sum()) < 4 * error + 1e-9


def histories_of(model: Conversations, turns: int, seed: int) -> Histories:
    return histories(sample_conversations(model, turns, np.random.default_rng(seed)))


def at(model: ConversationMixture) -> np.ndarray:
    rates = [kind.turn_rate for kind in model.kinds]
    shares = np.array([kind.share for kind in model.kinds])
    return np.concatenate((np.log([model.death_rate, *rates]), np.log(shares[1:] / shares[0])))


@pytest.mark.parametrize("x", [at(TWO), np.log([0.2, 0.5]), np.array([-3.0, -4, 0, 1, 0.5, -2])])
def test_slopes_are_those_of_the_likelihood(x: np.ndarray) -> None:
    seen = histories_of(TWO, 300, 4)
    steps = 1e-5 * np.eye(len(x))
    expected = [(kinds_log_likelihood(x + h, seen) - kinds_log_likelihood(x - h, seen)) / 2e-5 for h in steps]
    assert kinds_slopes(x, seen) == pytest.approx(expected, rel=1e-5, abs=1e-4)


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"trace": tt.Trace.from_turns([0], [1], [1])}, "trace"),
        ({"start": 0.3}, "start"),
        ({"start": math.nan}, "start"),
        ({"end": 9.0}, "end"),
        ({"end": math.inf}, "end"),
        ({"end": math.nan}, "end"),
    ],
)
def test_a_bad_observation_is_named(arguments: dict[str, Any], name: str) -> None:
    with pytest.raises(ArgumentError, match=rf"^{name}: found .*, expected ") as caught:
        log_likelihood(ONE, **{"trace": TRACES[2], **arguments})
    assert "\n" not in str(caught.value)
