"""A forest as columns of its requests, whatever its number of blocks: what each adds, and below what.

Blocks are numbered 1, 2, ... in order of first use, the blocks of a request root first. Then what a request adds
is a run of numbers, the end of its path; `below` is the block before that run (0 at a root), or the last block of
the path of a request that adds nothing. A file holds the columns

    block_size  tokens per block, the same in every row
    below       the block that the new ones follow, or the path's last block; 0 for none
    added       new blocks
    asked       blocks of the path that are input
    computed    blocks that a prefill with an empty cache computes, if not those asked
    tokens      input tokens, a last block that is not full included, if not the history and the prompt
"""

from dataclasses import replace
from typing import Any

import numpy as np

from teltheory.errors import TraceError
from teltheory.formats.rows import WALK_COLUMNS, Rows
from teltheory.model.columns import lengths
from teltheory.model.forest import Forest
from teltheory.model.numbers import IntArray, readonly
from teltheory.model.trace import Trace

MOST_BLOCKS = 10**8
"""In a file: some gigabytes."""


def walks(forest: Forest) -> tuple[IntArray, IntArray]:
    """Return for each request below what it adds blocks, and how many; of a forest of nodes of one unit."""
    order = np.argsort(forest.first, kind="stable")
    number = np.zeros(forest.nodes + 1, np.int64)
    number[order] = np.arange(1, forest.nodes + 1)
    added = np.bincount(forest.first, minlength=len(forest))[: len(forest)]
    adds = added > 0
    below = number[forest.leaf]
    below[adds] = number[forest.parent[order[(np.cumsum(added) - added)[adds]]]]
    return below, added


def from_walks(below: IntArray, added: IntArray) -> tuple[IntArray, IntArray]:
    """Return the parent of each block, numbered from 0, and the leaf of each request."""
    end = np.cumsum(added)
    parent = np.arange(-1, int(end[-1]) - 1 if len(end) else -1)
    adds = added > 0
    parent[(end - added)[adds]] = below[adds] - 1
    return parent, np.where(adds, end, below) - 1


def in_order_of_use(forest: Forest) -> Forest:
    """Return a forest whose nodes are numbered in order of their first request; of nodes of one unit."""
    parent, leaf = from_walks(*walks(forest))
    return replace(forest, parent=readonly(parent), leaf=readonly(leaf))


def columns_of(trace: Trace) -> dict[str, Any]:
    """Return the columns of a trace's block hashes; none if it has none, or no turn."""
    if trace.blocks is None or not len(trace):
        return {}
    forest = trace.blocks.by_units()
    below, added = walks(forest)
    columns = {"block_size": np.full(len(trace), forest.block_size), "below": below, "added": added}
    columns["asked"] = forest.ask
    if not np.array_equal(forest.total, forest.ask):
        columns["computed"] = forest.total
    if not np.array_equal(forest.inputs, trace.total):
        columns["tokens"] = forest.inputs
    return columns


def blocks_in(rows: Rows, trace: Trace) -> Forest | None:
    """Return the forest that the columns of a file make; None if it has none of them, or no row."""
    named = [name for name in WALK_COLUMNS if name in rows.columns]
    if not named or not len(trace):
        return None
    needed = "block_size", "below", "added", "asked"
    found = {name: lengths(name, rows.column(name), len(trace)) for name in (*needed, *named)}
    _check(found)
    parent, leaf = from_walks(found["below"], found["added"])
    size, tokens = int(found["block_size"][0]), found.get("tokens", trace.total)
    columns = parent, leaf, found["asked"], found.get("computed"), trace.arrival
    return Forest.of_nodes(*columns, block_size=size, tokens=tokens)


def _check(found: dict[str, IntArray]) -> None:
    """Raise a `TraceError` for two block sizes, and for blocks below one that no request before has."""
    size = int(found["block_size"][0])
    if size < 1:
        raise TraceError("block_size", 0, size, "at least 1 token a block")
    for row in np.flatnonzero(found["block_size"] != size)[:1]:
        raise TraceError("block_size", int(row), int(found["block_size"][row]), f"{size}, as in the first row")
    until = np.cumsum(np.minimum(found["added"], MOST_BLOCKS + 1))
    for row in np.flatnonzero(until > MOST_BLOCKS)[:1]:
        raise TraceError(
            "added", int(row), int(found["added"][row]), f"at most {MOST_BLOCKS:,} blocks in all rows"
        )
    before = until - found["added"]
    for row in np.flatnonzero(found["below"] > before)[:1]:
        expected = f"at most {int(before[row])}, the blocks of the rows before"
        raise TraceError("below", int(row), int(found["below"][row]), expected)
