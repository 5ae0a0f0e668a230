"""Records one at a time: what json.loads reads; errors with their place; bounded memory."""

import gzip
import json
import tracemalloc

import pytest
from formats.files import wrong_files
from formats.long_streaming import BYTES_A_TURN, WRITERS, conversations, write_array
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refused

import teltheory as tt
from teltheory.formats import opened
from teltheory.formats.records import records_of

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.lists(st.dictionaries(st.text(max_size=6), VALUES, max_size=4), max_size=6)


@settings(max_examples=20)
@given(OBJECTS, st.sampled_from([None, 1, "\t"]), st.booleans())
def test_an_array_is_read_as_json_loads_reads_it(tmp_path_factory, objects, indent, ascii_only):
    path = tmp_path_factory.getbasetemp() / "array.json"
    text = json.dumps(objects, indent=indent, ensure_ascii=ascii_only)
    path.write_text(f"\ufeff \n{text}\n", encoding="utf-8", newline="")
    records = list(records_of(path, "json"))
    assert [record.fields for record in records] == json.loads(text)
    assert [record.place for record in records] == [f"element {i + 1}" for i in range(len(objects))]


test_what_is_no_array_of_objects_is_named_with_its_place = wrong_files(
    "a.json",
    ("", "line 1: found the end of the file, expected a JSON array: '['"),
    ('\n{"a": 1', "the object: found no JSON (Expecting ',' delimiter), expected a JSON object"),
    ("[", "element 1: "),
    ('[\n{"a": 1}', "element 1: found no ',' or ']' after it"),
    ('[\n{"a": 1}\n\n{"a": 2}]', "element 1: found no ',' or ']' after it"),
    ('[{"a": 1}, 5]', "element 2: found 5, expected a JSON object"),
    ('[{"a": 1},\n{"a": tru}]', "element 2: "),
    ("[{}] x", "element 1: found '] x', expected ']' at the end"),
    ("[" * 100_000, "element 1: "),
    read=lambda file: list(records_of(file, "json")),
)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("w.jsonl.gz", b"no gzip", "Not a gzipped file"),
        ("w.jsonl.gz", gzip.compress(b'{"prompt": 1}\n' * 9, mtime=0)[:-9], "Compressed file ended"),
        ("w.json.zst", b"no zstd at all", "expected a file that can be read"),
        ("w.jsonl", b'{"a": "\xe9"}', "found byte b'\\xe9', expected text in UTF-8"),
        ("w.csv.bz2", b"", "found a name that ends in '.bz2', expected .csv, .jsonl, .ndjson, .json, .parquet"),
        ("w.parquet.gz", b"", "found a name that ends in '.gz', expected .csv"),
    ],
)
def test_what_cannot_be_read_is_one_line(name, content, message, tmp_path):
    (tmp_path / name).write_bytes(content)
    caught = refused(tt.FileError, f"{tmp_path / name}: ", lambda: tt.read_trace(tmp_path / name))
    assert message in str(caught)
    assert len(str(caught).splitlines()) == 1


def test_formats_of_rows_may_be_compressed_too(tmp_path):
    (tmp_path / "own.csv.gz").write_bytes(gzip.compress(b"conversation,prompt,response\n0,1,2\n", mtime=0))
    assert tt.read_trace(tmp_path / "own.csv.gz").past.tolist() == [3]


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.jsonl.gz"])
def test_a_line_has_a_longest_length(name, tmp_path, monkeypatch):
    monkeypatch.setattr(opened, "LONGEST_LINE", 1000)
    content = b"conversation,prompt,response\n" + b" " * 2000
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    refused(tt.FileError, "found more", lambda: list(records_of(tmp_path / name, "csv")))


COUNT = 2_000


@pytest.mark.parametrize("name", WRITERS)
def test_texts_are_never_in_memory_together(name, tmp_path):
    """`make test-long` does the same with a million conversations."""
    path = tmp_path / name
    WRITERS[name](path, COUNT)
    turns = sum(map(len, conversations(COUNT)))
    size = path.stat().st_size
    times = tt.SHAREGPT_TIMES if WRITERS[name] is write_array else None
    tracemalloc.start()
    try:
        trace = tt.read_trace(path, tokenizer="characters/4", times=times)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(trace) == turns
    assert peak < BYTES_A_TURN * turns + (1 << 20) < size / 2
