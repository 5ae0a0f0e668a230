"""Runs under a latency with attention: a turn is late by its TTFT, and T-LRU has the threshold of that latency."""

from fractions import Fraction

import numpy as np
import pytest

import teltheory as tt
from teltheory.cli.reproduce.figures import latencies, paper_tables
from teltheory.paper import grid
from teltheory.paper.grid import SECOND_LATENCY, ReplaySetting, runs
from teltheory.paper.printed import V1_TABLES
from teltheory.paper.rows import ComparedRow, RunRow

SLO = Fraction(1, 5)
ONLINE = ("lru", "threshold-lru", "tlru")


@pytest.fixture(scope="module")
def sample():
    return grid.samples("wildchat", [0], 600)


@pytest.mark.parametrize("latency", [tt.A100_LLAMA2_7B, SECOND_LATENCY])
def test_runs_are_what_replays_are_worth_under_their_latency(sample, latency):
    found = runs(sample, ReplaySetting((4000,), (100, 200), 200, policies=ONLINE, latency=latency))
    trace = sample[0].load()
    for run in found:
        xi = latency.threshold(Fraction(run.xi_ms, 1000))
        policies = {"lru": tt.LRU(), "threshold-lru": tt.ThresholdLRU(1024), "tlru": tt.TLRU(xi, 200)}
        outcome = tt.replay(trace, policies[run.policy], 4000)
        seconds = np.sort(latency.ttft(outcome.uncached, outcome.cached))
        assert run.above == tt.ttft_violations(outcome, latency, SLO)
        assert run.p90 == pytest.approx(1000 * seconds[int(np.ceil(0.9 * len(seconds))) - 1])


def test_the_second_latency_is_another_one_in_every_column(sample):
    found = [
        runs(sample, ReplaySetting((4000,), policies=ONLINE, latency=one))
        for one in (tt.A100_LLAMA2_7B, SECOND_LATENCY)
    ]
    assert SECOND_LATENCY.per_pair
    for measure in ("p50", "p90", "p95", "p99", "above"):
        first, second = ({(run.xi_ms, run.policy): getattr(run, measure) for run in of} for of in found)
        assert first != second, measure
    assert {type(run) for of in found for run in of} == {RunRow}


def cell(number, capacity, ours):
    column = V1_TABLES[number - 1].columns[0]
    return ComparedRow(
        number, capacity, column.xi_ms, column.metric, column.against, 4.0, ours, 0, 9, 0, 9, "inside"
    )


def test_a_table_says_how_far_its_latencies_are_apart():
    first = [cell(1, 1000, 3.0), cell(1, 2000, 5.0), cell(2, 1000, 0.02)]
    tables = list(paper_tables(first, [cell(1, 1000, -3.0), cell(1, 2000, 5.0), cell(2, 1000, -0.02)]))
    assert [row[1:] for row in tables[0].rows] == [
        ("paper", "4.0 "), ("ours", "3.0="), ("attention", "-3.0="),
        ("paper", "4.0 "), ("ours", "5.0="), ("attention", "5.0="),
    ]  # fmt: skip
    assert "Attention changes 1 of 2 numbers and turns the sign of 1." in tables[0].summary
    assert "Attention changes 1 of 1 numbers and turns the sign of 0." in tables[1].summary
    assert "Attention changes 0 of 2 numbers" in next(paper_tables(first, first)).summary


def test_both_latencies_say_that_no_measured_ttft_is_in_them():
    lines = latencies()
    assert len(lines) == 3
    assert all("operators' timings" in line and "no scheduler, launch or HTTP time" in line for line in lines[:2])
