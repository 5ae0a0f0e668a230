"""Who comes back: estimates against plain counts, cuts against a loop token by token, nothing from the future."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from replay.instances import TRIMS, cases, examples
from strategies import SMALL, timed_columns, turn_columns

import teltheory as tt
from experiments.who_comes_back import people_and_agents
from teltheory.belief import hazards
from teltheory.belief.hazards import SILENCES, ReturnRanks
from teltheory.belief.returns import ReturnAwareTLRU, followed
from teltheory.instance import Instance
from teltheory.policies import Conversation
from teltheory.replay.reference import replayed_turns
from teltheory.workloads import LogNormal, fixed

LONG = tt.sample_conversations(people_and_agents(), 400, np.random.default_rng(5))
ROOM, XI, Q_HAT = 20_000, 700, 100
ENDS = SILENCES.tolist()


def timed(case, gaps):
    times = np.cumsum(gaps[: len(case.prompt)])
    return tt.Trace.from_turns(case.conversation, case.prompt, case.response, times, case.history)


GAPS = st.lists(st.sampled_from([0.0, 0.01, 1.0, 3.0, 50.0]), min_size=40, max_size=40)


def plain_counts(trace, turn):
    """Returns and seconds by cell and bin, from the columns of the turns so far."""
    returns, exposure, count = Counter(), Counter(), Counter()
    who, prompt, when = (
        column[: turn + 1].tolist() for column in (trace.conversation, trace.prompt, trace.arrival)
    )
    for i, conversation in enumerate(who):
        number = count[conversation]
        count[conversation] += 1
        row = sum(number >= least for least in (1, 2, 3, 5))
        cell = row * 7 + sum(prompt[i] >= length for length in (16, 64, 256, 1024, 4096, 16384))
        later = [when[j] for j in range(i + 1, turn + 1) if who[j] == conversation]
        silence = (later[0] if later else when[turn]) - when[i]
        for j, (low, high) in enumerate(pairwise(ENDS)):
            exposure[cell, j] += min(max(silence - low, 0.0), high - low)
            if later and (low <= silence < high or (j == len(ENDS) - 2 and silence >= high)):
                returns[cell, j] += 1
    return returns, exposure


@given(timed_columns(turn_columns(length=SMALL | st.integers(0, 20_000), max_turns=14)), st.integers(0, 13))
@examples(60)
def test_counts_are_those_of_the_turns_so_far(columns, turn):
    trace = tt.Trace.from_turns(**columns)
    if turn >= len(trace):
        return
    cell = hazards.cells(hazards.turn_numbers(trace), trace.prompt)
    counts = hazards.counts_after(trace, trace.arrival, cell, turn)
    returns, exposure = plain_counts(trace, turn)
    for c, j in np.ndindex(counts.returns.shape):
        assert counts.returns[c, j] == returns[c, j]
        assert counts.exposure[c, j] == pytest.approx(exposure[c, j], rel=1e-9, abs=1e-9)


def test_counts_of_a_longer_trace():
    cell = hazards.cells(hazards.turn_numbers(LONG), LONG.prompt)
    counts = hazards.counts_after(LONG, LONG.arrival, cell, 350)
    returns, exposure = plain_counts(LONG, 350)
    assert counts.returns.sum() == sum(returns.values()) > 100
    assert all(counts.returns[at] == value for at, value in returns.items())
    assert all(counts.exposure[at] == pytest.approx(value) for at, value in exposure.items())


def plain_index(hazard, j):
    """The best P(return) / E[seconds kept] over later ends, by the definition."""
    width = [high - low for low, high in pairwise(ENDS)]
    width[j] /= 2
    best = 0.0
    for end in range(j, len(width)):
        silent, kept = 1.0, 0.0
        for k in range(j, end + 1):
            kept += silent * -math.expm1(-hazard[k] * width[k]) / hazard[k]
            silent *= math.exp(-hazard[k] * width[k])
        best = max(best, (1 - silent) / kept)
    return best


def test_the_index_is_the_best_ratio():
    rng = np.random.default_rng(3)
    hazard = rng.lognormal(-5, 2, (2, len(ENDS) - 1))
    index = hazards.return_indices(hazard)
    for c, j in np.ndindex(index.shape):
        assert index[c, j] == pytest.approx(plain_index(hazard[c], j), rel=1e-6)


def test_a_constant_hazard_is_its_own_index_and_a_peak_ahead_is_worth_waiting_for():
    hazard = np.full((1, len(ENDS) - 1), 0.01)
    assert hazards.return_indices(hazard) == pytest.approx(hazard)
    hazard[0, 20] = 5.0
    index = hazards.return_indices(hazard)[0]
    assert 0.01 < index[19] < index[20] == pytest.approx(5.0)
    assert index[21] == pytest.approx(0.01)


def test_hazards_find_the_rate_of_a_memoryless_source():
    """One prompt length, turns at the rate 1/50 for ever: every bin that was seen long has that hazard."""
    rng = np.random.default_rng(8)
    gaps = rng.exponential(50.0, (40, 60))
    times = np.cumsum(gaps, axis=1) + rng.uniform(0, 100, (40, 1))
    who = np.repeat(np.arange(40), 60)
    order = np.argsort(times.ravel())
    trace = tt.Trace.from_turns(who[order], np.full(2400, 9), np.zeros(2400, int), times.ravel()[order])
    cell = hazards.cells(hazards.turn_numbers(trace), trace.prompt)
    counts = hazards.counts_after(trace, trace.arrival, cell, 2000)
    known = counts.exposure > 4_000
    found = hazards.hazards(counts, 5.0)[known]
    assert len(found) > 4
    assert found == pytest.approx(1 / 50, rel=0.3)


def test_a_cell_has_its_own_returns_and_without_any_weight_of_its_own_those_of_all():
    cell = hazards.cells(hazards.turn_numbers(LONG), LONG.prompt)
    counts = hazards.counts_after(LONG, LONG.arrival, cell, 399)
    seen = counts.returns.sum(axis=1) > 0
    own = (counts.exposure * hazards.hazards(counts, 1e-9)).sum(axis=1)
    assert own[seen] == pytest.approx(counts.returns.sum(axis=1)[seen], rel=1e-4)
    of_all = hazards.hazards(counts, 1e9)
    assert of_all == pytest.approx(np.tile(of_all[:1], (len(of_all), 1)), rel=1e-4)
    number = hazards.hazards(counts, 1e-9).reshape(5, 7, -1)[:, :, 0]
    empty = (counts.exposure.sum(axis=1) == 0).reshape(5, 7)
    rows = [row for row in range(5) if empty[row].sum() > 1]
    assert rows
    assert all(np.ptp(number[row, empty[row]]) == 0 for row in rows)


def test_before_anything_is_seen_the_longer_silence_has_the_smaller_index():
    nothing = np.zeros((hazards.CELLS, len(ENDS) - 1))
    index = hazards.return_indices(hazards.hazards(hazards.Counts(nothing, nothing), 5.0))
    assert np.all(np.diff(index[:, 1:]) < 0)
    assert np.all(np.ptp(index, axis=0) == 0)


def test_renewals_come_every_32_turns_and_then_every_32nd_part():
    after = list(hazards.renewals(5_000))
    assert after[:3] == [0, 32, 64]
    assert after[-1] < 5_000
    assert [turn for turn, following in pairwise(after) if following - turn != max(32, turn // 32)] == []


def test_a_rank_is_that_of_the_bin():
    ranks = ReturnRanks.of(LONG, LONG.arrival, 5.0)
    for silence in (0.0, 0.01, ENDS[1], 1.0, 1.3, 40.0, 64.0, ENDS[-2], ENDS[-1], 1e9):
        (place,) = [j for j in range(len(ENDS) - 1) if ENDS[j] <= min(silence, ENDS[-1] - 1) < ENDS[j + 1]]
        assert hazards.bins(np.array(silence)) == place
        assert ranks.rank(399, 8, silence) == ranks.ranks[-1, 8, place]


def token_by_token(trace, capacity, policy):
    """Replay the learnt order with least-recent trim, each token a step, over dictionaries."""
    ranks = ReturnRanks.of(trace, trace.arrival, policy.shrinkage)
    held, past, last, reused = {}, {}, {}, []
    rows = zip(trace.conversation.tolist(), trace.history.tolist(), trace.past.tolist(), strict=True)
    for k, (who, history, length) in enumerate(rows):
        reused.append(min(held.pop(who, 0), history))
        past[who] = held[who] = length
        last[who] = k
        while sum(held.values()) > capacity:
            oldest_first = sorted((w for w in held if held[w] > 0), key=last.__getitem__)
            budget = {w: min(past[w], max(0, past[w] + policy.q_hat - policy.xi)) for w in oldest_first}
            surplus = [w for w in oldest_first if held[w] > budget[w]]
            silence = {w: trace.arrival[k] - trace.arrival[last[w]] for w in oldest_first}
            order = {w: ranks.rank(k, int(ranks.cell[last[w]]), silence[w]) for w in oldest_first}
            loser = surplus[0] if surplus else min(oldest_first, key=lambda w: order[w])
            held[loser] -= 1
    return reused


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
    policy = ReturnAwareTLRU(case.xi, case.q_hat, "least-recent", lead=None)
    assert tt.replay(trace, policy, case.capacity).cached.tolist() == token_by_token(trace, case.capacity, policy)


def test_cuts_token_by_token_where_much_was_learnt():
    tokens = (LONG.prompt // 100, LONG.response // 100)
    trace = tt.Trace.from_turns(LONG.conversation, *tokens, LONG.arrival)
    policy = ReturnAwareTLRU(7, 1, "least-recent", lead=None)
    outcome = tt.replay(trace, policy, 150)
    assert outcome.cached.tolist() == token_by_token(trace, 150, policy)
    assert outcome != tt.replay(trace, policy.tlru, 150)


@pytest.mark.parametrize("lead", [None, 0.0, 1.0])
@pytest.mark.parametrize("turns", [1, 33, 150, 399])
def test_what_comes_later_changes_no_decision(turns, lead):
    """The same first turns, then others: everything that is cached stays the same."""
    columns = (LONG.conversation, LONG.prompt, LONG.response, LONG.arrival)
    first = [column[:turns] for column in columns]
    others = [[10**6], [9_999], [9_999], [LONG.arrival[turns - 1]]], [LONG.conversation[:1], [1], [1], [10**7]]
    policy = ReturnAwareTLRU(XI, Q_HAT, lead=lead)
    whole = tt.replay(LONG, policy, ROOM).cached[:turns].tolist()
    for other in others:
        trace = tt.Trace.from_turns(*(np.concatenate((a, b)) for a, b in zip(first, other, strict=True)))
        assert tt.replay(trace, policy, ROOM).cached[:turns].tolist() == whole


def test_the_prefix_test_sees_the_learnt_order():
    always, tlru = (tt.replay(LONG, ReturnAwareTLRU(XI, Q_HAT, lead=lead), ROOM) for lead in (None, 1e9))
    assert always != tlru


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
    with pytest.raises(tt.ArgumentError, match="no arrival times"):
        tt.replay(tt.Trace.from_turns([0], [1], [1]), policy, 5)


@pytest.mark.parametrize(
    "wrong", [{"shrinkage": 0.0}, {"shrinkage": math.inf}, {"lead": -1.0}, {"trim": "no"}, {"xi": -1}]
)
def test_wrong_parameters_are_named(wrong):
    (name,) = wrong
    with pytest.raises(tt.ArgumentError, match=name):
        ReturnAwareTLRU(**{"xi": 1, "q_hat": 1, **wrong})


def test_one_of_the_initial_cache_counts_as_a_first_turn_of_its_length():
    trace = tt.Trace.from_turns([0, 1], [100, 5_000], [0, 0], [0.0, 40.0])
    bound = ReturnAwareTLRU(1, 0, lead=None).bound_to(Instance.of(trace, 10, initial=[(7, 100, 4)]))
    first, same = Conversation(0, 100, 4, None, 7, -1), Conversation(1, 100, 4, None, 0, 0)
    other = Conversation(2, 5_000, 4, None, 1, 1)
    rules = bound(1)
    assert rules.eviction_key(first) == rules.eviction_key(same)
    assert rules.eviction_key(first) < rules.eviction_key(other)
