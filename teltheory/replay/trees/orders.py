"""What a policy's rules say of every visit to a forest, and the loop that replays any orders."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from teltheory.base.loops import call
from teltheory.model.instance import ForestInstance
from teltheory.model.numbers import IntArray, readonly
from teltheory.model.outcome import Outcome
from teltheory.policies.node import ALL_BUT, Deferred
from teltheory.policies.policy import NotCompiledError, Policy, mark_of
from teltheory.replay.chains.rules import answer, whole_lengths
from teltheory.replay.trees.facts import UnitsDifferError, VisitPieces
from teltheory.replay.trees.visits import TreeLayout, Visits


class Orders(NamedTuple):
    """What a policy says of every visit's piece.

    What of it is kept, overflow or not; what of that is no surplus; and its places in two orders, the largest
    first, with the visit at each place. `safe` is what T-LRU with resident marks calls safe of a past; otherwise
    it is -1.
    """

    full: IntArray
    least: IntArray
    trimming: IntArray
    trimmed: IntArray
    eviction: IntArray
    evicted: IntArray
    safe: int
    eager: bool


def replay_by_orders(instance: ForestInstance, policy: Policy, strict: bool) -> Outcome:
    """Replay a forest under a policy with any orders."""
    forest, mark = instance.requests, mark_of(policy)
    pieces = VisitPieces(forest, Visits.of(forest), mark)
    try:
        if mark == "resident":
            raise UnitsDifferError
        orders = orders_of(policy, pieces)
    except UnitsDifferError:
        pieces = VisitPieces(forest, Visits.of(forest, by_units=True), mark, by_units=True)
        orders = orders_of(policy, pieces)
    layout = TreeLayout.of(instance, pieces.visits)
    _, held, visits = layout.sizes
    state = np.zeros(3 * held, np.int64), np.full(held, -1, np.int64), np.zeros(2 * held, np.bool_)
    waiting = (np.empty(visits // 63 + 12, np.uint64) for _ in range(2))
    call("replay_orders", layout.sizes, layout, orders, strict, state, *waiting)
    return Outcome.of_forest(forest, layout.cached, layout.written)


def orders_of(policy: Policy, pieces: VisitPieces) -> Orders:
    """Ask a policy for its rules."""
    visits = pieces.visits
    n, length = len(visits.piece), visits.length[visits.piece]
    drops = np.broadcast_to(np.asarray(answer(policy, "drops", pieces), np.bool_), n)
    budget = answer(policy, "budget", pieces)
    worth = np.broadcast_to(whole_lengths(budget, policy), n)
    least = np.where(drops, 0, np.clip(worth - (visits.end - length), 0, length))
    full = np.where(drops, 0, least if policy.trim == "eager" and pieces.mark != "resident" else length)
    trimming = _places(answer(policy, "trim_key", pieces) if policy.trim == "least-recent" else 0, visits)
    eviction = _places(answer(policy, "eviction_key", pieces), visits)
    safe = -1 if pieces.mark != "resident" else _safe(budget, pieces, policy)
    return Orders(full, least, *trimming, *eviction, safe, policy.trim == "eager")


def _safe(budget: Any, pieces: VisitPieces, policy: Policy) -> int:
    """Return what T-LRU calls safe of a past; marks that forget are compiled for budgets of this form alone."""
    if isinstance(budget, Deferred) and budget.kind == ALL_BUT and budget.of is pieces.past:
        return budget.safe
    raise NotCompiledError("policy", policy, "engine='reference', or a budget of all but a constant of the past")


def _places(keys: Any, visits: Visits) -> tuple[IntArray, IntArray]:
    """Return the place of each visit, and the visit at each place; the largest goes first.

    That is the smallest key, among equals the least recent request, of one path the deepest.
    """
    order = visits.by_recency
    if not np.ndim(keys):
        return visits.place, readonly(order[::-1].copy())
    order = order[np.argsort(np.asarray(keys)[order], kind="stable")]
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))[::-1]
    return readonly(place), readonly(order[::-1].copy())
