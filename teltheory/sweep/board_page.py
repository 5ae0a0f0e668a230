"""A board as one page that loads nothing: a click on a heading sorts its table, a word sifts the rows.

It needs no extra: the page is a few lines of HTML around tables of text.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence
from hashlib import sha256
from html import escape

STYLE = """:root { color-scheme: light dark; --rule: #8884; }
body { max-width: 90rem; margin: 0 auto; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif; }
body { overflow-wrap: anywhere; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums; white-space: nowrap; }
th, td { padding: .25rem .6rem; border-bottom: 1px solid var(--rule); text-align: right; }
:is(th, td):first-child { text-align: left; position: sticky; left: 0; background: Canvas; }
button, input { font: inherit; color: inherit; }
button { padding: 0; border: 0; background: none; font-weight: bold; cursor: pointer; }
[aria-sort=ascending] button::after { content: " ↑"; }
[aria-sort=descending] button::after { content: " ↓"; }"""
SCRIPT = """
const all = (what, within = document) => [...within.querySelectorAll(what)];
const number = (text) => parseFloat(text.replace(/,/g, "")) * (/^[^ ]*M/.test(text) ? 1e6 : 1);
function sort(table, column, falling) {
  const text = (row) => row.cells[column].textContent;
  const rows = all("tbody tr", table), words = rows.some((row) => text(row) && isNaN(number(text(row))));
  const order = (a, b) => {
    if (words) return text(a).localeCompare(text(b)) * (falling ? -1 : 1);
    const [x, y] = [number(text(a)), number(text(b))];
    return isNaN(x) - isNaN(y) || (falling ? y - x : x - y) || 0;
  };
  table.tBodies[0].append(...rows.sort(order));
}
for (const table of all("table")) all("th", table).forEach((head, column) => {
  head.firstChild.addEventListener("click", () => {
    const falling = head.ariaSort === "ascending";
    for (const one of all("th", table)) one.ariaSort = null;
    head.ariaSort = falling ? "descending" : "ascending";
    sort(table, column, falling);
  });
});
document.querySelector("input").addEventListener("input", (event) => {
  const words = event.target.value.toLowerCase().split(/\\s+/);
  const said = (row) => all("td", row).map((cell) => cell.textContent.toLowerCase()).join(" ");
  const has = (row) => words.every((one) => said(row).includes(one));
  for (const row of all("tbody tr")) row.hidden = !has(row);
});
"""


def page_of(title: str, lead: str, notes: Iterable[str], sections: Iterable[tuple[str, str]]) -> str:
    """Return a page: a title, what columns mean, notes, and tables (`table_of`), each below its heading."""
    allowed = b64encode(sha256(SCRIPT.encode()).digest()).decode("ascii")
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{allowed}'"
    lines = [
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(title)}</title>\n<style>\n{STYLE}\n</style></head><body>",
        f"<h1>{escape(title)}</h1>\n<p>{escape(lead)}</p>\n<ul>",
        *(f"<li>{escape(note)}</li>" for note in notes),
        '</ul>\n<p><label>Rows with <input type="search" placeholder="online 1,000,000"></label></p>',
        *(f'<h2>{escape(heading)}</h2>\n<div class="wide">{table}</div>' for heading, table in sections),
        f"<script>{SCRIPT}</script></body></html>\n",
    ]
    return "\n".join(lines)


def table_of(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table as HTML whose headings are buttons."""
    heads = "".join(f"<th><button>{escape(name)}</button></th>" for name in headings)
    body = "\n".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{heads}</tr></thead>\n<tbody>\n{body}\n</tbody></table>"
