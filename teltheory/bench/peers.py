"""Other cache simulators, each by its quickest route; making their input is not timed.

libcachesim: a native loop over a memory-mapped file of requests (`process_trace`) for objects of size 1, in a
cache for as many as the capacity has blocks. The cache is made anew in each timed call, as it can't be emptied.
Its hash table begins with 2**hash power buckets; the default of 24 is far too many for caches of this size, so
14, 15 and 16 are tried and the quickest is compared.

Its input is a trace as requests for blocks of a fixed number of tokens. A turn asks for every full block of its
conversation's past after the turn, in the order of the prefix: those of its history, which may be cached, then the
new ones of its prompt and its response, which can't be. Under another order a block cache would evict a
conversation from its end, as ours does, but a turn's new blocks would evict its own history before that is looked
up. What a turn keeps of a shortened history keeps its blocks; the rest is new.
"""

from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Literal

import numpy as np

from teltheory.model.forest import Forest
from teltheory.model.numbers import IntArray
from teltheory.model.trace import Trace

HASH_POWERS = (14, 15, 16)
DEFAULT_HASH_POWER = 24

NEVER = -1
Eviction = Literal["LRU", "Belady"]
EVICTIONS: tuple[Eviction, ...] = ("LRU", "Belady")

_RECORD = np.dtype([("time", "<u4"), ("object", "<u8"), ("size", "<u4"), ("next", "<i8")])
"""libcachesim's format oracleGeneral: requests are numbered from 1, and -1 is never."""


@dataclass(frozen=True)
class BlockReads:
    """Requests for blocks."""

    block: IntArray
    next_request: IntArray

    def __len__(self) -> int:
        return len(self.block)


def block_requests(trace: Trace) -> BlockReads:
    """Return the requests of a trace whose lengths are in blocks already (`Trace.to_blocks`)."""
    sizes = trace.past
    starts = np.cumsum(sizes) - sizes
    block = np.empty(int(sizes.sum()), np.int64)
    upcoming = np.full(len(block), NEVER, np.int64)
    unused = 0
    turns = zip(starts.tolist(), sizes.tolist(), trace.history.tolist(), trace.previous_turn.tolist(), strict=True)
    for start, size, kept, previous in turns:
        if kept:
            before = int(starts[previous])
            block[start : start + kept] = block[before : before + kept]
            upcoming[before : before + kept] = np.arange(start, start + kept)
        block[start + kept : start + size] = np.arange(unused, unused + size - kept)
        unused += size - kept
    return BlockReads(block, upcoming)


def forest_requests(forest: Forest) -> BlockReads:
    """Return the reads of a forest in the order of each path, root first; for LRU, which does not look ahead."""
    units = forest.by_units()
    reads = [node for k in range(len(units)) for node in units.path(k)]
    return BlockReads(np.array(reads, np.int64), np.full(len(reads), NEVER, np.int64))


def installed() -> str | None:
    """Return the version of libcachesim, None if it is not installed."""
    try:
        return version("libcachesim")
    except PackageNotFoundError:
        return None


def write_requests(requests: BlockReads, file: Path) -> None:
    """Write requests as libcachesim reads them."""
    records = np.zeros(len(requests), _RECORD)
    records["object"] = requests.block
    records["size"] = 1
    records["next"] = np.where(requests.next_request == NEVER, NEVER, requests.next_request + 1)
    records.tofile(file)


class LibCacheSim:
    """libcachesim on a file that `write_requests` wrote."""

    def __init__(self, file: Path, blocks: int) -> None:
        import libcachesim

        self._library: Any = libcachesim
        self._reader = libcachesim.TraceReader(str(file), libcachesim.TraceType.ORACLE_GENERAL_TRACE)
        self._blocks = blocks

    def replay(self, eviction: Eviction, hash_power: int) -> float:
        """Replay the requests and return the share of them that hit."""
        cache = getattr(self._library, eviction)(cache_size=self._blocks, hashpower=hash_power)
        misses, _ = cache.process_trace(self._reader)
        return 1 - float(misses)
