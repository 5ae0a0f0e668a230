"""Replay of a trace under a policy."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Literal, get_args

from teltheory.errors import ArgumentError
from teltheory.model.instance import Initial, Instance
from teltheory.model.outcome import Outcome
from teltheory.model.trace import Trace
from teltheory.policies.policy import OTHER_WAYS, AnyPolicy, NotCompiledError, prefers_kernel
from teltheory.replay.reference import replay_reference

__all__ = [
    "Engine",
    "check_policy",
    "in_reference",
    "kernel_is_compiled",
    "replay",
    "replay_instance",
    "replay_reference",
]

Engine = Literal["auto", "kernel", "reference"]
KERNEL_FROM = 2000
"""Turns from which on the kernel is quicker than loading it."""


def replay(
    trace: Trace,
    policy: AnyPolicy,
    capacity: int,
    forced: bool = False,
    initial: Initial = (),
    engine: Engine = "auto",
    progress: Callable[[int], object] | None = None,
) -> Outcome:
    """Replay a trace under a policy.

    Parameters
    ----------
    trace : Trace
        The turns.
    policy : Policy, CuttingPolicy, TimedPolicy, WatchingPolicy or ObservingPolicy
        `LRU`, `TLRU`, ... or any value with the rules of `teltheory.policies.Policy`.
    capacity : int
        Capacity of the cache, in the trace's unit.
    forced : bool
        Forced caching (Zhang et al. 2025, Appendix E): the arriving conversation is exempt from the cut of
        its own turn.
    initial : iterable of (conversation, past, cached)
        Initial cache, least recent first.
    engine : {"auto", "kernel", "reference"}
        The kernel is compiled (on its first call, then kept on disk) and runs policies whose rules are written on
        arrays (`teltheory.policies.on_arrays`) and do not look at what is cached; the reference is plain Python
        and runs every policy. "auto" takes the kernel for traces from 2,000 turns on if it runs the policy. Both
        have the same outcome.
    progress : callable, optional
        Called with the number of turns done, now and then.

    Returns
    -------
    Outcome
        ``cached`` and ``uncached``, int64, one entry a turn.

    Raises
    ------
    ArgumentError, TraceError, ForcedCachingError
        As `Instance.of` does; all are `ValueError`.
    """
    if engine not in get_args(Engine):
        raise ArgumentError("engine", engine, "'auto', 'kernel' or 'reference'")
    check_policy(policy)
    instance = Instance.of(trace, capacity, forced=forced, initial=initial)
    return replay_instance(instance, policy, engine, progress)


def check_policy(policy: object) -> None:
    """Raise `ArgumentError` for what has none of a policy's rules, such as a policy's class."""
    if isinstance(policy, type) or not any(hasattr(policy, way) for way in ("budget", *OTHER_WAYS)):
        raise ArgumentError("policy", policy, "a policy such as LRU()")


def replay_instance(
    instance: Instance,
    policy: AnyPolicy,
    engine: Engine = "auto",
    progress: Callable[[int], object] | None = None,
) -> Outcome:
    """Replay an instance that was checked before; see `replay`."""
    if engine == "kernel":
        return _by_kernel(instance, policy, progress)
    if engine == "auto" and len(instance.trace) >= KERNEL_FROM and prefers_kernel(policy):
        with suppress(NotCompiledError):
            return _by_kernel(instance, policy, progress)
    outcome = replay_reference(instance, policy, progress)
    if outcome.cached.min(initial=0) < 0:
        raise ArgumentError("policy", policy, "one that keeps 0 or more of each conversation")
    return outcome


def in_reference(policy: AnyPolicy, turns: int) -> bool:
    """Whether a replay of so many turns is slow, as no compiled loop is known to do what the policy does."""
    return turns >= KERNEL_FROM and not prefers_kernel(policy)


def kernel_is_compiled() -> bool:
    """Whether an earlier run left the kernel's machine code on disk, so that the next one need not compile."""
    return any((Path(__file__).parent / "__pycache__").glob("lru.*.nbi"))


def _by_kernel(instance: Instance, policy: AnyPolicy, progress: Callable[[int], object] | None) -> Outcome:
    from teltheory.replay.kernel import replay_kernel

    outcome = replay_kernel(instance, policy)
    if progress is not None:
        progress(len(outcome))
    return outcome
