"""Parquet files: columns or batches of rows, where they can be unpacked in memory.

A column of one value repeated takes some bytes on disk, whatever its length, and a page may be packed a thousand
times. Both are refused before columns are made of them: first by what the file says of itself, then after all its
pages were looked at, one at a time. Only then may columns be asked for their lengths: of a damaged one PyArrow
would end the process, where a reader of pages raises an error.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
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
    """Open a Parquet file as a `pyarrow.parquet.ParquetFile`; afterwards give back what PyArrow keeps unused.

    Raises
    ------
    FileError
        Where it is none, is damaged, or has a column twice.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path, buffer_size=CHUNK, pre_buffer=False, **options) as file:
            _check_names(path, file.schema_arrow.names)
            yield file
    except FileError:
        raise
    except (pa.ArrowException, ValueError, OverflowError, KeyError) as error:
        raise FileError(f"{path}: {error}, expected a Parquet file that can be read") from None
    finally:
        pa.default_memory_pool().release_unused()


def _check_names(path: Path, names: list[str]) -> None:
    for name, count in Counter(names).items():
        if count > 1:
            raise FileError(f"{path}, columns: found {shown(name, 60)} {count} times, expected each column once")


def leaves_of(file: Any) -> list[str]:
    """Return the paths of the columns that hold values, those in lists and structures too."""
    schema = file.metadata.schema
    return [schema.column(i).path for i in range(file.metadata.num_columns)]


def check_size(path: Path, file: Any, leaves: Sequence[str]) -> None:
    """Check that columns of a file fit into memory.

    Raises
    ------
    FileError
        Where one does not.
    """
    size, metadata = path.stat().st_size, file.metadata
    unpacked = sum(metadata.row_group(i).total_byte_size for i in range(metadata.num_row_groups))
    if unpacked > max(MOST_BYTES, MOST_TIMES * size):
        expected = f"at most {MOST_BYTES:,}, or {MOST_TIMES} times those of the file"
        raise FileError(f"{path}: found {unpacked:,} bytes, expected {expected}")
    if not leaves or not metadata.num_rows:
        return
    file.scan_contents(columns=list(leaves))
    for i, name in enumerate(leaves_of(file)):
        if name in leaves and (values := _values(metadata, i)) > max(MOST_VALUES, VALUES_A_BYTE * size):
            expected = f"at most {MOST_VALUES:,}, or {VALUES_A_BYTE} a byte of the file"
            raise FileError(f"{path}, column {shown(name, 60)}: found {values:,} values, expected {expected}")


def _values(metadata: Any, column: int) -> int:
    return sum(int(metadata.row_group(i).column(column).num_values) for i in range(metadata.num_row_groups))


def rows_at_once(metadata: Any, most: int) -> int:
    """Return how many rows fit into memory, up to `most`, if each has the longest value there can be."""
    groups = (metadata.row_group(i).total_byte_size for i in range(metadata.num_row_groups))
    return max(1, min(most, BATCH_BYTES // max([1, *map(int, groups)])))


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
