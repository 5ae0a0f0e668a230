"""The table of kinds: how the requests of each kind are replayed, in one cache and in tiers of memory.

A kind has an entry in each function below that it can do, as ``@replayed.register(Kind)``; what it can't is an
error that names it. Two more columns of the table are `teltheory.replay.tiers.replays.servers`, of what serves
requests one by one in tiers, and `teltheory.replay.curve.one_pass`, of curves.
"""

from __future__ import annotations

from functools import singledispatch
from typing import Any

from teltheory.errors import ArgumentError
from teltheory.model.forest import Forest
from teltheory.model.instance import ForestInstance, ModuleInstance, instance_of
from teltheory.model.module_trace import ModuleTrace
from teltheory.model.outcome import Outcome
from teltheory.model.tiers import TieredOutcome, Tiers
from teltheory.model.trace import Trace
from teltheory.policies.policy import NotCompiledError
from teltheory.replay.asked import Asked, check_policy
from teltheory.replay.chains.replays import replay_instance
from teltheory.replay.radix.nodes import RadixNodes
from teltheory.replay.sets import checked_set_cache, replay_sets
from teltheory.replay.tiers.nodes import WholeNodes
from teltheory.replay.trees.replays import replay_forest


@singledispatch
def replayed_in(memory: Any, requests: Any, asked: Asked) -> Any:
    """Replay requests in a memory: in one cache, or in tiers."""
    return replayed(requests, asked)


@replayed_in.register(Tiers)
def _in_tiers(memory: Tiers, requests: Any, asked: Asked) -> Any:
    return replayed_in_tiers(requests, asked)


@singledispatch
def replayed(requests: Any, asked: Asked) -> Any:
    """Replay requests in one cache."""
    raise ArgumentError("trace", type(requests).__name__, "a Trace")


@singledispatch
def replayed_in_tiers(requests: Any, asked: Asked) -> Any:
    """Replay requests in tiers of memory."""
    raise ArgumentError("trace", type(requests).__name__, "a Trace, a Forest or a ModuleTrace in tiers")


@replayed.register(Trace)
def _turns(trace: Trace, asked: Asked) -> Outcome:
    _check_strict(asked)
    check_policy(asked.policy)
    given: Any = asked.capacity
    instance = instance_of(trace, given, forced=asked.forced, initial=asked.initial, running=asked.running)
    return replay_instance(instance, asked.policy, asked.engine, asked.progress)


@replayed_in_tiers.register(Trace)
def _turns_in_tiers(trace: Trace, asked: Asked) -> Outcome | TieredOutcome:
    from teltheory.replay.tiers.replays import replay_turns

    _check_strict(asked)
    _check_empty(asked)
    return replay_turns(trace, asked)


@replayed.register(Forest)
def _prefixes(forest: Forest, asked: Asked) -> Outcome:
    if isinstance(asked.cache, WholeNodes):
        return _prefixes_in_tiers(forest, asked)  # type: ignore[return-value]
    check_policy(asked.policy)
    given: Any = asked.capacity
    forced = asked.forced or isinstance(asked.cache, RadixNodes)
    instance = ForestInstance.of(forest, given, forced=forced, initial=asked.initial, running=asked.running)
    return replay_forest(instance, asked.policy, asked.cache, asked.engine)


@replayed_in_tiers.register(Forest)
def _prefixes_in_tiers(forest: Forest, asked: Asked) -> Outcome | TieredOutcome:
    from teltheory.replay.tiers.replays import replay_prefixes

    _check_empty(asked)
    return replay_prefixes(forest, asked)


@replayed.register(ModuleTrace)
def _sets(trace: ModuleTrace, asked: Asked) -> Outcome:
    instance = _items(trace, asked, asked.capacity)
    check_policy(asked.policy)
    return replay_sets(instance, asked.policy, asked.engine)


@replayed_in_tiers.register(ModuleTrace)
def _sets_in_tiers(trace: ModuleTrace, asked: Asked) -> Outcome | TieredOutcome:
    from teltheory.replay.tiers.replays import replay_one_by_one

    tiers: Any = asked.capacity
    instance = _items(trace, asked, tiers.capacities[0])
    if asked.engine == "kernel":
        raise NotCompiledError("engine", asked.engine, "'auto' or 'reference' for module sets in tiers")
    return replay_one_by_one(instance, asked)


def _items(trace: ModuleTrace, asked: Asked, size: Any) -> ModuleInstance:
    whole = checked_set_cache(asked.cache)
    for name, given, only in (("initial", tuple(asked.initial), ()), ("running", asked.running, 1)):
        if given != only:
            raise ArgumentError(name, given, f"{only!r} for module sets")
    return ModuleInstance.of(trace, size, forced=asked.forced, whole=whole)


def _check_strict(asked: Asked) -> None:
    if asked.cache != "strict":
        raise ArgumentError("cache", asked.cache, "a Forest with it, such as trace.forest")


def _check_empty(asked: Asked) -> None:
    """Raise `ArgumentError` for what tiers do not begin with."""
    if tuple(asked.initial):
        raise ArgumentError("initial", asked.initial, "an empty cache in tiers")
    if asked.running != 1:
        raise ArgumentError("running", asked.running, "1 in tiers")
