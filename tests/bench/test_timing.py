import gc

import pytest

from teltheory.bench import door
from teltheory.bench.door import NOTHING
from teltheory.bench.timing import SHORTEST, TimedJob, TimeRatio, Timing, measure


def test_jobs_take_turns_after_warm_ups_that_do_not_count():
    log = []
    jobs = [TimedJob(name, lambda value, name=name: log.append(name), lambda: None) for name in "ab"]
    found = measure(jobs, 3)
    assert "".join(log) == "aabbababab"
    assert [len(timing.seconds) for timing in found.values()] == [3, 3]


def test_median_and_spread():
    found = Timing((4.0, 1.0, 2.0, 9.0)).as_dict()
    assert found == {"median": 3.0, "low": 1.0, "high": 9.0, "seconds": [4.0, 1.0, 2.0, 9.0]}


def test_a_ratio_divides_medians_and_spreads_over_rounds():
    assert TimeRatio.of(Timing((10, 30, 20)), Timing((5, 10, 2))) == TimeRatio(20 / 5, 2, 10)


def test_a_quick_job_is_called_often_unless_it_is_prepared():
    assert TimedJob("a", len).calls(SHORTEST / 4) == 4
    assert TimedJob("a", len).calls(10 * SHORTEST) == TimedJob("a", len, dict).calls(1e-9) == 1


def test_preparation_comes_before_each_timed_call_and_the_collector_rests():
    prepared, seen = [], []
    call, prepare = (
        (lambda value: seen.append((value, gc.isenabled()))),
        (lambda: prepared.append(0) or len(prepared)),
    )
    measure([TimedJob("a", call, prepare)], 2)
    assert seen == [(i, False) for i in (1, 2, 3, 4)]
    assert gc.isenabled()


def test_what_a_job_raises_is_raised():
    with pytest.raises(ZeroDivisionError):
        measure([TimedJob("a", lambda _: 1 / 0)], 1)


def test_each_door_is_timed_against_a_python_that_does_nothing(monkeypatch):
    monkeypatch.setattr(door, "DOORS", {NOTHING: ("-c", "pass"), "loop": ("-c", "sum(range(10**6))")})
    idle, busy = door.door(rounds=1)
    assert (idle["name"], busy["name"]) == (NOTHING, "loop")
    assert idle["times"]["ratio"] == 1
    assert busy["times"]["ratio"] == pytest.approx(busy["median"] / idle["median"])
