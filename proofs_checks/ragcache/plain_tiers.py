"""A plain replay of a knowledge tree in two tiers, one request at a time: the judge of the rows, in exact numbers.

A request is served in these steps:

1. its path is walked from the root as long as a tier has the next document; what is found in the host goes to the
   GPU, and the host lets go of it (exclusive), or keeps its copy (swap-out-once);
2. the rule is told what was found, and what is to be computed;
3. the documents of the path that were not found enter the GPU, and while it is too full the first one in the
   rule's order goes, among those without a child in the GPU that the request does not read;
4. what goes from the GPU sinks to the host, unless the host has its copy; while the host is too full the first in
   the rule's order leaves it, among those without a child in the host that are no copies. What leaves in the same
   step was not copied.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal, TypeAlias

from proofs_checks.ragcache.worlds import Asked, Row, Tree

GPU, HOST = 0, 1
Seconds: TypeAlias = Callable[[int, int], int]
"""T(cached tokens, uncached tokens) of a prefill, in any unit."""


def linear(cached: int, uncached: int) -> int:
    """Return a prefill time of 1 a token."""
    return uncached


def attention(cached: int, uncached: int) -> int:
    """Return a prefill time of 1 for each token that each token looks at, counted twice: (c + u)^2 - c^2."""
    return (cached + uncached) ** 2 - cached**2


class LRU:
    """The least recently read document goes first, and of those that one request read the deepest."""

    def __init__(self, tree: Tree) -> None:
        self.tree, self.read = tree, dict.fromkeys(range(len(tree.parent)), -1)

    def retrieved(self, k: int, path: Row, found: int) -> None:
        """Note that request k reads a path of which the first `found` documents are in a tier."""
        self.read.update(dict.fromkeys(path, k))

    def served(self, path: Row) -> None:
        """Note that what the request evicts has gone."""

    def key(self, tier: int, node: int) -> tuple[Any, ...]:
        """Return the order in which documents go from a tier, the smallest first."""
        return (self.read[node], -len(self.tree.paths[node]))

    def went(self, tier: int, node: int) -> None:
        """Note that a document was evicted from a tier."""

    def left(self, node: int) -> None:
        """Note that a document is in no tier any more."""


class TLRU(LRU):
    """T-LRU on whole documents: those that are not worth keeping first.

    What is worth keeping of a path is its first L + Q - xi tokens, L the documents of the longest request that
    ever read the document. A document is not worth keeping if it begins behind them, or, with `whole`, if it ends
    behind them.
    """

    def __init__(self, tree: Tree, xi: int, estimate: int, *, whole: bool = False) -> None:
        super().__init__(tree)
        self.less, self.whole = xi - estimate, whole
        self.longest = dict.fromkeys(range(len(tree.parent)), 0)

    def retrieved(self, k: int, path: Row, found: int) -> None:
        """Note a request, and how long it is."""
        super().retrieved(k, path, found)
        for node in path:
            self.longest[node] = max(self.longest[node], self.tree.tokens(path))

    def key(self, tier: int, node: int) -> tuple[Any, ...]:
        """Return the order in which documents go from a tier, the smallest first."""
        above = self.tree.tokens(self.tree.paths[node][: None if self.whole else -1])
        worth = self.longest[node] - self.less
        return (above <= worth if self.whole else above < worth, *super().key(tier, node))


@dataclass
class PGDSF:
    """RAGCache's policy, formulas 1 to 3, each reading a parameter; `cost` "tokens" is GDSF with cost = size.

    `window` is how many of the latest requests a retrieval counts in, None for all. `falls`: an eviction sets the
    clock to the largest priority of what it took, as formula 2 prints it, and not only if that is more. `late`: a
    document takes the clock after the evictions of the request that reads it, and not before.
    """

    tree: Tree
    seconds: Seconds = linear
    question: int = 0
    question_counts: bool = True
    new_size: Literal["request", "document"] = "request"
    remembers: bool = True
    cost: Literal["learnt", "tokens", "document"] = "learnt"
    window: int | None = None
    falls: bool = False
    late: bool = False
    reads: dict[int, list[int]] = field(default_factory=dict)
    misses: dict[int, int] = field(default_factory=dict)
    rate: dict[int, Fraction] = field(default_factory=dict)
    priority: dict[tuple[int, int], Fraction] = field(default_factory=dict)
    clock: list[Fraction] = field(default_factory=lambda: [Fraction(0), Fraction(0)])
    taken: set[int] = field(default_factory=set)

    def retrieved(self, k: int, path: Row, found: int) -> None:
        """Note that request k reads a path of which the first `found` documents are in a tier."""
        self._learn(path, found)
        self.taken = set()
        for node in path:
            since = -1 if self.window is None else k - self.window
            self.reads[node] = [j for j in (*self.reads.get(node, ()), k) if j > since]
        self._take_the_clock(path)

    def served(self, path: Row) -> None:
        """Note that what the request evicts has gone."""
        if self.late:
            self._take_the_clock(path)

    def _take_the_clock(self, path: Row) -> None:
        for node in path:
            worth = len(self.reads[node]) * self._rate(node)
            for tier in (GPU, HOST):
                self.priority[tier, node] = self.clock[tier] + worth

    def _learn(self, path: Row, found: int) -> None:
        cached, fresh = self.tree.tokens(path[:found]), self.tree.tokens(path[found:])
        beta = fresh + (self.question if self.question_counts else 0)
        for node in path[found:]:
            size = beta if self.new_size == "request" else self.tree.size[node]
            self.misses[node] = self.misses.get(node, 0) + 1
            before = self.rate.get(node, Fraction(0))
            self.rate[node] = before + (Fraction(self.seconds(cached, beta), size) - before) / self.misses[node]

    def _rate(self, node: int) -> Fraction:
        if self.cost == "tokens":
            return Fraction(1)
        return Fraction(1, self.tree.size[node]) if self.cost == "document" else self.rate[node]

    def key(self, tier: int, node: int) -> tuple[Any, ...]:
        """Return the priority; of equal ones the least recently read document goes first, then the deepest."""
        return (self.priority[tier, node], self.reads[node][-1:], -len(self.tree.paths[node]))

    def went(self, tier: int, node: int) -> None:
        """Set the tier's clock to the largest priority of what the request evicted."""
        begins = self.falls and tier not in self.taken
        self.taken.add(tier)
        gone = self.priority[tier, node]
        self.clock[tier] = gone if begins else max(self.clock[tier], gone)

    def left(self, node: int) -> None:
        """Forget what is in no tier, unless it is remembered."""
        if not self.remembers:
            del self.reads[node], self.misses[node], self.rate[node]


Rule: TypeAlias = LRU | PGDSF


class TwoTiers:
    """GPU and host, what they hold, and what was moved; `host` has the copies of swap-out-once too."""

    def __init__(self, world: Asked, rule: Rule, *, once: bool = False, leaf_first: bool = True) -> None:
        self.tree, self.room, self.rule = world.tree, (world.gpu, world.host), rule
        self.once, self.leaf_first = once, leaf_first
        self.gpu: set[int] = set()
        self.host: set[int] = set()
        self.copied = self.loaded = self.requests = 0

    def found(self, node: int) -> int:
        """Return how many documents of the path to a node are found."""
        path = self.tree.paths[node]
        missing = (i for i, one in enumerate(path) if one not in self.gpu and one not in self.host)
        return next(missing, len(path))

    def serve(self, node: int) -> int:
        """Serve a request; return the tokens of the documents that it finds in a tier."""
        path, found = self.tree.paths[node], self.found(node)
        self.loaded += self.tree.tokens([one for one in path[:found] if one not in self.gpu])
        self.rule.retrieved(self.requests, path, found)
        self.requests += 1
        self.host -= set() if self.once else set(path)
        self.gpu |= set(path)
        before = set(self.host)
        while self.tree.tokens(self.gpu) > self.room[GPU]:
            self._sink(self._victim(GPU, self.gpu, set(path)))
        self.copied += self.tree.tokens(self.host - before)
        self.rule.served(path)
        return self.tree.tokens(path[:found])

    def _victim(self, tier: int, held: set[int], spared: set[int]) -> int:
        candidates = self.tree.leaves(held) if self.leaf_first or tier == GPU else sorted(held)
        gone = min((one for one in candidates if one not in spared), key=lambda one: self.rule.key(tier, one))
        self.rule.went(tier, gone)
        return gone

    def _sink(self, node: int) -> None:
        self.gpu.remove(node)
        if node in self.host:
            return
        self.host.add(node)
        while self.tree.tokens(self.host) > self.room[HOST]:
            gone = self._victim(HOST, self.host - self.gpu, set())
            self.host.remove(gone)
            self.rule.left(gone)


def served(world: Asked, rule: Rule, *, once: bool = False) -> tuple[list[int], TwoTiers]:
    """Return the tokens that each request finds, and the tiers after the last one."""
    tiers = TwoTiers(world, rule, once=once)
    return [tiers.serve(node) for node in world.asked], tiers


def hits(world: Asked, rule: Rule) -> list[int]:
    """Return the tokens that each request finds."""
    return served(world, rule)[0]


def missed(world: Asked, found: Iterable[int]) -> list[int]:
    """Return the tokens of documents that each request computes."""
    return [world.tree.tokens(world.tree.paths[n]) - hit for n, hit in zip(world.asked, found, strict=True)]


def seconds_of(world: Asked, found: Iterable[int], time: Seconds) -> int:
    """Return the prefill times of all requests together, without questions."""
    found = list(found)
    return sum(time(hit, less) for hit, less in zip(found, missed(world, found), strict=True))


def fewest_missed(world: Asked) -> int:
    """Return the fewest tokens that any order of eviction computes, in the GPU alone: all contents tried."""
    best = {frozenset[int](): 0}
    for node in world.asked:
        path = set(world.tree.paths[node])
        after: dict[frozenset[int], int] = {}
        for held, so_far in best.items():
            cost = so_far + world.tree.tokens(path - _read(world.tree, held, node))
            for kept in kept_after(world.tree, held | path, path, world.gpu):
                after[kept] = min(cost, after.get(kept, cost))
        best = after
    return min(best.values())


def _read(tree: Tree, held: frozenset[int], node: int) -> set[int]:
    """Return the documents of a path that are found, the rest of it after the first that is not left out."""
    return {one for one in tree.paths[node] if held.issuperset(tree.paths[one])}


def kept_after(tree: Tree, held: frozenset[int], pinned: set[int], room: int) -> set[frozenset[int]]:
    """Return what can be left of some documents when leaves go, one by one, only until they fit."""
    if tree.tokens(set(held)) <= room:
        return {held}
    going = [one for one in tree.leaves(set(held)) if one not in pinned]
    return {kept for one in going for kept in kept_after(tree, held - {one}, pinned, room)}
