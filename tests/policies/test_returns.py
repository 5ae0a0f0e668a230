"""Who comes back: cuts against a loop token by token, the capacity, T-LRU until proved, never the future."""

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from replay.instances import TRIMS, cases, examples

import teltheory as tt
from teltheory.model.instance import Instance
from teltheory.paper.scenarios import people_and_agents
from teltheory.policies import Conversation
from teltheory.policies.learned import hazards
from teltheory.policies.learned.hazards import SILENCES, ReturnIndices
from teltheory.policies.learned.return_aware import LearntOrder, ReturnAwareTLRU, followed
from teltheory.replay.chains.reference import replay_reference, replayed_turns
from teltheory.workloads import LogNormal, fixed

LONG = tt.sample_conversations(people_and_agents(), 400, np.random.default_rng(5))
ROOM, XI, Q_HAT = 20_000, 700, 100
ENDS = SILENCES.tolist()


def timed(case, gaps):
    times = np.cumsum(gaps[: len(case.prompt)])
    return tt.Trace.from_turns(case.conversation, case.prompt, case.response, times, case.history)


GAPS = st.lists(st.sampled_from([0.0, 0.01, 1.0, 3.0, 50.0]), min_size=40, max_size=40)


def token_by_token(trace, capacity, policy):
    """Replay the learnt order, each token a step, over dictionaries."""
    indices = ReturnIndices.of(trace, trace.arrival)
    held, past, last, reused, prompts = {}, {}, {}, [], []
    rows = zip(trace.conversation.tolist(), trace.history.tolist(), trace.past.tolist(), strict=True)
    for k, (who, history, length) in enumerate(rows):
        reused.append(min(held.pop(who, 0), history))
        prompts += [int(trace.prompt[k])] if who in past else []
        if k in indices.after:
            known = tuple(prompts) or (0,)
        past[who] = held[who] = length
        last[who] = k
        while sum(held.values()) > capacity:
            oldest_first = sorted((w for w in held if held[w] > 0), key=last.__getitem__)
            held[
                min(
                    oldest_first,
                    key=lambda w: _score(trace, indices, k, last[w], policy.xi - past[w] + held[w], known),
                )
            ] -= 1
    return reused


def _score(trace, indices, turn, last, need, prompts):
    silence = trace.arrival[turn] - trace.arrival[last]
    place = max(j for j in range(len(ENDS) - 1) if ENDS[j] <= silence)
    share = sum(prompt >= need for prompt in prompts) / len(prompts)
    rate = float(indices.log[indices.table[turn], indices.cell[last], place])
    return rate + (math.log(share) if share else -math.inf)


@given(cases(), GAPS)
@examples(60)
def test_cuts_token_by_token(case, gaps):
    trace = timed(case, gaps)
    if (
        case.forced
        or case.initial
        or trace.history.sum() != timed(replace(case, history=None), gaps).history.sum()
    ):
        return
    policy = ReturnAwareTLRU(case.xi, case.q_hat, lead=None)
    assert tt.replay(trace, policy, case.capacity).cached.tolist() == token_by_token(trace, case.capacity, policy)


def test_cuts_token_by_token_where_much_was_learnt():
    tokens = (LONG.prompt // 100, LONG.response // 100)
    trace = tt.Trace.from_turns(LONG.conversation, *tokens, LONG.arrival)
    policy = ReturnAwareTLRU(7, 1, lead=None)
    outcome = tt.replay(trace, policy, 150)
    assert outcome.cached.tolist() == token_by_token(trace, 150, policy)
    assert outcome != tt.replay(trace, policy.tlru, 150)


@cache
def replayed(policy):
    return tt.replay(LONG, policy, ROOM)


@pytest.mark.parametrize("lead", [None, 0.0, 1.0])
@pytest.mark.parametrize("turns", [1, 33, 150, 399])
def test_what_comes_later_changes_no_decision(turns, lead):
    """The same first turns, then others: everything that is cached stays the same."""
    columns = (LONG.conversation, LONG.prompt, LONG.response, LONG.arrival)
    first = [column[:turns] for column in columns]
    others = [[10**6], [9_999], [9_999], [LONG.arrival[turns - 1]]], [LONG.conversation[:1], [1], [1], [10**7]]
    policy = ReturnAwareTLRU(XI, Q_HAT, lead=lead)
    whole = replayed(policy).cached[:turns].tolist()
    for other in others:
        trace = tt.Trace.from_turns(*(np.concatenate((a, b)) for a, b in zip(first, other, strict=True)))
        assert tt.replay(trace, policy, ROOM).cached[:turns].tolist() == whole


@given(cases(), GAPS, st.sampled_from([None, 0.0, 1.0]), st.sampled_from(TRIMS))
@examples(80)
def test_the_capacity_holds_after_every_turn(case, gaps, lead, trim):
    trace = timed(case, gaps)
    instance = Instance.of(trace, case.capacity, forced=case.forced, initial=case.initial)
    last = len(trace) - 1
    policy = ReturnAwareTLRU(case.xi, case.q_hat, trim, lead=lead)
    for k, (reused, conversations) in enumerate(replayed_turns(instance, policy)):
        assert 0 <= reused <= instance.history[k]
        assert all(0 <= c.cached <= c.past for c in conversations.values())
        if k < last or not case.forced:
            assert sum(c.cached for c in conversations.values()) <= case.capacity


@given(cases(), GAPS, st.sampled_from(TRIMS))
@examples(60)
def test_without_a_lead_to_reach_it_is_tlru(case, gaps, trim):
    trace = timed(case, gaps)
    policy = ReturnAwareTLRU(case.xi, case.q_hat, trim, lead=1e30)
    found = tt.replay(trace, policy, case.capacity, case.forced, case.initial)
    assert found == tt.replay(trace, policy.tlru, case.capacity, case.forced, case.initial)


@pytest.mark.long
def test_it_helps_where_agents_come_back_and_people_do_not():
    people = tt.Kind(1 / 50_000, LogNormal(1_500.0, spread=1.0), LogNormal(300.0), share=0.8)
    agents = tt.Kind(1 / 20, [fixed(5_000), LogNormal(100.0)], fixed(80), share=0.2)
    model = tt.ConversationMixture(birth_rate=1 / 4, death_rate=1 / 300, kinds=[people, agents])
    trace = tt.sample_conversations(model, 1_500, np.random.default_rng(2))
    tel = {
        lead: tt.tail_excess_latency(tt.replay(trace, ReturnAwareTLRU(XI, Q_HAT, lead=lead), 100_000), XI)
        for lead in (None, 1.0, 1e9)
    }
    assert tel[None] < tel[1.0] < tel[1e9]


def test_it_is_followed_from_a_lead_on_until_it_is_behind():
    saved = np.array([0, -3, 4, 4, 0, -5, 5, 0, 20])
    # S = 0 -3 1 5 5 0 5 5 25;  V^2 = 0 9 25 41 41 66 91 91 491
    assert followed(saved, 0.0).tolist() == [False, False, True, True, True, False, True, True, True]
    assert followed(saved, 0.7).tolist() == [False, False, False, True, True, False, False, False, True]
    assert followed(saved, 2.0).tolist() == [False] * 9
    assert followed(saved[:0], 1.0).tolist() == []
    assert followed(saved[2:3], 1.0).tolist() == [False]  # S = V is no lead


def test_an_empty_trace_and_one_without_times():
    policy = ReturnAwareTLRU(10, 2)
    empty = tt.Trace.from_turns([], [], [], [])
    assert len(tt.replay(empty, policy, 5)) == 0
    refused(tt.ArgumentError, "no arrival times", lambda: tt.replay(tt.Trace.from_turns([0], [1], [1]), policy, 5))


@pytest.mark.parametrize("wrong", [{"lead": -1.0}, {"lead": math.inf}, {"trim": "no"}, {"xi": -1}, {"q_hat": -1}])
def test_wrong_parameters_are_named(wrong):
    (name,) = wrong
    refused(tt.ArgumentError, name, ReturnAwareTLRU, **{"xi": 1, "q_hat": 1, **wrong})


def test_one_of_the_initial_cache_counts_as_a_first_turn_of_its_length():
    """Of two that are alike the least recent goes first; one of another length has a score of its own."""
    trace = tt.Trace.from_turns([0, 1, 0], [100, 5_000, 5], [0, 0, 0], [0.0, 40.0, 45.0])
    order = LearntOrder.of(1, Instance.of(trace, 10, initial=[(7, 100, 4)]))
    first, same = Conversation(0, 100, 4, None, 7, -1), Conversation(1, 100, 4, None, 0, 0)
    other = Conversation(2, 5_000, 4, None, 1, 1)
    cell = int(hazards.cells(np.array(0), np.array(100)))
    order.after(1).cut([first, same, other], 5)
    assert (first.cached, same.cached, other.cached) == (0, 3, 4)
    indices = replace(
        order.indices, log=np.where(np.arange(hazards.CELLS)[:, None] == cell, 5.0, order.indices.log)
    )
    first.cached = same.cached = other.cached = 4
    replace(order, indices=indices).after(1).cut([first, same, other], 5)
    assert (first.cached, same.cached, other.cached) == (3, 4, 0)


@given(cases(), GAPS)
@examples(40)
def test_conversations_that_are_forgotten_change_nothing(case, gaps):
    instance = Instance.of(timed(case, gaps), case.capacity, forced=case.forced, initial=case.initial)
    order = LearntOrder.of(case.xi, instance)
    with pytest.MonkeyPatch.context() as patch:
        kept = replay_reference(instance, order)
        patch.setattr(type(order.after(0)), "forgets", False)
        assert replay_reference(instance, order) == kept
