"""Arrivals of another file, and traces on standard input."""

import gzip
import io
import json
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from formats.files import lines, wrong_files
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

import teltheory as tt
from teltheory.cli import main

AZURE = "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46.6805900,3,4\n2023-11-16 18:15:50.9951,3,1\n"
OWN = "conversation,prompt,response\na,3,1\nb,4,2\n"
ROWS = [{"conversation": "a", "prompt": 3, "response": 1}, {"conversation": "b", "prompt": 4, "response": 2}]


def parquet(rows):
    out = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), out)
    return out.getvalue()


LINES = "".join(json.dumps(row) + "\n" for row in ROWS).encode()
MADE = {
    "csv": OWN.encode(),
    "jsonl": LINES,
    "array": json.dumps(ROWS).encode(),
    "pretty": json.dumps(ROWS, indent=2).encode(),
    "gz": gzip.compress(LINES),
    "zst": pa.compress(OWN.encode(), "zstd", asbytes=True),
    "parquet": parquet(ROWS),
}


@pytest.fixture
def run(monkeypatch, capsys):
    """Run a command on standard input; return its code, and what it printed."""

    def done(content, *arguments):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        with pytest.raises(SystemExit) as ended:
            main([str(one) for one in arguments])
        printed = capsys.readouterr()
        return ended.value.code or 0, printed.out + printed.err

    return done


@pytest.mark.parametrize("kind", MADE)
def test_standard_input_is_told_by_what_it_begins_with(kind, run, tmp_path):
    assert run(MADE[kind], "trace", "convert", "-", tmp_path / "out.csv")[0] == 0
    assert (tmp_path / "out.csv").read_text() == OWN


def test_errors_call_it_standard_input(run):
    code, said = run(OWN.replace("4", "x").encode(), "trace", "describe", "-")
    assert (code, said) == (2, "teltheory: standard input, line 3, prompt: found 'x', expected a whole number\n")
    code, said = run(b'{"messages": []}\n', "trace", "describe", "-")
    assert "standard input is taken for lmsys by its field 'messages'" in said
    assert run(b"", "trace", "describe", "-")[1].startswith("teltheory: standard input: found no turn, expected")


@given(st.lists(st.integers(0, 10**7), min_size=1, max_size=9), st.integers(0, 3))
def test_arrivals_are_the_times_of_a_file_in_order(tmp_path_factory, eighths, before):
    file = tmp_path_factory.getbasetemp() / "arrivals.jsonl"
    start = np.datetime64("2023-11-16T00:00:00", "us")
    stamps = [str(start + np.timedelta64(125_000 * one, "us")) for one in eighths]
    file.write_text("".join(json.dumps({"TIMESTAMP": stamp}) + "\n" for stamp in stamps))
    found = tt.read_arrivals(file)
    assert found.tolist() == [(one - min(eighths)) / 8 for one in sorted(eighths)]
    turns = max(len(eighths) - before, 0)
    trace = tt.Trace.from_turns([0] * turns, [1] * turns, [1] * turns, [5.0 * k for k in range(turns)])
    assert tt.with_arrivals(trace, found).arrival.tolist() == found[:turns].tolist()


def test_of_the_usual_names_of_times_the_first_that_is_there_is_read(tmp_path):
    names = ["arrival", "TIMESTAMP", "timestamp", "Timestamp", "arrived_at", "created_at", "created", "time", "ts"]
    for i in range(len(names)):
        rows = [[0] * len(names[i:]), range(1, len(names[i:]) + 1)]
        (tmp_path / "a.csv").write_text("\n".join(",".join(map(str, row)) for row in [names[i:], *rows]) + "\n")
        assert tt.read_arrivals(tmp_path / "a.csv").tolist() == [0, 1], names[i]


def test_block_hashes_arrive_with_their_turns(tmp_path):
    rows = [{"timestamp": 0, "input_length": 1100, "output_length": 9, "hash_ids": [0, 1, 2]}] * 2
    (tmp_path / "m.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    trace = tt.with_arrivals(tt.read_trace(tmp_path / "m.jsonl"), [1.0, 7.0, 9.0])
    assert trace.arrival.tolist() == trace.forest.arrival.tolist() == [1, 7]
    (tmp_path / "m.jsonl").write_text(json.dumps(rows[0]) + "\n" + json.dumps(rows[0] | {"timestamp": 1500}))
    assert tt.read_arrivals(tmp_path / "m.jsonl").tolist() == [0, 1.5]


def test_commands_take_arrivals_and_say_so(run, tmp_path):
    azure = tmp_path / "azure.csv"
    azure.write_text(AZURE)
    code, said = run(OWN.encode(), "trace", "convert", "-", tmp_path / "out.csv", "--arrivals", azure)
    assert (code, tt.read_trace(tmp_path / "out.csv").arrival.tolist()) == (0, [0, 4.31451])
    assert "Times: the first 2 of 2 of azure.csv, for the turns in their order." in said
    code, said = run(
        b"", "trace", "sample", "wildchat-like", tmp_path / "s.csv", "--turns", 2, "--arrivals", azure
    )
    assert (code, tt.read_trace(tmp_path / "s.csv").arrival.tolist()) == (0, [0, 4.31451])
    assert "the first 2 of 2 of azure.csv" in said
    code, said = run((OWN + "a,1,1\n").encode(), "trace", "describe", "-", "--arrivals", azure)
    assert (code, said) == (2, f"teltheory: {azure}: found 2 arrivals, expected 3 or more, one a turn\n")


test_what_is_no_time_is_one_line = wrong_files(
    "a.csv",
    ("x,y\n1,2\n", "line 2: found x, y, expected a time in 'arrival', or the field of the times by name"),
    (AZURE + "x,1,1\n", "line 4, TIMESTAMP: found 'x', expected a date and time in ISO 8601"),
    ("time\ninf\n", "line 2, time: found 'inf'"),
    read=tt.read_arrivals,
)


def test_a_time_has_the_name_that_is_given(tmp_path):
    assert tt.read_arrivals(lines(tmp_path / "a.csv", "x,y\n1,2\n"), "y").tolist() == [0]


def test_fewer_times_than_turns_are_an_error():
    with pytest.raises(tt.TraceError, match=r"^arrival: found '1 times', expected 2, one a turn"):
        tt.with_arrivals(tt.Trace.from_turns([0, 0], [1, 1], [1, 1]), [0.0])


def test_azure_is_no_trace_but_has_arrivals(shared):
    real = shared("azure_llm_inference_conv_2023.csv")
    times = tt.read_arrivals(real)
    assert (len(times), times[0]) == (19_366, 0)
    assert 3500 < times[-1] < 3700
    refused(tt.FileError, "that name no conversation, expected a trace; --arrivals azure_llm", tt.read_trace, real)
