import json
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from refusals import refused

from proofs_checks.tail_optimized.figure_3 import explained
from teltheory.calibration.cells import MedianCells, cells_of
from teltheory.calibration.runs import read_ttft_runs
from teltheory.errors import ArgumentError
from teltheory.model.trace import Trace
from teltheory.paper import adaptive, beliefs, drawing, front, grid, scenarios
from teltheory.paper import all as everything
from teltheory.paper import figure_tables as ft
from teltheory.paper import tables as av
from teltheory.paper.rows import Adapted, AtLeast, Average, RunRow
from teltheory.paper.tables import RunTable
from teltheory.paper.tidy import read_rows
from teltheory.sweep import TraceAtHand
from teltheory.workloads import data_folder


def run(trace, policy, tel, p95=100.0, capacity=1000, xi_ms=200):
    return RunRow(trace, capacity, xi_ms, policy, 50.0, 90.0, p95, 200.0, above=10, tel=tel)


@pytest.fixture
def found():
    by_trace = {"a": (100, 60, 20), "b": (30, 40, 10), "c": (7, 7, 7)}
    policies = ("lru", "tlru", "tail-optimized-belady")
    return RunTable(
        [
            run(t, policy, tel, p95=100.0 + tel)
            for t, tels in by_trace.items()
            for policy, tel in zip(policies, tels, strict=True)
        ]
    )


def test_regret_is_tel_above_the_optimum_and_closed_its_share(found):
    assert av.regret(found, "tlru", 1000, 200).tolist() == [40, 30, 0]
    closed = av.closed(found, "tlru", 1000, 200)
    assert closed[:2].tolist() == [50.0, -50.0]
    assert math.isnan(closed[2])


def test_averages_leave_out_what_is_not_defined_and_have_students_interval(found):
    rows = {(row.policy, row.measure): row for row in av.averages(found, ("tel", "closed", "improvement-p95"))}
    tel = rows["tlru", "tel"]
    assert (tel.samples, tel.mean) == (3, pytest.approx(107 / 3))
    t_two = 4.302652729911275
    half = t_two * np.std([60, 40, 7], ddof=1) / math.sqrt(3)
    assert (tel.low, tel.high) == (pytest.approx(tel.mean - half), pytest.approx(tel.mean + half))
    assert (rows["tlru", "closed"].samples, rows["tlru", "closed"].mean) == (2, 0.0)
    assert rows["tail-optimized-belady", "closed"].mean == 100.0
    better = [100 * (1 - 160 / 200), 100 * (1 - 140 / 130), 0.0]
    assert rows["tlru", "improvement-p95"].mean == pytest.approx(np.mean(better))
    alone = av.average(1, 2, "lru", "tel", np.array([5.0]))
    assert (alone.mean, math.isnan(alone.low)) == (5.0, True)
    assert math.isnan(av.average(1, 2, "lru", "tel", np.array([np.nan])).mean)


def test_a_line_is_found_exactly_and_a_bend_is_left_over():
    cells = MedianCells(
        np.array([10, 20, 40]), np.array([0, 10, 10]), np.array([0.031, 0.031, 0.091]), np.ones(3, int)
    )
    rows = ft.fitted("s", cells)
    assert [row.uncached_tokens for row in rows] == [10, 10, 30]
    assert [row.residual_ms for row in rows] == pytest.approx([0, 0, 0], abs=1e-9)
    assert rows[0].r_squared == pytest.approx(1)
    assert {row.points for row in rows} == {3}


def test_the_fit_of_the_data_is_that_of_the_ledger():
    if ft.missing_measurements():
        pytest.skip("needs the data folder")
    rows = ft.timed()
    assert {row.series for row in rows} == set(ft.MEASURED)
    for series, (file, model) in ft.MEASURED.items():
        cells = cells_of(read_ttft_runs(data_folder() / file, model=model))[0]
        of = [row for row in rows if row.series == series]
        assert of[0].r_squared == pytest.approx(float(explained(cells)), abs=1e-9)
        assert sum(row.residual_ms for row in of) == pytest.approx(0, abs=1e-6)
        assert len(of) == len(cells) == of[0].points


def test_distributions_are_shares_of_conversations_and_turns():
    trace = Trace.from_turns([0, 1, 0, 2, 0], [1, 0, 3, 4, 5], [10, 20, 30, 40, 50], range(5))
    rows = ft.distributions({"mine": TraceAtHand(trace)})
    shares = {(row.quantity, row.value): row.share for row in rows if row.workload == "mine"}
    assert shares["turns", 1] == 1
    assert shares["turns", 3] == pytest.approx(1 / 3)
    assert [value for quantity, value in shares if quantity == "tokens"] == [20, 44, 99]
    assert shares["tokens", 44] == pytest.approx(2 / 3)
    assert shares["prompt", 0] == 1
    assert shares["prompt", 4] == pytest.approx(2 / 5)
    published = {row.value: row.share for row in rows if row.workload == "wildchat-published"}
    assert published[2] == 0.421


def test_a_long_distribution_is_thinned_and_keeps_its_ends():
    values, shares = ft.survival(np.arange(10_000))
    kept = ft.thinned(values, shares)
    assert len(kept) <= ft.POINTS
    assert (kept[0], kept[-1][0]) == ((0, 1.0), 9999)
    assert all(share == pytest.approx(1 - value / 10_000) for value, share in kept)


@pytest.fixture
def little(monkeypatch, tmp_path):
    """A world where all tables take a second: few points, and a data folder with made-up measurements."""
    data = tmp_path / "data"
    data.mkdir()
    times = [f"{model},{n},0,{n / 1000}" for model in ("llama-5M-4L", "llama-28M-8L") for n in (100, 200, 400)]
    (data / "vllm_cpu_ttft.csv").write_text("\n".join(["model,prompt_tokens,cached_tokens,ttft_s", *times]) + "\n")
    (data / "a100_llama2_7b_prefill.csv").write_text("prompt_tokens,prefill_ms\n10,1.0\n20,2.0\n40,4.5\n")
    trace = tmp_path / "My chat.csv"
    trace.write_text(
        "conversation,prompt,response\n" + "".join(f"c{i % 3},{10 + i},{20 + i}\n" for i in range(12))
    )
    monkeypatch.setenv("TELTHEORY_DATA", str(data))
    monkeypatch.setattr(grid, "CURVE_POINTS", 3)
    monkeypatch.setattr(grid, "FINE_POINTS", 3)
    monkeypatch.setattr(grid, "FINE_XI_MS", {"wildchat": (100, 200), "sharegpt": (100, 200)})
    monkeypatch.setattr(everything, "LONG_TURNS", 300)
    for module in (adaptive, front):
        monkeypatch.setattr(module, "RATIOS", (Fraction(0), Fraction(1, 2)))
    monkeypatch.setattr(beliefs, "RATIOS", (1, 8))
    monkeypatch.setattr(beliefs, "GAPS", (beliefs.GAP,))
    monkeypatch.setattr(adaptive, "SHARES", (Fraction(1),))
    monkeypatch.setattr(adaptive, "WINDOWS", ())
    asked = {"capacities": (100, 200), "xi_ms": (1, 2, 3), "slo_ms": 2}
    return lambda **more: list(
        everything.make_all(tmp_path / "tables", str(trace), 1, seeds=2, turns=40, **{**asked, **more})
    )


def test_all_tables_are_made_once(little, tmp_path):
    folder = tmp_path / "tables"
    lines = little()
    names = [line.split(":")[0] for line in lines]
    per_workload = ("runs", "means", "cells", "attention_runs", "attention_cells", "curves", "sensitivity")
    assert names == [
        *(f"{table}_{name}.csv" for name in ("wildchat", "sharegpt") for table in per_workload),
        *(f"{table}_my-chat.csv" for table in ("runs", "means", "improvements", "curves", "sensitivity")),
        "adaptive_threshold.csv",
        "pareto_front.csv",
        "belief_horizons.csv",
        "belief_rates.csv",
        "belief_decisions.csv",
        "figure_3.csv",
        "figure_4.csv",
    ]
    assert all(line.endswith(": made") for line in lines)
    assert sorted(file.name for file in folder.iterdir()) == sorted([*names, "made.json"])
    means = read_rows(folder / "means_wildchat.csv", Average)
    regrets = [row.mean for row in means if row.measure == "regret"]
    assert min(regrets) == 0
    assert {row.mean for row in means if row.measure == "regret" and row.policy == av.OPTIMUM} == {0}

    assert little() == [f"{name}: there already" for name in names]
    content = {name: (folder / name).read_bytes() for name in names}
    whole = content["runs_sharegpt.csv"]
    (folder / "runs_sharegpt.csv").write_bytes(whole[: len(whole) // 2])
    (folder / "curves_wildchat.csv").unlink()
    again = [line.split(":")[0] for line in little() if line.endswith(": made")]
    assert again == ["curves_wildchat.csv", "runs_sharegpt.csv"]
    assert {name: (folder / name).read_bytes() for name in names} == content

    adapted = {(row.workload, row.samples) for row in read_rows(folder / "adaptive_threshold.csv", Adapted)}
    assert adapted == {*((name, 2) for name in scenarios.scenarios()), ("my-chat", 1)}

    other = {line.split(":")[0] for line in little(xi_ms=(1, 2, 4), slo_ms=3) if line.endswith(": made")}
    of_trace = ("runs", "means", "improvements", "curves", "sensitivity")
    assert other == {*(f"{table}_my-chat.csv" for table in of_trace), "adaptive_threshold.csv", "pareto_front.csv"}


@pytest.mark.long
def test_all_tables_are_drawn(little, tmp_path, monkeypatch):
    little()
    pictures = []

    monkeypatch.setattr(drawing, "save", lambda figure, target: pictures.append(target.name))
    made = [line.split(":")[0] for line in drawing.draw_all(tmp_path / "tables", tmp_path / "out")]
    assert {f"table_{number}" for number in range(1, 7)} <= set(made)
    assert {"figure_3", "figure_4", "figure_5", "figure_6", "latencies_my-chat", "added_my-chat"} <= set(made)
    assert {"adaptive_threshold", "pareto_front"} <= set(made)
    assert len(pictures) == 16


def test_notes_that_are_cut_off_make_every_table_again(tmp_path):
    product = everything.Product("a", AtLeast, lambda: [AtLeast("w", "turns", 1, 2, 0.5)], "settings")
    assert next(everything.make([product], tmp_path)).endswith(": made")
    assert next(everything.make([product], tmp_path)) == "a.csv: there already"
    assert next(everything.make([product], tmp_path, again=True)).endswith(": made")
    (tmp_path / everything.NOTES).write_text(json.dumps({"a.csv": 1})[:-2])
    assert next(everything.make([product], tmp_path)).endswith(": made")
    changed = replace(product, settings="other settings")
    assert next(everything.make([changed], tmp_path)).endswith(": made")


def test_missing_data_are_said_in_one_line_each(monkeypatch, tmp_path):
    monkeypatch.setenv("TELTHEORY_DATA", str(tmp_path))
    assert [line.split(" is ")[0].split(" are ")[0] for line in everything.missing(None)] == [
        "figure_3.csv",
        "figure_3.csv",
        "the tables of the Mooncake trace",
    ]
    assert len(everything.missing("mine.csv")) == 2
    assert not [p for p in everything.of_figures([]) if p.name == "figure_3"]


def test_a_trace_may_not_be_called_as_a_workload():
    refused(ArgumentError, "not called wildchat", everything.file_name, "folder/WildChat.jsonl")
    refused(ArgumentError, "not called busier-halfway", everything.file_name, "Busier_halfway.csv")
    assert everything.file_name("folder/My chat_50%.csv") == "my-chat-50"


def test_wrong_arguments_are_one_line_before_anything_is_made(capsys, tmp_path):
    for more in (["--trace", str(tmp_path / "none.jsonl")], ["--trace", "x.csv", "--capacity", "0"]):
        with pytest.raises(SystemExit) as ended:
            everything.main([str(tmp_path / "tables"), *more])
        assert ended.value.code == 2
        assert capsys.readouterr().err.count("\n") == 1
    assert not (tmp_path / "tables").exists()
