"""The fast loop for forests: LRU, T-LRU and what else goes by recency alone, over the runs of paths.

*Slots.* Slot k has what request k is the last through: the depths (taken, end] of its path (`Runs`). Later
requests take from above. What the cache holds of a slot are the depths (taken, reach]: in every order here the
least recent slot goes first, and of one slot the deepest unit. So trimming and eviction are two pointers that only
move forward, and lower `reach`. O(runs) for all requests together.

*What a policy keeps of a path.* Its rules look at a unit's mark L alone, and keep the units down to a depth
f(L) <= L. If f does not fall as L grows, what is kept of a path is a prefix, one number a request:

- mark "last": L is the length of the last path through the unit, so in slot k it is end[k] everywhere: f(end[k]).
- mark "high-water": L is the longest path so far through the unit. So a unit at depth d is kept if and only if
  d <= f(end[i]) for a request i so far through it: of path k down to f(end[k]), and each run as far as its slot
  kept it, as since then no request went through it (`highest`).

*Strict caches and holes.* With high-water marks no unit goes before one below it. What is below a surplus unit has
a mark no larger and a greater depth, so it is surplus too, and so with what is not kept at all; the last request
through it is no later; and of one slot the deepest goes first. So the order never asks of a strict cache what it
may not do: strict and with holes, one loop. With last marks a short path makes units surplus above those that a
longer one still keeps: only a cache with holes follows.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from teltheory.base.loops import call
from teltheory.model.forest import Forest
from teltheory.model.instance import ForestInstance
from teltheory.model.numbers import INT64_MAX, IntArray, readonly
from teltheory.model.outcome import Outcome
from teltheory.policies.node import ALL_BUT, Deferred
from teltheory.policies.policy import RULES, Policy, mark_of
from teltheory.replay.trees.runs import Runs, highest


class KeptPaths(NamedTuple):
    """How much of each path a policy keeps; arrays of shape (n,).

    `full` is how many leading units of the path stay unless the cache overflows; `least` how many of those are no
    surplus, None if all are.
    """

    full: IntArray
    least: IntArray | None


class Marks(NamedTuple):
    """The marks L of units: all that rules see here."""

    past: IntArray


def kept_by_recency(policy: Policy, forest: Forest, strict: bool) -> KeptPaths | None:
    """Return what a policy keeps of each path, in a strict cache or one with holes; None if the loop can't."""
    said = said_by_recency(policy, forest.past, strict)
    if said is None or mark_of(policy) == "last":
        return said
    runs = Runs.of(forest)
    full = said.full if said.full is forest.past else readonly(highest(runs, np.array(said.full)))
    return KeptPaths(full, None if said.least is None else readonly(highest(runs, np.array(said.least))))


def said_by_recency(policy: Policy, end: IntArray, strict: bool) -> KeptPaths | None:
    """Return what a policy keeps of each path of a length by itself, whatever runs through it keep."""
    mark = mark_of(policy)
    if mark != "high-water" and (mark != "last" or strict):
        return None
    said = said_of_marks(policy, Marks(end))
    if said is None or (mark == "high-water" and not _rises(*said, end)):
        return None
    dropped, budget = said
    full = end if dropped is False else np.where(dropped, 0, end)
    least = full if budget is end else _smaller(budget, full, end)
    if least.dtype != np.int64 or least.min(initial=0) < 0:
        return None
    if policy.trim == "eager":
        full = least
    return KeptPaths(readonly(full), None if least is full else readonly(least))


def said_of_marks(policy: Policy, marks: Any) -> tuple[Any, Any] | None:
    """Return whether units go at once, and their budgets; None if a rule looks at more than marks."""
    if not all(getattr(getattr(policy, rule), "on_arrays", False) for rule in RULES):
        return None
    try:
        keys = policy.eviction_key(marks), policy.trim_key(marks) if policy.trim == "least-recent" else 0
        said = policy.drops(marks), policy.budget(marks)
    except AttributeError:
        return None
    return None if any(np.ndim(key) for key in keys) else said


def _smaller(budget: Any, full: IntArray, end: IntArray) -> IntArray:
    if full is end and isinstance(budget, Deferred) and budget.kind == ALL_BUT:
        return budget.computed()  # no pass over both: all but some of a past is no more than the past
    smaller: IntArray = np.minimum(budget, full)
    return smaller


def _rises(dropped: Any, budget: Any, end: IntArray) -> bool:
    """Whether what is kept does not fall as the mark grows."""
    if dropped is not False:
        gone, stays = np.where(dropped, end, 0), np.where(dropped, INT64_MAX, end)
        if gone.max(initial=0) > stays.min(initial=INT64_MAX):
            return False
    if budget is end or (isinstance(budget, Deferred) and budget.kind == ALL_BUT):
        return True
    return bool((np.diff(np.broadcast_to(budget, end.shape)[np.argsort(end)]) >= 0).all())


def replay_by_recency(instance: ForestInstance, kept: KeptPaths) -> Outcome:
    """Replay a forest, given what the policy keeps of each path."""
    forest, runs = instance.requests, Runs.of(instance.requests)
    cached, written, taken, reach = (np.zeros(len(forest), np.int64) for _ in range(4))
    asked = forest.ask, instance.capacity, instance.exempt
    call("replay_runs", runs.sizes, runs, kept, asked, cached, written, taken, reach)
    reused, computed, added = map(readonly, (cached, forest.total - cached, written))
    return Outcome(reused, computed, added, forest.inputs, forest.block_size)
