"""Rows on the paper's figures and predictions, on runs that were made up: what turns each of them."""

import math
from dataclasses import replace

import numpy as np
import pytest
from claims.made_up_runs import foresight

from proofs_checks.tail_optimized import figure_4, figures_5_6, predictions, tables_1_to_6
from proofs_checks.tail_optimized.instances import paper_runs
from proofs_checks.tail_optimized.instances.paper_runs import share
from teltheory.claims.search import decide, decide_safely
from teltheory.paper.grid import XI_MS
from teltheory.paper.printed import CAPACITIES


def stated(claim, cell):
    """Whether a claim's rule finds its statement true of a place."""
    return claim.rule.count([cell])["as stated"] == 1


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


def decided_on(claim, monkeypatch, wildchat, sharegpt=None):
    monkeypatch.setattr(paper_runs, "with_foresight", {"wildchat": wildchat, "sharegpt": sharegpt or wildchat}.get)
    return decide(claim)


def tels(end, length, best=100_000):
    return {"tlru": 200_000, "end-aware": end, "length-aware": length, "tail-optimized-belady": best}


def test_a_second_step_as_large_as_the_first_turns_the_prediction(monkeypatch):
    fine, planted = foresight(tels(150_000, 110_000)), foresight(tels(150_000, 90_000))
    assert decided_on(predictions.end_aware, monkeypatch, fine).verdict == "reproduced"
    verdict = decided_on(predictions.end_aware, monkeypatch, fine, planted)
    assert verdict.verdict == "not reproduced"
    assert verdict.numbers["counts"] == {"cells": 72, "as stated": 36, "otherwise": 36}
    wrong = [cell for cell in verdict.numbers["cells"] if not cell["values"]["samples with more"]]
    assert {cell["row"].split(",")[0] for cell in wrong} == {"ShareGPT-like"}


def test_a_tenth_is_where_the_poisson_prediction_turns(monkeypatch):
    more = foresight(tels(150_000, 150_000))
    for closed, word in ((9_900, "reproduced"), (10_100, "not reproduced")):
        found = foresight(tels(200_000 - closed, 200_000 - closed))
        verdict = decided_on(predictions.poisson, monkeypatch, more, found)
        assert verdict.verdict == word
        assert verdict.numbers["cells"][0]["values"]["ours"] == pytest.approx(closed / 1000, rel=1e-3)


def test_the_best_threshold_far_from_the_percentile_turns_the_peak(monkeypatch):
    peaks = {
        ("tlru", c, xi): (50.0, 150.0 if xi == 200 else 190.0, 290.0, 490.0) for c in CAPACITIES for xi in XI_MS
    }
    for place in peaks:
        if place[2] == 500:
            peaks[place] = (50.0, 190.0, 290.0, 400.0)
        if place[2] == 300:
            peaks[place] = (50.0, 190.0, 250.0, 490.0)
    monkeypatch.setattr(paper_runs, "replayed", lambda workload: foresight({}, peaks))
    assert decide(predictions.peak).verdict == "reproduced"
    planted = {**peaks, ("tlru", 4000, 50): (50.0, 100.0, 290.0, 490.0)}
    monkeypatch.setattr(paper_runs, "replayed", lambda workload: foresight({}, planted))
    found = decide(predictions.peak)
    counts = found.numbers["counts"]
    assert (found.verdict, counts["nearest or a neighbour is best"]) == ("not reproduced", 68)
    assert counts["steps off"] == 2 * (2 + 3)


LOWER_MEDIAN = dict.fromkeys(("lru", "threshold-lru"), (30.0, 200.0, 300.0, 500.0))
BETTER = {**LOWER_MEDIAN, "tlru": (42.0, 190.0, 290.0, 490.0)}


@pytest.mark.parametrize(
    ("planted", "figure_5", "p99"),
    [
        ((42.0, 190.0, 290.0, 490.0), "reproduced", "reproduced"),
        ((42.0, 190.0, 301.0, 490.0), "not reproduced", "reproduced"),
        ((42.0, 190.0, 290.0, 501.0), "reproduced", "not reproduced"),
        ((29.0, 190.0, 290.0, 490.0), "not reproduced", "not reproduced"),
        ((49.0, 190.0, 290.0, 490.0), "not reproduced", "not reproduced"),
        ((31.0, 190.0, 290.0, 490.0), "not reproduced", "not reproduced"),
    ],
    ids=["as told", "P95", "P99", "lower median", "median above 48 ms", "median below 32 ms"],
)
def test_one_place_turns_figure_5(planted, figure_5, p99, monkeypatch):
    found = foresight({}, {**BETTER, ("tlru", 8000, 300): planted})
    assert decided_on(figures_5_6.figure_5, monkeypatch, found).verdict == figure_5
    assert decided_on(figures_5_6.figure_5_p99, monkeypatch, found).verdict == p99


@pytest.mark.parametrize(
    ("side", "low", "high", "told", "against"),
    [
        (-1, -3, -1, 1, 0),
        (-1, -1, 3, 0, 0),
        (-1, 1, 3, 0, 1),
        (1, 1, 3, 1, 0),
        (1, -3, 1, 0, 0),
        (1, -3, -1, 0, 1),
    ],
)
def test_an_interval_on_both_sides_of_0_speaks_neither_for_nor_against(side, low, high, told, against):
    cell = {"side": side, "low": low, "high": high, "ours": (low + high) / 2, "T-LRU": 40.0}
    counts = figures_5_6.as_the_text_says([cell])
    assert (counts["as the text says"], counts["against it by their interval"]) == (told, against)


def test_the_median_rises_from_10_to_40_ms_at_some_place(monkeypatch):
    fast = {("lru", 10000, xi): (10.0, 200.0, 300.0, 500.0) for xi in XI_MS}
    assert decided_on(figures_5_6.figure_5_median, monkeypatch, foresight({}, BETTER)).verdict == "not reproduced"
    verdict = decided_on(figures_5_6.figure_5_median, monkeypatch, foresight({}, {**BETTER, **fast}))
    assert (verdict.verdict, verdict.numbers["counts"]["as the text says"]) == ("reproduced", 3)


def test_five_per_cent_turn_figure_6(monkeypatch):
    blind = dict.fromkeys(("lru", "threshold-lru"), (50.0, 400.0, 600.0, 900.0))
    best = {"tail-optimized-belady": (50.0, 200.0, 300.0, 500.0), **blind}
    for p95, word in ((314.0, "reproduced"), (316.0, "not reproduced"), (284.0, "not reproduced")):
        found = foresight({}, {**best, ("end-aware", 2000, 200): (50.0, 200.0, p95, 500.0)})
        verdict = decided_on(figures_5_6.figure_6, monkeypatch, found)
        assert verdict.verdict == word
        assert verdict.numbers["counts"]["within 5 %"] == 162 - (word != "reproduced")
    near = {**best, "lru": (50.0, 201.0, 301.0, 501.0)}
    assert decided_on(figures_5_6.figure_6, monkeypatch, foresight({}, near)).verdict == "not reproduced"


def test_another_law_of_turns_is_not_wildchats(monkeypatch):
    at_least = dict(figure_4.WILDCHAT_AT_LEAST)
    assert decide(figure_4.figure_4_turns).verdict == "reproduced"
    monkeypatch.setattr(figure_4, "WILDCHAT_AT_LEAST", {**at_least, 5: 0.2})
    space = replace(figure_4.figure_4_turns.space, listed=figure_4.turns_of_a_conversation())
    assert decide(replace(figure_4.figure_4_turns, space=space)).verdict == "not reproduced"


def test_an_input_of_the_workload_counts_for_nothing():
    facts = {fact.row: fact for fact in figure_4.figure_4_turns.space.listed}
    given = {name for name, fact in facts.items() if fact.given}
    assert given == {"P50, turns", "P99, turns", *(f"{k} turns or more, %" for k in (2, 3, 5, 10))}
    wrong = tuple(replace(fact, ours=0.0) if fact.given else fact for fact in facts.values())
    space = replace(figure_4.figure_4_turns.space, listed=wrong)
    assert decide(replace(figure_4.figure_4_turns, space=space)).verdict == "reproduced"
    assert "(by construction)" in facts["5 turns or more, %"].shown(figure_4.both(facts["5 turns or more, %"]))
    assert figure_4.figure_4_sharegpt.kind == tables_1_to_6.table_2.kind == "by construction"


@pytest.mark.parametrize("claim", [figure_4.figure_4_lengths, predictions.end_aware_mooncake])
def test_rows_on_files_say_which_is_missing(claim, monkeypatch, tmp_path):
    monkeypatch.setenv("TELTHEORY_DATA", str(tmp_path))
    verdict = decide_safely(claim)
    assert (verdict.verdict, verdict.expected) == ("not decidable here", True)
    assert "is not in the data folder" in verdict.problem
