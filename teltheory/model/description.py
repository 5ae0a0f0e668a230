"""What a trace is like before it is replayed: lengths, turns, reuse, what is shared, and what can be hit at all.

1. Spreads have the mean and nearest-rank percentiles: P_q is the ceil(q n)-th smallest value.
2. A reuse gap is the distance from a use of a block to its next: how many requests later, and how many seconds.
   Where there are no block hashes it is the distance from a turn to its conversation's next.
3. Of the input, a part is in blocks that one conversation reads, parts are in blocks that several read, and a part
   is in no full block. The system prompt are the blocks that at least 90 % of all requests read.
4. The footprint is what a cache that never evicts holds in the end: all blocks, or all pasts of conversations.
5. The ceiling is the hit rate of that cache. That of the chains reads the same requests as private conversations,
   whose outputs are known; where outputs have no hashes it may be the larger one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from teltheory.model.display import Summary
from teltheory.model.forest import Forest
from teltheory.model.numbers import BoolArray, FloatArray, IntArray, Ratio, exact_sum
from teltheory.model.preambles import NEARLY_ALL, readers

if TYPE_CHECKING:
    from teltheory.model.trace import Trace

BOUNDS = (1, 2, 3, 11, 101)
"""Least numbers of conversations that read a block, by which the input is parted."""


@dataclass(frozen=True)
class Spread:
    """Mean, percentiles and greatest of some numbers."""

    mean: float
    p50: float
    p90: float
    p95: float
    p99: float
    most: float

    @classmethod
    def of(cls, values: IntArray | FloatArray) -> Spread | None:
        """Return the spread of some numbers, None if there are none."""
        if not len(values):
            return None
        points = np.percentile(values, [50, 90, 95, 99, 100], method="inverted_cdf").tolist()
        return cls(float(np.mean(values)), *points)


@dataclass(frozen=True)
class Readers:
    """Blocks that so many conversations read: their number, and the share of all input tokens that reads them."""

    least: int
    most: int | None
    blocks: int
    share: Fraction


@dataclass(frozen=True)
class Description:
    """What `describe` found; lengths in tokens.

    Attributes
    ----------
    requests, conversations : int
        Numbers of them.
    seconds : float or None
        From the first arrival to the last.
    inputs, outputs, turns : Spread or None
        Tokens of the inputs, of the outputs, and turns of the conversations.
    block_size : int or None
        Tokens per block; None if the trace has no block hashes, and then the next three are None or empty.
    reads : int or None
        Blocks that all inputs together read.
    system_prompt : Readers or None
        Blocks that at least 90 % of all requests read.
    shared : tuple of Readers
        The input by how many conversations read it.
    rest : Fraction
        Share of the input that is in no full block.
    gaps, waits : Spread or None
        Requests, and seconds, from a use of a block (or conversation) to the next.
    footprint : int
        Tokens that a cache that never evicts holds in the end.
    ceiling, chain_ceiling : Fraction
        Hit rate of that cache, and as private conversations.
    """

    requests: int
    conversations: int
    seconds: float | None
    inputs: Spread | None
    outputs: Spread | None
    turns: Spread | None
    block_size: int | None
    reads: int | None
    system_prompt: Readers | None
    shared: tuple[Readers, ...]
    rest: Fraction
    gaps: Spread | None
    waits: Spread | None
    footprint: int
    ceiling: Fraction
    chain_ceiling: Fraction

    def summary(self) -> Summary:
        """Return the numbers to look at first, shown as a small table."""
        spreads = {"input tokens": self.inputs, "output tokens": self.outputs}
        spreads["turns per conversation"] = self.turns
        lengths = {
            f"{name}, {point}": getattr(spread, point.lower())
            for name, spread in spreads.items()
            for point in ("mean", "P50", "P99")
            if spread is not None
        }
        time = {} if self.seconds is None else {"seconds": self.seconds}
        sizes = {"turns": self.requests, "conversations": self.conversations}
        ends = {"footprint, tokens": self.footprint, "most that can be hit": self.ceiling}
        return Summary("Trace", sizes | time | lengths | ends)

    def as_dict(self) -> dict[str, Any]:
        """Return the description as plain data; shares as floats."""
        return {name: _plain(value) for name, value in asdict(self).items()}


def describe(trace: Trace) -> Description:
    """Describe a trace: its lengths, reuse, what its requests share, and the most that can be hit.

    Parameters
    ----------
    trace : Trace
        In tokens. Where it has block hashes (`trace.blocks`), they say what is shared; else its conversations do.

    Returns
    -------
    Description
        Numbers of requests, spreads of lengths and gaps, shares of the input, footprint and ceilings.
    """
    turns = np.unique(trace.conversation, return_counts=True)[1]
    times, size = trace.arrival, trace.block_size
    spreads = [Spread.of(column) for column in (trace.total * size, trace.response * size, turns)]
    seconds = None if times is None or not len(trace) else float(times[-1] - times[0])
    before: tuple[Any, ...] = (len(trace), trace.conversations, seconds, *spreads)
    chain = Ratio(exact_sum(trace.history), max(exact_sum(trace.total), 1))
    if trace.blocks is None:
        later = np.flatnonzero(trace.continuing)
        gaps = _gaps(later - trace.previous_turn[later], trace.previous_turn[later], later, times)
        held = _added(trace) * size
        shared: tuple[Any, ...] = (None, None, None, (), Ratio(0), *gaps, held, chain)
    else:
        shared = _of_blocks(trace, trace.blocks.by_units())
    found = (*before, *shared, chain)
    return Description(*found)


def _added(trace: Trace) -> int:
    """Return the units of all nodes of the conversations' forest, which is not made: what each turn adds."""
    columns = trace.history[~trace.continuing], trace.prompt, trace.response
    return sum(exact_sum(column) for column in columns)


def _of_blocks(trace: Trace, forest: Forest) -> tuple[Any, ...]:
    """Return what a forest of unit blocks says, in the order of a `Description`."""
    size, tokens = forest.block_size, max(exact_sum(forest.inputs), 1)
    ends = _input_ends(forest)
    reads, by = _reads(forest, ends), readers(forest, trace.code)
    nearly_all = reads * NEARLY_ALL.denominator >= len(forest) * NEARLY_ALL.numerator
    system = _part(nearly_all, reads, size, tokens, 1, None) if len(forest) else None
    parts = []
    for least, after in zip(BOUNDS, (*BOUNDS[1:], None), strict=True):
        chosen = by >= least if after is None else (by >= least) & (by < after)
        parts.append(_part(chosen, reads, size, tokens, least, None if after is None else after - 1))
    asked = exact_sum(forest.ask)
    rest = Ratio(tokens - asked * size, tokens) if exact_sum(forest.inputs) else Ratio(0)
    gaps = _block_gaps(forest, ends)
    ceiling = Ratio(exact_sum(forest.known) * size, tokens)
    return size, asked, system, tuple(parts), rest, *gaps, forest.peak * size, ceiling


def _part(chosen: BoolArray, reads: IntArray, size: int, tokens: int, least: int, most: int | None) -> Readers:
    return Readers(least, most, int(chosen.sum()), Ratio(exact_sum(reads[chosen]) * size, tokens))


def _input_ends(forest: Forest) -> list[int]:
    """Return the last block of each request's input, -1 if it has none."""
    parents: list[int] = forest.parent.tolist()
    ends: list[int] = forest.leaf.tolist()
    for k, output in enumerate((forest.past - forest.ask).tolist()):
        for _ in range(output):
            ends[k] = parents[ends[k]]
    return ends


def _reads(forest: Forest, ends: Sequence[int]) -> IntArray:
    """Return how many requests read each block as input."""
    reads = [0] * forest.nodes
    for end in ends:
        if end >= 0:
            reads[end] += 1
    parents = forest.parent.tolist()
    for node in range(forest.nodes - 1, -1, -1):
        if parents[node] >= 0:
            reads[parents[node]] += reads[node]
    return np.array(reads, np.int64)


def _block_gaps(forest: Forest, ends: Sequence[int]) -> tuple[Spread | None, Spread | None]:
    """Return the spreads of the gaps between uses of a block: as input, after any use, as output too."""
    parents, leaves, latest = forest.parent.tolist(), forest.leaf.tolist(), [-1] * forest.nodes
    uses, befores = list[int](), list[int]()
    for k, (leaf, end) in enumerate(zip(leaves, ends, strict=True)):
        node = leaf
        while node != end:
            latest[node], node = k, parents[node]
        while node >= 0:
            if latest[node] >= 0:
                uses.append(k)
                befores.append(latest[node])
            latest[node], node = k, parents[node]
    use, before = np.array(uses, np.int64), np.array(befores, np.int64)
    return _gaps(use - before, before, use, forest.arrival)


def _gaps(
    apart: IntArray, before: IntArray, use: IntArray, times: FloatArray | None
) -> tuple[Spread | None, Spread | None]:
    return Spread.of(apart), None if times is None else Spread.of(times[use] - times[before])


def _plain(value: Any) -> Any:
    if isinstance(value, Fraction):
        return float(value)
    if isinstance(value, dict):
        return {name: _plain(held) for name, held in value.items()}
    return [_plain(held) for held in value] if isinstance(value, (list, tuple)) else value
