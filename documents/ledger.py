"""The ledger and the errata on the site: a page per section, and a list of all rows with a filter.

They are made of the rows that `make docs` decides; no document of the repository holds them.

Links to a row, `ledger.md#theorem-b1`, lead to the row on its section's page; an address from outside,
`ledger.html#theorem-b1`, is led on by `assets/ledger.js`.
"""

import json
import re
from collections.abc import Iterator
from functools import cache
from html import escape
from pathlib import Path

from proofs_checks.errata import ERRATA
from teltheory.report.errata import errata_markdown
from teltheory.report.ledger_pages import ledger_markdown

LEDGER = Path(__file__).parents[1] / "out" / "ledger.json"
SECTION = re.compile(r"^## (.*)$", re.MULTILINE)
ROW = re.compile(
    r'^<a id="(?P<id>[^"]+)"></a>\*\*`[^`]*`\*\* \((?P<source>.*)\): \*\*(?P<verdict>.*?)\*\*\..*\n\n'
    r"> (?P<statement>.*)",
    re.MULTILINE,
)
HEAD_OF_ROW = re.compile(r'^<a id="([^"]+)"></a>\*\*(`[^`]*`)\*\* \((.*?); (\w)(.*?)\): (?=\*\*)', re.MULTILINE)
LINK = re.compile(r"\]\(((?:\.\./)?)ledger\.md#([^)]+)\)")


@cache
def documents() -> tuple[str, str]:
    """Return the ledger and the errata, made of the rows that were decided last."""
    if not LEDGER.exists():
        raise FileNotFoundError(f"{LEDGER.name} is not there; expected: rows that `make ledger` has decided")
    rows = json.loads(LEDGER.read_text(encoding="utf-8"))["claims"]
    return ledger_markdown(rows), errata_markdown(rows, ERRATA)


def section_pages(text: str) -> dict[str, str]:
    """Return a page of Markdown for each section of the ledger, by its file's name; each row has a heading."""
    sections = [*_sections(HEAD_OF_ROW.sub(_heading, text.replace("](#", "](ledger.md#")))]
    return {
        _page(title): links_to_rows(
            f"{_searched(0.2 + k / len(sections))}# {title}: rows\n\n{body.strip()}\n", text
        )
        for k, (title, body) in enumerate(reversed(sections), start=1)
    }


def _searched(boost: float) -> str:
    """Return what says how high the search puts a page: the first sections, those of the paper, come first."""
    return f"---\nsearch: {{boost: {boost:.2f}}}\n---\n\n"


def _sections(text: str) -> Iterator[tuple[str, str]]:
    _, *parts = SECTION.split(text)
    return zip(parts[::2], parts[1::2], strict=True)


def _heading(row: re.Match[str]) -> str:
    """Return how a row begins on the site: the search finds headings first, and shows them."""
    name, shown, source, first, origin = row.groups()
    return f'<h4 id="{name}" markdown>{source}: {shown}</h4>\n\n{first.upper()}{origin}: '


def _page(title: str) -> str:
    words = re.split(r" \(|:", title)[0].lower()
    return f"ledger-{re.sub(r'[^a-z0-9]+', '-', words)}.md"


@cache
def _pages_of_rows(text: str) -> dict[str, str]:
    return {row["id"]: _page(title) for title, body in _sections(text) for row in ROW.finditer(body)}


def links_to_rows(markdown: str, text: str) -> str:
    """Return a page whose links to rows of the ledger lead to the pages of their sections."""
    pages = _pages_of_rows(text)
    return LINK.sub(lambda at: f"]({at[1]}{pages.get(at[2], 'ledger.md')}#{at[2]})", markdown)


def index(text: str) -> str:
    """Return the first page of the ledger: its lead, its sections, and all rows with a filter."""
    heading, _, lead = SECTION.split(text)[0].strip().partition("\n\n")
    told, _, counts = lead.rpartition("\n\nOf ")
    found = [(title, list(ROW.finditer(body))) for title, body in _sections(text)]
    sections = "\n".join(f"- [{title}]({_page(title)}): {len(rows):,}" for title, rows in found)
    lines = "".join(_line(row, _page(title)) for title, rows in found for row in rows)
    table = f'<table id="rows" data-search-exclude><thead>{HEAD}</thead><tbody>\n{lines}</tbody></table>'
    counted = [f"Of {counts}", "## Sections, and the number of their rows", sections]
    parts = [heading, *counted, "## Rows", FILTER, table, "## How to read it", told, SCRIPT]
    return "\n\n".join(parts) + "\n"


HEAD = "<tr><th>row</th><th>verdict</th><th>statement</th></tr>"
SCRIPT = '<script src="assets/ledger.js"></script>'
FILTER = (
    '<p id="filter"><input type="search" placeholder="words of a row" aria-label="words of a row"> '
    '<select aria-label="verdict"><option value="">every verdict</option></select> <output></output></p>'
)


def _line(row: re.Match[str], page: str) -> str:
    """Return a row as a line of HTML; Markdown's escapes are not for HTML."""
    name, verdict, address = row["id"], row["verdict"], page.replace(".md", ".html")
    said = escape(re.sub(r"\\(.)", r"\1", row["statement"]).replace("`", ""), quote=False)
    return (
        f'<tr><td><a href="{address}#{name}"><code>{name}</code></a></td><td>{verdict}</td><td>{said}</td></tr>\n'
    )
