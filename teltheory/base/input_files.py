"""Files that come from elsewhere: what can't be read is said in one line."""

import json
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from teltheory.errors import FileError


@contextmanager
def reported(file: Path, expected: str) -> Iterator[None]:
    """Say in one line, as a `FileError`, why a file can't be read and what was expected."""
    try:
        yield
    except FileNotFoundError:
        raise FileError(f"{file}: found no such file, expected {expected}") from None
    except UnicodeDecodeError as error:
        byte = error.object[error.start : error.start + 1]
        raise FileError(f"{file}: found byte {byte!r}, expected text in UTF-8") from None
    except (OSError, EOFError, zlib.error) as error:
        reason = str(getattr(error, "strerror", None) or error)
        raise FileError(f"{file}: {reason}, expected a file that can be read") from None


def check_file(file: Path, expected: str) -> None:
    """Raise a `FileError` if there is nothing, or a folder."""
    with reported(file, expected):
        try:
            file.stat()
        except ValueError:
            raise FileError(f"{file}: found a name that no file can have, expected {expected}") from None
        if file.is_dir():
            raise FileError(f"{file}: found a folder, expected {expected}")


def read_bytes(file: Path, expected: str, most: int | None = None) -> bytes:
    """Return what a file holds; more than `most` bytes are an error, which says what was `expected`."""
    check_file(file, expected)
    with reported(file, expected), file.open("rb") as opened:
        content = opened.read(-1 if most is None else most + 1)
    if most is not None and len(content) > most:
        raise FileError(f"{file}: found more than {most:,} bytes, expected {expected}")
    return content


def read_json(file: Path, expected: str, most: int | None = None) -> Any:
    """Return the JSON document that a file holds; see `read_bytes`."""
    return parsed_json(read_bytes(file, expected, most), str(file), expected)


def parsed_json(text: str | bytes, name: str, expected: str) -> Any:
    """Return a JSON document in which no object has a field twice; deep nesting and huge numbers are errors."""
    try:
        return json.loads(text, object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        found = f"{name}, line {error.lineno}: found no JSON ({error.msg})"
    except UnicodeDecodeError:
        found = f"{name}: found no JSON (no UTF-8)"
    except RecursionError:
        found = f"{name}: found no JSON (it is nested too deeply)"
    except ValueError as error:
        found = f"{name}: found no JSON ({error})"
    raise FileError(f"{found}, expected {expected}")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a field stands there twice")
    return found
