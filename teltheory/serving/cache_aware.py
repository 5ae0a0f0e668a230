"""SGLang's cache-aware router, which guesses from what it sent where what every replica has cached.

1. A replica's load is its unfinished requests. If the largest and the smallest load differ by more than
   `balance_abs_threshold`, and the largest is more than `balance_rel_threshold` times the smallest, the replica
   with the smallest takes the request.
2. Otherwise the longest prefix of the input that was sent to any replica is looked for. If it is more than
   `cache_threshold` of the input, a replica to which all of it was sent takes the request; if not, the replica to
   which the fewest different tokens were sent.
3. What was sent to a replica is remembered as a tree of its inputs (not of answers). Every `eviction_interval`
   seconds those of more than `max_tree_size` tokens lose leaves, least recently used first.

After sgl-project/sglang, sgl-router: `src/policies/cache_aware.rs` at commit 026f853, `src/policies/tree.rs` at
4d40eec, defaults of the command line from `py_src/sglang_router/router_args.py` at 083d601. There the tree has
characters, here it has tokens (of a forest whole blocks); there a request is unfinished until its last token, here
until its first; and what there depends on the order of a hash table, is here the first replica.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import singledispatch
from math import inf
from typing import Any

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.model.forest import Forest
from teltheory.model.numbers import real_number, whole_number
from teltheory.model.trace import Trace
from teltheory.serving.view import View


@dataclass(frozen=True)
class CacheAware:
    """The router's options; see the top of the file.

    Parameters
    ----------
    cache_threshold : float
        Share of the input, from 0 to 1.
    balance_abs_threshold : int
        Requests.
    balance_rel_threshold : float
        Ratio, 1 or more.
    eviction_interval : float
        Seconds; 0 for never.
    max_tree_size : int
        Tokens.
    """

    cache_threshold: float = 0.3
    balance_abs_threshold: int = 64
    balance_rel_threshold: float = 1.5
    eviction_interval: float = 120.0
    max_tree_size: int = 2**26

    def __post_init__(self) -> None:
        real_number("cache_threshold", self.cache_threshold, 0, 1, closed=True)
        whole_number("balance_abs_threshold", self.balance_abs_threshold)
        if not self.balance_rel_threshold >= 1:
            raise ArgumentError("balance_rel_threshold", self.balance_rel_threshold, "a ratio, 1 or more")
        real_number("eviction_interval", self.eviction_interval, 0, closed=True)
        whole_number("max_tree_size", self.max_tree_size)

    def begin(self, requests: Trace | Forest, replicas: int) -> Chooser:
        """Return what chooses during one run."""
        return Chooser(self, requests, replicas)


@singledispatch
def sent(requests: Any) -> Any:
    """Return what of requests is sent to replicas, as paths of a forest; a forest is that already."""
    return requests


@sent.register(Trace)
def _conversations(trace: Trace) -> Forest:
    return Forest.of_turns(trace.code, trace.history, trace.prompt, trace.response, block_size=trace.block_size)


@dataclass
class SentNode:
    """What was sent to a replica of a node: how many of its first tokens, and when last."""

    tokens: int
    used: int


class Chooser:
    """The router with what it remembers."""

    def __init__(self, options: CacheAware, requests: Trace | Forest, replicas: int) -> None:
        self.options = options
        self.forest = forest = sent(requests)
        self.length = (forest.length * forest.block_size).tolist()
        self.ask = (forest.ask * forest.block_size).tolist()
        self.held: list[dict[int, SentNode]] = [{} for _ in range(replicas)]
        self.size = [0] * replicas
        self.next_eviction = -inf

    def choose(self, view: View) -> int:
        """Return a replica, and remember that the input was sent there."""
        self._evict(view.time)
        path = self._path(view.turn)
        most, least = max(view.pending), min(view.pending)
        options = self.options
        if most - least > options.balance_abs_threshold and most > options.balance_rel_threshold * least:
            chosen = int(np.argmin(view.pending))
        else:
            chosen = self._match(view, path)
        self._insert(view.turn, path, chosen)
        return chosen

    def _path(self, turn: int) -> list[tuple[int, int]]:
        """Return the nodes of an input, each with how many of its tokens are input."""
        nodes, left = [], self.ask[turn]
        for node in self.forest.path(turn):
            if left:
                nodes.append((node, min(self.length[node], left)))
                left -= nodes[-1][1]
        return nodes

    def _match(self, view: View, path: list[tuple[int, int]]) -> int:
        matched, deepest, found = 0, -1, 0
        for node, tokens in path:
            known = min(tokens, max(held[node].tokens if node in held else 0 for held in self.held))
            if not known:
                break
            matched, deepest, found = matched + known, node, known
            if known < self.length[node]:
                break
        if not matched:
            return int(np.argmin(self.size))
        owner = next(r for r, held in enumerate(self.held) if deepest in held and held[deepest].tokens >= found)
        for node, _ in path:
            self.held[owner][node].used = view.turn
            if node == deepest:
                break
        return owner if matched > self.options.cache_threshold * view.tokens else int(np.argmin(self.size))

    def _insert(self, turn: int, path: list[tuple[int, int]], replica: int) -> None:
        for node, tokens in path:
            held = self.held[replica].setdefault(node, SentNode(0, turn))
            self.size[replica] += max(tokens - held.tokens, 0)
            held.tokens, held.used = max(tokens, held.tokens), turn

    def _evict(self, now: float) -> None:
        """Let every tree that is too large lose leaves, if the interval is over."""
        if now < self.next_eviction or not self.options.eviction_interval:
            return
        self.next_eviction = now + self.options.eviction_interval
        for replica, held in enumerate(self.held):
            for node in sorted(held, key=lambda node: (held[node].used, -self.forest.depth[node])):
                if self.size[replica] <= self.options.max_tree_size:
                    break
                self.size[replica] -= held.pop(node).tokens
