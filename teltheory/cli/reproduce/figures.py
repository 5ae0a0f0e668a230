"""`teltheory figures`: the paper's tables and figures, on its kind of workload and on a trace, into a folder.

Tables 1 to 6 are printed with the paper's number, ours below it, and a mark for the verdict.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console

from teltheory.base.extras import check_report, lacking
from teltheory.cli.asked.options import MOST_TURNS, workers_option
from teltheory.cli.asked.pictures import style_option
from teltheory.cli.asked.traces import Reading
from teltheory.cli.parts import command, option
from teltheory.cli.printed import output
from teltheory.cli.printed.output import console, make_folder
from teltheory.cli.printed.tables import plain_table
from teltheory.errors import ArgumentError
from teltheory.model.units import listed_values, read_time, read_tokens
from teltheory.plots.style import of_venue

if TYPE_CHECKING:
    from teltheory.paper.printed import Column
    from teltheory.paper.rows import ComparedRow

TABLES = "tables"
MOST_SEEDS, MOST_MILLISECONDS = 100_000, 10**9
MARKS = {"inside": "=", "same sign": "~", "off": "x"}
READING = "Traces are replayed as private conversations, as in the paper."
LEGEND = (
    "Improvement of T-LRU in per cent: the paper's number, ours, and ours with attention, each the mean over the "
    "samples. = the paper's is inside the range of 95 % of the samples, ~ the same sign, x off."
)
AGAINST = {"lru": "LRU", "threshold-lru": "Thre-LRU"}


@command(None, "figures out --trace mooncake.jsonl --capacity 300k --slo 200ms")
@click.argument("folder", metavar="FOLDER")
@option(
    "--trace", "trace_file", metavar="FILE", help="Trace to use instead of the built-in one. Left out, Mooncake's."
)
@option(
    "--capacity", "capacities", multiple=True, metavar="TOKENS,...", help="Capacity of the cache. For the trace."
)
@option(
    "--slo", "slos", multiple=True, metavar="TIME,...", help="Threshold as a time to first token. For the trace."
)
@option(
    "--seeds",
    type=click.IntRange(1, MOST_SEEDS),
    help="Number of samples of each kind of workload; 40 if left out.",
)
@option(
    "--turns",
    type=click.IntRange(1, MOST_TURNS),
    help="Number of turns. Those of each sample; 2,000 if left out.",
)
@style_option
@option("--again", is_flag=True, help="Make tables again that are already there.")
@workers_option
def figures(
    folder: str,
    trace_file: str | None,
    capacities: tuple[str, ...],
    slos: tuple[str, ...],
    style: str | None,
    again: bool,
    workers: int | None,
    **samples: int | None,
) -> int:
    """Make the paper's tables and figures in FOLDER.

    Tables 1 to 6 are printed beside the paper's own.

    WildChat-like and ShareGPT-like workloads are sampled; the Mooncake trace follows where the data folder
    (TELTHEORY_DATA, or ../shared/data) has it, or the trace that --trace names. FOLDER/tables has the tidy tables;
    those that are there and whole are not made again. Text needs a tokenizer: `teltheory trace convert` it first.
    """
    check_report("matplotlib")
    if style is not None:
        of_venue(style)
    grid = ranges(capacities, slos)
    if trace_file is not None:
        Reading("auto", None, None, 0).read(trace_file)
    make_folder(Path(folder))
    out = console()
    given = {name: number for name, number in samples.items() if number is not None}
    make(out, Path(folder), trace_file, workers, again, style, **grid, **given)
    show(out, *both_compared(Path(folder)))
    return 0


def ranges(capacities: Sequence[str], slos: Sequence[str]) -> dict[str, Any]:
    """Return the trace's grid as `teltheory.paper.all.make_all` takes it; what is not given is left out."""
    found: dict[str, Any] = {}
    if capacities:
        sizes = listed_values("capacity", capacities)
        found["capacities"] = tuple(read_tokens("capacity", text) for text in sizes)
    if slos:
        found["xi_ms"] = [_milliseconds(slo) for slo in listed_values("slo", slos)]
        found["slo_ms"] = sorted(found["xi_ms"])[len(found["xi_ms"]) // 2]
    return found


def _milliseconds(text: str) -> int:
    exact = 1000 * read_time("slo", text)
    if exact.denominator != 1 or not 1 <= exact <= MOST_MILLISECONDS:
        raise ArgumentError("slo", text, f"whole milliseconds from 1 to {MOST_MILLISECONDS:,}, such as 200ms")
    return int(exact)


def make(
    out: Console,
    folder: Path,
    trace: str | None,
    workers: int | None,
    again: bool = False,
    style: str | None = None,
    **grid: Any,
) -> None:
    """Make all tables, and figures in the style of a venue, a line each."""
    from teltheory.paper.all import make_all
    from teltheory.paper.drawing import draw_all

    out.print(READING, highlight=False, markup=False)
    for line in make_all(folder / TABLES, trace, workers, again, **grid):
        out.print(line, highlight=False, markup=False)
    if not lacking("matplotlib"):
        for line in draw_all(folder / TABLES, folder, venue=style, workers=workers):
            out.print(line, highlight=False, markup=False)


def both_compared(folder: Path) -> tuple[list[ComparedRow], list[ComparedRow]]:
    """Return the cells of Tables 1 to 6 beside the paper's, and those with attention, from what `make` made."""
    return _compared(folder, "cells"), _compared(folder, "attention_cells")


def _compared(folder: Path, table: str) -> list[ComparedRow]:
    from teltheory.paper.grid import WORKLOADS
    from teltheory.paper.rows import ComparedRow
    from teltheory.paper.tidy import read_rows

    cells = [
        cell for name in WORKLOADS for cell in read_rows(folder / TABLES / f"{table}_{name}.csv", ComparedRow)
    ]
    return sorted(cells, key=lambda cell: cell.table)


def show(out: Console, cells: Sequence[ComparedRow], second: Sequence[ComparedRow]) -> None:
    """Print Tables 1 to 6 beside the paper's, and what their latencies are."""
    output.show(out, LEGEND, *latencies())
    for one in paper_tables(cells, second):
        output.show(out, plain_table(one.title, one.header, one.rows, left=("",)), one.summary)


def latencies() -> list[str]:
    """Return where the TTFT of both lines comes from."""
    from teltheory.paper.grid import SECOND_LATENCY, ReplaySetting

    found = (("ours", ReplaySetting().latency), ("attention", SECOND_LATENCY))
    lines = [f"TTFT, {name}: {one.name}; {one.provenance.note}." for name, one in found if one.provenance]
    return [*lines, "No measured TTFT is in either."]


@dataclass(frozen=True)
class PaperTable:
    """A table of the paper with our numbers below it, as text."""

    title: str
    header: tuple[str, ...]
    rows: list[tuple[str, ...]]
    summary: str


def paper_tables(cells: Sequence[ComparedRow], second: Sequence[ComparedRow]) -> Iterator[PaperTable]:
    """Yield each table whose cells these are, with those of the second latency in the same order."""
    from teltheory.paper.printed import TABLES, V1_TABLES

    columns = {table.number: table.columns for table in V1_TABLES}
    corrected = [table.number for table, v1 in zip(TABLES, V1_TABLES, strict=True) if table != v1]
    for number, section in groupby(zip(cells, second, strict=True), key=lambda both: both[0].table):
        of, rows = list(section), list[tuple[str, ...]]()
        for capacity, at_capacity in groupby(of, key=lambda both: both[0].capacity):
            row = list(at_capacity)
            rows.append((f"{capacity:,}", "paper", *(f"{cell.printed:.1f} " for cell, _ in row)))
            rows.append(("", "ours", *(_marked(cell) for cell, _ in row)))
            rows.append(("", "attention", *(_marked(cell) for _, cell in row)))
        edition = " under arXiv v1's headings" if number in corrected else ""
        header = ("C", "", *map(_heading, columns[number]))
        yield PaperTable(f"Table {number}{edition}, printed and ours", header, rows, _summary(number, of))


def _marked(cell: ComparedRow) -> str:
    return f"{cell.ours:.1f}{MARKS[cell.agreement]}"


def _summary(number: int, cells: Sequence[tuple[ComparedRow, ComparedRow]]) -> str:
    """Return how a table's cells agree with the paper's under both latencies, and how far these are apart."""
    from teltheory.paper.tables import said

    first, second = zip(*cells, strict=True)
    other = sum(one.ours != two.ours for one, two in cells)
    turned = sum(round(one.ours, 1) * round(two.ours, 1) < 0 for one, two in cells)
    apart = f"Attention changes {other} of {len(first)} numbers and turns the sign of {turned}."
    return f"Table {number}: {said(first)}. With attention: {said(second)}. {apart}"


def _heading(column: Column) -> str:
    """Return what stands above a column, in two lines."""
    what = AGAINST[column.against] if column.metric == "above" else column.metric.upper()
    return f"{column.xi_ms} ms\n{what}"
