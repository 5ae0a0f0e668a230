"""Replays in tiers of memory, of forests and of private conversations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.model.forest import Forest
from teltheory.model.instance import instance_of
from teltheory.model.numbers import readonly
from teltheory.model.outcome import Outcome
from teltheory.model.tiers import TieredOutcome, Tiers, tiers_of
from teltheory.model.trace import Trace
from teltheory.policies.policy import NotCompiledError
from teltheory.replay.tiers.chains import replayed_turns
from teltheory.replay.tiers.nodes import WholeNodes
from teltheory.replay.tiers.reference import PlainTree
from teltheory.replay.tiers.tree import TieredTree

Row = tuple[tuple[int, ...], int, int, int]
"""Of a request: what it reuses of each tier, and what it writes, copies and loads."""


def replay_in_tiers(
    trace: Trace | Forest,
    policies: Any,
    capacity: int | Tiers,
    *,
    forced: bool = False,
    cache: object = "strict",
    engine: str = "auto",
) -> Outcome | TieredOutcome:
    """Replay a trace or a forest in tiers; the arguments are those of `teltheory.replay.replay`."""
    tiers = tiers_of(capacity)
    rows = list(_rows(trace, policies, tiers, forced, cache, engine))
    columns = [np.array(column, np.int64) for column in zip(*rows, strict=True)]
    cached, *moved = columns or [np.empty((0, len(tiers)), np.int64), *(np.empty(0, np.int64) for _ in range(3))]
    if not isinstance(capacity, Tiers) and isinstance(trace, Forest):
        return Outcome.of_forest(trace, cached[:, 0], moved[0])
    inputs, unit = (trace.inputs, trace.block_size) if isinstance(trace, Forest) else (None, 1)
    reused, (written, copied, loaded) = readonly(np.ascontiguousarray(cached.T)), map(readonly, moved)
    return TieredOutcome(reused, trace.total, tiers, written, copied, loaded, inputs, unit)


def _rows(
    trace: Trace | Forest, policies: Any, tiers: Tiers, forced: bool, cache: object, engine: str
) -> Iterator[Row]:
    instance = instance_of(trace, tiers.capacities[0], forced=forced)
    if cache != "strict" and not isinstance(cache, WholeNodes):
        raise ArgumentError("cache", cache, "'strict' or WholeNodes() in tiers")
    if isinstance(trace, Forest):
        if len(tiers) > 2 or tiers.mode == "inclusive":
            raise ArgumentError("capacity", tiers, "one tier or two of a forest, not inclusive")
        kind = PlainTree if engine == "reference" else TieredTree
        if isinstance(cache, WholeNodes):
            return _served(kind(trace, tiers, policies, cache.block), trace)
        return _served(kind(trace, tiers, policies, whole=False), trace.by_units(), optional=not forced)
    if engine == "kernel":
        raise NotCompiledError("engine", engine, "'auto' or 'reference' for private conversations in tiers")
    return replayed_turns(instance, policies, tiers)


def _served(tree: PlainTree | TieredTree, forest: Forest, optional: bool = False) -> Iterator[Row]:
    """Serve the requests of a forest one after the other."""
    columns = (forest.leaf, forest.ask, forest.total - forest.ask)
    for k, (leaf, ask, tail) in enumerate(zip(*(column.tolist() for column in columns), strict=True)):
        before = _moved(tree)
        if optional:
            found = tree.optional(leaf, k, tail)
        else:
            started = tree.start(leaf, k, tail)
            assert started is not None  # nothing else runs
            found = started[0]
            tree.finish(leaf, k)
        written, copied, loaded = (now - then for now, then in zip(_moved(tree), before, strict=True))
        yield _of_input(found, ask), written, copied, loaded


def _moved(tree: PlainTree | TieredTree) -> tuple[int, int, int]:
    return tree.written, tree.copied, tree.loaded


def _of_input(found: tuple[int, ...], ask: int) -> tuple[int, ...]:
    """Return how much of the input, the first units of the path, was found in each tier."""
    reused, left = [], ask
    for units in found:
        reused.append(min(units, left))
        left -= reused[-1]
    return tuple(reused)
