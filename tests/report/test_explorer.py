"""The steps that a chart chooses from, the rows behind it, and what is said of T-LRU."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report.pages import replayed, sampled

import teltheory as tt
from teltheory.cli.reproduce_page import _explorer
from teltheory.policies.spec import default_estimate
from teltheory.report import explorer
from teltheory.report.explorer import SERIES, Steps, closest, compared, round_numbers


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
    most = Fraction(4, 3) if series is SERIES[0] else Fraction(5, 2)
    assert all(1 < later / earlier <= most for earlier, later in pairwise(steps))
    tens = [step / Fraction(10) ** k for step in steps for k in range(-6, 16)]
    assert sum(one in [Fraction(tenths, 10) for tenths in series] for one in tens) == len(steps)


def test_the_rows_are_those_of_replays():
    trace = sampled(60)
    spec = _explorer(replayed("A", None, trace, ("2k", "4k"), ("50ms", "100ms"))).to_dict()
    steps = Steps.of(trace, tt.A100_LLAMA2_7B)
    assert {one["name"]: one["value"] for one in spec["params"]} == {
        "capacity": 4000, "threshold": tt.A100_LLAMA2_7B.threshold(Fraction(1, 10)), "measure": "TEL"
    }  # fmt: skip
    (rows,) = [values for values in spec["datasets"].values() if len(values) > 1]
    assert len(rows) == 3 * len(steps.capacities) * len(steps.slos)
    at = {(row["capacity"], row["threshold"], row["policy"]): row for row in rows}
    for size in (steps.capacities[0], 4000):
        for xi in (*steps.slos,)[::7]:
            for name, policy in (("LRU", tt.LRU()), ("T-LRU", tt.TLRU(xi, default_estimate(trace)))):
                outcome, row = tt.replay(trace, policy, size, engine="reference"), at[size, xi, name]
                assert row["TEL"] == tt.tail_excess_latency(outcome, xi)
                assert row["turns above the SLO"] == tt.slo_violations(outcome, xi)
                assert row["prefilled tokens"] == int(outcome.uncached.sum())
                assert row["P95 s"] == tt.ttft_quantiles(outcome, (0.95,), tt.A100_LLAMA2_7B)[0]
            best = at[size, xi, "Hindsight optimum"]
            assert best["TEL"] == tt.hindsight_optimum(trace, size, xi, method="lp").objective
            assert set(best) == {"capacity", "threshold", "policy", "TEL", "said"}


def test_a_long_trace_has_fewer_steps(monkeypatch):
    trace = sampled(60)
    fine = Steps.of(trace, tt.A100_LLAMA2_7B)
    every = len(fine.capacities) * len(fine.slos) * len(trace)
    for most, fewer in ((every, False), (every - 1, True)):
        monkeypatch.setattr(explorer, "MOST_TURNS", most)
        found = Steps.of(trace, tt.A100_LLAMA2_7B)
        assert (len(found.capacities) < len(fine.capacities)) == fewer


@pytest.mark.parametrize(
    "turns", [[(0, 0, 0)], [(0, 0, 5)], [(0, 1, 0)], [(0, 3, 1), (0, 0, 0)], [(0, 10**15, 1)]]
)
def test_tiny_and_huge_traces_have_steps(turns):
    trace = tt.Trace.from_turns(*map(list, zip(*turns, strict=True)))
    found = Steps.of(trace, tt.A100_LLAMA2_7B)
    assert found.capacities[-1] >= max(sum(q + a for _, q, a in turns), 1)
    assert found.slos


def test_slos_that_no_threshold_belongs_to_are_no_steps():
    slow = tt.LatencyModel(Fraction(1, 1000), constant=Fraction(1, 2), name="half a second at least")
    found = Steps.of(tt.Trace.from_turns([0], [7], [0]), slow)
    assert all(slo >= Fraction(1, 2) for slo in found.slos.values())


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
    assert closest([1, 5, 10], 6) == 5
