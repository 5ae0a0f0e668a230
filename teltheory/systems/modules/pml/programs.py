"""Schemas and prompts made by calls, and written as PML: a program's text, conditions and choices.

1. `program` makes a schema of texts and of what the other functions make.
2. Text that a condition decides about is a module, `when`; of several texts one is chosen by a union, `choose`.
3. What is known later is a `parameter`; what a role says is in `role`.
4. `prompt` makes a prompt of a schema: each module with its arguments by `use`, then new text.

Gim et al. 2024, section 3.2, compile Python functions; here nothing is executed or parsed. The source is written
without white space of its own, so that its layout is that of the texts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias
from xml.sax.saxutils import escape, quoteattr

from teltheory.errors import ArgumentError

__all__ = ["choose", "parameter", "program", "prompt", "role", "use", "when"]

NO_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True)
class Element:
    """A part of a schema or a prompt; `read_schema` and `read_prompt` say what is wrong with its PML.

    Attributes
    ----------
    tag : str
        The element's tag.
    attributes : mapping of str
        Its attributes.
    parts : tuple of str or Element
        Texts and elements inside.
    """

    tag: str
    attributes: Mapping[str, str]
    parts: tuple[Part, ...] = ()

    def to_pml(self) -> str:
        """Return its source in PML.

        Raises
        ------
        ArgumentError
            A character that no XML can have, such as NUL.
        """
        inside = "".join(_written(part) for part in self.parts)
        written = "".join(f" {name}={quoteattr(_checked(value))}" for name, value in self.attributes.items())
        return f"<{self.tag}{written}>{inside}</{self.tag}>" if inside else f"<{self.tag}{written}/>"


Part: TypeAlias = "str | Element"


def _written(part: Part) -> str:
    return part.to_pml() if isinstance(part, Element) else escape(_checked(part), {"\r": "&#13;"})


def _checked(text: str) -> str:
    if found := NO_XML.search(text):
        raise ArgumentError("text", found[0], "characters that XML has")
    return text


def program(name: str, *parts: Part) -> Element:
    """Return a schema."""
    return Element("schema", {"name": name}, parts)


def when(name: str, *parts: Part, cache: bool = True) -> Element:
    """Return a module: what is in a prompt only if the prompt names it."""
    return Element("module", {"name": name} | ({} if cache else {"cache": "false"}), parts)


def choose(*members: Element, default: str | None = None) -> Element:
    """Return a union: modules of which a prompt has one at most; `default` stands for it in an encoding."""
    return Element("union", {} if default is None else {"scaffold": default}, members)


def parameter(name: str, length: int, scaffold: str = "") -> Element:
    """Return room for an argument of at most `length` tokens, where `scaffold` stands in an encoding."""
    attributes = {"name": name, "length": str(length)}
    return Element("parameter", attributes | ({"scaffold": scaffold} if scaffold else {}))


def role(name: str, *parts: Part) -> Element:
    """Return what a role says: system, user or assistant."""
    return Element(name, {}, parts)


def use(name: str, /, *inside: Element, **arguments: str) -> Element:
    """Return the import of a module, with the imports of modules inside it, and its arguments."""
    return Element(name, arguments, inside)


def prompt(schema: str, *parts: Part) -> Element:
    """Return a prompt made from a schema: imports, then new text."""
    return Element("prompt", {"schema": schema}, parts)
