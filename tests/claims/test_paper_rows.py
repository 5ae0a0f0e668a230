"""Rows on the paper's tables, figures and predictions, on runs that were made up: what turns each of them."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from experiments.paper.grid import POLICIES, XI_MS, Run
from experiments.paper.printed import CAPACITIES, TABLES
from experiments.paper.tables import Runs
from proofs_checks import figures_4_to_6, paper_runs, predictions, tables_1_to_6
from proofs_checks.paper_runs import at_once, share
from teltheory.claims.search import decide, decide_safely
from teltheory.workloads import data_folder

AS_PRINTED = (
    tables_1_to_6.table_1,
    tables_1_to_6.table_2,
    tables_1_to_6.table_3,
    tables_1_to_6.table_4,
    tables_1_to_6.table_5,
    tables_1_to_6.table_6,
)
SPREAD = (-0.1, 0.0, 0.1)


def table_runs(table, change=None, read_as=None):
    """Runs on three traces whose improvements are the printed ones, but where `change` says otherwise."""
    change, read_as = change or {}, read_as or {}
    wanted = {
        (c, xi, metric, p): -50.0 for c in CAPACITIES for xi in XI_MS for metric in METRICS for p in POLICIES
    }
    for (i, capacity), (j, column) in product(enumerate(CAPACITIES), enumerate(table.columns)):
        place = (capacity, read_as.get(column.xi_ms, column.xi_ms), column.metric, column.against)
        wanted[place] = change.get((i, j), float(table.rows[i][j]))
    return Runs(
        [
            Run(f"trace {k}", c, xi, p, 0.0, *(_value(wanted, c, xi, metric, p, extra) for metric in METRICS), 0)
            for (k, extra) in enumerate(SPREAD)
            for c, xi, p in product(CAPACITIES, XI_MS, POLICIES[:3])
        ]
    )


METRICS = ("p90", "p95", "p99", "above")


def _value(wanted, capacity, xi, metric, policy, extra):
    return 1e6 if policy == "tlru" else 1e6 / (1 - (wanted[capacity, xi, metric, policy] + extra) / 100)


def decided(claim, monkeypatch, found):
    monkeypatch.setattr(tables_1_to_6, "replayed", lambda workload: found)
    return decide(claim)


@pytest.mark.parametrize(("claim", "table"), list(zip(AS_PRINTED, TABLES, strict=True)))
def test_the_printed_numbers_themselves_are_reproduced(claim, table, monkeypatch):
    verdict = decided(claim, monkeypatch, table_runs(table))
    counts = verdict.numbers["counts"]
    assert verdict.verdict == "reproduced"
    assert counts["signs"] == counts["cells"] == counts["inside the samples' range"] == len(table.columns) * 6
    assert counts["RMSE"] == pytest.approx(0, abs=1e-3)


def turned(table, cells, by=None):
    """Cells with the other sign, or raised by some points."""
    return {
        (i, j): -float(table.rows[i][j]) if by is None else float(table.rows[i][j]) + by
        for i, j in cells
    }  # fmt: skip


PLACES = list(product(range(6), range(10)))
NOT_ZERO = {table.number: [(i, j) for i, j in PLACES if table.rows[i][j]] for table in TABLES}


@pytest.mark.parametrize(("number", "most_wrong_signs"), [(1, 2), (2, 2), (3, 2), (4, 0), (5, 0), (6, 2)])
def test_one_wrong_sign_too_many_turns_a_table(number, most_wrong_signs, monkeypatch):
    claim, table = AS_PRINTED[number - 1], TABLES[number - 1]
    smallest = sorted(NOT_ZERO[number], key=lambda at: abs(table.rows[at[0]][at[1]]))
    for wrong, word in ((most_wrong_signs, "reproduced"), (most_wrong_signs + 1, "not reproduced")):
        runs = table_runs(table, turned(table, smallest[:wrong]))
        assert decided(claim, monkeypatch, runs).verdict == word


@pytest.mark.parametrize(("number", "cells", "rmse"), [(1, 66, 5.0), (2, 60, 5.0), (4, 60, 2.5), (5, 60, 2.5)])
def test_a_larger_error_turns_a_table(number, cells, rmse, monkeypatch):
    claim, table = AS_PRINTED[number - 1], TABLES[number - 1]
    at = max(NOT_ZERO[number], key=lambda at: table.rows[at[0]][at[1]])
    most = rmse * math.sqrt(cells)
    for by, word in ((0.99 * most, "reproduced"), (1.01 * most, "not reproduced")):
        assert decided(claim, monkeypatch, table_runs(table, turned(table, [at], by))).verdict == word


@pytest.mark.parametrize(("number", "cells"), [(1, 66), (2, 60), (3, 66), (6, 60)])
def test_one_cell_too_many_outside_the_range_turns_a_table(number, cells, monkeypatch):
    claim, table = AS_PRINTED[number - 1], TABLES[number - 1]
    positive = [at for at in NOT_ZERO[number] if table.rows[at[0]][at[1]] > 0]
    for outside, word in ((cells - 50, "reproduced"), (cells - 49, "not reproduced")):
        runs = table_runs(table, turned(table, positive[:outside], 0.3))
        verdict = decided(claim, monkeypatch, runs)
        assert verdict.numbers["counts"]["inside the samples' range"] == cells - outside
        assert verdict.verdict == word


def test_a_changed_printed_cell_is_seen(monkeypatch):
    found = table_runs(TABLES[1])
    rows = [list(row) for row in TABLES[1].rows]
    for i, j in ((5, 0), (5, 2), (5, 4)):
        rows[i][j] = -rows[i][j]
    planted = replace(TABLES[1], rows=tuple(map(tuple, rows)))
    monkeypatch.setattr(tables_1_to_6, "replayed", lambda workload: found)
    assert decide(tables_1_to_6.as_printed(planted, "", tables_1_to_6.VIOLATIONS)).verdict == "not reproduced"


@pytest.mark.parametrize(
    ("table", "printed", "headings"),
    [
        (TABLES[0], tables_1_to_6.table_1, tables_1_to_6.table_1_headings),
        (TABLES[2], tables_1_to_6.table_3, tables_1_to_6.table_3_headings),
    ],
)
def test_headings_are_told_from_the_numbers(table, printed, headings, monkeypatch):
    shifted = table_runs(table, read_as={200: 150, 300: 200})
    assert decided(headings, monkeypatch, shifted).verdict == "reproduced"
    assert decided(printed, monkeypatch, shifted).verdict == "not reproduced"
    assert decided(headings, monkeypatch, table_runs(table)).verdict == "not reproduced"


def test_a_single_sample_gives_no_interval_and_decides_nothing_for_us(monkeypatch):
    one = paper_runs.interval(np.array([5.0]))
    assert math.isnan(one["low"])
    assert not predictions.end_aware.relation(one)
    alone = share(np.array([5.0]), np.array([6.0]))
    assert predictions.poisson.relation({**alone, predictions.LEAST: at_once(alone, 1, 72)})
    runs = table_runs(TABLES[1])
    alone = Runs([run for run in runs._by_place.values() if run.trace == "trace 0"])
    assert decided(tables_1_to_6.table_2, monkeypatch, alone).verdict == "not reproduced"


def test_the_share_of_two_means_has_the_jackknifes_interval():
    rng = np.random.default_rng(3)
    whole = rng.lognormal(3, 0.5, 60)
    part = whole * rng.uniform(0.05, 0.3, 60)
    found = share(part, whole)
    left_out = [(part.sum() - p) / (whole.sum() - w) for p, w in zip(part, whole, strict=True)]
    error = math.sqrt(59 * np.var(left_out))
    assert found["ours"] == pytest.approx(100 * part.sum() / whole.sum())
    assert found["high"] - found["ours"] == pytest.approx(100 * 2.0 * error, rel=0.05)
    assert found["ours"] - found["low"] == pytest.approx(found["high"] - found["ours"])


def foresight(tels, percentiles=None):
    """Runs of all six policies on four traces that differ a little, the same at every place of the grid."""
    percentiles = percentiles or {}
    found = []
    for k, (c, xi, p) in product(range(4), product(CAPACITIES, XI_MS, POLICIES)):
        tel = round(tels.get(p, 900) * (1 + k / 100))
        found.append(Run(f"trace {k}", c, xi, p, *_percentiles(percentiles, p, c, xi, k), 0, tel))
    return Runs(found)


def _percentiles(percentiles, policy, capacity, xi, k):
    found = percentiles.get((policy, capacity, xi), percentiles.get(policy, (50.0, 200.0, 300.0, 500.0)))
    return [value + k / 1000 for value in found]


def decided_on(claim, monkeypatch, wildchat, sharegpt=None):
    monkeypatch.setattr(paper_runs, "with_foresight", {"wildchat": wildchat, "sharegpt": sharegpt or wildchat}.get)
    return decide(claim)


def tels(end, length, best=100_000):
    return {"tlru": 200_000, "end-aware": end, "length-aware": length, "tail-optimized-belady": best}


def test_a_second_step_as_large_as_the_first_refutes_the_prediction(monkeypatch):
    assert decided_on(predictions.end_aware, monkeypatch, foresight(tels(150_000, 110_000))).verdict == "holds"
    fine, planted = foresight(tels(150_000, 110_000)), foresight(tels(150_000, 90_000))
    verdict = decided_on(predictions.end_aware, monkeypatch, fine, planted)
    assert verdict.verdict == "refuted"
    assert verdict.counterexample["workload"] == "ShareGPT-like"
    assert (verdict.counterexample["capacity"], verdict.counterexample["xi in ms"]) == (1000, 50)
    assert verdict.counterexample["values"]["samples with more"] == 0


def test_a_tenth_is_where_the_poisson_prediction_turns(monkeypatch):
    for closed, word in ((9_900, "holds"), (10_100, "refuted")):
        found = foresight(tels(200_000 - closed, 200_000 - closed))
        verdict = decided_on(predictions.poisson, monkeypatch, found)
        assert verdict.verdict == word
        assert verdict.numbers["cells"][0]["values"]["ours"] == pytest.approx(closed / 1000, rel=1e-3)


def test_an_interval_at_one_place_is_its_own_and_at_more_it_is_wider():
    found = {"ours": 12.0, "low": 11.0, "high": 13.0}
    lows = [at_once(found, 40, places) for places in (1, 2, 72)]
    assert lows[0] == pytest.approx(11.0)
    assert lows[0] > lows[1] > lows[2]
    assert lows[2] == pytest.approx(12 - 3.69 / 2.02, abs=0.02)


@pytest.mark.parametrize(("low", "high", "holds"), [(9.0, 9.9, True), (9.9, 12.0, True), (10.1, 12.0, False)])
def test_only_a_whole_interval_above_a_tenth_refutes(low, high, holds):
    found = {"ours": (low + high) / 2, "low": 10.5, "high": high, predictions.LEAST: low}
    assert predictions.poisson.relation(found) == holds


@pytest.mark.parametrize(("low", "holds"), [(1.0, True), (0.0, False), (-1.0, False)])
def test_an_interval_that_reaches_zero_supports_nothing(low, holds):
    assert predictions.end_aware.relation({"ours": 5.0, "low": low, "high": 9.0}) == holds


def test_the_contrast_needs_both_workloads(monkeypatch):
    near, far = foresight(tels(190_000, 190_000)), foresight(tels(150_000, 150_000))
    assert decided_on(predictions.contrast, monkeypatch, far, near).verdict == "holds"
    assert decided_on(predictions.contrast, monkeypatch, near, far).verdict == "refuted"
    assert decided_on(predictions.contrast, monkeypatch, near, near).verdict == "refuted"


def test_the_best_threshold_far_from_the_percentile_refutes_the_peak(monkeypatch):
    peaks = {
        ("tlru", c, xi): (50.0, 150.0 if xi == 200 else 190.0, 290.0, 490.0) for c in CAPACITIES for xi in XI_MS
    }
    for place in peaks:
        if place[2] == 500:
            peaks[place] = (50.0, 190.0, 290.0, 400.0)
        if place[2] == 300:
            peaks[place] = (50.0, 190.0, 250.0, 490.0)
    monkeypatch.setattr(predictions, "replayed", lambda workload: foresight({}, peaks))
    assert decide(predictions.peak).verdict == "holds"
    planted = {**peaks, ("tlru", 4000, 50): (50.0, 100.0, 290.0, 490.0)}
    monkeypatch.setattr(predictions, "replayed", lambda workload: foresight({}, planted))
    found = decide(predictions.peak).counterexample
    assert (found["percentile"], found["capacity"], found["values"]["best xi"]) == ("P90", 4000, [50])
    assert found["values"]["nearest xi and neighbours"] == [100, 200, 300]


BETTER = {"tlru": (60.0, 190.0, 290.0, 490.0)}


@pytest.mark.parametrize(
    ("planted", "figure_5", "p99"),
    [
        ((60.0, 190.0, 290.0, 490.0), "reproduced", "reproduced"),
        ((60.0, 190.0, 301.0, 490.0), "not reproduced", "reproduced"),
        ((60.0, 190.0, 290.0, 501.0), "reproduced", "not reproduced"),
        ((49.0, 190.0, 290.0, 490.0), "not reproduced", "not reproduced"),
        ((91.0, 190.0, 290.0, 490.0), "not reproduced", "not reproduced"),
        ((50.0, 190.0, 290.0, 490.0), "not reproduced", "not reproduced"),
    ],
    ids=["as told", "P95", "P99", "lower median", "much higher median", "equal median"],
)
def test_one_place_turns_figure_5(planted, figure_5, p99, monkeypatch):
    found = foresight({}, {**BETTER, ("tlru", 8000, 300): planted})
    assert decided_on(figures_4_to_6.figure_5, monkeypatch, found).verdict == figure_5
    assert decided_on(figures_4_to_6.figure_5_p99, monkeypatch, found).verdict == p99


def test_five_per_cent_turn_figure_6(monkeypatch):
    best = {"tail-optimized-belady": (50.0, 200.0, 300.0, 500.0)}
    for p95, word in ((314.0, "reproduced"), (316.0, "not reproduced"), (284.0, "not reproduced")):
        found = foresight({}, {**best, ("end-aware", 2000, 200): (50.0, 200.0, p95, 500.0)})
        verdict = decided_on(figures_4_to_6.figure_6, monkeypatch, found)
        assert verdict.verdict == word
        assert verdict.numbers["counts"]["within 5 %"] == 162 - (word != "reproduced")


def test_another_law_of_turns_is_not_wildchats(monkeypatch):
    at_least = dict(figures_4_to_6.WILDCHAT_AT_LEAST)
    assert decide(figures_4_to_6.figure_4_turns).verdict == "reproduced"
    monkeypatch.setattr(figures_4_to_6, "WILDCHAT_AT_LEAST", {**at_least, 5: 0.13})
    space = replace(figures_4_to_6.figure_4_turns.space, listed=figures_4_to_6.turns_of_a_conversation())
    assert decide(replace(figures_4_to_6.figure_4_turns, space=space)).verdict == "not reproduced"


def test_other_lengths_are_not_the_logs(monkeypatch):
    if not (data_folder() / figures_4_to_6.FILE).is_file():
        pytest.skip("the logs are not in the data folder")
    real = figures_4_to_6.wildchat_like
    monkeypatch.setattr(figures_4_to_6, "wildchat_like", lambda mean_prompt: real(mean_prompt=200.0))
    assert decide(figures_4_to_6.figure_4_lengths).verdict == "not reproduced"


@pytest.mark.parametrize("claim", [figures_4_to_6.figure_4_lengths, predictions.end_aware_mooncake])
def test_rows_on_files_say_which_is_missing(claim, monkeypatch, tmp_path):
    monkeypatch.setenv("TELTHEORY_DATA", str(tmp_path))
    verdict = decide_safely(claim)
    assert (verdict.verdict, verdict.expected) == ("not decidable here", True)
    assert "is not in the data folder" in verdict.problem


def test_a_rule_is_said_as_it_is_decided():
    for claim, words in zip(
        AS_PRINTED,
        (
            ["but 2", "5 points", "50"],
            ["but 2", "5 points", "50"],
            ["not 0"],
            ["not 0", "2.5"],
            ["2.5"],
            ["but 2"],
        ),
        strict=True,
    ):
        assert all(word in claim.rule.text for word in words)
    assert Fraction(5, 2) == Fraction(tables_1_to_6.SHAREGPT.rmse)
