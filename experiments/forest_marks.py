"""In how many settings T-LRU is worse than LRU on shared prefixes, by cache and mark: a tidy table.

    python -m experiments.forest_marks TRACE CAPACITIES TABLE.csv

The trace has block hashes; capacities are in tokens, such as 1M,2M. The files of agents' sessions do not say when
a session starts: those of a folder start at random, one in ten seconds. All caches pin the path of the running
request. The estimate is the longest new part of a request that continues a path, or their mean, rounded up. A
setting is a capacity and how far the threshold is above the estimate, in blocks. What is compared is TEL.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import ClassVar

import teltheory as tt
from experiments.block_hashes import assumed_starts, forest_of
from teltheory.base.whole_files import check_place
from teltheory.model.units import read_tokens
from teltheory.paper import tidy
from teltheory.paper.script import markdown, run
from teltheory.policies.policy import MARKS, Mark
from teltheory.replay import Cache

CACHES: dict[str, Cache] = {
    "strict": "strict",
    "holes": "holes",
    "whole prompts": tt.RadixNodes(),
    "whole prompts, not renewed": tt.RadixNodes(renew=False),
    "chunks of 8,192": tt.RadixNodes(8192),
}
ABOVE = (1, 50, 100, 200, 400, 800, 1600)
ESTIMATES = ("longest", "mean")


@dataclass(frozen=True)
class Row(tidy.TableRow):
    """T-LRU against LRU in one setting; TELs, threshold, estimate and capacity are in blocks."""

    AXES: ClassVar = ("estimate", "cache", "capacity", "above", "mark")

    estimate: str
    cache: str
    capacity: int
    above: int
    mark: Mark
    q_hat: int
    lru: int
    tlru: int


def estimates(forest: tt.Forest) -> dict[str, int]:
    """Return the longest new part of a request that continues a path, and their mean, rounded up."""
    new = (forest.total - forest.known)[forest.known > 0].tolist()
    return dict(zip(ESTIMATES, (max(new), -(-sum(new) // len(new))), strict=True))


def rows_of(forest: tt.Forest, capacities: Sequence[int]) -> Iterator[Row]:
    """Yield the rows of every setting."""
    for (name, cache), capacity in product(CACHES.items(), capacities):
        lru = tt.replay(forest, tt.LRU(), capacity, True, cache=cache)
        for (estimate, q_hat), above in product(estimates(forest).items(), ABOVE):
            xi = q_hat + above
            for mark in MARKS:
                tlru = tt.replay(forest, tt.TLRU(xi, q_hat, mark=mark), capacity, True, cache=cache)
                tels = (tt.tail_excess_latency(lru, xi), tt.tail_excess_latency(tlru, xi))
                yield Row(estimate, name, capacity, above, mark, q_hat, *tels)


def lines(rows: Sequence[Row]) -> Iterator[str]:
    """Yield in how many settings T-LRU is better and worse, as a Markdown table: equal marks share a line."""
    columns = [f"{how}, {name} Q̂" for name in ESTIMATES for how in ("better", "worse")]
    marks: dict[tuple[str, ...], list[str]] = {}
    for cache, mark in dict.fromkeys((row.cache, row.mark) for row in rows):
        marks.setdefault((cache, *_counts(rows, cache, mark)), []).append(mark)
    cells = ([cache, ", ".join(alike), *counts] for (cache, *counts), alike in marks.items())
    yield from markdown(("cache", "marks", "settings", *columns), cells, "llrrrrr")


def _counts(rows: Sequence[Row], cache: str, mark: str) -> list[str]:
    ours = [row for row in rows if (row.cache, row.mark) == (cache, mark)]
    more = [[row.tlru - row.lru for row in ours if row.estimate == name] for name in ESTIMATES]
    counts = [count for one in more for count in (sum(m < 0 for m in one), sum(m > 0 for m in one))]
    return [str(len(ours) // len(ESTIMATES)), *map(str, counts)]


def main(trace_file: str, capacities: str, target: str) -> Iterator[str]:
    """Replay, yield the table, and write it."""
    check_place(Path(target), "to write")
    asked = [read_tokens("capacities", text) for text in capacities.split(",")]
    forest = forest_of(trace_file, assumed_starts(trace_file))
    found = ", ".join(f"{name} {number:,}" for name, number in estimates(forest).items())
    yield f"New parts of requests that continue a path, in blocks of {forest.block_size} tokens: {found}."
    yield ""
    rows = list(rows_of(forest, [tokens // forest.block_size for tokens in asked]))
    yield from lines(rows)
    tidy.write_rows(rows, Path(target), Row)


if __name__ == "__main__":
    run(main, __doc__)
