"""Laws of gaps against SciPy's, by the Kolmogorov-Smirnov test; assumed times, and what is refused."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from scipy import stats

import teltheory as tt
from teltheory.workloads import ExponentialGaps, LogNormalGaps, ParetoGaps, Times, parse_times
from teltheory.workloads.times import Gaps

LAWS = (
    (ExponentialGaps(360), stats.expon(scale=360)),
    (LogNormalGaps(60, 1.2), stats.lognorm(s=1.2, scale=60 * math.exp(-0.72))),
    (ParetoGaps(30, 1.5), stats.pareto(b=1.5, scale=10)),
)


@pytest.mark.parametrize(("gaps", "law"), LAWS)
def test_samples_have_the_law_with_that_mean(gaps, law):
    assert isinstance(gaps, Gaps)
    assert math.isclose(law.mean(), gaps.mean)
    sample = gaps.sample(np.random.default_rng(1), 20_000)
    assert sample.dtype == np.float64
    assert stats.kstest(sample, law.cdf).pvalue > 1e-6
    assert np.array_equal(sample, gaps.sample(np.random.default_rng(1), 20_000))


@pytest.mark.parametrize(
    ("make", "argument"),
    [
        (lambda: ExponentialGaps(0), "mean"),
        (lambda: ExponentialGaps(True), "mean"),
        (lambda: ExponentialGaps(math.inf), "mean"),
        (lambda: ExponentialGaps("1"), "mean"),
        (lambda: LogNormalGaps(-1, 1), "mean"),
        (lambda: LogNormalGaps(1, 0), "spread"),
        (lambda: LogNormalGaps(1, math.nan), "spread"),
        (lambda: ParetoGaps(1, 1), "shape"),
        (lambda: ParetoGaps(math.nan, 2), "mean"),
    ],
)
def test_wrong_laws_are_named(make, argument):
    refused(tt.ArgumentError, f"{argument}: found .*, expected a finite number", make)


SIZES = st.lists(st.integers(1, 5), min_size=1, max_size=30).map(np.array)


@given(SIZES, st.integers(0, 3))
def test_turns_of_a_conversation_follow_each_other(sizes, seed):
    times = Times(ExponentialGaps(10), rate=2.0, seed=seed)
    drawn = times.arrivals(sizes)
    assert np.array_equal(drawn, times.arrivals(sizes))
    parts = np.split(drawn, np.cumsum(sizes)[:-1])
    assert all((np.diff(part) > 0).all() for part in parts)
    assert (np.diff([part[0] for part in parts]) > 0).all()


@given(SIZES)
def test_the_last_turn_is_where_the_file_has_the_conversation(sizes):
    last = np.arange(len(sizes)) * 1000.0
    drawn = Times(LogNormalGaps(10, 1.0)).arrivals(sizes, last)
    assert np.allclose(drawn[np.cumsum(sizes) - 1], last, atol=1e-6)
    assert all((np.diff(part) > 0).all() for part in np.split(drawn, np.cumsum(sizes)[:-1]))


def test_the_delays_of_a_file_are_its_gaps():
    drawn = Times(None, rate=1.0).arrivals(np.array([3, 1, 2]), None, np.array([1.0, 2.0, 4.0]))
    assert np.allclose(np.diff(drawn)[[0, 1, 4]], [1, 2, 4])


def test_the_rate_is_conversations_a_second():
    starts = Times(ExponentialGaps(1), rate=4.0).arrivals(np.ones(20_000, np.int64))
    assert stats.kstest(np.diff(starts), stats.expon(scale=0.25).cdf).pvalue > 1e-6


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sharegpt", Times(ExponentialGaps(1 / 3), 1.0, 7)),
        ("exponential:mean=360", Times(ExponentialGaps(360), None, 7)),
        ("exponential:mean=360,rate=0.5", Times(ExponentialGaps(360), 0.5, 7)),
        ("lognormal:mean=60, spread=1.5", Times(LogNormalGaps(60, 1.5), None, 7)),
        ("pareto:mean=60,shape=1.5,rate=2", Times(ParetoGaps(60, 1.5), 2.0, 7)),
        ("delays:rate=2", Times(None, 2.0, 7)),
        ("delays", Times(None, None, 7)),
    ],
)
def test_an_assumption_is_read_from_text(text, expected):
    assert parse_times(text, 7) == expected


@pytest.mark.parametrize(
    "text",
    ["", "poisson", "exponential", "exponential:mean=x", "exponential:mean=nan", "exponential:mean=1,mean=2",
     "exponential:mean=1,spread=2", "exponential:mean=1,rate=1,rate=1", "pareto:mean=1", "sharegpt:rate=2", ":",
     "exponential:mean", "delays:mean=1"],
)  # fmt: skip
def test_any_other_text_is_told_what_to_write(text):
    refused(tt.ArgumentError, "times: found .*, expected sharegpt, exponential:mean=360,rate=1", parse_times, text)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [((7,), "gaps"), ((ExponentialGaps(1), 0), "rate"), ((ExponentialGaps(1), True), "rate"),
     ((ExponentialGaps(1), float("nan")), "rate"), ((ExponentialGaps(1), 1.0, -1), "seed")],
)  # fmt: skip
def test_wrong_arguments_are_named(arguments, named):
    refused(tt.ArgumentError, f"{named}: ", lambda: Times(*arguments))
