"""Replacing the own text of a module: in the room that it had, if the new text fits there.

1. A module's text has a room: from where it begins to the next parameter or module inside, or to the module's end.
   What is shorter leaves a gap at the end of its room; nothing else moves.
2. Text that does not fit is laid out anew with the whole schema: gaps close, and what follows moves.
3. An item is *stale* if its tokens saw other tokens than before, or at other positions. With the way "alone" and
   no move that is the module's own item, and scaffolds that hold it; with others each later item that reads it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.systems.modules.items import Item, Pass, encoding
from teltheory.systems.modules.pml.layout import Layout, Piece, layout
from teltheory.systems.modules.pml.reading import one_space
from teltheory.systems.modules.pml.schema import Module, Parameter, Path, Text, Union
from teltheory.systems.modules.runtime.stages import Seconds

Child: TypeAlias = Text | Parameter | Module | Union


@dataclass(frozen=True)
class Replaced:
    """What replacing a module's text cost.

    Attributes
    ----------
    layout : Layout
        The layout from now on.
    stale : tuple of Item
        Items whose keys and values are no longer right, kept or not.
    encoded : tuple of Item
        Those of them that were kept, and were encoded anew.
    moved : bool
        Whether the text did not fit, so that something else has other positions.
    tokens : int
        Tokens that were encoded anew.
    seconds : Seconds
        Time that encoding took.
    """

    layout: Layout = field(repr=False)
    stale: tuple[Item, ...]
    encoded: tuple[Item, ...]
    moved: bool
    tokens: int
    seconds: Seconds


def with_text(old: Layout, path: Path, text: str | Sequence[str]) -> Layout:
    """Return a layout in which a module has another text.

    Parameters
    ----------
    old : Layout
        The layout before.
    path : tuple of str
        The module; () is the schema itself.
    text : str or sequence of str
        Its own text; one for each part, if parameters or modules inside divide it. A run of white space at either
        end becomes one space, as in a schema.

    Raises
    ------
    ArgumentError
        An unknown module, another number of texts than it has, a text without a token.
    """
    if path not in old.spans:
        raise ArgumentError("path", "/".join(path), f"a module of the schema {old.schema.name}")
    parts = [k for k, piece in enumerate(old.pieces) if piece.path == path and piece.parameter is None]
    texts = [one_space(one) for one in ([text] if isinstance(text, str) else text)]
    if len(texts) != len(parts) or not parts:
        raise ArgumentError("text", f"{len(texts)} texts", f"{len(parts)}, the parts of {'/'.join(path)!r}")
    tokens = [tuple(old.tokenizer.encode(one)) for one in texts]
    if not all(tokens):
        raise ArgumentError("text", text, "a token or more in each")
    schema = _changed(old.schema, path, iter(texts))
    if any(len(one) > _room(old, old.pieces[k]) for k, one in zip(parts, tokens, strict=True)):
        return layout(schema, old.tokenizer)
    pieces = list(old.pieces)
    for k, one in zip(parts, tokens, strict=True):
        pieces[k] = replace(pieces[k], tokens=one)
    return replace(old, schema=schema, pieces=tuple(pieces))


def moved(old: Layout, new: Layout) -> bool:
    """Whether anything begins elsewhere than before, new text included."""
    starts = [[piece.start for piece in one.pieces] + [one.length] for one in (old, new)]
    return starts[0] != starts[1]


def stale_items(old: Layout, new: Layout, items: Sequence[Item]) -> tuple[Item, ...]:
    """Return the items whose encoding reads other tokens or positions than before."""
    return tuple(item for item in items if not _same(old, new, item))


def _same(old: Layout, new: Layout, item: Item) -> bool:
    one, other = _seen(old, item), _seen(new, item)
    pairs = ((one.tokens, other.tokens), (one.positions, other.positions), (one.keep, other.keep))
    return all(np.array_equal(*pair) for pair in pairs)


def _seen(laid: Layout, item: Item) -> Pass:
    """Return the pass of an item as far as its last kept token, which sees nothing behind it."""
    whole = encoding(laid, item)
    end = int(np.flatnonzero(whole.keep)[-1]) + 1
    return Pass(whole.tokens[:end], whole.positions[:end], whole.keep[:end])


def _room(old: Layout, piece: Piece) -> int:
    """Return the positions that a part of a module's text may take."""
    span = old.spans[piece.path]
    inside = (one.start for path, one in old.spans.items() if path and path[:-1] == piece.path)
    behind = [start for start in (*inside, *(one.start for one in old.own[piece.path])) if start > piece.start]
    return min([*behind, span.start + span.length]) - piece.start


def _changed(module: Module, path: Path, texts: Iterator[str]) -> Module:
    """Return a module of which one inside, by its path, or it itself has other texts."""
    return replace(module, children=tuple(_changed_child(child, path, texts) for child in module.children))


def _changed_child(child: Child, path: Path, texts: Iterator[str]) -> Child:
    if isinstance(child, Text) and not path:
        return Text(next(texts))
    if isinstance(child, Module) and path[:1] == (child.name,):
        return _changed(child, path[1:], texts)
    if isinstance(child, Union) and path:
        members = (_changed(one, path[1:], texts) if one.name == path[0] else one for one in child.members)
        return replace(child, members=tuple(members))
    return child
