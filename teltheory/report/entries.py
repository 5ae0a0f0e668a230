"""The ledger's rows as blocks of a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from teltheory.report.blocks import Block, Bullets, Card, Cards, Entry, Ledger, Table, Tone
from teltheory.report.ledger import Row, sections
from teltheory.report.standing import origin_text, outcome
from teltheory.report.words import (
    counterexamples,
    evidence_kind,
    evidence_text,
    null_models_text,
    side_by_side,
    strength,
)

TONES: dict[str, Tone] = {
    "holds": "good",
    "reproduced": "good",
    "refuted": "warn",
    "misprint": "warn",
    "not reproduced": "warn",
    "by construction": "quiet",
    "not decidable here": "quiet",
    "undecided": "bad",
    "error": "bad",
}
"""Verdicts in the order of a summary, and how each looks."""
PLURALS = {"holds": "hold", "misprint": "misprints", "error": "ended in an error"}


def verdict_cards(rows: Sequence[Row]) -> Cards:
    """Return how many rows have each outcome; an outcome that no row has is left out."""
    counts = Counter(outcome(row) for row in rows)
    total = Card(f"{len(rows):,}", "statement" if len(rows) == 1 else "statements")
    return Cards(
        [
            total,
            *(Card(f"{counts[name]:,}", PLURALS.get(name, name), TONES[name]) for name in TONES if counts[name]),
        ]
    )


def ledger_block(rows: Sequence[Row]) -> Ledger:
    """Return the rows by section of the paper."""
    return Ledger([(title, [entry(row) for row in members]) for title, members in sections(rows).items()])


def entry(row: Row) -> Entry:
    """Return a row with all that its verdict rests on, but for the time that it took."""
    verdict = row["verdict"]
    evidence = evidence_kind(row["scope"]) if verdict == "holds" else ""
    place = ", ".join(filter(None, (row["source"], origin_text(row))))
    return Entry(row["id"], verdict, evidence, TONES[verdict], f"{place}.", row["statement"], list(_blocks(row)))


def _blocks(row: Row) -> Iterator[Block]:
    yield Bullets(list(_sentences(row)))
    header, lines = side_by_side(row)
    if lines:
        yield Table(f"All cells of {row['id']}", header, lines)


def _sentences(row: Row) -> Iterator[str]:
    yield from strength(row)
    yield from counterexamples(row)
    if "rule" in row and "numbers" in row:
        yield f"Rule: {row['rule']}"
        yield f"Counts: {evidence_text(row)}"
        if nulls := null_models_text(row):
            yield f"Null models: {nulls}"
    yield f"Decide it again: `teltheory verify --claim {row['id']}`"
