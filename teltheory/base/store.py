"""The store of sweeps and of campaigns: one SQLite table, whose rows two runs can add to at the same time.

1. A row is what determines a result (`about`, JSON with sorted keys), and the result (`found`, JSON). Both are
   text, so that whole numbers of any length stay exact. Nothing in a row depends on when or where it was made.
   The digest of all of it stands beside it: a row that it does not fit is refused.
2. A store is read once, when it is opened. What belongs together is added in one transaction, which is on disk
   (WAL mode) before the work resumes.
3. A result that is there already is left as it is.
"""

import json
import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from teltheory.base.input_files import check_file, parsed_json, reported
from teltheory.base.whole_files import check_place
from teltheory.errors import FileError

Plain = Mapping[str, Any]

WAIT = 60.0
"""Seconds in which another run must have finished its transaction."""

_APPLICATION = 0x54454C54
_VERSION = 1
"""Rows have digests; before, they had none, and the version was 0."""

_TABLE = "CREATE TABLE results (kind TEXT, about TEXT, found TEXT, digest TEXT, PRIMARY KEY (kind, about))"
_MAGIC = b"SQLite format 3\0"


def text_of(about: Plain) -> str:
    """Return what determines a result as the text that it is found by."""
    return json.dumps(about, sort_keys=True, separators=(",", ":"), allow_nan=False)


def digest_of(kind: str, about: object, found: object) -> str:
    """Return the digest of a row: of JSON, so that nothing can move from one column to the next."""
    return sha256(json.dumps([kind, about, found], default=repr).encode()).hexdigest()


@dataclass(frozen=True)
class Results:
    """Results of one kind, "sweep" or "campaign", in a file that the first result makes."""

    path: Path
    kind: str

    def check_place(self) -> None:
        """Check that the file can be made, or is a store that can be added to."""
        path = self.path
        check_place(path, "for the store")
        if path.exists():
            check_file(path, "a file for the store")
        if not os.access(path if path.exists() else path.absolute().parent, os.W_OK):
            raise FileError(f"{path}: Permission denied, expected a file that can be written")
        if path.exists():
            self._check_store()

    def _check_store(self) -> None:
        with reported(self.path, "a file for the store"), self.path.open("rb") as file:
            start = file.read(len(_MAGIC))
        if start.startswith(b'{"teltheory_'):
            raise FileError(f"{self.path}: found a store of an earlier version in JSON lines, expected a new file")
        if start == _MAGIC:
            with self._open(self.path) as database:
                (application,) = database.execute("PRAGMA application_id").fetchone()
                (version,) = database.execute("PRAGMA user_version").fetchone()
            if (application, version) == (_APPLICATION, _VERSION):
                return
            if application == _APPLICATION:
                raise FileError(f"{self.path}: found a store whose rows have no digests, expected a new file")
        raise FileError(f"{self.path}: found no store, expected one that the toolkit made, or a new file")

    def read(self) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
        """Yield the text that each result is found by, what determines it, and the result."""
        if not self.path.exists():
            return
        with self._open(self.path) as database:
            chosen = "SELECT about, found, digest FROM results WHERE kind = ?"
            rows = database.execute(chosen, (self.kind,)).fetchall()
        for number, (text, found, digest) in enumerate(rows, start=1):
            if digest != digest_of(self.kind, text, found):
                raise self.damaged(number, "a row that its digest does not fit")
            about, result = (self._object(number, column) for column in (text, found))
            yield text, about, result

    def _object(self, number: int, column: object) -> dict[str, Any]:
        name, expected = f"{self.path}, {self.kind} result {number}", "a JSON object"
        value = parsed_json(column, name, expected) if isinstance(column, str) else column
        if not isinstance(value, dict):
            raise self.damaged(number, "no JSON object")
        return value

    def damaged(self, number: int, found: str) -> FileError:
        """Return the error about a row that is no result."""
        return FileError(
            f"{self.path}, {self.kind} result {number}: found {found}, expected a result of a {self.kind}"
        )

    def add(self, results: Sequence[tuple[Plain, Plain]]) -> None:
        """Add results, each after what determines it; they are on disk afterwards, or nothing changed."""
        texts = [(self.kind, text_of(about), text_of(found)) for about, found in results]
        rows = [(*row, digest_of(*row)) for row in texts]
        if not self.path.exists():
            self._make()
        with self._open(self.path) as database, database:
            database.execute("BEGIN IMMEDIATE")
            database.executemany("INSERT OR IGNORE INTO results VALUES (?, ?, ?, ?)", rows)

    def _make(self) -> None:
        """Make the file, whole: SQLite can't change to WAL mode while another run writes."""
        beside = self.path.with_name(f".{self.path.name}.{os.getpid()}")
        try:
            with self._open(beside) as database:
                database.execute("PRAGMA journal_mode = WAL")
                database.execute(f"PRAGMA application_id = {_APPLICATION}")
                database.execute(f"PRAGMA user_version = {_VERSION}")
                database.execute(_TABLE)
            with _reported(self.path), suppress(FileExistsError):
                os.link(beside, self.path)
        finally:
            beside.unlink(missing_ok=True)

    @contextmanager
    def _open(self, path: Path) -> Iterator[sqlite3.Connection]:
        with _reported(self.path), closing(sqlite3.connect(path, timeout=WAIT, isolation_level=None)) as database:
            yield database


@contextmanager
def _reported(path: Path) -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, OSError, UnicodeError) as error:
        raise FileError(f"{path}: {error}, expected a store that can be read and written") from None
