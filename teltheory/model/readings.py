"""Readings of a forest: what a file leaves open, and what engines do differently, each as a forest of its own.

1. A last block that is not full is input, and in no path. So read, `total` is the full blocks of an input. With
   `with_last_blocks` the rest of an input is a block too, one that a prefill computes and no cache holds.
2. Outputs have no ids in most files, so a path ends with its input. With `with_outputs` a later request tells what
   the output was: the first that goes on where the path ends, as far as input and output together reach.
3. vLLM computes at least the last token of every input: an input that fills its blocks gives up the last one even
   if all are cached. That is `without_last_token`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from teltheory.errors import TraceError
from teltheory.model.columns import lengths
from teltheory.model.forest import Forest
from teltheory.model.numbers import IntArray, readonly


def with_last_blocks(forest: Forest) -> Forest:
    """Count the rest of an input that fills no block as a block that a prefill computes and no cache holds.

    Parameters
    ----------
    forest : Forest
        With its `inputs` in tokens.

    Returns
    -------
    Forest
        The same paths; `total` is the least number of blocks that hold an input.
    """
    return replace(forest, total=readonly(-(-forest.inputs // forest.block_size)), tokens=forest.inputs)


def without_last_token(forest: Forest) -> Forest:
    """Ask for the blocks before the last token of each input, as vLLM does: it computes that token always.

    Parameters
    ----------
    forest : Forest
        With its `inputs` in tokens.

    Returns
    -------
    Forest
        The same paths and `total`; `ask` is at most (inputs - 1) // block_size.
    """
    most = np.maximum(forest.inputs - 1, 0) // forest.block_size
    return replace(forest, ask=readonly(np.minimum(forest.ask, most)), tokens=forest.inputs)


def with_outputs(
    forest: Forest, outputs: Sequence[int] | IntArray, conversation: Sequence[int] | IntArray | None = None
) -> Forest:
    """Make paths longer by the blocks of their outputs, as far as a later request shows them.

    A request goes on from the latest request before it whose path is the longest beginning of its own. The first
    that goes on from a request shows its output: the blocks that follow, at most as many as input and output fill.
    Nothing tells an output from another prompt after the same beginning, so that requests of other conversations
    are best left out.

    Parameters
    ----------
    forest : Forest
        Paths of inputs; of nodes of one unit (`Forest.by_units`).
    outputs : sequence of int, shape (n,)
        Tokens of each output.
    conversation : sequence of int, shape (n,), optional
        Conversation of each request; a request goes on from one of its own conversation.

    Returns
    -------
    Forest
        The same requests, of which some end deeper; `ask` and `total` are as before.

    Raises
    ------
    TraceError
        If a length is below 0, or their number is another.
    """
    produced = lengths("outputs", outputs, len(forest))
    if forest.peak != forest.nodes:
        raise TraceError("forest", None, "nodes of several units", "nodes of one unit: forest.by_units()")
    group = (
        [0] * len(forest) if conversation is None else lengths("conversation", conversation, len(forest)).tolist()
    )
    reach = ((forest.inputs + produced) // forest.block_size).tolist()
    leaf, depth = forest.leaf.tolist(), forest.past.tolist()
    for request, later, path in _continued(forest, group):
        beyond = min(reach[request], depth[later]) - depth[request]
        if beyond > 0:
            leaf[request] = path[-beyond]
    return replace(forest, leaf=readonly(np.array(leaf, np.int64)), tokens=forest.inputs)


def _continued(forest: Forest, group: Sequence[int]) -> Iterator[tuple[int, int, list[int]]]:
    """Yield each request that another goes on from, the first such, and its blocks beyond, the deepest first."""
    parents, leaves = forest.parent.tolist(), forest.leaf.tolist()
    latest, known = dict[tuple[int, int], int](), set[int]()
    for later, leaf in enumerate(leaves):
        path, node = list[int](), leaf
        while node >= 0 and (group[later], node) not in latest:
            path.append(node)
            node = parents[node]
        before = latest.get((group[later], node))
        if before is not None and path and before not in known:
            known.add(before)
            yield before, later, path
        if leaf >= 0:
            latest[group[later], leaf] = later
