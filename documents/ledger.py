"""The ledger on the site: of `docs/ledger.md` a page per section, and a list of all rows with a filter.

Links to a row, `ledger.md#theorem-b1`, lead to the row on its section's page; an address from outside,
`ledger.html#theorem-b1`, is led on by `assets/ledger.js`.
"""

import re
from collections.abc import Iterator
from functools import cache
from html import escape
from pathlib import Path

LEDGER = Path(__file__).parents[1] / "docs" / "ledger.md"
SECTION = re.compile(r"^## (.*)$", re.MULTILINE)
ROW = re.compile(
    r'^<a id="(?P<id>[^"]+)"></a>\*\*`[^`]*`\*\* \((?P<source>.*)\): \*\*(?P<verdict>.*?)\*\*\..*\n\n'
    r"> (?P<statement>.*)",
    re.MULTILINE,
)
LINK = re.compile(r"\]\(((?:\.\./)?)ledger\.md#([^)]+)\)")
NOT_SEARCHED = "---\nsearch: {exclude: true}\n---\n\n"
SEARCHED_LAST = "---\nsearch: {boost: 0.2}\n---\n\n"


def section_pages(text: str) -> dict[str, str]:
    """Return a page of Markdown for each section of the ledger, by its file's name."""
    rows = text.replace("](#", "](ledger.md#")
    return {
        _page(title): links_to_rows(f"{SEARCHED_LAST}# {title}\n\n{body.strip()}\n", text)
        for title, body in _sections(rows)
    }


def _sections(text: str) -> Iterator[tuple[str, str]]:
    _, *parts = SECTION.split(text)
    return zip(parts[::2], parts[1::2], strict=True)


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
    table = f'<table id="rows"><thead>{HEAD}</thead><tbody>\n{lines}</tbody></table>'
    counted = [f"Of {counts}", "## Sections, and the number of their rows", sections]
    parts = [NOT_SEARCHED + heading, *counted, "## Rows", FILTER, table, "## How to read it", told, SCRIPT]
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
