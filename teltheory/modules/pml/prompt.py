"""A prompt: the modules that it imports, their arguments, and new text; resolved against a layout."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path as File

from teltheory.modules.pml.layout import Layout, Span
from teltheory.modules.pml.reading import joined, one_space
from teltheory.modules.pml.roles import CHATML, Roles
from teltheory.modules.pml.schema import Module, Path
from teltheory.modules.pml.source import Node, Place, read_source


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
        texts = (path for path in self.paths if any(piece.parameter is None for piece in own[path]))
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


def read_prompt(source: str | File, roles: Roles = CHATML) -> Prompt:
    """Read a prompt; a `FileError` names file, line and element."""
    root = read_source(source)
    if root.tag != "prompt" or set(root.attributes) != {"schema"}:
        raise root.place.error(f"<{root.tag}> with {sorted(root.attributes)}", "<prompt schema=...>")
    imports, text = [], ""
    for part in joined(root, roles):
        if isinstance(part, str):
            text = text if not part.strip() else part
        elif text:
            raise part.place.error(f"the text {text.strip()[:40]!r} before it", "imports first, then new text")
        else:
            imports.append(_import(part))
    if not imports and not text:
        raise root.place.error("nothing in it", "imports of modules, or new text")
    return Prompt(root.attributes["schema"], tuple(imports), one_space(text), root.place)


def _import(node: Node) -> Import:
    for child in node.children:
        if isinstance(child, str) and child.strip():
            raise node.place.error(f"the text {child.strip()[:40]!r}", "no text in an import")
    inside = tuple(_import(child) for child in node.children if isinstance(child, Node))
    return Import(node.tag, node.attributes, inside, node.place)


def resolve(prompt: Prompt, layout: Layout) -> Resolved:
    """Find what a prompt imports in a layout, and where its new tokens stand.

    Raises
    ------
    FileError
        Another schema, an unknown module or argument, a module twice or without the one around it, two members of
        a union, an argument of too many tokens; the message names file, line and element.
    """
    if prompt.schema != layout.schema.name:
        raise prompt.place.error(f"schema={prompt.schema!r}", f"{layout.schema.name!r}")
    resolving = _Resolving(layout)
    resolving.imports(prompt.imports, layout.schema, ())
    if prompt.text:
        resolving.fresh.append(Fresh(layout.length, tuple(layout.tokenizer.encode(prompt.text))))
    resolving.uncached(())
    paths = tuple(path for path in layout.spans if path in resolving.found)
    return Resolved(layout, paths, tuple(sorted(resolving.fresh, key=lambda piece: piece.start)))


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
                where = f"module {'/'.join(path)}" if path else f"schema {module.name}"
                raise one.place.error(f"the import of {one.name!r}", f"a module directly in {where}")
            self.take(one, inside[one.name], (*path, one.name))

    def take(self, one: Import, module: Module, path: Path) -> None:
        """Import one module, with what is named inside it."""
        if path in self.found:
            raise one.place.error(f"{one.name!r} imported again", "each module once")
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
            raise one.place.error(f"{self.chosen[span.union]!r} and {one.name!r}", "one member of their union")
        self.chosen[span.union] = one.name

    def arguments(self, one: Import, module: Module, path: Path) -> None:
        """Place the arguments of an import."""
        parameters = module.parameters()
        starts = {piece.parameter: piece.start for piece in self.layout.own[path]}
        for name, value in one.arguments.items():
            if name not in parameters:
                known = ", ".join(parameters) or "none"
                raise one.place.error(f"the argument {name!r}", f"a parameter of {one.name!r}: {known}")
            tokens = tuple(self.layout.tokenizer.encode(value)) if value else ()
            if len(tokens) > parameters[name].length:
                found = f"an argument of {len(tokens):,} tokens for {name!r}"
                raise one.place.error(found, f"at most {parameters[name].length:,}")
            if tokens:
                self.fresh.append(Fresh(starts[name], tokens, path, name))

    def uncached(self, path: Path) -> None:
        """Let the own text of a module that is not cached be computed anew."""
        if not self.layout.spans[path].cache:
            for piece in self.layout.own[path]:
                if piece.parameter is None:
                    self.fresh.append(Fresh(piece.start, piece.tokens, path))
