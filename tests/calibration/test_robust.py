import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import least_squares

from teltheory.calibration.robust import K, huber, spread


def sample(seed, m, p, negative):
    rng = np.random.default_rng(seed)
    x = np.concatenate([rng.uniform(0, 10, (m, p - 1)), np.ones((m, 1))], axis=1)
    theta = rng.uniform(0.5, 2, p)
    if negative:
        theta[0] = -1
    y = x @ theta + rng.standard_normal(m) + 30 * (rng.random(m) < 0.1)
    return x, y


def judged(x, y, scale, bounded):
    """Minimise the same loss with scipy."""
    low = [0.0 if i in bounded else -np.inf for i in range(x.shape[1])]
    solved = least_squares(
        lambda theta: x @ theta - y,
        np.ones(x.shape[1]),
        jac=lambda theta: x,
        bounds=(low, np.inf),
        loss="huber",
        f_scale=K * scale,
        ftol=1e-15,
        xtol=1e-15,
        gtol=1e-15,
    )
    return solved.x, solved.cost


def loss(x, y, theta, scale):
    off = np.abs(y - x @ theta)
    return np.where(off <= K * scale, off**2 / 2, K * scale * (off - K * scale / 2)).sum()


@given(st.integers(0, 10**6), st.integers(8, 40), st.sampled_from([2, 3]), st.booleans())
def test_scipy_finds_no_smaller_loss_at_the_same_scale(seed, m, p, negative):
    x, y = sample(seed, m, p, negative)
    bounded = tuple(range(p - 1))
    used = np.ones((1, m), np.bool_)
    first = huber(x[None], y[None], used, bounded)[0]
    assert (first[:-1] >= 0).all()
    scale = float(spread((y - x @ first)[None], used)[0])
    theta, _ = judged(x, y, scale, bounded)
    assert loss(x, y, first, scale) <= loss(x, y, theta, scale) * 1.05


def test_a_tenth_of_wild_values_hardly_moves_the_fit():
    rng = np.random.default_rng(5)
    x = np.stack([np.arange(100.0), np.ones(100)], axis=1)
    y = 2 * x[:, 0] + 3 + 0.1 * rng.standard_normal(100)
    y[::10] += 500
    theta = huber(x[None], y[None], np.ones((1, 100), np.bool_), (0,))[0]
    assert theta == pytest.approx([2, 3], abs=0.1)
    plain = np.linalg.lstsq(x, y)[0]
    assert abs(plain[1] - 3) > 20


def test_samples_of_a_batch_do_not_see_each_other_nor_cells_that_do_not_count():
    pairs = [sample(seed, 20, 3, seed % 2 == 0) for seed in range(6)]
    x, y = (np.stack(arrays) for arrays in zip(*pairs, strict=True))
    used = np.random.default_rng(0).random((6, 20)) < 0.8
    together = huber(x, y, used, (0, 1))
    for i in range(6):
        kept = used[i]
        alone = huber(x[i][kept][None], y[i][kept][None], np.ones((1, kept.sum()), np.bool_), (0, 1))[0]
        assert together[i] == pytest.approx(alone, rel=1e-4, abs=1e-5)
