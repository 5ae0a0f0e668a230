"""Which loop replays private conversations: the compiled one, the one that remembers, or the reference."""

from __future__ import annotations

from collections.abc import Callable

from teltheory.errors import ArgumentError
from teltheory.model.instance import Instance
from teltheory.model.numbers import exact_sum
from teltheory.model.outcome import Outcome
from teltheory.policies.policy import AnyPolicy, prefers_kernel
from teltheory.replay.asked import KERNEL_FROM, UNITS_A_TURN, Engine, or_reference
from teltheory.replay.chains.reference import replay_reference


def replay_instance(
    instance: Instance,
    policy: AnyPolicy,
    engine: Engine = "auto",
    progress: Callable[[int], object] | None = None,
) -> Outcome:
    """Replay an instance that was checked before; see `replay`."""
    if hasattr(policy, "told"):
        return _told(instance, policy, engine)
    if hasattr(policy, "memory"):
        return _remembered(instance, policy, engine)
    turns = len(instance.requests)
    if engine == "kernel" or (engine == "auto" and turns >= KERNEL_FROM and prefers_kernel(policy)):
        with or_reference(engine, turns):
            return _by_kernel(instance, policy)
    outcome = replay_reference(instance, policy, progress)
    if outcome.cached.min(initial=0) < 0:
        raise ArgumentError("policy", policy, "one that keeps 0 or more of each conversation")
    return outcome


def _told(instance: Instance, policy: AnyPolicy, engine: Engine) -> Outcome:
    """Replay private conversations under a policy that listens to hints: as the forest of their turns."""
    from teltheory.replay.trees.replays import replay_forest

    return Outcome.of(instance, replay_forest(instance.as_forest(), policy, "strict", engine).cached)


def _remembered(instance: Instance, policy: AnyPolicy, engine: Engine) -> Outcome:
    """Replay private conversations under a policy with a memory, by runs of units or unit by unit."""
    from teltheory.replay.chains.remembering import replay_runs, replay_units

    if engine != "reference":
        with or_reference(engine, exact_sum(instance.requests.past) // UNITS_A_TURN):
            return replay_runs(instance, policy)
    return replay_units(instance, policy)


def _by_kernel(instance: Instance, policy: AnyPolicy) -> Outcome:
    from teltheory.replay.chains.dispatch import replay_kernel

    return replay_kernel(instance, policy)
