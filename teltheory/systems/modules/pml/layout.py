"""The layout of a schema: where each module begins, how long it is, and the position of each token.

Children stand one after another from the start of what holds them. A union takes the room of its longest member,
and every member begins where it does; a parameter takes its length. The schema begins at position 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from teltheory.systems.modules.pml.schema import Module, Parameter, Path, Text, Union
from teltheory.systems.modules.pml.source import quoted
from teltheory.systems.modules.pml.tokens import Tokenizer


@dataclass(frozen=True)
class Piece:
    """Tokens at consecutive positions: a run of a module's own text, or the placeholder of a parameter.

    Attributes
    ----------
    path : tuple of str
        The module that it belongs to; () for the schema's own text.
    start : int
        Position of its first token.
    tokens : tuple of int
        Token ids; of a parameter those of its scaffold, then unknown tokens up to its length.
    parameter : str or None
        The parameter's name; None for text.
    """

    path: Path
    start: int
    tokens: tuple[int, ...] = field(repr=False)
    parameter: str | None = None


@dataclass(frozen=True)
class Span:
    """The positions of a module: `length` from `start`, and whether its own text is kept in a cache.

    `union` names the place of the union that it is a member of: the path around it, and the number of the union
    there, from 0; None for other modules. `default` says that it stands for its union in an encoding.
    """

    path: Path
    start: int
    length: int
    cache: bool
    union: tuple[Path, int] | None = None
    default: bool = True


@dataclass(frozen=True)
class Layout:
    """A schema with its positions, in document order.

    Attributes
    ----------
    schema : Module
        The schema.
    tokenizer : Tokenizer
        What made its tokens.
    spans : dict of Span
        The schema's own span under (), and one for each module.
    pieces : tuple of Piece
        All text and placeholders.
    """

    schema: Module
    tokenizer: Tokenizer
    spans: Mapping[Path, Span]
    pieces: tuple[Piece, ...]

    @property
    def length(self) -> int:
        """Positions of the whole schema; a prompt's new text begins there."""
        return self.spans[()].length

    @cached_property
    def own(self) -> Mapping[Path, tuple[Piece, ...]]:
        """The pieces of each module that are its own, in order."""
        own: dict[Path, list[Piece]] = {path: [] for path in self.spans}
        for piece in self.pieces:
            own[piece.path].append(piece)
        return {path: tuple(pieces) for path, pieces in own.items()}


def layout(schema: Module, tokenizer: Tokenizer) -> Layout:
    """Lay a schema out.

    Raises
    ------
    FileError
        A scaffold of more tokens than its parameter keeps room for; the message names file, line and element.
    """
    laying = _Laying(tokenizer, {}, [])
    laying.module(schema, (), 0, cache=True)
    spans = dict(sorted(laying.spans.items(), key=lambda item: laying.order[item[0]]))
    return Layout(schema, tokenizer, spans, tuple(laying.pieces))


@dataclass
class _Laying:
    tokenizer: Tokenizer
    spans: dict[Path, Span]
    pieces: list[Piece]
    order: dict[Path, int] = field(default_factory=dict)

    def module(
        self,
        module: Module,
        path: Path,
        start: int,
        cache: bool,
        union: tuple[Path, int] | None = None,
        default: bool = True,
    ) -> int:
        """Lay a module out from a position; return its length."""
        self.order[path] = len(self.order)
        cache, at, unions = cache and module.cache, start, 0
        for child in module.children:
            if isinstance(child, Union):
                at += self.union(child, path, at, cache, unions)
                unions += 1
            elif isinstance(child, Module):
                at += self.module(child, (*path, child.name), at, cache)
            else:
                at += self.piece(child, path, at)
        self.spans[path] = Span(path, start, at - start, cache, union, default)
        return at - start

    def union(self, union: Union, path: Path, start: int, cache: bool, number: int) -> int:
        """Lay the members of a union out from one position; return the length of the longest."""
        return max(
            self.module(member, (*path, member.name), start, cache, (path, number), member.name == union.default)
            for member in union.members
        )

    def piece(self, child: Text | Parameter, path: Path, start: int) -> int:
        """Lay text or a parameter out; return its length."""
        if isinstance(child, Text):
            piece = Piece(path, start, tuple(self.tokenizer.encode(child.text)))
        else:
            piece = Piece(path, start, placeholder(child, self.tokenizer), child.name)
        self.pieces.append(piece)
        return len(piece.tokens)


def placeholder(parameter: Parameter, tokenizer: Tokenizer) -> tuple[int, ...]:
    """Return the tokens that stand for a parameter in an encoding: its scaffold, then unknown ones."""
    scaffold = tuple(tokenizer.encode(parameter.scaffold)) if parameter.scaffold else ()
    if len(scaffold) > parameter.length:
        found = f"a scaffold of {len(scaffold):,} tokens for {quoted(parameter.name)}"
        raise parameter.place.error(found, f"at most {parameter.length:,}, its length")
    return scaffold + (tokenizer.unknown,) * (parameter.length - len(scaffold))


def around(path: Path) -> Iterator[Path]:
    """Yield the paths around a module, the schema's () first, itself last."""
    for depth in range(len(path) + 1):
        yield path[:depth]


def slashed(path: Path) -> str:
    """Return a path as a report shows it."""
    return "/".join(path) or "the schema"
