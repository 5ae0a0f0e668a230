from fractions import Fraction

import numpy as np
import pytest
from advice.advised_traces import LATENCY, chats
from hypothesis import given
from hypothesis import strategies as st
from strategies import given_columns, turn_columns

import teltheory as tt
from teltheory.advice.alone import above_within_budget, capacity_for, hold_alone, least_tel
from teltheory.advice.goal import CostLimits, Goal
from teltheory.advice.held_out import Judge
from teltheory.advice.run import Run, rest_of
from teltheory.advice.search import Candidate
from teltheory.advice.server import Replaying
from teltheory.advice.settings import Settings

EITHER = turn_columns() | given_columns()


def held_out(trace, start, capacity, goal, margin, q_hat):
    """What T-LRU with a margin and an estimate does on the rest."""
    server = Replaying(trace, start, capacity, goal.latency, Settings(goal.xi, q_hat))
    tried, rng = Candidate((True,), False, margin), np.random.default_rng(1)
    return hold_alone(server, Judge.of(server, goal, CostLimits(), tried, "conversation", rng))


def run_of(trace, policy, capacity, start, latency=LATENCY):
    """A replay from a turn on."""
    return Run.at_once(trace, tt.replay(trace, policy, capacity), latency).since(start)


@given(EITHER, st.integers(0, 14), st.integers(0, 30), st.integers(0, 6))
def test_the_least_tel_of_the_rest_is_the_optimum_whose_first_turns_weigh_nothing(columns, start, capacity, xi):
    trace = tt.Trace.from_turns(**columns)
    start = min(start, len(trace))
    weights = [0] * start + [1] * (len(trace) - start)
    assert least_tel(trace, start, capacity, xi) == tt.weighted_optimum(trace, capacity, xi, weights).objective


@given(EITHER, st.integers(0, 14), st.integers(0, 30), st.integers(0, 6))
def test_no_policy_is_below_the_least_tel_of_the_rest(columns, start, capacity, xi):
    trace = tt.Trace.from_turns(**columns)
    start = min(start, len(trace))
    least = least_tel(trace, start, capacity, xi)
    for policy in (tt.LRU(), tt.TLRU(xi, 2), tt.TailOptimizedBelady(xi)):
        assert tt.tail_excess_latency(rest_of(tt.replay(trace, policy, capacity), start), xi) >= least


@given(EITHER, st.integers(0, 13), st.integers(0, 30), st.integers(0, 6), st.integers(0, 6))
def test_lru_needs_the_first_capacity_that_is_enough(columns, start, capacity, margin, slo):
    trace = tt.Trace.from_turns(**columns)
    if start >= len(trace):
        return
    goal = Goal(Fraction(slo), LATENCY)
    reached = run_of(trace, tt.TLRU(margin, 0, "least-recent"), capacity, start)
    wanted = reached.tel(goal)

    def enough(size):
        return tt.tail_excess_latency(rest_of(tt.replay(trace, tt.LRU(), size), start), slo) <= wanted

    sizes = range(capacity, max(capacity, trace.peak) + 1)
    expected = next(size for size in sizes if enough(size))
    assert (
        capacity_for(tt.capacity_curve(trace, tt.LRU()).outcome, start, (capacity, trace.peak), goal, reached)
        == expected
    )


@given(EITHER, st.integers(0, 13), st.integers(0, 30), st.integers(0, 6), st.integers(0, 3))
def test_turns_above_xi_within_their_budget_are_counted_one_by_one(columns, start, capacity, margin, q_hat):
    trace = tt.Trace.from_turns(**columns)
    policy = tt.TLRU(margin + q_hat, q_hat, "least-recent")
    outcome = tt.replay(trace, policy, capacity)
    found = 0
    for turn in range(min(start, len(trace)), len(trace)):
        before = trace.previous_turn[turn]
        if before < 0 or outcome.uncached[turn] <= margin + q_hat:
            continue
        budget = max(0, trace.past[before] + q_hat - (margin + q_hat))
        found += outcome.cached[turn] >= min(budget, trace.history[turn])
    start = min(start, len(trace))
    tried = run_of(trace, policy, capacity, start)
    assert above_within_budget(trace, start, tried, margin + q_hat, q_hat) == found


@given(turn_columns(), st.integers(0, 13), st.integers(0, 30), st.integers(0, 6))
def test_with_the_longest_prompt_for_an_estimate_nobody_is_above_xi_within_the_budget(
    columns, start, capacity, margin
):
    trace = tt.Trace.from_turns(**columns)
    start = min(start, len(trace))
    q_hat = int(trace.prompt.max(initial=0))
    tried = run_of(trace, tt.TLRU(margin + q_hat, q_hat, "least-recent"), capacity, start)
    assert above_within_budget(trace, start, tried, margin + q_hat, q_hat) == 0


def test_the_rows_are_the_metrics_of_the_rest():
    trace, goal = chats(900), Goal(Fraction(1, 5))
    held = held_out(trace, 500, 2000, goal, 2400, 200)
    policies = (tt.LRU(), tt.TLRU(2600, 200, "least-recent"), tt.EndAwareTLRU(2600, 200, "least-recent"))
    tels = []
    rows = (*held.rows, held.aware)
    for row, policy in zip(rows, policies, strict=True):
        outcome = rest_of(tt.replay(trace, policy, 2000), 500)
        tels.append(tt.tail_excess_latency(outcome, goal.xi))
        quantiles = tt.ttft_quantiles(outcome, (0.5, 0.9, 0.95, 0.99), tt.A100_LLAMA2_7B).tolist()
        assert (row.hit_rate, row.prefilled) == (float(outcome.hit_rate), outcome.uncached.sum())
        assert [row.p50, row.p90, row.p95, row.p99] == quantiles
        assert row.slow == tt.slo_violations(outcome, goal.xi)
        assert row.tel == tels[-1] >= held.optimum
    assert held.gain.value == pytest.approx(1 - tels[1] / tels[0])
    assert held.end_aware.value == pytest.approx(1 - tels[2] / tels[1])
    assert held.median.value == pytest.approx(held.rows[1].p50 - held.rows[0].p50)
    assert held.gain.low <= held.gain.value <= held.gain.high


def test_with_attention_slow_turns_are_counted_by_their_ttft():
    trace = chats(400)
    goal = Goal(Fraction(2000), tt.LatencyModel(Fraction(1), Fraction(1, 1000)))
    held = held_out(trace, 200, 2000, goal, 2400, 200)
    outcome = rest_of(tt.replay(trace, tt.LRU(), 2000), 200)
    assert held.rows[0].slow == tt.ttft_violations(outcome, goal.latency, goal.slo)
    assert held.rows[0].slow != tt.slo_violations(outcome, goal.xi)


def test_intervals_are_those_of_whole_conversations_in_paired_draws():
    trace, goal = chats(900), Goal(Fraction(1, 5))
    lru, tried = (run_of(trace, policy, 2000, 500) for policy in (tt.LRU(), tt.TLRU(2600, 200, "least-recent")))
    _, number = np.unique(trace.code[500:], return_inverse=True)
    before, after = (np.bincount(number, goal.losses(one.replayed)) for one in (lru, tried))
    drawn = np.random.default_rng(7).integers(0, len(before), (4000, len(before)))
    gains = 1 - after[drawn].sum(axis=1) / before[drawn].sum(axis=1)
    held = held_out(trace, 500, 2000, goal, 2400, 200)
    assert (held.clusters, held.called, held.unsure) == (len(before), "conversation", None)
    assert (held.gain.low, held.gain.high) == pytest.approx(np.quantile(gains, [0.025, 0.975]), abs=0.02)


def test_below_30_conversations_there_is_no_interval_and_it_is_said_why():
    trace = tt.Trace.from_turns(np.arange(600) % 29, np.arange(600) % 7 + 1, np.ones(600, int))
    advice = tt.advise(trace, 900, Fraction(3), latency=LATENCY, work_cost=None, median_cost=None)
    text = " ".join(str(advice).split())
    assert (advice.recommended, advice.choice.promise) == (False, None)
    assert np.isinf([advice.held_out.gain.low, advice.choice.here.high]).all()
    assert "and there is no interval: 29 conversations, fewer than 30. Nothing is promised." in text
    assert "No intervals on the rest: 29 conversations, fewer than 30." in text
    assert "inf" not in text
