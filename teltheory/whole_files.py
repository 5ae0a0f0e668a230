"""Files that are there whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from teltheory.errors import FileError


def write_whole(path: Path, write: Callable[[Path], object]) -> None:
    """Write a file beside its place, then rename it; what was there before stays until then.

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
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        write(beside)
        beside.replace(path)
    except OSError as error:
        raise FileError(f"{path}: {error.strerror or error}, expected a file that can be written") from None
    finally:
        beside.unlink(missing_ok=True)
