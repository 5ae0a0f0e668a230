"""Replay of a trace of applications: the turns are replayed as private conversations, in their order.

1. A policy with one threshold an application is bound to the trace first (`ApplicationTLRU.on`); any other policy
   of `teltheory.replay.replay` knows conversations and no applications.
2. Then it is the replay of the turns, `teltheory.replay.chains.reference` or a compiled loop, with the same
   outcome.

What comes of it for applications is in `teltheory.cost.applications`.
"""

from __future__ import annotations

from typing import Any

from teltheory.errors import ArgumentError
from teltheory.model.applications import ApplicationTrace
from teltheory.model.outcome import Outcome
from teltheory.replay import Engine, replay

__all__ = ["replay_applications"]


def replay_applications(
    apps: ApplicationTrace, policy: Any, capacity: int, forced: bool = False, engine: Engine = "auto"
) -> Outcome:
    """Replay applications under a policy.

    Parameters
    ----------
    apps : ApplicationTrace
        The applications.
    policy : ApplicationTLRU or any policy of `teltheory.replay.replay`
        What is kept, and what goes first.
    capacity : int
        Capacity of the cache, in the trace's unit.
    forced, engine : bool, {"auto", "kernel", "reference"}
        As in `teltheory.replay.replay`.

    Returns
    -------
    Outcome
        ``cached`` and ``uncached`` of each turn, int64, in the trace's unit.
    """
    if not isinstance(apps, ApplicationTrace):
        raise ArgumentError("apps", type(apps).__name__, "an ApplicationTrace")
    bound = policy.on(apps) if hasattr(policy, "on") and not isinstance(policy, type) else policy
    return replay(apps.trace, bound, capacity, forced, engine=engine)
