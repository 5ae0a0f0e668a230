from fractions import Fraction

import numpy as np
import pytest
from advice.advised_traces import LATENCY, chats, single_turns
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import given_columns, turn_columns

import teltheory as tt
from teltheory.advice.choice import choose, margins
from teltheory.advice.comparison import drift, neighbours
from teltheory.advice.goal import Cost, CostLimits, Goal
from teltheory.advice.overflow import first_overflow
from teltheory.advice.promise import time_blocks
from teltheory.advice.server import Replaying
from teltheory.advice.settings import Settings
from teltheory.base.progress import Count
from teltheory.cost.bootstrap import Blocks, interval
from teltheory.cost.standing import DRAWS, at_most_all

FREE = CostLimits(None, None)

P95 = Fraction(95, 100)


def chosen(trace, capacity, goal, seed=0, limits=FREE, rest=None, told=lambda *place: None):
    """What is chosen on a trace that is followed by a rest of so many turns, as many if none are given."""
    after = single_turns(rest or len(trace))
    whole = tt.Trace.from_turns(
        np.concatenate((trace.conversation, 10**6 + after.conversation)),
        np.concatenate((trace.prompt, after.prompt)),
        np.concatenate((trace.response, after.response)),
        history=np.concatenate((trace.history, after.history)),
    )
    server = Replaying(whole, len(trace), capacity, goal.latency, Settings(goal.xi, 0), Count(told, 99))
    return choose(server, goal, limits, "conversation", np.random.default_rng(seed))


@st.composite
def chat_like(draw):
    """Traces of 60 turns in which conversations return."""
    turn = st.tuples(st.integers(0, 9), st.integers(0, 20), st.integers(0, 5))
    conversation, prompt, response = zip(*draw(st.lists(turn, min_size=60, max_size=60)), strict=True)
    return tt.Trace.from_turns(conversation, prompt, response)


def spent(prefilled, p50):
    return Cost(prefilled, 0.5, p50, 1.0, 0)


def t_lru(margin):
    return tt.TLRU(margin, 0, "least-recent")


@given(turn_columns() | given_columns(), st.integers(0, 60))
def test_the_cache_overflows_first_where_all_pasts_together_do(columns, capacity):
    trace = tt.Trace.from_turns(**columns)
    pasts, expected = {}, len(trace)
    for turn, conversation in enumerate(trace.conversation.tolist()):
        pasts[conversation] = int(trace.past[turn])
        if sum(pasts.values()) > capacity:
            expected = turn
            break
    assert first_overflow(trace, np.zeros(len(trace), np.int64), capacity) == expected


@given(turn_columns(), st.integers(0, 60), st.integers(0, 9))
def test_before_the_first_overflow_policies_do_not_differ(columns, capacity, margin):
    trace = tt.Trace.from_turns(**columns)
    until = first_overflow(trace, np.zeros(len(trace), np.int64), capacity) + 1
    outcomes = [tt.replay(trace, policy, capacity) for policy in (tt.LRU(), tt.TLRU(margin, 0))]
    assert np.array_equal(outcomes[0].cached[:until], outcomes[1].cached[:until])


def test_margins_are_twentieths_of_the_slo_or_of_the_percentile_and_what_the_slo_leaves_of_prompts():
    trace = chats(400)
    lru, prompts = tt.replay(trace, tt.LRU(), 2000).uncached[7:], trace.prompt[trace.continuing]
    p95 = int(np.quantile(lru, 0.95, method="inverted_cdf"))
    for level, scale in ((None, 900), (P95, p95)):
        found = margins(lru, prompts, Goal(Fraction(900), LATENCY, level))
        reached = [max(900 - np.quantile(prompts, q, method="inverted_cdf"), 0) for q in (0.5, 0.9, 0.99)]
        assert found[0] == 0
        assert set(reached) | {scale * k // 20 for k in range(41)} <= set(found)
        assert found == sorted(set(found))
    assert margins(lru, prompts[:0], Goal(Fraction(900), LATENCY)) == [45 * k for k in range(41)]


def test_the_gain_of_each_margin_is_that_of_a_replay():
    trace, goal = chats(600), Goal(Fraction(2000), LATENCY)
    choice = chosen(trace, 2000, goal)
    kept = slice(choice.warm_up, None)
    lru = np.maximum(tt.replay(trace, tt.LRU(), 2000).uncached[kept] - 2000, 0).sum()
    for tried in choice.tried[::7]:
        outcome = tt.replay(trace, tt.TLRU(tried.margin + 30, 30, "least-recent"), 2000)
        tel = np.maximum(outcome.uncached[kept] - 2000, 0).sum()
        assert tried.gain == pytest.approx(1 - tel / lru)
        assert tried.cost.p50 == np.quantile(outcome.uncached[kept], 0.5, method="inverted_cdf")


def test_for_tel_the_best_margin_is_that_of_the_greatest_gain_or_near_it():
    choice = chosen(chats(), 4000, Goal(Fraction(1, 5)))
    best = max(tried.gain for tried in choice.tried)
    at = {tried.margin: tried.gain for tried in choice.tried}
    assert choice.here.value == at[choice.margin] >= best - 0.01
    assert choice.helps
    assert choice.promise.low < choice.here.value < choice.promise.high


def test_for_a_percentile_the_margin_keeps_off_the_cliff_behind_the_best_one():
    goal = Goal(Fraction(1, 5), level=P95)
    trace = chats()
    choice = chosen(trace, 4000, goal)
    assert choice.helps
    lru = goal.losses(tt.replay(trace, tt.LRU(), 4000))[choice.warm_up :]
    assert drift(goal, lru) > 0
    greedy = max(choice.tried, key=lambda tried: tried.gain)
    assert choice.margin <= greedy.margin
    assert choice.here.value > 0.7 * greedy.gain


@pytest.mark.long
@pytest.mark.parametrize("seed", [0, 2])
def test_the_best_margin_has_the_greatest_mean_with_its_neighbours(seed):
    trace, goal = chats(800, seed), Goal(Fraction(1, 5), level=P95)
    choice = chosen(trace, 4000, goal, seed)
    kept = slice(choice.warm_up, None)
    lru = goal.losses(tt.replay(trace, tt.LRU(), 4000))[kept]
    _, blocks = time_blocks(goal, lru)
    draws = blocks.draw(len(blocks), DRAWS, np.random.default_rng(seed))
    found = [tried.margin for tried in choice.tried]
    losses = [goal.losses(tt.replay(trace, tt.TLRU(m, 0, "least-recent"), 4000))[kept] for m in found]
    means = np.array([goal.gain(lru, each, blocks, draws).mean() for each in losses])
    smoothed = neighbours(found, drift(goal, lru)) @ means
    assert choice.margin == found[int(np.argmax(smoothed))]


@given(chat_like(), st.integers(10, 60), st.sampled_from(["tel", "slo", "p90"]), st.integers(2, 30))
@settings(max_examples=4, deadline=None)
def test_what_is_chosen_keeps_the_limits_and_without_limits_the_best_is_chosen(trace, capacity, goal, slo):
    limits, goal = CostLimits(Fraction(101, 100), Fraction(1)), Goal.of(goal, Fraction(slo), LATENCY)
    strict, free = (chosen(trace, capacity, goal, limits=each) for each in (limits, FREE))
    assert free.margin == free.freely.margin == strict.freely.margin
    assert all(tried.allowed for tried in free.tried)
    lru, tried = (tt.replay(trace, policy, capacity).uncached for policy in (tt.LRU(), t_lru(strict.margin)))
    assert 100 * tried.sum() <= 101 * lru.sum()
    for start in (0, strict.warm_up if strict.warm_up < len(trace) else 0):
        after, before = (np.quantile(one[start:], 0.5, method="inverted_cdf") for one in (tried, lru))
        assert after <= before or 2 * after < slo


def test_a_limit_is_on_the_work_and_on_the_median_unless_nobody_waits_for_it():
    limits, slo, lru = CostLimits(Fraction(105, 100), Fraction(9, 8)), Fraction(1), spent(100, 0.5)
    for prefilled, median, broken in (
        (105, 0.5625, []),
        (106, 0.5, ["prefilled tokens"]),
        (100, 0.5626, ["P50"]),
        (106, 0.6, ["prefilled tokens", "P50"]),
    ):
        assert list(limits.broken(lru, spent(prefilled, median), slo)) == broken
        assert not list(FREE.broken(lru, spent(prefilled, median), slo))
    assert not list(limits.broken(spent(100, 0.1), spent(100, 0.4999), slo))
    assert list(limits.broken(spent(100, 0.1), spent(100, 0.5), slo)) == ["P50"]


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=20))
def test_no_interval_of_a_gain_ends_above_all_of_it(draws):
    found = at_most_all(interval(float(np.median(draws)), np.array(draws), 3))
    assert found.low <= found.high <= 1


def test_where_nothing_overflows_all_turns_are_warm_up():
    trace = single_turns(100)
    choice = chosen(trace, 10**6, Goal(Fraction(20), LATENCY))
    assert (choice.warm_up, choice.margin, choice.helps) == (100, 0, False)


def test_one_seed_has_one_choice_and_progress_is_told():
    trace, goal, told = chats(1200), Goal(Fraction(1, 5), level=P95), []
    first = chosen(trace, 2000, goal, 4, told=lambda *place: told.append(place))
    assert first == chosen(trace, 2000, goal, 4)
    assert told == [(k, 99) for k in range(1, len(first.tried) + 1)]


def test_a_promise_for_fewer_turns_is_wider_and_for_a_far_longer_rest_none_is_made():
    trace, goal = chats(), Goal(Fraction(1, 5))
    fewer, same, more = (chosen(trace, 4000, goal, 4, rest=turns) for turns in (300, 2400, 240_000))
    widths = [one.promise.high - one.promise.low for one in (fewer, same)]
    assert widths[0] > 1.1 * widths[1]
    assert more.helps
    assert (more.promise, more.grounds.few) == (None, False)
    assert more.grounds.error > 3 * same.grounds.error


@given(st.lists(st.integers(1, 1000), min_size=1, max_size=20, unique=True), st.floats(0, 2))
def test_neighbours_share_one_and_lru_stays_lru(found, spread):
    weights = neighbours([0, *sorted(found)], spread)
    assert weights.sum(axis=1) == pytest.approx(1.0)
    assert weights[0, 0] == 1
    assert (np.diag(weights) == weights.max(axis=1)).all()
    if spread == 0:
        assert np.array_equal(weights, np.eye(len(found) + 1))


def test_drift_is_the_change_of_the_percentile_between_the_halves():
    goal = Goal(Fraction(1), LATENCY, Fraction(1, 2))
    assert drift(goal, np.array([1.0, 2.0, 3.0, 4.0, 8.0, 9.0])) == pytest.approx(np.log(8 / 2))
    assert drift(Goal(Fraction(1), LATENCY), np.array([1, 9])) == 0
    assert drift(goal, np.array([0.0, 0.0, 3.0, 4.0])) == 0


def test_a_goal_is_worth_what_the_metrics_say():
    trace = chats(300)
    outcome = tt.replay(trace, tt.LRU(), 1000)
    blocks = Blocks.of(300, 20)
    tel, p95 = Goal(Fraction(1, 5)), Goal(Fraction(1, 5), level=P95)
    assert tel.worth(tel.losses(outcome), blocks, blocks.all)[0] == tt.tail_excess_latency(outcome, tel.xi)
    quantile = tt.ttft_quantiles(outcome, [0.95], tt.A100_LLAMA2_7B)[0]
    assert p95.worth(p95.losses(outcome), blocks, blocks.all)[0] == quantile
    assert p95.name == "P95 of TTFT"
    assert tel.name == "TEL above 0.2 s"
    assert DRAWS >= 1000


@pytest.mark.parametrize("level", [Fraction(0), Fraction(1), Fraction(3, 2)])
def test_a_level_lies_between_0_and_1(level):
    with pytest.raises(tt.ArgumentError, match="level"):
        Goal(Fraction(1), level=level)
