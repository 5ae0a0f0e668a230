"""Arrays of nodes of a forest: sums from the root down, numbers of those that stay, values at some; paths."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from teltheory.errors import TraceError
from teltheory.model.branching import NO_NODE
from teltheory.model.numbers import BoolArray, IntArray, readonly


def sums_down(parent: IntArray, length: IntArray) -> IntArray:
    """Return the sum of a length over each node and those above it: of the nodes' own lengths, their depths.

    Within a run of nodes that follow each other it is a running sum.
    """
    ends = np.cumsum(length)
    starts = np.flatnonzero(parent != np.arange(-1, len(parent) - 1))
    above, before = parent[starts], (ends - length)[starts]
    runs = np.where(above >= 0, np.searchsorted(starts, above, "right"), 0).tolist()
    shift = [0]
    for run, node, skipped in zip(runs, above.tolist(), before.tolist(), strict=True):
        shift.append((int(ends[node]) + shift[run] if node >= 0 else 0) - skipped)
    return ends + np.repeat(np.array(shift, np.int64), np.diff([0, *starts.tolist(), len(parent)]))


def roots(parent: IntArray) -> IntArray:
    """Return the root of the tree of each node."""
    root = list(range(len(parent)))
    for node, above in enumerate(parent.tolist()):
        root[node] = root[above] if above >= 0 else node
    return np.array(root, np.int64)


def first_through(parent: IntArray, leaf: IntArray) -> IntArray:
    """Return the first request through each node, the number of requests if there is none."""
    first = [len(leaf)] * len(parent)
    for k, node in reversed(list(enumerate(leaf.tolist()))):
        if node >= 0:
            first[node] = k
    for node in range(len(parent) - 1, -1, -1):
        above = parent[node]
        if above >= 0:
            first[above] = min(first[above], first[node])
    return np.array(first, np.int64)


def renumbered(kept: BoolArray) -> IntArray:
    """Return the new number of each node that is kept; one more entry, -1, for no node."""
    return np.append(np.cumsum(kept) - 1, NO_NODE)


def filled(parent: IntArray, length: IntArray, leaf: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Return parents, lengths and leaves without the nodes of length 0."""
    kept = length > 0
    number = renumbered_upwards(kept, parent)
    return readonly(number[parent][kept]), readonly(length[kept]), readonly(number[leaf])


def renumbered_upwards(kept: BoolArray, parent: IntArray) -> IntArray:
    """Return the new number of each node, of one that goes that of the nearest above it; one more entry, -1."""
    number = renumbered(kept)
    for node in np.flatnonzero(~kept).tolist():
        number[node] = number[parent[node]]
    return number


def path_to(parent: IntArray, node: int) -> list[int]:
    """Return the nodes from the root to one, -1 for none."""
    nodes: list[int] = []
    while node >= 0:
        nodes.append(node)
        node = int(parent[node])
    return nodes[::-1]


def at_nodes(values: IntArray, nodes: IntArray, absent: int) -> IntArray:
    """Return the value of each node, `absent` for -1."""
    return np.append(values, absent)[nodes]


def walked(request: int, path: Sequence[int], nodes: dict[int, int], parents: list[int]) -> int:
    """Return the last node of a path, adding the blocks that no earlier path has."""
    node = NO_NODE
    for block in path:
        here = nodes.setdefault(block, len(parents))
        if here == len(parents):
            parents.append(node)
        elif parents[here] != node:
            raise TraceError("paths", request, block, "a block with one parent, as in the requests before it")
        node = here
    return node


def rescaled(units: IntArray, ratio: Fraction) -> IntArray:
    """Return lengths in units of another size, rounded down."""
    return readonly(units * ratio.numerator // ratio.denominator)
