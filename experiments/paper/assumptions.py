"""How the assumptions of the two workloads were chosen, and what other choices change.

    python -m experiments.paper.assumptions choose wildchat|sharegpt CHOICES.csv [--seeds 40] [--workers 2]
    python -m experiments.paper.assumptions what-if wildchat|sharegpt CHANGES.csv [--seeds 40] [--workers 2]

`choose` samples a grid of assumptions and holds the percentiles of TTFT under LRU at C = 1,000, means over the
seeds, against those that the text gives. The distance is the root of the mean squared logarithm of their ratios.
No table of the paper is looked at.

`what-if` changes one assumption at a time from the frozen ones and holds the tables against the paper's.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from experiments.paper.assumptions_report import changed_lines, chosen_lines
from experiments.paper.grid import Q_HAT, SEEDS, TURNS, Setting, runs
from experiments.paper.printed import LRU_AT_1000_MS, V1_TABLES
from experiments.paper.tables import Runs, compare, summarise
from experiments.tidy import write_rows
from teltheory.latency import A100_LLAMA2_7B
from teltheory.metrics import ttft_quantiles
from teltheory.policies import LRU
from teltheory.processes import cores, on_processes
from teltheory.replay import replay
from teltheory.sweep import Sample
from teltheory.workloads import (
    Chats,
    ExponentialGaps,
    Gaps,
    LogNormalGaps,
    ParetoGaps,
    sharegpt_like,
    wildchat_like,
)

CAPACITY = 1000
QUANTILES = {"p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99}
TOLERANCE = {"p50": 0.20, "p90": 0.15, "p95": 0.15, "p99": 0.15}
MAKERS = {"wildchat": wildchat_like, "sharegpt": sharegpt_like}

EXPONENTIAL = tuple(ExponentialGaps(seconds) for seconds in (30.0, 60.0, 120.0, 240.0, 360.0, 400.0, 600.0, 900.0))
HEAVY = (
    *(LogNormalGaps(seconds, 1.5) for seconds in (120.0, 400.0, 900.0)),
    *(ParetoGaps(seconds, 1.5) for seconds in (120.0, 400.0, 900.0)),
)
GRIDS: Mapping[str, Mapping[str, Sequence[Any]]] = {
    "wildchat": {
        "gaps": (*EXPONENTIAL, *HEAVY),
        "longest": (7, 8, 9, 10, 11, 12, 13),
        "longer": ("left out", "cut"),
        "mean_prompt": (200.0,),
    },
    "sharegpt": {
        "giants": (0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1),
        "mean_giant": (20.0, 30.0, 40.0, 60.0, 100.0),
        "longest": (120, 160, 250),
        "mean_response": (200.0, 300.0, 400.0),
        "response_correlation": (0.0, 0.5),
    },
}
"""What `choose` tries."""

CHANGES: Mapping[str, Mapping[str, Sequence[Any]]] = {
    "wildchat": {
        "gaps": (*EXPONENTIAL, *HEAVY),
        "longest": (8, 9, 11, 12, 13, 60),
        "mean_prompt": (250.0, None),
        "response_correlation": (0.0,),
    },
    "sharegpt": {
        "giants": (0.03, 0.04, 0.06),
        "mean_giant": (30.0, 40.0),
        "longest": (120, 250),
        "mean_response": (300.0, 400.0),
        "spread": (0.5, 1.5),
        "response_correlation": (0.0,),
    },
}
"""What `what-if` changes, one at a time."""


@dataclass(frozen=True)
class Tried:
    """Assumptions and how they are tried.

    Attributes
    ----------
    workload : str
        "wildchat" or "sharegpt".
    assumptions : tuple of (str, object)
        Arguments of `wildchat_like` or `sharegpt_like`; the others are the frozen ones.
    seeds, turns : int
        Samples and their length.
    """

    workload: str
    assumptions: tuple[tuple[str, Any], ...]
    seeds: int
    turns: int = TURNS

    @property
    def chats(self) -> Chats:
        """The workload."""
        return MAKERS[self.workload](**dict(self.assumptions))  # type: ignore[operator,no-any-return]

    def __str__(self) -> str:
        return ", ".join(f"{name} {said(value)}" for name, value in self.assumptions) or "as frozen"


def said(value: object) -> str:
    """Return an assumption's value in words."""
    if isinstance(value, Gaps):
        kind = type(value).__name__.removesuffix("Gaps").lower()
        rest = "".join(f", {name} {held:g}" for name, held in vars(value).items() if name != "mean")
        return f"{kind} {value.mean:g} s{rest}"
    if isinstance(value, float):
        return f"{value:g}"
    return "as they are" if value is None else str(value)


def under_lru(chats: Chats, turns: int, seeds: int) -> dict[str, float]:
    """Return the percentiles of TTFT under LRU at C = 1,000 in milliseconds, means over the seeds."""
    samples = (chats.sample(turns, np.random.default_rng(seed)) for seed in range(seeds))
    found = [
        ttft_quantiles(replay(trace, LRU(), CAPACITY), list(QUANTILES.values()), A100_LLAMA2_7B)
        for trace in samples
    ]
    return dict(zip(QUANTILES, (1000 * np.mean(found, axis=0)).tolist(), strict=True))


def distance(workload: str, percentiles: Mapping[str, float]) -> float:
    """Return the root mean squared logarithm of the ratios to the paper's percentiles."""
    paper = LRU_AT_1000_MS[workload]
    return math.sqrt(sum(math.log(percentiles[p] / paper[p]) ** 2 for p in paper) / len(paper))


def within(workload: str, percentiles: Mapping[str, float]) -> bool:
    """Whether every percentile is near the paper's: 20 % for the median, 15 % for the others."""
    paper = LRU_AT_1000_MS[workload]
    return all(abs(percentiles[p] / paper[p] - 1) <= TOLERANCE[p] for p in paper)


def grid(workload: str, seeds: int) -> list[Tried]:
    """Return what `choose` tries; a mixture that leaves the short conversations no turn is passed over."""
    axes = GRIDS[workload]
    every = (Tried(workload, tuple(zip(axes, values, strict=True)), seeds) for values in product(*axes.values()))
    return [tried for tried in every if _possible(tried)]


def _possible(tried: Tried) -> bool:
    try:
        return tried.chats is not None
    except ValueError:
        return False


def changes(workload: str, seeds: int) -> list[Tried]:
    """Return the frozen assumptions, then each change of one."""
    one_at_a_time = [
        Tried(workload, ((name, value),), seeds) for name, values in CHANGES[workload].items() for value in values
    ]
    cut = [Tried(workload, (("longest", 8), ("longer", "cut")), seeds)] if workload == "wildchat" else []
    frozen = [Tried(workload, (), seeds), Tried(workload, (), seeds, turns=TURNS // 2)]
    return [tried for tried in (*frozen, *one_at_a_time, *cut) if _possible(tried)]


def chosen_row(tried: Tried) -> dict[str, Any]:
    """Return a row of `choose`."""
    percentiles = under_lru(tried.chats, tried.turns, tried.seeds)
    assumptions = {name: said(value) for name, value in tried.assumptions}
    return {**assumptions, **_judged(tried.workload, percentiles)}


def _judged(workload: str, percentiles: Mapping[str, float]) -> dict[str, Any]:
    rounded = {name: round(value, 4) for name, value in percentiles.items()}
    return {
        **rounded,
        "distance": round(distance(workload, percentiles), 6),
        "within": within(workload, percentiles),
    }


def changed_row(tried: Tried) -> dict[str, Any]:
    """Return a row of `what-if`."""
    setting = Setting(q_hat=Q_HAT[tried.workload], policies=("lru", "threshold-lru", "tlru"))
    chats = tried.chats
    found = Runs(runs([Sample(chats, tried.turns, seed) for seed in range(tried.seeds)], setting))
    row: dict[str, Any] = {
        "changed": str(tried),
        "turns": tried.turns,
        **_judged(tried.workload, under_lru(chats, tried.turns, tried.seeds)),
    }
    for table in V1_TABLES:
        if table.workload == tried.workload:
            summary = summarise(compare(table, found))
            measured = {"signs": summary.signs, "inside": summary.inside, "rmse": round(summary.rmse, 6)}
            row |= {f"table {table.number} {name}": value for name, value in measured.items()}
    return row


def rows(what: str, workload: str, seeds: int, workers: int) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """Yield place, number and row of everything tried, as it is done."""
    tried, make = (grid, chosen_row) if what == "choose" else (changes, changed_row)
    cases = tried(workload, seeds)
    for i, row in on_processes(make, cases, workers, "{}".format):
        yield i, len(cases), row


def main(arguments: Sequence[str]) -> None:
    """Try, write, and print the tables of docs/workloads.md."""
    parser = argparse.ArgumentParser(prog="python -m experiments.paper.assumptions")
    parser.add_argument("what", choices=("choose", "what-if"))
    parser.add_argument("workload", choices=tuple(MAKERS))
    parser.add_argument("table", type=Path)
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--workers", type=int, default=cores())
    given = parser.parse_args(arguments)
    done: dict[int, dict[str, Any]] = {}
    for i, number, row in rows(given.what, given.workload, given.seeds, given.workers):
        done[i] = row
        if sys.stderr.isatty() or len(done) == number:
            sys.stderr.write(f"\r{len(done):,} of {number:,}" + ("\n" if len(done) == number else ""))
    lines = [done[i] for i in sorted(done)]
    write_rows(lines, given.table)
    for line in chosen_lines(lines) if given.what == "choose" else changed_lines(lines):
        sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
