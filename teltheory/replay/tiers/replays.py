"""Replays in tiers of memory, of forests and of private conversations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, singledispatch
from operator import sub
from typing import Any, NamedTuple

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.model.forest import Forest
from teltheory.model.instance import ForestInstance, Instance, Instances, ModuleInstance, instance_of
from teltheory.model.numbers import IntArray, exact_sum, readonly
from teltheory.model.outcome import Outcome
from teltheory.model.requests import Requests
from teltheory.model.tiers import TieredOutcome, Tiers, tiers_of
from teltheory.model.trace import Trace
from teltheory.policies.policy import NotCompiledError, settled
from teltheory.replay.asked import KERNEL_FROM, Asked, or_reference
from teltheory.replay.chains.replays import replay_instance
from teltheory.replay.sets.tiers import SetsInTiers
from teltheory.replay.tiers import differences
from teltheory.replay.tiers.chains import Row, turns_of
from teltheory.replay.tiers.copies import conversations_in
from teltheory.replay.tiers.forests import replay_forest_in_tiers
from teltheory.replay.tiers.nodes import WholeNodes, listens
from teltheory.replay.tiers.reference import PlainTree
from teltheory.replay.tiers.tree import TieredTree
from teltheory.replay.trees.replays import replay_forest

MOST_TOLD = 200_000
"""Units of paths replayed under hints in tiers, or one request at a time, which the reference alone does."""


def replay_turns(trace: Trace, asked: Asked) -> Outcome | TieredOutcome:
    """Replay private conversations in tiers."""
    tiers = tiers_of(asked.capacity)
    instance = instance_of(trace, tiers.capacities[0], forced=asked.forced)
    if listens(asked.policy):
        return _told(instance, asked)
    if asked.engine == "auto" and len(trace) >= KERNEL_FROM and differences.pays(instance, asked.policy, tiers):
        return _by_differences(instance, asked, replay_instance)
    return _turns_in_tiers(instance, asked)


def _turns_in_tiers(instance: Instance, asked: Asked) -> Outcome | TieredOutcome:
    if asked.engine == "kernel" or (asked.engine == "auto" and len(instance) >= KERNEL_FROM):
        with or_reference(asked.engine, len(instance)):
            return _by_kernel(instance, asked.policy, tiers_of(asked.capacity))
    return replay_one_by_one(instance, asked)


def replay_prefixes(forest: Forest, asked: Asked) -> Outcome | TieredOutcome:
    """Replay a forest in tiers, or one cache of whole nodes as the only tier."""
    tiers = tiers_of(asked.capacity)
    instance = instance_of(forest, tiers.capacities[0], forced=asked.forced)
    if listens(asked.policy):
        return _told(instance, asked)
    long = asked.engine == "auto" and exact_sum(forest.past) >= KERNEL_FROM
    if asked.cache != "strict" or forest.is_cut or not (long or asked.engine == "kernel"):
        return replay_one_by_one(instance, asked)
    with or_reference("auto", len(instance)):
        if long and differences.covered(instance, asked.policy, tiers):
            return _by_differences(instance, asked, replay_forest)
    return _prefixes_in_tiers(instance, asked)


def _prefixes_in_tiers(instance: ForestInstance, asked: Asked) -> Outcome | TieredOutcome:
    """Replay a forest by the loop of several tiers, or by the tree in plain Python where the loop can't."""
    tiers = tiers_of(asked.capacity)
    with or_reference("auto", len(instance)):
        moved = Moves(*replay_forest_in_tiers(instance, asked.policy, tiers))
        outcome: TieredOutcome = made_in(tiers, instance.requests, moved)
        return outcome
    return replay_one_by_one(instance, asked)


def _by_differences(instance: Any, asked: Asked, replay: Callable[..., Outcome]) -> TieredOutcome:
    policy = differences.one_of(asked.policy, instance.requests)
    copied = partial(_copied_in_tiers, instance, asked)
    return differences.replay(instance, tiers_of(asked.capacity), partial(replay, policy=policy), copied)


def _copied_in_tiers(instance: Any, asked: Asked) -> IntArray:
    """Return what is copied to each slower tier, by a replay in tiers."""
    replay: Any = _prefixes_in_tiers if instance.requests.shared else _turns_in_tiers
    outcome: Any = replay(instance, asked)
    copied: IntArray = outcome.copied
    return copied


def _told(instance: Instances, asked: Asked) -> Outcome | TieredOutcome:
    """Replay an instance under policies that listen to hints, which no loop does in tiers."""
    if asked.engine == "kernel":
        raise NotCompiledError("policy", asked.policy, "engine='reference' under hints in tiers")
    return replay_one_by_one(instance, asked)


def replay_one_by_one(instance: Instances, asked: Asked) -> Outcome | TieredOutcome:
    """Replay an instance request by request."""
    kind = PlainTree if asked.engine == "reference" else TieredTree
    (server,) = servers(instance, asked.policy, tiers_of(asked.capacity), asked.cache, tree=kind)
    return outcome_of(asked.capacity, instance.requests, [server.serve(k) for k in range(len(instance))])


def _by_kernel(instance: Instance, policies: Any, tiers: Tiers) -> TieredOutcome:
    from teltheory.replay.tiers.rules import replay_kernel

    cached, written, copied = replay_kernel(instance, policies, tiers)
    return TieredOutcome(cached, instance.requests.total, tiers, written, copied, cached[1:])


def outcome_of(capacity: int | Tiers, requests: Requests, rows: list[Row]) -> Outcome | TieredOutcome:
    """Return the outcome of which a row was made for each request."""
    tiers = len(tiers_of(capacity))
    cached, written, copied, loaded = zip(*rows, strict=True) if rows else ((), (), (), ())
    out, back = (_columns(column, tiers - 1) for column in (copied, loaded))
    moved = Moves(_columns(cached, tiers), readonly(np.array(written, np.int64)), out, back)
    outcome: Outcome | TieredOutcome = made_in(capacity, requests, moved)
    return outcome


class Moves(NamedTuple):
    """What each request moved: `cached`, `copied` and `loaded` have a row for each tier, or each slower one."""

    cached: IntArray
    written: IntArray
    copied: IntArray
    loaded: IntArray


@singledispatch
def made_in(capacity: Any, requests: Requests, moved: Moves) -> Any:
    """Return the outcome of what was moved: of one cache, or of tiers."""
    counted = (moved.written, requests.inputs, requests.block_size) if requests.shared else ()
    return Outcome(moved.cached[0], readonly(requests.total - moved.cached[0]), *counted)


@made_in.register(Tiers)
def _of_tiers(capacity: Tiers, requests: Requests, moved: Moves) -> TieredOutcome:
    counted = (requests.inputs, requests.block_size) if requests.shared else ()
    return TieredOutcome(moved.cached, requests.total, capacity, *moved[1:], *counted)


def _columns(rows: Sequence[tuple[int, ...]], tiers: int) -> IntArray:
    """Return an array with a row for each tier."""
    return readonly(np.ascontiguousarray(np.array(rows, np.int64).reshape(len(rows), tiers).T))


@singledispatch
def servers(
    instance: Any, policies: Any, tiers: Tiers, cache: object, replicas: int = 1, tree: Any = TieredTree
) -> list[Any]:
    """Return what serves an instance's requests one after the other in tiers: one for each replica, all empty.

    Each has ``found(k)``, what request k would reuse of each tier, and ``serve(k)``, its row.
    """
    raise ArgumentError("trace", type(instance.requests).__name__, "a Trace, a Forest or a ModuleTrace in tiers")


@servers.register(Instance)
def _of_turns(
    instance: Instance, policies: Any, tiers: Tiers, cache: object, replicas: int = 1, tree: Any = TieredTree
) -> list[Any]:
    check_cache(cache)
    if listens(policies):
        return _of_prefixes(instance.as_forest(), policies, tiers, cache, replicas)
    turns = turns_of(instance)
    return [conversations_in(policies, tiers, turns, instance.forced) for _ in range(replicas)]


@servers.register(ForestInstance)
def _of_prefixes(
    instance: ForestInstance,
    policies: Any,
    tiers: Tiers,
    cache: object,
    replicas: int = 1,
    tree: Any = TieredTree,
) -> list[Any]:
    """Return trees, or private conversations as such where one of the policies, or the only one, trims in rounds.

    They have to be chains in a strict cache; the trees of other requests have no rounds.
    """
    forest, several = instance.requests, isinstance(policies, (list, tuple))
    if forest.is_cut:
        wanted = "trace.forest under hints" if listens(policies) else "the Trace that it is of"
        raise ArgumentError("trace", "a Forest whose histories cut", f"{wanted} in tiers")
    if listens(policies):
        if exact_sum(forest.past) > MOST_TOLD:
            expected = (
                f"at most {MOST_TOLD:,} blocks in all requests under hints, in tiers or by routers that look"
            )
            raise ArgumentError("trace", f"{exact_sum(forest.past):,} blocks", expected)
        return [ReplayedTree(forest, policies, tiers, instance.forced, cache, PlainTree) for _ in range(replicas)]
    each = settled(policies if several else (policies,), forest) if cache == "strict" else ()
    if any(getattr(policy, "trim", None) == "round-robin" for policy in each):
        return _of_turns(instance.as_chains(), policies, tiers, cache, replicas)
    return [ReplayedTree(forest, policies, tiers, instance.forced, cache, tree) for _ in range(replicas)]


@servers.register(ModuleInstance)
def _of_sets(
    instance: ModuleInstance,
    policies: Any,
    tiers: Tiers,
    cache: object,
    replicas: int = 1,
    tree: Any = TieredTree,
) -> list[Any]:
    return [SetsInTiers(instance, policies, tiers) for _ in range(replicas)]


def check_cache(cache: object) -> None:
    """Raise `ArgumentError` for a cache that is not there in tiers."""
    if cache != "strict" and not isinstance(cache, WholeNodes):
        raise ArgumentError("cache", cache, "'strict' or WholeNodes() in tiers")


class ReplayedTree:
    """A tree in tiers, step by step, that serves the requests of a forest one after the other.

    Under optional caching a request is over at once; else its path is pinned, and has to fit. Only the last one
    may be too long under forced caching, as in one cache: then nothing is cut after it.
    """

    def __init__(
        self, forest: Forest, policies: Any, tiers: Tiers, forced: bool, cache: object, kind: Any = TieredTree
    ) -> None:
        check_cache(cache)
        whole = isinstance(cache, WholeNodes)
        self.tree = kind(forest, tiers, policies, cache.block if isinstance(cache, WholeNodes) else 1, whole=whole)
        self.optional = not (forced or whole)
        nodes = forest if whole else forest.by_units()
        self.leaf = nodes.leaf.tolist()
        end = int(nodes.past[-1]) if len(nodes) else 0
        self.too_long = len(nodes) - 1 if forced and not whole and end > tiers.capacities[0] else None
        self.end = end
        self.ask, self.tail = forest.ask.tolist(), (forest.total - forest.ask).tolist()

    def found(self, k: int) -> tuple[int, ...]:
        """Return what request k would reuse of each tier; nothing changes."""
        return _of_input(self.tree.found(self.leaf[k]), self.ask[k])

    def serve(self, k: int) -> Row:
        """Serve request k."""
        tree = self.tree
        if k == self.too_long:
            found = tree.found(self.leaf[k])
            return _of_input(found, self.ask[k]), self.end - sum(found), (0,) * len(found[1:]), found[1:]
        written, copied, loaded = tree.written, tuple(tree.copied_to), tuple(tree.loaded_from)
        if self.optional:
            found = tree.optional(self.leaf[k], k, self.tail[k])
        else:
            started = tree.start(self.leaf[k], k, self.tail[k])
            assert started is not None  # nothing else runs
            found = started[0]
            tree.finish(self.leaf[k], k)
        moved = _since(copied, tree.copied_to), _since(loaded, tree.loaded_from)
        return _of_input(found, self.ask[k]), tree.written - written, *moved


def _since(before: tuple[int, ...], now: list[int]) -> tuple[int, ...]:
    return tuple(map(sub, now, before))


def _of_input(found: tuple[int, ...], ask: int) -> tuple[int, ...]:
    """Return how much of the input, the first units of the path, was found in each tier."""
    reused, left = [], ask
    for units in found:
        reused.append(min(units, left))
        left -= reused[-1]
    return tuple(reused)
