"""A trace as requests for blocks of a fixed number of tokens, which is what other cache simulators replay.

A turn asks for every full block of its conversation's past after the turn, in the order of the prefix: those of
its history, which may be cached, then the new ones of its prompt and its response, which can't be. Under another
order a block cache would evict a conversation from its end, as ours does, but a turn's new blocks would evict its
own history before that is looked up. What a turn keeps of a shortened history keeps its blocks; the rest is new.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from teltheory.model.numbers import IntArray
from teltheory.model.trace import Trace

NEVER = -1


@dataclass(frozen=True)
class Requests:
    """Requests for blocks."""

    block: IntArray
    next_request: IntArray

    def __len__(self) -> int:
        return len(self.block)


def block_requests(trace: Trace) -> Requests:
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
    return Requests(block, upcoming)
