"""What requests begin with, and what is left of a forest without it: a system prompt, tools, some first units.

1. The *system prompt* are the units that at least 90 % of all requests begin with.
2. *Tools* are the units that requests of more than ten conversations begin with, the system prompt among them:
   tools of an agent, the instructions of an application, a popular document.
3. Whoever reads a unit reads those above it, so both are closed towards the root, and so is what is left out: the
   first units of paths. What is left of a path begins at a root of its own.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from teltheory.model.forest import Forest
from teltheory.model.nodes import sums_down
from teltheory.model.numbers import IntArray, readonly, whole_number

NEARLY_ALL = Fraction(9, 10)
MANY_CONVERSATIONS = 11


def system_prompt(forest: Forest) -> IntArray:
    """Return the units of each node that belong to the system prompt; shape (V,)."""
    reads = readers(forest, np.arange(len(forest)))
    nearly_all = reads * NEARLY_ALL.denominator >= len(forest) * NEARLY_ALL.numerator
    return np.asarray(forest.length * (nearly_all & (reads > 0)), np.int64)


def tools(forest: Forest, conversation: IntArray) -> IntArray:
    """Return the units of each node that belong to tools, by the conversation of each request; shape (V,)."""
    many = readers(forest, conversation) >= MANY_CONVERSATIONS
    return np.maximum(np.where(many, forest.length, 0), system_prompt(forest))


def first_units(forest: Forest, units: int) -> IntArray:
    """Return the units of each node that are among the first of a path; shape (V,)."""
    above = forest.depth - forest.length
    return np.asarray(np.clip(whole_number("units", units) - above, 0, forest.length), np.int64)


def without(forest: Forest, dropped: IntArray) -> Forest:
    """Return a forest without the first units of its paths, as if no input had begun with them.

    Parameters
    ----------
    forest : Forest
        The requests.
    dropped : ndarray of int64, shape (V,)
        Units that each node loses, its first ones; a node below one that keeps any loses none.

    Returns
    -------
    Forest
        The same requests; ask, total and tokens are less by what a request's input loses.
    """
    lost = np.append(sums_down(forest.parent, dropped), 0)[forest.leaf]
    lost = np.minimum(lost, forest.ask)
    return replace(
        forest,
        length=readonly(forest.length - dropped),
        ask=readonly(forest.ask - lost),
        total=readonly(forest.total - lost),
        tokens=readonly(forest.inputs - lost * forest.block_size),
    ).without_empty_nodes()


def readers(forest: Forest, reader: IntArray) -> IntArray:
    """Return how many readers read each node whole as input, by the reader of each request; shape (V,)."""
    parents, depths, number = forest.parent.tolist(), forest.depth.tolist(), reader.tolist()
    found, latest = [0] * forest.nodes, [-1] * forest.nodes
    leaves, asks = forest.leaf.tolist(), forest.ask.tolist()
    for k in np.argsort(reader, kind="stable").tolist():
        node = leaves[k]
        while node >= 0 and depths[node] > asks[k]:
            node = parents[node]
        while node >= 0 and latest[node] != number[k]:
            latest[node] = number[k]
            found[node] += 1
            node = parents[node]
    return np.array(found, np.int64)
