"""Files that are there whole or not at all."""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from teltheory.base.input_files import reported
from teltheory.errors import FileError


def check_place(path: Path, why: str) -> None:
    """Check, before long work, that a file can be there; `why` it is needed is such as "for the store"."""
    with reported(path, f"a file {why}"):
        if not path.absolute().parent.is_dir():
            raise FileError(f"{path}: found no folder {path.parent}, expected one {why}")
        if path.is_dir():
            raise FileError(f"{path}: found a folder, expected a file {why}")


def write_whole(path: Path, write: Callable[[Path], object]) -> None:
    """Write a file beside its place, then rename it; until then, and after an error, what was there before stays.

    What is no file, such as /dev/null, is written to as it is.
    """
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            write(path)
            return
        write(beside)
        beside.replace(path)
    except OSError as error:
        raise FileError(f"{path}: {error.strerror or error}, expected a file that can be written") from None
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)
