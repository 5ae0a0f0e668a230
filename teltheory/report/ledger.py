"""The ledger as data: reading it back, its sections, and how the paper stands: what became of its statements."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, TypeAlias

from teltheory.claims.origin import EDITIONS
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
    "origin": "paper|reading|sharpness|another paper|ours",
    "kind": "statement|misprint|by construction",
    "verdict": "holds|refuted|reproduced|not reproduced|undecided|not decidable here|error",
}
"""Patterns of what goes into documents as it is: no mark-up is among it."""
SCOPE_FIELDS = {"kind": str, "instances": int, "bounds": dict}

SECTIONS = {
    "The hindsight problem (Appendix B)": "hindsight theorem-b1 violations weighted",
    "The objective: means, tails, and what is hard (Sections 1 and 2, Appendix G.1)": (
        "tel intro slo percentile appendix-g"
    ),
    "T-LRU (Section 3, Appendix C)": (
        "theorem-31 appendix-c algorithm-1 trim figure-1 figure-2 section-3 appendix-e remark stack"
    ),
    "The conversation model (Appendices D and E)": (
        "belief lemma-d3 algorithm-2 theorem-d2 corollary paging et-lru"
    ),
    "Numbers, tables and figures": "kv-size figure- table- sensitivity headline prediction",
    "Shared prefixes (beyond the paper)": "forest",
    "RAGCache (Jin et al. 2024)": "ragcache",
    "Prompt Cache (Gim et al. 2024)": "prompt-cache",
    "Parrot (Lin et al. 2024)": "parrot",
    "Tiers of memory": "tiers",
    "Queues and replicas": "queue",
}
"""What the rows of a section begin with, up to a full stop; a hyphen at the end stands for more."""
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
        if any(stem == known or (known.endswith("-") and stem.startswith(known)) for known in stems.split()):
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


OUTCOMES = {
    "holds": "hold",
    "refuted": "are refuted as printed",
    "misprint": "are misprints that a later edition corrects",
    "reproduced": "tables and figures are reproduced",
    "not reproduced": "are not reproduced",
    "by construction": "are true by construction",
    "not decidable here": "can't be decided here",
    "undecided": "are undecided",
    "error": "ended in an error",
}
"""What can become of a row, in the order of a summary, and how a sentence puts it."""
WHOSE = {
    "paper": "the paper",
    "reading": "a reading of the paper",
    "sharpness": "sharpness: a condition of the paper left out",
    "another paper": "another paper",
    "ours": "ours",
}


def outcome(row: Row) -> str:
    """Return what became of a row: its kind where that is more than a statement, else its verdict."""
    failed = row["verdict"] in ("refuted", "not reproduced")
    told = row["kind"] == "by construction" or (row["kind"] == "misprint" and failed)
    return str(row["kind"] if told else row["verdict"])


def standing(rows: Sequence[Row]) -> tuple[list[str], list[list[str]]]:
    """Return a table of how many rows came to what: a header, and a line for each whose statement it is."""
    counts = Counter((row["origin"], outcome(row)) for row in rows)
    columns = [name for name in OUTCOMES if any(found == name for _, found in counts)]
    lines = [
        [title, *(f"{counts[whose, name]:,}" if counts[whose, name] else "" for name in columns)]
        for whose, title in WHOSE.items()
    ]
    return ["whose", *columns], lines


def paper_sentence(rows: Sequence[Row]) -> str:
    """Return in a sentence what became of the paper's own statements."""
    counts = Counter(outcome(row) for row in rows if row["origin"] == "paper")
    told = ", ".join(f"{counts[name]} {said}" for name, said in OUTCOMES.items() if counts[name])
    return f"Of {counts.total()} statements of the paper {told}."


def origin_text(row: Row) -> str:
    """Return whose statement a row is, in a few words."""
    whose, note = row["origin"], row.get("note", "")
    if whose == "paper":
        misprint = ", a misprint" if row["kind"] == "misprint" else ""
        return f"the paper, {editions_text(row)}{misprint}"
    if whose == "ours":
        return f"ours, in the place of `{row['repairs']}`" if "repairs" in row else "ours"
    told = {"reading": f"our reading: {note}", "sharpness": f"sharpness, without: {note}", "another paper": note}
    return str(told[whose])


def editions_text(row: Row) -> str:
    """Return the editions that state a row."""
    return " and ".join(EDITIONS[name] for name in row["editions"])
