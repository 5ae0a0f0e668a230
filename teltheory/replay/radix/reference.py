"""The reference replay of a radix tree of whole nodes: plain Python objects, to be read beside docs/engines.md.

For every request k, in order of arrival:

1. it walks down from the root as long as nodes begin with its input; a node that it leaves in the middle is split
   there, and the part that it did not read becomes as recent as the request;
2. the nodes that it read are pinned; a request that no longer runs lets go of its own, and of those the deepest
   go at once that the policy does not keep; what applications have told counts (`teltheory.policies.hinted`, by
   the first unit of a node), and sessions are closed (`teltheory.replay.radix.sessions`);
3. while there is no room for the rest of the path, the first node in the policy's order goes, whole, among those
   without a node below them that nobody pins;
4. the rest of its input is added below what it read, one node a chunk, then its output, less what is there;
5. the nodes of its path become the most recent, and count one more request.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from teltheory.errors import ForcedCachingError
from teltheory.model.instance import ForestInstance
from teltheory.model.outcome import Outcome
from teltheory.policies.node import Node
from teltheory.policies.policy import mark_of, settled
from teltheory.replay.radix.nodes import RadixNodes
from teltheory.replay.radix.sessions import RadixSessions, Users
from teltheory.replay.trees.reference import following_requests, listening


@dataclass(slots=True, eq=False)
class RadixNode(Node):
    """A node of the tree: units `start` to `depth` of the paths through it.

    Attributes
    ----------
    units : list of int
        Its units, root first.
    start : int
        Units above it.
    parent : RadixNode or None
        The node above; None for the root, which has no units and never goes.
    children : dict of int to RadixNode
        The nodes below, by their first units.
    since : int
        The request that added it; what is split keeps it, and `reads`.
    reads : int
        Requests whose path went through it since then.
    stamp : int
        When it was used last: 2 k for what request k left unread of a node, 2 k + 1 for what it read.
    pins : int
        Running requests whose path goes through it.
    users : set of int
        The sessions that use it; both parts of a split have those of the whole.
    """

    units: list[int] = field(default_factory=list)
    start: int = 0
    parent: RadixNode | None = None
    children: dict[int, RadixNode] = field(default_factory=dict)
    since: int = 0
    reads: int = 0
    stamp: int = 0
    pins: int = 0
    users: set[int] = field(default_factory=set)

    @property
    def depth(self) -> int:
        """Units from the root to its end, its own included."""
        return self.start + len(self.units)

    @property
    def length(self) -> int:
        """Units of the node."""
        return len(self.units)

    @property
    def evictable(self) -> bool:
        """Whether nothing is below it and nobody pins it."""
        return not self.children and self.pins < 1 and self.parent is not None


def replay_reference(instance: ForestInstance, policy: Any, nodes: RadixNodes) -> Outcome:
    """Replay the requests of an instance in a radix tree of whole nodes."""
    served = list(replayed_requests(instance, policy, nodes))
    return Outcome.of_forest(instance.requests, [hits for hits, _ in served], [added for _, added in served])


def replayed_requests(instance: ForestInstance, policy: Any, nodes: RadixNodes) -> Iterator[tuple[int, int]]:
    """Replay request by request; yield the units that each hits and those that it adds."""
    forest = instance.requests.by_units()
    tree = RadixTree(instance, policy, nodes)
    running: deque[RadixNode] = deque()
    for k, ask in enumerate(forest.ask.tolist()):
        path = forest.path(k)
        read = tree.walk(tree.root, path[:ask], k)
        hits = read.depth
        pin(read, 1)
        if len(running) == instance.running:
            tree.release(k - instance.running, running.popleft())
        tree.hear(k, path[:ask], range(max(k - instance.running + 1, 0), k + 1))
        tree.make_room(len(path) - hits, k)
        leaf, added = tree.insert(read, path, ask, k)
        pin(read, -1)
        pin(leaf, 1)
        tree.use(leaf, path, ask, k)
        running.append(leaf)
        yield hits, added


class RadixTree:
    """A radix tree, and what its policy knows of its nodes."""

    def __init__(self, instance: ForestInstance, policy: Any, nodes: RadixNodes) -> None:
        self.telling, policy = listening(policy, instance)
        self.capacity, self.policy, self.nodes = instance.capacity, settled(policy, rounds=False), nodes
        self.mark, self.chunk = mark_of(policy), nodes.most_units(instance.requests.block_size)
        n, arrival = len(instance.requests), instance.requests.arrival
        self.times = [None] * n if arrival is None else arrival.tolist()
        self.users = Users(RadixSessions.of(instance.requests, nodes.sessions))
        self.root = RadixNode(0, 0, 0, None)
        self.used = 0
        self.following = following_requests(instance.by_units())
        self.rank: dict[int, int] = {}  # of each unit by its first request
        self.highest: dict[int, int] = {}  # the longest path that ever went through each unit
        self.through: dict[int, int] = {}  # how many paths ever did
        self.latest: dict[int, int] = {}  # the last request whose path did

    def walk(self, node: RadixNode, path: list[int], k: int) -> RadixNode:
        """Walk down from a node along a path; return the last node that lies on it, after a split if need be."""
        while node.depth < len(path) and path[node.depth] in node.children:
            child = node.children[path[node.depth]]
            same = 0
            while same < child.length and path[child.start + same : child.start + same + 1] == [child.units[same]]:
                same += 1
            if same < child.length:
                return self.split(child, same, k)
            node = child
        return node

    def split(self, node: RadixNode, at: int, k: int) -> RadixNode:
        """Split a node after its first `at` units, at request k; return the part above, a new node."""
        above = replace(node, units=node.units[:at], children={node.units[at]: node}, users=set(node.users))
        assert node.parent is not None
        node.parent.children[above.units[0]] = above
        node.parent, node.units, node.start = above, node.units[at:], node.start + at
        if self.nodes.renew:
            node.last, node.stamp, node.seen = k, 2 * k, self.times[k]
        self.know(node)
        return above

    def know(self, node: RadixNode) -> None:
        """Look up what is known of its first unit: rank, requests so far, the next one, the high-water mark."""
        first = node.units[0]
        node.first, node.hits = self.rank[first], self.through[first]
        node.next = self.following[self.latest[first]][node.start]
        if self.mark in ("high-water", "next"):
            node.past = self.highest[first] if self.mark == "high-water" else node.coming.history

    def hear(self, k: int, asked: list[int], running: range) -> None:
        """Note what counts when request k has come, given its input and what runs: hints, and ends of sessions."""
        if self.telling is not None:
            self.telling.hear(k, asked)
        for about in self.users.closing(k):
            self.users.close(about, running, below(self.root))

    def release(self, k: int, leaf: RadixNode) -> None:
        """Unpin the path of request k, which has ended; what the policy does not keep goes, the deepest first."""
        pin(leaf, -1)
        self.users.ended(k, path_of(leaf))
        node: RadixNode | None = leaf
        while node is not None and node.evictable and self.unwanted(node):
            above = node.parent
            self.evict(node)
            node = above if not node.units else None

    def make_room(self, units: int, k: int) -> None:
        """Evict until there is room for so many units more."""
        queue = [(self.order(node), node) for node in below(self.root) if node.evictable]
        heapq.heapify(queue)
        while self.used + units > self.capacity:
            if not queue:
                raise ForcedCachingError(k, self.used + units, self.capacity)
            _, node = heapq.heappop(queue)
            above = self.evict(node)
            if above.evictable:
                heapq.heappush(queue, (self.order(above), above))

    def evict(self, node: RadixNode) -> RadixNode:
        """Evict a node, or what lies deeper than its budget if nodes are split there; return what may go next."""
        kept = max(self.reach(node) - node.start, 0) if self.nodes.split and self.surplus(node) else 0
        self.used -= node.length - kept
        assert node.parent is not None
        if kept == 0:
            del node.parent.children[node.units[0]]
        node.units = node.units[:kept]
        return node if kept else node.parent

    def insert(self, node: RadixNode, path: list[int], ask: int, k: int) -> tuple[RadixNode, int]:
        """Add a path below a node that lies on it; return its leaf, and how many units were not there."""
        before = self.used
        while node.depth < ask:
            end = ask if self.chunk is None else min(ask, node.depth + self.chunk)
            node = self.add(node, path[node.depth : end], k)
        node = self.walk(node, path, k)
        if node.depth < len(path):
            node = self.add(node, path[node.depth :], k)
        return node, self.used - before

    def add(self, node: RadixNode, units: list[int], k: int) -> RadixNode:
        """Add a node below another."""
        new = RadixNode(0, 0, 0, None, units[0], units=units, start=node.depth, parent=node, since=k)
        node.children[units[0]] = new
        self.used += len(units)
        return new

    def use(self, leaf: RadixNode, path: list[int], ask: int, k: int) -> None:
        """Make the nodes of request k's path, down to its leaf, the most recent."""
        if self.telling is not None:
            self.telling.pass_through(k, path[ask:])
        for unit in path:
            self.rank.setdefault(unit, len(self.rank))
            self.highest[unit] = max(self.highest.get(unit, 0), len(path))
            self.through[unit] = self.through.get(unit, 0) + 1
            self.latest[unit] = k
        for node in path_of(leaf):
            node.past = len(path) if self.mark == "last" else max(node.past, len(path))
            node.last = k
            node.stamp, node.seen = 2 * k + 1, self.times[k]
            node.reads += 1
            self.know(node)

    def reach(self, node: RadixNode) -> int:
        """Return down to where paths through a node are worth keeping."""
        return 0 if self.policy.drops(node) else self.policy.budget(node)

    def surplus(self, node: RadixNode) -> bool:
        """Whether a node is not worth keeping, or, if nodes are split, not to its end."""
        return self.reach(node) < (node.depth if self.nodes.split else node.start + 1)

    def unwanted(self, node: RadixNode) -> bool:
        """Whether a node goes even if there is room."""
        return self.policy.drops(node) or (self.policy.trim == "eager" and self.surplus(node))

    def order(self, node: RadixNode) -> tuple[Any, ...]:
        """Return by what a node goes: the smallest first."""
        spare = self.surplus(node)
        head = (not spare,) if self.telling is None else self.telling.key(node.units[0], spare)
        if not spare:
            return (len(node.users), *head, self.policy.eviction_key(node), node.stamp)
        key = self.policy.trim_key(node) if self.policy.trim == "least-recent" else 0
        return (len(node.users), *head, key, node.stamp)


def pin(leaf: RadixNode, by: int) -> None:
    """Pin the path down to a node, or unpin it."""
    for node in path_of(leaf):
        node.pins += by


def path_of(leaf: RadixNode) -> Iterator[RadixNode]:
    """Yield the nodes of the path down to one, the deepest first, without the root."""
    node = leaf
    while node.parent is not None:
        yield node
        node = node.parent


def below(root: RadixNode) -> Iterator[RadixNode]:
    """Yield the nodes below one."""
    stack = [*root.children.values()]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(node.children.values())
