"""Who comes back: cuts token by token, the loop against the reference, the bound, never the future."""

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from replay.instances import cases, examples
from strategies import named, words

import teltheory as tt
from teltheory.model.instance import ForestInstance, Instance
from teltheory.paper.scenarios import people_and_agents
from teltheory.policies import Conversation
from teltheory.policies.learned import hazards
from teltheory.policies.learned.hazards import SILENCES, STEPS, Estimates
from teltheory.policies.learned.return_aware import (
    EXPERTS,
    LearntOrder,
    ReturnAwareTLRU,
    TrackRecord,
    cells_of_turns,
    continued_prompts,
    watched_turns,
)
from teltheory.policies.policy import NotCompiledError
from teltheory.replay.chains.reference import replay_reference, replayed_turns
from teltheory.replay.learned.followed import follow_on_paths, follow_on_turns
from teltheory.replay.trees import reference as trees
from teltheory.workloads import LogNormal, fixed

LONG = tt.sample_conversations(people_and_agents(), 280, np.random.default_rng(5))
ROOM, XI, Q_HAT = 20_000, 700, 100
ENDS = SILENCES.tolist()


def timed(case, gaps):
    times = np.cumsum(gaps[: len(case.prompt)])
    return tt.Trace.from_turns(case.conversation, case.prompt, case.response, times, case.history)


GAPS = st.lists(st.sampled_from([0.0, 0.01, 1.0, 3.0, 50.0]), min_size=40, max_size=40)


def learnt_from(instance):
    cell = cells_of_turns(instance)
    times = np.array(instance.requests.arrival)
    return Estimates.of(watched_turns(instance, times, cell), continued_prompts(instance)), cell


def token_by_token(trace, capacity, policy):
    """Replay the learnt order, each token a step, over dictionaries."""
    learnt, cell = learnt_from(Instance.of(trace, capacity))
    held, past, last, reused, prompts = {}, {}, {}, [], []
    rows = zip(trace.conversation.tolist(), trace.history.tolist(), trace.past.tolist(), strict=True)
    for k, (who, history, length) in enumerate(rows):
        reused.append(min(held.pop(who, 0), history))
        prompts += [int(trace.prompt[k])] if who in past else []
        if k in learnt.after:
            known = tuple(prompts) or (0,)
        past[who] = held[who] = length
        last[who] = k
        while sum(held.values()) > capacity:
            oldest_first = sorted((w for w in held if held[w] > 0), key=last.__getitem__)
            held[
                min(
                    oldest_first,
                    key=lambda w: _score(trace, learnt, cell, k, last[w], policy.xi - past[w] + held[w], known),
                )
            ] -= 1
    return reused


def _score(trace, learnt, cell, turn, last, need, prompts):
    silence = trace.arrival[turn] - trace.arrival[last]
    place = max(j for j in range(len(ENDS) - 1) if ENDS[j] <= silence)
    step = max((length for length in STEPS.tolist() if length < need), default=-1)
    share = sum(prompt > step for prompt in prompts) / len(prompts)
    rate = float(learnt.worth[learnt.table[turn], cell[last], place])
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


@pytest.mark.parametrize("engine", ["kernel", "reference"])
@pytest.mark.parametrize("lead", [None, 0.0, 1.0])
@pytest.mark.parametrize("turns", [1, 33, 120, 279])
def test_what_comes_later_changes_no_decision(turns, lead, engine):
    """The same first turns, then none or others: everything that is cached stays the same."""
    columns = (LONG.conversation, LONG.prompt, LONG.response, LONG.arrival)
    first = [column[:turns] for column in columns]
    others = [[10**6], [9_999], [9_999], [LONG.arrival[turns - 1]]], [LONG.conversation[:1], [1], [1], [10**7]]
    policy = ReturnAwareTLRU(XI, Q_HAT, lead=lead)
    whole = replayed(policy).cached[:turns].tolist()
    for other in ([[]] * 4, *others):
        trace = tt.Trace.from_turns(*(np.concatenate((a, b)) for a, b in zip(first, other, strict=True)))
        assert tt.replay(trace, policy, ROOM, engine=engine).cached[:turns].tolist() == whole


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize("lead", [None, 0.0, 1.0])
def test_a_forest_that_is_cut_short_was_decided_the_same(strict, lead):
    """What experts did and which one is followed too; the tags that are left out have not come yet."""
    forest = branching(120)
    policy = ReturnAwareTLRU(4, 2, lead=lead)
    whole = follow_on_paths(ForestInstance.of(forest, 40), policy, strict)
    assert lead is None or len(whole.switches) > 0
    for n in (1, 34, 80, 119):
        found = follow_on_paths(ForestInstance.of(forest[:n], 40), policy, strict)
        for name in ("spent", "expert", "missing"):
            assert getattr(found, name).tolist() == getattr(whole, name)[:n].tolist(), name
        assert found.outcome.cached.tolist() == whole.outcome.cached[:n].tolist()


def branching(n, seed=3):
    """Requests that lengthen one of the latest paths or begin anew; those of one tag come back at once."""
    rng, spelt, tags = np.random.default_rng(seed), [[0]], []
    for k in range(n):
        again = k % 3 == 0 or rng.random() < 0.3
        begun = spelt[-1 if again else rng.integers(len(spelt))]
        cut = len(begun) if rng.random() < 0.8 else rng.integers(1, len(begun) + 1)
        spelt.append(begun[:cut] + [int(t) for t in rng.integers(0, 3, rng.integers(0, 6))])
        tags.append("late" if k > 90 else "again" if again else "other")
    times = np.cumsum(rng.exponential(5.0, n))
    forest = tt.Forest.from_paths(named(spelt[1:]), arrival=times)
    return forest.with_hints(tt.Hints.of(forest, kind=tags))


LEADS = st.sampled_from([None, 0.0, 0.4, 1.0])
TRIMS = ("least-recent", "eager")


@given(cases(), GAPS, LEADS, st.sampled_from(TRIMS), st.sampled_from([1, 10**17]))
@examples(200)
def test_the_loop_does_on_conversations_what_the_reference_does(case, gaps, lead, trim, unit):
    """Lengths near 2**62 too: in the law of prompts steps are then far apart."""
    longer = {name: [unit * n for n in getattr(case, name)] for name in ("prompt", "response")}
    histories = case.history if case.history is None else [unit * n for n in case.history]
    trace = timed(replace(case, history=histories, **longer), gaps)
    initial = [(code, unit * past, unit * cached) for code, past, cached in case.initial]
    instance = Instance.of(trace, unit * case.capacity, forced=case.forced, initial=initial)
    policy = ReturnAwareTLRU(unit * case.xi, unit * case.q_hat, trim, lead=lead)
    try:
        found = follow_on_turns(instance, policy)
    except NotCompiledError:
        assert unit > 1
        return
    assert found.outcome == replay_reference(instance, policy)
    plain = tt.LRU(), policy.tlru, LearntOrder(policy.xi)
    assert found.tel == tuple(replay_reference(instance, expert).tel(policy.xi) for expert in plain)
    assert found.outcome.tel(policy.xi) - min(found.tel) <= found.bound


@st.composite
def forests_in_time(draw):
    """Forests of blocks with tails that are not full, tags, and silences of all lengths."""
    spelt = draw(words())
    n, size = len(spelt), draw(st.sampled_from([1, 4]))
    ask = [draw(st.integers(max(len(word) - 1, 0), len(word))) for word in spelt]
    total = [asked + draw(st.integers(0, 2)) for asked in ask]
    tokens = [size * asked + draw(st.integers(0, 3)) for asked in total]
    tags = draw(st.none() | st.lists(st.sampled_from("ab"), min_size=n, max_size=n))
    arrival = np.cumsum(draw(GAPS)[:n])
    forest = tt.Forest.from_paths(named(spelt), ask, total, arrival, block_size=size, tokens=tokens)
    return forest.with_hints(None if tags is None else tt.Hints.of(forest, stop=tags))


@given(forests_in_time(), st.data(), LEADS, st.sampled_from(TRIMS), st.booleans())
@examples(300)
def test_the_loop_does_on_forests_what_the_reference_does(forest, data, lead, trim, strict):
    longest = int(forest.past.max(initial=0))
    exempt, capacity = data.draw(st.integers(0, 2)), data.draw(st.integers(0, 8))
    policy = ReturnAwareTLRU(data.draw(st.integers(0, 5)), data.draw(st.integers(0, 3)), trim, lead=lead)
    room = capacity + exempt * longest
    instance = ForestInstance.of(forest, room, forced=exempt > 0, running=max(exempt, 1))
    found = follow_on_paths(instance, policy, strict)
    assert found.outcome == trees.replay_reference(instance, policy, strict)
    xi, plain = policy.xi * forest.block_size, (tt.LRU(), policy.tlru, LearntOrder(policy.xi))
    outcomes = [trees.replay_reference(instance, expert, strict).in_tokens() for expert in plain]
    assert found.tel == tuple(outcome.tel(xi) for outcome in outcomes)
    assert found.outcome.in_tokens().tel(xi) - min(found.tel) <= found.bound


@pytest.mark.parametrize("strict", [True, False])
def test_the_loop_does_what_the_reference_does_where_much_was_learnt(strict):
    forest = branching(100)
    for lead, trim in ((None, "least-recent"), (0.0, "eager"), (1.0, "least-recent")):
        policy, instance = ReturnAwareTLRU(4, 2, trim, lead=lead), ForestInstance.of(forest, 40)
        found = follow_on_paths(instance, policy, strict).outcome
        assert found == trees.replay_reference(instance, policy, strict)
        assert found == tt.replay(forest, policy, 40, cache="strict" if strict else "holes")


@pytest.mark.parametrize("lead", [None, 0.0, 1.0])
def test_the_loop_does_so_on_turns_too(lead):
    turns = [column[:200] for column in (LONG.conversation, LONG.prompt, LONG.response, LONG.arrival)]
    instance = Instance.of(tt.Trace.from_turns(*turns), ROOM)
    policy = ReturnAwareTLRU(XI, Q_HAT, lead=lead)
    assert follow_on_turns(instance, policy).outcome == replay_reference(instance, policy)


def test_what_is_followed_and_what_it_can_cost():
    """The sum that the bound is, from what the experts did alone."""
    found = follow_on_turns(Instance.of(LONG, 2 * ROOM), ReturnAwareTLRU(XI, Q_HAT, lead=0.0))
    so_far, expert, gaps = np.cumsum(found.spent, axis=0), 0, 0
    for k, following in enumerate(found.expert.tolist()):
        if following != expert:
            assert k in found.switches
            gaps += int(so_far[k, expert] - so_far[k, following]) + int(found.missing[k])
            expert = following
        else:
            assert found.missing[k] == 0
    assert len(found.switches) > 1
    assert found.bound == gaps + found.tel[expert] - min(found.tel)
    assert 0 < found.missing.max() <= 2 * ROOM


@given(cases(), GAPS, st.sampled_from([None, 0.0, 1.0]), st.sampled_from(("round-robin", *TRIMS)))
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
def test_without_a_lead_to_reach_it_is_lru(case, gaps, trim):
    trace = timed(case, gaps)
    policy = ReturnAwareTLRU(case.xi, case.q_hat, trim, lead=1e30)
    found = tt.replay(trace, policy, case.capacity, case.forced, case.initial)
    assert found == tt.replay(trace, tt.LRU(), case.capacity, case.forced, case.initial)


@pytest.mark.long
def test_it_helps_where_agents_come_back_and_people_do_not():
    people = tt.Kind(1 / 50_000, LogNormal(1_500.0, spread=1.0), LogNormal(300.0), share=0.8)
    agents = tt.Kind(1 / 20, [fixed(5_000), LogNormal(100.0)], fixed(80), share=0.2)
    model = tt.ConversationMixture(birth_rate=1 / 4, death_rate=1 / 300, kinds=[people, agents])
    trace = tt.sample_conversations(model, 1_500, np.random.default_rng(2))
    tel = {
        lead: tt.tail_excess_latency(tt.replay(trace, ReturnAwareTLRU(XI, Q_HAT, lead=lead), 100_000), XI)
        for lead in (None, 2.0, 1e9)
    }
    assert tel[None] < tel[2.0] < tel[1e9]


def followed(saved, lead):
    """The expert after each request on which the second and third saved so much against LRU."""
    record = TrackRecord(lead)
    return [record.after((100, 100 - second, 100 - third)) for second, third in saved]


def test_the_best_is_followed_once_it_has_won_often_enough():
    saved = [(0, 0), (9, 0), (0, 0), (1, 2), (1, 2), (-1, 2), (0, 9), (-30, -30), (0, -1)]
    # S of the second: 0 9 9 10 11 10 10 -20 -20; of the third: 0 0 0 2 4 6 15 -15 -16
    assert followed(saved, 0.0) == [0, 1, 1, 1, 1, 1, 2, 0, 0]
    # 9 = V of one request is no lead, 10 > sqrt(82) is one; the third won 4 of 5 against the second, 3 > sqrt(5)
    assert followed(saved, 1.0) == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    # the second won 3 of 3, 3 > 1.7 sqrt(3), but not 11 > 1.7 sqrt(83)
    assert followed(saved, 1.7) == [0, 0, 0, 0, 1, 1, 1, 1, 1]
    assert followed(saved, 9.0) == [0] * 9
    assert followed(saved, None) == [2] * 9
    assert EXPERTS[2] == "learnt order"


def test_equal_records_change_nothing():
    assert followed([(2, 2), (0, 0)], 0.0) == [1, 1]
    assert followed([(2, 0), (-2, 0)], 0.0) == [1, 1]


def test_an_empty_trace_and_one_without_times():
    policy = ReturnAwareTLRU(10, 2)
    empty = tt.Trace.from_turns([], [], [], [])
    assert len(tt.replay(empty, policy, 5)) == 0
    refused(tt.ArgumentError, "no arrival times", lambda: tt.replay(tt.Trace.from_turns([0], [1], [1]), policy, 5))


@pytest.mark.parametrize("wrong", [{"lead": -1.0}, {"lead": math.inf}, {"trim": "no"}, {"xi": -1}, {"q_hat": -1}])
def test_wrong_parameters_are_named(wrong):
    (name,) = wrong
    refused(tt.ArgumentError, name, ReturnAwareTLRU, **{"xi": 1, "q_hat": 1, **wrong})


def test_one_of_the_initial_cache_counts_as_a_first_turn_of_its_length(monkeypatch):
    """Of two that are alike the least recent goes first; one of another length has a score of its own."""
    trace = tt.Trace.from_turns([0, 1, 0], [100, 5_000, 5], [0, 0, 0], [0.0, 40.0, 45.0])
    instance = Instance.of(trace, 10, initial=[(7, 100, 4)])
    first, same = Conversation(0, 100, 4, None, 7, -1), Conversation(1, 100, 4, None, 0, 0)
    other = Conversation(2, 5_000, 4, None, 1, 1)
    cell = int(hazards.cells(np.array(0), np.array(100)))
    LearntOrder(1).bound_to(instance)(1).cut([first, same, other], 5)
    assert (first.cached, same.cached, other.cached) == (0, 3, 4)
    learnt, _ = learnt_from(instance)
    likely = replace(learnt, worth=np.where(np.arange(hazards.CELLS)[:, None] == cell, 5.0, learnt.worth))
    monkeypatch.setattr(Estimates, "of", lambda *_: likely)
    first.cached = same.cached = other.cached = 4
    LearntOrder(1).bound_to(instance)(1).cut([first, same, other], 5)
    assert (first.cached, same.cached, other.cached) == (3, 4, 0)


@given(cases(), GAPS)
@examples(40)
def test_conversations_that_are_forgotten_change_nothing(case, gaps):
    instance = Instance.of(timed(case, gaps), case.capacity, forced=case.forced, initial=case.initial)
    order = LearntOrder(case.xi)
    with pytest.MonkeyPatch.context() as patch:
        kept = replay_reference(instance, order)
        patch.setattr(type(order.bound_to(instance)(0)), "forgets", False)
        assert replay_reference(instance, order) == kept


def test_kinds_and_stops_are_what_conversations_are_told_apart_by():
    """Of two equal conversations the one whose turns of its tag came back before is kept."""
    who = [k // 2 if k % 4 < 2 else 1000 + k for k in range(120)] + [5000, 5001, 5000]
    tags = ["back" if k % 4 < 2 else "gone" for k in range(120)] + ["gone", "back", "gone"]
    plain = tt.Trace.from_turns(who, [60] * 123, [0] * 123, np.arange(123.0))
    tagged = plain.with_hints(tt.Hints.of(plain, kind=[tag[0] for tag in tags], stop=[tag[1:] for tag in tags]))
    policy = ReturnAwareTLRU(1, 60, lead=None)
    without, known = (follow_on_turns(Instance.of(t, 60), policy).outcome.cached for t in (plain, tagged))
    assert without[-1] > 0
    assert known[-1] == 0


def test_round_robin_trimming_and_own_caches_are_for_the_reference():
    trace = tt.Trace.from_turns([0, 1, 0], [5, 5, 5], [0] * 3, [0.0, 1.0, 2.0])
    policy = ReturnAwareTLRU(1, 1, "round-robin")
    refused(tt.ArgumentError, "round-robin", tt.replay, trace, policy, 4, engine="kernel")
    assert len(tt.replay(trace, policy, 4)) == 3
    forest = tt.Forest.from_paths([[0], [0, 1]], arrival=[0, 1])
    wanted = "'strict' or 'holes'"
    refused(tt.ArgumentError, wanted, tt.replay, forest, ReturnAwareTLRU(1, 1), 4, cache=tt.RadixNodes())
    untimed = tt.Forest.from_paths([[0], [0, 1]])
    for engine in ("kernel", "reference"):
        refused(tt.ArgumentError, "no arrival times", tt.replay, untimed, ReturnAwareTLRU(1, 1), 4, engine=engine)
