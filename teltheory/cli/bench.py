"""`teltheory bench`: speed against peers, the cost of a turn, and the ceiling."""

from collections.abc import Iterator, Sequence
from typing import Any

import click
from rich.table import Table

from teltheory.base.extras import not_there
from teltheory.cli.asked.options import MOST_TURNS, table_options, trace_options
from teltheory.cli.asked.traces import Reading, report_lines
from teltheory.cli.parts import command, option
from teltheory.cli.printed.output import check_target, progress_bar, report
from teltheory.cli.printed.tables import plain_table
from teltheory.model.units import read_tokens


@command(None, "bench --quick")
@option(
    "--turns",
    type=click.IntRange(100, MOST_TURNS),
    help="Number of turns. Those of the longest one; 10 million if left out.",
)
@option("--repeats", type=click.IntRange(1), help="How often each is measured. 5 times if left out.")
@option("--capacity", default="0.3M", show_default=True, metavar="TOKENS", help="Capacity of the cache.")
@option("--trace", "file", metavar="FILE", help="Trace to use instead of the built-in one.")
@option("--quick", is_flag=True, help="Use short traces, for a few seconds: a trial, no measurement.")
@option("--growth", is_flag=True, help="Measure alone how the cost of a turn grows with the turns.")
@trace_options()
@table_options
def bench(
    turns: int | None,
    repeats: int | None,
    capacity: str,
    file: str | None,
    quick: bool,
    growth: bool,
    reading: Reading,
    target: str | None,
) -> int:
    """Measure how fast our replays are, as ratios.

    They are timed beside libcachesim and our own reference, within one run. Use one quiet machine. libcachesim
    comes with the extra bench.
    """
    from teltheory.bench.run import run
    from teltheory.bench.workload import BenchPlan, load, source

    check_target(target)
    size = read_tokens("capacity", capacity)
    read = None if file is None else reading.read(file)
    with progress_bar() as bar:
        task = bar.add_task("Making the trace", total=None)
        trace = load(file, turns, quick, read)
        plan = BenchPlan.of(len(trace), size, repeats, quick)
        data = run(
            plan, trace, source(file), lambda name: bar.update(task, description=f"Measuring {name}"), growth
        )
    report(target, (*lines_above(data), *([] if read is None else report_lines(read)), *tables(data)), data)
    return 0


def lines_above(data: dict[str, Any]) -> list[str]:
    """Return what stands above the tables: machine, trace, what a timing covers, what is missing."""
    plan, machine, trace = data["plan"], data["machine"], data["trace"]
    named = ("python", "numpy", "libcachesim")
    versions = ", ".join(f"{name} {machine[name]}" for name in named if machine[name])
    lines = [
        f"{machine['processor']}, {machine['cores']} cores, {machine['system']}.",
        f"{versions[0].upper()}{versions[1:]}.",
        f"One core. Medians of {plan['rounds']} timings, quickest to slowest in brackets; ratios within this run.",
        f"Trace: {trace['source']}; {trace['turns']:,} turns, {trace['conversations']:,} conversations.",
        f"Capacity {plan['capacity']:,} tokens, ξ = {plan['xi']:,}, Q̂ = {plan['q_hat']:,}, cutoff "
        f"{plan['cutoff']:,}.",
        "A replay is the whole call, from checks to Outcome, on a trace that was indexed before; the first call",
        "includes the indexing. A turn asks a block cache for the blocks of its past after the turn, in order.",
    ]
    if machine["libcachesim"] is None:
        lines.append(f"Left out: {not_there('libcachesim', 'bench')}.")
    return lines


def tables(data: dict[str, Any]) -> Iterator[Table]:
    """Yield a table for each section."""
    yield _growth(data["growth"])
    if "sections" not in data:
        return
    yield from map(_timings, data["sections"].values())
    yield _ratios(data["sections"])
    if data["memory"] is not None:
        yield _memory(data["memory"], "turn")
    if data["forest_memory"] is not None:
        yield _memory(data["forest_memory"], "block")
    yield _door(data["door"])


def _timings(section: dict[str, Any]) -> Table:
    title = "{title}: {turns:,} turns, {block_requests:,} block requests".format(**section)
    lines = []
    for row in section["rows"]:
        speeds = [_three(row[key] / 1e6) for key in ("turns_a_second", "block_requests_a_second")]
        times = (_three(row["median"] * 1e3), _spread(row, 1e3), _three(row["ns_a_turn"]))
        lines.append((row["name"], *times, *speeds))
    columns = ("replay", "ms", "spread", "ns/turn", "M turns/s", "M block requests/s")
    return plain_table(title, columns, lines, ("replay",))


def _ratios(sections: dict[str, Any]) -> Table:
    lines = (
        (row["slower"], row["quicker"], f"{section['turns']:,}", _three(row["ratio"]), _spread(row))
        for section in sections.values()
        for row in section["ratios"]
    )
    columns = ("this", "as this", "turns", "times", "spread")
    return plain_table("How many times as long", columns, lines, ("this", "as this"))


def _growth(growth: dict[str, Any]) -> Table:
    sizes = list(growth["rows"][0]["ns_a_turn"])
    title = "Nanoseconds per turn on n turns, and the growth from {from:,} to {to:,}".format(**growth)
    lines = (
        (row["name"], *(_three(row["ns_a_turn"][size]) for size in sizes), f"{row['factor']:.2f} ×")
        for row in growth["rows"]
    )
    columns = ("replay", *(f"n = {int(size):,}" for size in sizes), "growth")
    return plain_table(title, columns, lines, ("replay",))


def _memory(rows: Sequence[dict[str, Any]], each: str) -> Table:
    title = f"Bytes a {each} beyond what the process held before, measured on {rows[0]['turns']:,} {each}s"
    lines = ((row["name"], *(f"{row[key] / row['turns']:.1f}" for key in ("peak", "kept"))) for row in rows)
    return plain_table(title, ("step", "peak", "kept"), lines, ("step",))


def _door(rows: Sequence[dict[str, Any]]) -> Table:
    title = f"Before anything is done: whole processes; times: as long as `{rows[0]['name']}`"
    lines = (
        (row["name"], _three(row["median"]), _spread(row), _three(row["times"]["ratio"]), _spread(row["times"]))
        for row in rows
    )
    return plain_table(title, ("process", "seconds", "spread", "times", "spread"), lines, ("process",))


def _spread(row: dict[str, Any], unit: float = 1) -> str:
    return f"({_three(row['low'] * unit)}–{_three(row['high'] * unit)})"


def _three(value: float) -> str:
    """Return a number with three digits, or with all before the point where those are more."""
    for digits, least in ((0, 100), (1, 10), (2, 1), (3, 0.1)):
        if value >= least:
            return f"{value:,.{digits}f}"
    return f"{value:.2g}"
