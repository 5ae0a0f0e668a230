"""Chats in the shapes that they are published in: what becomes a turn, when it arrives, and what is an error.

Tokens are words and marks, by a toy tokenizer.
"""

import json
from datetime import UTC, datetime

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from formats.files import SLOW, columns
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

import teltheory as tt
from teltheory.workloads import Times

PROMPTS, RESPONSES = ("user", "system", "tool"), ("assistant",)


def said(role, words, **more):
    return {"role": role, "content": "a " * words, **more}


def stamped(turns):
    """Return WildChat messages of (prompt, response, seconds of the minute)."""
    messages = []
    for q, a, second in turns:
        time = None if second is None else f"2023-04-09T00:02:{second:02}+00:00"
        messages += [said("user", q, timestamp=None, turn_identifier=1), said("assistant", a, timestamp=time)]
    return messages


def wildchat(*conversations):
    return [
        {"conversation_hash": "same", "model": "m", "timestamp": "2023-04-09T00:03:00Z", "conversation": messages}
        for messages in map(stamped, conversations)
    ]


def write(path, rows):
    """Write rows as the name says: JSON lines, a JSON array or Parquet."""
    if path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(rows), path)
    elif path.suffix == ".json":
        path.write_text(json.dumps(rows, indent=1))
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.parametrize("name", ["w.jsonl", "w.json", "w.parquet"])
def test_wildchat(name, words, tmp_path):
    file = write(tmp_path / name, wildchat([(2, 3, 10), (1, 1, 30)], [(4, 0, 20)], []))
    trace = tt.read_trace(file, tokenizer=words)
    assert trace == tt.read_trace(file, "wildchat", tokenizer=words)
    assert columns(trace) == [[0, 1, 0], [2, 4, 1], [3, 0, 1], [0, 0, 5]]
    assert trace.arrival.tolist() == [0, 10, 20]
    assert trace.cumulative
    report = trace.report
    assert (report.format, report.turns, report.conversations, report.without_turns) == ("wildchat", 3, 2, 1)
    assert "response was received" in report.times
    assert report.times.endswith("0 is 2023-04-09T00:02:10+00:00")
    assert report.tokenizer.startswith("tokenizer.json, SHA-256")
    assert report.odd == (("messages without content", 1),)


def test_the_first_wildchat_has_an_id_and_one_time_a_conversation(words, tmp_path):
    rows = [{"conversation_id": "x", "timestamp": "2023-04-09T00:03:00", "conversation": [said("user", 1)] * 2}]
    rows[0]["conversation"] += [said("assistant", 4)]
    trace = tt.read_trace(write(tmp_path / "w.jsonl", rows), tokenizer=words, times=Times(tt.ExponentialGaps(9)))
    assert trace.report.format == "wildchat"
    assert columns(trace) == [[0], [2], [4], [0]]


def test_times_of_parquet_and_of_pandas_are_those_of_the_text(words, tmp_path):
    rows = wildchat([(2, 3, 10), (1, 1, 30)], [(4, 1, 20)])
    expected = tt.read_trace(write(tmp_path / "w.jsonl", rows), tokenizer=words)
    for kind, convert in {"parquet": lambda t: t, "jsonl": lambda t: int(t.timestamp() * 1000)}.items():
        changed = json.loads(json.dumps(rows))
        for message in (message for row in changed for message in row["conversation"]):
            if message["timestamp"] is not None:
                message["timestamp"] = convert(datetime.fromisoformat(message["timestamp"]).astimezone(UTC))
        assert tt.read_trace(write(tmp_path / f"x.{kind}", changed), tokenizer=words) == expected


def test_where_only_conversations_have_a_time_it_is_that_of_their_last_turn(words, tmp_path):
    rows = wildchat([(2, 3, None), (1, 1, None)], [(4, 0, None)])
    rows[1]["timestamp"] = "2023-04-09T01:03:00Z"
    file = write(tmp_path / "w.jsonl", rows)
    with pytest.raises(tt.FileError, match=r"line 1, conversation\[1\]\.timestamp: found nothing, .*--times"):
        tt.read_trace(file, tokenizer=words)
    trace = tt.read_trace(file, tokenizer=words, times=Times(tt.LogNormalGaps(60, 1), seed=1))
    assert trace.conversation.tolist() == [0, 0, 1]
    assert trace.arrival[0] == 0
    assert abs(trace.arrival[2] - trace.arrival[1] - 3600) < 1e-6
    assert trace.report.times.startswith("assumed: the last turn of a conversation at the time that the file has")
    del rows[1]["timestamp"]
    with pytest.raises(tt.FileError, match=r"line 2, timestamp: found nothing, expected a time in ISO 8601"):
        tt.read_trace(write(file, rows), tokenizer=words, times=Times(tt.ExponentialGaps(60)))


def test_a_turn_never_arrives_before_its_conversation(words, tmp_path):
    trace = tt.read_trace(
        write(tmp_path / "w.jsonl", wildchat([(1, 1, 30), (2, 1, 10), (3, 1, 40)])), tokenizer=words
    )
    assert trace.arrival.tolist() == [0, 0, 10]
    assert trace.prompt.tolist() == [1, 2, 3]
    assert trace.report.odd == (("turns dated before an earlier one", 1),)


def sharegpt(number, *messages):
    return {"id": f"x_{number}", "conversations": [{"from": f, "value": "a " * n} for f, n in messages]}


MANY = [("gpt", 9), ("system", 1), ("human", 2), ("chatgpt", 3), ("human", 1), ("bing", 2), ("gpt", 2)]
SHAREGPT = [
    sharegpt(0, ("human", 2), ("gpt", 3)),
    sharegpt(1, ("system", 1), ("user", 1)),
    sharegpt(2, *MANY),
    sharegpt(3),
]


@pytest.mark.parametrize("name", ["s.json", "s.jsonl", "s.parquet", "s.json.gz", "s.jsonl.zst"])
def test_sharegpt(name, words, tmp_path):
    file = compressed(tmp_path / name, SHAREGPT)
    trace = tt.read_trace(file, tokenizer=words, times=SLOW)
    assert trace == tt.read_trace(file, "sharegpt", tokenizer=words, times=SLOW)
    assert sorted(zip(*columns(trace), strict=True)) == [(0, 2, 3, 0), (2, 1, 4, 15), (2, 12, 3, 0)]
    assert trace.report.without_turns == 2
    assert dict(trace.report.odd) == {
        "conversations that begin with a response": 1,
        "prompts without a response, left out": 1,
        "responses in several messages": 1,
    }
    assert "ExponentialGaps(mean=60) in seconds, seed 3" in trace.report.times


def compressed(path, rows):
    import gzip

    plain = write(path.with_suffix("") if path.suffix in (".gz", ".zst") else path, rows)
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(plain.read_bytes()))
    if path.suffix == ".zst":
        path.write_bytes(pa.compress(plain.read_bytes(), "zstd", asbytes=True))
    return path


@pytest.mark.parametrize(
    ("name", "field", "format"),
    [("l.jsonl", "conversation", "lmsys"), ("l.parquet", "conversation", "lmsys"),
     ("m.jsonl", "messages", "lmsys"), ("m.json", "messages", "vllm-multi-turn")],
)  # fmt: skip
def test_lmsys_and_what_openai_and_vllm_call_messages(name, field, format, words, tmp_path):
    rows = [{"conversation_id": "1", "id": "1", field: [said("user", 2), said("assistant", 3), said("user", 1)]}]
    trace = tt.read_trace(write(tmp_path / name, rows), tokenizer=words, times=SLOW)
    assert trace.report.format == format
    assert columns(trace) == [[0], [2], [3], [0]]


def test_tool_calls_parts_and_missing_content(words, tmp_path):
    call = {"id": "1", "type": "function", "function": {"name": "hello", "arguments": '{"a": "b"}'}}
    parts = [{"type": "text", "text": "a b"}, {"type": "image_url", "image_url": {}}, " a"]
    messages = [
        {"role": "user", "content": parts},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        said("tool", 5),
        {"role": "assistant", "content": None},
    ]
    trace = tt.read_trace(write(tmp_path / "m.jsonl", [{"messages": messages}]), tokenizer=words, times=SLOW)
    assert (trace.prompt.tolist(), trace.response.tolist()) == ([3, 5], [7, 0])
    assert dict(trace.report.odd) == {"messages without content": 1, "parts that are no text": 1}


def judged(messages):
    """Return the turns of messages (answers, tokens), by the rule of docs/formats.md, message by message."""
    turns, prompt, response = [], None, None
    for answers, tokens in messages:
        if answers and prompt is not None and any(not a for a, _ in prompt):
            response = (response or 0) + tokens
        elif response is not None:
            turns.append((sum(n for _, n in prompt), response))
            prompt, response = [(answers, tokens)], None
        else:
            prompt = [*(prompt or []), (answers, tokens)]
    return turns + ([(sum(n for _, n in prompt), response)] if response is not None else [])


MESSAGES = st.lists(st.tuples(st.sampled_from(PROMPTS + RESPONSES), st.integers(0, 5)), max_size=9)


@given(st.lists(MESSAGES, max_size=4))
def test_any_order_of_messages_gives_the_turns_of_the_rule(words, tmp_path_factory, conversations):
    rows = [{"messages": [said(role, n) for role, n in messages]} for messages in conversations]
    file = write(tmp_path_factory.getbasetemp() / "any.jsonl", rows)
    trace = tt.read_trace(file, "lmsys", tokenizer=words, times=SLOW)
    turns = [judged([(role in RESPONSES, n) for role, n in messages]) for messages in conversations]
    expected = [(c, q, a) for c, made in enumerate(turns) for q, a in made]
    by = sorted(range(len(trace)), key=lambda k: (trace.conversation[k], trace.arrival[k]))
    assert [tuple(c[k] for c in columns(trace)[:3]) for k in by] == expected
    assert trace.report.without_turns == sum(not made for made in turns)


def test_a_folder_of_shards_is_read_in_the_order_of_names(words, tmp_path):
    rows = wildchat([(2, 3, 10)], [(4, 0, 20)], [(1, 1, 30)])
    whole = tt.read_trace(write(tmp_path / "w.jsonl", rows), tokenizer=words)
    for name, part in {"train-00001.parquet": rows[2:], "train-00000.parquet": rows[:2]}.items():
        (tmp_path / "data").mkdir(exist_ok=True)
        write(tmp_path / "data" / name, part)
    (tmp_path / "data" / "README.md").write_text("# no shard")
    assert tt.read_trace(tmp_path / "data", tokenizer=words) == whole
    write(tmp_path / "data" / "more.jsonl", rows)
    with pytest.raises(tt.FileError, match="found files of several kinds, jsonl, parquet, expected shards of one"):
        tt.read_trace(tmp_path / "data", tokenizer=words)


WRONG = [
    ({"conversation": 5}, "conversation: found 5, expected a list of messages"),
    ({"conversation": ["a"]}, "conversation[0]: found 'a', expected a message: an object"),
    ({"conversation": [said("User", 1)]}, "conversation[0].role: found 'User', expected a role such as user"),
    ({"conversation": [said("user", 1, content=5)]}, "conversation[0].content: found 5, expected a text"),
    ({"conversation": [said("user", 1, content=[{"text": 5}])]}, "conversation[0].content[0]: found {'text': 5}"),
    ({"conversation": [said("assistant", 1, tool_calls=[{}])]}, "conversation[0].tool_calls[0]: found {}"),
    (
        {"conversation": [said("user", 1), said("assistant", 1, timestamp="noon")]},
        "conversation[1].timestamp: found",
    ),
]


@pytest.mark.parametrize(("changes", "message"), WRONG, ids=[message[:50] for _, message in WRONG])
def test_what_is_wrong_is_named_with_its_place(changes, message, words, tmp_path):
    good, bad = wildchat([(1, 1, 10)], [(1, 1, 11)])
    for name, place in {"w.jsonl": "line 2", "w.json": "element 2"}.items():
        file = write(tmp_path / name, [good, bad | changes])
        refused(tt.FileError, f"{file}, {place}, {message}", tt.read_trace, file, tokenizer=words)


ESTIMATE = {"tokenizer": "characters/4"}
REFUSED = [
    ("s.json", {"times": SLOW}, "tokenizer: found None, expected a tokenizer.json .*as sharegpt holds text"),
    ("s.json", ESTIMATE, "times: found None, expected an assumption: .*--times.*as sharegpt has no"),
    ("s.json", ESTIMATE | {"times": Times(SLOW.gaps)}, "times: found .*, expected a rate at which conv"),
    ("s.json", ESTIMATE | {"times": Times(None, 1.0)}, "times: found .*, expected a law of gaps, as sh"),
    ("own.csv", ESTIMATE, "tokenizer: found 'characters/4', expected none, as teltheory has"),
    ("own.csv", {"times": Times(None, 1.0)}, "times: found .*, expected a law of gaps, as teltheory has no"),
]


@pytest.mark.parametrize(("name", "options", "message"), REFUSED)
def test_an_assumption_that_is_missing_or_would_be_ignored_is_an_error(name, options, message, tmp_path):
    (tmp_path / "own.csv").write_text("conversation,prompt,response\n0,1,1\n")
    write(tmp_path / "s.json", SHAREGPT)
    with pytest.raises(tt.ArgumentError, match=rf"^{message}"):
        tt.read_trace(tmp_path / name, **options)
