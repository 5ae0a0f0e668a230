"""Public traces by name, as `datasets.csv` lists them: a row a file; files of one name are a data set in a folder.

1. Size and digest (SHA-256) are of files that were read when the list was made. A file without them is *not
   checked*: the first fetch keeps its digest in a file beside it, and later ones are compared with that.
2. A name stands for the file, or the folder, in the data folder (`teltheory.workloads.data_folder`).
3. Without an address a data set has many files, or terms to accept: its page says how to get it.
"""

from __future__ import annotations

import csv
import hashlib
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from os import PathLike
from pathlib import Path

from teltheory.base.input_files import reported
from teltheory.errors import FileError
from teltheory.workloads.data import data_folder

MOST = 1 << 33
"""Bytes of a file whose size nobody knows."""


@dataclass(frozen=True)
class DataFile:
    """A file of a public trace, or all of a trace that has no address.

    `format` is "arrivals" if it names no conversation. `bytes` and `sha256` are None if it was never read here;
    `assumed` is what its reader assumes.
    """

    name: str
    file: str
    format: str
    licence: str
    bytes: int | None
    sha256: str | None
    address: str
    page: str
    assumed: str

    @property
    def path(self) -> Path:
        """Where the file is, or will be."""
        return data_folder() / self.file

    @property
    def kept(self) -> Path:
        """Where the first fetch of a file that is not checked keeps its digest."""
        return self.path.with_name(f"{self.path.name}.sha256")

    @property
    def digest(self) -> str | None:
        """The digest in the list, else the one that the first fetch kept."""
        if self.sha256 is None and self.kept.is_file():
            with reported(self.kept, "a digest"):
                return self.kept.read_text("utf-8").partition(" ")[0]
        return self.sha256


@cache
def datasets() -> dict[str, tuple[DataFile, ...]]:
    """Return the files of each public trace by its name, in the order of the list."""
    found: dict[str, tuple[DataFile, ...]] = {}
    for row in csv.DictReader((files("teltheory.formats") / "datasets.csv").read_text("utf-8").splitlines()):
        given = {"bytes": int(row["bytes"]) if row["bytes"] else None, "sha256": row["sha256"] or None}
        one = DataFile(**{**row, **given})  # type: ignore[arg-type]
        found[one.name] = (*found.get(one.name, ()), one)
    return found


def placed(path: str | PathLike[str]) -> Path:
    """Return a path, in the place of a data set's name the one that it has in the data folder.

    Raises
    ------
    FileError
        If the data set is not there; says how it is fetched.
    """
    given = Path(path)
    if str(path) not in datasets() or given.exists():
        return given
    parts = datasets()[str(path)]
    place = parts[0].path if len(parts) == 1 else parts[0].path.parent
    if not place.exists():
        raise FileError(f"{path}: found no {place}, expected that trace; `teltheory trace fetch {path}` brings it")
    return place


def known(path: Path) -> DataFile | None:
    """Return the listed file that a file is by its digest, or that all files of a folder belong to; else None."""
    if path.is_dir():
        parts = [known(file) for file in sorted(path.iterdir()) if file.is_file()]
        return parts[0] if parts and parts[0] and {one and one.name for one in parts} == {parts[0].name} else None
    with suppress(OSError):
        size = path.stat().st_size
        listed = [
            one for parts in datasets().values() for one in parts if one.bytes in (None, size) and one.digest
        ]
        if path.is_file() and listed:
            digest = digest_of(path)
            return next((one for one in listed if one.digest == digest), None)
    return None


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file as 64 hexadecimal digits."""
    with reported(path, "a file"), path.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
