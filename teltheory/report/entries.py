"""The ledger and the errata as sections of a page, by the text of their documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from html import escape

from teltheory.report.ledger import Row, sections
from teltheory.report.markdown import evidence, plain_text, table
from teltheory.report.page import Card
from teltheory.report.standing import OUTCOMES, origin_text, outcome, standing
from teltheory.report.words import verdict_text

TONES = {
    "holds": "good",
    "reproduced": "good",
    "refuted": "warn",
    "misprint": "warn",
    "not reproduced": "warn",
    "undecided": "bad",
    "error": "bad",
}
PLURALS = {"holds": "hold", "misprint": "misprints", "error": "ended in an error"}


def verdict_cards(rows: Sequence[Row]) -> list[Card]:
    """Return how many rows have each outcome; an outcome that no row has is left out."""
    counts = Counter(outcome(row) for row in rows)
    total = Card(f"{len(rows):,}", "statement" if len(rows) == 1 else "statements")
    found = [name for name in OUTCOMES if counts[name]]
    return [total, *(Card(f"{counts[name]:,}", PLURALS.get(name, name), TONES.get(name, "")) for name in found)]


def ledger_text(rows: Sequence[Row]) -> str:
    """Return every row by section of the paper, folded, with boxes that hide the rows of a verdict."""
    parts = [table(*standing(rows)), "".join(_boxes(rows))]
    for title, members in sections(rows).items():
        parts += [f"### {title}", *map(_entry, members)]
    return "\n\n".join(parts)


def _boxes(rows: Sequence[Row]) -> Iterator[str]:
    """Yield a box for each verdict; style alone hides the rows."""
    for verdict, number in Counter(row["verdict"] for row in rows).items():
        hidden = f'section:has(input[value="{verdict}"]:not(:checked)) [data-verdict="{verdict}"]'
        yield f"<style>{hidden} {{ display: none; }}</style>"
        yield f'<label><input type="checkbox" value="{verdict}" checked> {verdict} ({number:,})</label>'


def _entry(row: Row) -> str:
    name, verdict = row["id"], row["verdict"]
    badge = f'<b class="{TONES.get(verdict, "")}">{escape(verdict_text(row))}</b> <code>{name}</code>'
    return (
        f'<details id="{name}" data-verdict="{verdict}"><summary>{badge} {escape(row["statement"])}</summary>\n\n'
        f"{plain_text(row['source'])}, {plain_text(origin_text(row))}.\n\n{evidence(row)}\n\n</details>"
    )


def errata_text(document: str) -> str:
    """Return the document of errata as a section of a page that has the ledger too: its links lead there."""
    body = document.partition("\n\n")[2].replace("](#", "](#erratum-").replace('<a id="', '<a id="erratum-')
    for file, anchor in (("ledger.md#", "#"), ("ledger.md", "#ledger")):
        body = body.replace(f"]({file}", f"]({anchor}")
    return body.replace("\n## ", "\n### ")
