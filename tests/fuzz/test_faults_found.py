"""What fuzzing found, one small input each: what each of them gets to read now."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fuzz.commands import answer, judged_command
from fuzz.formats import MOONCAKE, formats, path_for
from fuzz.oracle import judged
from report.pages import ROWS

import teltheory as tt
from teltheory.errors import ArgumentError, FileError

DEEP = "[" * 100_000
DIGITS = "9" * 5000


def with_field(name, text, form="formula.json"):
    """A valid file in which the first value of a field is another text."""
    content = formats()[form].valid.decode()
    before, found, rest = content.partition(f'"{name}": ')
    assert found
    end = json.JSONDecoder().raw_decode(rest)[1]
    return (before + found + text + rest[end:]).encode()


def row(**changes):
    return json.dumps({"claims": [{**ROWS[1], **changes}]}).encode()


EXAMPLE = {"turns": [[0, 1, 0]], "initial": [], "capacity": 1, "xi": 0, "q_hat": 0, "forced": False, "values": {}}


def bounds(**more):
    return {"kind": "exhaustive", "instances": 1, "bounds": more}


CHANGED = [
    ("ledger.json", DEEP.encode, "found no JSON (it is nested too deeply), expected a ledger"),
    ("ledger.json", f'{{"claims": {DIGITS}}}'.encode, "found no JSON (Exceeds the limit (4300 digits)"),
    ("ledger.json", lambda: b'{"claims": [1], "claims": []}', "found no JSON (a field stands there twice)"),
    (
        "ledger.json",
        lambda: row(id="x](http://a)<b>"),
        "claim 1, id: found 'x](http://a)<b>', expected [A-Za-z0-9]",
    ),
    ("ledger.json", lambda: row(verdict="**yes**"), "claim 1, verdict: found '**yes**', expected holds|refuted"),
    (
        "ledger.json",
        lambda: row(counterexample={}),
        "claim 1: found a scope, counterexample or numbers of another",
    ),
    ("ledger.json", lambda: row(counterexample={**EXAMPLE, "turns": [[-(2**70), 1, 0]]}), "OverflowError"),
    ("ledger.json", lambda: row(counterexample={**EXAMPLE, "turns": [["a", 1, 0]]}), "TypeError"),
    ("ledger.json", lambda: row(numbers={"cells": [{"row": "a", "column": 1.5, "shown": "x"}]}), "TypeError"),
    ("ledger.json", lambda: row(verdict="holds", scope=bounds(proof=[])), "TypeError"),
    ("ledger.json", lambda: row(numbers="x"), "AttributeError"),
    ("made.json", DEEP.encode, "made.json: found no JSON (it is nested too deeply), expected notes of"),
    ("made.json", lambda: b'{"\\ud800": ["", ""]}', "found a name that no file has, expected it as made.json"),
    (
        "regression.json",
        DEEP.encode,
        "found no JSON (it is nested too deeply), expected a counterexample",
    ),
    ("regression.json", lambda: with_field("turns", "[1]", "regression.json"), "counterexample, turns: found [1]"),
    (
        "regression.json",
        lambda: with_field("turns", "[[0, 1]]", "regression.json"),
        "expected a list of three whole",
    ),
    (
        "regression.json",
        lambda: with_field("capacity", '"2"', "regression.json"),
        "capacity: found '2', expected a",
    ),
    (
        "campaign.jsonl",
        lambda: with_field("claim", "[]", "campaign.jsonl"),
        "line 1: found claim [], expected a rec",
    ),
    (
        "campaign.jsonl",
        lambda: with_field("turns", "7", "campaign.jsonl"),
        "a counterexample that is none (turns:",
    ),
    (
        "store.jsonl",
        lambda: with_field("p50", "[[[]]]" * 1, "store.jsonl"),
        "line 1: found p50 [[[]]], expected a",
    ),
    ("formula.json", lambda: with_field("form", '"formula", "\\u001b[2J": 1'), "\\x1b[2J: found 1, expected no"),
    (
        "certificates.json",
        lambda: with_field("kept", f"[{'9' * 4000}]", "certificates.json"),
        "kept[0]: found 999",
    ),
    (
        "sessions.jsonl",
        lambda: with_field("input_length", str(2**70), "sessions.jsonl"),
        "whole number from 0 to 2**62",
    ),
    ("own.csv", f"{DIGITS},{DIGITS}\n".encode, "found the fields '99999"),
    ("own.jsonl", lambda: b"\xff\xfe{\x00}\x00", "found byte b'\\xff', expected text in UTF-8"),
    ("ranks.tiktoken", lambda: formats()["ranks.tiktoken"].valid.replace(b" 7\n", b" 8\n"), "found a rank twice"),
    ("ranks.tiktoken", lambda: formats()["ranks.tiktoken"].valid.replace(b" 7\n", b" -7\n"), "or out of bounds"),
    ("tokenizer.json", lambda: formats()["tokenizer.json"].valid.replace(b'"[UNK]":', b'"UNK":'), "Missing [UNK]"),
]


@pytest.mark.parametrize(("name", "change", "message"), CHANGED, ids=range(len(CHANGED)))
def test_a_fault_that_was_found_is_one_line_now(name, change, message, tmp_path):
    one = formats()[name]
    path = path_for(one, tmp_path)
    path.write_bytes(change())
    assert judged(one.read, path) == "refused"
    with pytest.raises(FileError) as caught:
        one.read(path)
    assert message in str(caught.value)


def test_a_column_that_stands_twice_in_a_parquet_file(tmp_path):
    path = tmp_path / "a.parquet"
    one = pa.Table.from_pylist(MOONCAKE)
    pq.write_table(one.append_column("timestamp", one.column("timestamp")), path)
    with pytest.raises(FileError, match="columns: found 'timestamp' 2 times, expected each column once"):
        tt.read_trace(path)


def test_a_folder_that_is_named_like_a_partition_adds_no_column(tmp_path):
    """PyArrow's `read_table` takes a folder `day=1` for a column `day`, which no trace has."""
    (tmp_path / "day=1").mkdir()
    path = tmp_path / "day=1" / "a.parquet"
    path.write_bytes(formats()["own.parquet"].valid)
    assert len(tt.read_trace(path)) == 4


@pytest.mark.parametrize("found", [10**5000, -(10**5000)], ids=["large", "small"])
def test_a_number_of_thousands_of_digits_is_an_error_about_the_argument(found):
    trace = tt.Trace.from_turns([0], [1], [1])
    with pytest.raises(
        ArgumentError, match="capacity: found a number of thousands of digits, expected a whole number"
    ):
        tt.replay(trace, tt.LRU(), found)


def test_errors_quote_what_they_found_in_short_and_without_control_characters():
    assert str(ArgumentError("a", "x" * 10**6, "less")) == f"a: found '{'x' * 199}..., expected less"
    assert str(FileError("a\nb\x1b[2J\ud800")) == "a b\\x1b[2J\\ud800"
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    assert str(ArgumentError("a", deep, "less")) == "a: found a deeply nested value, expected less"


def test_a_name_that_is_no_unicode_is_shown_with_escapes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("\udcff<b>.csv").write_text("conversation,prompt,response\n" + "A,9,1\nB,8,2\n" * 200)
    given = ["advise", "\udcff<b>.csv", "--slo", "1ms", "--capacity", "5", "--html", "page.html"]
    assert judged_command(given) == 0
    page = Path("page.html").read_text(encoding="utf-8")
    assert "\\udcff&lt;b&gt;.csv" in page
    assert "<b>.csv" not in page


@pytest.mark.parametrize(
    ("models", "listed"),
    [
        (["x" * 50_000, "y"], f"one of {'x' * 60}..., y"),
        (list("abcdefghijkl"), "one of a, b, c, d, e, f, g, h and 4 others"),
    ],
)
def test_models_of_a_benchmark_are_listed_in_short(models, listed, tmp_path):
    lines = [f"{100 + i},0,0.5,{name}\n" for i, name in enumerate(models)]
    (tmp_path / "runs.csv").write_text("prompt_tokens,cached_tokens,ttft_s,model\n" + "".join(lines))
    with pytest.raises(ArgumentError) as caught:
        tt.read_ttft_runs(tmp_path / "runs.csv")
    assert str(caught.value) == f"model: found None, expected {listed}"


PROBE = ("calibrate", "--url", "http://127.0.0.1:9", "--model", "m")
LINES = [
    (
        ("figures", "made", "--seeds", "100001"),
        "Invalid value for '--seeds': 100001 is not in the range 1<=x<=100000",
    ),
    (("figures", "made", "--turns", "1" + "0" * 15), "'--turns': 1000000000000000 is not in the range"),
    (("figures", "made", "--trace", "t.csv", "--slo", "1e30s"), "expected whole milliseconds from 1 to"),
    (("figures", "t.csv"), "t.csv: File exists, expected a folder to write to"),
    (("figures", "\ud800"), "\\ud800: found a name that no file has, expected a folder to write to"),
    (("reproduce", "--trace", "t.csv", "--out", "t.csv"), "t.csv: File exists, expected a folder to write to"),
    (("reproduce", "--trace", "t.csv", "--out", "folder"), "folder/report.html: found a folder, expected a file"),
    (("bench", "--turns", "9" * 18), "'--turns': 999999999999999999 is not in the range"),
    (("sample", "sharegpt-like", "made.csv", "--turns", "9" * 18), "'--turns': 999999999999999999 is not in"),
    (("verify", "--claim", "theorem-b1", "--batches", "9" * 9), "'--batches': 999999999 is not in the range"),
    (("verify", "--claim", "theorem-3"), "claim: found 'theorem-3', expected one of theorem-31, theorem-d2, "),
    ((*PROBE, "--repeats", "9" * 9), "repeats: found 999999999, expected at most 1,000,000 measurements, of 25"),
    ((*PROBE, "--lengths", "9" * 15), "lengths: found 999999999999999, expected at most 10,000,000 tokens"),
    (
        ("advise", "t.csv", "--slo", "1s", "--first", "1e999999999"),
        "--first: found '1e999999999', expected a",
    ),
    (("advise", "t.csv", "--slo", "1s", "--first", "1e-31"), "--first: found '1e-31', expected a"),
    (
        ("replay", "t.csv", "--policy", "adaptive:share=1e999999999"),
        "share: found '1e999999999', expected a",
    ),
    ((*PROBE, "--timeout", "nan"), "--timeout: found 'nan', expected a time with its unit"),
    (
        ("calibrate", "--url", "http://127.0.0.1:65536", "--model", "m"),
        "found 'http://127.0.0.1:65536', expected an",
    ),
]


@pytest.mark.parametrize(("given", "said"), LINES, ids=lambda part: part if isinstance(part, str) else "")
def test_command_lines_that_are_refused_before_any_work(given, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("conversation,prompt,response\nA,9,1\n")
    Path("folder", "report.html").mkdir(parents=True)
    assert judged_command(list(given)) == 2
    assert said in answer(list(given))[1]


@pytest.mark.parametrize("reason", ["", "Unable to allocate 728. TiB"])
def test_a_task_that_is_too_large_for_the_memory_is_one_line(reason, monkeypatch):
    def load(*_):
        raise MemoryError(reason)

    monkeypatch.setattr("benchmarks.workload.load", load)
    said = answer(["bench", "--quick"])[1]
    assert judged_command(["bench", "--quick"]) == 2
    assert said.startswith(f"teltheory: out of memory{reason and f' ({reason})'}, expected a smaller task")


def test_a_damaged_histogram_of_a_parquet_file_does_not_end_the_process(tmp_path):
    """PyArrow 26 ends the process where a column with such a histogram is asked for its length."""
    path = tmp_path / "a.parquet"
    one = pa.Table.from_pylist(MOONCAKE)
    pq.write_table(one, path)
    damaged = path.read_bytes()
    for at in range(500, 700):
        path.write_bytes(damaged[:at] + bytes([damaged[at] ^ 1]) + damaged[at + 1 :])
        judged(tt.read_trace, path)
