"""Files that are opened with errors of one line: text in UTF-8, compressed or not, and Parquet; and streams."""

import gzip
import io
import json
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO, TextIO

from teltheory.base.input_files import reported
from teltheory.errors import ArgumentError, FileError, shown

LONGEST_LINE = 1 << 26
COMPRESSED = (".gz", ".zst")
CHUNK = 1 << 18
STDIN = "standard input"
_JSON = re.compile(r"[\[{]\s*[\]}{\"]")
_LOG = re.compile(r"(?:INFO|DEBUG|WARNING) \d\d-\d\d \d\d:\d\d:\d\d ")
_MAGIC = ((b"PAR1", ".parquet"), (b"\x1f\x8b", ".gz"), (b"\x28\xb5\x2f\xfd", ".zst"))


def opened_bytes(path: Path) -> Any:
    """Open a file that may be compressed, as its name says."""
    ending = path.suffix.lower()
    if ending == ".gz":
        return gzip.open(path)
    if ending == ".zst":
        import pyarrow as pa

        return pa.input_stream(str(path), compression="zstd")
    return path.open("rb")


def opened_text(path: Path) -> TextIO:
    """Open a text file in UTF-8 that may be compressed."""
    return io.TextIOWrapper(opened_bytes(path), encoding="utf-8-sig", newline="")


def told_by_content(path: Path, otherwise: str = ".csv") -> str:
    """Return how the name of a text file should end, by what it begins with."""
    with reported(path, "a text"), opened_text(path) as file:
        start = file.read(CHUNK).lstrip()
    try:
        first = json.loads(start.partition("\n")[0])
    except (ValueError, RecursionError):
        if _JSON.match(start):
            return ".json"
        return ".log" if _LOG.search(start) else otherwise
    if isinstance(first, list) and all(isinstance(one, dict) for one in first):
        return ".json"
    return ".jsonl" if isinstance(first, (dict, list)) else otherwise


@contextmanager
def spooled(stream: BinaryIO) -> Iterator[Path]:
    """Keep what a stream holds in a temporary file whose name tells its kind; errors call it standard input."""
    with TemporaryDirectory(prefix="teltheory-") as folder:
        file = Path(folder) / "stdin"
        with file.open("wb") as out:
            shutil.copyfileobj(stream, out)
        file = _named(file)
        try:
            yield file
        except FileError as error:
            raise FileError(str(error).replace(str(file), STDIN)) from None
        except ArgumentError as error:
            expected = error.expected.replace(str(file), STDIN)
            raise ArgumentError(error.argument, error.found, expected) from None


def _named(file: Path) -> Path:
    """Rename a file so that its name tells its kind."""
    with file.open("rb") as opened:
        start = opened.read(4)
    packed = next((ending for magic, ending in _MAGIC if start.startswith(magic)), "")
    file = file.rename(file.with_name(file.name + packed))
    if packed == ".parquet":
        return file
    return file.rename(file.with_name("stdin" + told_by_content(file) + packed))


def lines_of(path: Path, file: TextIO) -> Iterator[str]:
    """Yield the lines of an open file; one that is longer than any record is a FileError."""
    number = 0
    while line := file.readline(LONGEST_LINE + 1):
        number += 1
        if len(line) > LONGEST_LINE:
            expected = f"at most {LONGEST_LINE:,} characters in a line"
            raise FileError(f"{path}, line {number}: found more, expected {expected}")
        yield line


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
