"""A schema from its source, every error with file, line and element."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path as File

from teltheory.modules.pml.roles import CHATML, ROLES, Roles
from teltheory.modules.pml.schema import Module, Parameter, Text, Union
from teltheory.modules.pml.source import Node, Place, read_source

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.\-]*")
ALLOWED = {
    "schema": ("name",),
    "module": ("name", "cache", "src"),
    "union": ("scaffold",),
    "parameter": ("name", "length", "scaffold"),
}


def read_schema(source: str | File, roles: Roles = CHATML) -> Module:
    """Read a schema.

    Parameters
    ----------
    source : str or Path
        The schema's text, or its file.
    roles : Roles
        What role tags become.

    Raises
    ------
    FileError
        One line that names file, line and element, what was found and what was expected.
    """
    root = read_source(source)
    if root.tag != "schema":
        raise root.place.error(f"<{root.tag}>", "<schema name=...> as the root")
    folder = source.parent if isinstance(source, File) else None
    return _Reading(roles, folder).module(root)


def one_space(text: str) -> str:
    """Make a run of white space at either end one space."""
    return re.sub(r"^\s+|\s+$", " ", text)


def joined(node: Node, roles: Roles) -> list[Node | str]:
    """Return the children of an element, role tags as text that is joined with the text around them."""
    joined: list[Node | str] = []
    for part in _flat(node.children, roles):
        if isinstance(part, str) and joined and isinstance(joined[-1], str):
            joined[-1] += part
        elif part != "":
            joined.append(part)
    return joined


def _flat(children: Iterable[Node | str], roles: Roles) -> Iterable[Node | str]:
    for child in children:
        if isinstance(child, str) or child.tag not in ROLES:
            yield child
            continue
        if child.attributes:
            raise child.place.error(f"the attribute {next(iter(child.attributes))!r}", "none on a role")
        yield roles.before[child.tag]
        yield from _flat(child.children, roles)
        yield roles.after[child.tag]


def checked_name(node: Node) -> str:
    """Return an element's name; it must be one that a tag can have, and none of a role."""
    name = node.attributes.get("name")
    if name is None:
        raise node.place.error("no name", "name=...")
    if not NAME.fullmatch(name) or name in ROLES:
        expected = "a letter or _, then letters, digits, '.', '-' and '_'; no role"
        raise node.place.error(f"the name {name!r}", expected)
    return name


class _Reading:
    def __init__(self, roles: Roles, folder: File | None) -> None:
        self.roles, self.folder = roles, folder

    def module(self, node: Node) -> Module:
        """Read a schema or a module."""
        self.known_attributes(node)
        cache = node.attributes.get("cache", "true")
        if cache not in ("true", "false"):
            raise node.place.error(f"cache={cache!r}", "'true' or 'false'")
        name, parts = checked_name(node), joined(node, self.roles)
        if "src" in node.attributes:
            parts = [self.included(node, parts)]
        module = Module(name, tuple(self.child(part, node) for part in parts), cache == "true", node.place)
        _each_once(module)
        return module

    def child(self, part: Node | str, parent: Node) -> Text | Parameter | Module | Union:
        """Read what stands in a schema or a module."""
        if isinstance(part, str):
            return Text(one_space(part))
        if part.tag == "module":
            return self.module(part)
        if part.tag == "union":
            return self.union(part)
        if part.tag == "parameter" and parent.tag != "schema":
            return self.parameter(part)
        if part.tag == "parameter":
            raise part.place.error("a parameter directly in the schema", "it inside a module")
        raise part.place.error(f"<{part.tag}>", f"module, union, parameter or a role ({', '.join(ROLES)})")

    def union(self, node: Node) -> Union:
        """Read a union."""
        self.known_attributes(node)
        members = []
        for part in joined(node, self.roles):
            if isinstance(part, str) and not part.strip():
                continue
            if isinstance(part, str) or part.tag != "module":
                found = f"the text {part.strip()[:40]!r}" if isinstance(part, str) else f"<{part.tag}>"
                raise (node if isinstance(part, str) else part).place.error(found, "modules alone in a union")
            members.append(self.module(part))
        if not members:
            raise node.place.error("no module", "one or more in a union")
        default = node.attributes.get("scaffold", members[0].name)
        if default not in [member.name for member in members]:
            raise node.place.error(f"scaffold={default!r}", "the name of a module of the union")
        return Union(tuple(members), default, node.place)

    def parameter(self, node: Node) -> Parameter:
        """Read a parameter."""
        self.known_attributes(node)
        if node.children:
            raise node.place.error("text or elements inside", "an empty parameter")
        length = node.attributes.get("length", "none")
        if not (length.isascii() and length.isdecimal() and len(length) <= 9 and int(length) > 0):
            raise node.place.error(f"length {length!r:.40}", "a whole number of tokens, 1 or more")
        return Parameter(checked_name(node), int(length), node.attributes.get("scaffold", ""), node.place)

    def included(self, node: Node, parts: list[Node | str]) -> str:
        """Return the text of the file that a module's src names, below the schema's folder."""
        if any(not isinstance(part, str) or part.strip() for part in parts):
            raise node.place.error("src and a text", "one of them")
        if self.folder is None:
            raise node.place.error("src in a text", "a schema in a file, which src is looked up beside")
        file = (self.folder / node.attributes["src"]).resolve()
        if not file.is_relative_to(self.folder.resolve()) or not file.is_file():
            raise node.place.error(f"src={node.attributes['src']!r}", "a file in the schema's folder or below it")
        return file.read_text(encoding="utf-8")

    def known_attributes(self, node: Node) -> None:
        """Refuse attributes that the language does not have."""
        for name in node.attributes:
            if name not in ALLOWED[node.tag]:
                raise node.place.error(f"the attribute {name!r}", f"one of {', '.join(ALLOWED[node.tag])}")


def _each_once(module: Module) -> None:
    seen: dict[str, Place] = {}
    named = [(one.name, one.place) for one in module.modules()]
    for name, place in named:
        if name in seen:
            raise place.error(f"the name {name!r} again", f"each once; the first is in line {seen[name].line}")
        seen[name] = place
    if len(module.parameters()) < sum(isinstance(child, Parameter) for child in module.children):
        raise module.place.error("a parameter's name twice", "each once in a module")
