"""What of a cache's TEL is lost to its capacity, to the policy, and to eviction by whole nodes: a tidy table.

    python -m experiments.forest_losses TRACE CAPACITIES TABLE.csv

The trace has block hashes; capacities are in tokens, such as 800k,1M,3M. The files of agents' sessions do not say
when a session starts: those of a folder start at random, one in ten seconds. The threshold is 2 seconds, and all
caches pin the path of the running request. Each row splits what a cache computes above the threshold, beyond what
an endless cache must compute, into three parts:

1. *capacity*: the hindsight optimum at this capacity less that of an endless cache;
2. *policy*: the policy's TEL in a cache of single blocks less that optimum;
3. *nodes*: its TEL in a tree that evicts whole nodes, as SGLang's does, less that in blocks.

The optimum is that of a cache whose blocks may outlive their parents, so no cache has less; `strict` is the TEL of
leaf-first Tail-Optimized Belady, so that the optimum of a radix tree is between the two.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import ClassVar

import teltheory as tt
from experiments.block_hashes import assumed_starts, forest_of
from teltheory.base.whole_files import check_place
from teltheory.model.units import read_tokens
from teltheory.paper import tidy
from teltheory.paper.script import markdown, run
from teltheory.policies.policy import Policy
from teltheory.policies.spec import default_estimate, in_blocks

SLO = Fraction(2)
LATENCY = tt.A100_LLAMA2_7B
NODES = {"whole prompts": tt.RadixNodes(), "8,192 tokens": tt.RadixNodes(8192)}


@dataclass(frozen=True)
class Row(tidy.TableRow):
    """A policy in a tree of nodes at one capacity, and what its TEL is made of; all in tokens.

    Attributes
    ----------
    endless, optimum, strict : int
        TEL of an endless cache, the hindsight optimum, and leaf-first Tail-Optimized Belady.
    blocks, tel : int
        TEL of the policy in a cache of blocks, and in the tree of nodes.
    """

    AXES: ClassVar = ("capacity", "policy", "nodes")

    capacity: int
    policy: str
    nodes: str
    endless: int
    optimum: int
    strict: int
    blocks: int
    tel: int

    @property
    def parts(self) -> tuple[int, int, int]:
        """What is lost to the capacity, to the policy, and to nodes."""
        return self.optimum - self.endless, self.blocks - self.optimum, self.tel - self.blocks


def policies(forest: tt.Forest) -> dict[str, Policy]:
    """Return the policies that are compared, in blocks."""
    tlru = tt.TLRU(LATENCY.threshold(SLO), default_estimate(forest), "least-recent")
    return {"LRU": tt.LRU(), "T-LRU": in_blocks(tlru, forest.block_size)}


def rows_at(forest: tt.Forest, tokens: int) -> Iterator[Row]:
    """Yield the rows of one capacity."""
    size = forest.block_size
    xi, capacity = LATENCY.threshold(SLO) // size, tokens // size
    best = tt.hindsight_optimum(forest, capacity, xi, forced=True, cache="strict")
    endless = tt.hindsight_optimum(forest, forest.peak, xi, cache="holes").lower
    sides = size * endless, size * int(best.certificate.objective), size * best.upper
    for name, policy in policies(forest).items():
        blocks = tt.tail_excess_latency(tt.replay(forest, policy, capacity, forced=True), xi)
        for nodes, cache in NODES.items():
            tel = tt.tail_excess_latency(tt.replay(forest, policy, capacity, cache=cache), xi)
            yield Row(tokens, name, nodes, *sides, size * blocks, size * tel)


def lines(rows: Sequence[Row]) -> Iterator[str]:
    """Yield a Markdown table of TEL and its parts, in millions of tokens."""
    columns = ("tokens", "policy", "nodes of", "TEL", "+ capacity", "+ policy", "+ nodes")
    yield from markdown(columns, map(_cells, rows), "rll" + 4 * "r")


def _cells(row: Row) -> list[str]:
    return [f"{row.capacity / 10**6:g} M", row.policy, row.nodes, *map(_millions, (row.tel, *row.parts))]


def _millions(tokens: int) -> str:
    return f"{round(tokens / 10**6, 2) + 0.0:.2f}"


def main(trace_file: str, capacities: str, target: str) -> Iterator[str]:
    """Replay, yield the table, and write it."""
    check_place(Path(target), "to write")
    asked = [read_tokens("capacities", text) for text in capacities.split(",")]
    forest = forest_of(trace_file, assumed_starts(trace_file))
    xi, q_hat = LATENCY.threshold(SLO), default_estimate(forest)
    yield (
        f"ξ = {xi:,} tokens ({float(SLO):g} s), Q̂ = {q_hat:,} tokens, blocks of {forest.block_size} tokens; "
        "millions of tokens."
    )
    rows = [row for capacity in asked for row in rows_at(forest, capacity)]
    gap = _millions(max(row.strict - row.optimum for row in rows))
    yield f"TEL = endless + capacity + policy + nodes; endless is {_millions(rows[0].endless)}."
    yield f"The optimum of a radix tree is at most {gap} above the optimum that is shown."
    yield ""
    yield from lines(rows)
    tidy.write_rows(rows, Path(target), Row)


if __name__ == "__main__":
    run(main, __doc__)
