"""Small files that would unpack into large ones: refused by what they say of themselves, in bounded memory."""

import gzip
import tracemalloc

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fuzz.mutations import PACKED

import teltheory as tt
from teltheory.errors import FileError
from teltheory.workloads import parquet, texts

MEGABYTE = 1 << 20
LINE = b"0,1111111111,1111111111\n"
HEADER = b"conversation,prompt,response\n"


@pytest.fixture
def small(monkeypatch):
    """Bounds that a test can reach."""
    monkeypatch.setattr(texts, "LONGEST_RECORD", MEGABYTE // 4)
    monkeypatch.setattr(texts, "MOST_UNPACKED", MEGABYTE)
    monkeypatch.setattr(texts, "MOST_TIMES", 20)
    monkeypatch.setattr(parquet, "MOST_VALUES", 10_000)
    monkeypatch.setattr(parquet, "MOST_BYTES", MEGABYTE)


def peak(read):
    """Return the most memory that a call took, which must be refused."""
    tracemalloc.start()
    try:
        with pytest.raises(FileError) as caught:
            read()
        return tracemalloc.get_traced_memory()[1], str(caught.value)
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("packed", PACKED)
@pytest.mark.parametrize(
    ("name", "head", "repeated", "found"),
    [
        ("a.csv", HEADER, b"9", "line 2: found more, expected at most 262,144 characters in a record"),
        ("a.csv", HEADER, b'"\n",', "found more, expected at most 262,144 characters in a record"),
        ("a.jsonl", b"", b" ", "line 1: found more, expected at most 262,144 characters in a record"),
        ("a.json", b'[{"messages": [', b"1,", "element 1: found more, expected at most 262,144 characters"),
        ("a.json", b"", b" ", "found more than 1,048,576 characters, expected at most 20 times what"),
        (
            "a.jsonl",
            b'{"conversation":0,"prompt":1,"response":1}\n',
            b" " * 99 + b"\n",
            "found more than 1,048,576 characters",
        ),
        ("a.csv", HEADER, LINE, "found more than 1,048,576 characters, expected at most 20 times what"),
    ],
)
def test_a_bomb_of_text_is_refused(name, head, repeated, found, packed, small, tmp_path):
    path = tmp_path / f"{name}.{packed}"
    path.write_bytes(PACKED[packed](head + repeated * (4 * MEGABYTE // len(repeated))))
    assert 20 * path.stat().st_size < MEGABYTE
    format = "vllm-multi-turn" if name == "a.json" else "teltheory"
    more = {"tokenizer": "characters/4", "times": tt.SHAREGPT_TIMES} if name == "a.json" else {}
    used, message = peak(lambda: tt.read_trace(path, format, **more))
    assert found in message
    assert used < (40 if repeated == LINE else 6) * MEGABYTE


def test_what_is_merely_compressed_well_is_read(small, tmp_path):
    path = tmp_path / "a.csv.gz"
    lines = b"".join(b"%d,%d,%d\n" % (i, i * i, 7 * i) for i in range(60_000))
    path.write_bytes(gzip.compress(HEADER + lines, mtime=0))
    assert len(lines) > MEGABYTE
    assert len(tt.read_trace(path)) == 60_000


def test_the_real_bound_on_a_line(tmp_path):
    path = tmp_path / "a.jsonl.gz"
    with gzip.open(path, "wb") as file:
        for _ in range(65):
            file.write(b" " * MEGABYTE)
    used, message = peak(lambda: tt.read_trace(path))
    assert "line 1: found more, expected at most 67,108,864 characters" in message
    assert used < 300 * MEGABYTE


def table(rows, **columns):
    return pa.table({"conversation": [0] * rows, "prompt": [1] * rows, "response": [1] * rows, **columns})


def test_a_parquet_file_of_one_value_repeated_is_refused(small, tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(table(100_000), path)
    assert path.stat().st_size < 100_000 / 4
    used, message = peak(lambda: tt.read_trace(path))
    assert (
        "column 'conversation': found 100,000 values, expected at most 10,000, or 4 a byte of the file" in message
    )
    assert used < MEGABYTE


def test_a_parquet_file_of_one_long_list_is_refused(small, tmp_path):
    path = tmp_path / "a.parquet"
    columns = {"timestamp": [0], "input_length": [1], "output_length": [1], "hash_ids": [[7] * 100_000]}
    pq.write_table(pa.table(columns), path)
    used, message = peak(lambda: tt.read_trace(path))
    assert "column 'hash_ids.list.element': found 100,000 values, expected at most 10,000, or 4 a byte" in message
    assert used < MEGABYTE


@pytest.mark.parametrize("format", ["teltheory", "wildchat"])
def test_a_parquet_file_with_a_page_that_unpacks_is_refused(format, small, tmp_path):
    path = tmp_path / "a.parquet"
    text = pa.array([{"role": "user", "content": "a" * (8 * MEGABYTE)}])
    pq.write_table(
        table(1, conversation=pa.array([[text[0].as_py()]])), path, compression="zstd", use_dictionary=False
    )
    used, message = peak(
        lambda: tt.read_trace(path, format, tokenizer="characters/4" if format != "teltheory" else None)
    )
    assert "bytes, expected at most 1,048,576, or 200 times those of the file" in message
    assert used < MEGABYTE


def test_a_text_that_is_repeated_is_held_once(tmp_path):
    name, rows = "n" * (MEGABYTE // 8), 400
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"conversation": [name] * rows, "prompt": [1] * rows, "response": [0] * rows}), path)
    assert path.stat().st_size < 4 * MEGABYTE
    tracemalloc.start()
    try:
        assert tt.read_trace(path).names == (name,)
        assert tracemalloc.get_traced_memory()[1] < 8 * MEGABYTE
    finally:
        tracemalloc.stop()


def test_a_batch_is_as_long_as_fits(tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(table(1000), path)
    metadata = pq.read_metadata(path)
    assert parquet.rows_at_once(metadata, 64) == 64
    longest = metadata.row_group(0).total_byte_size
    assert parquet.rows_at_once(metadata, 1 << 40) == parquet.BATCH_BYTES // longest
