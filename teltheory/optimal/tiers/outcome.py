"""Whether a plan for tiers can be carried out, checked step by step, and what it comes to.

A plan says what tiers 0 to i hold of each turn's path when it comes. It can be carried out if at every step tiers
0 to i have room for that together (docs/proofs-tiers.md has the proof), and, in a strict cache, if nothing is in
a faster tier than what lies above it. What is copied is counted as if each unit sank once, right after the request
before it, to the tier that it is reused from. This module uses nothing of what makes plans.
"""

from __future__ import annotations

from dataclasses import replace
from functools import singledispatch
from typing import Any

import numpy as np

from teltheory.errors import CertificateError
from teltheory.model.instance import Instances, ModuleInstance
from teltheory.model.numbers import IntArray, readonly
from teltheory.model.tiers import TieredOutcome, Tiers
from teltheory.optimal.duality import check_room
from teltheory.optimal.parts import Parts, parts_read, placed_parts, rooms


def outcome_of(instance: Instances, tiers: Tiers, held: IntArray, strict: bool) -> TieredOutcome:
    """Return what a plan comes to; `CertificateError` if it can't be carried out.

    ``held[i, k]`` leading units of the path of turn k are in tiers 0 to i when it comes; what of them is not its
    input is there for others.
    """
    parts, most = parts_read(instance), np.zeros(len(instance), np.int64)
    np.add.at(most, parts.turn, parts.units)
    for k in np.flatnonzero((np.diff(held, axis=0, prepend=0) < 0).any(axis=0) | (held[-1] > most))[:1]:
        found = held[:, k].tolist()
        raise CertificateError(
            f"plan[:, {k}]: found {found}, expected 0 to {most[k]}, never less with a tier more"
        )
    for together, pooled in zip(held, tiers.pooled, strict=True):
        check_room(parts.within(together), parts, rooms(replace(instance, capacity=pooled)))
    requests: Any = instance.requests
    if strict and requests.shared:
        check_closed(instance, held)
    reused = np.diff(np.minimum(held, instance.asked), axis=0, prepend=0)
    return TieredOutcome(
        readonly(reused),
        instance.total,
        tiers,
        readonly(instance.past - held[-1]),
        readonly(_copied(instance, tiers, parts, held)),
        readonly(reused[1:]),
        requests.inputs if requests.shared else None,
        requests.scale,
    )


def _copied(instance: Instances, tiers: Tiers, parts: Parts, held: IntArray) -> IntArray:
    """Return what is copied to each slower tier after each request; shape (tiers - 1, n).

    Exclusive: the units that their next request is to find there. Inclusive: those that it is to find there or in
    a faster tier, if they were not there before.
    """
    before = np.maximum(parts.first - 2 - instance.exempt, 0)
    copied = np.zeros((len(tiers) - 1, len(instance)), np.int64)
    for tier, now in enumerate(copied, start=1):
        ends = parts.above + parts.within(held[tier])
        if tiers.mode == "exclusive":
            were = held[tier - 1][parts.turn]
        else:
            were = held_before(instance, parts, before, held[tier])
        units = np.maximum(ends - np.maximum(parts.above, were), 0)
        some = units > 0
        np.add.at(now, before[some], units[some])
    return copied


@singledispatch
def held_before(instance: Any, parts: Parts, before: IntArray, held: IntArray) -> IntArray:
    """Return for each part how far down the request before it found it, if requests hold `held`."""
    return held[before]


@held_before.register(ModuleInstance)
def _of_same_item(instance: ModuleInstance, parts: Parts, before: IntArray, held: IntArray) -> IntArray:
    place, trace = placed_parts(instance)[1], instance.requests
    of_use = np.zeros(len(trace.members), np.int64)
    of_use[place] = parts.within(held)
    return np.asarray(parts.above + of_use[trace.previous[place]])


def check_closed(instance: Any, held: IntArray) -> None:
    """Raise `CertificateError` if a unit is to be in a faster tier than the one above it.

    From the last request to the first: a unit is in the tier that its next request finds it in, at all steps since
    the request before that. The tier of a unit and of those below it changes at requests that read the unit alone,
    so that each request is compared with what is below its path. Units that run are in the first tier.
    """
    forest, tiers = instance.requests.by_units(), len(held)
    parent = forest.parent.tolist()
    place, below = [tiers] * len(parent), [[0] * tiers for _ in parent]
    paths = [forest.path(k) for k in range(len(instance))]
    for k in reversed(range(len(paths))):
        depths = [0, *held[:, k].tolist(), len(paths[k])]
        for tier in range(tiers + 1):
            for node in paths[k][depths[tier] : depths[tier + 1]]:
                _move(node, parent[node], tier, place, below)
        running = set(paths[k - 1]) if instance.exempt and k else set()
        for depth, node in enumerate(paths[k]):
            if any(below[node][: place[node]]) and node not in running:
                raise CertificateError(f"plan[:, {k}]: found a unit below the first {depth + 1} in a faster tier")


def _move(node: int, above: int, tier: int, place: list[int], below: list[list[int]]) -> None:
    """Put a unit in a tier, beyond the last one if it is in none."""
    before, place[node] = place[node], tier
    if above >= 0 and before < len(below[above]):
        below[above][before] -= 1
    if above >= 0 and tier < len(below[above]):
        below[above][tier] += 1
