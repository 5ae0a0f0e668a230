"""The bounds of docs/files-and-releases.md for what is read: at one a file is read, above it is refused."""

import csv
import json
from pathlib import Path

import pytest
from formats.test_usage_and_spans import exported, span
from fuzz.test_hostile_files import judged
from fuzz.valid_files import formats, path_for, read_trace

from teltheory.formats.opened import LONGEST_LINE
from teltheory.systems.apps.records import MOST_BYTES
from teltheory.systems.rag import stage_times

PAGE = (Path(__file__).parents[2] / "docs/files-and-releases.md").read_text()
MIB = stage_times.MOST_BYTES


def lengths(*prompts):
    return "".join(json.dumps({"conversation": 0, "prompt": n, "response": 0}) + "\n" for n in prompts)


def one_span(tokens):
    made = exported(span("a", 1, 5, 0, 3))
    return json.dumps(made).replace('"intValue": "5"', f'"intValue": "{tokens}"')


@pytest.mark.parametrize("name", ["formula.json", "stage-times.json", "config.json"])
def test_small_documents_have_at_most_a_mebibyte(name, tmp_path):
    one = formats()[name]
    path = path_for(one, tmp_path)
    for more, judgement in ((0, "read"), (1, "refused")):
        path.write_bytes(one.valid.ljust(MIB + more))
        assert judged(one.read, path) == judgement
    assert f"{MIB:,} bytes" in PAGE


@pytest.mark.parametrize(
    ("text", "judgement", "said"),
    [
        (lengths(2**62), "read", "2^62 tokens"),
        (lengths(2**62, 2**62 - 1), "read", "less than 2^63"),
        (lengths(2**62, 2**62), "refused", "less than 2^63"),
        (lengths(2**63), "refused", "less than 2^63"),
        ('{"conversation": 0, "prompt": ' + "9" * 4301 + ', "response": 0}', "refused", "4,300 digits"),
        (one_span(2**62), "read", "2^62 tokens"),
        (one_span(2**62 + 1), "refused", "2^62 tokens"),
    ],
)
def test_numbers_have_bounds(text, judgement, said, tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(text)
    assert judged(read_trace, path) == judgement
    assert said in PAGE


def test_texts_have_bounds():
    assert f"{LONGEST_LINE:,} characters" in PAGE
    assert f"{csv.field_size_limit():,} characters" in PAGE
    assert f"{MOST_BYTES:,} bytes" in PAGE
