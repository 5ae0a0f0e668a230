"""`teltheory trace describe`: what it prints and its JSON."""

import json

import pytest

import teltheory as tt

ROWS = [
    {"timestamp": 1000 * t, "input_length": 600 * len(ids), "output_length": 7, "hash_ids": ids}
    for t, ids in enumerate([[0, 1, 2], [0, 1, 3], [0, 4], [0]])
]


@pytest.fixture
def hashed(tmp_path):
    file = tmp_path / "m $ [x].jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return file


def test_a_trace_with_block_hashes(in_words, hashed, run_json):
    printed = in_words("trace", "describe", hashed, "--kv-bytes", "1048576")
    assert "Trace: 4 turns, 4 conversations." in printed
    assert "Blocks of 512 tokens" in printed
    assert "90 % of requests or more: a system prompt 1 37.9 %" in printed
    found = tt.describe(tt.read_trace(hashed))
    data = run_json("trace", "describe", hashed, "--kv-bytes", "1048576")
    assert data["description"] == json.loads(json.dumps(found.as_dict()))
    assert data["footprint_bytes"] == found.footprint << 20
    assert f"Footprint: {found.footprint:,} tokens, 2.5 GiB of --kv-bytes 1048576" in printed
    assert f"hits {100 * found.ceiling.numerator / found.ceiling.denominator:.1f} % of the input" in printed


def test_a_trace_of_conversations(in_words, trace_file):
    printed = in_words("trace", "describe", trace_file)
    assert "Blocks of" not in printed
    assert "reuse gap, seconds" not in printed
    assert "reuse gap, requests 2 2 2 2 2 2" in printed
    assert "hits 25.0 % of the input." in printed


def test_what_the_file_says_of_tools(in_words, tmp_path):
    request = {"t": 0, "in": 128, "out": 5, "hash_ids": [1, 2]}
    session = {"block_size": 64, "tool_tokens": 32, "requests": [request, request | {"t": 9}]}
    (tmp_path / "s.json").write_text(json.dumps(session))
    printed = in_words("trace", "describe", tmp_path / "s.json")
    assert "Of the input, as the file says: tools 25.0 %." in printed
    assert "a system prompt 2 100.0 %" in printed


def test_what_no_forest_has_ends_with_two(hashed, refused):
    hashed.write_text(hashed.read_text() + json.dumps(ROWS[0] | {"timestamp": 9000, "hash_ids": [0, 5, 2]}) + "\n")
    message = f"{hashed}, line 5, hash_ids: found 2, expected it after 1, as in an earlier request, not after 5"
    assert refused("trace", "describe", hashed).startswith(message)
    assert refused("trace", "describe", hashed, "--blocks", "64").startswith(
        f"{hashed}, line 1, hash_ids: found 3,"
    )
