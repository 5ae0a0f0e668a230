"""Files that are there whole or not at all."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from teltheory.errors import FileError
from teltheory.input_files import check_name, reported


def check_place(path: Path, why: str) -> None:
    """Check, before long work, that a file can be there.

    Parameters
    ----------
    path : Path
        The file.
    why : str
        What it is for, such as "for the store".

    Raises
    ------
    FileError
        Where the folder does not exist or the target is a folder.
    """
    check_name(path, f"a file {why}")
    with reported(path, f"a file {why}"):
        if not path.absolute().parent.is_dir():
            raise FileError(f"{path}: found no folder {path.parent}, expected one {why}")
        if path.is_dir():
            raise FileError(f"{path}: found a folder, expected a file {why}")
        with suppress(FileNotFoundError):
            path.stat()


def write_whole(path: Path, write: Callable[[Path], object]) -> None:
    """Write a file beside its place, then rename it; what was there before stays until then.

    Where the path is a link, the file that it leads to is written. What is no file, such as /dev/null or a pipe,
    is written to as it is: there is nothing to keep whole.

    Parameters
    ----------
    path : Path
        The file.
    write : callable
        Writes to the path that it is given.

    Raises
    ------
    FileError
        Where that fails; nothing half-written stays.
    """
    check_name(path, "a file that can be written")
    try:
        _write(path, write)
    except OSError as error:
        raise FileError(f"{path}: {error.strerror or error}, expected a file that can be written") from None


def _write(path: Path, write: Callable[[Path], object]) -> None:
    path = Path(os.path.realpath(path)) if path.is_symlink() else path
    if path.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    if path.exists() and not path.is_file() and not path.is_dir():
        write(path)
        return
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        write(beside)
        beside.replace(path)
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)
