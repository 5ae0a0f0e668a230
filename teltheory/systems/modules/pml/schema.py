"""A schema: what every prompt made from it may hold, and in which order.

1. A *schema* is text, modules and unions in order. Its own text is in every prompt (anonymous text).
2. A *module* is text, parameters, modules and unions in order. If a prompt imports it, its own text is in the
   prompt; a module inside another is importable only with the one around it.
3. A *union* is a choice of modules, of which a prompt imports one at most; they begin at one position.
4. A *parameter* keeps room for an argument of at most `length` tokens.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from teltheory.systems.modules.pml.source import Place

Path: TypeAlias = tuple[str, ...]
"""Names of a module and of those around it, outermost first; () is the schema itself."""


@dataclass(frozen=True)
class Text:
    """Text between elements, role tags resolved, white space at its ends made one space."""

    text: str


@dataclass(frozen=True)
class Parameter:
    """Room for an argument; `scaffold` is the text that stands there when the module is encoded."""

    name: str
    length: int
    scaffold: str
    place: Place


@dataclass(frozen=True)
class Union:
    """Modules of which a prompt imports one at most; `default` is the one that stands for it in an encoding."""

    members: tuple[Module, ...]
    default: str
    place: Place


@dataclass(frozen=True)
class Module:
    """A named part of a schema; the schema itself is one too, by its root element."""

    name: str
    children: tuple[Text | Parameter | Module | Union, ...]
    cache: bool
    place: Place

    def modules(self) -> Iterator[Module]:
        """Yield the modules directly inside, members of unions included, in order."""
        for child in self.children:
            if isinstance(child, Module):
                yield child
            elif isinstance(child, Union):
                yield from child.members

    def parameters(self) -> dict[str, Parameter]:
        """Return the parameters directly inside by their names."""
        return {child.name: child for child in self.children if isinstance(child, Parameter)}
