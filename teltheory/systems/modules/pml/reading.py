"""A schema from its source, every error with file, line and element."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path as File

from teltheory.base.input_files import read_bytes
from teltheory.systems.modules.pml.roles import CHATML, ROLES, Roles
from teltheory.systems.modules.pml.schema import Module, Parameter, Text, Union
from teltheory.systems.modules.pml.source import MOST_BYTES, Markup, Place, decoded, quoted, read_source

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.\-]*")
LONGEST_NAME = 200
ALLOWED = {
    "schema": ("name",),
    "module": ("name", "cache", "src"),
    "union": ("scaffold",),
    "parameter": ("name", "length", "scaffold"),
}
RESERVED = (*ROLES, *ALLOWED, "prompt")
"""Words of the language, which no module is named by, as a prompt imports it by a tag of its name."""
MOST_ROOM = 2**24
"""Tokens of all parameters of a schema together."""


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
    return schema_from(read_source(source), source.parent if isinstance(source, File) else None, roles)


def read_schemas(sources: Iterable[str | File], roles: Roles = CHATML) -> dict[str, Module]:
    """Read schemas that prompts name, each name once; see `read_schema`.

    Parameters
    ----------
    sources : iterable of str or Path
        Texts or files.
    roles : Roles
        What role tags become.
    """
    schemas: dict[str, Module] = {}
    for source in sources:
        schema = read_schema(source, roles)
        check_once(schema.name, schema.place, {name: one.place for name, one in schemas.items()})
        schemas[schema.name] = schema
    return schemas


def schema_from(root: Markup, folder: File | None, roles: Roles = CHATML) -> Module:
    """Return the schema that a tree of elements holds; `src` is looked up in its folder."""
    if root.tag != "schema":
        raise root.place.error(f"<{root.tag:.40}> as the root", "<schema name=...>")
    check_roles(root)
    return _Reading(roles, folder).module(root)


def one_space(text: str) -> str:
    """Make a run of white space at either end one space."""
    core = text.strip()
    if not core:
        return text and " "
    return " " * text[0].isspace() + core + " " * text[-1].isspace()


def joined(node: Markup, roles: Roles) -> list[Markup | str]:
    """Return the children of an element, role tags as text that is joined with the text around them."""
    joined: list[Markup | str] = []
    for part in _flat(node.children, roles):
        if isinstance(part, str) and joined and isinstance(joined[-1], str):
            joined[-1] += part
        elif part != "":
            joined.append(part)
    return joined


def _flat(children: Iterable[Markup | str], roles: Roles) -> Iterable[Markup | str]:
    for child in children:
        if isinstance(child, str) or child.tag not in ROLES:
            yield child
            continue
        if child.attributes:
            raise child.place.error(f"the attribute {quoted(next(iter(child.attributes)))}", "none on a role")
        yield roles.before[child.tag]
        yield from _flat(child.children, roles)
        yield roles.after[child.tag]


def checked_name(place: Place, attribute: str, name: str | None, reserved: Sequence[str] = ()) -> str:
    """Return the name that an attribute gives; it must be one that a tag can have, and no reserved word."""
    if name is None:
        raise place.error(f"no {attribute}", f"{attribute}=...")
    if len(name) > LONGEST_NAME or not NAME.fullmatch(name):
        expected = f"an ASCII letter or _, then these, digits, '.' and '-', {LONGEST_NAME} at most"
        raise place.error(f"{attribute}={quoted(name)}", expected)
    if name in reserved:
        raise place.error(f"{attribute}={name!r}", f"no word of the language: {', '.join(reserved)}")
    return name


def check_once(name: str, place: Place, seen: dict[str, Place]) -> None:
    """Refuse a name that was given before."""
    if name in seen:
        first = seen[name]
        where = f"line {first.line}" if first.file == place.file else f"{first.file}, line {first.line}"
        raise place.error(f"the name {quoted(name)} again", f"each name once; the first is in {where}")


class _Reading:
    def __init__(self, roles: Roles, folder: File | None) -> None:
        self.roles, self.folder = roles, folder
        self.bytes_left, self.room_left = MOST_BYTES, MOST_ROOM

    def module(self, node: Markup) -> Module:
        """Read a schema or a module."""
        self.known_attributes(node)
        reserved = RESERVED if node.tag == "module" else ()
        name = checked_name(node.place, "name", node.attributes.get("name"), reserved)
        cache = node.attributes.get("cache", "true")
        if cache not in ("true", "false"):
            raise node.place.error(f"cache={quoted(cache)}", "'true' or 'false'")
        parts = self.included(node) if "src" in node.attributes else joined(node, self.roles)
        children = [self.child(part, node) for part in parts]
        _check_names(children)
        return Module(name, tuple(children), cache == "true", node.place)

    def child(self, part: Markup | str, parent: Markup) -> Text | Parameter | Module | Union:
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
        raise part.place.error(f"<{part.tag:.40}>", f"module, union, parameter or a role ({', '.join(ROLES)})")

    def union(self, node: Markup) -> Union:
        """Read a union."""
        self.known_attributes(node)
        members = [self.module(child) for child in _members(node)]
        if not members:
            raise node.place.error("no module", "one or more in a union")
        default = node.attributes.get("scaffold", members[0].name)
        if default not in [member.name for member in members]:
            raise node.place.error(f"scaffold={quoted(default)}", "the name of a module of the union")
        return Union(tuple(members), default, node.place)

    def parameter(self, node: Markup) -> Parameter:
        """Read a parameter."""
        self.known_attributes(node)
        name = checked_name(node.place, "name", node.attributes.get("name"))
        if any(not isinstance(child, str) or child.strip() for child in node.children):
            raise node.place.error("text or elements inside", "an empty parameter")
        length = node.attributes.get("length")
        if length is None:
            raise node.place.error("no length", "length=...")
        if not (length.isascii() and length.isdecimal() and len(length) <= 9 and int(length) > 0):
            raise node.place.error(f"length={quoted(length)}", "a whole number of tokens, 1 or more")
        self.room_left -= int(length)
        if self.room_left < 0:
            raise node.place.error(f"length={length}", f"at most {MOST_ROOM:,} for all parameters of a schema")
        return Parameter(name, int(length), node.attributes.get("scaffold", ""), node.place)

    def included(self, node: Markup) -> list[Markup | str]:
        """Return the text of the file that a module's src names, below the schema's folder."""
        src = node.attributes["src"]
        if any(not isinstance(child, str) or child.strip() for child in node.children):
            raise node.place.error(f"src={quoted(src)} and content", "one of them")
        if self.folder is None:
            raise node.place.error(
                f"src={quoted(src)} in a text", "a schema in a file, which src is looked up beside"
            )
        file = _below(self.folder, src)
        if file is None:
            raise node.place.error(f"src={quoted(src)}", "a file in the schema's folder or below it")
        content = read_bytes(file, f"text for src={quoted(src)} of {node.place.file}")
        self.bytes_left -= len(content)
        if self.bytes_left < 0:
            found = f"src={quoted(src)} with {len(content):,} bytes"
            raise node.place.error(found, f"at most {MOST_BYTES:,} in all files of a schema")
        return [text] if (text := re.sub("\r\n?", "\n", decoded(content, str(self.folder / src)))) else []

    def known_attributes(self, node: Markup) -> None:
        """Refuse attributes that the language does not have."""
        for name in node.attributes:
            if name not in ALLOWED[node.tag]:
                raise node.place.error(f"the attribute {quoted(name)}", f"none but {', '.join(ALLOWED[node.tag])}")


def check_roles(node: Markup, role: str | None = None) -> None:
    """Refuse a role inside a role: no chat template has it."""
    for child in node.children:
        if isinstance(child, str):
            continue
        if child.tag in ROLES and role is not None:
            raise child.place.error(f"<{child.tag}> inside <{role}>", "no role inside a role")
        check_roles(child, child.tag if child.tag in ROLES else role)


def _members(union: Markup) -> Iterator[Markup]:
    """Yield the modules of a union; between them white space alone may stand."""
    for child in union.children:
        if isinstance(child, Markup) and child.tag == "module":
            yield child
        elif isinstance(child, Markup):
            raise child.place.error(f"<{child.tag:.40}>", "modules alone in a union")
        elif child.strip():
            raise union.place.error(f"the text {quoted(child)}", "modules alone in a union")


def _below(folder: File, src: str) -> File | None:
    """Return a file in a folder or below it, links followed; None if there is none."""
    try:
        file = (folder / src).resolve()
        return file if file.is_relative_to(folder.resolve()) and file.is_file() else None
    except (OSError, RuntimeError, ValueError):  # a name that is too long, links in a circle
        return None


def _check_names(children: Iterable[Text | Parameter | Module | Union]) -> None:
    """Refuse a name twice: of modules, members of unions among them, and of parameters."""
    modules: dict[str, Place] = {}
    parameters: dict[str, Place] = {}
    for child in children:
        if isinstance(child, Parameter):
            check_once(child.name, child.place, parameters)
            parameters[child.name] = child.place
        for one in child.members if isinstance(child, Union) else [child] if isinstance(child, Module) else []:
            check_once(one.name, one.place, modules)
            modules[one.name] = one.place
