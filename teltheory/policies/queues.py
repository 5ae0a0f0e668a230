"""Policies of forests that try new blocks in a first queue, and remember ghosts of what left it: 2Q and S3-FIFO.

A block of which a ghost is left enters the second queue when it comes back, any other the first; the ghost is gone
then. A block enters when the request that added it ends, of one request the deepest first, and what a running
request holds counts for no queue. In a strict cache the next of a queue is the first in it that may go; if nothing
in the queue that is due may go, the other one loses a block. Shares of the capacity are rounded down.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from teltheory.model.instance import ForestInstance
from teltheory.model.numbers import rational
from teltheory.policies.memory import Memory
from teltheory.policies.node import Node
from teltheory.policies.policy import LeastRecentlyUsed


class Queues(Memory):
    """Two queues, oldest first, and the ghosts of the first.

    Parameters
    ----------
    limit : int
        The first queue loses a block while it holds more than this.
    ghosts : int
        How many ghosts are remembered, the latest.
    """

    def __init__(self, limit: int, ghosts: int) -> None:
        self.limit, self.most = limit, ghosts
        self.queue: dict[int, int] = {}
        self.entered: dict[int, int] = {}
        self.ghosts: list[int] = []
        self.steps = 0

    def used(self, node: Node, resident: bool) -> None:
        """Choose a queue for a block that was not cached."""
        if not resident:
            self.queue[node.code] = int(node.code in self.ghosts)
            self.ghosts = [ghost for ghost in self.ghosts if ghost != node.code]
            self.entered.pop(node.code, None)

    def released(self, node: Node) -> None:
        """Let a block enter its queue."""
        if node.code not in self.entered:
            self.enter(node)

    def enter(self, node: Node) -> None:
        """Put a block at the end of its queue."""
        self.steps += 1
        self.entered[node.code] = self.steps

    def is_due(self, held: Sequence[Node]) -> bool:
        """Whether the first queue loses the next block."""
        return sum(self.queue[node.code] == 0 for node in held) > self.limit

    def next_of(self, nodes: Sequence[Node], first: bool) -> Node:
        """Return what may go of the first queue or of the second, unless there is nothing in it: of the other."""
        of_queue = [node for node in nodes if (self.queue[node.code] == 0) == first]
        return min(of_queue or nodes, key=lambda node: self.entered[node.code])

    def leave(self, node: Node) -> None:
        """Remember a ghost of what leaves the first queue."""
        if self.queue[node.code] == 0:
            self.ghosts = [*self.ghosts, node.code][max(len(self.ghosts) + 1 - self.most, 0) :]


@dataclass(frozen=True)
class TwoQ(LeastRecentlyUsed):
    """2Q, the full version (Johnson and Shasha 1994): a FIFO queue of new blocks, then LRU.

    Reads move a block of the second queue to its end, and leave one of the first where it is.

    Parameters
    ----------
    recent : Fraction
        Share of the capacity above which the first queue loses blocks (Kin), 0 to 1.
    ghosts : Fraction
        Ghosts, as a share of the capacity (Kout), 0 or more.
    """

    name = "2q"
    loop = "residence"
    recent: Fraction = Fraction(1, 4)
    ghosts: Fraction = Fraction(1, 2)

    def __post_init__(self) -> None:
        object.__setattr__(self, "recent", rational("recent", self.recent, 0, 1))
        object.__setattr__(self, "ghosts", rational("ghosts", self.ghosts, 0))

    def sizes(self, capacity: int) -> tuple[int, int]:
        """Return the limit of the first queue, and how many ghosts there are."""
        return int(self.recent * capacity), int(self.ghosts * capacity)

    def memory(self, instance: ForestInstance) -> Memory:
        """Return the queues."""
        return _TwoQueues(*self.sizes(instance.capacity))


class _TwoQueues(Queues):
    def released(self, node: Node) -> None:
        if node.code not in self.entered or self.queue[node.code] == 1:
            self.enter(node)

    def victim(self, nodes: Sequence[Node], held: Sequence[Node]) -> Node:
        gone = self.next_of(nodes, self.is_due(held))
        self.leave(gone)
        return gone


@dataclass(frozen=True)
class S3FIFO(LeastRecentlyUsed):
    """S3-FIFO (Yang et al. 2023, Algorithm 1): a small FIFO queue of new blocks, a large one with second chances.

    What was read twice after it entered the small queue moves on to the large one; at the head of the large one a
    block goes round again for each of its reads, of which at most 3 count.

    Parameters
    ----------
    small : Fraction
        Share of the capacity from which on the small queue loses blocks, 0 to 1.
    ghosts : Fraction
        Ghosts, as a share of the capacity, 0 or more.
    """

    name = "s3-fifo"
    loop = "residence"
    small: Fraction = Fraction(1, 10)
    ghosts: Fraction = Fraction(9, 10)

    def __post_init__(self) -> None:
        object.__setattr__(self, "small", rational("small", self.small, 0, 1))
        object.__setattr__(self, "ghosts", rational("ghosts", self.ghosts, 0))

    def sizes(self, capacity: int) -> tuple[int, int]:
        """Return the most that the small queue keeps, less than its share, and how many ghosts there are."""
        return ceil(self.small * capacity) - 1, int(self.ghosts * capacity)

    def memory(self, instance: ForestInstance) -> Memory:
        """Return the queues."""
        return _SecondChances(*self.sizes(instance.capacity))


class _SecondChances(Queues):
    def __init__(self, limit: int, ghosts: int) -> None:
        super().__init__(limit, ghosts)
        self.chances: dict[int, int] = {}

    def used(self, node: Node, resident: bool) -> None:
        super().used(node, resident)
        self.chances[node.code] = min(self.chances[node.code] + 1, 3) if resident else 0

    def victim(self, nodes: Sequence[Node], held: Sequence[Node]) -> Node:
        first = self.is_due(held)
        node = self.next_of(nodes, first)
        while self.chances[node.code] >= (2 if self.queue[node.code] == 0 else 1):
            self.chances[node.code] = 0 if self.queue[node.code] == 0 else self.chances[node.code] - 1
            self.queue[node.code] = 1
            self.enter(node)
            node = self.next_of(nodes, first)
        self.leave(node)
        return node
