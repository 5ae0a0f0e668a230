"""A trace that is written and read again is the same trace, whatever made it."""

import pytest
from formats.test_chat_readers import SHAREGPT, SLOW, wildchat, write
from formats.test_log_readers import DELTA, FIRST, HEADER, SECOND, WHOLE, bailian, call, lines
from hypothesis import given, settings
from hypothesis import strategies as st

import teltheory as tt
from teltheory.formats import writing

SUFFIXES = (".csv", ".jsonl", ".parquet")
NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\r\0"), min_size=1, max_size=4)


@st.composite
def traces(draw):
    turns = draw(st.lists(st.integers(-2, 3), max_size=8))
    n = len(turns)
    lengths = st.lists(st.integers(0, 2**40), min_size=n, max_size=n)
    if draw(st.booleans()):
        names = draw(
            st.lists(NAMES.filter(lambda name: name == name.strip()), min_size=6, max_size=6, unique=True)
        )
        turns = ["a" + names[c + 2] for c in turns]
    gaps = st.floats(0, 1e6, allow_subnormal=True)
    arrival = draw(st.none() | st.lists(gaps, min_size=n, max_size=n).map(sorted))
    trace = tt.Trace.from_turns(turns, draw(lengths), draw(lengths), arrival)
    if draw(st.booleans()):
        shorter = [draw(st.integers(0, h)) for h in trace.history.tolist()]
        past, history = {}, []
        for c, h, q, a in zip(turns, shorter, trace.prompt.tolist(), trace.response.tolist(), strict=True):
            history.append(min(h, past.get(c, 0)))
            past[c] = history[-1] + q + a
        trace = tt.Trace.from_turns(turns, trace.prompt, trace.response, arrival, history)
    return trace


def again(trace, path):
    tt.write_trace(trace, path)
    return tt.read_trace(path)


@pytest.fixture(scope="module")
def few_rows_at_once():
    before, writing.ROWS_AT_ONCE = writing.ROWS_AT_ONCE, 3
    yield
    writing.ROWS_AT_ONCE = before


@pytest.mark.parametrize("suffix", SUFFIXES)
@settings(max_examples=25)
@given(traces())
def test_what_is_written_is_read_again(suffix, few_rows_at_once, tmp_path_factory, trace):
    path = tmp_path_factory.getbasetemp() / f"again{suffix}"
    if suffix == ".jsonl" and not len(trace):
        trace = tt.Trace.from_turns([], [], [])
    assert again(trace, path) == trace


SOURCES = {
    "wildchat": ("w.parquet", write, wildchat([(2, 3, 10), (1, 1, 30)], [(4, 0, 20)], []), True),
    "sharegpt": ("s.json", write, SHAREGPT, True),
    "lmsys": ("l.jsonl", write, [{"conversation": wildchat([(2, 3, 1)])[0]["conversation"]}], True),
    "vllm-multi-turn": ("v.json", write, [{"messages": wildchat([(2, 3, 1)])[0]["conversation"]}], True),
    "qwen-bailian": (
        "b.jsonl",
        lines,
        bailian([(1, -1, 5, 5, 0.1), (2, 1, 20, 1, 1 / 3), (3, 1, 7, 1, 0.7)]),
        False,
    ),
    "mooncake": ("m.jsonl", lines, WHOLE, False),
    "mooncake-delta": ("m.jsonl", lines, DELTA, False),
    "agentic": ("a.jsonl", lines, [call("x", FIRST, 9, timestamp=1), call("x", SECOND, 2, delay=3)], True),
}


@pytest.mark.parametrize("format", [*SOURCES, "burstgpt"])
def test_what_a_reader_reads_round_trips(format, tmp_path):
    if format == "burstgpt":
        (tmp_path / "b.csv").write_text(HEADER + "5,s,1,m,4,1,5,log\n5.7,s,1,m,3,1,4,log\n7,,1,m,9,1,10,log\n")
        trace = tt.read_trace(tmp_path / "b.csv")
    else:
        name, make, rows, text = SOURCES[format]
        times = SLOW if format in ("sharegpt", "lmsys", "vllm-multi-turn") else None
        file = make(tmp_path / name, rows)
        trace = tt.read_trace(file, tokenizer="characters/4" if text else None, times=times)
    assert trace.report.format == format
    assert len(trace)
    assert again(trace, tmp_path / "own.csv") == trace


def test_the_mooncake_trace_round_trips(mooncake_trace, tmp_path):
    trace = mooncake_trace
    assert not trace.cumulative
    assert again(trace, tmp_path / "own.parquet") == trace


@pytest.mark.parametrize(
    ("names", "suffix", "message"),
    [
        (["7", "8"], ".csv", "conversation: found '7', expected a name that is no number"),
        ([" a"], ".csv", "conversation: found ' a', expected a name that CSV keeps"),
        ([""], ".csv", "conversation: found '', expected a name that CSV keeps"),
        (["a\rb"], ".csv", r"conversation: found 'a\\rb', expected a name that CSV keeps"),
        (["a\ud800"], ".parquet", r"conversation: found 'a\\ud800', expected a name in Unicode"),
        (["a"], ".txt", "path: found .*expected a name that ends in .csv, .jsonl, .ndjson, .parquet"),
        (["a"], ".csv.gz", "path: found .*expected a name that ends in .csv"),
    ],
)
def test_what_a_format_would_change_is_refused(names, suffix, message, tmp_path):
    trace = tt.Trace.from_turns(names, [1] * len(names), [1] * len(names))
    with pytest.raises(tt.ArgumentError, match=f"^{message}"):
        tt.write_trace(trace, tmp_path / f"own{suffix}")
    assert list(tmp_path.iterdir()) == []
    assert again(trace, tmp_path / "own.jsonl") == trace


def test_a_trace_in_blocks_and_an_empty_one_with_times_are_refused(tmp_path):
    with pytest.raises(tt.ArgumentError, match=r"^trace: found 'blocks of 2 tokens', expected a trace in tokens"):
        tt.write_trace(tt.Trace.from_turns([0], [4], [4]).to_blocks(2), tmp_path / "own.csv")
    empty = tt.Trace.from_turns([], [], [], [])
    with pytest.raises(tt.ArgumentError, match=r"^path: .*expected CSV or Parquet for a trace without turns"):
        tt.write_trace(empty, tmp_path / "own.jsonl")
    assert again(empty, tmp_path / "own.csv") == again(empty, tmp_path / "own.parquet") == empty
