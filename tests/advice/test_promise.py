"""The rule for promises: chance, errors from beginnings, a trend, and few conversations."""

import sys
from fractions import Fraction
from importlib.util import find_spec, module_from_spec

import numpy as np
import pytest
from advice.advised_traces import LATENCY, chats, usual
from hypothesis import given
from hypothesis import strategies as st

import teltheory as tt
from teltheory.advice.comparison import drift, neighbours
from teltheory.advice.goal import Goal
from teltheory.advice.promise import (
    ENDS,
    ERRORS,
    FEW,
    PIECES,
    Grounds,
    beginnings,
    carriers,
    errors_of,
    promised,
    spans,
    trend_of,
    weights_of,
)
from teltheory.cost.bootstrap import Blocks, Estimate, block_length, groups, standard_error

SHARES = st.floats(-1, 1)


def grounds(trend=0.0, error=0.0, half=FEW):
    return Grounds((0.1,) * 4, trend, error, half, 100, 1.0)


@given(st.floats(0.001, 1), st.floats(0, 1), st.floats(0, 0.5), st.floats(0, 0.5), SHARES)
def test_a_promise_is_wider_with_errors_and_with_a_trend_and_ends_at_all_of_it(value, spread, error, more, trend):
    later = Estimate(value, value - spread, min(value + spread, 1.0))
    plain, wider = (promised(later, grounds(error=one), 1.0) for one in (error, error + more))
    moving = promised(later, grounds(trend, error), 1.0)
    if moving is not None:
        assert plain is not None
        assert moving.low <= plain.low + 1e-12
        assert moving.high >= plain.high - 1e-12
        assert (moving.low < plain.low - 1e-12) <= (trend < 0)
        assert (moving.high > plain.high + 1e-12) <= (trend > 0)
    if wider is not None:
        assert wider.low - 1e-12 <= plain.low <= later.low
        assert later.high - 1e-12 <= plain.high <= wider.high + 1e-12 <= 1 + 1e-12
        assert value - plain.low >= ERRORS * error - 1e-12
    assert all(one is None or one.low > -value for one in (plain, wider, moving))


def test_a_trend_goes_on_to_the_middle_of_the_rest_and_a_fall_to_the_last_quarter():
    later = Estimate(0.4, 0.3, 0.5)
    for ratio, high in ((1.0, 0.7), (0.5, 0.65)):
        assert promised(later, grounds(0.05), ratio).high == pytest.approx(high)
    assert promised(later, grounds(-0.05), 1.0).low == pytest.approx(0.3 - 0.075)


def test_nothing_is_promised_of_few_conversations_or_if_as_much_may_be_lost():
    later = Estimate(0.4, 0.3, 0.5)
    assert promised(later, grounds(), 1.0) == later
    assert promised(later, grounds(half=FEW - 1), 1.0) is None
    assert promised(Estimate(0.4, -0.39, 0.5), grounds(), 1.0) is not None
    assert promised(Estimate(0.4, -0.4, 0.5), grounds(), 1.0) is None


def test_quarters_have_a_trend_if_it_is_more_than_chance():
    rising = np.array([0.1, 0.2, 0.3, 0.4])
    assert trend_of(rising, 0.05) == pytest.approx(0.1)
    assert trend_of(rising[::-1], 0.05) == pytest.approx(-0.1)
    assert trend_of(rising, 0.2) == trend_of(rising[[1, 3, 0, 2]], 0.1) == 0


def test_about_one_in_ten_series_without_a_trend_is_said_to_have_one():
    rng = np.random.default_rng(0)
    found = [trend_of(rng.normal(0, 2, 4), 1.0) for _ in range(4000)]
    assert np.mean(np.array(found) != 0) == pytest.approx(0.1, abs=0.02)


@given(st.integers(20, 10**5), st.integers(1, 10**6))
def test_what_follows_a_beginning_is_to_it_as_the_rest_to_the_turns_that_count(counted, rest):
    found = beginnings(counted, rest)
    assert {end for _, end in found} == set(ENDS)
    for start, end in found:
        assert 0 < start < end <= PIECES
        exact = end * counted / (counted + rest)
        assert abs(start - exact) <= 0.5 or start in (1, end - 1)


def test_promises_from_beginnings_are_missed_by_what_is_found_turn_by_turn():
    """A second way: gains of slices of the outcomes, without any draw."""
    for goal in (Goal.of("tel", Fraction(1, 5)), Goal.of("p95", Fraction(1, 5))):
        choice = (usual() if goal.level is None else tt.advise(chats(), 4000, Fraction(1, 5), goal="p95")).choice
        turns = slice(choice.warm_up, 1200)
        margins = [tried.margin for tried in choice.tried]
        policies = [tt.TLRU(margin, 0, "least-recent") for margin in margins]
        losses = [goal.losses(tt.replay(chats(), one, 4000))[turns] for one in (tt.LRU(), *policies[1:])]
        size, near = len(losses[0]), neighbours(margins, drift(goal, losses[0]))
        cuts = [size * piece // PIECES for piece in range(PIECES + 1)]
        squares = []
        for start, end in beginnings(size, 1200):
            before, after = (
                [gain(goal, losses[0][part], each[part]) for each in losses]
                for part in (slice(0, cuts[start]), slice(cuts[start], cuts[end]))
            )
            worth = [w if one.allowed else -np.inf for w, one in zip(near @ before, choice.tried, strict=True)]
            best = int(np.argmax(worth))
            squares.append((after[best] - before[best]) ** 2)
        assert choice.grounds.error == pytest.approx(np.sqrt(np.mean(squares)))
        place = margins.index(choice.margin)
        quarters = [slice(size * k // 4, size * (k + 1) // 4) for k in range(4)]
        assert choice.grounds.quarters == pytest.approx(
            [gain(goal, losses[0][part], losses[place][part]) for part in quarters]
        )


def gain(goal, lru, own):
    if goal.level is not None:
        lru, own = (np.sort(each)[int(np.ceil(goal.level * len(each))) - 1] for each in (lru, own))
    return 1 - np.sum(own) / np.sum(lru) if np.sum(lru) else 0.0


@given(st.integers(1, 6), st.integers(1, 5), st.data())
def test_each_beginning_chooses_the_best_that_may_be_chosen(settings, columns, data):
    rows = st.lists(st.lists(SHARES, min_size=columns, max_size=columns), min_size=settings, max_size=settings)
    before, after = (np.array(data.draw(rows)) for _ in range(2))
    barred = np.array([0.0, *data.draw(st.lists(st.booleans(), min_size=settings - 1, max_size=settings - 1))])
    allowed = np.where(barred, -np.inf, 0.0)
    found = errors_of(before, after, allowed, np.eye(settings))
    for column in range(columns):
        best = max((i for i in range(settings) if not barred[i]), key=lambda i: (before[i, column], -i))
        assert found[column] == after[best, column] - before[best, column]


def test_spans_are_pieces_from_one_to_another():
    assert spans([(0, 2), (2, 5)]).sum(axis=1).tolist() == [2, 3]
    assert np.flatnonzero(spans([(2, 5)])[0]).tolist() == [2, 3, 4]


@given(st.lists(st.integers(-3, 5), min_size=1, max_size=60), st.integers(1, 9), st.integers(0, 99))
def test_groups_have_whole_conversations_and_go_by_when_they_begin(cluster, most, seed):
    cluster = np.array(cluster)
    order, blocks = groups(cluster, most, np.random.default_rng(seed))
    assert sorted(order.tolist()) == list(range(len(cluster)))
    parts = [set(cluster[order[a:b]].tolist()) for a, b in zip(blocks.bounds, blocks.bounds[1:], strict=False)]
    assert len(parts) == min(most, len(set(cluster.tolist())))
    assert sum(map(len, parts)) == len(set.union(*parts))
    assert max(map(len, parts)) - min(map(len, parts)) <= 1
    other, same = groups(7 - 2 * cluster, most, np.random.default_rng(seed))
    assert np.array_equal(order, other)
    assert np.array_equal(blocks.bounds, same.bounds)


def test_a_heavy_conversation_spreads_draws_of_conversations_more_than_draws_of_time():
    rng = np.random.default_rng(0)
    cluster = np.where(np.arange(2000) % 4, np.arange(2000), -1)
    values = np.where(cluster < 0, 10.0, rng.random(2000))
    order, people = groups(cluster, 40, rng)
    time = Blocks.of(2000, 40)
    spreads = [
        standard_error(blocks.sums(each, blocks.draw(40, 500, rng)) / each.sum(), 40)
        for blocks, each in ((time, values), (people, values[order]))
    ]
    assert spreads[1] > 10 * spreads[0]


@pytest.fixture(scope="module")
def by_arch():
    """The length that arch finds. What its package imports at once, models of series, is left out."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "arch", module_from_spec(find_spec("arch")))
        from arch.bootstrap import optimal_block_length
    return lambda values: optimal_block_length(values)["circular"].iloc[0]


LONG = pytest.mark.long


@pytest.mark.parametrize("rho", [pytest.param(0.3, marks=LONG), 0.6, pytest.param(0.9, marks=LONG)])
def test_blocks_are_as_long_as_theory_asks_of_an_autoregression(rho, by_arch):
    turns, rng = 20_000, np.random.default_rng(1)
    noise, values = rng.normal(size=turns), np.zeros(turns)
    for turn in range(1, turns):
        values[turn] = rho * values[turn - 1] + noise[turn]
    exact = (6 * rho**2 / (1 - rho**2) ** 2 * turns) ** (1 / 3)
    assert block_length(values) == pytest.approx(exact, rel=0.2)
    assert block_length(values) == pytest.approx(by_arch(values), rel=0.1)
    assert block_length(noise) < 5


def test_arch_finds_the_same_length_where_values_forget_at_once(by_arch):
    same, rng = 0, np.random.default_rng(2)
    for turns in range(30, 2000, 50):
        values = rng.integers(0, 9, turns)
        around = values - values.mean()
        quiet = 2 * np.sqrt(np.log10(turns) / turns) * 0.8
        remembered = [abs(around[lag:] @ around[:-lag]) / (around @ around) for lag in range(1, 6)]
        if max(remembered) < quiet:
            same += 1
            assert block_length(values) == pytest.approx(by_arch(values.astype(float)), rel=1e-9)
    assert same > 20


@given(st.lists(st.integers(0, 9), min_size=20, max_size=200))
def test_no_block_is_longer_than_a_third_of_the_turns(values):
    turns = len(values)
    assert 0 <= block_length(np.array(values)) <= np.ceil(min(turns / 3, 3 * turns**0.5))


def test_values_that_are_all_the_same_need_no_blocks():
    assert block_length(np.zeros(50)) == block_length(np.ones(50, np.int64)) == 1


def test_carriers_are_the_fewest_that_have_half():
    weights, conversation = np.array([1.0, 5, 1, 1, 1, 1]), np.array([0, 1, 2, 3, 0, 4])
    assert carriers(weights, conversation) == (1, 5)
    assert carriers(weights - (conversation == 1), conversation) == (2, 5)
    goal = Goal(Fraction(5), LATENCY, Fraction(4, 6))
    assert weights_of(goal, np.array([1, 2, 3, 4, 5, 6])).tolist() == [0, 0, 0, 1, 1, 1]
    assert weights_of(Goal(Fraction(5), LATENCY), np.array([0, 7])).tolist() == [0, 7]


def heavy(turns=1600, seed=0):
    """Two long conversations among single turns."""
    rng = np.random.default_rng(seed)
    long = np.arange(turns) % 8 == 0
    conversation = np.where(long, rng.integers(0, 2, turns), 10 + np.arange(turns) % 48)
    return tt.Trace.from_turns(conversation, np.where(long, 9, rng.integers(1, 9, turns)), np.zeros(turns, int))


def test_of_few_heavy_conversations_nothing_is_promised_and_it_is_said_why():
    advice = tt.advise(heavy(), 900, Fraction(300), latency=LATENCY, work_cost=None, median_cost=None)
    assert advice.choice.here.value > 0.5
    assert advice.choice.grounds.few
    assert (advice.choice.promise, advice.kept_promise) == (None, None)
    half, number = advice.choice.grounds.half, advice.choice.grounds.conversations
    text = f"as half of TEL above 300 s is of {half} of {number} conversations. Nothing is promised."
    assert text in " ".join(str(advice).split())


def test_gains_by_quarters_and_their_trend_are_said():
    advice = usual()
    shown = [f"{100 * one:.1f}" for one in advice.choice.grounds.quarters]
    said = " ".join(str(advice).split())
    assert f"; by quarters {shown[0]}, {shown[1]}, {shown[2]} and {shown[3]} %, " in said
