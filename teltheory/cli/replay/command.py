"""`teltheory replay`: a trace under policies."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from typing import Any

import click
from rich.table import Table

from teltheory.cli.asked.hints import Hearing, hint_options
from teltheory.cli.asked.options import (
    forced_option,
    grid_options,
    policy_option,
    prefix_options,
    q_hat_option,
    rules_option,
    running_option,
    scheduler_option,
    store_option,
    trace_options,
    workers_option,
)
from teltheory.cli.asked.prefixes import Prefixes
from teltheory.cli.asked.question import Asked, Thresholds
from teltheory.cli.asked.tiers import Tiered, tier_options
from teltheory.cli.asked.traces import Reading
from teltheory.cli.parts import command
from teltheory.cli.printed.output import progress_bar
from teltheory.cli.printed.tables import SLOW_LEGEND, TTFTS, WORK_LEGEND, plain_table
from teltheory.cli.printed.written import Written, written_options
from teltheory.cli.replay.costly import costly
from teltheory.cli.replay.served_runs import question_in_tiers, run_served
from teltheory.cli.replay.served_tables import cells_as_data as served_as_data
from teltheory.cli.replay.served_tables import served_tables
from teltheory.errors import ArgumentError, FileError, ForcedCachingError, TraceError
from teltheory.model.display import percent, tokens_in_short
from teltheory.policies.spec import CLAIRVOYANT, ONLINE, POLICIES, parse_policies, policy_texts
from teltheory.sweep import Cell, Store, sweep

MEASURES = (*TTFTS, "hit", "prefill", "written", "slow", "TEL", "vs LRU", "regret", "closed")


@command(
    None,
    "replay trace.jsonl --capacity 300k,1M --slo 200ms",
    "replay trace.jsonl --policy lru,tlru:trim=eager --xi 2800",
)
@click.argument("trace_file", metavar="TRACE")
@policy_option
@q_hat_option
@hint_options
@workers_option
@store_option
@scheduler_option
@tier_options
@trace_options()
@forced_option
@prefix_options(rules_option, running_option)
@grid_options
@written_options
def replay(
    trace_file: str,
    policies: tuple[str, ...],
    hearing: Hearing,
    workers: int | None,
    store: str | None,
    scheduler: str | None,
    tiered: Tiered,
    reading: Reading,
    prefixes: Prefixes,
    written: Written,
    **asked: Any,
) -> int:
    """Replay TRACE under policies, next to LRU and the optimum.

    A trace with block hashes is replayed as the prefixes that its requests share; sizes and thresholds stay in
    tokens. --chains replays its conversations as if each were private. A policy may have rules of its own,
    tlru:rules=holes.

    With --tier, once for each tier of memory, there is a table for each choice of their sizes, and a policy may be
    one for each tier, lru+tlru. With --hints policies hear what applications say.

    Without --policy those that need no file and no fit are replayed, in tables apart: online ones, and clairvoyant
    ones, which look at later turns. In tiers and radix trees these are LRU, Threshold-LRU, T-LRU and its variants,
    and Belady. --xi or --slo fill in the thresholds that policies leave out.

    Without --workers several processes are used where there is work enough for them.
    """
    written.check({"--store": store})
    if workers is not None and scheduler is not None:
        raise ArgumentError("--workers", workers, "none with --scheduler, whose own workers do the work")
    every = POLICIES if tiered or prefixes.ruled.nodes is not None else (*ONLINE, *CLAIRVOYANT)
    texts = policy_texts(policies) or every
    specs = hearing.specs([parse_policies(text) for text in texts], not policies)
    question, tiers = question_in_tiers(specs, tiered, prefixes=prefixes, **asked)
    kept = None if store is None else Store(store)
    trace = reading.read(trace_file)
    with about(trace_file):
        found = question.on(trace)
        if tiers:
            served = run_served(found, tiers, workers=workers, store=kept, scheduler=scheduler)
            shown, data = [*served_tables(found, served), *costly(served)], served_as_data(found, served)
        else:
            cells = run(found, workers, kept, scheduler)
            grouped = not (policies or hearing)
            shown, data = [*shown_cells(found, cells, grouped=grouped)], cells_as_data(found, cells)
        said = hearing.said(found.requests)
    written.report([*said, *shown], data | ({"hints": [*said]} if said else {}))
    return 0


def run(
    asked: Asked, workers: int | None = None, store: Store | None = None, scheduler: str | None = None
) -> list[Cell]:
    """Sweep the grid with a progress bar."""
    with progress_bar() as bar:
        task = bar.add_task("Replaying", total=None)
        return sweep(
            asked.requests,
            asked.grid,
            asked.thresholds.latency,
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


def shown_cells(asked: Asked, cells: Sequence[Cell], grouped: bool = False) -> Iterator[str | Table]:
    """Yield what was replayed, what was assumed, and a table for each capacity and threshold.

    If `grouped`, there are two, as online and clairvoyant policies stand apart.
    """
    yield from asked.lines()
    yield f"{legend(asked)} {asked.caching}"
    thresholds = asked.thresholds
    for (capacity, xi), section in groupby(cells, key=lambda cell: (cell.capacity, cell.xi)):
        title = f"Capacity {thresholds.size(capacity)}, threshold {thresholds.label(xi)}"
        columns = ("policy", *map(thresholds.heading, MEASURES))
        for group, some in groups(section) if grouped else (("", section),):
            rows = (cell_row(cell, thresholds) for cell in some)
            yield plain_table(title + group, columns, rows, ("policy",))
    yield from costly(cells)


def groups(cells: Iterable[Cell]) -> Iterator[tuple[str, list[Cell]]]:
    """Yield cells of online policies and of clairvoyant ones, and how the title of each table ends."""
    found = [*cells]
    for group, names in (("online", ONLINE), ("clairvoyant", CLAIRVOYANT)):
        some = [cell for cell in found if cell.policy in names]
        if some:
            yield f", {group} policies", some


def legend(asked: Asked) -> str:
    """Return what the columns mean."""
    return f"{WORK_LEGEND} {SLOW_LEGEND} {asked.distance}"


def cell_row(cell: Cell, thresholds: Thresholds) -> list[str]:
    """Return a cell's policy and its measures as text."""
    percentiles = [thresholds.shown(value) for value in (cell.p50, cell.p90, cell.p95, cell.p99)]
    work = [percent(cell.hit_rate), tokens_in_short(cell.prefilled), tokens_in_short(cell.written)]
    tail = [f"{cell.violations:,}", f"{cell.tel:,}", percent(cell.change)]
    return [cell.policy, *percentiles, *work, *tail, f"{cell.regret:,}", percent(cell.closed)]


def cells_as_data(asked: Asked, cells: Sequence[Cell]) -> dict[str, Any]:
    """Return the sweep as plain data."""
    return {**asked.as_data(), "rows": [cell.as_dict() for cell in cells]}
