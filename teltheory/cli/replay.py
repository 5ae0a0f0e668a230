"""`teltheory replay`: a trace under policies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click
from rich.table import Table

from teltheory.cli.defaults import notes
from teltheory.cli.options import Thresholds, grid_options, read_question, workers_option
from teltheory.cli.output import check_target, progress_bar, report
from teltheory.cli.tables import SLOW_LEGEND, WORK_LEGEND, cells_tables
from teltheory.cli.traces import Reading, about_turns, trace_options, turns_as_data
from teltheory.errors import ArgumentError, FileError, ForcedCachingError, TraceError, listed
from teltheory.model.trace import Trace
from teltheory.policies.spec import POLICIES, default_estimate, parse_policy, policy_texts
from teltheory.replay import in_reference, kernel_is_compiled
from teltheory.sweep import Cell, Grid, Store, sweep

LEGEND = (
    f"{WORK_LEGEND} {SLOW_LEGEND} regret: TEL above the hindsight optimum. closed: share of LRU's "
    "distance to the optimum that is closed."
)


@click.command()
@click.argument("trace_file", metavar="TRACE")
@click.option(
    "--policy", "policies", multiple=True, metavar="POLICY", help="lru,tlru:xi=200ms,q_hat=200; a comma lists."
)
@click.option("--q-hat", "q_hat", type=click.IntRange(0), help="Prompt estimate for policies without their own.")
@workers_option
@click.option("--store", "store_file", metavar="FILE", help="Keep results here and compute none twice.")
@click.option("--scheduler", metavar="ADDRESS", help="Of a Dask cluster that replays: tcp://host:8786.")
@trace_options()
@grid_options
def replay(
    trace_file: str,
    policies: tuple[str, ...],
    q_hat: int | None,
    workers: int | None,
    store_file: str | None,
    scheduler: str | None,
    forced: bool,
    reading: Reading,
    target: str | None,
    **asked: Any,
) -> int:
    """Replay TRACE under policies, next to LRU and the hindsight optimum.

    Without --policy all policies are replayed; --xi or --slo fill in the thresholds that policies leave out.
    Without --workers several processes are used where there is work enough for them.
    """
    check_target(target)
    if workers is not None and scheduler is not None:
        raise ArgumentError("--workers", workers, "none with --scheduler, whose own workers do the work")
    specs = [parse_policy(text) for text in policy_texts(policies) or POLICIES]
    question = read_question(**asked, specs=specs)
    store = None if store_file is None else Store(store_file)
    trace = reading.read(trace_file)
    estimate = default_estimate(trace) if q_hat is None else q_hat
    with about(trace_file):
        thresholds, sizes = question.on(trace, forced)
        grid = Grid(specs, sizes, thresholds.xis, estimate, forced=forced, **thresholds.for_grid)
        cells = run(trace, grid, thresholds, workers, store, scheduler)
    parts = shown_cells(trace, grid, cells, thresholds, q_hat is not None)
    report(target, parts, cells_as_data(trace, grid, cells, thresholds))
    return 0


def run(
    trace: Trace,
    grid: Grid,
    thresholds: Thresholds,
    workers: int | None = None,
    store: Store | None = None,
    scheduler: str | None = None,
) -> list[Cell]:
    """Sweep the grid with a progress bar."""
    with progress_bar() as bar:
        doing = "Replaying" if kernel_is_compiled() else "Compiling, then replaying"
        task = bar.add_task(doing, total=None)
        return sweep(
            trace,
            grid,
            thresholds.latency,
            lambda done, every: bar.update(task, completed=done, total=every),
            workers=workers,
            store=store,
            scheduler=scheduler,
        )


@contextmanager
def about(file: str) -> Iterator[None]:
    """Name the file in errors that name a turn of its trace."""
    try:
        yield
    except (ForcedCachingError, TraceError) as error:
        raise FileError(f"{file}, {error}") from None


def shown_cells(
    trace: Trace, grid: Grid, cells: Sequence[Cell], thresholds: Thresholds, given: bool = False
) -> Iterator[str | Table]:
    """Yield what was replayed, what was assumed, and a table for each capacity and threshold."""
    yield from assumptions(trace, grid, thresholds, given)
    yield f"{LEGEND} {caching(grid.forced)}"
    yield from cells_tables(cells, thresholds)


def assumptions(trace: Trace, grid: Grid, thresholds: Thresholds, given: bool) -> list[str]:
    """Return what stands above every table: the trace, its chaining, the latency model, the defaults."""
    lines = [*about_turns(trace), *thresholds.said, *notes(trace, grid.capacities, thresholds)]
    if not given and any(spec.needs("q_hat") for spec in grid.policies):
        lines.append(
            f"Q̂ = {grid.q_hat:,} where a policy has none of its own: the mean prompt of the turns that continue a "
            f"conversation, rounded up."
        )
    if any(spec.needs("cutoff") for spec in grid.policies):
        lines.append(f"Threshold-LRU has the cutoff {grid.cutoff}.")
    slow = [
        one.text
        for one in grid.policies
        for xi in grid.thresholds[:1]
        if in_reference(grid.build(one, xi, int), len(trace))
    ]
    if slow:
        lines.append(f"Replayed by the slow reference, as no compiled loop is known to fit: {listed(slow)}.")
    return lines


def caching(forced: bool) -> str:
    """Return the caching mode as a sentence."""
    return f"{'Forced' if forced else 'Optional'} caching."


def cells_as_data(trace: Trace, grid: Grid, cells: Sequence[Cell], thresholds: Thresholds) -> dict[str, Any]:
    """Return the sweep as plain data."""
    data = trace_as_data(trace, grid, thresholds)
    return {**data, "forced": grid.forced, "rows": [cell.as_dict() for cell in cells]}


def trace_as_data(trace: Trace, grid: Grid, thresholds: Thresholds) -> dict[str, Any]:
    """Return the trace, and what was assumed, as plain data."""
    return {
        "trace": turns_as_data(trace),
        "latency": thresholds.latency.name,
        "unit": thresholds.unit,
        "notes": [*thresholds.said, *notes(trace, grid.capacities, thresholds)],
        "q_hat": grid.q_hat,
        "cutoff": grid.cutoff,
        "slo": {str(xi): slo.text for xi, slo in thresholds.slos.items()},
    }
