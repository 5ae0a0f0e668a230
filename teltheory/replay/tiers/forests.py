"""Forests in exclusive tiers by the loop of ``tree.c``; `teltheory.replay.tiers.tree` judges it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from teltheory.base.loops import call
from teltheory.errors import ForcedCachingError
from teltheory.model.instance import ForestInstance
from teltheory.model.numbers import IntArray, readonly
from teltheory.model.tiers import Tiers
from teltheory.policies.policy import NotCompiledError, has_rules, settled
from teltheory.replay.tiers.nodes import mark_of_all, policy_of_each_tier
from teltheory.replay.trees.facts import UnitsDifferError, VisitPieces
from teltheory.replay.trees.orders import Orders, orders_of
from teltheory.replay.trees.visits import Visits


def replay_forest_in_tiers(instance: ForestInstance, policies: Any, tiers: Tiers) -> tuple[IntArray, ...]:
    """Return what requests find of each tier, write, copy and load; `NotCompiledError` if the loop can't.

    Raises
    ------
    ArgumentError, ForcedCachingError
        As the tree does.
    """
    several = tuple(policies) if isinstance(policies, (list, tuple)) else (policies,)
    trims = {getattr(one, "trim", None) for one in settled(several, instance.requests)}
    if tiers.mode != "exclusive" or "round-robin" in trims:  # conversations trim in rounds, and trees do not
        raise NotCompiledError("policy", policies, "the replay in plain Python for it")
    each = policy_of_each_tier(policies, tiers)
    if not all(map(has_rules, each)) or mark_of_all(each) == "resident":
        raise NotCompiledError("policy", policies, "the tree in plain Python for it")
    forest, n = instance.requests, len(instance)
    for k in np.flatnonzero(forest.past[:-1] > tiers.capacities[0])[:1].tolist() if instance.forced else ():
        raise ForcedCachingError(k, int(forest.past[k]), tiers.capacities[0])
    visits, said = _asked(each, instance)
    sizes, sets = (n, len(tiers), len(visits.parent), len(visits.piece)), 2 * len(tiers)
    moved = [np.empty((rows, n), np.int64) for rows in (len(tiers), 1, len(tiers) - 1, len(tiers) - 1)]
    state = np.zeros((3 * sizes[2] + 1) * len(tiers), np.int64), np.full(sizes[2], -1, np.int64)
    bits = np.zeros(sets * (sizes[3] // 63 + 12), np.uint64), np.full(sets, -1, np.int64)
    read = visits.parent, visits.length, visits.start, visits.piece, forest.ask, forest.past
    changed, capacity = np.empty(sizes[2], np.int64), np.array(tiers.capacities, np.int64)
    call(
        "replay_tree_in_tiers", sizes, read, capacity, *_rows(said), instance.forced, state, changed, bits, *moved
    )
    cached, written, copied, loaded = map(readonly, moved)
    return cached, written[0], copied, loaded


def _asked(policies: Sequence[Any], instance: ForestInstance) -> tuple[Visits, list[Orders]]:
    """Ask each tier's policy of whole pieces, or of each unit if a rule looks at what differs in a piece."""
    mark, forest = mark_of_all(policies), instance.requests
    for by_units in (False, True):
        visits = Visits.of(forest, by_units=by_units)
        pieces = VisitPieces(forest, visits, mark, by_units=by_units)
        try:
            return visits, [orders_of(policy, pieces) for policy in policies]
        except UnitsDifferError:
            continue
    raise NotCompiledError("policy", policies, "the tree in plain Python for it")


def _rows(said: Sequence[Orders]) -> tuple[IntArray, ...]:
    """Return what is kept and what is no surplus, a row a tier, and places and the visits at them, two rows."""
    full, least = (np.array([getattr(one, name) for one in said], np.int64) for name in ("full", "least"))
    place = np.array([row for one in said for row in (one.trimming, one.eviction)], np.int64)
    at = np.array([row for one in said for row in (one.trimmed, one.evicted)], np.int64)
    return full, least, place, at
