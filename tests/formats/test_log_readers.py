"""Logs of requests (Qwen-Bailian, BurstGPT, Mooncake with sessions, agents) against the rule, one by one."""

from itertools import accumulate

import pytest
from formats.files import SLOW, columns, lines, wrong_files
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

import teltheory as tt
from teltheory.workloads import Times


def by_the_rule(requests):
    """Return the turns of requests (parent or None, conversation, input, output), in order."""
    past, ends, rows = {}, [], []
    for parent, conversation, tokens_in, tokens_out in requests:
        history = 0 if parent is None else min(ends[parent], past.get(conversation, 0), tokens_in)
        rows.append((conversation, tokens_in - history, tokens_out, history))
        ends.append(tokens_in + tokens_out)
        past[conversation] = ends[-1]
    return rows


@st.composite
def chained(draw):
    """Requests of a Bailian file: (id, parent id or -1, input, output, seconds)."""
    rows, clock = [], 0.0
    for i in range(draw(st.integers(0, 12))):
        parent = draw(st.sampled_from([-1, *range(100, 100 + i)]))
        clock += draw(st.sampled_from([0.0, 0.125, 1.5]))
        rows.append((100 + i, parent, draw(st.integers(0, 9)), draw(st.integers(0, 9)), clock))
    return rows


def bailian(rows):
    names = ("chat_id", "parent_chat_id", "input_length", "output_length", "timestamp")
    more = {"type": "text", "turn": 1}
    hashed = [{"hash_ids": list(range(-(-row[2] // 16)))} for row in rows]
    return [dict(zip(names, row, strict=True)) | more | ids for row, ids in zip(rows, hashed, strict=True)]


@given(chained())
def test_bailian_is_chained_by_the_rule(tmp_path_factory, rows):
    trace = tt.read_trace(lines(tmp_path_factory.getbasetemp() / "b.jsonl", bailian(rows)), "qwen-bailian")
    requests, conversation = [], {}
    for chat, parent, tokens_in, tokens_out, _ in rows:
        conversation[chat] = conversation.get(parent, len(set(conversation.values())))
        requests.append((None if parent == -1 else parent - 100, conversation[chat], tokens_in, tokens_out))
    assert list(zip(*columns(trace), strict=True)) == by_the_rule(requests)
    assert trace.arrival.tolist() == [row[-1] for row in rows]
    chaining = trace.report.chaining
    assert chaining.requests == len(rows)
    assert chaining.chained == sum(row[1] != -1 for row in rows)
    assert chaining.conversations == len(set(conversation.values()))


def test_bailian_as_published(tmp_path):
    rows = [
        (159, 55, 521, 132, 61.114),
        (160, -1, 10, 5, 61.2),
        (161, 159, 700, 9, 62.0),
        (162, 159, 600, 1, 63.5),
    ]
    trace = tt.read_trace(lines(tmp_path / "b.jsonl", bailian(rows)))
    assert columns(trace) == [[0, 1, 0, 0], [521, 10, 47, 0], [132, 5, 9, 1], [0, 0, 653, 600]]
    assert dict(trace.report.odd) == {"parents that are not in the file before": 1}
    assert trace.report.chaining.branches == 1
    assert trace.report.chaining.edited == 1


HEADER = "Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total tokens,Log Type\n"


def test_burstgpt_sessions_are_conversations(tmp_path):
    (tmp_path / "b.csv").write_text(
        HEADER + "5,s1,1.5,ChatGPT,472,18,490,Conversation log\n"
        "45.5,,0.5,GPT-4,1087,230,1317,API log\n"
        "118,s1,1,GPT-4,600,276,876,Conversation log\n"
        "119,s1,1,GPT-4,0,0,0,Conversation log\n"
        "120,s2,1,GPT-4,9,0,9,Conversation log\n"
        "121,,1,GPT-4,9,1,10,API log\n"
        "130,s1,1,GPT-4,700,1,701,Conversation log\n"
    )
    trace = tt.read_trace(tmp_path / "b.csv")
    assert columns(trace) == [
        [0, 1, 0, 2, 3, 0],
        [472, 1087, 110, 9, 9, 0],
        [18, 230, 276, 0, 1, 1],
        [0, 0, 490, 0, 0, 700],
    ]
    assert trace.arrival.tolist() == [5, 45.5, 118, 120, 121, 130]
    assert trace.report.chaining.edited == 1
    assert dict(trace.report.odd) == {"failed requests of 0 tokens, left out": 1}


def session(name, tokens_in, tokens_out, ids=None, **more):
    hashes = {} if ids is None else {"hash_ids": ids}
    return {"session_id": name, "input_length": tokens_in, "output_length": tokens_out} | hashes | more


WHOLE = [
    session("x", 9176, 152, [0, 1, 2], timestamp=0, block_size=4096),
    session("y", 9445, 143, [0, 1, 9], timestamp=250),
    session("x", 9368, 104, [0, 1, 3], delay=500),
    session("x", 9300, 10, [0, 1, 4], timestamp=700),
]
DELTA = [
    session(7, 1024, 152, [0, 1], timestamp=0),
    session(7, 192, 104, [2], timestamp=500),
    session(8, 1024, 143, [0, 1], timestamp=600),
]


def test_sessions_of_whole_inputs(tmp_path):
    trace = tt.read_trace(lines(tmp_path / "m.jsonl", WHOLE))
    assert trace == tt.read_trace(tmp_path / "m.jsonl", "mooncake")
    assert columns(trace) == [[0, 1, 0, 0], [9176, 9445, 40, 0], [152, 143, 104, 10], [0, 0, 9328, 9300]]
    assert trace.arrival.tolist() == [0, 0.25, 0.5, 0.7]
    assert "service counts as 0" in trace.report.times
    assert trace.report.chaining.edited == 1


def test_sessions_of_new_inputs(tmp_path):
    trace = tt.read_trace(lines(tmp_path / "m.jsonl", DELTA))
    assert trace == tt.read_trace(tmp_path / "m.jsonl", "mooncake-delta")
    assert trace.report.format == "mooncake-delta"
    assert columns(trace) == [[0, 0, 1], [1024, 192, 1024], [152, 104, 143], [0, 1176, 0]]


def test_sessions_without_times_need_an_assumption(tmp_path):
    rows = [{name: value for name, value in row.items() if name != "timestamp"} for row in WHOLE]
    file = lines(tmp_path / "m.jsonl", rows)
    with pytest.raises(
        tt.ArgumentError, match=r"^times: found None, .*this file of mooncake has requests without"
    ):
        tt.read_trace(file)
    trace = tt.read_trace(file, times=SLOW)
    assert sorted(trace.arrival) == trace.arrival.tolist()
    assert "assumed" in trace.report.times
    with pytest.raises(tt.ArgumentError, match=r"^times: found .*not every request has a delay"):
        tt.read_trace(file, times=Times(None, rate=1.0))
    delayed = lines(file, [row | {"delay": 500} for row in rows])
    trace = tt.read_trace(delayed, times=Times(None, rate=1.0))
    alone = trace.arrival[trace.conversation == 0]
    assert [round(gap, 9) for gap in alone[1:] - alone[:-1]] == [0.5, 0.5]


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 9), st.integers(0, 9), st.integers(0, 2)), max_size=12)
)
def test_sessions_follow_the_rule(tmp_path_factory, rows):
    clock = list(accumulate(row[3] * 125 for row in rows))
    records = [
        session(f"s{c}", i, o, [c] * (i > 0), timestamp=t) for (c, i, o, _), t in zip(rows, clock, strict=True)
    ]
    trace = tt.read_trace(lines(tmp_path_factory.getbasetemp() / "m.jsonl", records), "mooncake") if rows else None
    number, last, requests = {}, {}, []
    for k, (c, i, o, _) in enumerate(rows):
        requests.append((last.get(c), number.setdefault(c, len(number)), i, o))
        last[c] = k
    if trace is not None:
        assert list(zip(*columns(trace), strict=True)) == by_the_rule(requests)
        assert trace.arrival.tolist() == [t / 1000 for t in clock]


def call(name, messages, output, **more):
    said = [{"role": role, "content": "a " * n + mark} for role, n, mark in messages]
    return {"session_id": name, "messages": said, "output_length": output} | more


FIRST = [("system", 4, "."), ("user", 2, "")]
SECOND = [*FIRST, ("assistant", 3, ""), ("tool", 5, "b")]


def test_agentic_calls_share_what_their_messages_share(words, tmp_path):
    compacted = [("system", 4, "."), ("user", 1, "b"), ("assistant", 1, "")]
    rows = [
        call("x", FIRST, 9, timestamp=0),
        call("y", FIRST, 1, timestamp=100, tools=[{"a": "b"}]),
        call("x", SECOND, 2, delay=1500),
        call("x", compacted, 1, delay=500),
        call("y", [*FIRST, ("user", 1, "")], 3, timestamp=5000, tools=[{"a": "b"}]),
    ]
    trace = tt.read_trace(lines(tmp_path / "a.jsonl", rows), tokenizer=words)
    tools = 6
    assert trace.report.format == "agentic"
    assert columns(trace) == [
        [0, 1, 0, 0, 1],
        [7, 7 + tools, 6, 3, 1],
        [9, 1, 2, 1, 3],
        [0, 0, 7 + 3, 5, 7 + tools],
    ]
    assert trace.arrival.tolist() == [0, 0.1, 1.5, 2.0, 5.0]
    assert not trace.cumulative


def test_an_edited_response_is_not_shared(words, tmp_path):
    edited = [*FIRST, ("assistant", 4, "b"), ("user", 1, "")]
    rows = [call("x", SECOND, 2, timestamp=0), call("x", edited, 2, timestamp=1)]
    assert tt.read_trace(lines(tmp_path / "a.jsonl", rows), tokenizer=words).history.tolist() == [0, 7]


def test_a_response_that_comes_back_longer_than_it_was_is_cached_as_long_as_it_was(words, tmp_path):
    rows = [call("x", FIRST, 2, timestamp=0), call("x", SECOND, 2, timestamp=1)]
    assert tt.read_trace(lines(tmp_path / "a.jsonl", rows), tokenizer=words).history.tolist() == [0, 9]


def test_agentic_calls_without_times_need_an_assumption(words, tmp_path):
    rows = [call("x", FIRST, 2), call("x", SECOND, 2, delay=250)]
    file = lines(tmp_path / "a.jsonl", rows)
    refused(tt.ArgumentError, "times: found None, expected an assumption", tt.read_trace, file, tokenizer=words)
    trace = tt.read_trace(file, tokenizer=words, times=Times(None, rate=1.0))
    assert abs(trace.arrival[1] - trace.arrival[0] - 0.25) < 1e-9
    refused(tt.ArgumentError, "tokenizer: found None, .*as agentic holds text", tt.read_trace, file)


CHAT, CALL = bailian([(1, -1, 5, 5, 3.0)])[0], call("x", FIRST, 2, timestamp=0)
BURST = HEADER + "5,,1,m,1,1,2,log\n"


test_what_is_wrong_in_lines_is_named_with_its_place = wrong_files(
    "log.jsonl",
    ([CHAT, CHAT | {"parent_chat_id": 1}], "line 2, chat_id: found 1, expected an id that no earlier request has"),
    ([CHAT | {"parent_chat_id": None}], "line 1, parent_chat_id: found nothing, expected a value in every record"),
    ([CHAT | {"input_length": "7"}], "line 1, input_length: found '7', expected a whole number from 0"),
    ([CHAT | {"timestamp": "5"}], "line 1, timestamp: found '5', expected a number of seconds"),
    ([*WHOLE, *DELTA], "input_length: found sessions of both kinds, expected the format by name: mooncake (whole"),
    ([session("x", n, 1, timestamp=n) for n in (1, 2)], "input_length: found hash_ids that tell nothing"),
    ([session("x", 1, 1), session(True, 2, 1)], "line 2, session_id: found True, expected a name or a whole"),
    ([session("x", 1, 1), {"input_length": 1, "output_length": 1}], "line 2, session_id: found nothing"),
    ([session("x", 1, 1, delay="5")], "line 1, delay: found '5', expected a number of milliseconds"),
)
test_what_is_wrong_in_calls_is_named_with_its_place = wrong_files(
    "log.jsonl",
    ([CALL, CALL | {"session_id": None}], "line 2, session_id: found nothing"),
    ([CALL | {"output_length": None}], "line 1, output_length: found nothing"),
    ([CALL | {"message_mode": "delta"}], "line 1, message_mode: found 'delta', expected 'history': every call"),
    ([CALL | {"timestamp": "x"}], "line 1, timestamp: found 'x', expected a number of milliseconds"),
    tokenizer="characters/4",
)
test_what_is_wrong_in_a_table_is_named_with_its_place = wrong_files(
    "log.csv",
    (BURST + "x,,1,m,1,1,2,log\n", "line 3, Timestamp: found 'x', expected a number of seconds"),
    (BURST + "1,,1,m,1.5,1,2,log\n", "line 3, Request tokens: found '1.5', expected a whole number from 0"),
    (BURST + "1,,1,m,1,,2,log\n", "line 3, Response tokens: found '', expected a whole number from 0"),
    (BURST + "1,,1,m,1,1\n", "line 3, row: found 6 values, expected 8, as in the header"),
)
