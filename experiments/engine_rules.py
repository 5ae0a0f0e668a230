"""T-LRU's gain and its prefill in blocks, under engines' rules, and with nodes cut at the budget: one table.

    python -m experiments.engine_rules TRACE CAPACITIES TABLE.csv

The trace has block hashes; capacities are in tokens, such as 1M,3M. The files of agents' sessions do not say when
a session starts: those of a folder start at random, one in ten seconds, in 20 draws. T-LRU has the threshold of 2
seconds, and for Q̂ the mean of what is new in a request that begins with something known. A gain is the share by
which its TEL is below that of LRU under the same rules, a prefill what is computed in multiples of LRU's; of draws
both are means, with the least and the largest gain in brackets.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import ClassVar

import numpy as np

import teltheory as tt
from experiments.block_hashes import assumed_starts, forest_of
from teltheory.base.whole_files import check_place
from teltheory.model.units import read_tokens
from teltheory.paper import tidy
from teltheory.paper.script import markdown, run
from teltheory.policies.spec import default_estimate, in_blocks

SLO = Fraction(2)
LATENCY = tt.A100_LLAMA2_7B
DRAWS = 20
RULES = ("strict", "vllm", "sglang:chunk=none", "sglang", "sglang:chunk=2048")
CUT = "split=yes"


@dataclass(frozen=True)
class Row(tidy.TableRow):
    """T-LRU beside LRU under rules, at one capacity in tokens and in one draw of starts; TEL in tokens."""

    AXES: ClassVar = ("capacity", "rules", "draw")

    capacity: int
    rules: str
    draw: int
    lru: int
    tlru: int
    lru_prefilled: int
    prefilled: int

    @property
    def gain(self) -> float:
        """Share of LRU's TEL that T-LRU is below it."""
        return 1 - self.tlru / self.lru if self.lru else 0.0

    @property
    def work(self) -> float:
        """Prefill in multiples of LRU's."""
        return self.prefilled / self.lru_prefilled


def forests_of(trace_file: str) -> Iterator[tt.Forest]:
    """Yield the forest of a trace, or one for each draw of the starts that are assumed."""
    starts = assumed_starts(trace_file)
    draws = [None] if starts is None else [replace(starts, seed=seed) for seed in range(1, DRAWS + 1)]
    yield from (forest_of(trace_file, times) for times in draws)


def rows_of(forest: tt.Forest, draw: int, capacities: Sequence[int]) -> Iterator[Row]:
    """Yield the rows of a forest: all rules, and those with nodes once more with a cut."""
    size, xi = forest.block_size, LATENCY.threshold(SLO)
    policies = tt.LRU(), in_blocks(tt.TLRU(xi, default_estimate(forest)), size)
    cut = [f"{rules}:{CUT}" for rules in RULES if tt.Rules.of(rules).nodes is not None]
    for capacity in capacities:
        for rules in (*RULES, *cut):
            found = [tt.replay(forest, policy, capacity // size, rules=rules) for policy in policies]
            tels = (size * tt.tail_excess_latency(outcome, xi // size) for outcome in found)
            yield Row(capacity, rules, draw, *tels, *(outcome.in_tokens().prefilled for outcome in found))


def lines(rows: Sequence[Row]) -> Iterator[str]:
    """Yield a Markdown table: blocks, the engine as it is, and with a cut; blank where there is nothing to cut."""
    columns = ("tokens", "rules", "blocks", "prefill", "as it is", "prefill", "cut at the budget", "prefill")
    cells = []
    for capacity in dict.fromkeys(row.capacity for row in rows):
        at = [row for row in rows if row.capacity == capacity]
        for rules in RULES[1:]:
            each = (_of(at, one) for one in (RULES[0], rules, f"{rules}:{CUT}"))
            cells.append([f"{capacity / 10**6:g} M", rules, *(text for pair in each for text in pair)])
    yield from markdown(columns, cells, "rl" + 6 * "r")


def _of(rows: Sequence[Row], rules: str) -> tuple[str, str]:
    some = [row for row in rows if row.rules == rules]
    if not some:
        return "", ""
    gains, work = np.array([row.gain for row in some]), np.mean([row.work for row in some])
    ends = f" [{100 * gains.min():.1f}, {100 * gains.max():.1f}]" if len(some) > 1 else ""
    return f"{100 * gains.mean():.1f} %{ends}", f"{work:.2f}"


def main(trace_file: str, capacities: str, target: str) -> Iterator[str]:
    """Replay, yield the table, and write it."""
    check_place(Path(target), "to write")
    asked = [read_tokens("capacities", text) for text in capacities.split(",")]
    rows = [row for draw, one in enumerate(forests_of(trace_file), 1) for row in rows_of(one, draw, asked)]
    yield from lines(rows)
    tidy.write_rows(rows, Path(target), Row)


if __name__ == "__main__":
    run(main, __doc__)
