"""Advices on samples, and how often they keep what they promise."""

import csv
from dataclasses import fields

import pytest

import teltheory as tt
from experiments import kept_promises as experiment


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(experiment, "CHAT_CAPACITIES", (2000,))
    monkeypatch.setattr(experiment, "CHAT_GOALS", experiment.CHAT_GOALS[::2])
    monkeypatch.setattr(experiment, "TRACE_CAPACITIES", (100, 2000))
    monkeypatch.setattr(experiment, "TRACE_GOALS", experiment.TRACE_GOALS[:1])
    monkeypatch.setattr(experiment, "on_processes", lambda work, items, workers, name: enumerate(map(work, items)))


def test_every_question_has_a_line_in_the_table_and_each_group_one_in_the_summary(small, tmp_path, capsys):
    file, table = tmp_path / "of mine.csv", tmp_path / "table.csv"
    sample = experiment.trace_of(experiment.Question("wildchat", 3, 400, 0, 0, None))
    tt.write_trace(sample, file)
    experiment.main([str(table), "--seeds", "2", "--turns", "400", "--trace", str(file)])
    with table.open(newline="", encoding="utf-8") as text:
        rows = list(csv.DictReader(text))
    assert list(rows[0]) == [field.name for field in fields(experiment.Answer)]
    assert len(rows) == 3 * 1 * 2 * 2 + 2
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3 * 2 + 1
    assert lines[0].startswith("| wildchat | TEL above 0.2 s | ")
    assert lines[-1].startswith("| of mine | TEL above 1 s | ")
    for row in rows:
        assert int(row["kept"]) == (float(row["low"]) <= float(row["rest"]) <= float(row["high"]))
    alone = [row for row in rows if row["workload"] == "single-turns"]
    assert {(row["rest"], row["recommended"]) for row in alone} == {("0.0", "0")}


def test_a_summary_counts_and_averages():
    answers = [
        experiment.Answer("w", "g", 1, seed, 5, 0.1, 0.0, 0.2, rest, 0.0, 0.3, kept, 1, 0)
        for seed, rest, kept in ((0, 0.1, 1), (1, 0.3, 0), (2, -0.1, 0))
    ]
    (summary,) = experiment.summaries(answers)
    assert (summary.answers, summary.kept, summary.below, summary.above) == (3, 1, 1, 1)
    assert (summary.helps, summary.recommended) == (3, 0)
    assert [summary.first, summary.rest, summary.width] == pytest.approx([10.0, 10.0, 20.0])
    assert experiment.line(summary) == "| w | g | 1 of 3 | 1 | 1 | 0 | 10.0 | 10.0 | 20.0 |"


def test_alone_no_turn_continues_a_conversation():
    assert not experiment.trace_of(experiment.Question("single-turns", 1, 100, 0, 0, None)).continuing.any()
