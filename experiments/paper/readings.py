"""Which readings of Algorithm 1 the printed tables rule out, and which they cannot tell apart.

    python -m experiments.paper.readings VERDICTS.csv [--cells CELLS.csv] [--seeds 40] [--other-seeds 20]
        [--turns 2000] [--workers 2]

Each reading of `experiments.paper.readings_of_algorithm_1` makes Tables 1 to 6 on samples of the workloads, with
the printed headings, and Tables 1 and 3 also with Table 2's. The rule, set before the tables were made:

1. A table *rules a reading out* where more than half of its cells, as rounded, lie outside everything that the
   samples give.
2. Of the others, the one with the least RMSE is the *best*.
3. Another one is *not told apart* from the best where the table's preference for the best is no surprise under
   that other reading: at least 5 % of its own samples, held against the mean of its other samples and against the
   best one's, prefer the best one by as much (in mean squared differences).
4. What is left *fits worse*.

Two readings that differ by less than one does between assumptions are not really told apart; so at the end stands
what has the same verdict under all of them.

What is found rests on the workload: an inference, no proof.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Literal

import numpy as np

from experiments import markdown
from experiments.paper.algorithm_1 import TO_THE_LETTER
from experiments.paper.algorithm_1_compiled import replayed
from experiments.paper.fits import Floats
from experiments.paper.grid import SEEDS, TURNS, XI_MS, tokens
from experiments.paper.headings import OTHER_SEEDS, Write, headings, printed_cells
from experiments.paper.improvements import (
    Job,
    Measured,
    Reading,
    World,
    columns_of,
    frozen,
    in_unit,
    measure,
)
from experiments.paper.printed import CAPACITIES, TABLE_2, TABLES, PrintedTable
from experiments.paper.readings_of_algorithm_1 import READINGS
from experiments.paper.tables import QUANTILES
from experiments.tidy import write_rows
from teltheory.processes import cores
from teltheory.workloads.chat_data import wildchat_like
from teltheory.workloads.gaps import ExponentialGaps

Verdict = Literal["ruled out", "best", "not told apart", "fits worse"]
HALF_A_TENTH = 0.05
NO_SURPRISE = 0.05
ENDLESS_SEEDS = 10


@dataclass(frozen=True)
class Judged:
    """A reading beside a printed table.

    Attributes
    ----------
    assumptions : str
        Of the samples.
    table : int
        1 to 6.
    headings_ms : str
        Thresholds of the table's headings.
    reading : str
        Of Algorithm 1.
    rmse : float
        In points.
    cells, signs, inside, outside_all : int
        Cells; those with the printed sign; those inside 95 % of the samples; those outside all samples.
    as_far : float
        Share of the reading's own samples that are as far from the mean of the others.
    preference : float
        Share of its own samples that prefer the best reading by as much as the table; 1 for the best itself.
    verdict : str
        By the rule.
    """

    assumptions: str
    table: int
    headings_ms: str
    reading: str
    rmse: float
    cells: int
    signs: int
    inside: int
    outside_all: int
    as_far: float
    preference: float
    verdict: Verdict


@dataclass(frozen=True)
class ReadCell:
    """A cell of a printed table under a reading, in per cent; the fields are those of `Judged` and `Compared`."""

    assumptions: str
    headings_ms: str
    reading: str
    table: int
    capacity: int
    xi_ms: int
    metric: str
    against: str
    printed: float
    ours: float
    low: float
    high: float


Row = Judged | ReadCell


def other_worlds() -> list[World]:
    """Return two other WildChat-like workloads that reach the text's percentiles of LRU."""
    return [
        World("wildchat", f"gaps {gaps:.0f} s, {longest} turns, longer left out", chats, 200)
        for gaps, longest in ((300.0, 11), (480.0, 10))
        for chats in [wildchat_like(ExponentialGaps(gaps), longest)]
    ]


def headings_to_try(table: PrintedTable) -> list[list[int]]:
    """Return the printed headings, and Table 2's for WildChat's tables that have others."""
    tried = [headings(table)]
    if table.workload == TABLE_2.workload and headings(TABLE_2) not in tried:
        tried.append(headings(TABLE_2))
    return tried


def samples_of(table: PrintedTable, labels: Sequence[int], found: dict[str, Measured]) -> dict[str, Floats]:
    """Return each reading's samples of a table whose headings are `labels`, (samples, capacities, columns)."""
    at = headings(table)
    xi_ms = [labels[at.index(column.xi_ms)] for column in table.columns]
    return {name: columns_of(measured, table.columns, xi_ms) for name, measured in found.items()}


def read_cells(
    world: World, table: PrintedTable, labels: Sequence[int], samples: dict[str, Floats]
) -> Iterator[ReadCell]:
    """Yield each cell of a table under each reading."""
    for name, of in samples.items():
        place = (world.name, " ".join(map(str, labels)), name, table.number)
        seen = np.stack([of.mean(axis=0), *np.quantile(of, QUANTILES, axis=0)], axis=-1)
        for (i, capacity), (j, c) in product(enumerate(CAPACITIES), enumerate(table.columns)):
            printed, (ours, low, high) = float(table.rows[i][j]), seen[i, j].tolist()
            yield ReadCell(*place, capacity, c.xi_ms, c.metric, c.against, printed, ours, low, high)


def judged(
    world: World, table: PrintedTable, labels: Sequence[int], samples: dict[str, Floats]
) -> Iterator[Judged]:
    """Yield each reading beside a table whose headings are `labels`."""
    printed = printed_cells(table, table.columns)
    rmse = {name: _distance(of.mean(axis=0), printed) for name, of in samples.items()}
    left = [name for name, of in samples.items() if not is_ruled_out(of, printed)]
    best = min(left, key=rmse.__getitem__, default=None)
    for name, of in samples.items():
        preference = 1.0 if best in (None, name) else preferring(of, samples[str(best)], printed)
        verdict: Verdict = "ruled out" if name not in left else "best"
        if name in left and name != best:
            verdict = "not told apart" if preference >= NO_SURPRISE else "fits worse"
        counts = (printed.size, *_counts(of, printed), int(outside_all(of, printed).sum()))
        place = (world.name, table.number, " ".join(map(str, labels)), name, rmse[name])
        yield Judged(*place, *counts, as_far(of, printed), preference, verdict)


def _distance(cells: Floats, printed: Floats) -> float:
    return float(np.sqrt(((cells - printed) ** 2).mean()))


def _counts(samples: Floats, printed: Floats) -> tuple[int, int]:
    low, high = np.quantile(samples, QUANTILES, axis=0)
    signs = np.sign(samples.mean(axis=0).round(1)) == np.sign(printed)
    return int(signs.sum()), int(((low <= printed) & (printed <= high)).sum())


def outside_all(samples: Floats, printed: Floats) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Return which printed cells, as rounded, are outside everything that the samples give."""
    below = printed + HALF_A_TENTH < samples.min(axis=0)
    return np.asarray(below | (printed - HALF_A_TENTH > samples.max(axis=0)))


def is_ruled_out(samples: Floats, printed: Floats) -> bool:
    """Whether more than half of the cells are outside everything that the samples give."""
    return bool(outside_all(samples, printed).mean() > 0.5)


def as_far(samples: Floats, printed: Floats) -> float:
    """Return the share of samples at least as far from the mean of the others as the table from the mean."""
    own = ((samples - _others(samples)) ** 2).mean(axis=(1, 2))
    return float((own >= ((samples.mean(axis=0) - printed) ** 2).mean()).mean())


def preferring(samples: Floats, of_best: Floats, printed: Floats) -> float:
    """Return the share of a reading's samples that prefer the best one by as much as the table, or more."""
    own = ((samples - _others(samples)) ** 2 - (samples - _others(of_best)) ** 2).mean(axis=(1, 2))
    of_table = ((printed - samples.mean(axis=0)) ** 2 - (printed - of_best.mean(axis=0)) ** 2).mean()
    return float((own >= of_table).mean())


def _others(samples: Floats) -> Floats:
    """Return for each sample the mean of the others."""
    return np.asarray((samples.sum(axis=0) - samples) / (len(samples) - 1))


def of_world(world: World, readings: Sequence[Reading], measured: Sequence[Measured]) -> Iterator[Row]:
    """Yield all readings beside all tables of a world."""
    found = {reading.name: of for reading, of in zip(readings, measured, strict=True)}
    for table in TABLES:
        if table.workload == world.workload:
            for labels in headings_to_try(table):
                samples = samples_of(table, labels, found)
                yield from judged(world, table, labels, samples)
                yield from read_cells(world, table, labels, samples)


def endless(world: World, seeds: int) -> dict[int, tuple[int, int]]:
    """Return for each threshold the replays in which the printed `while` never ends, and all replays.

    They are those of `TO_THE_LETTER` on `seeds` samples at every capacity.
    """
    instances = [instance for seed in range(seeds) for instance in in_unit(world, seed, 1).instances]
    return {
        ms: (sum(replayed(i, tokens(ms), world.q_hat, TO_THE_LETTER)[1] > 0 for i in instances), len(instances))
        for ms in XI_MS
    }


def show(rows: Sequence[Judged], write: Write) -> None:
    """Write a line a reading and table."""
    for place in dict.fromkeys((row.assumptions, row.table, row.headings_ms) for row in rows):
        write(f"Table {place[1]} with {place[2]} ms, {place[0]}:\n")
        for row in rows:
            if (row.assumptions, row.table, row.headings_ms) == place:
                write(
                    f"  {row.reading:27} RMSE {row.rmse:6.2f}, {row.signs} signs and {row.inside} inside of"
                    f" {row.cells}, {row.outside_all} outside all: {row.verdict}{_share(row)}\n"
                )


def show_summary(rows: Sequence[Judged], write: Write) -> None:
    """Write for each table which readings have the same verdict under all assumptions."""
    for table, labels in dict.fromkeys((row.table, row.headings_ms) for row in rows):
        here = [row for row in rows if (row.table, row.headings_ms) == (table, labels)]
        verdicts: dict[str, set[str]] = {}
        for row in here:
            verdicts.setdefault(row.reading, set()).add(row.verdict)
        said = {
            verdict: [name for name, found in verdicts.items() if found == {verdict}]
            for verdict in ("ruled out", "fits worse", "best")
        }
        said["not told apart"] = [name for name in verdicts if not any(name in names for names in said.values())]
        write(f"Table {table} with {labels} ms, under {len({row.assumptions for row in here})} assumptions\n")
        for verdict, names in said.items():
            write(f"  {verdict}: {'; '.join(names) or 'none'}\n")


def show_distances(rows: Sequence[Judged], write: Write) -> None:
    """Write RMSE under the first assumptions as Markdown, with the tables that rule a reading out under all."""
    first = [row for row in rows if row.assumptions == rows[0].assumptions]
    tables = list(dict.fromkeys((row.table, row.headings_ms) for row in first))
    names = ["Reading", *(f"Table {number} at {labels}" for number, labels in tables), "Verdict"]
    for above in markdown.heading(names):
        write(f"{above}\n")
    for reading in dict.fromkeys(row.reading for row in first):
        rmse = [f"{row.rmse:.2f}" for row in first if row.reading == reading]
        write(f"{markdown.line([reading, *rmse, _verdict_of_all(rows, reading)])}\n")


def _verdict_of_all(rows: Sequence[Judged], reading: str) -> str:
    verdicts: dict[int, set[str]] = {}
    for row in rows:
        if row.reading == reading:
            verdicts.setdefault(row.table, set()).add(row.verdict)
    out = [f"Table {table}" for table, found in verdicts.items() if found == {"ruled out"}]
    return "left" if not out else "ruled out" if len(out) == len(verdicts) else f"ruled out by {', '.join(out)}"


def show_endless(world: World, seeds: int, write: Write) -> None:
    """Write how often the printed `while` never ends."""
    for ms, (never, replays) in endless(world, seeds).items():
        place = f"{world.workload}-like, xi = {ms} ms, C = {CAPACITIES[0]} to {CAPACITIES[-1]}"
        write(f"{place}: the printed `while` never ends in {never} of {replays} replays\n")


def _share(row: Judged) -> str:
    told = row.verdict in ("not told apart", "fits worse")
    return f" ({row.preference:.0%} of its samples prefer the best as much)" if told else ""


def main(arguments: Sequence[str]) -> None:
    """Replay, judge, write and show."""
    parser = argparse.ArgumentParser(prog="python -m experiments.paper.readings")
    parser.add_argument("verdicts", type=Path)
    parser.add_argument("--cells", type=Path)
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--other-seeds", type=int, default=OTHER_SEEDS)
    parser.add_argument("--turns", type=int, default=TURNS)
    parser.add_argument("--workers", type=int, default=cores())
    given = parser.parse_args(arguments)
    jobs = [Job(frozen(name), READINGS, range(given.seeds)) for name in ("wildchat", "sharegpt")]
    jobs += [Job(world, READINGS, range(given.other_seeds)) for world in other_worlds()]
    jobs = [job._replace(world=replace(job.world, turns=given.turns)) for job in jobs]
    found = measure(jobs, XI_MS, given.workers)
    rows = [row for job, of in zip(jobs, found, strict=True) for row in of_world(job.world, READINGS, of)]
    verdicts = [row for row in rows if isinstance(row, Judged)]
    write_rows(verdicts, given.verdicts)
    if given.cells is not None:
        write_rows((row for row in rows if isinstance(row, ReadCell)), given.cells)
    show(verdicts, sys.stdout.write)
    show_summary(verdicts, sys.stdout.write)
    show_distances(verdicts, sys.stdout.write)
    for job in jobs[:2]:
        show_endless(job.world, min(given.seeds, ENDLESS_SEEDS), sys.stdout.write)


if __name__ == "__main__":
    main(sys.argv[1:])
