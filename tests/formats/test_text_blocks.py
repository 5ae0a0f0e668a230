"""Blocks of texts: what requests share is what their tokens share from the beginning."""

import numpy as np
import pytest
from formats.files import SLOW, lines, wrong_files
from formats.vocabularies import word_level
from hypothesis import given
from hypothesis import strategies as st

import teltheory as tt
from teltheory.workloads import Times

WORDS = st.lists(st.sampled_from("ab"), max_size=5).map(lambda letters: "".join(letter * 4 for letter in letters))


ROLES = ("user", "assistant")


def said(role, text):
    return {"role": role, "content": text}


def quarters(text):
    return [text[i : i + 4] for i in range(0, len(text), 4)]


def arrivals(chats):
    return SLOW.arrivals(np.array([len(chat) for chat in chats], np.int64)).tolist()


def forest_of(requests, arrival, size):
    """The forest of requests that are (input, output) in tokens, each block named by all tokens before its end."""
    paths = [[tuple(p[:end]) for end in range(size, len(p) + 1, size)] for p in (i + o for i, o in requests)]
    numbers = {}
    ids = [[numbers.setdefault(block, len(numbers)) for block in path] for path in paths]
    inputs = [len(i) for i, _ in requests]
    asked = [n // size for n in inputs]
    return tt.Forest.from_paths(ids, asked, None, arrival, block_size=size, tokens=inputs)


@given(st.lists(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=3), max_size=4), WORDS, st.integers(1, 3))
def test_conversations_share_what_their_tokens_share(tmp_path_factory, chats, system, size):
    rows = [{"messages": [said(role, text) for turn in chat for role, text in zip(ROLES, turn, strict=True)]}
            for chat in chats]  # fmt: skip
    file = lines(tmp_path_factory.getbasetemp() / "chats.jsonl", rows)
    trace = tt.read_trace(file, "lmsys", tokenizer="characters/4", times=SLOW, blocks=size, system=system)
    requests = []
    for chat in chats:
        stream = quarters(system)
        for asked, answered in chat:
            requests.append((stream + quarters(asked), quarters(answered)))
            stream = stream + quarters(asked) + quarters(answered)
    order = sorted(range(len(requests)), key=lambda k: arrivals(chats)[k])
    if not chats:
        assert trace.blocks is None
        return
    expected = forest_of([requests[k] for k in order], trace.arrival, size)
    assert trace.blocks == expected
    assert trace.total.tolist() == expected.inputs.tolist()
    plain = tt.read_trace(file, "lmsys", tokenizer="characters/4", times=SLOW)
    first = ~trace.continuing * len(quarters(system))
    assert (trace.prompt - plain.prompt).tolist() == first.tolist()
    assert plain.blocks is None


def call(name, contents, **more):
    messages = [{"role": role, "content": text} for role, text in zip(["user", "assistant"] * 2, contents)]  # noqa: B905
    return {"session_id": name, "input": messages, "output_length": 2} | more


def test_agents_calls_share_blocks_of_their_inputs(tmp_path):
    rows = [
        call("x", ["aaaabbbb"]),
        call("y", ["aaaacccc"], pre_gap=3),
        call("x", ["aaaabbbb", "dddd"], pre_gap=1.5),
    ]
    times = Times(None, rate=1.0, seed=2)
    file = lines(tmp_path / "a.jsonl", rows)
    trace = tt.read_trace(file, tokenizer="characters/4", times=times, blocks=1, system="ssss")
    assert trace.report.format == "agentic"
    by = {int(total): k for k, total in enumerate(trace.total) if total != 3}
    last = trace.total.tolist().index(4)
    assert by == {4: last}
    assert trace.history[last] == 4
    assert trace.arrival[last] - trace.arrival[trace.previous_turn[last]] == pytest.approx(1.5)
    assert sorted(trace.blocks.known.tolist()) == [0, 2, 3]
    assert trace.blocks.ask.tolist() == trace.blocks.past.tolist() == trace.total.tolist()


LOG = [
    {"timestamp": 1760428436000000, "input": "aaaabbbb", "output": "cccc", "session_id": "x"},
    {"timestamp": 1760428437000000, "input": "aaaabbbbccccdddd", "output": "", "session_id": "x"},
    {"timestamp": 1760428438500000, "input": "aaaaeeee", "output": "ffff", "session_id": "y"},
    {"timestamp": 1760428439000000, "input": "aaaabbbbeeee", "output": "ffff", "session_id": "x"},
]


def test_lmcache_logs_share_inputs_and_outputs(tmp_path):
    file = lines(tmp_path / "l.jsonl", LOG)
    trace = tt.read_trace(file, tokenizer="characters/4", blocks=1)
    assert trace.report.format == "lmcache"
    assert trace.conversation.tolist() == [0, 0, 1, 0]
    assert trace.arrival.tolist() == [0, 1, 2.5, 3]
    assert trace.report.times == "a turn is at the time when its request was sent; 0 is 2025-10-14T07:53:56+00:00"
    assert (trace.total.tolist(), trace.history.tolist()) == ([2, 4, 2, 3], [0, 3, 0, 2])
    assert trace.response.tolist() == [1, 0, 1, 1]
    assert (trace.arrival - trace.arrival[0]).tolist() == [0, 1, 2.5, 3]
    expected = forest_of([(quarters(r["input"]), quarters(r["output"])) for r in LOG], trace.arrival, 1)
    assert trace.blocks == expected
    milli = lines(tmp_path / "m.jsonl", [row | {"timestamp": row["timestamp"] // 1000} for row in LOG])
    assert tt.read_trace(milli, tokenizer="characters/4", blocks=1) == trace
    assert tt.read_trace(file, tokenizer="characters/4").blocks is None


test_what_is_wrong_in_a_log_is_named = wrong_files(
    "l.jsonl",
    ([LOG[0] | {"input": 5}], "line 1, input: found 5, expected a text"),
    ([LOG[0] | {"output": None}], "line 1, output: found nothing"),
    ([LOG[0] | {"timestamp": "x"}], "line 1, timestamp: found 'x', expected a number of seconds, or of milli-"),
    format="lmcache",
    tokenizer="characters/4",
)


def test_a_tokenizer_names_tokens_as_it_counts_them(tmp_path):
    words = word_level(tmp_path / "tokenizer.json")
    rows = [{"messages": [{"role": "user", "content": text}, {"role": "assistant", "content": "b"}]}
            for text in ("a b a", "a b b")]  # fmt: skip
    trace = tt.read_trace(lines(tmp_path / "c.jsonl", rows), tokenizer=words, times=SLOW, blocks=1, system="a a")
    assert trace.total.tolist() == [5, 5]
    assert trace.blocks.known.tolist() == [0, 4]
    assert trace.blocks.past.tolist() == [6, 6]


def test_a_system_prompt_needs_text(tmp_path):
    row = {"timestamp": 0, "input_length": 5, "output_length": 1, "hash_ids": [1]}
    with pytest.raises(
        tt.ArgumentError, match=r"^system: found 'hello', expected none, as mooncake has token counts"
    ):
        tt.read_trace(lines(tmp_path / "m.jsonl", [row]), system="hello")
