"""Logs as people have them: other names, other columns, dates, another order; and what they say of a cache."""

import json
from datetime import UTC, datetime, timedelta, timezone

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from formats.files import lines
from formats.test_readers import WRITERS
from hypothesis import given
from hypothesis import strategies as st
from refusals import refusals, refused

import teltheory as tt

ZERO = datetime(2026, 3, 29, 0, 30, tzinfo=UTC)
LENGTHS = {"cumulative": ("prompt",), "given": ("prompt", "history"), "whole": ("total", "history")}
RENAMED = {"conversation": "session id", "prompt": "usage.new", "response": "out", "arrival": "at", "history": "h"}
NESTED = ("jsonl", "json")


def as_iso(seconds):
    """A date in one of the zones and shapes that people write, as its seconds decide."""
    moment = ZERO + timedelta(seconds=seconds)
    zones = (UTC, timezone(timedelta(hours=-9, minutes=-30)), timezone(timedelta(hours=2)))
    text = moment.astimezone(zones[int(seconds) % 3]).isoformat(" " if int(seconds) % 2 else "T")
    return text.replace("+00:00", "Z")


CLOCKS = {"iso": as_iso, "seconds": float, "datetime": lambda s: ZERO + timedelta(seconds=s)}
CLOCKS |= {
    "milliseconds": lambda s: round((ZERO.timestamp() + s) * 1000),
    "microseconds": lambda s: round((ZERO.timestamp() + s) * 10**6),
    "nanoseconds": lambda s: round((ZERO.timestamp() + s) * 10**6) * 1000,
}


@st.composite
def turns(draw):
    """Columns of a trace whose arrivals are all different, in eighths of a second from 0 on."""
    label = draw(st.sampled_from([st.integers(-3, 9), st.sampled_from(["a", "b c", "d,e", "7"])]))
    rows = draw(
        st.lists(st.tuples(label, *[st.integers(0, 2**40)] * 2, st.integers(1, 99)), min_size=1, max_size=8)
    )
    columns = {name: [row[i] for row in rows] for i, name in enumerate(("conversation", "prompt", "response"))}
    if set(columns["conversation"]) == {"7"}:
        columns["conversation"][0] = "a"
    columns["arrival"] = [sum(row[3] for row in rows[1 : i + 1]) / 8 for i in range(len(rows))]
    return columns


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "json", "parquet"])
@given(
    columns=turns(), lengths=st.sampled_from(list(LENGTHS)), clock=st.sampled_from(list(CLOCKS)), data=st.data()
)
def test_a_trace_comes_back_from_a_log(suffix, columns, lengths, clock, data, tmp_path_factory):
    if clock == "datetime" and suffix != "parquet":
        clock = "iso"
    trace = tt.Trace.from_turns(**columns)
    if lengths != "cumulative":
        columns["history"] = (trace.history // data.draw(st.integers(1, 3))).tolist()
        trace = tt.Trace.from_turns(**columns)
    written = columns | {"total": trace.total.tolist(), "arrival": [CLOCKS[clock](s) for s in columns["arrival"]]}
    named = {role: data.draw(st.sampled_from([role, RENAMED[role]])) for role in columns} | {"total": "all"}
    if suffix not in NESTED:
        named = {role: name.replace(".", "_") for role, name in named.items()}
    kept = ("conversation", "response", "arrival", *LENGTHS[lengths])
    file = {named[role]: written[role] for role in kept} | {"model": ["m"] * len(trace)}
    order = data.draw(st.permutations(range(len(trace))))
    path = tmp_path_factory.getbasetemp() / f"log.{suffix}"
    write(path, {name: [values[i] for i in order] for name, values in file.items()})
    given_names = {role: named[role] for role in kept if named[role] != role or lengths == "whole"}
    read = tt.read_trace(path, columns=given_names or None)
    assert read == trace
    assert any("; not read: " in line and "model" in line for line in read.report.sentences())
    back = sum(order[i] > order[i + 1] for i in range(len(order) - 1))
    assert dict(read.report.odd).get("rows that came before an earlier one, sorted", 0) == back


def write(path, columns):
    rows = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    for row in rows:
        for name in [name for name in row if "." in name and path.suffix != ".csv"]:
            outer, inner = name.split(".")
            row[outer] = {inner: row.pop(name), "other": None}
    if path.suffix == ".json":
        path.write_text(json.dumps(rows, indent=1))
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        WRITERS[path.suffix[1:]](path, columns)


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "json", "parquet"])
@given(columns=turns(), size=st.integers(1, 4), dated=st.booleans(), as_text=st.booleans(), data=st.data())
def test_hashes_come_back_from_a_log(suffix, columns, size, dated, as_text, data, tmp_path_factory):
    paths = [data.draw(st.lists(st.integers(0, 2), max_size=5)) for _ in columns["arrival"]]
    total = [size * len(path) + data.draw(st.integers(0, size - 1)) for path in paths]
    ids = [[(int, str)[as_text](one) for one in [*path, 9]] for path in paths]
    cells = [json.dumps(some) for some in ids] if suffix == "csv" else ids
    first = {name: k for k, name in reversed([*enumerate(columns["conversation"])])}
    held = [min(total) // 2 if first[name] < k else 0 for k, name in enumerate(columns["conversation"])]
    path, arrival = tmp_path_factory.getbasetemp() / f"hashes.{suffix}", columns["arrival"] if dated else None
    kept = {name: columns[name] for name in ("conversation", "response", *["arrival"] * dated)}
    write(path, kept | {"all": total, "keys": cells, "held": held})
    named = {"total": "all", "hashes": "keys"} | data.draw(st.sampled_from([{}, {"history": "held"}]))
    trace = tt.read_trace(path, columns=named, blocks=size)
    prefixes = {}
    numbers = [[prefixes.setdefault(tuple(p[: k + 1]), len(prefixes)) for k in range(len(p))] for p in paths]
    assert trace.blocks == tt.Forest.from_paths(numbers, arrival=arrival, block_size=size, tokens=total)
    assert any("hashes=keys" in line for line in trace.report.assumed)


def test_hashes_need_a_block_size_and_whole_inputs(tmp_path):
    row = {"conversation": "a", "response": 1, "prompt": 9, "keys": [1, 2]}
    file = lines(tmp_path / "h.jsonl", [row, row | {"keys": [1]}])
    (tmp_path / "h.csv").write_text("conversation,response,prompt,keys\na,1,9,none\n")
    whole, alone = {"total": "prompt", "hashes": "keys"}, {"hashes": "keys"}
    for said, where, columns, size in (
        ("blocks: found None, expected the tokens per block", file, whole, None),
        ("expected total or history", file, alone, 4),
        ("line 2, keys: found 1, expected 2 ids for 9 tokens in blocks of 4", file, whole, 4),
        ("line 2, keys: found 'none', expected a list", tmp_path / "h.csv", whole, 4),
        ("line 2, keys: found nothing", lines(tmp_path / "b.jsonl", [row, {**row, "keys": None}]), whole, 4),
    ):
        refused(ValueError, said, tt.read_trace, where, columns=columns, blocks=size)


@given(turns())
def test_whole_inputs_follow_the_rule_one_by_one(tmp_path_factory, columns):
    path = tmp_path_factory.getbasetemp() / "whole.jsonl"
    write(path, columns | {"all": columns["prompt"]})
    trace = tt.read_trace(path, columns={"total": "all"})
    past = {}
    for turn, (name, total, response) in enumerate(
        zip(columns["conversation"], columns["prompt"], columns["response"], strict=True)
    ):
        assert trace.history[turn] == min(past.get(name, 0), total)
        assert trace.total[turn] == total
        past[name] = total + response
    assert list(trace.labels) == columns["conversation"]


LOG = [
    {"s": "x", "in": 100, "out": 10, "c": 0, "t": "2026-01-01T00:00:00Z"},
    {"s": "y", "in": 90, "out": 5, "c": 64, "t": "2026-01-01 01:00:01.5+01:00"},
    {"s": "x", "in": 150, "out": 10, "c": 96, "t": "2026-01-01 00:00:03"},
]
NAMES = {"conversation": "s", "total": "in", "response": "out", "cached_tokens": "c", "arrival": "t"}


@pytest.mark.parametrize("more", [1, 2])
def test_what_the_server_had_cached_is_added_up_beyond_64_bits(tmp_path, more):
    long = 2**62 - 1
    log = [{"s": "x", "h": 0, "q": long, "out": 0, "c": 0}, {"s": "x", "h": long, "q": more, "out": 0, "c": long}]
    names = {"conversation": "s", "history": "h", "prompt": "q", "response": "out", "cached_tokens": "c"}
    said = tt.read_trace(lines(tmp_path / "log.jsonl", log), columns=names).report.sentences()
    assert f"had {long:,} of {2 * long + more:,} input tokens cached, the histories are {long:,}; in 0" in said[-1]


def test_what_the_server_had_cached_is_said_and_is_no_history(tmp_path):
    trace = tt.read_trace(lines(tmp_path / "log.jsonl", LOG), columns=NAMES)
    assert trace.history.tolist() == [0, 0, 110]
    assert trace.arrival.tolist() == [0, 1.5, 3]
    said = trace.report.sentences()
    assert "Times: a turn is at the time when its request was sent; 0 is 2026-01-01T00:00:00+00:00" in said[1]
    assert said[2] == "Columns: conversation=s, response=out, arrival=t, total=in, cached_tokens=c."
    assert said[4] == (
        "The server had 160 of 340 input tokens cached, the histories are 110; in 1 of 3 requests it had more "
        "than the history."
    )
    assert trace == tt.read_trace(
        tmp_path / "log.jsonl", columns={k: v for k, v in NAMES.items() if k[:2] != "ca"}
    )


def changed(**more):
    return [LOG[0], LOG[1] | more]


WRONG = [
    (LOG, {"conversation": "ses"}, "columns: found s, in, out, c, t, expected a field 'ses' for conversation"),
    (changed(c=91), {}, "line 2, c: found 91, expected at most 90, the whole input"),
    (changed(s=None), {}, "line 2, conversation: found nothing, expected one (s); --columns conversation=FIELD"),
    (changed(s=1.5), {}, "line 2, s: found 1.5, expected a name or a whole number"),
    (changed(s=1), {}, "line 2, s: found 1, expected a string, as in the turns before it"),
    (changed(out=None), {}, "line 2, out: found nothing, expected a value in every record"),
    (changed(**{"in": 1.5}), {}, "line 2, in: found 1.5, expected a whole number from 0"),
    (changed(t=3), {}, "line 2, t: found 3, expected a date and time in ISO 8601, seconds (below 10**10), or"),
    (changed(t="3 pm"), {}, "line 2, t: found '3 pm', expected a date and time in ISO 8601"),
    ([LOG[0] | {"t": 10**11}], {}, "line 1, t: found 100000000000, expected a date and time in ISO 8601, seconds"),
    ([LOG[0] | {"h": 101}], {"history": "h"}, "line 1, in: found 100, expected at least the prompt and at least"),
    ([{"a": {"b": 1}, "s": 1}], {"conversation": "s"}, "columns: found a.b, s, expected a field 'in' for total"),
]


@pytest.mark.parametrize(("rows", "names", "message"), WRONG, ids=[message[:50] for *_, message in WRONG])
def test_what_is_wrong_is_one_line_with_its_place(rows, names, message, tmp_path):
    file = lines(tmp_path / "log.jsonl", rows)
    refused(tt.FileError, f"{file}, {message}", tt.read_trace, file, columns=NAMES | names)


THREE_LENGTHS = {"prompt": "a", "history": "b", "total": "c"}
test_columns_for_what_no_record_says_are_refused = refusals(
    tt.ArgumentError,
    ("fields .*; the nearest is 'conversation'", lambda: tt.read_trace("none.csv", columns={"convrsation": "s"})),
    ("found 'prompt, history, total', expected two", lambda: tt.read_trace("none.csv", columns=THREE_LENGTHS)),
    ("columns: found 'prompt=3', expected names", lambda: tt.read_trace("none.csv", columns={"prompt": 3})),
)


def test_formats_with_fields_of_their_own_take_no_columns_unless_they_are_told_by_accident(tmp_path):
    file = lines(tmp_path / "log.jsonl", [{"session_id": "x", "messages": [], "n": 3, "m": 1}])
    assert tt.read_trace(file, columns={"conversation": "session_id", "prompt": "n", "response": "m"}).total == [3]
    with pytest.raises(
        tt.ArgumentError, match=r"^columns: found .*, expected none, as agentic has its own fields"
    ):
        tt.read_trace(file, "agentic", columns={"prompt": "n"}, tokenizer="characters/4")


def test_a_log_without_times_is_in_its_order_or_gets_assumed_times(tmp_path):
    file = lines(tmp_path / "log.jsonl", [{k: v for k, v in row.items() if k != "t"} for row in LOG])
    names = {k: v for k, v in NAMES.items() if k != "arrival"}
    trace = tt.read_trace(file, columns=names)
    assert (trace.arrival, trace.labels) == (None, ["x", "y", "x"])
    assert "none in the file" in trace.report.times
    dated = tt.read_trace(file, columns=names, times=tt.SHAREGPT_TIMES)
    assert sorted(dated.total.tolist()) == [90, 100, 150]
    assert dated.arrival is not None


def test_relative_milliseconds_are_named_as_such(tmp_path):
    file = lines(tmp_path / "log.jsonl", [row | {"t": 1500 * i} for i, row in enumerate(LOG)])
    names = {k: v for k, v in NAMES.items() if k != "arrival"}
    assert tt.read_trace(file, columns=names | {"arrival_ms": "t"}).arrival.tolist() == [0, 1.5, 3]
    assert tt.read_trace(file, columns=names | {"arrival": "t"}).arrival.tolist() == [0, 1500, 3000]


def test_lengths_that_a_table_wrote_as_floats_are_whole(tmp_path):
    (tmp_path / "log.csv").write_text("s,in,out,c\nx,12.0,1,\nx,20.0,2.0,8\n")
    trace = tt.read_trace(tmp_path / "log.csv", columns={k: v for k, v in NAMES.items() if k != "arrival"})
    assert (trace.total.tolist(), trace.history.tolist()) == ([12, 20], [0, 13])
    assert "had 8 of 20 input tokens cached" in trace.report.sentences()[-2]


def test_json_lines_are_told_from_one_object_in_a_json_file(tmp_path):
    (tmp_path / "a.json").write_text("".join(json.dumps(row) + "\n" for row in LOG))
    assert len(tt.read_trace(tmp_path / "a.json", columns=NAMES)) == 3
    (tmp_path / "a.json").write_text(json.dumps(LOG[0], indent=2))
    assert len(tt.read_trace(tmp_path / "a.json", columns=NAMES)) == 1


@pytest.mark.parametrize("lengths", [{"prompt": "n"}, {"total": "n"}, {"prompt": "n", "history": "out"}])
def test_rows_at_the_same_time_stay_in_the_order_of_the_file(lengths, tmp_path):
    rows = [{"s": k, "n": k, "out": 0, "t": 7 - k % 2} for k in range(200)]
    names = {"conversation": "s", **lengths, "response": "out", "arrival": "t"}
    trace = tt.read_trace(lines(tmp_path / "log.jsonl", rows), columns=names)
    assert trace.total.tolist() == [*range(1, 200, 2), *range(0, 200, 2)]


def test_rows_without_a_time_that_was_read_are_said_to_be_perhaps_out_of_order(tmp_path):
    rows = [
        {"session": "x", "prompt_tokens": n, "completion_tokens": 10, "sent": 100 - n} for n in range(90, 10, -10)
    ]
    trace = tt.read_trace(lines(tmp_path / "log.jsonl", rows))
    assert "Mind: 7 of 7 inputs are shorter" in " ".join(trace.report.sentences())
    sorted_ = tt.read_trace(tmp_path / "log.jsonl", columns={"arrival": "sent"})
    assert not any("Mind" in line for line in sorted_.report.sentences())
    named = lines(tmp_path / "ts.jsonl", [row | {"ts": 1790000000 + row["prompt_tokens"]} for row in rows])
    assert tt.read_trace(named).total.tolist() == list(range(20, 91, 10))


def test_a_name_that_is_nearly_one_of_ours_is_asked_about(tmp_path):
    (tmp_path / "log.csv").write_text("conversation,prompt,response,arival\na,1,1,0\n")
    with pytest.raises(tt.FileError, match="expected arrival, if that is 'arival': --columns arrival=arival"):
        tt.read_trace(tmp_path / "log.csv")


def test_a_mapping_the_wrong_way_round_is_turned_in_the_error(tmp_path):
    with pytest.raises(tt.errors.ArgumentError, match="perhaps conversation=session, our name first"):
        tt.read_trace(lines(tmp_path / "log.jsonl", LOG), columns={"session": "conversation"})


DIGITS = [
    (["20260101", "20260103"], [0, 2 * 86400], "0 is 2026-01-01T00:00:00+00:00, read as dates"),
    (["20260101", "2026-01-02T12:00:00Z"], [0, 1.5 * 86400], "0 is 2026-01-01T00:00:00+00:00, read as dates"),
    (["2026-01-02T12:00:00Z", "20260101"], [0, 1.5 * 86400], "0 is 2026-01-01T00:00:00+00:00, read as dates"),
    (["20260101", "20260132"], [20260101, 20260132], "its numbers are seconds"),
    (["20260101", "5"], [5, 20260101], "its numbers are seconds"),
    (["20260101.0", "20260102.0"], [20260101, 20260102], "its numbers are seconds"),
    (["18991231", "18991230"], [18991230, 18991231], "its numbers are seconds"),
]


@pytest.mark.parametrize("quoted", [True, False])
@pytest.mark.parametrize(("times", "seconds", "words"), DIGITS)
def test_a_date_of_eight_digits_is_a_date_where_all_are(times, seconds, words, quoted, tmp_path):
    texts = [f'"{time}"' if quoted or not time.replace(".", "").isdigit() else time for time in times]
    rows = [f'{{"conversation": "a", "prompt": 1, "response": 1, "at": {text}}}\n' for text in texts]
    (tmp_path / "a.jsonl").write_text("".join(rows))
    trace = tt.read_trace(tmp_path / "a.jsonl", columns={"arrival": "at"})
    assert trace.arrival.tolist() == seconds
    assert trace.report.times.endswith(words)


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_arrivals_of_eight_digits_in_the_own_format_are_dates(suffix, tmp_path):
    rows = [{"conversation": 0, "prompt": 1, "response": 1, "arrival": 20260101 + k} for k in range(2)]
    if suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(rows), tmp_path / "a.parquet")
    else:
        text = "conversation,prompt,response,arrival\n0,1,1,20260101\n0,1,1,20260102\n"
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (tmp_path / f"a{suffix}").write_text(text if suffix == ".csv" else lines)
    assert tt.read_trace(tmp_path / f"a{suffix}").arrival.tolist() == [0, 86400]
    trace = tt.Trace.from_turns([0, 0], [1, 1], [1, 1], [20260101.0, 20260102.0])
    tt.write_trace(trace, tmp_path / f"b{suffix}")
    assert tt.read_trace(tmp_path / f"b{suffix}") == trace
