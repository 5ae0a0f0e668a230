"""What SGLang's nodes do to T-LRU, and what its split does to LRU: replays of a trace with block hashes.

    python -m experiments.radix_granularity TRACE

Every size is in blocks of the trace, TEL too. Nodes are whole prompts, or chunks of n blocks of prefill, or
blocks; all caches pin the path of the running request. T-LRU is SGLang's: least recent first, marks that a node
forgets with its eviction; its threshold is 54 blocks (27,648 tokens of a Mooncake trace), its estimate 23.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

import teltheory as tt
from teltheory.errors import FileError
from teltheory.paper.script import markdown, run

CAPACITIES = (586, 1953, 5859)
XI, Q_HAT = 54, 23
T_LRU = tt.TLRU(XI, Q_HAT, "least-recent", "resident")
BLOCK = 512
CHUNKS = (32, 16, 8, 4)
"""16,384, 8,192, 4,096 and 2,048 tokens in blocks: SGLang's defaults, from large GPUs to small ones."""
KINDS: Mapping[str, tt.RadixNodes] = {
    "prompts": tt.RadixNodes(),
    "prompts, cut at the budget": tt.RadixNodes(split=True),
    **{f"chunks of {chunk}": tt.RadixNodes(chunk * BLOCK) for chunk in CHUNKS},
    "chunks of 16, cut at the budget": tt.RadixNodes(16 * BLOCK, split=True),
    "blocks": tt.RadixNodes(BLOCK),
}
SPLITS: Mapping[str, tt.RadixNodes] = {
    "prompts": tt.RadixNodes(),
    "chunks of 16": tt.RadixNodes(16 * BLOCK),
    "blocks": tt.RadixNodes(BLOCK),
}


def split_rows(forest: tt.Forest) -> Iterator[list[str]]:
    """Yield, per capacity and kind of node, LRU with what a split leaves unread recent, and as old as it was."""
    for capacity in CAPACITIES:
        for name, nodes in SPLITS.items():
            old = tt.RadixNodes(nodes.chunk, renew=False)
            renewed, kept = (tt.replay(forest, tt.LRU(), capacity, cache=cache) for cache in (nodes, old))
            change = int(kept.cached.sum()) - int(renewed.cached.sum())
            tels = [tt.tail_excess_latency(outcome, XI) for outcome in (renewed, kept)]
            earlier = np.count_nonzero(kept.cached != renewed.cached)
            numbers = (capacity, renewed.cached.sum(), kept.cached.sum(), change, *tels, earlier)
            yield [name, *(f"{int(number):,}" for number in numbers)]


def grain_rows(forest: tt.Forest) -> Iterator[list[str]]:
    """Yield, per capacity and kind of node, LRU and T-LRU, T-LRU's gain, and its share of the gain with blocks."""
    for capacity in CAPACITIES:
        tels = {name: _tels(forest, capacity, nodes) for name, nodes in KINDS.items()}
        hits = {name: _hits(forest, capacity, nodes) for name, nodes in KINDS.items()}
        whole = tels["blocks"][0] - tels["blocks"][1]
        for name, (lru, tlru) in tels.items():
            share = f"{(lru - tlru) / whole:.0%}" if whole else ""
            numbers = (capacity, *hits[name], lru, tlru, lru - tlru)
            yield [name, *(f"{number:,}" for number in numbers), share]


def _outcomes(forest: tt.Forest, capacity: int, nodes: tt.RadixNodes) -> Iterator[tt.Outcome]:
    return (tt.replay(forest, policy, capacity, cache=nodes) for policy in (tt.LRU(), T_LRU))


def _tels(forest: tt.Forest, capacity: int, nodes: tt.RadixNodes) -> tuple[int, int]:
    lru, tlru = (tt.tail_excess_latency(outcome, XI) for outcome in _outcomes(forest, capacity, nodes))
    return lru, tlru


def _hits(forest: tt.Forest, capacity: int, nodes: tt.RadixNodes) -> list[int]:
    return [int(outcome.cached.sum()) for outcome in _outcomes(forest, capacity, nodes)]


def lines(trace: str) -> Iterator[str]:
    """Yield both tables."""
    read = tt.read_trace(Path(trace))
    if read.blocks is None:
        raise FileError(f"{trace}: found no block hashes, expected a trace that has them")
    forest = read.blocks
    yield "What a split leaves unread, LRU\n"
    columns = (
        "nodes",
        "capacity",
        "hits",
        "if it stays old",
        "more",
        "TEL",
        "TEL if it stays old",
        "requests that change",
    )
    yield from markdown(columns, split_rows(forest), "l" + 7 * "r")
    yield f"\nLRU and T-LRU (threshold {XI}, estimate {Q_HAT})\n"
    columns = ("nodes", "capacity", "LRU hits", "T-LRU hits", "LRU TEL", "T-LRU TEL", "gain", "of the blocks'")
    yield from markdown(columns, grain_rows(forest), "l" + 7 * "r")


if __name__ == "__main__":
    run(lines, __doc__)
