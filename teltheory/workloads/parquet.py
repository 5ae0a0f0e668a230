"""Parquet files: columns or batches of rows, where they can be unpacked in memory.

A column of one value repeated takes some bytes on disk, whatever its length, and a page may be packed a thousand
times. Both are refused by what the file says of itself, before anything is unpacked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from teltheory.errors import FileError, shown

MOST_VALUES = 10_000_000
VALUES_A_BYTE = 4
MOST_BYTES = 1 << 28
MOST_TIMES = 200
BATCH_BYTES = 1 << 31
CHUNK = 1 << 18


@contextmanager
def opened_parquet(path: Path, **options: Any) -> Iterator[Any]:
    """Open a Parquet file as a `pyarrow.parquet.ParquetFile`.

    Raises
    ------
    FileError
        Where it is none, is damaged, has a column twice, or holds more than fits into memory.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path, buffer_size=CHUNK, pre_buffer=False, **options) as file:
            _check_names(path, file.schema_arrow.names)
            _check_size(path, file.metadata)
            yield file
    except FileError:
        raise
    except (pa.ArrowException, ValueError, OverflowError, KeyError) as error:
        raise FileError(f"{path}: {error}, expected a Parquet file that can be read") from None


def _check_names(path: Path, names: list[str]) -> None:
    for name, count in Counter(names).items():
        if count > 1:
            raise FileError(f"{path}, columns: found {shown(name, 60)} {count} times, expected each column once")


def _check_size(path: Path, metadata: Any) -> None:
    size = path.stat().st_size
    for name, (values, unpacked) in _totals(metadata).items():
        place = f"{path}, column {shown(name, 60)}"
        if values > max(MOST_VALUES, VALUES_A_BYTE * size):
            expected = f"at most {MOST_VALUES:,}, or {VALUES_A_BYTE} a byte of the file"
            raise FileError(f"{place}: found {values:,} values, expected {expected}")
        if unpacked > max(MOST_BYTES, MOST_TIMES * size):
            expected = f"at most {MOST_BYTES:,}, or {MOST_TIMES} times those of the file"
            raise FileError(f"{place}: found {unpacked:,} bytes, expected {expected}")


def _totals(metadata: Any) -> dict[str, tuple[int, int]]:
    """Return the values of each column, and its bytes unpacked."""
    totals: dict[str, tuple[int, int]] = {}
    for chunk in _chunks(metadata):
        values, unpacked = totals.get(chunk.path_in_schema, (0, 0))
        totals[chunk.path_in_schema] = values + chunk.num_values, unpacked + chunk.total_uncompressed_size
    return totals


def _chunks(metadata: Any) -> Iterator[Any]:
    for group in range(metadata.num_row_groups):
        for column in range(metadata.num_columns):
            yield metadata.row_group(group).column(column)


def rows_at_once(metadata: Any, most: int) -> int:
    """Return how many rows fit into memory, up to `most`, if each has the longest value there can be."""
    longest = max((chunk.total_uncompressed_size for chunk in _chunks(metadata)), default=1)
    return max(1, min(most, BATCH_BYTES // max(longest, 1)))


def texts_of(schema: Any) -> list[str]:
    """Return the columns of text."""
    import pyarrow as pa

    return [field.name for field in schema if pa.types.is_string(field.type)]


def values_of(column: Any) -> list[Any]:
    """Return a column's values; of texts that are repeated, one object each."""
    import pyarrow as pa

    if not pa.types.is_dictionary(column.type):
        return list(column.to_pylist())
    values: list[Any] = []
    for chunk in column.chunks:
        known = [*chunk.dictionary.to_pylist(), None]
        values += [known[-1 if i is None else i] for i in chunk.indices.to_pylist()]
    return values
