"""The likelihood of conversations by integration over hidden deaths, and fits against what was sampled."""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from scipy.integrate import quad

import teltheory as tt
from teltheory.errors import ArgumentError
from teltheory.workloads import (
    ConversationMixture,
    ConversationModel,
    Empirical,
    GammaRates,
    Kind,
    LogNormal,
    fit_conversations,
    fixed,
    log_likelihood,
    sample_conversations,
)
from teltheory.workloads.fitting import (
    Histories,
    fit_lognormal,
    histories,
    kinds_log_likelihood,
    kinds_slopes,
    log_arrivals,
)
from teltheory.workloads.model import Conversations

PLAIN = ConversationModel(birth_rate=0.3, death_rate=0.2, turn_rate=0.5)
MIXED = ConversationMixture(0.4, 0.15, (Kind(0.2, fixed(2), fixed(3), 0.25), Kind(1.1, fixed(2), fixed(3), 0.75)))

TRACES = [
    tt.Trace.from_turns([0], [2], [3], [1.5]),
    tt.Trace.from_turns([0, 0], [2, 1], [3, 1], [0.5, 4.5]),
    tt.Trace.from_turns([0, 1, 0, 0, 2, 1], [2, 2, 1, 2, 2, 1], [3, 4, 1, 1, 5, 6], [0.2, 1, 1.5, 4, 4, 9.5]),
]


def turn_times(trace: tt.Trace) -> Iterator[np.ndarray]:
    return (trace.arrival[trace.code == code] for code in range(trace.conversations))


def density_given_rate(rate: float, mu: float, times: np.ndarray, end: float) -> float:
    """Integrate over the time of the death: turns at `times` and at no other time of its life up to `end`."""

    def silent_elsewhere(death: float) -> float:
        life, seen = death - times[0], min(death, end) - times[0]
        return mu * math.exp(-mu * life) * rate ** (len(times) - 1) * math.exp(-rate * seen)

    before = quad(silent_elsewhere, times[-1], end, epsabs=0, epsrel=1e-10)[0] if end > times[-1] else 0.0
    return before + quad(silent_elsewhere, end, np.inf, epsrel=1e-10)[0]


def judged(model: Conversations, trace: tt.Trace, end: float) -> float:
    total = trace.conversations * math.log(model.birth_rate) - model.birth_rate * end
    for times in turn_times(trace):
        densities = (k.share * density_given_rate(k.turn_rate, model.death_rate, times, end) for k in model.kinds)
        total += math.log(sum(densities))
    return total


@pytest.mark.parametrize("silence", [0.0, 6.0])
@pytest.mark.parametrize("trace", TRACES, ids=len)
@pytest.mark.parametrize("model", [PLAIN, MIXED], ids=["one", "two"])
def test_hidden_deaths_are_integrated_out(model: Conversations, trace: tt.Trace, silence: float) -> None:
    end = float(trace.arrival[-1]) + silence
    assert log_likelihood(model, trace, end=end) == pytest.approx(judged(model, trace, end), rel=1e-8)


def test_the_densities_of_all_histories_add_up_to_one() -> None:
    """k further turns within g seconds can lie in g**(k - 1) / (k - 1)! ways, the last of them at g."""
    seconds = 12.0
    nodes, weights = np.polynomial.legendre.leggauss(60)
    active = np.append(0.0, seconds * (nodes + 1) / 2)
    total = 0.0
    for k in range(400):
        seen = Histories(seconds, np.full(len(active), float(k)), active, seconds - active)
        density = log_arrivals(2.0, 0.1, seen)
        if k == 0:
            total += math.exp(density[0])
            continue
        ways = (k - 1) * np.log(active[1:]) - math.lgamma(k)
        total += float(weights @ np.exp(density[1:] + ways)) * seconds / 2
    assert total == pytest.approx(1.0, abs=1e-6)


GAPS = st.sampled_from([0.0, 0.3, 1.7, 25.0])
timed_traces = st.lists(st.tuples(st.integers(0, 4), GAPS, st.integers(1, 2)), min_size=1, max_size=12).map(
    lambda turns: tt.Trace.from_turns(
        [code for code, _, _ in turns],
        [2] * len(turns),
        [length for _, _, length in turns],
        np.cumsum([gap for _, gap, _ in turns]),
    )
)
any_model = st.sampled_from([PLAIN, MIXED])


def faster(model: Conversations, factor: float) -> ConversationMixture:
    kinds = tuple(replace(kind, turn_rate=kind.turn_rate * factor) for kind in model.kinds)
    return ConversationMixture(model.birth_rate * factor, model.death_rate * factor, kinds)


@given(timed_traces, any_model, st.sampled_from([0.01, 3.0, 60.0]), st.sampled_from([0.0, 11.0]))
def test_another_unit_of_time_changes_the_density_by_that_unit(
    trace: tt.Trace, model: Conversations, factor: float, silence: float
) -> None:
    slow = tt.Trace.from_turns(trace.conversation, trace.prompt, trace.response, trace.arrival / factor)
    end = float(trace.arrival[-1]) + silence
    found = log_likelihood(faster(model, factor), slow, end=max(end / factor, float(slow.arrival[-1])))
    assert found == pytest.approx(log_likelihood(model, trace, end=end) + len(trace) * math.log(factor), abs=1e-7)


def histories_of(model: Conversations, turns: int, seed: int) -> Histories:
    return histories(sample_conversations(model, turns, np.random.default_rng(seed)))


def at(model: ConversationMixture) -> np.ndarray:
    rates = [kind.turn_rate for kind in model.kinds]
    shares = np.array([kind.share for kind in model.kinds])
    return np.concatenate((np.log([model.death_rate, *rates]), np.log(shares[1:] / shares[0])))


@pytest.mark.parametrize("x", [at(MIXED), np.log([0.2, 0.5]), np.array([-3.0, -4, 0, 1, 0.5, -2])])
def test_slopes_are_those_of_the_likelihood(x: np.ndarray) -> None:
    seen = histories_of(MIXED, 300, 4)
    steps = 1e-5 * np.eye(len(x))
    expected = [(kinds_log_likelihood(x + h, seen) - kinds_log_likelihood(x - h, seen)) / 2e-5 for h in steps]
    assert kinds_slopes(x, seen) == pytest.approx(expected, rel=1e-5, abs=1e-4)


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"trace": tt.Trace.from_turns([0], [1], [1])}, "trace"),
        ({"model": ConversationMixture(1.0, 1.0, (Kind(GammaRates(1.0, 1.0), fixed(1), fixed(1)),))}, "model"),
        ({"start": 0.3}, "start"),
        ({"start": math.nan}, "start"),
        ({"end": 9.0}, "end"),
        ({"end": math.inf}, "end"),
        ({"end": math.nan}, "end"),
    ],
)
def test_a_bad_observation_is_named(arguments: dict[str, Any], name: str) -> None:
    with pytest.raises(ArgumentError, match=rf"^{name}: found .*, expected ") as caught:
        log_likelihood(**{"model": PLAIN, "trace": TRACES[2], **arguments})
    assert "\n" not in str(caught.value)


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
    refused(ArgumentError, f"{argument}: found .*{found}.*, expected ", fit)
