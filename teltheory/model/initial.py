"""The initial cache: what is there before the first turn, checked; of private conversations, and of a forest."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.model.branching import NO_NODE
from teltheory.model.forest import Forest
from teltheory.model.nodes import at_nodes, path_to
from teltheory.model.numbers import IntArray, whole_number
from teltheory.model.trace import Trace

Initial = Iterable[tuple[int | str, int, int]]


class Start(NamedTuple):
    """A conversation that is there before the first turn; those that never arrive have codes after all that do.

    On a forest its past is the path down to the node `leaf`.
    """

    code: int
    past: int
    cached: int
    leaf: int = NO_NODE


def starts_of(trace: Trace, initial: Initial, capacity: int) -> tuple[Start, ...]:
    """Return the initial cache of private conversations, given as (conversation, past, cached)."""
    entries = _entries(initial, "past")
    codes: dict[int | str, int] = {}
    if entries:
        codes |= zip(trace.labels, trace.code.tolist(), strict=True)
    starts: list[Start] = []
    for i, entry in enumerate(entries):
        conversation, *lengths = entry
        past, cached = (whole_number(f"initial[{i}]", length) for length in lengths)
        if cached > past:
            raise ArgumentError(f"initial[{i}]", entry, f"at most {past} cached, the conversation's past")
        code = codes.setdefault(_label(i, conversation, trace), len(codes))
        starts.append(_once(i, entry, Start(code, past, cached), starts))
    _check_fits(entries, sum(start.cached for start in starts), capacity)
    return tuple(starts)


def paths_of(forest: Forest, initial: Initial, capacity: int) -> tuple[Start, ...]:
    """Return the initial cache of a forest, given as (conversation, leaf, cached)."""
    entries, starts = _entries(initial, "leaf"), list[Start]()
    if not entries:
        return ()
    for i, entry in enumerate(entries):
        code, cached = (whole_number(f"initial[{i}]", number) for number in entry[::2])
        if entry[1] not in range(NO_NODE, forest.nodes):
            raise ArgumentError(f"initial[{i}]", entry, f"a node of the forest, {NO_NODE} to {forest.nodes - 1}")
        past = int(at_nodes(forest.depth, entry[1], 0))
        if cached > past:
            raise ArgumentError(f"initial[{i}]", entry, f"at most {past} cached, the length of the path")
        starts.append(_once(i, entry, Start(code, past, cached, int(entry[1])), starts))
    _check_fits(entries, int(held_by(forest, starts).sum()), capacity)
    return tuple(starts)


def held_by(forest: Forest, starts: Iterable[Start]) -> IntArray:
    """Return how many units of each node an initial cache holds, its first ones; shape (V,)."""
    held = np.zeros(forest.nodes, np.int64)
    for start in starts:
        path = path_to(forest.parent, start.leaf)
        above = forest.depth[path] - forest.length[path]
        held[path] = np.maximum(held[path], np.clip(start.cached - above, 0, forest.length[path]))
    return held


def check_cuts(forest: Forest, starts: Iterable[Start], running: int) -> None:
    """Raise `ArgumentError` where a forest that cuts reads again what it cut, or cuts what may still run."""
    if not forest.cut or forest.conversation is None:
        return
    turns = zip(forest.conversation.tolist(), forest.leaf.tolist(), strict=True)
    gone, latest = set[int](), dict[int, set[int]]()
    for own, leaf in [*((start.code, start.leaf) for start in starts), *turns]:
        path = set(path_to(forest.parent, leaf))
        if not gone.isdisjoint(path):
            raise ArgumentError("trace", "a Forest that reads again what it cut", "what is cut to be cut for good")
        gone |= latest.get(own, set()) - path
        latest[own] = path
    if gone and running > 1:
        raise ArgumentError("running", running, "1, as histories are cut")


def _entries(initial: Initial, second: str) -> list[Any]:
    form = f"(conversation, {second}, cached)"
    if not isinstance(initial, Iterable):
        raise ArgumentError("initial", initial, f"a list of {form}")
    entries = list(initial)
    for i, entry in enumerate(entries):
        if not isinstance(entry, tuple | list) or len(entry) != 3:
            raise ArgumentError(f"initial[{i}]", entry, form)
    return entries


def _once(i: int, entry: Any, start: Start, before: list[Start]) -> Start:
    if any(start.code == one.code for one in before):
        raise ArgumentError(f"initial[{i}]", entry, "each conversation once")
    return start


def _check_fits(entries: list[Any], cached: int, capacity: int) -> None:
    if cached > capacity:
        raise ArgumentError("initial", entries, f"at most the capacity {capacity} cached in all")


def _label(i: int, conversation: int | str, trace: Trace) -> int | str:
    kind = (int, np.integer) if trace.names is None else str
    if len(trace) and (isinstance(conversation, bool) or not isinstance(conversation, kind)):
        expected = "a whole number" if trace.names is None else "a string"
        raise ArgumentError(f"initial[{i}]", conversation, f"{expected}, as the trace names its conversations")
    return conversation
