"""What a policy's rules say, as tables that the compiled loop looks up.

The nodes of the tree change as it is replayed, so a rule is asked in advance, for each value of what it looks at:
each visit to a piece if that is known before (next requests, high-water marks), else each value that the fact of a
node can have (its requests since it is there, its mark, its age). A rule that looks at more than one of those, or
at where a node ends, is for the reference.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from teltheory.base.loops import call
from teltheory.errors import ArgumentError, ForcedCachingError
from teltheory.model.forest import Forest
from teltheory.model.instance import ForestInstance
from teltheory.model.numbers import IntArray, exact_sum, readonly
from teltheory.model.outcome import Outcome
from teltheory.policies.policy import NotCompiledError, Policy, mark_of, settled
from teltheory.policies.residence import ByResidence
from teltheory.replay.chains.rules import whole_lengths
from teltheory.replay.radix.nodes import RadixNodes
from teltheory.replay.radix.sessions import RadixSessions
from teltheory.replay.trees.facts import VisitPieces
from teltheory.replay.trees.visits import Visits, levels

CONSTANT, VISIT, PAST, READ_BY, ADDED, WHEN = range(6)
"""What a rule looks at: nothing, the last visit to the node's first piece, or one of the node's own facts."""

MOST_NODES = 2**40
"""More than any memory holds."""
KNOWN_BEFORE = frozenset({"first", "code", "hits", "next", "coming", "ended", "past"})
OF_THE_MOMENT = frozenset({"depth", "length", "cached", "start"})


class RadixRule(NamedTuple):
    """What a policy says, for each value of the one thing that it looks at."""

    looks_at: int
    values: int
    says: IntArray

    @classmethod
    def of(cls, looks_at: int, says: Any) -> RadixRule:
        """Close what a rule says."""
        return cls(looks_at, len(says), readonly(np.array(says, np.int64)))


class RadixRules(NamedTuple):
    """A policy's rules, the number of trimming's ranks, which come before those of eviction, and that of both."""

    drops: RadixRule
    budget: RadixRule
    trimming: RadixRule
    eviction: RadixRule
    trims: int
    ranks: int


class Looking:
    """All visited pieces, of which it is noted what a rule reads; `facts` stand for the names in it."""

    def __init__(self, pieces: VisitPieces, facts: dict[str, Any]) -> None:
        self._pieces, self._facts = pieces, facts
        self.read: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        self.read.add(name)
        if name in OF_THE_MOMENT:
            raise NotCompiledError("policy", f"rules that look at {name}", "engine='reference' for it")
        return self._facts[name] if name in self._facts else getattr(self._pieces, name)


def replay_kernel(instance: ForestInstance, policy: Policy, nodes: RadixNodes) -> Outcome:
    """Replay a forest by the compiled loop; `NotCompiledError` if it does not do what the policy does."""
    if hasattr(policy, "told"):
        raise NotCompiledError("policy", policy, "engine='reference' for it where whole nodes go")
    policy = settled(policy, rounds=False)
    forest, chunk = instance.requests, nodes.most_units(instance.requests.block_size)
    visits = Visits.of(forest)
    rules = rules_of(policy, VisitPieces(forest, visits, mark_of(policy)))
    parts = visits.parent, visits.above, visits.length, levels(visits.parent), visits.start, visits.piece
    manner = 0 if chunk is None else chunk, nodes.split, nodes.renew, policy.trim == "eager"
    places = min(instance.capacity, int(visits.length.sum()), _made_at_most(forest, chunk)) + 1
    if places > MOST_NODES:
        raise ArgumentError("chunk", nodes.chunk, f"longer chunks, as there may be {places:,} nodes")
    n, pieces = len(forest), len(visits.parent)
    cached, written, needed = np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(2, np.int64)
    state = np.full(16 * places, -1, np.int64), np.full(pieces, -1, np.int64), np.empty(places, np.int64)
    session, begin, closed = RadixSessions.of(forest, nodes.sessions)
    firsts = np.full(int(session.max(initial=-1)) + 1, -1, np.int64)
    waiting = np.empty(n, np.int64), np.empty(12 * n, np.int64), np.full(4 * n, -1, np.int64), len(firsts), firsts
    asked = session, begin, len(closed), closed, places, instance.capacity, instance.running, forest.ask
    sizes = n, pieces, len(visits.piece)
    k = call("replay_radix", sizes, parts, rules, manner, asked, cached, written, needed, state, waiting)
    if k >= 0:
        raise ForcedCachingError(k, sum(needed.tolist()), instance.capacity)
    return Outcome.of_forest(forest, cached, written)


def _made_at_most(forest: Forest, chunk: int | None) -> int:
    """Return how many nodes requests can make: chunks, an output and two splits each."""
    return 4 * len(forest) + (0 if chunk is None else exact_sum(forest.ask // chunk))


def rules_of(policy: Policy, pieces: VisitPieces) -> RadixRules:
    """Ask a policy for its rules."""
    (drops, dropped), (budget, reach) = (_asked(policy, rule, pieces) for rule in ("drops", "budget"))
    by_key = policy.trim == "least-recent"
    trims, trimming = _asked(policy, "trim_key", pieces) if by_key else (CONSTANT, np.zeros(1))
    evicts, eviction = _asked(policy, "eviction_key", pieces)
    first, then = _ranks(trimming), _ranks(eviction)
    return RadixRules(
        RadixRule.of(drops, np.asarray(dropped, np.bool_)),
        RadixRule.of(budget, whole_lengths(reach, policy)),
        RadixRule.of(trims, first),
        RadixRule.of(evicts, then),
        trims := int(first.max(initial=0)) + 1,
        trims + int(then.max(initial=0)) + 1,
    )


def _asked(policy: Policy, rule: str, pieces: VisitPieces) -> tuple[int, Any]:
    """Return what a rule looks at, and what it says for each value of that."""
    ask = getattr(policy, rule)
    if isinstance(policy, ByResidence) and rule == "eviction_key":
        return _of_residence(policy, pieces)
    if not getattr(ask, "on_arrays", False):
        raise NotCompiledError("policy", policy, f"engine='reference', or {rule} marked on_arrays")
    last = pieces.last
    nodes = Looking(pieces, {"since": last, "reads": last + 1, "stamp": 2 * last + 1})
    said = np.asarray(ask(nodes))
    if not nodes.read:
        return CONSTANT, said.reshape(1)
    if nodes.read <= KNOWN_BEFORE - ({"past"} if pieces.mark == "resident" else set()):
        return VISIT, np.broadcast_to(said, len(last))
    for looks_at, facts in _facts(pieces):
        if nodes.read <= set(facts):
            n = len(next(iter(facts.values())))
            return looks_at, np.broadcast_to(np.asarray(ask(Looking(pieces, facts))), n)
    raise NotCompiledError("policy", policy, f"engine='reference', as {rule} looks at several facts of a node")


def _of_residence(policy: ByResidence, pieces: VisitPieces) -> tuple[int, Any]:
    """Return which of `reads` and `since` a key for one node looks at, and what it says of each value."""
    for looks_at, facts in _facts(pieces):
        for name, values in facts.items():
            with suppress(AttributeError):
                return looks_at, np.array([policy.eviction_key(_node(name, value)) for value in values.tolist()])
    raise NotCompiledError("policy", policy, "engine='reference', as its key looks at several facts of a node")


def _node(name: str, value: int) -> Any:
    return SimpleNamespace(**{name: value})


def _facts(pieces: VisitPieces) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the values that each fact of a node can have."""
    n, arrival = len(pieces.forest), pieces.forest.arrival
    times = {} if arrival is None else {"time": np.repeat(arrival, 2)}
    yield PAST, {"past": np.arange(int(pieces.forest.past.max(initial=0)) + 1)}
    yield READ_BY, {"reads": np.arange(n + 1)}
    yield ADDED, {"since": np.arange(n)}
    yield WHEN, {"stamp": np.arange(2 * n), "last": np.repeat(np.arange(n), 2), **times}


def _ranks(keys: Any) -> IntArray:
    """Return the rank of each key, the smallest first."""
    return readonly(np.unique(np.asarray(keys), return_inverse=True)[1].reshape(-1).astype(np.int64))
