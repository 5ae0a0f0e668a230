"""Tidy tables: rows of one kind as CSV, whole or not at all."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from teltheory.whole_files import write_whole


def write_rows(rows: Iterable[Any], path: Path, kind: type | None = None) -> None:
    """Write rows as CSV.

    Parameters
    ----------
    rows : iterable of dataclass or of mapping
        All of one kind.
    path : Path
        The file.
    kind : type, optional
        The dataclass, whose fields are the columns; left out, the first row's.

    Raises
    ------
    FileError
        Where the file cannot be written; nothing half-written stays.
    """
    plain = [_plain(row) for row in rows]
    columns = list(plain[0]) if kind is None else [field.name for field in fields(kind)]

    def write(beside: Path) -> None:
        with beside.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, columns)
            writer.writeheader()
            writer.writerows(plain)

    write_whole(path, write)


def _plain(row: Any) -> dict[str, Any]:
    return (
        dict(row) if isinstance(row, Mapping) else {field.name: getattr(row, field.name) for field in fields(row)}
    )
