"""What requests share by the hashes of their blocks, read from files."""

import json

import numpy as np
import pytest
from formats.files import lines, wrong_files
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

import teltheory as tt
from teltheory.formats.blocks import RequestBlocks
from teltheory.formats.records import Record

BLOCK = 512


def request(tokens, ids, seconds=0.0, **more):
    return {"timestamp": 1000 * seconds, "input_length": tokens, "output_length": 1, "hash_ids": ids} | more


def shared(forest):
    """What each request asks for, and how many leading blocks of it an earlier request had."""
    return forest.ask.tolist(), forest.known.tolist()


@st.composite
def numbered_paths(draw):
    """Paths of content; and the same with an id for each prefix, in order of first use."""
    paths = draw(st.lists(st.lists(st.integers(0, 2), max_size=5), max_size=10))
    number = {}
    ids = [[number.setdefault(tuple(path[: d + 1]), len(number)) for d in range(len(path))] for path in paths]
    return paths, ids


@given(numbered_paths(), st.booleans())
def test_ids_of_prefixes_and_of_content_make_the_forest_of_the_paths(made, sort):
    paths, ids = made
    by_prefix, by_content = RequestBlocks(4), RequestBlocks(4, content=True)
    for path, named in zip(paths, ids, strict=True):
        by_prefix.add(Record(None, "", {}), named, 4 * len(path))
        by_content.add(Record(None, "", {}), path, 4 * len(path))
    order = np.arange(len(paths))[:: -1 if sort else 1]
    arrival = np.arange(len(paths), dtype=float)
    shown = [ids[k] for k in order]
    expected = tt.Forest.from_paths(shown, arrival=arrival, block_size=4)
    for blocks in (by_prefix, by_content):
        forest = blocks.forest(order, arrival)
        assert shared(forest) == shared(expected)
        assert (forest.nodes, forest.block_size) == (expected.nodes, 4)
        assert forest.inputs.tolist() == expected.inputs.tolist()
        if not sort:
            assert forest == expected


def test_mooncake_counts_full_blocks_only(tmp_path):
    rows = [
        request(3 * BLOCK + 1, [0, 1, 2, 3]),
        request(3 * BLOCK + 1, [0, 1, 2, 4]),
        request(3 * BLOCK, [0, 1, 5], 3),
    ]
    trace = tt.read_trace(lines(tmp_path / "m.jsonl", rows))
    forest = trace.forest
    assert forest is trace.blocks
    assert forest.parent.tolist() == [-1, 0, 1, 1]
    assert forest.leaf.tolist() == [2, 2, 3]
    assert shared(forest) == ([3, 3, 3], [0, 3, 2])
    assert forest.total.tolist() == [3, 3, 3]
    assert forest.tokens.tolist() == [3 * BLOCK + 1, 3 * BLOCK + 1, 3 * BLOCK]
    assert (forest.block_size, forest.arrival.tolist()) == (BLOCK, [0, 0, 3])
    assert trace[:2].blocks.nodes == 3


def test_a_block_has_the_size_that_the_file_or_the_user_says(tmp_path):
    rows = [request(9, [0, 1, 2]), request(8, [0, 1])]
    named = tt.read_trace(lines(tmp_path / "m.jsonl", rows), blocks=4)
    said = tt.read_trace(lines(tmp_path / "said.jsonl", [row | {"block_size": 4} for row in rows]))
    assert named == said
    assert named.blocks.block_size == 4
    assert shared(named.blocks) == ([2, 2], [0, 2])


def test_sessions_of_whole_inputs_have_blocks_in_the_order_of_their_times(tmp_path):
    rows = [
        request(1024, [0, 1], 5, session_id="x"),
        request(512, [0], 1, session_id="y"),
        request(1536, [0, 1, 2], 6, session_id="x"),
    ]
    trace = tt.read_trace(lines(tmp_path / "m.jsonl", rows))
    assert trace.total.tolist() == trace.blocks.tokens.tolist() == [512, 1024, 1536]
    assert shared(trace.blocks) == ([1, 2, 3], [0, 1, 2])
    assert trace.blocks.arrival.tolist() == trace.arrival.tolist() == [1, 5, 6]


def test_sessions_without_ids_or_of_new_inputs_have_no_blocks(tmp_path):
    rows = [request(600, [0, 1], session_id="x"), request(600, [2, 3], 1, session_id="x")]
    file = lines(tmp_path / "m.jsonl", rows)
    assert tt.read_trace(file, "mooncake-delta").blocks is None
    bare = lines(tmp_path / "n.jsonl", [row | {"hash_ids": None} for row in rows])
    assert tt.read_trace(bare, "mooncake").blocks is None
    for format in ("mooncake-delta", "auto"):
        refused(tt.ArgumentError, "blocks: found 512", tt.read_trace, file, format, blocks=512)


def test_the_real_trace_is_the_forest_that_its_ids_say(mooncake, mooncake_trace):
    trace = mooncake_trace
    forest = trace.blocks
    assert (len(forest), forest.nodes, int(forest.ask.sum())) == (12_031, 170_899, 276_491)
    assert np.array_equal(forest.tokens, trace.total)
    assert np.array_equal(forest.arrival, trace.arrival)
    with mooncake.open(encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    paths = [row["hash_ids"][: row["input_length"] // BLOCK] for row in rows]
    inputs = [row["input_length"] for row in rows]
    arrival = [row["timestamp"] / 1000 for row in rows]
    assert forest == tt.Forest.from_paths(paths, arrival=arrival, block_size=BLOCK, tokens=inputs)


def chat(number, parent, tokens, ids, seconds):
    lengths = {"input_length": tokens, "output_length": 1, "timestamp": seconds, "hash_ids": ids}
    return {"chat_id": number, "parent_chat_id": parent} | lengths


def test_bailian_names_the_content_of_blocks(tmp_path):
    rows = [
        chat(0, -1, 49, [5, 6, 5, 9], 0),
        chat(1, -1, 48, [6, 5, 5], 2),
        chat(2, 0, 64, [5, 6, 5, 6], 1),
    ]
    trace = tt.read_trace(lines(tmp_path / "b.jsonl", rows))
    assert shared(trace.blocks) == ([3, 4, 3], [0, 3, 0])
    assert trace.blocks.nodes == 7
    assert (trace.blocks.block_size, trace.blocks.tokens.tolist()) == (16, [49, 64, 48])
    assert tt.read_trace(tmp_path / "b.jsonl", blocks=32).blocks.ask.tolist() == [1, 2, 1]
    bare = lines(tmp_path / "bare.jsonl", [row | {"hash_ids": None} for row in rows])
    assert tt.read_trace(bare).blocks is None


test_bailian_with_too_few_ids_is_named_with_its_place = wrong_files(
    "b.jsonl",
    ([chat(0, -1, 33, [5], 0)], "line 1, hash_ids: found 1, expected 2 ids for 33 tokens in blocks of 16"),
    ([chat(0, -1, 16, [1.5], 0)], "line 1, hash_ids: found [1.5], expected a list of whole numbers"),
    ([chat(0, -1, 16, None, 0), chat(1, 0, 16, [1], 0)], "line 2, hash_ids: found [1], expected none, as in the"),
    ([chat(0, -1, 16, [1], 0), chat(1, 0, 16, None, 0)], "line 2, hash_ids: found nothing"),
)


TWO = 2 * BLOCK
AFTER = "expected it after 0, as in an earlier request, not after"
WRONG = [
    ([request(TWO, [0, 1]), request(TWO, [2, 1])], f"line 2, hash_ids: found 1, {AFTER} 2; are ids local"),
    ([request(TWO, [0, 1]), request(TWO, [1, 0])], f"line 2, hash_ids: found 1, {AFTER} nothing;"),
    ([request(TWO, [3, 3])], "line 1, hash_ids: found 3, expected each id once in a request"),
    ([request(TWO + 1, [0])], "line 1, hash_ids: found 1, expected 2 or 3 ids for 1025 tokens in blocks of 512"),
    ([request(TWO, [0, 1, 2])], "line 1, hash_ids: found 3, expected 2 ids for 1024 tokens in blocks of 512"),
    ([request(TWO, [0, 1], hash_id_scope="local")], "line 1, hash_id_scope: found 'local', expected global ids"),
    ([request(TWO, [0, 1], block_size=n) for n in (512, 64)], "line 2, block_size: found 64, expected 512"),
    ([request(TWO, [0, 1], block_size=0)], "line 1, block_size: found 0, expected a whole number above 0"),
]


@pytest.mark.parametrize("more", [{}, {"session_id": "x"}], ids=["requests", "sessions"])
@pytest.mark.parametrize(("rows", "message"), WRONG, ids=[message[:40] for _, message in WRONG])
def test_ids_that_no_forest_has_are_named_with_their_place(rows, message, more, tmp_path):
    file = lines(tmp_path / "m.jsonl", [row | more for row in rows])
    refused(tt.FileError, f"{file}, {message}", tt.read_trace, file, "mooncake")


def test_two_files_whose_ids_are_local_are_told_by_a_block_with_two_parents(tmp_path):
    lines(tmp_path / "a.jsonl", [request(TWO, [0, 1])])
    lines(tmp_path / "b.jsonl", [request(TWO, [2, 1])])
    message = (
        r"b\.jsonl, line 1, hash_ids: found 1, expected it after 0, .*not after 2; are ids local to a file\?$"
    )
    refused(tt.FileError, message, tt.read_trace, tmp_path)


@pytest.mark.parametrize("size", [0, -1, 1.5, True])
def test_a_block_size_is_a_whole_number(size, tmp_path):
    with pytest.raises(tt.ArgumentError, match=r"^blocks: "):
        tt.read_trace(lines(tmp_path / "m.jsonl", [request(1, [0])]), blocks=size)
