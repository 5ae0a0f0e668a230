"""The compiled replay of a radix tree of whole nodes, request by request as `reference`.

A node of the tree is a range of depths on a chain of pieces (see `Visits`), told by its first and its last piece.
What begins with a piece is found by that piece, what begins inside one by the node that ends there. So a walk
takes a step for each node on it, and nothing is done unit by unit. The nodes that may go wait in a heap by the
policy's order; an entry whose node was used, pinned or evicted since is skipped when it comes up.
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import Any, NamedTuple

import numpy as np

from teltheory.model.numbers import IntArray
from teltheory.replay.compiled import compiled

FIELDS = 14
INNER, PARENT, TOP, BOTTOM, START, END, CHILDREN, PINS, STAMP, READ, MARK, READS, SINCE, ORDER = range(FIELDS)
"""Of each node: the one that begins inside its last piece, -1 if there is none, so also of a free place; the node
above, -1 for a root; its first and last piece; the units above it and down to its end; how many nodes are below
it; running requests through it; when it was used last, 2 k for what request k left unread and 2 k + 1 for what it
read, -1 once it is gone; the last request through it; the longest since it is there; how many; the one that added
it; its order as it waits."""

USED, MADE, FREE = range(3)
"""Units in the tree; nodes ever made; nodes made that are gone and whose places are free."""

CONSTANT, VISIT, PAST, READ_BY, ADDED, WHEN = range(6)
"""What a rule looks at: nothing, the last visit to the node's first piece, or one of the node's own facts."""


class RadixRule(NamedTuple):
    """What a policy says, for each value of the one thing that it looks at."""

    looks_at: int
    says: IntArray


class RadixRules(NamedTuple):
    """A policy's rules, and the number of trimming's ranks, which come before those of eviction."""

    drops: RadixRule
    budget: RadixRule
    trimming: RadixRule
    eviction: RadixRule
    trims: int


class Paths(NamedTuple):
    """What the loop reads of a forest (see `Visits`), and each piece's number on its path, 0 for a root."""

    parent: IntArray
    above: IntArray
    length: IntArray
    level: IntArray
    start: IntArray
    piece: IntArray


class Manner(NamedTuple):
    """Units of a chunk, 0 for whole prompts; `split` and `renew` of `RadixNodes`; whether surplus goes at once."""

    chunk: int
    split: bool
    renew: bool
    eager: bool


class Radix(NamedTuple):
    """The nodes, the node that begins with each piece (-1 if none does), free places, and three counts."""

    nodes: IntArray
    begins: IntArray
    free: IntArray
    counts: IntArray


@compiled
def replay_nodes(
    paths: Paths,
    rules: RadixRules,
    manner: Manner,
    places: int,
    capacity: int,
    running: int,
    ask: IntArray,
    cached: IntArray,
    written: IntArray,
) -> tuple[int, int]:
    """Replay the requests; return (-1, 0), or the first that does not fit and how many units it needs."""
    n = len(ask)
    nodes = np.full((places, FIELDS), -1, np.int64)
    tree = Radix(
        nodes, np.full(len(paths.parent), -1, np.int64), np.zeros(places, np.int64), np.zeros(3, np.int64)
    )
    queue = [(np.int64(0), np.int64(0), np.int64(0)) for _ in range(0)]
    leaves = np.full(n, -1, np.int64)
    for k in range(n):
        last = paths.piece[paths.start[k + 1] - 1] if paths.start[k + 1] > paths.start[k] else -1
        end = paths.above[last] + paths.length[last] if last >= 0 else 0
        node = _walk(tree, paths, rules, manner, queue, int(np.int64(-1)), k, ask[k])  # not a literal
        cached[k] = nodes[node, END] if node >= 0 else 0
        _pin(tree, node, 1)
        if k >= running:
            _release(tree, paths, rules, manner, queue, leaves[k - running])
        needed = tree.counts[USED] + end - cached[k]
        while needed > capacity:
            if len(queue) == 0:
                return k, needed
            needed -= _evict_next(tree, paths, rules, manner, queue)
        _pin(tree, node, -1)
        before = tree.counts[USED]
        leaf = _insert(tree, paths, rules, manner, queue, node, k, ask[k], end)
        written[k] = tree.counts[USED] - before
        _use(tree, leaf, k, end)
        leaves[k] = leaf
    return -1, 0


@compiled
def _walk(
    tree: Radix, paths: Paths, rules: RadixRules, manner: Manner, queue: Any, node: int, k: int, limit: int
) -> int:
    """Walk down from a node along request k's path to at most `limit`; return the last node on it."""
    nodes = tree.nodes
    depth = nodes[node, END] if node >= 0 else 0
    at = _place(tree, paths, node, k)
    while depth < limit:
        p = paths.piece[at]
        child = tree.begins[p] if paths.above[p] == depth else nodes[node, INNER]
        if child < 0:
            break
        bottom = nodes[child, BOTTOM]
        if nodes[child, END] > limit or not _on_path(paths, bottom, k):
            return _split(tree, paths, rules, manner, queue, child, k, limit)
        node, depth = child, nodes[child, END]
        at = _place(tree, paths, node, k)
    return node


@compiled
def _place(tree: Radix, paths: Paths, node: int, k: int) -> int:
    """Return request k's visit to the piece that has the first unit below a node."""
    if node < 0:
        return int(paths.start[k])
    bottom = tree.nodes[node, BOTTOM]
    ended = paths.above[bottom] + paths.length[bottom] == tree.nodes[node, END]
    return int(paths.start[k] + paths.level[bottom] + (1 if ended else 0))


@compiled
def _on_path(paths: Paths, piece: int, k: int) -> bool:
    """Whether request k goes through a piece."""
    at = paths.start[k] + paths.level[piece]
    return bool(at < paths.start[k + 1] and paths.piece[at] == piece)


@compiled
def _split(
    tree: Radix, paths: Paths, rules: RadixRules, manner: Manner, queue: Any, node: int, k: int, limit: int
) -> int:
    """Split a node where request k's path leaves it, at `limit` at the latest; return the part above."""
    nodes, (parent, above, length, _, _, _) = tree.nodes, paths
    shared, below = nodes[node, BOTTOM], -1
    cut = min(limit, nodes[node, END])
    while above[shared] >= limit or not _on_path(paths, shared, k):
        below, shared = shared, parent[shared]
    cut = min(cut, above[shared] + length[shared])
    new = _new(tree)
    for fact in range(PARENT, FIELDS):  # quicker to compile than a row at once
        nodes[new, fact] = nodes[node, fact]
    _link(tree, paths, new, new)
    nodes[new, END], nodes[new, BOTTOM], nodes[new, CHILDREN] = cut, shared, 1
    inside = cut < above[shared] + length[shared]
    nodes[node, START], nodes[node, PARENT] = cut, new
    if manner.renew:
        nodes[node, STAMP] = 2 * k
    nodes[node, TOP] = shared if inside else below
    _link(tree, paths, node, node)
    if nodes[node, CHILDREN] == 0 and nodes[node, PINS] == 0:
        _wait(tree, paths, rules, manner, queue, node)
    return new


@compiled
def _link(tree: Radix, paths: Paths, node: int, to: int) -> None:
    """Let what leads to a node's first unit lead to another node, or to none."""
    top = tree.nodes[node, TOP]
    if tree.nodes[node, START] == paths.above[top]:
        tree.begins[top] = to
    else:
        tree.nodes[tree.nodes[node, PARENT], INNER] = to


@compiled
def _new(tree: Radix) -> int:
    """Return a free place."""
    counts = tree.counts
    if counts[FREE] > 0:
        counts[FREE] -= 1
        return int(tree.free[counts[FREE]])
    counts[MADE] += 1
    return int(counts[MADE] - 1)


@compiled
def _insert(
    tree: Radix, paths: Paths, rules: RadixRules, manner: Manner, queue: Any, node: int, k: int, ask: int, end: int
) -> int:
    """Add request k's path below a node on it, its input by chunks; return its leaf."""
    depth = tree.nodes[node, END] if node >= 0 else 0
    while depth < ask:
        upto = min(ask, depth + manner.chunk) if manner.chunk > 0 else ask
        node, depth = _add(tree, paths, node, k, depth, upto), upto
    node = _walk(tree, paths, rules, manner, queue, node, k, end)
    depth = tree.nodes[node, END] if node >= 0 else 0
    return _add(tree, paths, node, k, depth, end) if depth < end else node


@compiled
def _add(tree: Radix, paths: Paths, node: int, k: int, start: int, end: int) -> int:
    """Add the units from `start` to `end` of request k's path below a node; return the new node."""
    nodes, new, at = tree.nodes, _new(tree), _place(tree, paths, node, k)
    nodes[new, PARENT], nodes[new, TOP] = node, paths.piece[at]
    while paths.above[paths.piece[at]] + paths.length[paths.piece[at]] < end:
        at += 1
    nodes[new, BOTTOM], nodes[new, START], nodes[new, END] = paths.piece[at], start, end
    nodes[new, CHILDREN] = nodes[new, PINS] = nodes[new, MARK] = nodes[new, READS] = 0
    nodes[new, SINCE] = k
    _link(tree, paths, new, new)
    if node >= 0:
        nodes[node, CHILDREN] += 1
    tree.counts[USED] += end - start
    return new


@compiled
def _use(tree: Radix, leaf: int, k: int, end: int) -> None:
    """Make the nodes down to a request's leaf the most recent, and pin them."""
    nodes, node = tree.nodes, leaf
    while node >= 0:
        nodes[node, STAMP], nodes[node, READ] = 2 * k + 1, k
        nodes[node, MARK] = max(nodes[node, MARK], end)
        nodes[node, READS] += 1
        nodes[node, PINS] += 1
        node = nodes[node, PARENT]


@compiled
def _pin(tree: Radix, node: int, by: int) -> None:
    """Pin the path down to a node, or unpin it."""
    while node >= 0:
        tree.nodes[node, PINS] += by
        node = tree.nodes[node, PARENT]


@compiled
def _release(tree: Radix, paths: Paths, rules: RadixRules, manner: Manner, queue: Any, node: int) -> None:
    """Unpin the path of a request; what the policy does not keep of it goes, the deepest first."""
    nodes = tree.nodes
    _pin(tree, node, -1)
    while node >= 0 and nodes[node, CHILDREN] == 0 and nodes[node, PINS] == 0:
        reach = _reach(tree, paths, rules, node)
        surplus = reach < (nodes[node, END] if manner.split else nodes[node, START] + 1)
        if reach >= 0 and not (manner.eager and surplus):
            _wait(tree, paths, rules, manner, queue, node)
            return
        node = _evict(tree, paths, manner, node, reach)


@compiled
def _evict_next(tree: Radix, paths: Paths, rules: RadixRules, manner: Manner, queue: Any) -> int:
    """Evict the first node that waits, or skip its entry if it is out of date; return how many units went."""
    nodes = tree.nodes
    order, stamp, node = heappop(queue)
    if nodes[node, STAMP] != stamp or nodes[node, ORDER] != order:
        return 0
    if nodes[node, CHILDREN] > 0 or nodes[node, PINS] > 0:
        return 0
    before = tree.counts[USED]
    node = _evict(tree, paths, manner, node, _reach(tree, paths, rules, node))
    if node >= 0 and nodes[node, CHILDREN] == 0 and nodes[node, PINS] == 0:
        _wait(tree, paths, rules, manner, queue, node)
    return int(before - tree.counts[USED])


@compiled
def _evict(tree: Radix, paths: Paths, manner: Manner, node: int, reach: int) -> int:
    """Evict a node, or what lies deeper than its budget if nodes are cut there; return what may go next."""
    nodes = tree.nodes
    tree.counts[USED] -= nodes[node, END] - nodes[node, START]
    if manner.split and nodes[node, START] < reach < nodes[node, END]:
        nodes[node, END] = reach
        tree.counts[USED] += reach - nodes[node, START]
        while paths.above[nodes[node, BOTTOM]] >= reach:
            nodes[node, BOTTOM] = paths.parent[nodes[node, BOTTOM]]
        return node
    above = nodes[node, PARENT]
    _link(tree, paths, node, -1)
    if above >= 0:
        nodes[above, CHILDREN] -= 1
    nodes[node, STAMP] = -1
    tree.free[tree.counts[FREE]] = node
    tree.counts[FREE] += 1
    return int(above)


@compiled
def _wait(tree: Radix, paths: Paths, rules: RadixRules, manner: Manner, queue: Any, node: int) -> None:
    """Let a node wait for eviction: surplus before the rest, then by the policy's order, then by recency."""
    nodes = tree.nodes
    reach = _reach(tree, paths, rules, node)
    if reach < (nodes[node, END] if manner.split else nodes[node, START] + 1):
        order = _asked(tree, paths, rules.trimming, node)
    else:
        order = rules.trims + _asked(tree, paths, rules.eviction, node)
    nodes[node, ORDER] = order
    heappush(queue, (order, nodes[node, STAMP], np.int64(node)))


@compiled
def _reach(tree: Radix, paths: Paths, rules: RadixRules, node: int) -> int:
    """Return down to where paths through a node are worth keeping, -1 if the policy drops it."""
    return -1 if _asked(tree, paths, rules.drops, node) else max(_asked(tree, paths, rules.budget, node), 0)


@compiled
def _asked(tree: Radix, paths: Paths, rule: RadixRule, node: int) -> int:
    """Return what a rule says of a node."""
    nodes = tree.nodes
    at = 0
    if rule.looks_at == VISIT:
        at = paths.start[nodes[node, READ]] + paths.level[nodes[node, TOP]]
    elif rule.looks_at == PAST:
        at = nodes[node, MARK]
    elif rule.looks_at == READ_BY:
        at = nodes[node, READS]
    elif rule.looks_at == ADDED:
        at = nodes[node, SINCE]
    elif rule.looks_at == WHEN:
        at = nodes[node, STAMP]
    return int(rule.says[at])
