"""Traces of applications: what they refuse, their graphs, and what an application's excess is."""

import numpy as np
import pytest
from hypothesis import given
from refusals import refusals, refused
from systems.apps.application_worlds import by_application, of_case, worlds

import teltheory as tt
from teltheory.cost.applications import application_excess, application_tel, application_uncached
from teltheory.errors import ArgumentError, TraceError
from teltheory.model.applications import ApplicationTrace, thresholds
from teltheory.model.outcome import Outcome

TRACE = tt.Trace.from_turns([0, 1, 2, 0, 3], [5, 4, 3, 2, 1], [1, 1, 1, 1, 1])
DIAMOND = ApplicationTrace.of(TRACE, ["a", "a", "a", "a", "b"], [[], [0], [0], [1, 2], []])


def test_the_graph_of_an_application():
    assert DIAMOND.names == ("a", "b")
    assert DIAMOND.turns == ((0, 1, 2, 3), (4,))
    assert DIAMOND.before == ((), (0,), (0,), (0, 1, 2), ())
    assert DIAMOND.following == ((1, 2, 3), (3,), (3,), (), ())
    assert DIAMOND.left == (3, 2, 2, 1, 1)
    assert DIAMOND.requests == ("0", "1", "2", "3", "4")


def test_a_sum_and_a_heaviest_path():
    outcome = Outcome(np.zeros(5, np.int64), np.array([10, 20, 30, 5, 7]))
    assert application_uncached(DIAMOND, outcome).tolist() == [65, 7]
    assert application_uncached(DIAMOND, outcome, "path").tolist() == [45, 7]
    assert application_excess(DIAMOND, outcome, [60, 10]).tolist() == [5, 0]
    assert application_tel(DIAMOND, outcome, 5, "path") == 42


@given(worlds())
def test_routes_are_those_of_the_judge(case):
    apps, uncached = of_case(case), np.array(case.totals, np.int64)
    outcome = Outcome(np.zeros_like(uncached), uncached)
    assert apps.trace.total.tolist() == case.totals
    found = application_excess(apps, outcome, case.xi, case.measure).tolist()
    assert found == by_application(case.excesses(case.totals))


def test_applications_of_one_turn_have_the_excess_of_turns():
    outcome = tt.replay(TRACE, tt.LRU(), 8)
    trace = ApplicationTrace.of(tt.Trace.from_turns(range(5), TRACE.total, [0] * 5), list("abcde"))
    for measure in ("sum", "path"):
        assert application_tel(trace, outcome, 2, measure) == tt.tail_excess_latency(outcome, 2)


test_wrong_columns_are_named = refusals(
    TraceError,
    ("turn 3, application: found 'b'", lambda: ApplicationTrace.of(TRACE, ["a", "a", "a", "b", "b"], None)),
    ("application: found '4 values'", lambda: ApplicationTrace.of(TRACE, ["a"] * 4, None)),
    ("after: found '1 values', expected 5, one a turn", lambda: ApplicationTrace.of(TRACE, ["a"] * 5, [[]])),
    ("turn 2, after: found 2", lambda: ApplicationTrace.of(TRACE, ["a"] * 5, [[], [], [2], [], []])),
    ("turn 1, after: found 3", lambda: ApplicationTrace.of(TRACE, ["a"] * 5, [[], [3], [], [], []])),
    ("turn 1, after: found True", lambda: ApplicationTrace.of(TRACE, ["a"] * 5, [[], [True], [], [], []])),
    ("turn 4, after: found", lambda: ApplicationTrace.of(TRACE, ["a", "b", "b", "a", "c"], [[], [], [], [], [3]])),
)


def test_wrong_thresholds_and_measures_are_named():
    outcome = tt.replay(TRACE, tt.LRU(), 8)
    assert thresholds(DIAMOND, np.array([3, 4])) == (3, 4)
    for xi, measure, said in (
        [[1], "sum", "xi: found '1 values'"],
        [-1, "sum", "xi: found -1"],
        [1, "max", "measure"],
    ):
        refused(ArgumentError, said, application_tel, DIAMOND, outcome, xi, measure)
    with pytest.raises(ArgumentError, match="outcome: found 'one of 2 turns'"):
        application_tel(DIAMOND, Outcome(np.zeros(2, np.int64), np.zeros(2, np.int64)), 1)


def test_sums_beyond_int64_are_refused():
    long = tt.Trace.from_turns([0, 0, 0], [2**61, 0, 0], [0, 0, 0])
    assert application_tel(ApplicationTrace.of(long, [0, 0, 0]), tt.replay(long, tt.LRU(), 0), 0) == 3 * 2**61
    with pytest.raises(TraceError, match="inputs that add up to more than"):
        ApplicationTrace.of(tt.Trace.from_turns([0] * 4, [2**61, 0, 0, 0], [0] * 4), [0] * 4)


def test_equal_traces_are_equal():
    again = ApplicationTrace.of(TRACE, ["a", "a", "a", "a", "b"], [[], [0], [0], [1, 2], []])
    assert again == DIAMOND
    assert ApplicationTrace.of(TRACE, ["a", "a", "a", "a", "b"]) != DIAMOND
    assert DIAMOND != TRACE
