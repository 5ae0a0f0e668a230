"""Serving by parts: where a router never looks at what happened, each replica's requests are replayed alone.

1. One replica, `RoundRobin` and `Hash` say before the first request which replica serves which. A replica's cache
   sees its requests one after the other, in order of arrival, whatever the times are (step 3 of
   `teltheory.serving.engine`). So what they reuse is what a replay of them alone says.
2. Loading and computing follow from what is reused, each number by itself.
3. Then waits are added in order of arrival (Lindley 1952), by the sums of the plain engine: the same bits.

A part is a trace or a forest of its own. It numbers its requests anew, and knows no turns that go elsewhere. So of
several replicas only policies are served by parts whose rules look at neither.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import singledispatch
from itertools import pairwise
from typing import Any, NamedTuple, cast

import numpy as np

from teltheory.base.loops import call
from teltheory.model.forest import Forest
from teltheory.model.hints import CLOSE, WHAT, Hints
from teltheory.model.instance import instance_of
from teltheory.model.numbers import FloatArray, IntArray, readonly
from teltheory.model.outcome import Outcome
from teltheory.model.tiers import TieredOutcome, Tiers, tiers_of
from teltheory.model.trace import Trace
from teltheory.policies.future import looks_at
from teltheory.policies.hinted import NAMED
from teltheory.policies.policy import NotCompiledError, settled
from teltheory.policies.residence import FIFO, LFU, SLRU
from teltheory.replay.asked import Asked
from teltheory.replay.kinds import replayed_in
from teltheory.replay.tiers.chains import Row
from teltheory.replay.tiers.nodes import listens, policy_of_each_tier, unhinted
from teltheory.replay.tiers.replays import Moves
from teltheory.serving.routers import ROUTERS, Hash, RoundRobin, hashed
from teltheory.serving.work import Price, Work

ELSEWHERE = ("next", "coming", "ended", "last", "first", "code")
"""What of a node is another in a part: turns to come, and numbers."""


class ToServe(NamedTuple):
    """What `serve` is asked, checked; the router is no name."""

    work: Work
    policy: Any
    memory: int | Tiers
    forced: bool
    cache: Any
    router: Any
    replicas: int
    price: Price


class RequestTimes(NamedTuple):
    """Of each request: its replica, and seconds."""

    replica: IntArray
    start: FloatArray
    load: FloatArray
    compute: FloatArray
    service: FloatArray


def served_by_parts(asked: ToServe) -> tuple[RequestTimes, Moves]:
    """Serve requests; `NotCompiledError` if the replicas' parts are not replayed one by one, or not compiled."""
    replica = replica_of_each(asked.router, asked.work, asked.replicas)
    moved = moved_by_parts(asked, replica)
    load, found = asked.price.load(moved.cached), asked.price.compute(moved.cached, asked.work.inputs)
    compute: FloatArray = np.zeros(len(replica)) + found
    service: FloatArray = asked.price.service(load, compute)
    times = RequestTimes(replica, np.empty(len(replica)), load, compute, service)
    free = np.full(asked.replicas, -np.inf)
    call("add_waits", len(replica), asked.replicas, asked.work.arrival, replica, service, times.start, free)
    return times, moved


def replica_of_each(router: Any, work: Work, replicas: int) -> IntArray:
    """Return the replica of each request, if the router knows it before any is served."""
    if replicas == 1 and type(router) in map(type, ROUTERS.values()):
        return readonly(np.zeros(len(work), np.int64))
    if type(router) not in (RoundRobin, Hash):
        raise NotCompiledError("router", router, "engine='reference' for it")
    turns = np.arange(len(work)) if type(router) is RoundRobin else hashed(work.session)
    return readonly((turns % turns.dtype.type(replicas)).astype(np.int64))


def moved_by_parts(asked: ToServe, replica: IntArray) -> Moves:
    """Return what requests move, given the replica of each; `NotCompiledError` as `served_by_parts` raises it."""
    replay, requests = _checked(asked), asked.work.requests
    if asked.replicas == 1:
        return _moves(requests, replay)
    tiers, n = len(tiers_of(asked.memory)), len(replica)
    moved = Moves(*(np.empty(shape, np.int64) for shape in ((tiers, n), n, (tiers - 1, n), (tiers - 1, n))))
    for chosen, part in _some(parts_of(requests, replica, asked.replicas)):
        for whole, own in zip(moved, _moves(part, replay), strict=True):
            whole[..., chosen] = own
    return Moves(*map(readonly, moved))


@dataclass(frozen=True)
class Replayed:
    """A cache whose requests were replayed before; no router looks at it."""

    rows: list[Row]

    def found(self, k: int) -> tuple[int, ...]:
        """Return what request k reuses of each tier."""
        return self.rows[k][0]

    def serve(self, k: int) -> Row:
        """Return what request k moves."""
        return self.rows[k]


def replayed_caches(asked: ToServe) -> list[Replayed]:
    """Return the cache of each replica, its part replayed; `NotCompiledError` as `served_by_parts` raises it."""
    moved = moved_by_parts(asked, replica_of_each(asked.router, asked.work, asked.replicas))
    each = ([tuple(row) for row in rows.T.tolist()] for rows in (moved.cached, moved.copied, moved.loaded))
    cached, copied, loaded = each
    rows = list(zip(cached, moved.written.tolist(), copied, loaded, strict=True))
    return [Replayed(rows)] * asked.replicas


def _checked(asked: ToServe) -> Asked:
    """Return how parts are replayed; errors are those of the plain engine."""
    requests, tiers = asked.work.requests, tiers_of(asked.memory)
    strict = asked.cache == "strict"
    if not strict and not (requests.shared and asked.replicas == 1):
        raise NotCompiledError("cache", asked.cache, "'strict', or engine='reference' for it")
    instance_of(requests, tiers.capacities[0], forced=asked.forced)
    each = policies_of(asked)
    simple = all(not hasattr(policy, "memory") or type(policy) in (FIFO, LFU, SLRU) for policy in each)
    if not (asked.replicas == 1 or (simple and not looks_at(each, ELSEWHERE))):
        expected = "one that looks at neither turns to come nor numbers, or engine='reference' for it"
        raise NotCompiledError("policy", asked.policy, expected)
    if listens(asked.policy):
        return _told(asked)
    if len(tiers) == 1 and simple and strict:
        return Asked(each[0], tiers.capacities[0], asked.forced, engine="kernel")
    return Asked(each, tiers, asked.forced, engine="kernel", cache=asked.cache)


def _told(asked: ToServe) -> Asked:
    """Return how parts are replayed under hints; not an author's own ones, which may look at numbers."""
    several, tiers = isinstance(asked.policy, (tuple, list)), tiers_of(asked.memory)
    each = asked.policy if several else (asked.policy,)
    own = [hint for one in each for hint in getattr(one, "hints", ()) if hint not in NAMED.values()]
    if own and asked.replicas > 1:
        raise NotCompiledError("use", own[0], "the toolkit's hints, or engine='reference' for it")
    if len(tiers) == 1 and asked.cache == "strict":
        return Asked(each[0], tiers.capacities[0], asked.forced)
    return Asked(asked.policy, tiers, asked.forced, cache=asked.cache)


def policies_of(asked: ToServe) -> Any:
    """Return each tier's policy, without its hints, settled and checked as the plain engine does."""
    several, tiers = isinstance(asked.policy, (tuple, list)), tiers_of(asked.memory)
    each, rounds = unhinted(asked.policy), asked.cache == "strict" and not listens(asked.policy)
    each = settled(tuple(each) if several else (each,) * len(tiers), asked.work.requests, rounds)
    policy_of_each_tier(each, tiers, rounds=True)
    return each


def copied_by_parts(asked: ToServe, replica: IntArray) -> IntArray:
    """Return what replicas copied to slower tiers, given the replica of each request: each replays its own."""
    tiers = tiers_of(asked.memory)
    copied = np.empty((len(tiers) - 1, len(replica)), np.int64)
    replay = Asked(policies_of(asked), tiers, asked.forced)
    for chosen, part in _some(parts_of(asked.work.requests, replica, asked.replicas)):
        copied[:, chosen] = replayed_in(tiers, part, replay).copied
    return readonly(copied)


def _some(parts: Iterator[tuple[IntArray, Any]]) -> Iterator[tuple[IntArray, Any]]:
    """Yield the parts that have requests."""
    return (pair for pair in parts if len(pair[0]))


def _moves(requests: Trace | Forest, asked: Asked) -> Moves:
    """Replay requests; return what they move."""
    outcome: Outcome | TieredOutcome = replayed_in(asked.capacity, requests, asked)
    written = requests.past - outcome.cached if outcome.written is None else outcome.written
    return Moves(outcome.by_tier, written, outcome.copied, outcome.loaded)


@singledispatch
def parts_of(requests: Any, replica: IntArray, replicas: int) -> Iterator[tuple[IntArray, Any]]:
    """Yield which requests each replica serves, and these as one sees them that is sent no others."""
    raise NotCompiledError("trace", type(requests).__name__, "a Trace or a Forest")


@parts_of.register(Trace)
def _of_turns(trace: Trace, replica: IntArray, replicas: int) -> Iterator[tuple[IntArray, Trace]]:
    """Yield turns; what of a history came at turns elsewhere is part of the prompt."""
    n, sessions = len(trace), trace.conversations
    begin, latest = np.zeros(replicas + 1, np.int64), np.full(sessions, -1, np.int64)
    turns = np.empty((5, n), np.int64)
    columns = replica, trace.code, trace.history, trace.past
    call("split_turns", n, replicas, sessions, *columns, begin, *turns, latest)
    order, code, previous, following, known = readonly(turns)
    for first, end in pairwise(begin.tolist()):
        chosen, place = order[first:end], slice(first, end)
        prompt = trace.prompt[chosen] + (trace.history[chosen] - known[place])
        lengths = readonly(prompt), readonly(trace.response[chosen]), known[place]
        times = None if trace.arrival is None else readonly(trace.arrival[chosen])
        hints = hints_on(trace, chosen)
        part = Trace(code[place], *lengths, times, False, block_size=trace.block_size, hints=hints)
        vars(part).update(code=code[place], previous_turn=previous[place], next_turn=following[place])
        yield chosen, part


@parts_of.register(Forest)
def _of_paths(forest: Forest, replica: IntArray, replicas: int) -> Iterator[tuple[IntArray, Forest]]:
    """Yield requests on all nodes, whose numbers stay."""
    names = "leaf", "ask", "total", "arrival", "tokens", "conversation"
    columns = {name: column for name in names if (column := getattr(forest, name)) is not None}
    for r in range(replicas):
        chosen = np.flatnonzero(replica == r)
        own: dict[str, Any] = {name: readonly(column[chosen]) for name, column in columns.items()}
        yield chosen, replace(forest, hints=hints_on(forest, chosen), **own)


def hints_on(requests: Trace | Forest, chosen: IntArray) -> Hints | None:
    """Return what a replica hears that serves some requests: what is told of them, and all ends of their agents.

    An end is about the last of the agent's requests there that came no later than the one that it was told of.
    """
    hints, n = requests.hints, len(requests)
    if hints is None:
        return None
    agent = np.unique(hints.own_agent, return_inverse=True)[1] * n
    here, about = np.sort(agent[chosen] + chosen), agent[hints.request] + hints.request
    last = np.append(here, -n)[np.searchsorted(here, about, "right") - 1]
    ends, void = hints.what == WHAT.index(CLOSE), hints.void(cast(FloatArray, requests.arrival))
    kept = ~void & (~ends | (last // n == about // n))
    columns = {name: readonly(getattr(hints, name)[kept]) for name in ("time", "what", "value")}
    return replace(hints, request=readonly(np.where(ends, last % n, hints.request)[kept]), **columns)[chosen]
