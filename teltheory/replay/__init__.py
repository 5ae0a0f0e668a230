"""Replay of a trace under a policy."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, get_args, overload

from teltheory.base.progress import Progress, Report, reporting
from teltheory.cost.given import Model, Size, Units
from teltheory.errors import ArgumentError
from teltheory.model.initial import Initial
from teltheory.model.outcome import Outcome
from teltheory.model.requests import Requests
from teltheory.model.tiers import TieredOutcome, Tiers
from teltheory.policies.named import policy_of
from teltheory.policies.policy import AnyPolicy, prefers_kernel
from teltheory.replay.asked import KERNEL_FROM, Asked, Cache, Engine, check_policy
from teltheory.replay.chains.reference import replay_reference
from teltheory.replay.chains.replays import replay_instance
from teltheory.replay.engine_rules import Rules
from teltheory.replay.kinds import replayed_in
from teltheory.replay.radix.nodes import RadixNodes
from teltheory.replay.tiers.nodes import WholeNodes
from teltheory.replay.trees.replays import check_forest_cache, replay_forest

__all__ = [
    "KERNEL_FROM",
    "Cache",
    "Engine",
    "RadixNodes",
    "Rules",
    "WholeNodes",
    "check_forest_cache",
    "check_policy",
    "in_reference",
    "replay",
    "replay_forest",
    "replay_instance",
    "replay_reference",
]


@overload
def replay(
    trace: Requests,
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
    rules: Rules | str | None = None,
) -> Outcome: ...


@overload
def replay(
    trace: Requests,
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
    rules: Rules | str | None = None,
) -> TieredOutcome: ...


def replay(
    trace: Requests,
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
    rules: Rules | str | None = None,
) -> Outcome | TieredOutcome:
    """Replay a trace as private conversations, a forest of shared prefixes, or module sets, under a policy.

    Parameters
    ----------
    trace, capacity, forced, initial, cache, running, model, rules : as in `Problem`
    policy : str, Policy, CuttingPolicy, TimedPolicy, WatchingPolicy or ObservingPolicy
        `LRU`, `TLRU`, ..., a short form such as ``"tlru:xi=2800"``, or any value with the rules of
        `teltheory.policies.Policy`. In tiers it works by rules, and may be several, one for each tier.
    engine : {"auto", "kernel", "reference"}
        The kernel is machine code, for policies whose rules are on arrays (`teltheory.policies.on_arrays`) and do
        not look at what is cached; the reference is plain Python. "auto" takes the kernel from 500 turns on.
    progress : callable or bool, optional
        Called with the turns done, and all of them, now and then; True shows a bar on standard error.

    Returns
    -------
    Outcome or TieredOutcome
        ``cached`` and ``uncached``, int64, one entry a turn, in its unit. In tiers ``cached`` has a row for each,
        and ``uncached`` is a list of fractions: what is loaded counts as its share of computing.

    Raises
    ------
    ArgumentError, TraceError, ForcedCachingError
        As `Instance.of` does; all are `ValueError`.
    """
    check_engine(engine)
    units, ruled = Units.of(trace, model), Rules.of(rules)
    policy, memory = ruled.policy(policy_of(policy, trace, units)), units.memory(capacity)
    seen, room, cache, forced = ruled.on(trace, memory, cache, forced, running)
    with reporting(progress, "Replaying") as report:
        told = partial(_told, report, len(trace))
        asked = Asked(policy, room, forced, initial, engine, cache, running, told)
        outcome: Outcome | TieredOutcome = replayed_in(room, seen, asked)
        told(len(outcome))
        return outcome


def check_engine(engine: object) -> None:
    """Raise `ArgumentError` for what is no engine."""
    if engine not in get_args(Engine):
        raise ArgumentError("engine", engine, "'auto', 'kernel' or 'reference'")


def _told(report: Report, turns: int, done: int) -> None:
    report(done, turns)


def in_reference(policy: AnyPolicy, turns: int) -> bool:
    """Whether a replay of so many turns is slow, as no compiled loop is known to do what the policy does."""
    return turns >= KERNEL_FROM and not prefers_kernel(policy)
