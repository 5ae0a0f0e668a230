"""XML as the language reads it: a tree of elements, each with its line.

Expat reads it. Whatever can make a small file large or reach other files is refused: document types and with them
every declared entity; so are deep nesting, many elements and large sources. Text is UTF-8. Nothing is repaired.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat
from xml.parsers.expat.errors import XML_ERROR_DUPLICATE_ATTRIBUTE, codes

from teltheory.base.input_files import read_bytes
from teltheory.errors import FileError, shown

MOST_BYTES, MOST_ELEMENTS, DEEPEST = 16 * 2**20, 100_000, 64
"""Of a source, and how many elements may stand inside each other."""
SHOWN = 40
WELL_FORMED = "well-formed XML, with &amp; for & and &lt; for <"


def quoted(text: str) -> str:
    """Return a part of a source as an error shows it: quoted, and cut short."""
    return shown(text.strip() or text, SHOWN)


@dataclass(frozen=True)
class Place:
    """Where an element stands: file (or a name for a text), line from 1, and the tag as written; "" before any."""

    file: str
    line: int
    tag: str

    def error(self, found: object, expected: str) -> FileError:
        """Return the error of this place, one line: what was found, what was expected."""
        tag = self.tag if len(self.tag) <= SHOWN else f"{self.tag[:SHOWN]}..."
        where = f"{self.file}, line {self.line}" + (f", <{tag}>" if tag else "")
        return FileError(f"{where}: found {found}, expected {expected}")


@dataclass(frozen=True)
class Markup:
    """An element: its tag, attributes, and children, texts among them."""

    place: Place
    attributes: dict[str, str]
    children: list[Markup | str] = field(default_factory=list)

    @property
    def tag(self) -> str:
        """The element's tag."""
        return self.place.tag


def read_source(source: str | Path) -> Markup:
    """Return the root of a file (`Path`) or of a text (`str`); a `FileError` names file and line."""
    if isinstance(source, Path):
        expected = f"PML, at most {MOST_BYTES:,} bytes"
        return _parsed(read_bytes(source, expected, MOST_BYTES), str(source))
    content = source.encode("utf-8", "surrogatepass")
    if len(content) > MOST_BYTES:
        raise FileError(f"text: found {len(content):,} bytes, expected PML, at most {MOST_BYTES:,} bytes")
    return _parsed(content, "text")


def decoded(content: bytes, file: str) -> str:
    """Return text in UTF-8, a mark of byte order left out; a `FileError` names the line of what is none."""
    content = content.removeprefix(BOM_UTF8)
    try:
        text, at = content.decode(), content.find(b"\0")
    except UnicodeDecodeError as error:
        text, at = "", error.start
    if at < 0:
        return text
    line = content.count(b"\n", 0, at) + 1
    raise FileError(f"{file}, line {line}: found byte {content[at : at + 1]!r}, expected text in UTF-8")


def _parsed(content: bytes, file: str) -> Markup:
    content = decoded(content, file).encode()
    building = _Building(file)
    try:
        building.parser.Parse(content, True)
    except expat.ExpatError as error:
        raise building.broken(error, content) from None
    assert building.root is not None
    return building.root


class _Building:
    """The tree as far as the parser has come; comments and processing instructions leave nothing."""

    def __init__(self, file: str) -> None:
        self.file, self.root, self.open, self.elements = file, None, list[Markup](), 0
        self.parser = expat.ParserCreate("utf-8")
        self.parser.buffer_text = True
        self.parser.XmlDeclHandler = self._declaration
        self.parser.StartDoctypeDeclHandler = self._doctype
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = lambda tag: self.open.pop()
        self.parser.CharacterDataHandler = self._text

    root: Markup | None

    def broken(self, error: expat.ExpatError, content: bytes) -> FileError:
        """Return the error of a source that is no XML, with the element that it stands in."""
        at = max(self.parser.ErrorByteIndex, 0)
        tag = re.split(rb"[\s/>]", content[content.rfind(b"<", 0, at) + 1 : at], maxsplit=1)[0].decode()
        if error.code == codes[XML_ERROR_DUPLICATE_ATTRIBUTE]:
            name = re.split(rb"[\s=]", content[at:], maxsplit=1)[0].decode()
            return Place(self.file, error.lineno, tag).error(f"the attribute {quoted(name)} again", "each once")
        place = Place(self.file, error.lineno, self.open[-1].tag if self.open else tag)
        return place.error(f"broken XML ({expat.ErrorString(error.code)})", WELL_FORMED)

    def _text(self, text: str) -> None:
        self.open[-1].children.append(text)

    def _declaration(self, version: str, encoding: str | None, standalone: int) -> None:
        if encoding is not None and encoding.lower() not in ("utf-8", "us-ascii"):
            raise self._place("?xml").error(f"encoding={quoted(encoding)}", "text in UTF-8")

    def _doctype(self, name: str, *_: object) -> None:
        raise self._place("!DOCTYPE").error("a document type", "none: no entities are declared here")

    def _place(self, tag: str) -> Place:
        return Place(self.file, self.parser.CurrentLineNumber, tag)

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        node = Markup(self._place(tag), attributes)
        self.elements += 1
        if len(self.open) == DEEPEST:
            raise node.place.error(f"{DEEPEST + 1} elements inside each other", f"at most {DEEPEST}")
        if self.elements > MOST_ELEMENTS:
            raise node.place.error(f"{self.elements:,} elements", f"at most {MOST_ELEMENTS:,}")
        if self.open:
            self.open[-1].children.append(node)
        else:
            self.root = node
        self.open.append(node)
