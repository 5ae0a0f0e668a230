"""RAGPulse's files against paths of tokens that are written out one by one."""

import json

from formats.files import wrong_files
from formats.test_log_readers import lines
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refused

import teltheory as tt

KINDS = ("sys_prompt", "passages_ids", "history", "web_search", "user_input")
FILES = {
    "sys_prompt": ("1_sys_prompt.jsonl", "sys_prompt_id"),
    "passages_ids": ("2_passages.jsonl", "passage_id"),
    "history": ("3_history.jsonl", "history_id"),
    "user_input": ("4_user_input.jsonl", "user_input_id"),
    "web_search": ("5_web_search.jsonl", "web_search_id"),
}
LENGTHS = {
    "sys_prompt": {8302: 40, 8303: 12, 8304: 9},
    "passages_ids": {0: 30, 1: 17},
    "history": {15200: 11},
    "web_search": {20110: 64},
    "user_input": {20632: 9, 20633: 6},
}


def request(seconds, session, *ids, output=7, said=1):
    named = dict(zip(KINDS, map(list, ids), strict=True))
    numbers = {"input_length": said, "output_length": output}
    return {"timestamp": str(seconds), **numbers, "hash_ids": named, "session_id": session}


ROWS = [
    request(82, "a", [8302, 8303], [0, 1], [15200], [], [20632]),
    request(125, "b", [8302, 8304], [1], [15200], [20110], [20632], said=151),
    request(93, "a", [8302, 8303], [0], [15200], [], [20633]),
]


def lengths_beside(path, lengths=LENGTHS):
    """Write the files of lengths into a folder."""
    for kind, (name, field) in FILES.items():
        told = [{field: one, "token_length": tokens} for one, tokens in lengths[kind].items()]
        (path / name).write_text("".join(json.dumps(row) + "\n" for row in told) + "\n")


def folder(path, rows, lengths=LENGTHS):
    """Write a folder of the files as published, and return the trace's."""
    path.mkdir(exist_ok=True)
    lengths_beside(path, lengths)
    return lines(path / "0_trace.jsonl", rows)


def test_a_few_requests_as_published(tmp_path):
    trace = tt.read_trace(folder(tmp_path, ROWS))
    assert trace.conversation.tolist() == [0, 0, 1]
    assert trace.total.tolist() == [119, 99, 150]
    assert trace.history.tolist() == [0, 82, 0]
    assert trace.response.tolist() == [7, 7, 7]
    assert trace.arrival.tolist() == [82.0, 93.0, 125.0]
    forest = trace.forest
    assert (forest.block_size, forest.inputs.tolist(), forest.ask.tolist()) == (16, [119, 99, 150], [7, 6, 9])
    assert forest.known.tolist() == [0, 5, 2]
    assert dict(trace.report.odd) == {
        "requests out of order": 1,
        "requests whose input_length is not the sum of their parts, which is read": 3,
    }
    assert tt.read_trace(tmp_path) == trace
    assert tt.read_trace(tmp_path / "0_trace.jsonl", blocks=64).forest.known.tolist() == [0, 1, 0]
    tt.write_trace(trace, tmp_path / "again.parquet")
    assert tt.read_trace(tmp_path / "again.parquet") == trace


@st.composite
def prompts(draw):
    lengths = {kind: {one: draw(st.integers(0, 7)) for one in range(2)} for kind in KINDS}
    ids = st.tuples(*(st.lists(st.integers(0, 1), max_size=2) for _ in KINDS))
    asked = st.tuples(st.integers(0, 4), st.sampled_from("ab"), ids)
    return lengths, draw(st.lists(asked, min_size=1, max_size=8)), draw(st.integers(1, 5))


def alike(left, right):
    longest = min(len(left), len(right))
    return next(n for n in range(longest, -1, -1) if left[:n] == right[:n])


@settings(max_examples=40)
@given(prompts())
def test_parts_are_read_as_the_tokens_that_they_stand_for(tmp_path_factory, drawn):
    lengths, asked, size = drawn
    file = folder(
        tmp_path_factory.getbasetemp() / "ragpulse", [request(t, c, *ids) for t, c, ids in asked], lengths
    )
    trace = tt.read_trace(file, blocks=size)
    inputs, ends = [], {}
    for k, (t, c, ids) in enumerate(sorted(asked, key=lambda one: one[0])):
        tokens = [
            (kind, one, i)
            for kind, some in zip(KINDS, ids, strict=True)
            for one in some
            for i in range(lengths[kind][one])
        ]
        before = ends.get(c, [])
        assert (trace.total[k], trace.history[k], trace.arrival[k]) == (len(tokens), alike(before, tokens), t)
        ends[c] = tokens
        inputs.append(tokens)
    paths = [[tuple(one[:end]) for end in range(size, len(one) + 1, size)] for one in inputs]
    numbers = {}
    paths = [[numbers.setdefault(block, len(numbers)) for block in path] for path in paths]
    expected = tt.Forest.from_paths(
        paths, arrival=trace.arrival, block_size=size, tokens=[len(one) for one in inputs]
    )
    assert trace.forest == expected


def wrong(row=0, **fields):
    rows = [dict(one) for one in ROWS]
    rows[row].update(fields)
    return rows


def with_lengths(path, rows):
    return folder(path.parent, rows)


HISTORIES = ROWS[0]["hash_ids"]
test_what_is_wrong_is_named_with_its_place = wrong_files(
    "0_trace.jsonl",
    (wrong(hash_ids={**HISTORIES, "history": [3]}), "line 1, hash_ids.history: found 3, expected an id"),
    (wrong(hash_ids={"sys_prompt": [8302]}), "line 1, hash_ids.passages_ids: found nothing"),
    (wrong(hash_ids={**HISTORIES, "history": 3}), "line 1, hash_ids.history: found 3, expected a list"),
    (wrong(1, timestamp="noon"), "line 2, timestamp: found 'noon', expected a number of seconds"),
    (wrong(1, session_id=None), "line 2, session_id: found nothing"),
    write=with_lengths,
)


def test_lengths_that_are_missing_or_told_twice(tmp_path):
    file = folder(tmp_path, ROWS)
    twice = tmp_path / "2_passages.jsonl"
    twice.write_text(twice.read_text() * 2)
    refused(tt.FileError, "2_passages.jsonl, line 4, passage_id: found 0", tt.read_trace, file)
    twice.unlink()
    refused(tt.FileError, "found no lengths of passages_ids", tt.read_trace, file)
