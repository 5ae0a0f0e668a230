"""Streams of records: whatever the chunks, what json.loads reads; errors with their place; bounded memory."""

import gzip
import json
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from workloads.long_streaming import BYTES_A_TURN, WRITERS, conversations, write_array

import teltheory as tt
from teltheory.workloads import streams
from teltheory.workloads.streams import Stream

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.floats(allow_nan=False) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.lists(st.dictionaries(st.text(max_size=6), VALUES, max_size=4), max_size=6)


@pytest.fixture(scope="module")
def small_chunks():
    before, streams.CHUNK = streams.CHUNK, 5
    yield
    streams.CHUNK = before


@settings(max_examples=60)
@given(OBJECTS, st.sampled_from([None, 1, "\t"]), st.booleans())
def test_an_array_is_read_as_json_loads_reads_it(small_chunks, tmp_path_factory, objects, indent, ascii_only):
    path = tmp_path_factory.getbasetemp() / "array.json"
    text = json.dumps(objects, indent=indent, ensure_ascii=ascii_only)
    path.write_text(f"\ufeff \n{text}\n", encoding="utf-8", newline="")
    records = list(Stream(path, "json"))
    assert [record.fields for record in records] == json.loads(text)
    assert [record.place for record in records] == [f"element {i + 1}" for i in range(len(objects))]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: found the end of the file, expected a JSON array: '['"),
        ('\n{"a": 1}', "line 2: found '{', expected a JSON array: '['"),
        ("[", "element 1 (line 1): found no JSON (Expecting value), expected a JSON object"),
        ('[\n{"a": 1}', "element 1 (line 2): found the end of the file, expected ',' or ']' after it"),
        ('[\n{"a": 1}\n\n{"a": 2}]', "element 1 (line 4): found '{', expected ',' or ']' after it"),
        ('[{"a": 1}, 5]', "element 2: found 5, expected a JSON object"),
        ('[{"a": 1},\n\n{"a": "x', "element 2 (line 3): found no JSON (Unterminated string starting at)"),
        ('[{"a": 1},\n{"a": tru}]', "element 2 (line 2): found no JSON (Expecting value), expected a JSON object"),
        ("[{}] x", "element 1 (line 1): found 'x', expected the end of the file after the array"),
        ("[{},]", "element 2 (line 1): found no JSON (Expecting value)"),
        ('[{"a": ' + "1" * 5000 + "}]", "element 1 (line 1): found a value out of bounds, expected a JSON object"),
        ("[" * 100_000, "element 1 (line 1): found a value out of bounds, expected a JSON object"),
    ],
)
def test_what_is_no_array_of_objects_is_named_with_its_place(text, message, small_chunks, tmp_path):
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(tt.FileError) as caught:
        list(Stream(tmp_path / "a.json", "json"))
    assert str(caught.value).startswith(f"{tmp_path / 'a.json'}, {message}")
    assert len(str(caught.value)) < len(str(tmp_path)) + 200


def test_a_fault_ends_the_reading_before_the_rest_of_the_file(small_chunks, tmp_path):
    """A file that is malformed at its beginning must not be read into memory as a whole."""
    (tmp_path / "a.json").write_text('[{"a": tru},' + '{"b": "' + "x" * 5_000_000 + '"}]')
    tracemalloc.start()
    try:
        with pytest.raises(tt.FileError, match="element 1"):
            list(Stream(tmp_path / "a.json", "json"))
        assert tracemalloc.get_traced_memory()[1] < 100_000
    finally:
        tracemalloc.stop()


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
    with pytest.raises(tt.FileError) as caught:
        tt.read_trace(tmp_path / name)
    assert str(caught.value).startswith(f"{tmp_path / name}: ")
    assert message in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def test_formats_of_rows_may_be_compressed_too(tmp_path):
    (tmp_path / "own.csv.gz").write_bytes(gzip.compress(b"conversation,prompt,response\n0,1,2\n", mtime=0))
    assert tt.read_trace(tmp_path / "own.csv.gz").past.tolist() == [3]


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
