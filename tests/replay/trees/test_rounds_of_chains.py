"""How surplus goes where a policy does not say so: in rounds of private conversations, in a trace or a forest."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import forests, timed_columns, turn_columns

import teltheory as tt
from teltheory.errors import ArgumentError
from teltheory.policies.shared import SharedTLRU

SHARED = tt.Forest.from_paths([[1, 2, 3, 4], [1, 2, 5], [6, 7], [1, 2, 3, 4]])
LENGTH = st.integers(0, 6)


@st.composite
def policies(draw, trims=(None, None, "round-robin", "least-recent", "eager")):
    xi, q_hat, trim = draw(st.integers(0, 12)), draw(st.integers(0, 8)), draw(st.sampled_from(trims))
    every = tt.TLRU(xi, q_hat, trim), tt.EndAwareTLRU(xi, q_hat, trim), tt.LengthAwareTLRU(xi, trim)
    return draw(st.sampled_from((*every, SharedTLRU(xi, q_hat, trim))))


def private(draw):
    """Return private conversations, empty turns and first turns among them, with a capacity and what is forced."""
    trace = tt.Trace.from_turns(**draw(timed_columns(turn_columns(length=LENGTH))))
    forced = draw(st.booleans())
    least = int(trace.past.max(initial=0)) if forced else 0
    return trace, least + draw(st.integers(0, 30)), forced


@given(st.data(), policies(), st.sampled_from(("strict", "holes")), st.sampled_from(("kernel", "reference")))
def test_private_conversations_are_their_forest_turn_by_turn(data, policy, cache, engine):
    trace, capacity, forced = private(data.draw)
    chains = tt.replay(trace, policy, capacity, forced, engine=engine)
    forest = tt.replay(trace.forest, policy, capacity, forced, engine=engine, cache=cache)
    assert chains.cached.tolist() == forest.cached.tolist()
    first = trace[: len(trace) // 2]
    assert tt.replay(trace.forest[: len(first)], policy, capacity, forced).cached.tolist() == (
        tt.replay(first, policy, capacity, forced).cached.tolist()
    )


@given(st.data(), policies(), st.sampled_from(("exclusive", "inclusive", "swap-out-once")))
def test_so_they_are_in_tiers_and_where_they_are_served(data, policy, mode):
    trace, capacity, forced = private(data.draw)
    tiers = tt.Tiers((capacity, 20 + capacity), (0, Fraction(3, 10)), mode=mode)
    chains, forest = (tt.replay(one, (tt.LRU(), policy), tiers, forced) for one in (trace, trace.forest))
    assert chains.cached.tolist() == forest.cached.tolist()
    chains, forest = (tt.serve(one, policy, capacity, replicas=2, forced=forced) for one in (trace, trace.forest))
    assert chains.cached.tolist() == forest.cached.tolist()


@given(st.data(), policies())
def test_a_curve_is_what_replays_say(data, policy):
    trace, _, _ = private(data.draw)
    chains, forest = (tt.capacity_curve(one, policy) for one in (trace, trace.forest))
    for capacity in (0, 3, 9, 27):
        assert chains.outcome(capacity).cached.tolist() == forest.outcome(capacity).cached.tolist()


@given(forests(), policies(trims=(None,)), st.integers(0, 12), st.sampled_from(("kernel", "reference")))
def test_shared_prefixes_are_trimmed_least_recent_first(forest, policy, capacity, engine):
    said = replace(policy, trim="round-robin" if forest.is_chains else "least-recent")
    both = [tt.replay(forest, one, capacity, engine=engine) for one in (policy, said)]
    assert both[0] == both[1]


@pytest.mark.parametrize("how", [{}, {"cache": "holes"}, {"cache": tt.RadixNodes()}, {"cache": tt.WholeNodes()}])
@pytest.mark.parametrize("engine", ["kernel", "reference"])
def test_rounds_where_prefixes_are_shared_are_an_error(how, engine):
    with pytest.raises(ArgumentError, match="trim: found 'round-robin', expected least-recent, eager or no trim"):
        tt.replay(SHARED, tt.TLRU(2, 1, "round-robin"), 6, engine=engine, **how)


def test_rounds_of_trees_in_tiers_on_curves_and_on_replicas_are_an_error_too():
    policy = tt.TLRU(2, 1, "round-robin")
    timed = tt.Forest.from_paths([[1, 2], [1, 3]], arrival=[0, 1])
    for asked in (
        lambda: tt.replay(SHARED, policy, tt.Tiers((4, 4), (0, Fraction(1, 2)))),
        lambda: tt.capacity_curve(SHARED, policy),
        lambda: tt.serve(timed, policy, 4),
    ):
        with pytest.raises(ArgumentError, match="rounds are of private conversations"):
            asked()


def test_several_requests_that_run_at_a_time_are_trimmed_in_rounds_by_the_reference():
    rng = np.random.default_rng(0)
    trace = tt.Trace.from_turns(rng.integers(0, 5, 60), rng.integers(0, 5, 60), rng.integers(0, 3, 60))
    policies = (tt.TLRU(6, 2, trim) for trim in (None, "round-robin", "least-recent"))
    found = [tt.replay(trace.forest, policy, 150, True, running=3).cached.tolist() for policy in policies]
    assert found[0] == found[1] != found[2]
    with pytest.raises(ArgumentError, match="running: found 3"):
        tt.replay(trace.forest, tt.TLRU(6, 2), 150, True, running=3, engine="kernel")


@pytest.mark.parametrize("engine", ["kernel", "reference"])
def test_a_conversation_arrives_with_an_empty_turn_too(engine):
    trace = tt.Trace.from_turns([0, 1, 0, 0], [0, 5, 5, 1], [0, 0, 0, 0])
    for one in (trace, trace.forest):
        assert tt.replay(one, tt.TLRU(100, 0), 9, engine=engine).cached.tolist() == [0, 0, 0, 4]
