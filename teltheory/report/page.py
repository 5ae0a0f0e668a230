"""A page in one file: Markdown, cards and charts in one template. It loads nothing; same input, same bytes.

The text of a section is Markdown with HTML in it. What comes from elsewhere, such as a file's name, goes through
`markdown.literal` first, and a sentence of the ledger through `markdown.plain_text`. Charts are Vega-Altair's.
The values of their inputs stand in the page's address, so that a link shows what its sender saw.
"""

from __future__ import annotations

import base64
import json
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from html import escape
from importlib.metadata import distributions
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from teltheory.input_files import read_bytes

if TYPE_CHECKING:
    from altair import TopLevelMixin

PROGRAMS = ("teltheory", "numpy", "scipy", "numba", "highspy", "pyomo", "pyarrow", "z3-solver", "cvc5")
"""Those that numbers, verdicts or figures come from."""


@dataclass(frozen=True)
class Card:
    """A number of the summary, and what it counts, as plain text; its tone is "good", "warn", "bad" or nothing."""

    number: str
    label: str
    tone: str = ""


@dataclass(frozen=True)
class Section:
    """A section: its anchor, its heading as plain text, Markdown, and altair's charts below it."""

    id: str
    title: str
    text: str
    charts: Sequence[TopLevelMixin] = ()


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
    script = _script() if charts else ""
    allowed = f"'sha256-{_base64(sha256(script.encode()).digest())}' 'unsafe-eval'" if charts else "'none'"
    template = environment.get_template("page.html.j2")
    return template.render(page=page, html=to_html, spec=_spec, script=script, allowed=allowed)


def to_html(markdown: str) -> str:
    """Return Markdown with tables, and with HTML in it, as HTML."""
    from markdown_it import MarkdownIt

    return str(MarkdownIt("commonmark", {"html": True}).enable("table").render(markdown))


def picture(title: str, caption: str, svg: bytes) -> str:
    """Return an SVG file as an image with a caption; its identifiers and scripts, if any, stay within it."""
    source = f"data:image/svg+xml;base64,{_base64(svg)}"
    said = f"<figcaption><b>{escape(title)}.</b> {escape(caption)}</figcaption>"
    return f'<figure><img src="{source}" alt="{escape(title)}. {escape(caption)}">{said}</figure>'


def _spec(chart: TopLevelMixin) -> str:
    """Return a chart as JSON that can stand within a script element."""
    data: dict[str, Any] = chart.to_dict()
    return json.dumps(data, allow_nan=False).replace("<", "\\u003c")


@cache
def _script() -> str:
    """Return Vega, Vega-Lite and Vega-Embed with what the page does with them."""
    import vl_convert
    from altair import SCHEMA_VERSION

    release = ".".join(SCHEMA_VERSION.removeprefix("v").split(".")[:2])
    own = files("teltheory.report").joinpath("templates", "charts.js").read_text(encoding="utf-8")
    vega: str = vl_convert.javascript_bundle(vl_version=release)  # type: ignore[call-arg]
    return f"{vega}\n{own}"


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode("ascii")


def versions() -> list[tuple[str, str]]:
    """Return the versions of Python, teltheory and the libraries that are installed."""
    found = {dist.name: dist.version for dist in distributions()}
    return [("Python", platform.python_version()), *((name, found[name]) for name in PROGRAMS if name in found)]


def digest(file: Path) -> str:
    """Return the SHA-256 of a file as 64 hexadecimal digits."""
    return sha256(read_bytes(file, "a file")).hexdigest()
