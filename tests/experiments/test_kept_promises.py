"""Advices on samples, and how often they keep what they promise."""

import csv
import math
from dataclasses import fields
from fractions import Fraction

import numpy as np
import pytest

import teltheory as tt
from experiments import kept_promises as experiment


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(experiment, "CHAT_CAPACITIES", (2000,))
    monkeypatch.setattr(experiment, "CHAT_GOALS", ("p95",))
    monkeypatch.setattr(experiment, "TRACE_CAPACITIES", (100, 2000))
    monkeypatch.setattr(experiment, "TRACE_GOALS", ("slo",))
    monkeypatch.setattr(experiment, "TRACE_SLOS", (Fraction(1, 5),))
    monkeypatch.setattr(experiment, "PIECES", ((1, 1), (2, 2)))


@pytest.mark.long
def test_every_question_has_a_line_in_the_table_and_each_group_one_in_the_summary(small, tmp_path, capsys):
    file, table = tmp_path / "of mine.csv", tmp_path / "table.csv"
    sample = experiment.trace_of("wildchat", 3, 800)
    tt.write_trace(sample, file)
    experiment.main([str(table), "--seeds", "2", "--turns", "400", "--workers", "1", "--trace", str(file)])
    with table.open(newline="", encoding="utf-8") as text:
        rows = list(csv.DictReader(text))
    assert list(rows[0]) == [field.name for field in fields(experiment.Answer)]
    assert len(rows) == 2 * 2 + 3 * 2
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 + 2 + 3 + 1
    assert lines[2].startswith("| of mine | slo | 2 | ")
    assert lines[3].startswith("| of mine, 2 of 2 | slo | 2 | ")
    assert lines[-1].startswith(f"| all | all | {len(rows)} | ")
    for row in rows:
        assert int(row["kept"]) == (float(row["low"]) <= float(row["rest"]) <= float(row["high"]))
        assert int(row["promised"]) == (row["low"] != "nan")
    alone = [row for row in rows if row["workload"] == "single-turns"]
    assert {(row["rest"], row["promised"], row["recommended"]) for row in alone} == {("0.0", "0", "0")}


def test_a_summary_counts_and_averages_what_was_promised():
    nothing = experiment.Answer("w", "g", 1, 9, 0.9, math.nan, math.nan, 0.9, 0, 0, 0, 0)
    answers = [
        experiment.Answer("w", "g", 1, seed, 0.1, 0.0, 0.2, rest, 1, kept, 0, seed)
        for seed, rest, kept in ((0, 0.1, 1), (1, 0.3, 0), (2, -0.1, 0))
    ]
    line, last = experiment.summaries([*answers, nothing])
    assert line == ("w", "g", 4, "1 of 3", 1, 1, 0, 2, "10.0", "10.0", "20.0")
    assert last == ("all", "all", *line[2:])
    (alone, _) = experiment.summaries([nothing])
    assert alone == ("w", "g", 1, "0 of 0", 0, 0, 0, 0, "-", "-", "-")


def test_alone_no_turn_continues_a_conversation():
    assert not experiment.trace_of("single-turns", 1, 100).continuing.any()


def test_a_piece_has_the_inputs_of_its_turns_and_no_past_from_before():
    trace = experiment.trace_of("wildchat", 3, 300)
    pieces = [experiment.cut(trace, which, 3) for which in (1, 2, 3)]
    assert np.concatenate([piece.total for piece in pieces]).tolist() == trace.total.tolist()
    assert np.concatenate([piece.past for piece in pieces]).tolist() == trace.past.tolist()
    for piece in pieces:
        assert not piece.history[~piece.continuing].any()
    assert sum(int(piece.continuing.sum()) for piece in pieces) < trace.continuing.sum()
