"""A page in one file, from sections: no network, no script but its own, the same bytes when made twice.

A page is a title, a lead, a summary and sections; a section is a title, an anchor and blocks (`blocks.py`):

    page = Page(
        title="T-LRU on chat.jsonl",
        lead="What to set, and what it is worth.",
        summary=[Cards([Card("12.3 %", "less TEL on the held-out part", "good")])],
        sections=[
            Section("advice", "Settings", [Paragraph("For SGLang 0.5.23:"), Code("--radix-eviction-policy tlru")]),
            Section("gain", "The gain", [table, Figure("TEL by capacity", "Held-out part.", svg), explorer]),
            Section("provenance", "Provenance", [Facts(versions())]),
        ],
    )
    write_whole(path, lambda beside: beside.write_text(render(page), encoding="utf-8"))

Every text is plain text and escaped, file names and names of conversations too. Numbers come as text, formatted by
whoever computed them. A `Figure` takes the bytes of any SVG, such as matplotlib's. `explorer.explore` makes
sliders, `provenance.py` versions and digests.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING

from teltheory.errors import ArgumentError
from teltheory.report.blocks import Block, Details, Explorer, Ledger

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

ANCHOR = re.compile(r"[a-z][a-z0-9-]*")
RESERVED = ("top", "contents", "claim", "data", "slider")


@dataclass(frozen=True)
class Section:
    """A section of a page.

    Attributes
    ----------
    id : str
        Its anchor: small letters, digits and hyphens.
    title : str
        Its heading, and its line in the contents.
    blocks : sequence of block
        What it shows.
    """

    id: str
    title: str
    blocks: Sequence[Block]


@dataclass(frozen=True)
class Page:
    """A page.

    Attributes
    ----------
    title, lead : str
        The heading, and the sentence under it.
    summary : sequence of block
        What stands above the contents.
    sections : sequence of Section
        In the order shown.
    """

    title: str
    lead: str
    summary: Sequence[Block]
    sections: Sequence[Section]


def render(page: Page) -> str:
    """Return a page as HTML.

    Raises
    ------
    ArgumentError
        For an anchor that is none or stands for two things, or a second ledger.
    """
    _check(page)
    style, script = _asset("page.css"), _asset("page.js")
    policy = f"default-src 'none'; img-src data:; style-src '{_digest(style)}'; script-src '{_digest(script)}'"
    return (
        _environment()
        .get_template("page.html.j2")
        .render(page=page, style=style, script=script, policy=f"{policy}; base-uri 'none'; form-action 'none'")
    )


def _check(page: Page) -> None:
    shown = list(_blocks(page))
    anchors = [part.id for part in (*page.sections, *shown) if isinstance(part, Section | Explorer)]
    for anchor in anchors:
        taken = anchors.count(anchor) > 1 or anchor.partition("-")[0] in RESERVED
        if taken or not ANCHOR.fullmatch(anchor):
            raise ArgumentError(
                "sections", anchor, "small letters, digits and hyphens, of one section or explorer alone"
            )
    if sum(isinstance(block, Ledger) for block in shown) > 1:
        raise ArgumentError("sections", "two ledgers", "at most one")


def _blocks(page: Page) -> Iterator[Block]:
    """Yield every block of a page, those within details too."""
    todo = [*page.summary, *(block for section in page.sections for block in section.blocks)]
    while todo:
        block = todo.pop(0)
        yield block
        todo += block.blocks if isinstance(block, Details) else ()


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("teltheory.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"prose": prose, "image": _image, "lines": _lines, "kind": _kind}
    return made


def prose(text: str) -> Markup:
    """Return text escaped, with what stands between backticks as code; T-LRU is not broken at its hyphen."""
    from markupsafe import Markup, escape

    parts = str(text).split("`")
    if len(parts) % 2 == 0:
        parts = [text]
    code, plain = Markup("<code>{}</code>"), Markup('<span class="name">T-LRU</span>')
    shown = (code.format(part) if i % 2 else escape(part).replace("T-LRU", plain) for i, part in enumerate(parts))
    return Markup("").join(shown)


def _lines(text: str) -> Markup:
    """Return text escaped, with its line breaks."""
    from markupsafe import Markup, escape

    return Markup("<br>").join(escape(line) for line in text.split("\n"))


def _kind(block: Block) -> str:
    return type(block).__name__.lower()


def _image(svg: bytes) -> str:
    return "data:image/svg+xml;base64," + base64.b64encode(svg).decode("ascii")


@cache
def _asset(name: str) -> Markup:
    """Return a style or script of the package, which nothing of a user's goes into."""
    from importlib.resources import files

    from markupsafe import Markup

    return Markup(files("teltheory.report").joinpath("templates", name).read_text(encoding="utf-8"))


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(sha256(text.encode()).digest()).decode("ascii")
