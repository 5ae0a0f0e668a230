from fractions import Fraction

import numpy as np
import pytest
from advice.advised_traces import LATENCY, chats, single_turns
from hypothesis import given
from hypothesis import strategies as st
from strategies import given_columns, turn_columns

import teltheory as tt
from teltheory.advice.choice import BLOCKS, DRAWS, Choice, choose, drift, first_overflow, margins, neighbours
from teltheory.advice.goal import Goal
from teltheory.bootstrap import Blocks, Estimate

P95 = Fraction(95, 100)


def chosen(trace, capacity, goal, seed=0):
    return choose(trace, len(trace), capacity, goal, np.random.default_rng(seed), t_lru)


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
    assert first_overflow(trace, capacity) == expected


@given(turn_columns(), st.integers(0, 60), st.integers(0, 9))
def test_before_the_first_overflow_policies_do_not_differ(columns, capacity, margin):
    trace = tt.Trace.from_turns(**columns)
    until = first_overflow(trace, capacity) + 1
    outcomes = [tt.replay(trace, policy, capacity) for policy in (tt.LRU(), tt.TLRU(margin, 0))]
    assert np.array_equal(outcomes[0].cached[:until], outcomes[1].cached[:until])


def test_margins_are_twentieths_of_the_slo_or_of_the_percentile():
    trace = chats(400)
    lru = tt.replay(trace, tt.LRU(), 2000)
    tokens = Goal(Fraction(100), LATENCY)
    assert margins(lru, 0, tokens) == [100 * step // 20 for step in range(41)]
    p95 = int(np.quantile(lru.uncached[7:], 0.95, method="inverted_cdf"))
    assert margins(lru, 7, Goal(Fraction(100), LATENCY, P95)) == sorted({p95 * k // 20 for k in range(41)})


def test_the_gain_of_each_margin_is_that_of_a_replay():
    trace, goal = chats(600), Goal(Fraction(2000), LATENCY)
    choice = chosen(trace, 2000, goal)
    kept = slice(choice.warm_up, None)
    lru = np.maximum(tt.replay(trace, tt.LRU(), 2000).uncached[kept] - 2000, 0).sum()
    for tried in choice.tried[::7]:
        outcome = tt.replay(trace, tt.TLRU(tried.margin + 30, 30, "least-recent"), 2000)
        tel = np.maximum(outcome.uncached[kept] - 2000, 0).sum()
        assert tried.gain == pytest.approx(1 - tel / lru)
        assert tried.median == np.quantile(outcome.uncached[kept], 0.5, method="inverted_cdf")


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


@pytest.mark.parametrize("seed", [0, 2])
def test_the_best_margin_has_the_greatest_mean_with_its_neighbours(seed):
    trace, goal = chats(800, seed), Goal(Fraction(1, 5), level=P95)
    choice = chosen(trace, 4000, goal, seed)
    kept = slice(choice.warm_up, None)
    lru = goal.losses(tt.replay(trace, tt.LRU(), 4000))[kept]
    blocks = Blocks.of(len(lru), BLOCKS)
    draws = blocks.draw(BLOCKS, DRAWS, np.random.default_rng(seed))
    found = [tried.margin for tried in choice.tried]
    losses = [goal.losses(tt.replay(trace, tt.TLRU(m, 0, "least-recent"), 4000))[kept] for m in found]
    means = np.array([goal.gain(lru, each, blocks, draws).mean() for each in losses])
    smoothed = neighbours(found, drift(goal, lru)) @ means
    assert choice.margin == found[int(np.argmax(smoothed))]


def test_the_free_margin_costs_nothing_at_the_median():
    choice = chosen(chats(), 4000, Goal(Fraction(1, 5)))
    free = choice.free
    assert free.median <= choice.tried[0].median
    assert all(t.gain <= free.gain for t in choice.tried if t.median <= choice.tried[0].median)


@pytest.mark.parametrize(("margin", "low", "helps"), [(5, 0.01, True), (5, -0.01, False), (0, 0.01, False)])
def test_a_gain_that_may_be_chance_is_no_help(margin, low, helps):
    here = Estimate(0.1, low, 0.2)
    assert Choice(margin, 0, here, here, ()).helps == helps


def test_where_nothing_returns_there_is_nothing_to_choose():
    choice = chosen(single_turns(), 200, Goal(Fraction(20), LATENCY))
    assert (choice.margin, choice.helps, choice.promise.holds(0.0)) == (0, False, True)
    assert {tried.gain for tried in choice.tried} == {0.0}


def test_where_nothing_overflows_all_turns_are_warm_up():
    trace = single_turns(100)
    choice = chosen(trace, 10**6, Goal(Fraction(20), LATENCY))
    assert (choice.warm_up, choice.margin, choice.helps) == (100, 0, False)


def test_one_seed_has_one_choice_and_progress_is_told():
    trace, goal, told = chats(600), Goal(Fraction(1, 5), level=P95), []
    first = choose(trace, 600, 2000, goal, np.random.default_rng(4), t_lru, lambda: told.append(1))
    assert first == choose(trace, 600, 2000, goal, np.random.default_rng(4), t_lru)
    assert len(told) == len(first.tried)


def test_a_promise_for_fewer_turns_is_wider():
    trace, goal = chats(), Goal(Fraction(1, 5))
    widths = []
    for turns in (300, 2400, 240_000):
        promise = choose(trace, turns, 4000, goal, np.random.default_rng(4), t_lru).promise
        widths.append(promise.high - promise.low)
    assert widths[0] > 1.2 * widths[1] > 1.2 * 1.1 * widths[2]


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
