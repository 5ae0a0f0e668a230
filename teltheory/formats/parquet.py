"""Parquet files, with errors of one line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from teltheory.errors import FileError, shown

CHUNK = 1 << 18


@contextmanager
def opened_parquet(path: Path) -> Iterator[Any]:
    """Open a Parquet file as a `pyarrow.parquet.ParquetFile`; afterwards give back the memory that PyArrow keeps.

    PyArrow may end the process when a damaged column is asked for its length, so its pages are read first.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path, buffer_size=CHUNK, pre_buffer=False) as file:
            _check_names(path, file.schema_arrow.names)
            if file.metadata.num_rows and file.metadata.num_columns:
                file.scan_contents()
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


def values_of(column: Any) -> list[Any]:
    """Return a column's values; of texts that are repeated, one object each."""
    import pyarrow as pa

    if not pa.types.is_string(column.type):
        return list(column.to_pylist())
    coded = column.combine_chunks().dictionary_encode()
    known = [*coded.dictionary.to_pylist(), None]
    return [known[-1 if i is None else i] for i in coded.indices.to_pylist()]
