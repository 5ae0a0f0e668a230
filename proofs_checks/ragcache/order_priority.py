"""Whether a larger OrderPriority first is best: figures 10a and 10b, and all small queues.

docs/proofs-ragcache.md has the proofs, docs/counterexamples-ragcache.md what is cached after each request.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, partial
from itertools import combinations, product
from typing import Any, TypeAlias

from proofs_checks.ragcache.knowledge_tree import PAPER
from proofs_checks.ragcache.plain_tiers import kept_after
from proofs_checks.ragcache.worlds import Row, Tree, cases, shapes, sizes
from teltheory.claims.claim import Claim, Values, rows
from teltheory.claims.listed import Listed, ToldCase, told
from teltheory.claims.origin import reading, sharpness
from teltheory.claims.worlds import Given

row = rows(source="Cache-aware reordering (RAGCache, figure 10)")
Requests: TypeAlias = tuple[tuple[int, int], ...]
"""The tokens that each request finds and computes."""


@dataclass(frozen=True)
class Queue(ToldCase):
    """Two or three requests that wait, and what is cached: documents as (the one above or -1, size)."""

    parent: Row
    size_of: Row
    cached: Row
    asked: Row
    room: int

    @cached_property
    def tree(self) -> Tree:
        """The tree."""
        return Tree(self.parent, self.size_of)

    def lengths(self, cached: frozenset[int], node: int) -> tuple[int, int]:
        """Return the tokens that a request finds and those that it computes."""
        path = self.tree.paths[node]
        found = self.tree.tokens([one for one in path if cached.issuperset(self.tree.paths[one])])
        return found, self.tree.tokens(path) - found

    def measures(self) -> dict[str, int]:
        """Return requests, tokens and documents."""
        return {"requests": len(self.asked), "tokens": sum(self.size_of), "documents": len(self.parent)}

    def size(self) -> tuple[Any, ...]:
        """Return the order of "smallest"."""
        return (*self.measures().values(), self.room, self.parent, self.size_of, self.cached, self.asked)

    def as_counterexample(self, values: Values) -> dict[str, Any]:
        """Return the documents, those that are cached and that end requests by their numbers, and the room."""
        cached, asked = ([node + 1 for node in nodes] for nodes in (self.cached, self.asked))
        facts = {"documents": self.tree.numbered, "cached": cached, "requests": asked, "room": self.room}
        return told({**facts, "values": values})


Choice: TypeAlias = Callable[[Queue, frozenset[int], Row], list[int]]


def least(queue: Queue, choice: Choice) -> int:
    """Return the least computation of all orders that a choice allows, whatever goes when there is no room."""

    def after(cached: frozenset[int], left: Row) -> int:
        if not left:
            return 0
        costs = []
        for node in choice(queue, cached, left):
            path = set(queue.tree.paths[node])
            places = list(left)
            places.remove(node)
            kept = kept_after(queue.tree, cached | path, path, queue.room)
            costs.append(queue.lengths(cached, node)[1] + min(after(one, tuple(places)) for one in kept))
        return min(costs)

    return after(frozenset(queue.cached), queue.asked)


def any_of(queue: Queue, cached: frozenset[int], left: Row) -> list[int]:
    """Return all that wait."""
    return sorted(set(left))


def by_priority(queue: Queue, cached: frozenset[int], left: Row) -> list[int]:
    """Return those of the largest cached length / computation length; nothing to compute comes before all."""
    found = {node: queue.lengths(cached, node) for node in left}
    none = [node for node in left if found[node][1] == 0]
    if none:
        return sorted(set(none))
    priority = {node: Fraction(*found[node]) for node in left}
    return [node for node in sorted(priority) if priority[node] == max(priority.values())]


GREEDY, BEST = "computed, largest OrderPriority first", "computed, best order"


def both_orders(queue: Queue) -> Values:
    """Compute what is computed in either order; of what may go, and of equal priorities, the best."""
    return {GREEDY: least(queue, by_priority), BEST: least(queue, any_of)}


def is_best(of: Values) -> bool:
    """Whether no order computes less."""
    return bool(of[GREEDY] == of[BEST])


BLOCKWISE = reading("a document need not go as a whole")
FIRST, SECOND = "computed, Q1 before Q2", "computed, Q2 before Q1"


def chain_of(node: int, sizes_of: Row) -> tuple[Row, Row]:
    """Return parents and sizes of a chain that begins with a node of this number."""
    return (-1, *range(node, node + len(sizes_of) - 1)), sizes_of


def two(first: tuple[Row, Row], second: tuple[Row, Row], room: int) -> Queue:
    """Return two requests, each as the sizes of what is cached and of what it computes."""
    chains = (first[0] + first[1], second[0] + second[1])
    parents, lengths = zip(chain_of(0, chains[0]), chain_of(len(chains[0]), chains[1]), strict=True)
    start, end = len(chains[0]), len(chains[0]) + len(chains[1])
    cached = (*range(len(first[0])), *range(start, start + len(second[0])))
    return Queue(sum(parents, ()), sum(lengths, ()), cached, (start - 1, end - 1), room)


def in_this_order(*order: int) -> Choice:
    """Return the choice of the requests in a given order."""
    return lambda queue, cached, left: [queue.asked[next(i for i in order if queue.asked[i] in left)]]


def either_order(queue: Queue) -> Values:
    """Compute what both orders of two requests compute, whatever goes when there is no room."""
    return {FIRST: least(queue, in_this_order(0, 1)), SECOND: least(queue, in_this_order(1, 0))}


def figure(id: str, statement: str, queue: Queue, first: int, second: int, **others: Any) -> Claim[Queue]:
    """Return a row on what the two orders of a figure compute."""
    return row(
        id,
        statement,
        relation=lambda of: (of[FIRST], of[SECOND]) == (first, second),
        space=Given((queue,), "the figure's two requests"),
        **others,
    )(either_order)


figure_10a = figure(
    "ragcache.figure-10a",
    "Room for 4, Q1 with 2 cached and Q2 with 1, both compute 2: Q1 before Q2 computes 5, Q2 before Q1 6.",
    two(((2,), (2,)), ((1,), (2,)), 4),
    5,
    6,
    origin=PAPER,
)
figure_10a_blocks = figure(
    "ragcache.figure-10a.blocks",
    "The same where single tokens can go.",
    two(((1, 1), (1, 1)), ((1,), (1, 1)), 4),
    5,
    6,
    origin=BLOCKWISE,
)
figure_10b = figure(
    "ragcache.figure-10b",
    "Room for 5, Q1 and Q2 with 2 cached, Q1 computes 2 and Q2 1: Q1 before Q2 computes 5, Q2 before Q1 3.",
    two(((2,), (2,)), ((2,), (1,)), 5),
    5,
    3,
    origin=PAPER,
)
figure_10b_blocks = figure(
    "ragcache.figure-10b.blocks",
    "The same where single tokens can go.",
    two(((1, 1), (1, 1)), ((1, 1), (1,)), 5),
    5,
    3,
    origin=BLOCKWISE,
)


@dataclass(frozen=True)
class Parts:
    """Requests that share nothing: each has a chain of documents, of which the first ones are cached.

    Of `limits` tokens by requests; `cached_documents` is the most that one of them has in the cache, and it
    computes one more document. `given` says of (cached, computed) lengths of all whether they are within the
    hypotheses.
    """

    limits: dict[int, int]
    largest: int = 99
    cached_documents: int = 1
    new_documents: int = 1
    given: Callable[[Requests], bool] = field(default=lambda lengths: True)

    def classes(self) -> Iterator[Iterator[Queue]]:
        """Yield the queues by requests, then by tokens."""
        for requests, most in self.limits.items():
            for tokens in range(2, most + 1):
                yield self._class(requests, tokens)

    def _class(self, requests: int, tokens: int) -> Iterator[Queue]:
        for cached in product(range(self.cached_documents + 1), repeat=requests):
            for fresh in product(range(1, self.new_documents + 1), repeat=requests):
                counts = [one + other for one, other in zip(cached, fresh, strict=True)]
                for size in sizes(sum(counts), tokens, self.largest):
                    yield from self._queues(cached, counts, size)

    def _queues(self, cached: Sequence[int], counts: Sequence[int], size: Row) -> Iterator[Queue]:
        ends = [sum(counts[: i + 1]) for i in range(len(counts))]
        starts = [0, *ends[:-1]]
        parent = tuple(node - 1 if node not in starts else -1 for node in range(len(size)))
        there = tuple(node for start, n in zip(starts, cached, strict=True) for node in range(start, start + n))
        asked = tuple(end - 1 for end in ends)
        tree = Tree(parent, size)
        queue = Queue(parent, size, there, asked, 0)
        if self.given(tuple(queue.lengths(frozenset(there), node) for node in asked)):
            longest = max(tree.tokens(tree.paths[node]) for node in asked)
            for room in range(max(longest, tree.tokens(there)), tree.tokens(range(len(size)))):
                yield Queue(parent, size, there, asked, room)


def any_trees(limits: dict[int, int]) -> Iterator[Iterator[Queue]]:
    """Yield requests for paths of any tree, with anything cached, by requests, then by tokens."""
    return (_any_trees(n, tokens) for n, most in limits.items() for tokens in range(1, most + 1))


def _any_trees(requests: int, tokens: int) -> Iterator[Queue]:
    for nodes in range(1, tokens + 1):
        for (parent, asked), size in product(shapes(requests, nodes), list(sizes(nodes, tokens, tokens))):
            tree = Tree(parent, size)
            longest = max(tree.tokens(tree.paths[node]) for node in asked)
            for cached in closed(parent):
                for room in range(max(longest, tree.tokens(cached)), tokens):
                    yield Queue(parent, size, cached, asked, room)


def closed(parent: Row) -> Iterator[Row]:
    """Yield the sets of nodes that have their parents among them."""
    for count in range(len(parent) + 1):
        for nodes in combinations(range(len(parent)), count):
            if all(parent[node] in {-1, *nodes} for node in nodes):
                yield nodes


def same_computation(lengths: Requests) -> bool:
    """Whether all compute as much."""
    return len({computed for _, computed in lengths}) == 1


def same_cached(lengths: Requests) -> bool:
    """Whether all find as much."""
    return len({found for found, _ in lengths}) == 1


def spaces(what: str, quick: dict[int, int], full: dict[int, int], **others: Any) -> Listed[Queue]:
    """Return queues with these limits at either effort."""
    some, all_of_them = (Parts(limits, **others) for limits in (quick, full))
    return Listed(Parts.classes, some, all_of_them, lambda parts: cases(APART, parts.limits, what))


APART = "requests that share nothing,"
BLOCKS = {"largest": 1, "cached_documents": 5, "new_documents": 5}
ONE = "one cached document each"
MANY = {"cached_documents": 3}

best = partial(row, relation=is_best)

priority = best(
    "ragcache.order-priority",
    "Of waiting requests the one with the larger cached length / computation length first is best: no order "
    "computes less.",
    space=Listed(any_trees, {2: 7}, {2: 8, 3: 6}, "any trees, any documents cached, most tokens by requests {}"),
    origin=reading("more likely to be of use, which the notes say of it: the best of all orders"),
)(both_orders)

priority_blocks = best(
    "ragcache.order-priority.blocks",
    "The same where single tokens can go.",
    space=spaces("single tokens", {2: 8}, {2: 10}, **BLOCKS),
    origin=BLOCKWISE,
)(both_orders)

larger_cached = best(
    "ragcache.order-priority.same-computation",
    "Of two requests that compute as much, the one with the larger cached document first is best.",
    space=spaces(f"two requests, {ONE}", {2: 14}, {2: 20}, given=same_computation),
    origin=reading(
        "prefers it to raise efficiency, which the notes say of its purpose: the better of both orders"
    ),
)(both_orders)

larger_cached_blocks = best(
    "ragcache.order-priority.same-computation.blocks",
    "The same where single tokens can go.",
    space=spaces("two requests, single tokens", {2: 9}, {2: 11}, given=same_computation, **BLOCKS),
    origin=BLOCKWISE,
)(both_orders)

larger_cached_many = best(
    "ragcache.order-priority.same-computation.documents",
    "Of two requests that compute as much, the one with the longer cached documents first is best.",
    space=spaces("two requests, up to 3 cached documents", {2: 9}, {2: 12}, given=same_computation, **MANY),
    origin=sharpness(
        "ragcache.order-priority.same-computation", "in the paper's example each request has one cached document"
    ),
)(both_orders)

larger_cached_three = best(
    "ragcache.order-priority.same-computation.three",
    "Of three requests that compute as much, the one with the larger cached document first is best.",
    space=spaces(f"three requests, {ONE}", {3: 12}, {3: 16}, given=same_computation),
    origin=sharpness("ragcache.order-priority.same-computation", "in the paper's example two requests wait"),
)(both_orders)

shorter = best(
    "ragcache.order-priority.same-cached",
    "Of two requests with as much cached, the one that computes less first is best.",
    space=spaces(f"two requests, {ONE}", {2: 14}, {2: 20}, given=same_cached),
    origin=PAPER,
)(both_orders)

shorter_blocks = best(
    "ragcache.order-priority.same-cached.blocks",
    "The same where single tokens can go.",
    space=spaces("two requests, single tokens", {2: 9}, {2: 11}, given=same_cached, **BLOCKS),
    origin=BLOCKWISE,
)(both_orders)

shorter_many = best(
    "ragcache.order-priority.same-cached.documents",
    "Of two requests with as much cached, in several documents, the one that computes less first is best.",
    space=spaces("two requests, up to 3 cached documents", {2: 9}, {2: 12}, given=same_cached, **MANY),
    origin=sharpness(
        "ragcache.order-priority.same-cached", "in the paper's example each request has one cached document"
    ),
)(both_orders)

shorter_three = best(
    "ragcache.order-priority.same-cached.three",
    "Of three requests with as much cached, the one that computes least first is best.",
    space=spaces(f"three requests, {ONE}", {3: 12}, {3: 16}, given=same_cached),
    origin=sharpness("ragcache.order-priority.same-cached", "in the paper's example two requests wait"),
)(both_orders)
