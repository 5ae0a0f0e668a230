import csv
import json
from itertools import accumulate
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

import teltheory as tt
from teltheory.errors import ArgumentError, FileError
from teltheory.formats import FORMATS
from teltheory.workloads import data_folder

HEADER = "conversation,prompt,response"
OK = {"conversation": 0, "prompt": 1, "response": 1}
PAIR = {"conversation": [0, 0], "prompt": [1, 1], "response": [1, 1]}
REQUEST = {"timestamp": 0, "input_length": 5, "output_length": 1, "hash_ids": [1]}
DEEP = "[" * 100_000


def write_csv(path, columns):
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))


def write_jsonl(path, columns):
    rows = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def write_parquet(path, columns):
    pq.write_table(pa.table(columns), path)


WRITERS = {
    "csv": write_csv,
    "jsonl": write_jsonl,
    "ndjson": write_jsonl,
    "parquet": write_parquet,
}


@st.composite
def tables(draw):
    """Columns of a trace of one turn or more."""
    length = st.integers(0, 2**50)
    label = draw(
        st.sampled_from([st.integers(-3, 2**60), st.sampled_from(["a", 'b "c"', "d,e", "f\ng", "Zoë", "7"])])
    )
    turns = draw(st.lists(st.tuples(label, length, length), min_size=1, max_size=8))
    columns = {name: [turn[i] for turn in turns] for i, name in enumerate(HEADER.split(","))}
    if all(name == "7" for name in columns["conversation"]):
        columns["conversation"][0] = "a"
    if draw(st.booleans()):
        gaps = st.sampled_from([0.0, 0.1, 1 / 3, 1e-9, 7.0])
        columns["arrival"] = list(accumulate(draw(st.lists(gaps, min_size=len(turns), max_size=len(turns)))))
    if draw(st.booleans()):
        trace = tt.Trace.from_turns(**columns)
        columns["history"] = (trace.history // draw(st.integers(1, 3))).tolist()
    return columns


@pytest.mark.parametrize("suffix", WRITERS)
@given(columns=tables(), format=st.sampled_from(["auto", "teltheory"]))
def test_a_trace_comes_back_from_its_file(suffix, columns, format, tmp_path_factory):
    path = tmp_path_factory.getbasetemp() / f"round-trip.{suffix}"
    WRITERS[suffix](path, columns)
    trace = tt.read_trace(path, format=format)
    assert trace == tt.Trace.from_turns(**columns)
    assert trace.cumulative == ("history" not in columns)
    assert trace.report is None


@pytest.fixture
def failing(tmp_path):
    """Write a file, read it and return the error's message without the folder."""

    def read(name, content, **options):
        path = tmp_path / name
        if isinstance(content, str):
            path.write_text(content, encoding="utf-8", newline="")
        elif isinstance(content, bytes):
            path.write_bytes(content)
        elif content is not None:
            write_parquet(path, content)
        with pytest.raises(FileError) as caught:
            tt.read_trace(path, **options)
        message = str(caught.value)
        assert isinstance(caught.value, ValueError)
        assert len(message.splitlines()) == 1
        assert message.startswith(str(path))
        assert len(message) < len(str(path)) + 400
        return message.removeprefix(str(tmp_path) + "/")

    return read


def lines(*rows):
    return "".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows)


CSV_FAILURES = [
    (f"{HEADER}\n0,1,1\n0,-1,1\n", "line 3, prompt: found -1, expected 0"),
    (f"{HEADER}\n0,1,1\n0,x,1\n", "line 3, prompt: found 'x', expected a whole number"),
    (f"{HEADER}\n0,,1\n", "line 2, prompt: found nothing, expected a value in every row"),
    (f"{HEADER}\n0,{2**63},1\n", f"line 2, prompt: found {2**63}, expected a whole number below 2**63"),
    (f"{HEADER}\n0,{'1' * 5000},1\n", "line 2, prompt: found inf, expected a whole number"),
    (f"{HEADER}\n0,1,1\n0,1,1,\n", "line 3, row: found 4 values, expected 3, as in the header"),
    (f'{HEADER}\n0,"1,1\n', "line 2, row: "),
    (f"{HEADER}\n0,{'1' * 200_000},1\n", "line 2, row: field larger than field limit"),
    ("conversation,promt,response\n0,1,1\n", "columns: found conversation, promt, response, expected the prompt"),
    (f"{HEADER},arival\n0,1,1,1\n", "columns: found conversation, prompt, response, arival, expected arrival, if"),
    (f"{HEADER},x,below\n0,1,1,1,1\n", "columns: found 'x', expected only conversation, prompt"),
    ("conversation,prompt\n", "response: found nothing, expected a value in every row"),
    (f"{HEADER},arrival\n0,1,1,nan\n", "line 2, arrival: found nan, expected a finite number"),
    (f"{HEADER},history\n0,1,1,0\n\n\n0,1,1,3\n", "line 5, history: found 3, expected at most 2"),
]


JSON_FAILURES = [
    ((OK, '{"conversation": 0,'), "line 2, row: "),
    ((OK, "7"), "line 2, row: found '7', expected a JSON object"),
    ((OK, DEEP), "line 2, row: "),
    ((OK, '{"prompt": ' + "1" * 5000 + "}"), "line 2, row: "),
    ((OK, OK | {"response": "1"}), "line 2, response: found '1', expected a whole number"),
    ((OK, OK | {"prompt": None}), "line 2, prompt: found nothing, expected a value in every row"),
    (({"prompt": 1, "response": 1}, OK), "line 1, conversation: found nothing, expected a value"),
    (({"pro\nmt": 1, "response": 2},), r"columns: found pro\nmt, response, expected the conversation"),
    ((OK | {"arrival": 2}, OK | {"arrival": "x"}), "line 2, arrival: found 'x', expected a number of seconds"),
    ((OK | {"arrival": "x"},), "line 1, arrival: found 'x', expected a date and time in ISO 8601, seconds"),
    (("", OK | {"history": 0}, "", OK | {"history": 3}), "line 4, history: found 3, expected at most 2"),
    ((OK | {"prompt": "x" * 10_000},), "line 1, prompt: found 'xxx"),
]


PARQUET_FAILURES = [
    ({"prompt": [1, -2]}, "row 2, prompt: found -2, expected 0"),
    ({"prompt": [1, None]}, "row 2, prompt: found nothing, expected a value in every row"),
    ({"prompt": [1.0, 2.5]}, "row 2, prompt: found 2.5, expected a whole number"),
    ({"prompt": pa.array([1, 2**63], pa.uint64())}, f"row 2, prompt: found {2**63}, expected a whole number"),
    ({"history": [0, 3]}, "row 2, history: found 3, expected at most 2"),
    ({"arival": [1, 1]}, "columns: found conversation, prompt, response, arival, expected arrival"),
    ({"arrival": [2.0, 1.0], "history": [0, 3]}, "row 2, history: found 3, expected at most 0"),
]


FAILURES = [
    *(("turns.csv", text, place) for text, place in CSV_FAILURES),
    *(("turns.jsonl", lines(*rows), place) for rows, place in JSON_FAILURES),
    *(("turns.parquet", PAIR | changes, place) for changes, place in PARQUET_FAILURES),
    ("turns.parquet", {"conversation": [0], "prompt": [1]}, "row 1, response: found nothing, expected a value in"),
    ("m.jsonl", lines(REQUEST, "", REQUEST | {"timestamp": "0"}), "line 3, timestamp: found '0', expected a"),
    ("m.jsonl", lines(REQUEST, REQUEST | {"input_length": 1.0}), "line 2, input_length: found 1.0, expected a"),
    ("m.jsonl", lines(REQUEST | {"hash_ids": [1, 2.0]}), "line 1, hash_ids: found [1, 2.0], expected a list of"),
]


@pytest.mark.parametrize(("name", "content", "place"), FAILURES, ids=[f"{n} {p[:40]}" for n, _, p in FAILURES])
def test_a_wrong_file_is_an_error_at_its_place(name, content, place, failing):
    assert failing(name, content).startswith(f"{name}, {place}")


def test_half_a_parquet_file_is_an_error(failing, tmp_path):
    write_parquet(tmp_path / "whole.parquet", {name: [1] for name in OK})
    whole = (tmp_path / "whole.parquet").read_bytes()
    for size in (3, len(whole) // 2, len(whole) - 1):
        assert failing("half.parquet", whole[:size]).startswith("half.parquet: ")


@pytest.mark.parametrize("name", ["turns.txt", "turns", "turns.csv.bz2"])
def test_a_name_that_tells_no_format_is_an_error(name, failing):
    message = failing(name, lines(OK))
    assert "expected .csv, .jsonl, .ndjson, .json, .parquet, .log; tried as teltheory, " in message
    assert repr(Path(name).suffix) in message


@pytest.mark.parametrize("format", ["csv", "", "Mooncake", "wildchat-1m"])
def test_an_unknown_format_is_an_error_before_the_file_is_touched(format, tmp_path):
    with pytest.raises(ArgumentError, match=r"^format: found .*, expected 'auto', 'teltheory', 'mooncake'"):
        tt.read_trace(tmp_path / "none.csv", format=format)


def test_a_header_alone_is_the_empty_trace(tmp_path):
    empty = tt.Trace.from_turns([], [], [])
    (tmp_path / "a.csv").write_text(HEADER)
    write_parquet(tmp_path / "a.parquet", {name: pa.array([], pa.int64()) for name in OK})
    assert tt.read_trace(tmp_path / "a.csv") == empty
    assert tt.read_trace(tmp_path / "a.parquet") == empty


@pytest.mark.parametrize("content", ["", "\n \n"])
def test_json_lines_without_a_line_are_an_empty_trace(content, tmp_path):
    (tmp_path / "turns.jsonl").write_text(content)
    assert len(tt.read_trace(tmp_path / "turns.jsonl")) == 0


def test_a_folder_is_no_trace(tmp_path):
    (tmp_path / "x.parquet").mkdir()
    refused(FileError, "found a folder", lambda: tt.read_trace(tmp_path / "x.parquet"))


def test_formats_that_are_read_whole_take_no_folder(tmp_path):
    (tmp_path / "own.csv").write_text(f"{HEADER}\n0,1,1\n")
    refused(FileError, "found a folder, expected a single file for this format", tt.read_trace, tmp_path)


def test_ids_with_leading_zeros_stay_apart(tmp_path):
    (tmp_path / "a.csv").write_text("conversation,prompt,response\n007,1,1\n7,1,1\n")
    assert tt.read_trace(tmp_path / "a.csv").names == ("007", "7")


def test_byte_order_marks_spaces_and_line_ends_do_no_harm(tmp_path):
    expected = tt.Trace.from_turns(["a", "b"], [1, 2], [3, 4])
    (tmp_path / "a.csv").write_bytes(b"\xef\xbb\xbf conversation, prompt ,response\r\n a , 1,3\r\n\r\nb,2 ,4")
    (tmp_path / "A.JSONL").write_bytes(
        b'\xef\xbb\xbf{"prompt": 1, "response": 3, "conversation": "a"}\r\n\r\n'
        b'{"conversation": "b", "prompt": 2, "response": 4}'
    )
    assert tt.read_trace(tmp_path / "a.csv") == expected
    assert tt.read_trace(str(tmp_path / "A.JSONL")) == expected


def test_conversations_are_names_as_soon_as_one_is_no_number(tmp_path):
    (tmp_path / "a.csv").write_text(f"{HEADER}\n7,1,1\nx,1,1\n")
    (tmp_path / "b.csv").write_text(f"{HEADER}\n7,1,1\n-8,1,1\n")
    assert tt.read_trace(tmp_path / "a.csv").names == ("7", "x")
    assert tt.read_trace(tmp_path / "b.csv").conversation.tolist() == [7, -8]
    (tmp_path / "c.jsonl").write_text(lines(OK | {"conversation": "7"}))
    assert tt.read_trace(tmp_path / "c.jsonl").names == ("7",)


def test_a_first_history_is_fine_with_its_initial_cache(failing, tmp_path):
    text = lines("", OK | {"conversation": "a", "history": 4}, OK | {"conversation": "a", "history": 6})
    assert failing("turns.jsonl", text).startswith("turns.jsonl, line 2, history: found 4, expected at most 0")
    trace = tt.read_trace(tmp_path / "turns.jsonl", initial=[("a", 4, 1)])
    assert trace.history.tolist() == [4, 6]
    assert "line 2, history: found 4, expected at most 3" in failing("turns.jsonl", text, initial=[("a", 3, 1)])
    refused(ArgumentError, "initial[0]", lambda: tt.read_trace(tmp_path / "turns.jsonl", initial=[("a", 4, 5)]))


def test_auto_tells_the_formats_by_their_fields(failing, tmp_path):
    (tmp_path / "m.jsonl").write_text(lines(REQUEST, REQUEST | {"timestamp": 1500, "other": "field"}))
    trace = tt.read_trace(tmp_path / "m.jsonl")
    assert trace == tt.read_trace(tmp_path / "m.jsonl", format="mooncake")
    assert trace.arrival.tolist() == [0.0, 1.5]
    assert trace.prompt.tolist() == [5, 5]
    assert "columns: found timestamp, input_length" in failing("m.jsonl", lines(REQUEST), format="teltheory")
    assert "line 1, timestamp: found nothing" in failing("o.jsonl", lines(OK), format="mooncake")


def test_the_data_folder_comes_from_the_environment(monkeypatch):
    monkeypatch.setenv("TELTHEORY_DATA", "/some/where")
    assert data_folder() == Path("/some/where")
    for unset in (lambda: monkeypatch.setenv("TELTHEORY_DATA", ""), lambda: monkeypatch.delenv("TELTHEORY_DATA")):
        unset()
        assert data_folder() == Path("../shared/data")


UNKNOWN = {
    "README.md": (b"# A text\n", "found a name that ends in '.md'"),
    "text.txt": (b"hello, world\n", "found a name that ends in '.txt'"),
    "text.jsonl": (b"hello, world\n", "line 1, row: Expecting value"),
    "text.json": (b"hello, world\n", "line 1: found 'h', expected a JSON array"),
    "object.json": (b'{"a": 1}\n', "found the fields 'a'"),
    "none.json": (b"[]", "found no record"),
    "fields.jsonl": (b'{"a": 1, "b": 2}\n', "found the fields 'a', 'b'"),
    "table.csv": (b"x,y\n1,2\n", "found the fields 'x', 'y'"),
    "binary.csv": (b"\x9f\x00\xff", "found byte b'\\x9f'"),
    "binary.parquet": (b"PAR1" + bytes(range(200)), "Parquet"),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_what_was_tried_is_said(tmp_path, name):
    content, found = UNKNOWN[name]
    (tmp_path / name).write_bytes(content)
    with pytest.raises(FileError) as error:
        tt.read_trace(tmp_path / name)
    message = str(error.value)
    assert message.startswith(str(tmp_path / name))
    assert found in message
    assert "\n" not in message
    assert [format for format in FORMATS if format not in message] == []


@pytest.mark.parametrize(
    ("record", "format", "field"),
    [
        ('{"messages": [{"role": "user", "content": "hi"}]}', "lmsys", "messages"),
        ('{"conversations": [{"from": "human", "value": "hi"}]}', "sharegpt", "conversations"),
    ],
)
def test_what_is_missing_is_said_with_the_format_that_needs_it(tmp_path, record, format, field):
    (tmp_path / "chats.jsonl").write_text(record + "\n")
    with pytest.raises(ArgumentError, match=rf"chats\.jsonl is taken for {format} by its field '{field}'"):
        tt.read_trace(tmp_path / "chats.jsonl")


def test_a_missing_file_is_only_missing(tmp_path):
    refused(FileError, "found no such file, expected a trace", lambda: tt.read_trace(tmp_path / "none.jsonl"))
