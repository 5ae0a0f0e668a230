"""Which threshold fits each printed column best, beside the heading that stands above it.

    python -m experiments.paper.headings FITS.csv [--seeds 40] [--other-seeds 20] [--step-ms 10]
        [--turns 2000] [--workers 2] [--labels LABELS.csv] [--distances DISTANCES.csv]

T-LRU is replayed at every threshold of a fine grid, and each column of Tables 1 to 6, and each heading's columns
together, is fitted (`experiments.paper.fits`): under the frozen defaults with every trim order, and under other
assumptions about gaps and the longest conversation. Then every increasing choice of five of 50, 100, 150, 200, 300
and 500 ms is tried as the headings of each table, and the sentences on the largest improvements are looked up in
our samples.

What is found rests on the workload: an inference about how the tables were made, no proof.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from experiments import markdown
from experiments.paper.assumptions import under_lru, within
from experiments.paper.fits import Fit, Floats, fit, labellings
from experiments.paper.grid import SEEDS, TURNS, XI_MS
from experiments.paper.improvements import Job, Measured, Reading, World, frozen, measure
from experiments.paper.printed import TABLE_1, TABLE_2, TABLES, Column, Metric, PrintedTable
from experiments.paper.readings_of_algorithm_1 import EAGER, LEAST_RECENT, ROUND_ROBIN
from experiments.tidy import write_rows
from teltheory.processes import cores
from teltheory.workloads.chat_data import Longer, wildchat_like
from teltheory.workloads.gaps import ExponentialGaps

FINEST_MS, LARGEST_MS, STEP_MS, OTHER_SEEDS = 20, 700, 10, 20
GAPS_SECONDS = (300.0, 400.0, 480.0)
LONGEST: tuple[tuple[int, Longer], ...] = ((8, "cut"), (10, "left out"), (11, "left out"))
PEAKS: tuple[Metric, ...] = ("p90", "p95")
Write = Callable[[str], object]


@dataclass(frozen=True)
class Fitted:
    """The best threshold for printed columns with one heading.

    Attributes
    ----------
    assumptions, trim : str
        Of our samples.
    table, heading_ms : int
        Where the columns stand.
    columns : str
        Metric and what is compared with; "together" for all columns of the heading.
    best_ms : int
        Threshold that fits best.
    rmse, rmse_at_heading : float
        In points.
    mean_low_ms, mean_high_ms : int
        The interval of the mean of `experiments.paper.fits`.
    sample_ms : str
        The interval of the sample, its parts.
    as_far : float
        Share of our samples that are as far from their best fit.
    heading_inside : bool
        Whether the heading lies in the interval of the sample.
    """

    assumptions: str
    trim: str
    table: int
    heading_ms: int
    columns: str
    best_ms: int
    rmse: float
    rmse_at_heading: float
    mean_low_ms: int
    mean_high_ms: int
    sample_ms: str
    as_far: float
    heading_inside: bool


@dataclass(frozen=True)
class Labelled:
    """A choice of headings for a table; the numbers are those of `experiments.paper.fits.Labelling`."""

    assumptions: str
    trim: str
    table: int
    headings_ms: str
    as_printed: bool
    rmse: float
    resamples: float
    samples: float


@dataclass(frozen=True)
class Distance:
    """How far a printed heading's columns are from our means at a threshold, in points."""

    assumptions: str
    trim: str
    table: int
    heading_ms: int
    xi_ms: int
    rmse: float


@dataclass(frozen=True)
class Peak:
    """Where a percentile improves most on LRU at C = 1,000.

    Attributes
    ----------
    assumptions, trim, metric : str
        Of our samples, and which percentile.
    best_ms : int
        Threshold at which the mean over samples is largest.
    headings_ms : str
        Share of the samples in which each of Table 1's headings is better than its other ones, the smallest of
        equals.
    table_2_headings_ms : str
        The same for Table 2's headings.
    """

    assumptions: str
    trim: str
    metric: str
    best_ms: int
    headings_ms: str
    table_2_headings_ms: str


Row = Fitted | Labelled | Distance | Peak


def thresholds(step_ms: int) -> tuple[int, ...]:
    """Return the grid, which has every heading."""
    return tuple(sorted({*range(FINEST_MS, LARGEST_MS + 1, step_ms), *XI_MS}))


def other_worlds() -> list[World]:
    """Return WildChat-like workloads under other assumptions."""
    return [
        World("wildchat", f"gaps {gaps:.0f} s, {longest} turns, longer {longer}", chats, 200)
        for gaps in GAPS_SECONDS
        for longest, longer in LONGEST
        for chats in [wildchat_like(ExponentialGaps(gaps), longest, longer)]
        if chats != frozen("wildchat").chats
    ]


def targets(table: PrintedTable) -> Iterator[tuple[str, list[Column]]]:
    """Yield each column of a table alone, and each heading's columns together."""
    for column in table.columns:
        yield f"{column.metric} against {column.against}", [column]
    for heading in headings(table):
        yield "together", [column for column in table.columns if column.xi_ms == heading]


def headings(table: PrintedTable) -> list[int]:
    """Return a table's headings, in milliseconds."""
    return list(dict.fromkeys(column.xi_ms for column in table.columns))


def peak(world: World, trim: str, metric: Metric, measured: Measured) -> Peak:
    """Return where a percentile improves most at the smallest capacity."""
    improved = measured.improvements(metric, "lru")[:, :, 0]
    best = measured.xi_ms[int(improved.mean(axis=0).argmax())]
    each = [_best_of_headings(improved, measured.xi_ms, headings(table)) for table in (TABLE_1, TABLE_2)]
    return Peak(world.name, trim, metric, best, *each)


def _best_of_headings(improved: Floats, grid: Sequence[int], at: Sequence[int]) -> str:
    best = improved[:, [grid.index(ms) for ms in at]].argmax(axis=1)
    return ", ".join(f"{ms}: {(best == i).mean():.0%}" for i, ms in enumerate(at))


def cells(measured: Measured, columns: Sequence[Column]) -> Floats:
    """Return the improvements of columns, shape (samples, thresholds, capacities, columns)."""
    return np.stack([measured.column(column) for column in columns], axis=-1)


def printed_cells(table: PrintedTable, columns: Sequence[Column]) -> Floats:
    """Return printed columns, shape (capacities, columns)."""
    places = [table.columns.index(column) for column in columns]
    return np.array([[float(row[place]) for place in places] for row in table.rows])


def fit_columns(table: PrintedTable, columns: Sequence[Column], measured: Measured) -> Fit:
    """Fit columns of one heading together."""
    samples = cells(measured, columns)
    rng = np.random.default_rng(table.number)
    return fit(samples.reshape(*samples.shape[:2], -1), printed_cells(table, columns).ravel(), rng)


def fitted(world: World, trim: str, table: PrintedTable, measured: Measured) -> Iterator[Fitted | Distance]:
    """Yield the fits of a table's columns, and the distances behind those of whole headings."""
    for name, columns in targets(table):
        heading, found = columns[0].xi_ms, fit_columns(table, columns, measured)
        yield _as_row((world.name, trim, table.number, heading, name), found, measured.xi_ms)
        if name == "together":
            for ms, distance in zip(measured.xi_ms, found.distances.tolist(), strict=True):
                yield Distance(world.name, trim, table.number, heading, ms, distance)


def _as_row(place: tuple[str, str, int, int, str], found: Fit, grid: Sequence[int]) -> Fitted:
    heading = place[3]
    return Fitted(
        *place,
        grid[found.best],
        float(found.distances[found.best]),
        float(found.distances[grid.index(heading)]),
        grid[found.mean[0]],
        grid[found.mean[1]],
        parts(found.sample, grid),
        found.as_far,
        grid.index(heading) in found.sample,
    )


def parts(places: Sequence[int], grid: Sequence[int]) -> str:
    """Return places on a grid in words, one "from to" for each unbroken part."""
    starts = [place for place in places if place - 1 not in places]
    ends = [place for place in places if place + 1 not in places]
    return " and ".join(f"{grid[a]} to {grid[b]}" for a, b in zip(starts, ends, strict=True))


def labelled(world: World, trim: str, table: PrintedTable, measured: Measured) -> Iterator[Labelled]:
    """Yield all increasing headings of a table, best first."""
    places = [measured.xi_ms.index(ms) for ms in XI_MS]
    samples = cells(measured, table.columns)[:, places]
    at = headings(table)
    heading_of = np.array([at.index(column.xi_ms) for column in table.columns])
    as_printed = np.array([XI_MS.index(ms) for ms in at])
    rng = np.random.default_rng(table.number)
    for one in labellings(samples, heading_of, printed_cells(table, table.columns), as_printed, rng):
        chosen = [XI_MS[place] for place in one.places]
        shares = (one.rmse, one.resamples, one.samples)
        yield Labelled(world.name, trim, table.number, " ".join(map(str, chosen)), chosen == at, *shares)


def of_world(world: World, trims: Sequence[Reading], found: Sequence[Measured]) -> Iterator[Row]:
    """Yield everything about a world."""
    for trim, measured in zip(trims, found, strict=True):
        for metric in PEAKS if world.workload == "wildchat" else ():
            yield peak(world, trim.name, metric, measured)
        for table in TABLES:
            if table.workload == world.workload:
                yield from fitted(world, trim.name, table, measured)
                yield from labelled(world, trim.name, table, measured)


def show(rows: Sequence[Row], write: Write) -> None:
    """Write each world's fits of whole headings, and its best headings beside the printed ones."""
    for row in rows:
        if isinstance(row, Peak):
            write(
                f"{row.metric.upper()} at C = 1000, {row.assumptions}, {row.trim}: improves most at {row.best_ms}"
                f" ms; in samples {row.headings_ms}; of Table 2's headings {row.table_2_headings_ms}\n"
            )
    of_tables = [row for row in rows if not isinstance(row, Peak)]
    for place in dict.fromkeys((row.assumptions, row.trim, row.table) for row in of_tables):
        here = [row for row in of_tables if (row.assumptions, row.trim, row.table) == place]
        joint = [row for row in here if isinstance(row, Fitted) and row.columns == "together"]
        write(f"Table {place[2]}, {place[0]}, {place[1]}: " + "; ".join(map(_fit_said, joint)) + "\n")
        labels = [row for row in here if isinstance(row, Labelled)]
        best, printed = labels[0], next(row for row in labels if row.as_printed)
        if best.as_printed:
            write(f"  the printed headings fit best of six choices, RMSE {printed.rmse:.2f}\n")
        else:
            write(
                f"  as {best.headings_ms}: RMSE {best.rmse:.2f}, as printed {printed.rmse:.2f}; best in"
                f" {best.resamples:.1%} of resamples, in {best.samples:.1%} of samples at the printed headings\n"
            )


def _fit_said(row: Fitted) -> str:
    return f"{row.heading_ms} -> {row.best_ms} ({row.sample_ms})"


def show_fits(rows: Sequence[Row], write: Write) -> None:
    """Write as Markdown what fits each heading under the frozen assumptions; bold where the heading does not."""
    fits = [row for row in rows if isinstance(row, Fitted) and row.columns == "together"]
    here = [row for row in fits if (row.assumptions, row.trim) == (fits[0].assumptions, fits[0].trim)]
    tables = list(dict.fromkeys(row.table for row in here))
    for above in markdown.heading(["Heading", *(f"Table {table}" for table in tables)]):
        write(f"{above}\n")
    for heading in sorted({row.heading_ms for row in here}):
        cells = [
            " ".join(_in_table(row) for row in here if (row.table, row.heading_ms) == (table, heading))
            for table in tables
        ]
        write(f"{markdown.line([heading, *cells])}\n")


def _in_table(row: Fitted) -> str:
    said = f"{row.best_ms} ({row.sample_ms})"
    return said if row.heading_inside else f"**{said}**"


def show_percentiles(worlds: Iterable[World], seeds: int, write: Write) -> None:
    """Write LRU's percentiles at C = 1,000 in each world, and whether they are near the text's."""
    for world in worlds:
        found = under_lru(world.chats, world.turns, seeds)
        said = ", ".join(f"{name.upper()} {value:.0f}" for name, value in found.items())
        near = "within" if within(world.workload, found) else "not all within"
        write(f"{world.workload}-like, {world.name}: {said} ms, {near} the tolerance of the text\n")


def main(arguments: Sequence[str]) -> None:
    """Fit, write and show."""
    parser = argparse.ArgumentParser(prog="python -m experiments.paper.headings")
    parser.add_argument("fits", type=Path)
    parser.add_argument("--labels", type=Path)
    parser.add_argument("--distances", type=Path)
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--other-seeds", type=int, default=OTHER_SEEDS)
    parser.add_argument("--turns", type=int, default=TURNS)
    parser.add_argument("--step-ms", type=int, default=STEP_MS)
    parser.add_argument("--workers", type=int, default=cores())
    given = parser.parse_args(arguments)
    plan = [
        Job(frozen("wildchat"), (ROUND_ROBIN, LEAST_RECENT, EAGER), range(given.seeds)),
        Job(frozen("sharegpt"), (ROUND_ROBIN,), range(given.seeds)),
        *(Job(world, (ROUND_ROBIN,), range(given.other_seeds)) for world in other_worlds()),
    ]
    plan = [job._replace(world=replace(job.world, turns=given.turns)) for job in plan]
    show_percentiles([job.world for job in plan], given.other_seeds, sys.stdout.write)
    found = measure(plan, thresholds(given.step_ms), given.workers)
    rows = [row for job, of in zip(plan, found, strict=True) for row in of_world(job.world, job.readings, of)]
    show(rows, sys.stdout.write)
    show_fits(rows, sys.stdout.write)
    for path, kind in ((given.fits, Fitted), (given.labels, Labelled), (given.distances, Distance)):
        if path is not None:
            write_rows((row for row in rows if isinstance(row, kind)), path)


if __name__ == "__main__":
    main(sys.argv[1:])
