"""A prompt: the modules that it imports, their arguments, and new text; resolved against a layout."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path as File
from typing import Literal, TypeVar

from teltheory.errors import FileError, listed
from teltheory.systems.modules.pml.layout import Layout, Span, slashed
from teltheory.systems.modules.pml.reading import check_roles, checked_name, joined, one_space
from teltheory.systems.modules.pml.roles import CHATML, ROLES, Roles
from teltheory.systems.modules.pml.schema import Module, Path
from teltheory.systems.modules.pml.source import Markup, Place, quoted, read_source

Kind = Literal["kept", "text", "argument", "new", "gap"]
Value = TypeVar("Value")


@dataclass(frozen=True)
class Import:
    """A module that a prompt names, with arguments, and the modules inside it that it names too."""

    name: str
    arguments: dict[str, str]
    imports: tuple[Import, ...]
    place: Place


@dataclass(frozen=True)
class Prompt:
    """A prompt made from a schema: imports in any order, then new text."""

    schema: str
    imports: tuple[Import, ...]
    text: str
    place: Place


@dataclass(frozen=True)
class Fresh:
    """Tokens that are computed anew at consecutive positions: an argument, an uncached module's text, new text.

    `path` is the module's; None for new text.
    """

    start: int
    tokens: tuple[int, ...] = field(repr=False)
    path: Path | None = None
    parameter: str | None = None


@dataclass(frozen=True)
class Resolved:
    """A prompt with its positions.

    Attributes
    ----------
    layout : Layout
        The schema's layout.
    paths : tuple of paths
        What the prompt imports, in document order; () first, for the schema's own text.
    fresh : tuple of Fresh
        What is computed anew, by position.
    """

    layout: Layout = field(repr=False)
    paths: tuple[Path, ...]
    fresh: tuple[Fresh, ...]

    @cached_property
    def kept(self) -> tuple[Path, ...]:
        """The paths whose own text a cache may hold; those without a token are left out."""
        spans, own = self.layout.spans, self.layout.own
        texts = (path for path in self.paths if any(p.tokens and p.parameter is None for p in own[path]))
        return tuple(path for path in texts if spans[path].cache)

    @property
    def new(self) -> int:
        """Tokens that are computed anew."""
        return sum(len(piece.tokens) for piece in self.fresh)

    @property
    def total(self) -> int:
        """Tokens of the prompt, gaps not counted."""
        own = self.layout.own
        texts = (piece for path in self.kept for piece in own[path] if piece.parameter is None)
        return self.new + sum(len(piece.tokens) for piece in texts)


@dataclass(frozen=True)
class Stretch:
    """Consecutive positions of a prompt, `length` from `start`, and what stands there.

    Its `kind` is "kept" (text that a cache may hold), "text" (of a module that is not cached), "argument", "new",
    or "gap": nothing, as no argument fills it or no module of it is in the prompt. `path` and `parameter` are as
    in `Fresh`; None of a gap.
    """

    start: int
    length: int
    kind: Kind
    path: Path | None = None
    parameter: str | None = None


def stretches(resolved: Resolved) -> list[Stretch]:
    """Return what stands at a prompt's positions, in order, gaps included."""
    own, found = resolved.layout.own, list[Stretch]()
    texts = (piece for path in resolved.kept for piece in own[path] if piece.parameter is None)
    found += [Stretch(piece.start, len(piece.tokens), "kept", piece.path) for piece in texts if piece.tokens]
    found += [_stretch(piece) for piece in resolved.fresh]
    found.sort(key=lambda one: one.start)
    ends = [0, *(one.start + one.length for one in found)]
    starts = [*(one.start for one in found), max(ends[-1], resolved.layout.length)]
    gaps = [Stretch(end, start - end, "gap") for end, start in zip(ends, starts, strict=True) if start > end]
    return sorted([*found, *gaps], key=lambda one: one.start)


def _stretch(piece: Fresh) -> Stretch:
    kind: Kind = "new" if piece.path is None else "argument" if piece.parameter is not None else "text"
    return Stretch(piece.start, len(piece.tokens), kind, piece.path, piece.parameter)


def read_prompt(source: str | File, roles: Roles = CHATML) -> Prompt:
    """Read a prompt.

    Parameters
    ----------
    source : str or Path
        The prompt's text, or its file.
    roles : Roles
        What role tags become.

    Raises
    ------
    FileError
        One line that names file, line and element, what was found and what was expected.
    """
    return prompt_from(read_source(source), roles)


def prompt_from(root: Markup, roles: Roles = CHATML) -> Prompt:
    """Return the prompt that a tree of elements holds: imports first, then new text, which has the roles."""
    if root.tag != "prompt":
        raise root.place.error(f"<{root.tag:.40}> as the root", "<prompt schema=...>")
    for name in root.attributes:
        if name != "schema":
            raise root.place.error(f"the attribute {quoted(name)}", "schema alone")
    schema = checked_name(root.place, "schema", root.attributes.get("schema"))
    check_roles(root)
    imports, rest = _parted(root)
    text = _text(rest, roles)
    if not imports and not text:
        raise root.place.error("nothing in it", "imports of modules, or new text")
    return Prompt(schema, imports, text, root.place)


def _parted(root: Markup) -> tuple[tuple[Import, ...], Markup]:
    """Return what a prompt imports, and a node that holds what comes after the last import."""
    imports, after = list[Import](), 0
    for k, child in enumerate(root.children):
        if isinstance(child, str) or child.tag in ROLES:
            continue
        for said in root.children[after:k]:
            if not isinstance(said, str) or said.strip():
                what = f"the text {quoted(said)}" if isinstance(said, str) else f"<{said.tag}>"
                raise child.place.error(f"{what} before it", "imports first, then new text")
        imports.append(_import(child))
        after = k + 1
    return tuple(imports), Markup(root.place, {}, root.children[after:])


def _text(rest: Markup, roles: Roles) -> str:
    """Return new text; white space alone is none."""
    texts = joined(rest, roles)
    for part in texts:
        if isinstance(part, Markup):
            raise part.place.error("an import inside a role", "text alone")
    text = "".join(part for part in texts if isinstance(part, str))
    return one_space(text) if text.strip() else ""


def _import(node: Markup) -> Import:
    inside = []
    for child in node.children:
        if isinstance(child, Markup) and child.tag not in ROLES:
            inside.append(_import(child))
        elif not isinstance(child, str) or child.strip():
            what = f"the text {quoted(child)}" if isinstance(child, str) else f"<{child.tag}>"
            raise node.place.error(f"{what} inside", "imports alone in an import")
    return Import(node.tag, node.attributes, tuple(inside), node.place)


def resolve(prompt: Prompt, layout: Layout) -> Resolved:
    """Find what a prompt imports in a layout, and where its new tokens stand.

    Raises
    ------
    FileError
        Another schema, an unknown module or argument, a module twice or without the one around it, two members of
        a union, an argument of too many tokens; the message names file, line and element.
    """
    schema_of(prompt, {layout.schema.name: layout.schema})
    resolving = _Resolving(layout)
    resolving.imports(prompt.imports, layout.schema, ())
    if prompt.text:
        resolving.fresh.append(Fresh(layout.length, tuple(layout.tokenizer.encode(prompt.text))))
    resolving.uncached(())
    paths = tuple(path for path in layout.spans if path in resolving.found)
    fresh = [piece for piece in resolving.fresh if piece.tokens]
    return Resolved(layout, paths, tuple(sorted(fresh, key=lambda piece: piece.start)))


def schema_of(prompt: Prompt, schemas: Mapping[str, Value]) -> Value:
    """Return what stands for the schema that a prompt names, by the names of schemas."""
    if prompt.schema not in schemas:
        known = listed(sorted(schemas)) or "none"
        raise prompt.place.error(f"schema={quoted(prompt.schema)}", f"a schema that is there: {known}")
    return schemas[prompt.schema]


class _Resolving:
    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.found: set[Path] = {()}
        self.fresh: list[Fresh] = []
        self.chosen: dict[tuple[Path, int], str] = {}

    def imports(self, imports: tuple[Import, ...], module: Module, path: Path) -> None:
        """Resolve what is named inside a module."""
        inside = {one.name: one for one in module.modules()}
        for one in imports:
            if one.name not in inside:
                raise self.unknown(one, path)
            self.take(one, inside[one.name], (*path, one.name))

    def unknown(self, one: Import, path: Path) -> FileError:
        """Return the error of an import of what is not there, or not here: then it says inside of what."""
        others = [other[:-1] for other in self.layout.spans if other[-1:] == (one.name,)]
        named = listed([slashed(other) for other in others or [path]])
        expected = f"it directly in {named}" if others else f"a module that is directly in {named}"
        return one.place.error(f"the import of {quoted(one.name)}", expected)

    def take(self, one: Import, module: Module, path: Path) -> None:
        """Import one module, with what is named inside it."""
        if path in self.found:
            raise one.place.error(f"the import of {quoted(one.name)} again", "each module once")
        self.choose(one, self.layout.spans[path])
        self.found.add(path)
        self.arguments(one, module, path)
        self.uncached(path)
        self.imports(one.imports, module, path)

    def choose(self, one: Import, span: Span) -> None:
        """Refuse a second member of a union."""
        if span.union is None:
            return
        if span.union in self.chosen:
            found = f"{quoted(self.chosen[span.union])} and {quoted(one.name)}"
            raise one.place.error(found, "one member of their union")
        self.chosen[span.union] = one.name

    def arguments(self, one: Import, module: Module, path: Path) -> None:
        """Place the arguments of an import."""
        parameters = module.parameters()
        starts = {piece.parameter: piece.start for piece in self.layout.own[path]}
        for name, value in one.arguments.items():
            if name not in parameters:
                known = listed(list(parameters)) or "none"
                raise one.place.error(
                    f"the argument {quoted(name)}", f"a parameter of {quoted(one.name)}: {known}"
                )
            tokens = tuple(self.layout.tokenizer.encode(value)) if value else ()
            if len(tokens) > parameters[name].length:
                found = f"an argument of {len(tokens):,} tokens for {quoted(name)}"
                raise one.place.error(found, f"at most {parameters[name].length:,}")
            self.fresh.append(Fresh(starts[name], tokens, path, name))

    def uncached(self, path: Path) -> None:
        """Let the own text of a module that is not cached be computed anew."""
        if not self.layout.spans[path].cache:
            for piece in self.layout.own[path]:
                if piece.parameter is None:
                    self.fresh.append(Fresh(piece.start, piece.tokens, path))
