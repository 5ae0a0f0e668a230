"""Replays in tiers of memory, of forests and of private conversations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from operator import sub
from typing import Any

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.model.forest import Forest
from teltheory.model.instance import ForestInstance, Instance, instance_of
from teltheory.model.module_trace import ModuleTrace
from teltheory.model.numbers import IntArray, readonly
from teltheory.model.outcome import Outcome
from teltheory.model.tiers import TieredOutcome, Tiers, tiers_of
from teltheory.model.trace import Trace
from teltheory.policies.policy import NotCompiledError, settled
from teltheory.replay import KERNEL_FROM
from teltheory.replay.tiers.chains import Row, turns_of
from teltheory.replay.tiers.copies import conversations_in
from teltheory.replay.tiers.nodes import WholeNodes
from teltheory.replay.tiers.reference import PlainTree
from teltheory.replay.tiers.tree import TieredTree


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
    instance = instance_of(trace, tiers.capacities[0], forced=forced)
    if isinstance(instance, Instance) and (engine == "kernel" or (engine == "auto" and len(trace) >= KERNEL_FROM)):
        with suppress(*(() if engine == "kernel" else (NotCompiledError,))):
            return _by_kernel(instance, policies, tiers)
    return outcome_of(trace, capacity, list(_rows(instance, policies, tiers, cache, engine)))


def _by_kernel(instance: Instance, policies: Any, tiers: Tiers) -> TieredOutcome:
    from teltheory.replay.tiers.rules import replay_kernel

    cached, written, copied = replay_kernel(instance, policies, tiers)
    return TieredOutcome(cached, instance.requests.total, tiers, written, copied, cached[1:])


def outcome_of(
    trace: Trace | Forest | ModuleTrace, capacity: int | Tiers, rows: list[Row]
) -> Outcome | TieredOutcome:
    """Return the outcome of which a row was made for each request."""
    tiers = tiers_of(capacity)
    cached, written, copied, loaded = zip(*rows, strict=True) if rows else ((), (), (), ())
    reused, new = _columns(cached, len(tiers)), readonly(np.array(written, np.int64))
    if isinstance(capacity, Tiers):
        inputs, unit = (trace.inputs, trace.block_size) if isinstance(trace, Forest) else (None, 1)
        out, back = (_columns(column, len(tiers) - 1) for column in (copied, loaded))
        return TieredOutcome(reused, trace.total, tiers, new, out, back, inputs, unit)
    if isinstance(trace, Forest):
        return Outcome.of_forest(trace, reused[0], new)
    return Outcome(reused[0], readonly(trace.total - reused[0]))


def _columns(rows: Sequence[tuple[int, ...]], tiers: int) -> IntArray:
    """Return an array with a row for each tier."""
    return readonly(np.ascontiguousarray(np.array(rows, np.int64).reshape(len(rows), tiers).T))


def _rows(
    instance: Instance | ForestInstance, policies: Any, tiers: Tiers, cache: object, engine: str
) -> Iterator[Row]:
    instance = in_rounds(instance, policies, cache)
    if isinstance(instance, ForestInstance):
        kind = PlainTree if engine == "reference" else TieredTree
        forest = instance.requests
        return map(Tree(forest, policies, tiers, instance.forced, cache, kind).serve, range(len(forest)))
    turns = turns_of(instance)
    return map(conversations_in(policies, tiers, turns, instance.forced).serve, range(len(turns)))


def in_rounds(instance: Instance | ForestInstance, policies: Any, cache: object) -> Instance | ForestInstance:
    """Return private conversations as such where one of the policies, or the only one, trims in rounds.

    They have to be chains in a strict cache; the trees of other requests have no rounds.
    """
    if isinstance(instance, Instance) or cache != "strict":
        return instance
    each = settled(policies if isinstance(policies, (list, tuple)) else (policies,), instance.requests)
    if not any(getattr(policy, "trim", None) == "round-robin" for policy in each):
        return instance
    return instance.as_chains()


def check_cache(cache: object) -> None:
    """Raise `ArgumentError` for a cache that is not there in tiers."""
    if cache != "strict" and not isinstance(cache, WholeNodes):
        raise ArgumentError("cache", cache, "'strict' or WholeNodes() in tiers")


class Tree:
    """A tree in tiers, step by step, that serves the requests of a forest one after the other.

    Under optional caching a request is over at once; else its path is pinned, and has to fit. Only the last one
    may be too long under forced caching, as in one cache: then nothing is cut after it.
    """

    def __init__(
        self, forest: Forest, policies: Any, tiers: Tiers, forced: bool, cache: object, kind: Any = TieredTree
    ) -> None:
        check_cache(cache)
        if forest.is_cut:
            raise ArgumentError("trace", "a Forest whose histories cut", "the Trace that it is of in tiers")
        whole = isinstance(cache, WholeNodes)
        self.tree = kind(forest, tiers, policies, cache.block if isinstance(cache, WholeNodes) else 1, whole=whole)
        self.optional = not (forced or whole)
        nodes = forest if whole else forest.by_units()
        self.leaf = nodes.leaf.tolist()
        end = int(nodes.past[-1]) if len(nodes) else 0
        self.too_long = len(nodes) - 1 if forced and not whole and end > tiers.capacities[0] else None
        self.end = end
        self.ask, self.tail = forest.ask.tolist(), (forest.total - forest.ask).tolist()

    def found(self, k: int) -> tuple[int, ...]:
        """Return what request k would reuse of each tier; nothing changes."""
        return _of_input(self.tree.found(self.leaf[k]), self.ask[k])

    def serve(self, k: int) -> Row:
        """Serve request k."""
        tree = self.tree
        if k == self.too_long:
            found = tree.found(self.leaf[k])
            return _of_input(found, self.ask[k]), self.end - sum(found), (0,) * len(found[1:]), found[1:]
        written, copied, loaded = tree.written, tuple(tree.copied_to), tuple(tree.loaded_from)
        if self.optional:
            found = tree.optional(self.leaf[k], k, self.tail[k])
        else:
            started = tree.start(self.leaf[k], k, self.tail[k])
            assert started is not None  # nothing else runs
            found = started[0]
            tree.finish(self.leaf[k], k)
        moved = _since(copied, tree.copied_to), _since(loaded, tree.loaded_from)
        return _of_input(found, self.ask[k]), tree.written - written, *moved


def _since(before: tuple[int, ...], now: list[int]) -> tuple[int, ...]:
    return tuple(map(sub, now, before))


def _of_input(found: tuple[int, ...], ask: int) -> tuple[int, ...]:
    """Return how much of the input, the first units of the path, was found in each tier."""
    reused, left = [], ask
    for units in found:
        reused.append(min(units, left))
        left -= reused[-1]
    return tuple(reused)
