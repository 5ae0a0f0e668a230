"""`teltheory bench`: speed against peers, the cost of a turn, and the ceiling."""

from __future__ import annotations

from typing import Any

import click

from teltheory.cli.bench_tables import lines_above, tables
from teltheory.cli.options import MOST_TURNS, json_option
from teltheory.cli.output import check_target, console, progress_bar, write_json
from teltheory.cli.traces import Reading, report_lines, trace_options
from teltheory.model.trace import Trace
from teltheory.model.units import read_tokens


@click.command()
@click.option(
    "--turns", type=click.IntRange(100, MOST_TURNS), help="Length of the longest trace; 10 million when left out."
)
@click.option("--repeats", type=click.IntRange(1), help="Timings of each; 5 when left out.")
@click.option("--capacity", default="0.3M", show_default=True, metavar="TOKENS", help="Capacity of the cache.")
@click.option("--trace", "file", metavar="TRACE", help="Measure on this trace instead of a sample.")
@click.option("--quick", is_flag=True, help="Short traces, a few seconds: a trial, not a measurement.")
@trace_options()
@json_option
def bench(
    turns: int | None,
    repeats: int | None,
    capacity: str,
    file: str | None,
    quick: bool,
    reading: Reading,
    target: str | None,
) -> int:
    """Measure our replays against libcachesim, cachetools and our own reference, as ratios within one run.

    Use one quiet machine. The peers come with: pip install 'teltheory[bench]'
    """
    check_target(target)
    size = read_tokens("capacity", capacity)
    read = None if file is None else reading.read(file)
    data = measure(turns, repeats, size, file, quick, read)
    if target != "-":
        out = console()
        for line in (*lines_above(data), *([] if read is None else report_lines(read))):
            out.print(line, highlight=False, markup=False)
        for table in tables(data):
            out.print(table)
    if target is not None:
        write_json(target, data)
    return 0


def measure(
    turns: int | None, repeats: int | None, capacity: int, file: str | None, quick: bool, read: Trace | None = None
) -> dict[str, Any]:
    """Run the benchmarks with a progress bar."""
    from teltheory.bench.run import run
    from teltheory.bench.workload import Plan, load, source

    with progress_bar() as bar:
        task = bar.add_task("Making the trace", total=None)
        trace = load(file, turns, quick, read)
        plan = Plan.of(len(trace), capacity, repeats, quick)
        return run(plan, trace, source(file), lambda name: bar.update(task, description=f"Measuring {name}"))
