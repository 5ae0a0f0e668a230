"""What is left of T-LRU's gain over LRU if a cache of shared prefixes were otherwise: one tidy table.

    python -m experiments.forest_what_ifs TRACE TABLE.csv

The trace has block hashes. Capacities of 0.3 M, 1 M and 3 M tokens, a threshold of 2 seconds; a row a change. As
it is: a strict cache, blocks of the trace's own size, optional caching, high-water marks, and for Q̂ the mean of
what is new in the requests that begin with something known. LRU is replayed under the same change. The gain is by
how much T-LRU's TEL is below LRU's, in tokens, so that blocks of any size compare; what is left of it is its share
of the gain as it is.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import ClassVar

import numpy as np

import teltheory as tt
from experiments.block_hashes import forest_of
from teltheory.base.whole_files import check_place
from teltheory.model.preambles import system_prompt, without
from teltheory.paper import tidy
from teltheory.paper.script import markdown, run
from teltheory.policies.policy import Policy
from teltheory.policies.spec import default_estimate, in_blocks

CAPACITIES = (300_000, 1_000_000, 3_000_000)
SLO = Fraction(2)
LATENCY = tt.A100_LLAMA2_7B
CHUNKS = (8192, 4096, 2048, 512)
BLOCK_SIZES = (128, 1024, 2048, 4096)
AS_IT_IS = "as it is"

NODES = "sglang:mark=none"
"""Whole nodes, with the mark of the other rows."""


@dataclass(frozen=True)
class Row(tidy.TableRow):
    """T-LRU under a change at one capacity, beside LRU.

    Attributes
    ----------
    change : str
        What is otherwise.
    hit_rate, lru_hit_rate : float
        Reused share of the input tokens.
    tel, lru_tel : int
        Tokens above the threshold.
    p95, p99 : float
        Of T-LRU's TTFT, in seconds.
    written : int
        Tokens that T-LRU wrote to the cache.
    left : float or None
        The gain as a share of the gain as it is; None if there is none as it is.
    """

    AXES: ClassVar = ("capacity", "change")

    capacity: int
    change: str
    hit_rate: float
    lru_hit_rate: float
    tel: int
    lru_tel: int
    p95: float
    p99: float
    written: int
    left: float | None


@dataclass(frozen=True)
class Change:
    """Something that is otherwise: the requests, T-LRU's parameters in tokens, the rules of the cache."""

    name: str
    forest: tt.Forest = field(repr=False)
    policy: Policy
    rules: str = "strict"
    forced: bool = False

    def replayed(self, policy: Policy, capacity: int) -> tt.Outcome:
        """Replay the requests under a policy in tokens; return the outcome in tokens."""
        size = self.forest.block_size
        found = in_blocks(policy, size)
        return tt.replay(self.forest, found, capacity // size, self.forced, rules=self.rules).in_tokens()


def changes(forest: tt.Forest) -> Iterator[Change]:
    """Yield what is tried on a forest; what comes first is as it is."""
    xi, q_hat = LATENCY.threshold(SLO), default_estimate(forest)
    usual = tt.TLRU(xi, q_hat, "least-recent")
    yield Change(AS_IT_IS, forest, usual)
    yield Change("forced caching", forest, usual, forced=True)
    yield Change("a cache with holes", forest, usual, "holes")
    for mark in ("resident", "last"):
        yield Change(f"mark {mark}", forest, tt.TLRU(xi, q_hat, "least-recent", mark))
    yield Change("whole prompts as nodes", forest, usual, f"{NODES}:chunk=none")
    yield Change("whole prompts, split at the budget", forest, usual, f"{NODES}:chunk=none:split=yes")
    for chunk in CHUNKS:
        if chunk >= forest.block_size:
            yield Change(f"nodes of {chunk:,} tokens", forest, usual, f"{NODES}:chunk={chunk}")
    for size in BLOCK_SIZES:
        if 0 in (size % forest.block_size, forest.block_size % size) and size != forest.block_size:
            yield Change(f"blocks of {size:,} tokens", forest.to_blocks(size), usual)
    yield Change("no system prompt", without(forest, system_prompt(forest)), usual)
    yield Change("Q̂ = 0", forest, tt.TLRU(xi, 0, "least-recent"))
    yield Change(f"Q̂ = {2 * q_hat:,}", forest, tt.TLRU(xi, 2 * q_hat, "least-recent"))
    for seconds in (Fraction(1), Fraction(3)):
        other = LATENCY.threshold(seconds)
        yield Change(f"ξ of {float(seconds):g} s", forest, tt.TLRU(other, q_hat, "least-recent"))


def rows_at(tried: Sequence[Change], capacity: int) -> Iterator[Row]:
    """Yield a row a change at one capacity, in order; the first is as it is."""
    xi, gain = LATENCY.threshold(SLO), None
    for change in tried:
        lru, tlru = (change.replayed(policy, capacity) for policy in (tt.LRU(), change.policy))
        before, after = (tt.tail_excess_latency(outcome, xi) for outcome in (lru, tlru))
        gain = before - after if gain is None else gain
        left = float(Fraction(before - after, gain)) if gain else None
        p95, p99 = np.asarray(tt.ttft_quantiles(tlru, (0.95, 0.99), LATENCY)).tolist()
        rate, beside = (float(outcome.hit_rate) for outcome in (tlru, lru))
        written = tt.write_volume(tlru, change.forest)
        yield Row(capacity, change.name, rate, beside, after, before, p95, p99, written, left)


def lines(rows: Sequence[Row]) -> Iterator[str]:
    """Yield a Markdown table for each capacity, of what fits a page: the written table has the other columns."""
    columns = ("what is otherwise", "TEL", "LRU's", "P95 s", "gain left")
    for (capacity,), section in tidy.grouped(rows, ("capacity",)).items():
        yield f"\nCapacity {capacity:,} tokens\n"
        yield from markdown(columns, map(_cells, section), "l" + 4 * "r")


def _cells(row: Row) -> list[str]:
    tails = [f"{tel / 10**6:.2f} M" for tel in (row.tel, row.lru_tel)]
    left = "" if row.left is None else f"{100 * row.left:.0f} %"
    return [row.change, *tails, f"{row.p95:.3f}", left]


def main(trace_file: str, target: str) -> Iterator[str]:
    """Replay, yield the tables, and write them."""
    check_place(Path(target), "to write")
    forest = forest_of(trace_file)
    tried = list(changes(forest))
    xi, q_hat = LATENCY.threshold(SLO), default_estimate(forest)
    yield (
        f"ξ = {xi:,} tokens ({float(SLO):g} s), Q̂ = {q_hat:,} tokens, blocks of {forest.block_size} tokens. "
        "TEL: tokens above ξ. gain left: by how much T-LRU's TEL is below LRU's, as a share of that as it is."
    )
    rows = [row for capacity in CAPACITIES for row in rows_at(tried, capacity)]
    yield from lines(rows)
    tidy.write_rows(rows, Path(target), Row)


if __name__ == "__main__":
    run(main, __doc__)
