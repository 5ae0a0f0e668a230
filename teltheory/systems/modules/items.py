"""Items: what is encoded as one and kept as one, and what its encoding sees.

1. An item is the own text of a module (of the schema: the anonymous text), or a scaffold: modules that a user
   names to be encoded together, used only by prompts that import them all.
2. A *way* says what an item's tokens see besides each other: nothing ("alone"), the own text of the modules around
   them ("ancestors"), or the whole schema with each union's default, or the item's own branch ("whole").
3. One causal pass over an item's context, by position, encodes it; the keys and values of its own text are kept.
   Placeholders of parameters are seen by what follows, and dropped. Text that is not cached is seen by nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.model.numbers import BoolArray, IntArray
from teltheory.systems.modules.pml.layout import Layout, Piece, around
from teltheory.systems.modules.pml.prompt import Fresh, Resolved
from teltheory.systems.modules.pml.schema import Path

Way = Literal["alone", "ancestors", "whole"]


@dataclass(frozen=True)
class Item:
    """What is encoded as one: the own text of some modules (several: a scaffold), in document order."""

    paths: tuple[Path, ...]
    way: Way = "alone"

    @property
    def name(self) -> str:
        """What a report calls it."""
        return "+".join("/".join(path) or "(schema)" for path in self.paths)


@dataclass(frozen=True, eq=False)
class Pass:
    """A causal pass of a model: token ids and positions, int64, ascending positions; what of it is kept."""

    tokens: IntArray
    positions: IntArray
    keep: BoolArray


@dataclass(frozen=True)
class PromptPlan:
    """How a prompt is served: items from a cache, and tokens that are computed anew, by position."""

    resolved: Resolved = field(repr=False)
    items: tuple[Item, ...]
    fresh: tuple[Fresh, ...]


def plan(resolved: Resolved, way: Way = "alone", scaffolds: Sequence[Sequence[Path]] = ()) -> PromptPlan:
    """Say of what items a prompt is made; a scaffold replaces its members if the prompt imports them all.

    Scaffolds are tried in the order given; a module belongs to the first that holds it. What has no text of its
    own is no part of an item.

    Raises
    ------
    ArgumentError
        An unknown way, or a scaffold that no prompt could use; see `checked_scaffold`.
    """
    checked_way(way)
    left, items = list(resolved.kept), []
    for scaffold in scaffolds:
        checked_scaffold(resolved.layout, scaffold)
        texts = [path for path in scaffold if path in resolved.kept]
        if set(scaffold) <= set(resolved.paths) and texts and set(texts) <= set(left):
            items.append(Item(tuple(path for path in left if path in texts), way))
            left = [path for path in left if path not in texts]
    items += [Item((path,), way) for path in left]
    order = {path: k for k, path in enumerate(resolved.layout.spans)}
    return PromptPlan(resolved, tuple(sorted(items, key=lambda item: order[item.paths[0]])), resolved.fresh)


def checked_scaffold(layout: Layout, scaffold: Sequence[Path]) -> None:
    """Refuse a scaffold that names nothing, what is not there or not cached, or two members of a union."""
    near = {one for path in scaffold for one in around(path) if one in layout.spans}
    unions = [layout.spans[one].union for one in near if layout.spans[one].union is not None]
    known = all(path in layout.spans and _cached(layout, path) for path in scaffold)
    if not scaffold or not known or len(set(unions)) < len(unions):
        raise ArgumentError(
            "scaffold", scaffold, "paths of modules that are cached, of a union one member at most"
        )


def checked_way(way: str) -> None:
    """Refuse an unknown way of encoding."""
    if way not in get_args(Way):
        raise ArgumentError("way", way, f"one of {', '.join(get_args(Way))}")


def size(layout: Layout, item: Item) -> int:
    """Return the tokens that an item keeps."""
    return sum(len(piece.tokens) for path in item.paths for piece in layout.own[path] if piece.parameter is None)


def by_age(layout: Layout, items: Iterable[Item]) -> list[Item]:
    """Return items in the order in which a prompt uses them: from the end of the schema to its beginning.

    So what holds others is more recent than they are, and goes after them under LRU.
    """
    order = {path: k for k, path in enumerate(layout.spans)}
    return sorted(items, key=lambda item: [-order[path] for path in item.paths])


def encoding(layout: Layout, item: Item) -> Pass:
    """Return the pass that encodes an item."""
    seen = set(context(layout, item))
    pieces = [piece for piece in layout.pieces if piece.path in seen]
    return _pass(pieces, [piece.path in item.paths and piece.parameter is None for piece in pieces])


def context(layout: Layout, item: Item) -> Iterable[Path]:
    """Yield the modules whose own text an item's encoding reads, its own included."""
    if item.way == "alone":
        yield from item.paths
    elif item.way == "ancestors":
        near = {path for member in item.paths for path in around(member)}
        yield from (path for path in layout.spans if path in near and _cached(layout, path))
    else:
        yield from (path for path in layout.spans if _stands(layout, path, item) and _cached(layout, path))


def _cached(layout: Layout, path: Path) -> bool:
    return layout.spans[path].cache


def _stands(layout: Layout, path: Path, item: Item) -> bool:
    """Whether a module is in the schema as an item's encoding reads it: each union with one member."""
    return all(_chosen(layout, one, item) for one in around(path))


def _chosen(layout: Layout, path: Path, item: Item) -> bool:
    span = layout.spans[path]
    if span.union is None:
        return True
    own = {one for member in item.paths for one in around(member)}
    of_item = [one for one in own if layout.spans[one].union == span.union]
    return path in of_item if of_item else span.default


def _pass(pieces: Sequence[Piece], keep: Sequence[bool]) -> Pass:
    tokens = [token for piece in pieces for token in piece.tokens]
    positions = [piece.start + k for piece in pieces for k in range(len(piece.tokens))]
    kept = [flag for piece, flag in zip(pieces, keep, strict=True) for _ in piece.tokens]
    return Pass(np.array(tokens, np.int64), np.array(positions, np.int64), np.array(kept, bool))
