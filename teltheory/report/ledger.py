"""The ledger as data: reading it back, and its sections."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, TypeAlias

from teltheory.errors import FileError, shown
from teltheory.input_files import parsed_json

Row: TypeAlias = dict[str, Any]
"""A row of the ledger, as `Verdict.as_dict` makes it."""

FIELDS = {
    "id": str,
    "origin": str,
    "kind": str,
    "source": str,
    "statement": str,
    "verdict": str,
    "scope": dict,
    "counterexample": dict | None,
    "seconds": int | float,
}
KNOWN = {
    "id": r"[A-Za-z0-9][A-Za-z0-9._-]*",
    "origin": "paper|reading|sharpness|ours",
    "kind": "statement|misprint|by construction",
    "verdict": "holds|refuted|reproduced|not reproduced|undecided|not decidable here|error",
}
"""Patterns of what goes into documents as it is: no mark-up is among it."""
SCOPE_FIELDS = {"kind": str, "instances": int, "bounds": dict}

SECTIONS: dict[str, tuple[str, ...]] = {
    "The hindsight problem (Appendix B)": ("hindsight", "theorem-b1", "violations", "weighted"),
    "The objective: means, tails, and what is hard (Sections 1 and 2, Appendix G.1)": (
        "tel",
        "intro",
        "slo",
        "percentile",
        "appendix-g",
    ),
    "T-LRU (Section 3, Appendix C)": (
        "theorem-31",
        "appendix-c",
        "algorithm-1",
        "trim",
        "figure-1",
        "figure-2",
        "section-3",
        "appendix-e",
        "remark",
        "stack",
    ),
    "The conversation model (Appendices D and E)": (
        "belief",
        "lemma-d3",
        "algorithm-2",
        "theorem-d2",
        "corollary",
        "paging",
        "et-lru",
    ),
    "Numbers, tables and figures": ("kv-size", "figure-", "table-", "sensitivity", "headline", "prediction"),
}
OTHERS = "Further statements"


def sections(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Return the rows by section of the paper, both in their order; a section without rows is left out."""
    found: dict[str, list[Row]] = {title: [] for title in (*SECTIONS, OTHERS)}
    for row in rows:
        found[_section(row["id"])].append(row)
    return {title: members for title, members in found.items() if members}


def _section(name: str) -> str:
    stem = name.split(".", maxsplit=1)[0]
    for title, stems in SECTIONS.items():
        if any(stem == known or (known.endswith("-") and stem.startswith(known)) for known in stems):
            return title
    return OTHERS


def read_ledger(text: str | bytes, name: str) -> list[Row]:
    """Return the rows of a ledger that `teltheory verify --json` wrote."""
    data = parsed_json(text, name, "a ledger")
    rows = data.get("claims") if isinstance(data, dict) else None
    if not isinstance(rows, list) or not rows:
        raise FileError(f"{name}: found no claims, expected a ledger as `teltheory verify --json` writes it")
    for i, row in enumerate(rows, start=1):
        _check(row, FIELDS, f"{name}, claim {i}")
        _check(row["scope"], SCOPE_FIELDS, f"{name}, claim {i}, scope")
        for field, known in KNOWN.items():
            if not re.fullmatch(known, row[field]):
                raise FileError(f"{name}, claim {i}, {field}: found {shown(row[field])}, expected {known}")
    return rows


def _check(row: Any, fields: dict[str, Any], place: str) -> None:
    if not isinstance(row, dict):
        raise FileError(f"{place}: found {shown(row)}, expected an object")
    for field, kind in fields.items():
        if field not in row:
            raise FileError(f"{place}: found no field {field!r}, expected all of {', '.join(fields)}")
        if not isinstance(row[field], kind):
            raise FileError(f"{place}, {field}: found {shown(row[field])}, expected {_kind(kind)}")


def _kind(kind: Any) -> str:
    names = {str: "text", dict: "an object", int: "a whole number"}
    return names.get(kind, "an object or null" if kind is FIELDS["counterexample"] else "a number")
