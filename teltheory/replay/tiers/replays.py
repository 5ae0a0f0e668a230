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
    return outcome_of(trace, capacity, list(_rows(trace, policies, tiers, forced, cache, engine)))


def outcome_of(trace: Trace | Forest, capacity: int | Tiers, rows: list[Row]) -> Outcome | TieredOutcome:
    """Return the outcome of which a row was made for each request."""
    tiers = tiers_of(capacity)
    columns = [np.array(column, np.int64) for column in zip(*rows, strict=True)]
    cached, *moved = columns or [np.empty((0, len(tiers)), np.int64), *(np.empty(0, np.int64) for _ in range(3))]
    reused, (written, copied, loaded) = readonly(np.ascontiguousarray(cached.T)), map(readonly, moved)
    if isinstance(capacity, Tiers):
        inputs, unit = (trace.inputs, trace.block_size) if isinstance(trace, Forest) else (None, 1)
        return TieredOutcome(reused, trace.total, tiers, written, copied, loaded, inputs, unit)
    if isinstance(trace, Forest):
        return Outcome.of_forest(trace, reused[0], written)
    return Outcome(reused[0], readonly(trace.total - reused[0]))


def _rows(
    trace: Trace | Forest, policies: Any, tiers: Tiers, forced: bool, cache: object, engine: str
) -> Iterator[Row]:
    instance = instance_of(trace, tiers.capacities[0], forced=forced)
    if isinstance(trace, Forest):
        kind = PlainTree if engine == "reference" else TieredTree
        return map(Tree(trace, policies, tiers, forced, cache, kind).serve, range(len(trace)))
    check_cache(cache)
    if engine == "kernel":
        raise NotCompiledError("engine", engine, "'auto' or 'reference' for private conversations in tiers")
    return replayed_turns(instance, policies, tiers)


def check_cache(cache: object) -> None:
    """Raise `ArgumentError` for a cache that is not there in tiers."""
    if cache != "strict" and not isinstance(cache, WholeNodes):
        raise ArgumentError("cache", cache, "'strict' or WholeNodes() in tiers")


class Tree:
    """A tree in tiers, step by step, that serves the requests of a forest one after the other.

    Under optional caching a request is over at once; else its path is pinned, and has to fit.
    """

    def __init__(
        self, forest: Forest, policies: Any, tiers: Tiers, forced: bool, cache: object, kind: Any = TieredTree
    ) -> None:
        check_cache(cache)
        if len(tiers) > 2 or tiers.mode == "inclusive":
            raise ArgumentError("capacity", tiers, "one tier or two of a forest, not inclusive")
        whole = isinstance(cache, WholeNodes)
        self.tree = kind(forest, tiers, policies, cache.block if isinstance(cache, WholeNodes) else 1, whole=whole)
        self.optional = not (forced or whole)
        self.leaf = (forest if whole else forest.by_units()).leaf.tolist()
        self.ask, self.tail = forest.ask.tolist(), (forest.total - forest.ask).tolist()

    def found(self, k: int) -> tuple[int, ...]:
        """Return what request k would reuse of each tier; nothing changes."""
        return _of_input(self.tree.found(self.leaf[k]), self.ask[k])

    def serve(self, k: int) -> Row:
        """Serve request k."""
        before = _moved(self.tree)
        if self.optional:
            found = self.tree.optional(self.leaf[k], k, self.tail[k])
        else:
            started = self.tree.start(self.leaf[k], k, self.tail[k])
            assert started is not None  # nothing else runs
            found = started[0]
            self.tree.finish(self.leaf[k], k)
        written, copied, loaded = (now - then for now, then in zip(_moved(self.tree), before, strict=True))
        return _of_input(found, self.ask[k]), written, copied, loaded


def _moved(tree: PlainTree | TieredTree) -> tuple[int, int, int]:
    return tree.written, tree.copied, tree.loaded


def _of_input(found: tuple[int, ...], ask: int) -> tuple[int, ...]:
    """Return how much of the input, the first units of the path, was found in each tier."""
    reused, left = [], ask
    for units in found:
        reused.append(min(units, left))
        left -= reused[-1]
    return tuple(reused)
