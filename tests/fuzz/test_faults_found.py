"""What fuzzing found, one small input each: what each of them gets to read now."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fuzz.test_hostile_files import answer, judged
from fuzz.valid_files import MOONCAKE, formats, path_for
from refusals import refused
from report.pages import ROWS

import teltheory as tt
from teltheory.errors import ArgumentError, FileError

DEEP = b"[" * 100_000
EXAMPLE = {"turns": [[-(2**70), 1, 0]], "initial": [], "capacity": 1, "xi": 0, "q_hat": 0, "forced": False}


def with_field(name, text, form):
    """A valid file in which the first value of a field is another text."""
    before, found, rest = formats()[form].valid.decode().partition(f'"{name}": ')
    assert found
    end = json.JSONDecoder().raw_decode(rest)[1]
    return (before + found + text + rest[end:]).encode()


def row(**changes):
    return json.dumps({"claims": [{**ROWS[1], **changes}]}).encode()


CHANGED = [
    ("ledger.json", lambda: DEEP, "found no JSON (it is nested too deeply), expected a ledger"),
    ("ledger.json", lambda: b'{"claims": ' + b"9" * 5000, "found no JSON (Exceeds the limit (4300 digits)"),
    ("ledger.json", lambda: b'{"claims": [1], "claims": []}', "found no JSON (a field stands there twice)"),
    ("ledger.json", lambda: row(verdict="**yes**"), "claim 1, verdict: found '**yes**', expected holds|refuted"),
    ("ledger.json", lambda: row(counterexample={**EXAMPLE, "values": {}}), "OverflowError"),
    ("ledger.json", lambda: row(numbers="x"), "AttributeError"),
    ("made.json", lambda: b'{"\\ud800": ["00", "00"]}', "found a name that no file can have, expected it as made"),
    ("formula.json", lambda: with_field("form", '"formula", "\\u001b[2J": 1', "formula.json"), "\\x1b[2J: found"),
    ("vllm-log.log", lambda: b"", "found no line with 'Received request', expected prompts"),
    ("sessions.jsonl", lambda: with_field("input_length", str(2**70), "sessions.jsonl"), "number from 0 to 2**62"),
    ("own.jsonl", lambda: b"\xff\xfe{\x00}\x00", "found byte b'\\xff', expected text in UTF-8"),
    ("ranks.tiktoken", lambda: formats()["ranks.tiktoken"].valid.replace(b" 7\n", b" 8\n"), "found a rank twice"),
    ("tokenizer.json", lambda: formats()["tokenizer.json"].valid.replace(b'"[UNK]":', b'"UNK":'), "Missing [UNK]"),
]


@pytest.mark.parametrize(("name", "change", "message"), CHANGED, ids=range(len(CHANGED)))
def test_a_fault_that_was_found_is_one_line_now(name, change, message, tmp_path):
    one = formats()[name]
    path = path_for(one, tmp_path)
    path.write_bytes(change())
    assert judged(one.read, path) == "refused"
    refused(FileError, message, one.read, path)


OVER = {
    "before the first year": "0001-01-01T00:00:00+14:00",
    "after the last": "9999-12-31T23:59:59.9999999-14:00",
    "rounded to after the last": "9999-12-31T23:59:59.9999999Z",
}


@pytest.mark.parametrize("time", OVER.values(), ids=OVER)
def test_times_at_the_ends_of_the_calendar_are_read(time, tmp_path):
    (tmp_path / "a.csv").write_text(f"conversation,prompt,response,arrival\na,1,1,{time}\na,1,1,{time}\n")
    trace = tt.read_trace(tmp_path / "a.csv")
    assert trace.arrival.tolist() == [0, 0]
    assert tt.read_arrivals(tmp_path / "a.csv").tolist() == [0, 0]
    if time.endswith("Z"):
        said = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b", "timestamp": time}]
        chat = {"conversation_hash": "h", "timestamp": time, "conversation": said}
        (tmp_path / "w.jsonl").write_text(json.dumps(chat))
        trace = tt.read_trace(tmp_path / "w.jsonl", tokenizer="characters/4")
    assert "; 0 is outside the years 1 to 9999 of UTC" in trace.report.times


def test_a_column_that_stands_twice_in_a_parquet_file(tmp_path):
    one = pa.Table.from_pylist(MOONCAKE)
    pq.write_table(one.append_column("timestamp", one.column("timestamp")), tmp_path / "a.parquet")
    refused(FileError, "columns: found 'timestamp' 2 times", lambda: tt.read_trace(tmp_path / "a.parquet"))


def test_a_damaged_histogram_of_a_parquet_file_does_not_end_the_process(tmp_path):
    """PyArrow 26 ends the process if a column with such a histogram is asked for its length."""
    path = tmp_path / "a.parquet"
    pq.write_table(pa.Table.from_pylist(MOONCAKE), path)
    damaged = path.read_bytes()
    for at in range(500, 700):
        path.write_bytes(damaged[:at] + bytes([damaged[at] ^ 1]) + damaged[at + 1 :])
        judged(tt.read_trace, path)


def test_errors_quote_what_they_found_in_short_and_without_control_characters():
    assert str(ArgumentError("a", "x" * 10**6, "less")) == f"a: found '{'x' * 199}..., expected less"
    assert str(FileError("a\nb\x1b[2J\ud800")) == "a b\\x1b[2J\\ud800"
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    assert str(ArgumentError("a", deep, "less")) == "a: found a deeply nested value, expected less"
    with pytest.raises(ArgumentError, match="capacity: found a number of thousands of digits, expected a whole"):
        tt.replay(tt.Trace.from_turns([0], [1], [1]), tt.LRU(), 10**5000)


LINES = [
    (("figures", "made", "--turns", "1" + "0" * 15), "'--turns': 1000000000000000 is not in the range"),
    (("figures", "t.csv"), "t.csv: File exists, expected a folder to write to"),
    (("verify", "--claim", "theorem-3"), "claim: found 'theorem-3', expected one of theorem-31, "),
    (("advise", "t.csv", "--slo", "1s", "--first", "1e999999999"), "--first: found '1e999999999', expected a"),
    (
        ("server", "probe", "--url", "http://127.0.0.1:65536", "--served-model", "m"),
        "found 'http://127.0.0.1:65536', expected an",
    ),
    (
        ("server", "probe", "--url", "http://127.0.0.1:9", "--served-model", "m", "--lengths", "9" * 15),
        "lengths: found 9999",
    ),
]


@pytest.mark.parametrize(("given", "said"), LINES, ids=lambda part: part if isinstance(part, str) else "")
def test_command_lines_that_are_refused_before_any_work(given, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("conversation,prompt,response\nA,9,1\n")
    code, found = answer(list(given))
    assert (code, found.count("\n")) == (2, 1)
    assert said in found
