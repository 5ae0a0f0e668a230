"""An instance: requests with the cache that meets them, checked once for replay, optimum and brute force.

Every instance has `requests`, `capacity`, `forced`, `exempt` (how many of the latest requests no cut touches), and
an entry a request of `total`, `asked` (what may be reused) and `past` (what is at hand after it).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, singledispatch
from typing import Any, TypeAlias

import numpy as np

from teltheory.errors import ArgumentError, ForcedCachingError, TraceError
from teltheory.model.branching import NO_NODE, grown
from teltheory.model.forest import Forest
from teltheory.model.initial import Initial, Start, held_by, paths_of, starts_of
from teltheory.model.module_trace import ModuleTrace
from teltheory.model.nodes import at_nodes, sums_down
from teltheory.model.numbers import INT64_MAX, IntArray, exact_sum, readonly, whole_number
from teltheory.model.trace import Trace

__all__ = ["Instance"]


def _check_mode(forced: object) -> None:
    if not isinstance(forced, (bool, np.bool_)):
        raise ArgumentError("forced", forced, "True or False")


def _check_pinned(pinned: IntArray, capacity: int) -> None:
    """Raise for what is exempt from the cut after any request but the last, and does not fit."""
    for k in np.flatnonzero(pinned[:-1] > capacity)[:1]:
        raise ForcedCachingError(int(k), int(pinned[k]), capacity)


@dataclass(frozen=True)
class Instance:
    """A trace, a capacity, the caching mode and the initial cache.

    Attributes
    ----------
    requests : Trace
        The turns.
    capacity : int
        Capacity C, in the trace's unit.
    forced : bool
        Forced caching (Appendix E) instead of optional caching.
    initial : tuple of Start
        Initial cache, least recent first.
    history : ndarray of int64, shape (n,)
        History of each turn, the pasts of the initial cache included.
    """

    requests: Trace
    capacity: int
    forced: bool
    initial: tuple[Start, ...]
    history: IntArray

    @classmethod
    def of(cls, trace: Trace, capacity: int, *, forced: bool = False, initial: Initial = ()) -> Instance:
        """Check the arguments against each other.

        Parameters
        ----------
        trace : Trace
            The turns.
        capacity : int
            Capacity, 0 or more.
        forced : bool
            Whether the arriving conversation must be cached whole.
        initial : iterable of (conversation, past, cached)
            Initial cache, least recent first, 0 <= cached <= past.

        Raises
        ------
        ArgumentError
            A wrong capacity or initial cache.
        TraceError
            A first turn's history beyond the past that the initial cache gives it.
        ForcedCachingError
            A past longer than the capacity after any turn but the last, under forced caching.
        """
        if not isinstance(trace, Trace):
            raise ArgumentError("trace", type(trace).__name__, "a Trace")
        _check_mode(forced)
        capacity = whole_number("capacity", capacity)
        starts = starts_of(trace, initial, capacity)
        instance = cls(trace, capacity, bool(forced), starts, _histories(trace, starts))
        if forced:
            _check_pinned(instance.past, instance.capacity)
        return instance

    def __len__(self) -> int:
        return len(self.requests)

    @cached_property
    def total(self) -> IntArray:
        """Input of each turn, h + q; shape (n,)."""
        if self.history is self.requests.history:
            return self.requests.total
        return readonly(self.history + self.requests.prompt)

    @property
    def asked(self) -> IntArray:
        """Input of each turn, all of which may be reused; shape (n,)."""
        return self.total

    @property
    def exempt(self) -> int:
        """How many of the latest turns' conversations no cut touches."""
        return int(self.forced)

    @cached_property
    def past(self) -> IntArray:
        """Past of the turn's conversation after the turn, h + q + a; shape (n,)."""
        if self.history is self.requests.history:
            return self.requests.past
        return readonly(self.total + self.requests.response)

    def as_forest(self) -> ForestInstance:
        """Return the conversations as chains of a forest that cuts, and what is there of them as its paths."""
        trace, begun = self.requests, len(self.initial)
        columns = (c.tolist() for c in (trace.code, self.history, trace.prompt + trace.response))
        parent, length, leaf = grown(zip(*columns, strict=True), ((s.code, s.past) for s in self.initial))
        own = (trace.arrival, trace.block_size)
        forest = Forest(
            parent, length, leaf[begun:], self.total, self.total, *own,
            conversation=trace.code, cut=True, hints=trace.hints,
        )  # fmt: skip
        starts = tuple(s._replace(leaf=node) for s, node in zip(self.initial, leaf.tolist(), strict=False))
        return ForestInstance(forest, self.capacity, self.forced, initial=starts)


@dataclass(frozen=True)
class ForestInstance:
    """A forest of shared prefixes, and the cache that meets it.

    Attributes
    ----------
    requests : Forest
        The requests.
    capacity : int
        Capacity C, in the forest's units.
    forced : bool
        Forced caching: the paths of the latest requests are exempt from the cut.
    running : int
        How many paths that are.
    whole : bool
        Whether nodes of the forest are cached whole or not at all, so that policies see nodes instead of units.
    initial : tuple of Start
        Initial cache, least recent first.
    """

    requests: Forest
    capacity: int
    forced: bool = False
    running: int = 1
    whole: bool = False
    initial: tuple[Start, ...] = ()

    @classmethod
    def of(
        cls, forest: Forest, capacity: int, *, forced: bool = False, running: int = 1, initial: Initial = ()
    ) -> ForestInstance:
        """Check the arguments against each other.

        Parameters
        ----------
        forest : Forest
            The requests.
        capacity : int
            Capacity, 0 or more.
        forced : bool
            Whether the paths of running requests must be cached whole.
        running : int
            Requests that run at the same time, this one included; 1 or more, and 1 under optional caching.
        initial : iterable of (conversation, leaf, cached)
            Initial cache, least recent first: paths that were there before the first request, each down to a node,
            as in `Forest.leaf`, and how many of its first units are cached. The conversation, a number that stands
            there once, is looked at where the forest cuts.

        Raises
        ------
        ArgumentError
            A wrong argument.
        ForcedCachingError
            Paths of running requests that are longer than the capacity together, after any request but the last.
        """
        if not isinstance(forest, Forest):
            raise ArgumentError("forest", type(forest).__name__, "a Forest")
        _check_mode(forced)
        if whole_number("running", running) < 1 or (running > 1 and not forced):
            raise ArgumentError("running", running, "1 or more" if forced else "1, as caching is optional")
        size = whole_number("capacity", capacity)
        instance = cls(forest, size, bool(forced), int(running), initial=paths_of(forest, initial, size))
        if forced:
            _check_pinned(instance.pinned, instance.capacity)
        return instance

    def __len__(self) -> int:
        return len(self.requests)

    @property
    def total(self) -> IntArray:
        """Units that a prefill of each request with an empty cache computes; shape (n,)."""
        return self.requests.total

    @property
    def asked(self) -> IntArray:
        """Units of each request's path that are its input; shape (n,)."""
        return self.requests.ask

    @property
    def past(self) -> IntArray:
        """Units of each request's path, all of which are at hand after it; shape (n,)."""
        return self.requests.past

    @property
    def exempt(self) -> int:
        """How many of the latest paths no cut touches."""
        return self.running if self.forced else 0

    @property
    def is_plain(self) -> bool:
        """Whether the cache starts empty and nothing is cut, as the compiled loops have it."""
        return not self.initial and not self.requests.is_cut

    @cached_property
    def known(self) -> IntArray:
        """Leading units of each request's input that were made available before; shape (n,)."""
        if not self.initial:
            return self.requests.known
        whole = replace(self, initial=tuple(start._replace(cached=start.past) for start in self.initial))
        return readonly(np.minimum(np.maximum(self.requests.known, whole.begun), self.requests.ask))

    @cached_property
    def begun(self) -> IntArray:
        """Leading units of each request's path that the initial cache holds; shape (n,)."""
        held = held_by(self.requests, self.initial)
        return readonly(at_nodes(sums_down(self.requests.parent, held), self.requests.leaf, 0))

    def by_units(self) -> ForestInstance:
        """Return the instance of the forest with a node for each unit."""
        last = np.append(np.cumsum(self.requests.length) - 1, NO_NODE)
        starts = tuple(start._replace(leaf=int(last[start.leaf])) for start in self.initial)
        return replace(self, requests=self.requests.by_units(), initial=starts)

    @cached_property
    def pinned(self) -> IntArray:
        """Units of the paths that are exempt from the cut after each request; shape (n,)."""
        if self.exempt < 2:
            return self.requests.past * self.exempt
        return np.array([self._together(k) for k in range(len(self.requests))], np.int64)

    def as_chains(self) -> Instance:
        """Return private conversations, of a forest that `is_chains`, as turns; each tree is a conversation."""
        forest = self.requests
        prompt, response = forest.ask - forest.left_before, forest.past - forest.ask
        trace = Trace.from_turns(forest.tree, prompt, response, forest.arrival, block_size=forest.block_size)
        return Instance.of(trace, self.capacity, forced=self.forced)

    def _together(self, k: int) -> int:
        """Return the units of the latest paths, each once."""
        nodes = {node for j in range(max(k + 1 - self.running, 0), k + 1) for node in self.requests.path(j)}
        return int(self.requests.length[list(nodes)].sum())


@dataclass(frozen=True)
class ModuleInstance:
    """Requests for sets of items, and the cache that meets them, empty.

    Attributes
    ----------
    requests : ModuleTrace
        The requests.
    capacity : int
        Capacity C, in tokens.
    forced : bool
        Forced caching: the items of a request are exempt from the cut right after it.
    whole : bool
        Whether an item is kept whole or not at all; else any prefix of it.
    """

    requests: ModuleTrace
    capacity: int
    forced: bool = False
    whole: bool = False

    @classmethod
    def of(cls, trace: ModuleTrace, capacity: int, *, forced: bool = False, whole: bool = False) -> ModuleInstance:
        """Check the arguments against each other.

        Raises
        ------
        ArgumentError
            A wrong argument.
        ForcedCachingError
            Items of a request, any but the last, that are larger than the capacity together.
        """
        if not isinstance(trace, ModuleTrace):
            raise ArgumentError("trace", type(trace).__name__, "a ModuleTrace")
        _check_mode(forced)
        instance = cls(trace, whole_number("capacity", capacity), bool(forced), whole)
        if forced:
            _check_pinned(instance.asked, instance.capacity)
        return instance

    def __len__(self) -> int:
        return len(self.requests)

    @property
    def total(self) -> IntArray:
        """Tokens that each request computes with an empty cache; shape (n,)."""
        return self.requests.total

    @property
    def asked(self) -> IntArray:
        """Tokens of each request's items together; shape (n,)."""
        return self.requests.asked

    @property
    def past(self) -> IntArray:
        """Tokens of each request's items, all of which are at hand after it; shape (n,)."""
        return self.requests.past

    @property
    def exempt(self) -> int:
        """How many of the latest requests' items no cut touches."""
        return int(self.forced)


Instances: TypeAlias = Instance | ForestInstance | ModuleInstance


@singledispatch
def instance_of(
    trace: Any, capacity: int, *, forced: bool = False, initial: Initial = (), running: int = 1
) -> Any:
    """Check the arguments against each other, of any kind of requests; see the `of` of the instances' classes.

    A kind registers here what makes its instance.
    """
    raise ArgumentError("trace", type(trace).__name__, "a Trace")


@instance_of.register(Trace)
def _of_conversations(
    trace: Trace, capacity: int, *, forced: bool = False, initial: Initial = (), running: int = 1
) -> Instance:
    if running != 1:
        raise ArgumentError("running", running, "a Forest with it, such as trace.forest")
    return Instance.of(trace, capacity, forced=forced, initial=initial)


@instance_of.register(Forest)
def _of_prefixes(
    trace: Forest, capacity: int, *, forced: bool = False, initial: Initial = (), running: int = 1
) -> ForestInstance:
    return ForestInstance.of(trace, capacity, forced=forced, running=running, initial=initial)


@instance_of.register(ModuleTrace)
def _of_modules(
    trace: ModuleTrace, capacity: int, *, forced: bool = False, initial: Initial = (), running: int = 1
) -> ModuleInstance:
    if tuple(initial) or running != 1:
        raise ArgumentError("trace", "a ModuleTrace", "no initial cache or running requests with it")
    return ModuleInstance.of(trace, capacity, forced=forced)


def prefix_instance(trace: Any, capacity: int, **mode: Any) -> Instance | ForestInstance:
    """Check the arguments as `instance_of` does, of requests that reuse prefixes; `ArgumentError` for others."""
    instance: Instance | ForestInstance = instance_of(trace, capacity, **mode)
    if not instance.requests.reuses_prefixes:
        raise ArgumentError("trace", type(trace).__name__, "a Trace")
    return instance


def _histories(trace: Trace, starts: tuple[Start, ...]) -> IntArray:
    if trace.cumulative and not starts:
        return trace.history
    past = np.zeros(trace.conversations + len(starts), np.int64)
    for start in starts:
        past[start.code] = start.past
    grown = exact_sum(trace.prompt) + exact_sum(trace.response) + sum(start.past for start in starts)
    if grown > INT64_MAX:
        raise ArgumentError("initial", list(starts), "pasts that stay below 2**63 with the trace's tokens")
    if trace.cumulative:
        return readonly(trace.history + past[trace.code])
    first = ~trace.continuing
    for turn in np.flatnonzero(first & (trace.history > past[trace.code]))[:1]:
        found, most = int(trace.history[turn]), int(past[trace.code[turn]])
        raise TraceError("history", int(turn), found, f"at most {most}, the conversation's past")
    return trace.history
