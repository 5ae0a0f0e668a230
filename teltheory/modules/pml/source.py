"""XML as the language reads it: a tree of elements, each with its line.

Expat reads it. Whatever can make a small file large or reach other files is refused: document types and with them
every declared entity; so are deep nesting and large sources. Nothing is repaired.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from teltheory.errors import FileError
from teltheory.input_files import read_bytes

MOST_BYTES, DEEPEST = 16 * 2**20, 64


@dataclass(frozen=True)
class Place:
    """Where an element stands: file (or a name for a text), line from 1, and the tag as written."""

    file: str
    line: int
    tag: str

    def error(self, found: object, expected: str) -> FileError:
        """Return the error of this place, one line: what was found, what was expected."""
        return FileError(f"{self.file}, line {self.line}, <{self.tag}>: found {found}, expected {expected}")


@dataclass(frozen=True)
class Node:
    """An element: its tag, attributes, and children, texts among them."""

    place: Place
    attributes: dict[str, str]
    children: list[Node | str] = field(default_factory=list)

    @property
    def tag(self) -> str:
        """The element's tag."""
        return self.place.tag


def read_source(source: str | Path) -> Node:
    """Return the root of a file (`Path`) or of a text (`str`); a `FileError` names file and line."""
    if isinstance(source, Path):
        expected = f"PML, at most {MOST_BYTES:,} bytes"
        return _parsed(read_bytes(source, expected, MOST_BYTES), str(source))
    content = source.encode("utf-8", "surrogatepass")
    if len(content) > MOST_BYTES:
        raise FileError(f"text: found {len(content):,} bytes, expected PML, at most {MOST_BYTES:,} bytes")
    return _parsed(content, "text")


def _parsed(content: bytes, file: str) -> Node:
    building = _Building(file)
    try:
        building.parser.Parse(content, True)
    except expat.ExpatError as error:
        place = f"{file}, line {error.lineno}"
        raise FileError(f"{place}: found {expat.ErrorString(error.code)}, expected well-formed XML") from None
    assert building.root is not None
    return building.root


class _Building:
    """The tree as far as the parser has come; comments and processing instructions leave nothing."""

    def __init__(self, file: str) -> None:
        self.file, self.root, self.open = file, None, list[Node]()
        self.parser = expat.ParserCreate("utf-8")
        self.parser.buffer_text = True
        self.parser.StartDoctypeDeclHandler = self._doctype
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = lambda tag: self.open.pop()
        self.parser.CharacterDataHandler = self._text

    root: Node | None

    def _text(self, text: str) -> None:
        self.open[-1].children.append(text)

    def _doctype(self, name: str, *_: object) -> None:
        place = Place(self.file, self.parser.CurrentLineNumber, "!DOCTYPE")
        raise place.error("a document type", "none: no entities are declared here")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        node = Node(Place(self.file, self.parser.CurrentLineNumber, tag), attributes)
        if len(self.open) == DEEPEST:
            raise node.place.error(f"{DEEPEST + 1} elements inside each other", f"at most {DEEPEST}")
        if self.open:
            self.open[-1].children.append(node)
        else:
            self.root = node
        self.open.append(node)
