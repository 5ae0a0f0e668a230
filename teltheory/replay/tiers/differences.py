"""Exclusive tiers as differences of caches: what is found in tier i is X(S_i) - X(S_{i-1}), S_i = C_0 + ... + C_i.

X(S) is what a turn finds in one cache of size S. docs/proofs-tiers.md has the proofs; the rows
`tiers.difference.*` of the ledger decide for which policies it is true: one in all tiers, with the same budget in
each, and no children of what goes later than it. `covered` asks for no more than those rows say.

How much is copied to slower tiers does not follow from it, as what sinks and goes on at once is not copied. A
replay in tiers finds that once somebody asks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, cast

import numpy as np

from teltheory.model.forest import Forest
from teltheory.model.instance import ForestInstance, Instance, instance_of
from teltheory.model.numbers import INT64_MAX, IntArray, readonly
from teltheory.model.outcome import Outcome
from teltheory.model.tiers import TieredOutcome, Tiers
from teltheory.policies.clairvoyant import Belady, TailOptimizedBelady
from teltheory.policies.online import LRU, TLRU, ThresholdLRU
from teltheory.policies.policy import has_rules, mark_of, settled
from teltheory.replay.tiers.budgets import has_scaled_budget
from teltheory.replay.trees.recency import kept_by_recency
from teltheory.replay.trees.runs import Runs

ON_CHAINS = (LRU, ThresholdLRU, TLRU, Belady, TailOptimizedBelady)
"""Policies of the rows on private conversations, in any way of trimming; a derived class is another policy."""


def covered(instance: Instance | ForestInstance, policies: Any, tiers: Tiers) -> bool:
    """Whether a row says that a policy's tiers are differences of caches."""
    policy = one_of(policies, instance.requests)
    if policy is None or tiers.mode != "exclusive" or len(tiers) == 1 or not _has_one_budget(policy, tiers):
        return False
    if instance.requests.shared and getattr(policy, "trim", None) != "round-robin":
        return _on_forest(policy, instance.requests)
    return type(policy) in ON_CHAINS


def pays(instance: Instance, policies: Any, tiers: Tiers) -> bool:
    """Whether private conversations are replayed faster so: not where the loop of two tiers walks forward."""
    if not covered(instance, policies, tiers):
        return False
    policy = one_of(policies, instance.requests)
    return len(tiers) > 2 or policy.trim == "round-robin" or isinstance(policy, TailOptimizedBelady)


def one_of(policies: Any, requests: Any) -> Any:
    """Return the policy of all tiers, with its way of trimming; None if tiers differ, or if it has no rules."""
    each = list(policies) if isinstance(policies, (list, tuple)) else [policies]
    if not each or any(isinstance(one, type) or not has_rules(one) for one in each):
        return None
    first = settled(each[0], requests)
    return first if all(settled(one, requests) == first for one in each[1:]) else None


def _has_one_budget(policy: Any, tiers: Tiers) -> bool:
    """Whether a policy's budget is the same in all tiers; Belady's, all of the next history, is in any case."""
    return type(policy) is Belady or not any(tiers.loads) or not has_scaled_budget(policy)


def _on_forest(policy: Any, forest: Any) -> bool:
    """Whether a policy takes children before their parents: what the proof asks for."""
    if type(policy) is Belady:
        return _asks_for_all(forest)
    return mark_of(policy) == "high-water" and kept_by_recency(policy, forest, strict=True) is not None


def _asks_for_all(forest: Forest) -> bool:
    """Whether each request may reuse all of its path that came before."""
    runs = Runs.of(forest)
    before = np.where(np.diff(runs.start) > 0, np.append(runs.to, 0)[runs.start[1:] - 1], 0)
    return bool((forest.known >= before).all())


def replay(
    instance: Instance | ForestInstance,
    tiers: Tiers,
    in_one_cache: Callable[[Any], Outcome],
    copied: Callable[[], IntArray],
) -> TieredOutcome:
    """Replay in tiers, given how an instance is replayed in one cache, and what finds the copies if asked."""
    found: list[IntArray] = []
    written: list[IntArray] = []
    for one in _caches(instance, tiers):
        outcome = in_one_cache(one)
        found.append(outcome.cached)
        written.append(outcome.written if outcome.written is not None else instance.past - outcome.cached)
    cached = readonly(np.array([found[0], *(more - less for less, more in pairwise(found))]))
    loaded = readonly(np.array([more - less for more, less in pairwise(written)]))
    requests, later = instance.requests, cast(IntArray, copied)
    counted = (requests.inputs, requests.block_size) if requests.shared else ()
    return TieredOutcome(cached, requests.total, tiers, written[-1], later, loaded, *counted)


def _caches(instance: Instance | ForestInstance, tiers: Tiers) -> Iterator[Any]:
    """Yield the instance in one cache of each S_i; the first refuses a past that does not fit into tier 0."""
    for size in tiers.pooled:
        yield instance_of(instance.requests, min(size, INT64_MAX), forced=instance.forced)
