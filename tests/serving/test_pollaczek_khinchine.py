"""One replica, Poisson arrivals of conversations of one turn: an M/G/1 queue, whose mean wait is known.

E[W] = rate E[S^2] / (2 (1 - rate E[S])) (Pollaczek 1930, Khinchine 1932). The first tenth is left out; the
standard error is that of the means of 20 batches.
"""

from fractions import Fraction

import numpy as np
import pytest

import teltheory as tt
from teltheory.serving.engine import run
from teltheory.serving.routers import chooser_of
from teltheory.serving.work import Price, work_of

SECOND = tt.LatencyModel(Fraction(1))
BATCHES = 20


class Empty:
    """The cache of conversations that never return."""

    def found(self, k):
        return (0,)

    def serve(self, k):
        return (0,), 0, (), ()


def waits(rng, prompts, load):
    """Return the wait of each turn after the first tenth, and the mean wait that theory has."""
    rate = load / prompts.mean()
    arrival = np.cumsum(rng.exponential(1 / rate, len(prompts)))
    trace = tt.Trace.from_turns(np.arange(len(prompts)), prompts, np.zeros(len(prompts), int), arrival)
    work = work_of(trace)
    rows = run(work, [Empty()], chooser_of("round-robin", trace, 1), Price(tt.Tiers((0,)), SECOND, 1))
    wait = np.array(rows.start) - arrival
    moment = (prompts.astype(float) ** 2).mean()
    return wait[len(wait) // 10 :], rate * moment / (2 * (1 - load))


def errors(wait, theory):
    """Return by how many standard errors the mean is off."""
    means = wait[: len(wait) // BATCHES * BATCHES].reshape(BATCHES, -1).mean(axis=1)
    return (means.mean() - theory) / (means.std(ddof=1) / np.sqrt(len(means)))


PROMPTS = {
    "equal": lambda rng, n: np.full(n, 5),
    "two lengths": lambda rng, n: rng.choice([1, 9], n),
    "geometric": lambda rng, n: rng.geometric(0.2, n),
}


def check(name, load, n, seed):
    rng = np.random.default_rng(seed)
    wait, theory = waits(rng, PROMPTS[name](rng, n), load)
    assert abs(errors(wait, theory)) < 3, (name, load, wait.mean(), theory)


@pytest.mark.parametrize("name", ["equal", "two lengths"])
def test_the_mean_wait_is_that_of_theory(name):
    check(name, 0.5, 8_000, seed=1)


@pytest.mark.long
@pytest.mark.parametrize("load", [0.2, 0.5, 0.7, 0.8])
@pytest.mark.parametrize("name", PROMPTS)
def test_the_mean_wait_is_that_of_theory_at_other_loads(name, load):
    check(name, load, 200_000, seed=2)


def test_serve_has_these_waits():
    rng = np.random.default_rng(3)
    prompts = rng.choice([1, 9], 300)
    arrival = np.cumsum(rng.exponential(10, 300))
    trace = tt.Trace.from_turns(np.arange(300), prompts, np.zeros(300, int), arrival)
    served = tt.serve(trace, tt.LRU(), 0, latency=SECOND)
    rows = run(work_of(trace), [Empty()], chooser_of("round-robin", trace, 1), Price(tt.Tiers((0,)), SECOND, 1))
    assert served.start.tolist() == rows.start
