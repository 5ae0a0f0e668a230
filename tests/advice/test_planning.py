"""Capacity planning on toys whose answers are known by hand, with an exception planted."""

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import pytest
from advice.advised_traces import LATENCY
from hypothesis import given
from hypothesis import strategies as st

import teltheory as tt
from teltheory.advice.planning import answer_of, best_of, plan
from teltheory.advice.sentences_of_plan import one_answer, rows_of_all
from teltheory.serving.serve import Serving, serve


@dataclass(frozen=True)
class AllToOne:
    """Round-robin, but with so many replicas everything goes to the first: more of them are worse."""

    broken: int = 0

    def choose(self, view):
        return 0 if view.replicas == self.broken else view.turn % view.replicas


def fours(ticks=30):
    """Four requests of 1 s at a time, each of them once, every 100 s: on r replicas the last waits 4 / r - 1 s."""
    turns = 4 * ticks
    return tt.Trace.from_turns(
        range(turns), [1] * turns, [0] * turns, arrival=np.repeat(100.0 * np.arange(ticks), 4)
    )


def planned(numbers, slo, broken=0, **more):
    serving = Serving(router=AllToOne(broken))
    return plan(fours(), "replicas", numbers, 0, Fraction(slo), LATENCY, percentile=100, serving=serving, **more)


def test_the_smallest_number_such_that_it_and_every_larger_one_meet_the_slo():
    found = planned([4, 1, 2, 3], 2)
    assert [one.number for one in found.tried] == [1, 2, 3, 4]
    assert [one.percentile.value for one in found.tried] == [4, 2, 2, 1]
    assert [(one.percentile.low, one.percentile.high) for one in found.tried] == [(4, 4), (2, 2), (2, 2), (1, 1)]
    assert [(one.slow, one.tel) for one in found.tried] == [(60, 30 + 60), (0, 0), (0, 0), (0, 0)]
    assert found.tried[1].utilisation == pytest.approx(120 / (2 * 2900))
    assert (found.answer, found.exceptions, found.low, found.high, found.share) == (2, (), 2, 2, 1.0)


def test_a_planted_exception_is_listed_and_moves_the_answer_above_it():
    found = planned(range(1, 6), 2, broken=3)
    assert [one.meets for one in found.tried] == [False, True, False, True, True]
    assert (found.answer, found.exceptions) == (4, (2,))


def test_if_the_largest_does_not_meet_it_there_is_no_answer_and_all_others_are_exceptions():
    found = planned(range(1, 5), 2, broken=4)
    assert (found.answer, found.low, found.high, found.share) == (None, None, None, 1.0)
    assert found.exceptions == (2, 3)
    assert repr(found).startswith("<Plan: no number of replicas of the 4 tried, 1 to 4, is enough: ")
    assert str(found).splitlines()[-1].startswith("Exceptions: 2, 3 would do")
    assert "<td>yes, an exception</td>" in found._repr_html_()
    assert (planned([1], 3).answer, planned([1], 4).answer) == (None, 1)


def test_of_loads_the_largest_is_sought_and_at_most_one_replica_is_busy():
    pairs = tt.Trace.from_turns(range(80), [1] * 80, [0] * 80, arrival=np.repeat(np.arange(40.0), 2))
    found = plan(pairs, "load", [3, 0.5, Fraction(9, 10)], 0, Fraction(5, 2), LATENCY, percentile=100)
    assert [one.number for one in found.tried] == [3, 0.9, 0.5]
    assert [one.utilisation for one in found.tried] == pytest.approx([3, 0.9, 0.5])
    assert [one.meets for one in found.tried] == [False, True, True]
    assert (found.answer, found.exceptions) == (0.9, ())


def growing(turns=60):
    """One conversation, a token longer every time: with room for all of it a turn computes one token."""
    return tt.Trace.from_turns([0] * turns, [1] * turns, [0] * turns, arrival=1000.0 * np.arange(turns))


def test_of_the_capacities_of_a_tier_the_others_stay():
    found = plan(growing(), "tier0", [60, 0, 50, 55], 7, Fraction(10), LATENCY, percentile=100)
    assert [one.percentile.value for one in found.tried] == [60, 10, 5, 1]
    assert found.answer == 50
    tiers = tt.Tiers((9, 0), (0, Fraction(1, 2)))
    slower = plan(growing(), "tier1", [0, 41, 60], tiers, Fraction(30), LATENCY, percentile=100)
    expected = []
    for size in (0, 41, 60):
        served = serve(growing(), tt.LRU(), tt.Tiers((9, size), (0, Fraction(1, 2))), latency=LATENCY)
        expected.append(served.ttft.max())
    assert [one.percentile.value for one in slower.tried] == expected
    assert slower.answer == next(size for size, ttft in zip((0, 41, 60), expected, strict=True) if ttft <= 30)


def test_the_interval_is_of_blocks_of_time_and_the_answer_moves_with_it():
    arrival = np.sort(np.random.default_rng(3).uniform(0, 250, 200))
    trace = tt.Trace.from_turns(range(200), [1] * 200, [0] * 200, arrival=arrival)
    found = plan(trace, "replicas", range(1, 5), 0, Fraction(3, 2), LATENCY, percentile=90)
    for one in found.tried:
        ttft = serve(trace, tt.LRU(), 0, replicas=one.number, latency=LATENCY).ttft
        assert one.percentile.value == np.sort(ttft)[179]
        assert one.percentile.low <= one.percentile.value <= one.percentile.high
    assert found.tried[0].percentile.high > found.tried[0].percentile.low
    assert found.low <= found.answer <= (np.inf if found.high is None else found.high)
    assert 0 < found.share <= 1
    assert found == plan(trace, "replicas", range(1, 5), 0, Fraction(3, 2), LATENCY, percentile=90)


@given(st.lists(st.lists(st.booleans(), min_size=3, max_size=3), min_size=1, max_size=6))
def test_the_answer_is_the_first_place_from_which_on_all_meet(meets):
    for column, found in enumerate(answer_of(np.array(meets))):
        held = [row[column] for row in meets]
        assert found == next(place for place in range(len(held) + 1) if all(held[place:]))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("gpus", [1]), "resource: found 'gpus', expected replicas, load or a tier: tier0"),
        (("tier1", [1]), "resource: found 'tier1'"),
        (("replicas", []), "grid: found '\\[\\]', expected a number at least"),
        (("replicas", [0, 1]), "replicas: found 0, expected 1 replica or more"),
        (("load", [0]), "load"),
        (("replicas", [1.5]), "grid"),
    ],
)
def test_wrong_plans_are_named(arguments, message):
    with pytest.raises(tt.ArgumentError, match=message):
        plan(fours(), *arguments, 0, Fraction(1), LATENCY)
    with pytest.raises(tt.ArgumentError, match="percentile: found '101', expected above 0"):
        plan(fours(), "replicas", [1], 0, Fraction(1), LATENCY, percentile=101)
    with pytest.raises(tt.ArgumentError, match="no arrival"):
        plan(tt.Trace.from_turns([0], [1], [0]), "replicas", [1], 0, Fraction(1), LATENCY)


@pytest.mark.parametrize(
    ("numbers", "best", "amount", "others"),
    [
        ((3, 2), "T-LRU", "PLAN: T-LRU, 2 replicas: 2 is the smallest", "Under LRU it is 3 replicas."),
        ((2, 2), "T-LRU", "PLAN: T-LRU, 2 replicas: 2 is the smallest", "Under LRU it is 2 replicas."),
        ((1, 3), "LRU", "PLAN: LRU, 1 replica: 1 is the smallest", "Under T-LRU it is 3 replicas. So this plan"),
        ((None, 3), "T-LRU", "PLAN: T-LRU, 3 replicas: 3 is", "Under LRU none of them is enough."),
        (
            (2, None),
            "LRU",
            "PLAN: LRU, 2 replicas: 2 is",
            "Under T-LRU none of them is enough. So this plan is one of LRU",
        ),
        (
            (None, None),
            "T-LRU",
            "PLAN: T-LRU, no number of replicas: no number",
            "Under LRU none of them is enough.",
        ),
    ],
)
def test_of_two_plans_the_one_that_needs_less_is_the_answer_and_only_that(numbers, best, amount, others):
    one = planned(range(1, 5), 2)
    plans = dict(zip(("LRU", "T-LRU"), (replace(one, answer=number) for number in numbers), strict=True))
    assert best_of(plans) == best
    first, second, *_ = one_answer(plans, best, "TEL above 2 s")
    assert first.startswith(amount)
    assert second.startswith(others)
    remarks = [row[4] for row in rows_of_all(plans, best, 1)]
    assert remarks.count("yes: the answer") == (plans[best].answer is not None)


def test_of_loads_the_largest_is_the_best_and_of_capacities_the_smallest():
    one = planned(range(1, 5), 2)
    loads = replace(
        one,
        resource="load",
        tried=tuple(replace(x, number=n) for x, n in zip(one.tried, (0.9, 0.7, 0.5, 0.3), strict=True)),
    )
    assert best_of({"LRU": replace(loads, answer=0.5), "T-LRU": replace(loads, answer=0.3)}) == "LRU"
    tier = replace(one, resource="tier0")
    assert next(one_answer({"LRU": tier}, "LRU", "", 16)).startswith("PLAN: LRU, 32 tokens of tier 0: 32 is the")
    assert next(one_answer({"LRU": replace(loads, answer=0.5)}, "LRU", "")).startswith(
        "PLAN: LRU, a load of 0.5: 0.5"
    )
