"""Advices on samples, and how often they keep what they promise."""

import csv
import math
from dataclasses import fields

import numpy as np
import pytest

import teltheory as tt
from experiments import kept_promises as experiment
from experiments.made_up_chats import KINDS, TURNS, made_up


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(experiment, "CHAT_CAPACITIES", (2000,))
    monkeypatch.setattr(experiment, "CHAT_GOALS", ("p95",))
    monkeypatch.setattr(experiment, "TURNS", 400)
    monkeypatch.setattr(experiment, "FILE_CAPACITIES", (100, 2000))
    monkeypatch.setattr(experiment, "FILE_GOALS", ("slo",))
    monkeypatch.setattr(experiment, "FILE_SLOS", ("1/5",))
    monkeypatch.setattr(experiment, "PIECES", ((1, 1), (2, 2)))
    monkeypatch.setattr(experiment, "MADE_SEEDS", 0)
    experiment.trace_of.cache_clear()


@pytest.mark.long
def test_every_question_is_promised_then_judged_and_each_trace_has_a_row(small, tmp_path, capsys):
    file, promises, table = tmp_path / "of mine.csv", tmp_path / "promises.csv", tmp_path / "table.csv"
    tt.write_trace(experiment.trace_of("wildchat", 3, 1, 1), file)
    files = ["--chose", str(file), "--new", str(file)]
    experiment.main([str(promises), str(table), "--seeds", "2", "--workers", "1", *files])
    said, found = (list(csv.DictReader(one.read_text("utf-8").splitlines())) for one in (promises, table))
    assert [list(one[0]) for one in (said, found)] == [
        [field.name for field in fields(kind)] for kind in (experiment.Promised, experiment.Judged)
    ]
    assert len(said) == len(found) == 2 * 2 + 3 * 2 + 2
    assert [{name: row[name] for name in said[0]} for row in found] == said
    lines = capsys.readouterr().out.splitlines()
    asked = {"of mine": 4, "of mine, 2 of 2": 2, **dict.fromkeys(experiment.SAMPLES, 2)}
    asked |= {"all that chose the rule": 10, "all others": 2}
    assert {line[2:].split(" | ")[0]: int(line.split(" of ")[-1].split()[0]) for line in lines[2:]} == asked
    alone = [row for row in found if row["source"] == "single-turns"]
    assert {(row["rest"], row["low"], row["recommended"]) for row in alone} == {("0.0", "nan", "0")}


@pytest.mark.parametrize("goal", ["tel", pytest.param("p95", marks=pytest.mark.long)])
def test_what_is_promised_before_the_rest_is_seen_is_what_advise_promises(goal):
    question = experiment.Question("chose", "wildchat", 0, 1, 1, 4000, "1/5", goal)
    said = experiment.promised(question)
    advice = tt.advise(experiment.trace_of("wildchat", 0, 1, 1), 4000, "200ms", goal=goal)
    assert (said.margin, said.recommended) == (advice.choice.margin, advice.choice.helps)
    assert (said.low, said.high) == (advice.choice.promise.low, advice.choice.promise.high)
    judged = experiment.judged(said)
    assert (judged.rest, judged.confirmed) == (advice.held_out.gain.value, advice.recommended)


def test_what_is_promised_does_not_change_with_the_rest(monkeypatch):
    trace = experiment.trace_of("wildchat", 0, 1, 1)
    half = len(trace) // 2
    other = tt.Trace.from_turns(
        [*trace.conversation[:half].tolist(), *[-7] * half],
        [*trace.prompt[:half].tolist(), *range(1, half + 1)],
        [*trace.response[:half].tolist(), *[5] * half],
    )
    question = experiment.Question("chose", "wildchat", 0, 1, 1, 4000, "1/5", "tel")
    found = []
    for one in (trace, other):
        monkeypatch.setattr(experiment, "trace_of", lambda *_, one=one: one)
        found.append(experiment.promised(question))
    assert found[0] == found[1]


def test_a_row_counts_what_was_promised_kept_and_confirmed():
    def judged(low, high, rest, recommended=1, confirmed=0):
        place = ("new", "files/w.csv", 0, 1, 1, 9, "1", "tel")
        return experiment.Judged(*place, 7, recommended, 0.1, low, high, rest, confirmed)

    kept, above, below = judged(0.0, 0.2, 0.1, 1, 1), judged(0.05, 0.2, 0.3), judged(0.0, 0.2, -0.1)
    nothing = judged(math.nan, math.nan, 0.9, 0)
    row, last = experiment.summaries([kept, above, below, nothing])
    assert row == ("w", "3 of 4", 1, "18.3", "1 (33 %); 1, 1", "3, 1", "3, 2 (67 %)")
    assert last == ("all others", *row[1:])
    assert next(experiment.summaries([nothing]))[1:] == ("0 of 1", 0, "-", "0; 0, 0", "0, 0", "1, 0 (0 %)")


def test_pieces_and_what_was_made_up_stand_before_whole_traces():
    def judged(source, piece=1, pieces=1, group="chose"):
        return experiment.Judged(
            group, source, 0, piece, pieces, 9, "1", "tel", 7, 0, 0.1, math.nan, math.nan, 0.0, 0
        )

    new = judged("n.csv", group="new")
    found = [
        judged("f.csv"),
        judged("f.csv", 2, 3),
        judged("wildchat"),
        judged("single-turns"),
        judged("waves"),
        new,
    ]
    names = [row[0] for row in experiment.summaries(found)]
    assert names[:3] == ["f, 2 of 3", "single-turns", "waves"]
    assert names[3:] == ["f", "wildchat", "n", "all that chose the rule", "all others"]


def test_alone_no_turn_continues_a_conversation():
    assert not experiment.trace_of("single-turns", 1, 1, 1).continuing.any()


@pytest.mark.parametrize("kind", KINDS)
def test_made_up_conversations_return_and_a_seed_has_one_trace(kind):
    trace = made_up(kind, 0)
    assert trace == made_up(kind, 0)
    assert trace != made_up(kind, 1)
    assert 0.8 * TURNS <= len(trace) <= TURNS
    assert trace.continuing.mean() > 0.4


def test_a_piece_has_the_inputs_of_its_turns_and_no_past_from_before():
    trace = experiment.trace_of("wildchat", 3, 1, 1)
    pieces = [experiment.cut(trace, which, 3) for which in (1, 2, 3)]
    assert np.concatenate([piece.total for piece in pieces]).tolist() == trace.total.tolist()
    assert np.concatenate([piece.past for piece in pieces]).tolist() == trace.past.tolist()
    for piece in pieces:
        assert not piece.history[~piece.continuing].any()
    assert sum(int(piece.continuing.sum()) for piece in pieces) < trace.continuing.sum()
