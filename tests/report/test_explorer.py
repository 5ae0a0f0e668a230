"""The steps that a chart chooses from, the rows behind it, and what is said of T-LRU."""

from csv import DictReader
from fractions import Fraction
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report.pages import replayed, sampled

import teltheory as tt
from teltheory.cli.reproduce.page import _explorer
from teltheory.policies.spec import default_estimate
from teltheory.report import explorer
from teltheory.report.explorer import MEASURES, ChartChoices, compared, spaced


@given(st.floats(0, 10**6), st.floats(1, 10**6), st.integers(2, 30))
def test_steps_cover_the_range_with_two_digits_each(low, ratio, number):
    high = low * ratio
    steps = spaced(low, high, number)
    assert steps == sorted(set(steps))
    assert 1 <= len(steps) <= number
    assert max(high, 1) <= steps[-1] <= 1.1 * max(high, 1) + 1
    assert steps[0] <= 1.1 * max(low, 1) + 1
    assert all(len(str(step).rstrip("0")) <= 2 for step in steps)


def test_the_rows_are_those_of_replays():
    trace = sampled(60)
    spec = _explorer(replayed("A", None, trace, ("2k", "4k"), ("50ms", "100ms"))).to_dict()
    steps = ChartChoices.of(trace, tt.A100_LLAMA2_7B)
    chosen = {one["name"]: one["value"] for one in spec["params"] if "value" in one}
    assert chosen["measure"] == "TEL"
    assert chosen["capacity"] == min(steps.capacities, key=lambda step: abs(step - 4000))
    (text,) = [values for values in spec["datasets"].values() if isinstance(values, str)]
    rows = list(DictReader(StringIO(text)))
    assert len(rows) == 3 * len(steps.capacities) * len(steps.slos)
    at = {(int(row["capacity"]), int(row["threshold"]), row["policy"]): row for row in rows}
    for size in (steps.capacities[0], chosen["capacity"]):
        for xi in (*steps.slos,)[::3]:
            for name, policy in (("LRU", tt.LRU()), ("T-LRU", tt.TLRU(xi, default_estimate(trace)))):
                outcome, row = tt.replay(trace, policy, size, engine="reference"), at[size, xi, name]
                assert int(row["TEL"]) == tt.tail_excess_latency(outcome, xi)
                assert int(row["slow turns"]) == tt.slo_violations(outcome, xi)
                assert int(row["prefilled tokens"]) == int(outcome.uncached.sum())
                (tail,) = tt.ttft_quantiles(outcome, (0.95,), tt.A100_LLAMA2_7B)
                assert float(row["P95 s"]) == pytest.approx(tail, rel=1e-4)
            best = at[size, xi, "Hindsight optimum"]
            assert int(best["TEL"]) == tt.hindsight_optimum(trace, size, xi, method="lp").objective
            lru = int(at[size, xi, "LRU"]["TEL"])
            assert lru == 0 or float(best["TEL vs LRU"]) == pytest.approx(int(best["TEL"]) / lru - 1, abs=1e-4)
            assert {name for name, value in best.items() if not value} <= {"TEL vs LRU", *list(MEASURES)[2:]}
            assert best["P95 s"] == ""


def test_a_long_trace_has_fewer_steps(monkeypatch):
    trace = sampled(60)
    for number in (5, 7, 10**6):
        monkeypatch.setattr(explorer, "MOST_TURNS", number**2 * len(trace))
        found = ChartChoices.of(trace, tt.A100_LLAMA2_7B)
        assert len(found.slos) <= len(found.capacities) == min(number, 8)


@pytest.mark.parametrize(
    "turns", [[(0, 0, 0)], [(0, 0, 5)], [(0, 1, 0)], [(0, 3, 1), (0, 0, 0)], [(0, 10**15, 1)]]
)
def test_tiny_and_huge_traces_have_steps(turns):
    trace = tt.Trace.from_turns(*map(list, zip(*turns, strict=True)))
    found = ChartChoices.of(trace, tt.A100_LLAMA2_7B)
    assert found.capacities[-1] >= max(sum(q + a for _, q, a in turns), 1)
    assert found.slos


def test_slos_that_no_threshold_belongs_to_are_no_steps():
    slow = tt.LatencyModel(Fraction(1, 1000), constant=Fraction(1, 2), name="half a second at least")
    found = ChartChoices.of(tt.Trace.from_turns([0], [7], [0]), slow)
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
