"""Other cache simulators, each by its quickest route; making their input is not timed.

libcachesim: a native loop over a memory-mapped file of requests (`process_trace`) for objects of size 1, in a
cache for as many as the capacity has blocks. The cache is made anew in each timed call, as it can't be emptied.
Its hash table begins with 2**hash power buckets; the default of 24 is far too many for caches of this size, so
14, 15 and 16 are tried and the quickest is compared.

cachetools: a Python loop over the blocks, `LRUCache` with one entry a block.
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Literal

import numpy as np

from teltheory.bench.blocks import Requests

PEERS = ("libcachesim", "cachetools")
HASH_POWERS = (14, 15, 16)
DEFAULT_HASH_POWER = 24

Eviction = Literal["LRU", "Belady"]
EVICTIONS: tuple[Eviction, ...] = ("LRU", "Belady")

_RECORD = np.dtype([("time", "<u4"), ("object", "<u8"), ("size", "<u4"), ("next", "<i8")])
"""libcachesim's format oracleGeneral: requests are numbered from 1, and -1 is never."""


def installed(peer: str) -> str | None:
    """Return the version of a peer, None where it is not installed."""
    try:
        return version(peer)
    except PackageNotFoundError:
        return None


def write_requests(requests: Requests, file: Path) -> None:
    """Write requests as libcachesim reads them."""
    records = np.zeros(len(requests), _RECORD)
    records["object"] = requests.block
    records["size"] = 1
    records["next"] = np.where(requests.next_request < 0, -1, requests.next_request + 1)
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


def cachetools_lru(blocks: list[int], capacity: int) -> int:
    """Replay requests under cachetools' LRU and return how many of them hit."""
    from cachetools import LRUCache

    cache: Any = LRUCache(capacity)
    hits = 0
    for block in blocks:
        if cache.get(block) is None:
            cache[block] = True
        else:
            hits += 1
    return hits
