"""Replay of a trace under a policy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Literal, get_args, overload

from teltheory.base.progress import Progress, Report, reporting
from teltheory.cost.given import Model, Size, Units
from teltheory.errors import ArgumentError
from teltheory.model.forest import Forest
from teltheory.model.instance import ForestInstance, Initial, Instance, ModuleInstance, instance_of
from teltheory.model.module_trace import ModuleTrace
from teltheory.model.outcome import Outcome
from teltheory.model.tiers import TieredOutcome, Tiers
from teltheory.model.trace import Trace
from teltheory.policies.named import policy_of
from teltheory.policies.policy import (
    OTHER_WAYS,
    RULES,
    AnyPolicy,
    NotCompiledError,
    check_trim,
    prefers_kernel,
    runs_on_forests,
)
from teltheory.policies.residence import ByResidence
from teltheory.replay.chains.reference import replay_reference
from teltheory.replay.radix.nodes import RadixNodes
from teltheory.replay.sets import checked_set_cache, replay_sets
from teltheory.replay.tiers.nodes import WholeNodes

__all__ = [
    "Cache",
    "Engine",
    "RadixNodes",
    "WholeNodes",
    "check_forest_cache",
    "check_policy",
    "in_reference",
    "kernel_is_compiled",
    "replay",
    "replay_forest",
    "replay_instance",
    "replay_reference",
]

Engine = Literal["auto", "kernel", "reference"]
Cache = Literal["strict", "holes", "whole"] | RadixNodes | WholeNodes
KERNEL_FROM = 2000
"""Turns from which on the kernel is quicker than loading it."""


@overload
def replay(
    trace: Trace | Forest | ModuleTrace,
    policy: AnyPolicy | str,
    capacity: Size,
    forced: bool = False,
    initial: Initial = (),
    engine: Engine = "auto",
    progress: Progress = None,
    *,
    cache: Cache = "strict",
    running: int = 1,
    model: Model | None = None,
) -> Outcome: ...


@overload
def replay(
    trace: Trace | Forest | ModuleTrace,
    policy: AnyPolicy | str | Sequence[AnyPolicy | str],
    capacity: Tiers,
    forced: bool = False,
    initial: Initial = (),
    engine: Engine = "auto",
    progress: Progress = None,
    *,
    cache: Cache = "strict",
    running: int = 1,
    model: Model | None = None,
) -> TieredOutcome: ...


def replay(
    trace: Trace | Forest | ModuleTrace,
    policy: Any,
    capacity: Size | Tiers,
    forced: bool = False,
    initial: Initial = (),
    engine: Engine = "auto",
    progress: Progress = None,
    *,
    cache: Cache = "strict",
    running: int = 1,
    model: Model | None = None,
) -> Outcome | TieredOutcome:
    """Replay a trace as private conversations, a forest of shared prefixes, or module sets, under a policy.

    Parameters
    ----------
    trace, capacity, forced, initial, cache, running, model : as in `Problem`
    policy : str, Policy, CuttingPolicy, TimedPolicy, WatchingPolicy or ObservingPolicy
        `LRU`, `TLRU`, ..., the short form of one, such as ``"tlru:xi=2800"``, or any value with the rules of
        `teltheory.policies.Policy`. In tiers it works by rules, and may be several, one for each tier.
    engine : {"auto", "kernel", "reference"}
        The kernel is compiled (on its first call, then kept on disk) and runs policies whose rules are written on
        arrays (`teltheory.policies.on_arrays`) and do not look at what is cached; the reference is plain Python
        and runs every policy. "auto" takes the kernel from 2,000 turns on. Both have the same outcome.
    progress : callable or bool, optional
        Called with the turns done, and all of them, now and then; True shows a bar on standard error.

    Returns
    -------
    Outcome or TieredOutcome
        ``cached`` and ``uncached``, int64, one entry a turn, in the trace's unit. In tiers ``cached`` has a row
        for each, and ``uncached`` is a list of fractions: what is loaded counts as its share of computing.

    Raises
    ------
    ArgumentError, TraceError, ForcedCachingError
        As `Instance.of` does; all are `ValueError`.
    """
    if engine not in get_args(Engine):
        raise ArgumentError("engine", engine, "'auto', 'kernel' or 'reference'")
    units = Units.of(trace, model)
    policy, capacity = policy_of(policy, trace, units), units.memory(capacity)
    with reporting(progress, "Replaying") as report:
        told = partial(_told, report, len(trace))
        outcome = _replay(trace, policy, capacity, forced, initial, engine, told, cache, running)
        told(len(outcome))
        return outcome


def _told(report: Report, turns: int, done: int) -> None:
    report(done, turns)


def _replay(
    trace: Trace | Forest | ModuleTrace,
    policy: Any,
    capacity: int | Tiers,
    forced: bool,
    initial: Initial,
    engine: Engine,
    progress: Callable[[int], object],
    cache: Cache,
    running: int,
) -> Outcome | TieredOutcome:
    if isinstance(trace, ModuleTrace):
        return _of_sets(trace, policy, capacity, forced, initial, engine, cache, running)
    if cache != "strict" and not isinstance(trace, Forest):
        raise ArgumentError("cache", cache, "a Forest with it, such as trace.forest")
    if isinstance(capacity, Tiers) or isinstance(cache, WholeNodes):
        return _in_tiers(trace, policy, capacity, initial, running, forced=forced, cache=cache, engine=engine)
    check_policy(policy)
    pinned = forced or isinstance(cache, RadixNodes)
    if isinstance(trace, Forest):
        given = ForestInstance.of(trace, capacity, forced=pinned, initial=initial, running=running)
        return replay_forest(given, policy, cache, engine)
    instance: Any = instance_of(trace, capacity, forced=pinned, initial=initial, running=running)
    return replay_instance(instance, policy, engine, progress)


def _of_sets(
    trace: ModuleTrace,
    policy: Any,
    capacity: int | Tiers,
    forced: bool,
    initial: Initial,
    engine: Engine,
    cache: Cache,
    running: int,
) -> Outcome | TieredOutcome:
    whole = checked_set_cache(cache)
    for name, given, only in (("initial", tuple(initial), ()), ("running", running, 1)):
        if given != only:
            raise ArgumentError(name, given, f"{only!r} for module sets")
    tiers = capacity if isinstance(capacity, Tiers) else None
    size: Any = capacity if tiers is None else tiers.capacities[0]
    instance = ModuleInstance.of(trace, size, forced=forced, whole=whole)
    if tiers is not None:
        return _sets_in_tiers(instance, policy, tiers, engine)
    check_policy(policy)
    return replay_sets(instance, policy, engine)


def _sets_in_tiers(instance: ModuleInstance, policy: Any, tiers: Tiers, engine: Engine) -> TieredOutcome:
    from teltheory.replay.sets.tiers import SetsInTiers
    from teltheory.replay.tiers.replays import outcome_of

    if engine == "kernel":
        raise NotCompiledError("engine", engine, "'auto' or 'reference' for module sets in tiers")
    sets = SetsInTiers(instance, policy, tiers)
    outcome: Any = outcome_of(instance.requests, tiers, [sets.serve(k) for k in range(len(instance))])
    return outcome  # type: ignore[no-any-return]


def _in_tiers(
    trace: Trace | Forest, policy: Any, capacity: int | Tiers, initial: Initial, running: int, **options: Any
) -> Outcome | TieredOutcome:
    from teltheory.replay.tiers.replays import replay_in_tiers

    if tuple(initial):
        raise ArgumentError("initial", initial, "an empty cache in tiers")
    if running != 1:
        raise ArgumentError("running", running, "1 in tiers")
    return replay_in_tiers(trace, policy, capacity, **options)


def check_policy(policy: object) -> None:
    """Raise `ArgumentError` for what lacks rules, as a class does, or trims in no known way."""
    if isinstance(policy, type):
        raise ArgumentError("policy", policy, f"a policy such as LRU(): a value, {policy.__name__}(...)")
    missing = [rule for rule in (*RULES, "trim") if not hasattr(policy, rule)]
    if missing and not any(hasattr(policy, way) for way in OTHER_WAYS):
        derived = f"one derived from LeastRecentlyUsed, for its {', '.join(missing)}"
        raise ArgumentError("policy", policy, derived if len(missing) <= len(RULES) else "a policy such as LRU()")
    check_trim(getattr(policy, "trim", None))


def check_forest_cache(policy: AnyPolicy, cache: Cache) -> None:
    """Raise `ArgumentError` for a cache that is none, and for a policy that a forest is not replayed by."""
    if cache not in ("strict", "holes") and not isinstance(cache, RadixNodes):
        raise ArgumentError("cache", cache, "'strict', 'holes' or RadixNodes()")
    if not runs_on_forests(policy):
        raise ArgumentError("policy", policy, "one with rules, as a forest is replayed by those alone")
    if isinstance(cache, RadixNodes) and hasattr(policy, "memory") and not isinstance(policy, ByResidence):
        raise ArgumentError("cache", cache, f"'strict' or 'holes' for {policy!r}, which remembers blocks")


def replay_forest(
    instance: ForestInstance, policy: AnyPolicy, cache: Cache = "strict", engine: Engine = "auto"
) -> Outcome:
    """Replay an instance of a forest that was checked before; see `replay`."""
    check_forest_cache(policy, cache)
    by_kernel, by_reference = _forest_engines(cache)
    long = int(instance.requests.past.sum()) >= KERNEL_FROM
    if not instance.is_plain:
        _check_plain_loops(instance, cache, engine)
        return by_reference(instance, policy)
    if engine == "kernel" or (engine == "auto" and long and prefers_kernel(policy)):
        with suppress(*(() if engine == "kernel" else (NotCompiledError,))):
            return by_kernel(instance, policy)
    return by_reference(instance, policy)


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


def replay_instance(
    instance: Instance,
    policy: AnyPolicy,
    engine: Engine = "auto",
    progress: Callable[[int], object] | None = None,
) -> Outcome:
    """Replay an instance that was checked before; see `replay`."""
    if hasattr(policy, "memory"):
        return _remembered(instance, policy, engine)
    if engine == "kernel":
        return _by_kernel(instance, policy)
    if engine == "auto" and len(instance.requests) >= KERNEL_FROM and prefers_kernel(policy):
        with suppress(NotCompiledError):
            return _by_kernel(instance, policy)
    outcome = replay_reference(instance, policy, progress)
    if outcome.cached.min(initial=0) < 0:
        raise ArgumentError("policy", policy, "one that keeps 0 or more of each conversation")
    return outcome


def _remembered(instance: Instance, policy: AnyPolicy, engine: Engine) -> Outcome:
    """Replay private conversations under a policy with a memory, by runs of units or unit by unit."""
    from teltheory.replay.chains.remembering import replay_runs, replay_units

    if engine != "reference":
        with suppress(*(() if engine == "kernel" else (NotCompiledError,))):
            return replay_runs(instance, policy)
    return replay_units(instance, policy)


def in_reference(policy: AnyPolicy, turns: int) -> bool:
    """Whether a replay of so many turns is slow, as no compiled loop is known to do what the policy does."""
    return turns >= KERNEL_FROM and not prefers_kernel(policy)


def kernel_is_compiled() -> bool:
    """Whether an earlier run left the kernel's machine code on disk, so that the next one need not compile."""
    return any((Path(__file__).parent / "chains" / "__pycache__").glob("lru.*.nbi"))


def _by_kernel(instance: Instance, policy: AnyPolicy) -> Outcome:
    from teltheory.replay.chains.kernel import replay_kernel

    return replay_kernel(instance, policy)
