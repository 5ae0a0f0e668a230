"""Which compiled loop replays a forest under a policy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from teltheory.model.instance import ForestInstance
from teltheory.model.outcome import Outcome
from teltheory.policies.expiry import TTL
from teltheory.policies.hinted import Hinted
from teltheory.policies.learned.return_aware import ReturnAwareTLRU
from teltheory.policies.online import LRU
from teltheory.policies.policy import NotCompiledError, Policy, own_loop, settled
from teltheory.replay.chains.dispatch import replay_kernel as replay_chains
from teltheory.replay.learned.followed import follow_on_paths
from teltheory.replay.trees.expiry import without_expired
from teltheory.replay.trees.hinted import hears_nothing, replay_hinted
from teltheory.replay.trees.orders import replay_by_orders
from teltheory.replay.trees.queues import replay_queues
from teltheory.replay.trees.recency import kept_by_recency, replay_by_recency
from teltheory.replay.trees.residence import replay_residence


def replay_kernel(instance: ForestInstance, policy: Policy, strict: bool = True) -> Outcome:
    """Replay a forest by a compiled loop; `NotCompiledError` if none does what the policy does."""
    policy = settled(policy, instance.requests)
    loop = own_loop(policy)
    if policy.trim == "round-robin" and loop is None:
        return _in_rounds(instance, policy)
    if loop is not None:
        return OWN_LOOPS[loop](instance, policy, strict)
    if hasattr(policy, "memory"):
        raise NotCompiledError("policy", policy, "engine='reference' for one with a memory of its own")
    kept = kept_by_recency(policy, instance.requests, strict)
    return replay_by_orders(instance, policy, strict) if kept is None else replay_by_recency(instance, kept)


def _in_rounds(instance: ForestInstance, policy: Policy) -> Outcome:
    """Replay private conversations by the loop that trims them in rounds."""
    if instance.exempt > 1:
        raise NotCompiledError("running", instance.running, "engine='reference' for round-robin trimming")
    cached = replay_chains(instance.as_chains(), policy).cached
    return Outcome.of_forest(instance.requests, cached, instance.requests.past - cached)


def _expiring(instance: ForestInstance, policy: TTL, strict: bool) -> Outcome:
    return replay_kernel(without_expired(instance, policy.seconds), LRU(), strict)


def _experts(instance: ForestInstance, policy: ReturnAwareTLRU, strict: bool) -> Outcome:
    return follow_on_paths(instance, policy, strict).outcome


def _listening(instance: ForestInstance, policy: Hinted, strict: bool) -> Outcome:
    if instance.is_plain and hears_nothing(instance.requests, policy):
        return replay_kernel(instance, settled(policy.policy, rounds=False), strict)
    return replay_hinted(instance, policy, strict)


OWN_LOOPS: dict[str, Callable[[ForestInstance, Any, bool], Outcome]] = {
    "experts": _experts,
    "expiry": _expiring,
    "hinted": _listening,
    "queues": replay_queues,
    "residence": replay_residence,
}
