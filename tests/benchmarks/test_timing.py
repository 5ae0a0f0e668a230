import gc

import pytest

from benchmarks import timing
from benchmarks.timing import FEWEST, PATIENCE, Job, Ratio, Timing, measure


class Clock:
    """A clock that only jobs move, and what they did."""

    def __init__(self, monkeypatch):
        self.now = 0.0
        self.log = []
        monkeypatch.setattr(timing, "perf_counter", lambda: self.now)

    def job(self, name, seconds, **kwargs):
        waits = iter(seconds)

        def call(_):
            self.log.append(name)
            self.now += next(waits)

        return Job(name, call, **kwargs)

    def wait(self, seconds):
        self.now += seconds


@pytest.fixture
def clock(monkeypatch):
    return Clock(monkeypatch)


def test_jobs_take_turns_after_a_warm_up_that_does_not_count(clock):
    found = measure([clock.job("a", [9, 1, 5, 3]), clock.job("b", [9, 2, 2, 4])], 3)
    assert found == {"a": Timing((1, 5, 3)), "b": Timing((2, 2, 4))}
    assert "".join(clock.log) == "abababab"


def test_median_and_spread():
    found = Timing((4.0, 1.0, 2.0, 9.0)).as_dict()
    assert found == {"median": 3.0, "low": 1.0, "high": 9.0, "seconds": [4.0, 1.0, 2.0, 9.0]}


def test_a_ratio_divides_medians_and_spreads_over_common_rounds():
    assert Ratio.of(Timing((10, 30, 20, 1000)), Timing((5, 10, 2))) == Ratio(25 / 5, 2, 10)


def test_a_quick_job_is_called_often_and_its_timing_is_the_mean(clock):
    found = measure([clock.job("a", [0.9, 0.25 * timing.SHORTEST, 0.5, 0.1, 0.1, 0.1])], 1)
    assert found["a"].seconds == (pytest.approx(0.8 / 4),)


def test_preparation_is_not_timed_and_comes_before_each_call(clock):
    prepared = []

    def prepare():
        clock.wait(100)
        prepared.append(len(prepared))
        return prepared[-1]

    seen = []
    found = measure([Job("a", lambda value: (seen.append(value), clock.wait(2)), prepare)], 2)
    assert found["a"].seconds == (2, 2)
    assert seen == [0, 1, 2]


def test_a_slow_job_sits_out_once_its_time_is_used_up(clock):
    slow, quick = clock.job("a", [PATIENCE] * 99), clock.job("b", [1] * 99)
    found = measure([slow, quick], 5)
    assert [len(found[name].seconds) for name in "ab"] == [FEWEST, 5]


@pytest.mark.parametrize("error", [None, RuntimeError])
def test_the_garbage_collector_rests_while_the_clock_runs(error):
    states = []

    def call(_):
        states.append(gc.isenabled())
        if error:
            raise error

    assert gc.isenabled()
    if error:
        with pytest.raises(error):
            measure([Job("a", call)], 1)
    else:
        measure([Job("a", call)], 1)
    assert set(states) == {False}
    assert gc.isenabled()
