"""Sessions that use nodes: the loop beside the reference, both beside what SGLang hits, and examples."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from replay.radix.test_radix_nodes import SHAPES, policies, served
from strategies import forests

import teltheory as tt
from experiments.engine_cases import hits_of
from experiments.sglang_policies import UNTOLD

FOUND = json.loads((Path(__file__).parents[1] / "vectors" / "sglang_sessions.json").read_text())


@st.composite
def with_sessions(draw):
    """Forests of a few sessions, with closes at, between and after requests, and requests without a session."""
    forest = draw(forests())
    agents = [draw(st.none() | st.integers(0, 2)) for _ in range(len(forest))]
    late = [draw(st.none() | st.sampled_from((0.0, 0.5, 1.0, 3.0))) for _ in agents]
    closed = [None if more is None else t + more for t, more in zip(forest.arrival.tolist(), late, strict=True)]
    return forest.with_hints(tt.Hints.of(forest, agent=agents, closed_at=closed))


ANY = policies() | st.sampled_from([*UNTOLD.values()])


@given(with_sessions(), ANY, SHAPES, st.integers(0, 9), st.integers(1, 3))
def test_the_loop_with_sessions_agrees_with_its_reference(forest, policy, shape, room, running):
    capacity = int(forest.past.max(initial=0)) + room
    options = {"cache": replace(shape, sessions=True), "running": running}
    plain, fast = (served(forest, policy, capacity, engine, **options) for engine in ("reference", "kernel"))
    assert plain == fast


@pytest.mark.parametrize("engine", ["reference", "kernel"])
def test_our_replays_hit_what_sglang_hits_with_sessions(engine):
    differ = [case for case in FOUND["cases"] if hits_of(case, engine) != case["hits"]]
    assert not differ, f"{len(differ)} of {len(FOUND['cases'])} differ, first {differ[:1]}"


def test_in_the_vectors_sessions_and_closes_matter():
    assert FOUND["version"] == "0.5.23"
    plain = [{name: one[name] for name in one if name != "sessions"} for one in FOUND["cases"]]
    open_ones = [{**one, "closes": []} for one in FOUND["cases"]]
    for others in plain, open_ones:
        pairs = zip(others, FOUND["cases"], strict=True)
        matters = sum(hits_of(other, "kernel") != one["hits"] for other, one in pairs)
        assert matters > 30


def hits(paths, sessions, capacity, closes=(), rules="sglang:chunk=none:sessions=yes"):
    forest = tt.Forest.from_paths(paths, arrival=range(len(paths)), agent=sessions)
    forest = forest.with_hints(forest.hints.with_events(forest, [(t, who, "close", None) for t, who in closes]))
    plain, fast = (tt.replay(forest, tt.LRU(), capacity, rules=rules, engine=e) for e in ("reference", "kernel"))
    assert plain == fast
    return plain.cached.tolist()


def test_who_has_no_session_goes_before_all_that_sessions_use():
    paths = [[1], [2], [3], [1]]
    assert hits(paths, [0, None, None, 0], 2) == [0, 0, 0, 1]
    assert hits(paths, [None, None, None, None], 2) == [0, 0, 0, 0]
    assert hits(paths, [0, None, None, 0], 2, rules="sglang:chunk=none") == [0, 0, 0, 0]


def test_a_branch_that_a_session_left_stays_until_the_session_is_closed():
    left = [[1, 2], [1, 3], [4], [5], [1, 2]]
    assert hits(left, [0, 0, None, None, 0], 4) == [0, 1, 0, 0, 2]
    assert hits(left, [0, 0, None, None, 0], 4, [(1.5, 0)]) == [0, 1, 0, 0, 1]


def test_what_two_sessions_use_goes_after_what_one_does():
    paths = [[1], [1], [2], [3], [1]]
    assert hits(paths, [0, 1, 2, 3, 0], 2) == [0, 1, 0, 0, 1]
    assert hits(paths, [0, 0, 2, 3, 0], 2) == [0, 1, 0, 0, 0]


def test_who_uses_a_node_uses_what_is_above_when_it_went():
    paths = [[1], [1, 2], [3], [4], [1, 2]]
    assert hits(paths, [None, 0, None, None, None], 2) == [0, 1, 0, 0, 1]
    assert hits(paths, [None, 0, None, None, None], 2, [(1.5, 0)]) == [0, 1, 0, 0, 0]


def test_a_session_opens_again_with_its_next_request_and_a_close_about_an_earlier_one_is_void():
    paths, who = [[1], [1], [2], [3], [1]], [0, 0, None, None, 0]
    assert hits(paths, who, 2) == [0, 1, 0, 0, 1]
    assert hits(paths, who, 2, [(0.5, 0)]) == [0, 1, 0, 0, 1]
    assert hits(paths, who, 2, [(1.5, 0)]) == [0, 1, 0, 0, 0]
    forest = tt.Forest.from_paths(paths, arrival=range(5), agent=who)
    late = tt.Hints.of(forest, closed_at=[1.5, None, None, None, None])
    found = tt.replay(forest.with_hints(late), tt.LRU(), 2, rules="sglang:chunk=none:sessions=yes")
    assert found.cached.tolist() == [0, 1, 0, 0, 1]


@pytest.mark.parametrize("running", [1, 2])
def test_what_runs_when_its_session_is_closed_is_used_by_nobody(running):
    forest = tt.Forest.from_paths([[1], [2], [3], [4], [1]], arrival=range(5))
    for closed, found in (0.0, 0), (None, 1):
        said = tt.Hints.of(forest, agent=[0, None, None, None, 1], closed_at=[closed, None, None, None, None])
        for engine in "reference", "kernel":
            options = {"rules": "sglang:sessions=yes", "engine": engine, "running": running}
            found_now = tt.replay(forest.with_hints(said), tt.LRU(), 1 + running, **options)
            assert found_now.cached.tolist() == [0, 0, 0, 0, found]


@pytest.mark.parametrize("running", [1, 2])
@pytest.mark.parametrize("engine", ["reference", "kernel"])
def test_without_hints_each_conversation_is_a_session(engine, running):
    trace = tt.Trace.from_turns(["a", "b", "a", "c", "a"], [1, 1, 1, 1, 1], [0] * 5, arrival=range(5))
    told = trace.forest.with_hints(tt.Hints.of(trace.forest, agent=["a", "b", "a", "c", "a"]))
    options = {"rules": "sglang:sessions=yes", "engine": engine, "running": running}
    assert tt.replay(trace.forest, tt.LRU(), 6, **options) == tt.replay(told, tt.LRU(), 6, **options)


def test_the_rules_with_sessions_have_a_short_form():
    assert str(tt.Rules.of("sglang:sessions=yes")) == "sglang:sessions=yes"
    assert tt.Rules.of("sglang:sessions=yes").nodes == tt.RadixNodes(8192, sessions=True)
