"""Laws of gaps against SciPy's, by the Kolmogorov-Smirnov test at a level of one in a million."""

import math

import numpy as np
import pytest
from scipy import stats

import teltheory as tt
from teltheory.workloads.gaps import ExponentialGaps, Gaps, LogNormalGaps, ParetoGaps

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
def test_wrong_arguments_are_named(make, argument):
    with pytest.raises(tt.ArgumentError, match=rf"^{argument}: found .*, expected a finite number"):
        make()
