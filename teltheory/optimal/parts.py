"""What each turn may reuse, from which step on, and the room at each step: read from the trace, for checks alone.

Whoever makes plans, prices and certificates reads the same with code of its own
(`teltheory.optimal.chains.intervals`, `.trees.intervals`, `.sets.intervals`, `teltheory.replay.trees.runs`). So a
fault on one side shows on the other. import-linter keeps them apart: this module imports nothing but values of
`teltheory.model`, and nothing but checks imports it. It takes the columns that a trace is made of, and derives the
rest itself.

Steps: step t is the cache at the start of turn t, turns and steps counted from 1; what is kept for turn e since
turn s takes room at the steps s + 1 ... e. What the initial cache holds has s = 0. What is exempt from the cut
lessens the room of the others, and what is kept of it begins as many steps later.

- *Private conversations*: a turn has one part, its history since the conversation's turn before.
- *Forests*: a part is a run of units of the path with one last request before, or what the initial cache holds of
  it that no request had before. Under forced caching the paths of the requests that run are exempt, once each.
- *Module sets*: a part is an item that was used before. The items of a request stand one below another, those that
  were used last at the top: what is at the top can be kept over the shorter interval, so of what is kept for a
  request the leading units count, as on a path of a forest (docs/proofs-prompt-cache.md has the proof). Of whole
  items those larger than the capacity are no parts, as no cache has room for them.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import singledispatch
from typing import Any, NamedTuple

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.model.forest import Forest
from teltheory.model.initial import check_cuts
from teltheory.model.instance import ForestInstance, Instance, Instances, ModuleInstance
from teltheory.model.numbers import IntArray


class Parts(NamedTuple):
    """What turns may reuse: part k is `units[k]` units below the first `above[k]` of what turn `turn[k]` reads.

    They can be kept from step `first[k]` to the turn's own, turn + 1; `first` is turn + 2 if they take no room at
    any step. The parts of a turn follow each other without a gap, from 0 on.
    """

    turn: IntArray
    above: IntArray
    units: IntArray
    first: IntArray

    def within(self, most: IntArray) -> IntArray:
        """Return how much of each part lies within the first ``most[turn]`` units."""
        return np.asarray(np.clip(most[self.turn] - self.above, 0, self.units))


@singledispatch
def parts_read(instance: Any) -> Parts:
    """Return the parts of all turns."""
    raise _unknown(instance)


@singledispatch
def totals(instance: Any) -> IntArray:
    """Return what each turn computes with an empty cache; shape (n,)."""
    raise _unknown(instance)


@singledispatch
def inputs(instance: Any) -> IntArray:
    """Return how many leading units of its path are each turn's input, none of its output; shape (n,)."""
    raise _unknown(instance)


@singledispatch
def exempt_after(instance: Any) -> IntArray:
    """Return what no cut touches right after each turn, under forced caching; shape (n,)."""
    raise _unknown(instance)


def _unknown(instance: object) -> ArgumentError:
    return ArgumentError("trace", type(instance).__name__, "a kind of requests whose parts are registered")


def rooms(instance: Instances) -> IntArray:
    """Return the room at each step 1 ... n, at index 0 ... n - 1: what is exempt leaves of the capacity."""
    room = np.full(len(instance), instance.capacity, np.int64)
    if instance.forced:
        room[1:] -= exempt_after(instance)[:-1]
    return room


def placed_parts(instance: ModuleInstance) -> tuple[Parts, IntArray]:
    """Return the parts of module sets, and the place of each among the members of the trace."""
    trace = instance.requests
    request, size = np.repeat(np.arange(len(trace)), np.diff(trace.offsets)), trace.sizes[trace.members]
    before = _last_before(trace.members)
    known = np.flatnonzero((before >= 0) & ~(instance.whole & (size > instance.capacity)))
    place = known[np.lexsort((-before[known], request[known]))]
    turn, units = request[place], size[place]
    below = np.cumsum(units)
    above = below - units - (below - units)[np.searchsorted(turn, turn)]
    first = np.minimum(request[before[place]] + 2 + int(instance.forced), turn + 2)
    return Parts(turn, above, units, first), place


@parts_read.register(ModuleInstance)
def _of_items(instance: ModuleInstance) -> Parts:
    return placed_parts(instance)[0]


@totals.register(ModuleInstance)
def _of_requests(instance: ModuleInstance) -> IntArray:
    return np.asarray(instance.requests.fresh + items_together(instance))


@inputs.register(ModuleInstance)
def items_together(instance: ModuleInstance) -> IntArray:
    """Return the tokens of each request's items together; shape (n,)."""
    trace = instance.requests
    up_to = np.append(0, np.cumsum(trace.sizes[trace.members]))
    return np.asarray(up_to[trace.offsets[1:]] - up_to[trace.offsets[:-1]])


exempt_after.register(ModuleInstance, items_together)


@totals.register(Instance)
@inputs.register(Instance)
def _inputs_of_turns(instance: Instance) -> IntArray:
    return np.asarray(instance.history + instance.requests.prompt)


@exempt_after.register(Instance)
def _pasts(instance: Instance) -> IntArray:
    return np.asarray(instance.history + instance.requests.prompt + instance.requests.response)


@parts_read.register(Instance)
def _of_turns(instance: Instance) -> Parts:
    """Return one part a turn: its history, or of a first turn what was held of it at the start."""
    code, turns = instance.requests.code, np.arange(len(instance))
    before, held = _last_before(code), np.zeros(len(code) + len(instance.initial), np.int64)
    for start in instance.initial:
        held[start.code] = start.cached
    units = np.where(before >= 0, instance.history, np.minimum(instance.history, held[code]))
    first = np.where(before >= 0, before + 2 + int(instance.forced), 1)
    return Parts(turns, np.zeros_like(turns), units, first)


def _last_before(labels: IntArray) -> IntArray:
    """Return the place of the same label before each place, -1 if there is none."""
    order, before = np.argsort(labels, kind="stable"), np.full(len(labels), -1, np.int64)
    same = np.flatnonzero(labels[order[1:]] == labels[order[:-1]])
    before[order[same + 1]] = order[same]
    return before


totals.register(ForestInstance, lambda instance: instance.requests.total)
inputs.register(ForestInstance, lambda instance: instance.requests.ask)


@parts_read.register(ForestInstance)
def _of_paths(instance: ForestInstance) -> Parts:
    check_cuts(instance.requests, instance.initial, instance.running)
    rows = np.array(list(_shared(instance)), np.int64).reshape(-1, 4)
    turn, above, units, before = rows.T.copy()
    first = np.minimum(before + 2 + _running(instance), turn + 2)
    return Parts(turn, above, units, np.where(before < 0, 1, first))


def _shared(instance: ForestInstance) -> Iterator[tuple[int, int, int, int]]:
    """Yield (request, depth above, units, last request before) of every run of nodes with one last request.

    What no request had before, and the initial cache holds, has -1 for its last request.
    """
    parent, depth = instance.requests.parent.tolist(), [*_depths(instance.requests), 0]
    last, begun = [-1] * len(parent), _begun(instance, parent, depth)
    for k, leaf in enumerate(instance.requests.leaf.tolist()):
        found = []
        node = bottom = leaf
        before = -1
        while node >= 0:
            if last[node] != before:
                found.append((before, node, bottom))
                before, bottom = last[node], node
            last[node] = k
            node = parent[node]
        found.append((before, node, bottom))
        for request, top, bottom in reversed(found):
            units = (depth if request >= 0 else begun)[bottom] - depth[top]
            if units > 0:
                yield k, depth[top], units, request


def _begun(instance: ForestInstance, parent: list[int], depth: list[int]) -> list[int]:
    """Return the units of the initial cache from the root to the end of each node; last 0, of no node."""
    begun = [0] * len(depth)
    for start in instance.initial:
        node = start.leaf
        while node >= 0:
            begun[node] = max(begun[node], min(start.cached, depth[node]))
            node = parent[node]
    for node, above in enumerate(parent if instance.initial else ()):
        begun[node] = max(begun[node], begun[above])
    return begun


def _depths(forest: Forest) -> list[int]:
    """Return the units from the root to the end of each node."""
    depth: list[int] = []
    for above, units in zip(forest.parent.tolist(), forest.length.tolist(), strict=True):
        depth.append(units + depth[above] if above >= 0 else units)
    return depth


@exempt_after.register(ForestInstance)
def _of_running_paths(instance: ForestInstance) -> IntArray:
    return np.array(list(_of_running(instance)), np.int64)


def _of_running(instance: ForestInstance) -> Iterator[int]:
    """Yield the units of the paths of the requests that run after each request, each unit once.

    What the request that ends was the last to read goes, from its leaf up to the first node that was read since:
    whoever read that one read all above it.
    """
    parent, length, leaf = (
        c.tolist() for c in (instance.requests.parent, instance.requests.length, instance.requests.leaf)
    )
    last, units = [-1 - instance.running] * len(parent), 0
    for k, arriving in enumerate(leaf):
        node, ends = arriving, k - instance.running
        while node >= 0:
            units += length[node] if last[node] < ends else 0
            last[node] = k
            node = parent[node]
        node = leaf[ends] if ends >= 0 else -1
        while node >= 0 and last[node] == ends:
            units -= length[node]
            node = parent[node]
        yield units


def _running(instance: ForestInstance) -> int:
    return instance.running if instance.forced else 0
