"""Replays of module sets: requests for items that are encoded and kept each by itself (Gim et al. 2024).

An item plays the part of a private conversation whose past is its size, so that policies work by their own rules.

1. A request uses its items one after another, in ascending order of their numbers; each use is a turn of its own,
   but the cache is cut only after the last. Uses are counted through the whole trace: they are the places in
   `ModuleTrace.members`. What was used last is the most recent.
2. A policy sees of an item: ``past``, its size; ``cached``, the prefix that is there; ``last``, its last use;
   ``hits``, how many uses it had; ``time``, when its last request arrived; ``first``, its rank by first use;
   ``asked`` and ``ahead``, the sizes of all items of its last request, and of the more recent ones of these.
3. Its next turn, for clairvoyant policies: ``turn``, its next use; ``history``, its size; ``prompt``, the rest of
   the next request, which is that one's fresh tokens and other items; ``ahead``, the sizes of those items of it
   that are used later than this one before that request. ``need(xi)`` is then hindsight's cap of the item.
4. Policies with a memory see items as units: ``reads`` and ``since`` begin anew when nothing of an item was left.
   GDSF's cost is a token's, PGDSF's that of each item.
5. `strict` caches keep any prefix of an item. In `whole` ones items go whole: surplus is then an item whose budget
   is 0, round-robin trimming frees such items in order of first use, and what is freed may exceed the overflow.
"""

from __future__ import annotations

from typing import Any, Literal, get_args

from teltheory.errors import ArgumentError
from teltheory.model.instance import ModuleInstance
from teltheory.model.outcome import Outcome
from teltheory.policies.memory import Memory, goes_by_key
from teltheory.policies.policy import AnyPolicy, Policy, prefers_kernel, runs_on_forests, settled
from teltheory.replay.asked import KERNEL_FROM, Engine, or_reference
from teltheory.replay.sets.memories import memory_of
from teltheory.replay.sets.reference import replay_reference

SetCache = Literal["strict", "whole"]


def checked_set_cache(cache: object) -> bool:
    """Return whether items are kept whole; raise `ArgumentError` for what is no cache of items."""
    if cache not in get_args(SetCache):
        raise ArgumentError("cache", cache, "'strict' or 'whole' for module sets")
    return cache == "whole"


def replay_sets(instance: ModuleInstance, policy: AnyPolicy, engine: Engine = "auto") -> Outcome:
    """Replay an instance of module sets that was checked before; see `teltheory.replay.replay`."""
    policy = rules = settled(_checked(policy, instance))
    uses = len(instance.requests.members)
    if engine == "kernel" or (engine == "auto" and uses >= KERNEL_FROM and prefers_kernel(policy)):
        from teltheory.replay.sets.kernel import replay_kernel

        with or_reference(engine, uses):
            return replay_kernel(instance, policy)
    return replay_reference(instance, rules)


def _checked(policy: Any, instance: ModuleInstance) -> Policy:
    if not runs_on_forests(policy):
        raise ArgumentError("policy", policy, "one with rules, as module sets are replayed by those alone")
    memory = memory_of(policy, instance)
    if memory is not None and not (goes_by_key(memory) or hasattr(memory, "seconds")):
        raise ArgumentError("policy", policy, "one that frees the smallest key first, on module sets")
    if type(memory or Memory()).retrieved is not Memory.retrieved:
        raise ArgumentError("policy", policy, "one without retrievals, on module sets")
    return policy
