"""A page in one file: Markdown, cards and charts in one template. It loads nothing; same input, same bytes.

The text of a section is Markdown with HTML in it. What comes from elsewhere, such as a file's name, goes through
`markdown.literal` first, and a sentence of the ledger through `markdown.plain_text`. Charts are Vega-Altair's.
What a reader chose stands in the page's address, so that a link shows what its sender saw. Charts, figures
and packed sections are compressed; the page's script inflates and shows them.
"""

from __future__ import annotations

import base64
import gzip
import json
import platform
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from html import escape
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from teltheory.base.input_files import read_bytes

if TYPE_CHECKING:
    from altair import TopLevelMixin

__all__ = ["Card", "Page", "Section", "render", "static", "versions"]

PROGRAMS = ("teltheory", "numpy", "scipy", "highspy", "pyomo", "pyarrow", "z3-solver", "cvc5")
"""Those that numbers, verdicts or figures come from."""


@dataclass(frozen=True)
class Card:
    """A number of the summary, and what it counts, as plain text; its tone is "good", "warn", "bad" or nothing."""

    number: str
    label: str
    tone: str = ""


@dataclass(frozen=True)
class Section:
    """A section: anchor, heading as plain text, Markdown, altair's charts below it; a long one is packed."""

    id: str
    title: str
    text: str
    charts: Sequence[TopLevelMixin] = ()
    packed: bool = False


@dataclass(frozen=True)
class Page:
    """A page: heading and lead as plain text, the cards of its summary and Markdown below them, its sections."""

    title: str
    lead: str
    cards: Sequence[Card]
    summary: str
    sections: Sequence[Section]


def render(page: Page) -> str:
    """Return a page as HTML."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("teltheory.report", "templates"), autoescape=True, undefined=StrictUndefined
    )
    charts = any(section.charts for section in page.sections)
    script = (_vega() if charts else "") + _template("page.js")
    allowed = f"'sha256-{_base64(sha256(script.encode()).digest())}'" + " 'unsafe-eval'" * charts
    template = environment.get_template("page.html.j2")
    return template.render(page=page, html=to_html, packed=_compressed, spec=_spec, script=script, allowed=allowed)


def static(page: Page) -> str:
    """Return a page without charts and packed sections as HTML, in the template's style: no script, no extra."""
    style = re.search(r"<style>.*?</style>", _template("page.html.j2"), re.DOTALL)
    cards = "".join(
        f'<li class="{one.tone}"><b>{escape(one.number)}</b> {escape(one.label)}</li>' for one in page.cards
    )
    parts = [
        f'<section id="{one.id}"><h2>{escape(one.title)}</h2>{to_html(one.text)}</section>'
        for one in page.sections
    ]
    head = (
        '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(page.title)}</title>",
        "" if style is None else style[0],
    )
    body = (f"<h1>{escape(page.title)}</h1>", f"<p>{escape(page.lead)}</p>", f'<ul class="cards">{cards}</ul>')
    lines = (
        "<!DOCTYPE html>",
        '<html lang="en"><head>',
        *head,
        "</head><body>",
        *body,
        to_html(page.summary),
        *parts,
    )
    return "\n".join([*lines, "</body></html>", ""])


def to_html(markdown: str) -> str:
    """Return Markdown with tables, and with HTML in it, as HTML."""
    from markdown_it import MarkdownIt

    text = str(MarkdownIt("commonmark", {"html": True}).enable("table").render(markdown))
    return re.sub(r"<table>.*?</table>", _aligned, text, flags=re.DOTALL)


def _aligned(table: re.Match[str]) -> str:
    """Return a table whose columns but the first are of numbers: it says so once."""
    lean = table[0].replace(' style="text-align:right"', "")
    return lean if lean == table[0] else lean.replace("<table>", '<table class="numbers">', 1)


def picture(title: str, caption: str, svg: bytes) -> str:
    """Return an SVG file as an image with a caption; its identifiers and scripts, if any, stay within it.

    It is as wide as its smallest text needs to be legible, and scrolls in its own box where there is less room.
    """
    text = svg.decode("utf-8", "replace")
    width, said = _width(text), f"{escape(title)}. {escape(caption)}"
    image = f'<img data-gzip="{_compressed(_lean(text))}" width="{width}" alt="{said}">'
    below = f"<figcaption><b>{escape(title)}.</b> {escape(caption)}</figcaption>"
    return f'<figure style="width: {width}px"><div class="picture">{image}</div>{below}</figure>'


SMALLEST = 11
"""Pixels of the smallest text of a figure."""
PIXELS = {"": 1.0, "px": 1.0, "pt": 4 / 3}


def _width(svg: str) -> int:
    """Return the pixels at which an SVG file of Matplotlib's is as it was drawn, more if its text were small."""
    wide = re.search(r'<svg[^>]*?\swidth="([0-9.]+)(|px|pt)"', svg)
    if wide is None:
        return 600
    number, pixel = float(wide[1]), PIXELS[wide[2]]
    drawn = [100 * float(scale) for scale in re.findall(r"scale\((0\.[0-9]+) -\1\)", svg)]
    written = [float(size) for size in re.findall(r"font(?:-size)?: ?([0-9.]+)px", svg)]
    smallest = pixel * min([*drawn, *written], default=SMALLEST)
    return round(number * pixel * max(1, SMALLEST / smallest))


def _lean(svg: str) -> str:
    """Return an SVG file without what is not drawn, to a tenth of its unit where it has coordinates."""
    drawn = re.sub(r"<metadata>.*?</metadata>|<!--.*?-->", "", svg, flags=re.DOTALL)
    return re.sub(r'\b(?:d|x|y)="[^"]*"', lambda found: re.sub(r"(\.\d)\d+", r"\1", found[0]), drawn)


def _compressed(text: str) -> str:
    return _base64(gzip.compress(text.encode(), mtime=0))


def _spec(chart: TopLevelMixin) -> str:
    """Return a chart as compressed JSON."""
    data: dict[str, Any] = chart.to_dict()
    return _compressed(json.dumps(data, allow_nan=False))


@cache
def _vega() -> str:
    """Return Vega, Vega-Lite and Vega-Embed in one script."""
    import vl_convert
    from altair import SCHEMA_VERSION

    release = ".".join(SCHEMA_VERSION.removeprefix("v").split(".")[:2])
    vega: str = vl_convert.javascript_bundle(vl_version=release)  # type: ignore[call-arg]
    return vega


def _template(name: str) -> str:
    return files("teltheory.report").joinpath("templates", name).read_text(encoding="utf-8")


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode("ascii")


def versions() -> list[tuple[str, str]]:
    """Return the versions of Python, teltheory and the libraries that are installed."""
    found = [("Python", platform.python_version())]
    for name in PROGRAMS:
        with suppress(PackageNotFoundError):
            found.append((name, version(name)))
    return found


def digest(file: Path) -> str:
    """Return the SHA-256 of a file as 64 hexadecimal digits."""
    return sha256(read_bytes(file, "a file")).hexdigest()
