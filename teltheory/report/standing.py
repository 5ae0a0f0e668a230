"""How the paper stands: its statements counted by what became of them, and whose the other rows are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from teltheory.claims.origin import EDITIONS
from teltheory.report.ledger import Row

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
    return f"our reading: {note}" if whose == "reading" else f"sharpness, without: {note}"


def editions_text(row: Row) -> str:
    """Return the editions that state a row."""
    return " and ".join(EDITIONS[name] for name in row["editions"])
