"""The steps of the sliders, and the numbers behind them."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report.pages import sampled, texts

import teltheory as tt
from teltheory.errors import ArgumentError
from teltheory.report import explorer
from teltheory.report.explorer import SERIES, closest, compared, explore, round_numbers

TRACE = tt.Trace.from_turns([0, 1, 0], [100, 100, 100], [0, 0, 0])


@given(
    st.fractions(min_value=Fraction(1, 1000), max_value=10**9),
    st.fractions(min_value=1, max_value=10**6),
    st.sampled_from(SERIES),
)
def test_round_numbers_cover_the_range_and_no_more(low, ratio, series):
    high = low * ratio
    steps = round_numbers(low, high, series)
    assert steps[0] <= low
    assert steps[-1] >= high
    assert len(steps) < 2 or (steps[1] > low and steps[-2] < high)
    assert all(1 < later / earlier <= Fraction(5, 2) for earlier, later in pairwise(steps))
    if series is SERIES[0]:
        assert all(later / earlier <= Fraction(4, 3) for earlier, later in pairwise(steps))
    tens = [step / Fraction(10) ** k for step in steps for k in range(-6, 16)]
    assert sum(one in [Fraction(tenths, 10) for tenths in series] for one in tens) == len(steps)


def test_the_numbers_are_those_of_replays():
    trace = sampled(80)
    found = explore("a", "A", trace, tt.A100_LLAMA2_7B, start=(4000, Fraction(1, 10)))
    first, second = found.axes
    assert (first.ticks[first.start].text, second.ticks[second.start].short) == ("4,000 tokens", "100 ms")
    for i in (0, len(first.ticks) // 2, len(first.ticks) - 1):
        for j in (0, len(second.ticks) // 2, len(second.ticks) - 1):
            want = texts(trace, first.ticks[i].value, second.ticks[j].short)
            assert [list(line) for line in found.texts[i][j]] == want
    everything = found.texts[-1][0]
    assert everything[0] == everything[1]
    assert everything[0][-1] == everything[2][-1]


def test_figure_2_by_hand():
    found = explore("a", "A", TRACE, tt.A100_LLAMA2_7B, [100], [Fraction("0.0115")], q_hat=100)
    assert found.axes[1].ticks[0].text == "11.5 ms = 160 tokens"
    assert [line[-2:] for line in found.at_start] == [("1", "40"), ("0", "0"), ("", "0")]
    assert found.sentence.startswith("T-LRU's TEL is 100.0 % below LRU's; it closes 100.0 % of LRU's distance")
    assert [list(line[3:]) for line in found.sample.rows] == [list(line) for line in found.at_start]


def test_a_long_trace_has_fewer_steps(monkeypatch):
    trace = sampled(60)
    fine = explore("a", "A", trace, tt.A100_LLAMA2_7B)
    counts = [len(axis.ticks) for axis in fine.axes]
    monkeypatch.setattr(explorer, "MOST_TURNS", 60 * counts[0] * counts[1])
    assert explore("a", "A", trace, tt.A100_LLAMA2_7B) == fine
    monkeypatch.setattr(explorer, "MOST_TURNS", 60 * counts[0] * counts[1] - 1)
    coarse = explore("a", "A", trace, tt.A100_LLAMA2_7B)
    assert all(len(axis.ticks) < count for axis, count in zip(coarse.axes, counts, strict=True))
    monkeypatch.setattr(explorer, "MOST_TURNS", 0)
    assert len(explore("a", "A", trace, tt.A100_LLAMA2_7B).axes[0].ticks) < len(coarse.axes[0].ticks)


def test_where_cached_tokens_cost_time_the_slow_turns_are_counted_by_their_time():
    """The second turn computes as much as the SLO leaves to a turn without a past; here it has one."""
    attention, slo = tt.A100_LLAMA2_7B_ATTENTION, Fraction(1, 10)
    xi = attention.threshold(slo)
    trace = tt.Trace.from_turns([0, 0], [20 * xi, xi], [0, 0])
    found = explore("a", "A", trace, attention, [100 * xi], [slo])
    outcome = tt.replay(trace, tt.LRU(), 100 * xi)
    assert tt.slo_violations(outcome, xi) == 1
    assert [line[6] for line in found.at_start] == ["2", "2", ""]


def test_the_estimate_is_the_one_that_is_asked_for():
    trace, slo = sampled(80), Fraction(1, 10)
    shown = []
    for q_hat in (0, 2000):
        found = explore("a", "A", trace, tt.A100_LLAMA2_7B, [4000], [slo], q_hat=q_hat)
        assert [list(line) for line in found.at_start] == texts(trace, 4000, "100 ms", q_hat=q_hat)
        shown.append(found.at_start)
    assert shown[0] != shown[1]


@pytest.mark.parametrize(
    "turns", [[(0, 0, 0)], [(0, 0, 5)], [(0, 1, 0)], [(0, 3, 1), (0, 0, 0)], [(0, 10**15, 1)]]
)
def test_tiny_and_huge_traces_have_sliders(turns):
    trace = tt.Trace.from_turns(*map(list, zip(*turns, strict=True)))
    found = explore("a", "A", trace, tt.A100_LLAMA2_7B)
    assert found.axes[0].ticks[-1].value >= max(sum(q + a for _, q, a in turns), 1)
    assert found.sentence


def test_a_trace_without_turns_is_an_error():
    with pytest.raises(ArgumentError, match="trace: found"):
        explore("a", "A", tt.Trace.from_turns([], [], []), tt.A100_LLAMA2_7B)


def test_slos_that_no_threshold_belongs_to_are_no_steps():
    slow = tt.LatencyModel(Fraction(1, 1000), constant=Fraction(1, 2), name="half a second at least")
    found = explore("a", "A", tt.Trace.from_turns([0], [7], [0]), slow)
    assert all(tick.value >= 500_000 for tick in found.axes[1].ticks)


@pytest.mark.parametrize(
    ("lru", "tlru", "optimum", "said"),
    [
        (
            100,
            90,
            50,
            "T-LRU's TEL is 10.0 % below LRU's; it closes 20.0 % of LRU's distance to the hindsight optimum.",
        ),
        (100, 103, 50, "T-LRU's TEL is 3.0 % above LRU's."),
        (100, 100, 50, "T-LRU's TEL is the same as LRU's."),
        (100, 100, 100, "T-LRU's TEL is the same as LRU's, which is the least of any policy."),
        (100, 110, 100, "T-LRU's TEL is 10.0 % above LRU's, which is the least of any policy."),
        (0, 0, 0, "LRU leaves no tail above this threshold, and T-LRU leaves none."),
        (0, 1234, 0, "LRU leaves no tail above this threshold, and T-LRU leaves a TEL of 1,234."),
    ],
)
def test_t_lru_beside_lru_in_words(lru, tlru, optimum, said):
    assert (
        compared(lru, tlru, optimum, 2, 1.5) == f"{said} P95 of TTFT is 1.500 s under T-LRU and 2.000 s under LRU."
    )


def test_the_closest_step():
    assert closest([1, 5, 10], 6) == 1
    assert closest([Fraction(1, 10), Fraction(1, 2)], Fraction(1, 3)) == 1
