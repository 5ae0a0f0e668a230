"""Which loop replays a forest: the compiled one of its cache, or the reference."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from teltheory.errors import ArgumentError
from teltheory.model.instance import ForestInstance
from teltheory.model.numbers import exact_sum
from teltheory.model.outcome import Outcome
from teltheory.policies.hinted import Demote
from teltheory.policies.policy import AnyPolicy, NotCompiledError, prefers_kernel, runs_on_forests
from teltheory.policies.residence import ByResidence
from teltheory.replay.asked import KERNEL_FROM, UNITS_A_TURN, Cache, Engine, or_reference
from teltheory.replay.radix.nodes import RadixNodes


def check_forest_cache(policy: AnyPolicy, cache: Cache) -> None:
    """Raise `ArgumentError` for a cache that is none, and for a policy that a forest is not replayed by."""
    if cache not in ("strict", "holes") and not isinstance(cache, RadixNodes):
        raise ArgumentError("cache", cache, "'strict', 'holes' or RadixNodes()")
    if any(isinstance(hint, Demote) for hint in getattr(policy, "hints", ())):
        raise ArgumentError("use", "demote", "tiers of memory with it: in one cache it moves nothing")
    policy = getattr(policy, "policy", policy) if hasattr(policy, "told") else policy
    if not (runs_on_forests(policy) or hasattr(policy, "shadows")):
        raise ArgumentError("policy", policy, "one with rules, as a forest is replayed by those alone")
    if isinstance(cache, RadixNodes) and hasattr(policy, "shadows"):
        raise ArgumentError("cache", cache, f"'strict' or 'holes' for {policy!r}, which watches caches of blocks")
    if isinstance(cache, RadixNodes) and hasattr(policy, "memory") and not isinstance(policy, ByResidence):
        raise ArgumentError("cache", cache, f"'strict' or 'holes' for {policy!r}, which remembers blocks")


def replay_forest(
    instance: ForestInstance, policy: AnyPolicy, cache: Cache = "strict", engine: Engine = "auto"
) -> Outcome:
    """Replay an instance of a forest that was checked before; see `replay`."""
    check_forest_cache(policy, cache)
    by_kernel, by_reference = _forest_engines(cache)
    units = exact_sum(instance.requests.past)
    if not _has_loops(instance, policy, cache):
        _check_plain_loops(instance, cache, engine)
        return by_reference(instance, policy)
    if engine == "kernel" or (engine == "auto" and units >= KERNEL_FROM and prefers_kernel(policy)):
        with or_reference(engine, units // UNITS_A_TURN):
            return by_kernel(instance, policy)
    return by_reference(instance, policy)


def _has_loops(instance: ForestInstance, policy: AnyPolicy, cache: Cache) -> bool:
    """Whether there are loops for an instance: where histories cut, of policies that listen alone."""
    cuts = hasattr(policy, "told") and not instance.initial and not isinstance(cache, RadixNodes)
    return instance.is_plain or cuts


def _check_plain_loops(instance: ForestInstance, cache: Cache, engine: Engine) -> None:
    """Raise for what loops do not do on a forest with an initial cache or with histories that are cut."""
    name, found = ("initial", instance.initial) if instance.initial else ("trace", "a Forest whose histories cut")
    if isinstance(cache, RadixNodes):
        raise ArgumentError(name, found, "none of it in a tree of whole nodes")
    if engine == "kernel":
        raise NotCompiledError(name, found, "engine='reference' for it")


def _forest_engines(cache: Cache) -> tuple[Callable[..., Outcome], Callable[..., Outcome]]:
    """Return the compiled loop and the reference for a cache."""
    if isinstance(cache, RadixNodes):
        from teltheory.replay.radix import reference as radix_reference
        from teltheory.replay.radix import rules as radix_rules

        engines = radix_rules.replay_kernel, radix_reference.replay_reference
        return partial(engines[0], nodes=cache), partial(engines[1], nodes=cache)
    from teltheory.replay.trees import reference, rules

    strict = cache == "strict"
    return partial(rules.replay_kernel, strict=strict), partial(reference.replay_reference, strict=strict)
