"""The order of the rows of a file is not what was read, unless the format says so; at one time it stands."""

import json
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np
import pytest
from formats.test_chat_readers import wildchat
from formats.test_claude_code import NESTED, asked
from formats.test_engine_logs import EVENTS, REQUESTS, finished, received
from formats.test_log_readers import HEADER, bailian, call, session
from formats.test_ragpulse import ROWS, folder
from formats.test_tracelab import step
from formats.test_usage_and_spans import exported, openai, span
from hypothesis import given, settings
from hypothesis import strategies as st

import teltheory as tt
from teltheory.formats import FORMATS
from teltheory.formats.module_sets import read_module_trace
from teltheory.formats.request_logs import read_log

TEXTS = {"tokenizer": "characters/4"}
DOCS = Path(__file__).parents[2] / "docs"


class Example(NamedTuple):
    """Rows of a format as a function of their times, whole seconds in any order; and what its reader is told."""

    rows: object
    name: str = "a.jsonl"
    options: dict | None = None


def own(*times):
    turns = zip("aabab", (3, 4, 1, 2, 5), (1, 2, 0, 3, 1), times, strict=True)
    return [{"conversation": c, "prompt": q, "response": a, "arrival": t} for c, q, a, t in turns]


def with_histories(*times):
    return [row | {"history": h} for row, h in zip(own(*times), (0, 2, 0, 5, 0), strict=True)]


def dates(*times):
    return [
        row | {"arrival": f"2026-03-01T09:00:{t:02}Z", "user": 1}
        for row, t in zip(own(*times), times, strict=True)
    ]


def whole(*times):
    rows = [("x", 9, [0, 1, 2]), ("y", 8, [0, 1]), ("x", 14, [0, 1, 3, 4]), ("x", 6, [0, 5]), ("y", 10, [0, 1, 6])]
    return [
        session(name, n, 2, ids, timestamp=1000 * t, block_size=4)
        for (name, n, ids), t in zip(rows, times, strict=True)
    ]


def fresh(*times):
    rows = [("x", 9, [0]), ("x", 8, [2]), ("y", 14, [0]), ("x", 6, [0]), ("y", 10, [1])]
    return [session(name, n, 2, ids, timestamp=1000 * t) for (name, n, ids), t in zip(rows, times, strict=True)]


def parents(*times):
    rows = zip((1, 2, 3, 4, 5), (-1, 1, 2, 2, 9), (20, 40, 30, 60, 20), (5, 0, 3, 1, 1), times, strict=True)
    return bailian(list(rows))


def burst(*times):
    rows = [("s", 5, 2), ("", 9, 1), ("s", 4, 1), ("u", 3, 3), ("s", 9, 1)]
    return [f"{t},{name},1,m,{n},{a},1,log\n" for (name, n, a), t in zip(rows, times, strict=True)]


def chats(*times):
    return wildchat(*([(k + 2, 3, t), (1, k, t)] for k, t in enumerate(times)))


def calls(*times):
    said = [("system", 4, "."), ("user", 2, "")]
    longer = [*said, ("assistant", 3, ""), ("tool", 5, "b")]
    edited = [("system", 4, "."), ("user", 1, "b")]
    rows = [("x", said), ("x", longer), ("y", said), ("x", edited), ("x", [*longer, ("user", 9, "")])]
    return [call(name, texts, 3, timestamp=1000 * t) for (name, texts), t in zip(rows, times, strict=True)]


def logged(*times):
    rows = [("x", "aaaabbbb", "cccc"), ("x", "aaaabbbbccccdddd", ""), ("y", "aaaaeeee", "ffff")]
    rows += [("x", "aaaabbbbeeee", "ffff"), ("y", "aaaaeeeeffffgggg", "h")]
    return [
        {"timestamp": (1760428436 + t) * 10**6, "input": text, "output": answer, "session_id": name}
        for (name, text, answer), t in zip(rows, times, strict=True)
    ]


def parts(*times):
    rows = [*ROWS, ROWS[1] | {"session_id": "a"}, ROWS[0] | {"session_id": "b"}]
    return [row | {"timestamp": str(t)} for row, t in zip(rows, times, strict=True)]


def tokens(*times):
    rows = [
        ([1, 2, 3], [4, 5, 6]),
        ([1, 2, 3, 4, 5, 6, 7], []),
        ([9, 9], [1]),
        ([1, 2, 8, 8], [3]),
        ([1, 2, 8, 8, 3, 4], []),
    ]
    return [finished(str(k), t + 1, *row) for k, (row, t) in enumerate(zip(rows, times, strict=True))]


USED = [("a", 100, 0, 20), ("a", 150, 112, 30), ("b", 90, 64, 10), ("a", 70, 0, 1), ("b", 120, 0, 5)]


def used(*times):
    return [openai(name, t, *more) for (name, *more), t in zip(USED, times, strict=True)]


def spans(*times):
    return [exported(span(name, t, *more)) for (name, *more), t in zip(USED, times, strict=True)]


def steps(*times):
    return [step(name, t, *more) for (name, *more), t in zip(USED, times, strict=True)]


EXAMPLES = {
    "teltheory": Example(own),
    "teltheory, histories": Example(with_histories),
    "teltheory, dates": Example(dates),
    "mooncake": Example(whole),
    "mooncake-delta": Example(fresh),
    "qwen-bailian": Example(parents),
    "burstgpt": Example(burst, "a.csv"),
    "wildchat": Example(chats, options=TEXTS | {"blocks": 2}),
    "agentic": Example(calls, options=TEXTS | {"blocks": 2}),
    "lmcache": Example(logged, options=TEXTS | {"blocks": 1}),
    "ragpulse": Example(parts),
    "sglang": Example(tokens, options={"blocks": 2}),
    "usage": Example(used),
    "otel": Example(spans),
    "tracelab": Example(steps),
}
ORDER_MATTERS = {
    "kvcache-simulator": "the chaining goes by the order of the file",
    "claude-code": "Assumed starts go by the file",
    "sharegpt": "conversations start in the order of the file",
    "lmsys": "conversations start in the order of the file",
    "vllm-multi-turn": "conversations start in the order of the file",
    "vllm-events": "Batches are in the order in which they were sent",
    "vllm-log": "Lines are in the order in which they were written",
}
"""What the docs say of it."""


def read(folder_, example, rows):
    """Read rows as a file."""
    file = folder_ / example.name
    if isinstance(rows[0], str):
        file.write_text(HEADER + "".join(rows))
    else:
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tt.read_trace(file, **(example.options or {}))


def shape(trace):
    """All that was read but the times; conversations by their first arrivals."""
    conversation = trace.conversation.tolist()
    codes = [list(dict.fromkeys(conversation)).index(c) for c in conversation]
    forest = None if trace.blocks is None else [list(map(int, trace.blocks.path(k))) for k in range(len(trace))]
    more = () if trace.blocks is None else (trace.blocks.ask.tolist(), trace.blocks.inputs.tolist())
    return codes, trace.prompt.tolist(), trace.response.tolist(), trace.history.tolist(), forest, more


@pytest.mark.repository
def test_all_formats_are_here():
    assert {name.partition(",")[0] for name in EXAMPLES} | set(ORDER_MATTERS) == set(FORMATS)
    said = " ".join(((DOCS / "formats.md").read_text() + (DOCS / "formats-logs.md").read_text()).split())
    assert [phrase for phrase in ORDER_MATTERS.values() if phrase not in said] == []


@pytest.mark.parametrize("format", EXAMPLES)
@settings(max_examples=10)
@given(data=st.data())
def test_the_order_of_rows_does_not_change_what_is_read(format, tmp_path_factory, data):
    example, place = EXAMPLES[format], tmp_path_factory.getbasetemp() / "order"
    folder(place, ROWS)
    rows = example.rows(0, 1, 3, 4, 9)
    expected = read(place, example, rows)
    assert expected.report is None or expected.report.format == format.partition(",")[0]
    found = read(place, example, data.draw(st.permutations(rows)))
    assert shape(found) == shape(expected)
    assert found.arrival.tolist() == expected.arrival.tolist()
    if format != "wildchat":
        assert found == expected


@pytest.mark.parametrize("format", EXAMPLES)
def test_rows_of_one_time_stay_in_the_order_of_the_file(format, tmp_path):
    example = EXAMPLES[format]
    folder(tmp_path, ROWS)
    assert shape(read(tmp_path, example, example.rows(5, 5, 5, 5, 5))) == shape(
        read(tmp_path, example, example.rows(1, 2, 3, 4, 5))
    )
    late = read(tmp_path, example, example.rows(5, 5, 5, 5, 1))
    rows = example.rows(5, 5, 5, 5, 1)
    assert shape(late) == shape(read(tmp_path, example, [rows[-1], *rows[:-1]]))


def test_lines_that_tell_when_requests_were_received_may_come_late(tmp_path):
    rows = [row | {"timestamp": f"2026-01-01T00:00:{k:02}"} for k, row in enumerate([*REQUESTS, received("c", 5)])]
    expected = shape(read(tmp_path, EXAMPLES["sglang"], rows))
    for seed in range(20):
        found = read(tmp_path, EXAMPLES["sglang"], Random(seed).sample(rows, len(rows)))
        assert shape(found) == expected


def test_a_name_that_is_received_again_is_another_request(tmp_path):
    rows = [received("a", 1), finished("a", 3, [1, 2], [3]), received("a", 4), finished("a", 7, [1, 2, 3, 4], [])]
    for seed in range(10):
        trace = read(tmp_path, EXAMPLES["sglang"], Random(seed).sample(rows, len(rows)))
        assert (trace.arrival.tolist(), trace.total.tolist(), trace.history.tolist()) == ([0, 3], [2, 4], [0, 3])


def test_a_parent_that_came_later_is_none_and_is_counted(tmp_path):
    for rows in ([(1, -1, 5, 5, 3.0), (2, 1, 20, 1, 1.0)], [(2, 1, 20, 1, 1.0), (1, -1, 5, 5, 3.0)]):
        trace = read(tmp_path, EXAMPLES["qwen-bailian"], bailian(rows))
        assert (trace.conversation.tolist(), trace.total.tolist()) == ([0, 1], [20, 5])
        assert dict(trace.report.odd)["parents that are not in the file before"] == 1


def test_times_that_are_assumed_keep_the_order_of_the_times_in_the_file(tmp_path):
    times = tt.Times(tt.ExponentialGaps(3), rate=1)
    for format in ("teltheory", "lmcache", "agentic", "mooncake"):
        example = EXAMPLES[format]
        example = example._replace(options=(example.options or {}) | {"times": times})
        rows = example.rows(0, 1, 3, 4, 9)
        swapped = [rows[0], rows[3], rows[2], rows[1], rows[4]]
        assert shape(read(tmp_path, example, swapped)) == shape(read(tmp_path, example, rows))


REFUSED = {
    "mooncake": [
        {"timestamp": t, "input_length": 600, "output_length": 1, "hash_ids": [t, t + 1]} for t in (5, 3)
    ],
    "own-shared": [
        row | {"block_size": 2, "below": 0, "added": 1, "asked": 1} for row in reversed(own(1, 2, 3, 4, 5))
    ],
    "vllm-events": [{"ts": one[0], "events": one[1]} if isinstance(one, list) else one for one in EVENTS[::-1]],
    "claude-code": [NESTED | {"requests": [asked(3.0, [1, 2]), asked(1.0, [1, 2])]}],
}


@pytest.mark.parametrize("format", REFUSED)
def test_rows_whose_order_matters_are_refused_where_they_go_back(format, tmp_path):
    with pytest.raises(tt.FileError):
        read(tmp_path, Example(None), REFUSED[format])


def test_logs_of_applications_are_sorted_and_traces_of_them_are_in_order(tmp_path):
    rows = [{"id": str(t), "time": t, "prompt": "a", "response": "b"} for t in (1, 2, 4, 7)]
    found = []
    for some in (rows, rows[::-1]):
        (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in some))
        found.append(read_log(tmp_path / "a.jsonl"))
    assert found[0] == found[1]
    header = {"sizes": [1, 2]}
    for rows in ([{"items": [0], "arrival": 2.0}, {"items": [1], "arrival": 1.0}],):
        (tmp_path / "m.jsonl").write_text("".join(json.dumps(row) + "\n" for row in (header, *rows)))
        with pytest.raises(tt.FileError, match="line 3, arrival"):
            read_module_trace(tmp_path / "m.jsonl")


def test_times_of_another_file_are_sorted(tmp_path):
    for times in ([0.0, 1.0, 4.0], [4.0, 0.0, 1.0]):
        (tmp_path / "t.csv").write_text("arrival\n" + "".join(f"{t}\n" for t in times))
        assert np.array_equal(tt.read_arrivals(tmp_path / "t.csv"), [0.0, 1.0, 4.0])
