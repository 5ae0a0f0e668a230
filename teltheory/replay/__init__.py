"""Replay of a trace under a policy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from teltheory.errors import ArgumentError
from teltheory.instance import Initial, Instance
from teltheory.outcome import Outcome
from teltheory.policies.policy import AnyPolicy
from teltheory.replay.reference import replay_reference
from teltheory.trace import Trace

__all__ = ["Engine", "replay", "replay_reference"]

Engine = Literal["auto", "kernel", "reference"]


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
    policy : Policy
        `LRU`, `TLRU`, ... or any value with the rules of `teltheory.policies.Policy`.
    capacity : int
        Capacity of the cache, in the trace's unit.
    forced : bool
        Forced caching (Zhang et al. 2025, Appendix E): the arriving conversation is exempt from the cut of
        its own turn.
    initial : iterable of (conversation, past, cached)
        Initial cache, least recent first.
    engine : {"auto", "reference"}
        The reference is the one engine so far, and what "auto" takes; "kernel" is the name of one to come.
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
    if engine not in ("auto", "reference"):
        raise ArgumentError("engine", engine, "'auto' or 'reference'; this release has no kernel")
    if isinstance(policy, type) or not (hasattr(policy, "cut") or hasattr(policy, "budget")):
        raise ArgumentError("policy", policy, "a policy such as LRU()")
    instance = Instance.of(trace, capacity, forced=forced, initial=initial)
    outcome = replay_reference(instance, policy, progress)
    if outcome.cached.min(initial=0) < 0:
        raise ArgumentError("policy", policy, "one that keeps 0 or more of each conversation")
    return outcome
