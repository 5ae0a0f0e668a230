"""`teltheory compare`: every policy on traces, beside LRU, the optimum and each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click
from rich.table import Table

from teltheory.cli.asked.options import (
    block_size_option,
    bundled,
    forced_option,
    grid_options,
    policy_option,
    q_hat_option,
    scheduler_option,
    store_option,
    trace_options,
    without_option,
    workers_option,
)
from teltheory.cli.asked.prefixes import Prefixes
from teltheory.cli.asked.question import Asked, read_question
from teltheory.cli.asked.traces import Reading
from teltheory.cli.parts import command, option
from teltheory.cli.printed.output import progress_bar
from teltheory.cli.printed.tables import plain_table
from teltheory.cli.printed.written import Written, written_options
from teltheory.cli.replay.command import about
from teltheory.errors import ArgumentError
from teltheory.model.units import listed_values
from teltheory.policies.policy import trim_left_out
from teltheory.policies.spec import default_estimate, parse_policy, policy_texts
from teltheory.sweep import Store
from teltheory.sweep.board import EVERY, LEGEND, Board, caches_of, headings, notes_of, places, row_cells, rows_of
from teltheory.sweep.compared import CONVERSATIONS, BoardRow

caches_option = option(
    "--cache",
    "caches",
    multiple=True,
    metavar="CACHE,...",
    help="What may stay in the cache. conversations, strict or holes; a comma lists.",
)


@dataclass(frozen=True)
class OnTrace:
    """A trace by its name, what was asked of it, and the rows that came of it."""

    label: str
    asked: Asked
    rows: Sequence[BoardRow]


@command(
    None,
    "compare trace.jsonl --capacity 1M --slo 2s",
    "compare trace.jsonl --policy lru,tlru,mine.py:Mine --html board.html",
)
@click.argument("trace_files", metavar="TRACE...", nargs=-1, required=True)
@policy_option
@q_hat_option
@caches_option
@option(
    "--rules",
    "ruled",
    multiple=True,
    metavar="RULES,...",
    help="Rules of the cache of blocks. vllm, sglang, trtllm, sglang:chunk=2048; a comma lists.",
)
@option("--html", "page", metavar="FILE", help="Also write a page to FILE, to show to others.")
@workers_option
@store_option
@scheduler_option
@trace_options()
@forced_option
@bundled("prefixes", Prefixes, block_size_option, without_option)
@grid_options
@written_options
def compare(
    trace_files: tuple[str, ...],
    policies: tuple[str, ...],
    caches: tuple[str, ...],
    ruled: tuple[str, ...],
    page: str | None,
    workers: int | None,
    store: str | None,
    scheduler: str | None,
    reading: Reading,
    prefixes: Prefixes,
    written: Written,
    **asked: Any,
) -> int:
    """Rank policies on each TRACE, beside LRU and the optimum.

    A row has the gain, its price in tokens computed, and the policies that are proved worse; = is tied with LRU.

    A trace with block hashes is replayed as the prefixes that its requests share; with --cache conversations its
    conversations are private, with --rules they are kept as engines keep them. Without --policy those that need no
    file and no fit are compared: online ones, and in a table apart clairvoyant ones, which look at later turns.
    """
    written.check({"--store": store, "--html": page})
    wanted = [*listed_values("cache", caches), *listed_values("rules", ruled)]
    specs = [parse_policy(text) for text in policy_texts(policies) or EVERY]
    if CONVERSATIONS in wanted:
        prefixes.refuse("none with --cache conversations, which share nothing")
        prefixes = replace(prefixes, chains={*wanted} == {CONVERSATIONS})
    question = read_question(specs, prefixes=prefixes, **asked)
    how = {"workers": workers, "store": None if store is None else Store(store), "scheduler": scheduler}
    found = []
    for label, file in labels(trace_files).items():
        trace = reading.read(file)
        with about(file):
            found.append(compared(label, question.on(trace), wanted, **how))
    board = Board(tuple(row for one in found for row in one.rows), question.thresholds.unit)
    data = {"traces": {one.label: as_data(one.asked) for one in found}, **board.as_dict()}
    written.report(shown(found, board.unit), data)
    if page is not None:
        board.to_html(page)
    return 0


def labels(files: Sequence[str]) -> dict[str, str]:
    """Return files by what tables call them: their names, or their paths where two have one name."""
    if len({*files}) < len(files):
        raise ArgumentError("TRACE", ", ".join(files), "each file once")
    names = [Path(file).name for file in files]
    return {file if names.count(name) > 1 else name: file for name, file in zip(names, files, strict=True)}


def compared(label: str, asked: Asked, caches: Sequence[str], **how: Any) -> OnTrace:
    """Compare the policies on a trace, with a progress bar for each cache."""
    requests, grid = asked.requests, replace(asked.grid, q_hat=None) if asked.estimated else asked.grid
    rows: list[BoardRow] = []
    with progress_bar() as bar:
        for cache in caches_of(requests, caches):
            task = bar.add_task(f"{label}, {cache}", total=None)

            def told(done: int, every: int | None, task: Any = task) -> None:
                bar.update(task, completed=done, total=every)

            rows += rows_of(label, requests, grid, [cache], asked.trace, progress=told, **how)
    return OnTrace(label, asked, rows)


def shown(found: Sequence[OnTrace], unit: str) -> Iterator[str | Table]:
    """Yield what was assumed of each trace, the legend, and a table for each place and group."""
    for one in found:
        first, *rest = one.asked.lines()
        yield from (f"{one.label}: {first}", *rest, *own_defaults(one))
    yield f"{LEGEND} {'Forced' if found[0].asked.grid.forced else 'Optional'} caching."
    for one in found:
        yield from notes_of(one.rows)
        for rows in places(one.rows):
            row, thresholds = rows[0], one.asked.thresholds
            place = f"capacity {thresholds.size(row.capacity)}, threshold {thresholds.label(row.xi)}"
            columns, lines = headings(unit, row.unit > 1), (row_cells(each, unit) for each in rows)
            title = f"{row.trace}, {row.cache}, {place}, {row.group} policies"
            yield plain_table(title, columns, lines, ("policy",))


def as_data(asked: Asked) -> dict[str, Any]:
    """Return a trace and what was assumed as plain data; the cache is each row's own."""
    return {name: value for name, value in asked.as_data().items() if name != "rules"}


def own_defaults(one: OnTrace) -> Iterator[str]:
    """Yield the defaults of the conversations of a trace that is replayed as shared prefixes too."""
    asked = one.asked
    if not asked.shared or all(row.cache != CONVERSATIONS for row in one.rows):
        return
    if asked.estimated and any(spec.needs("q_hat") for spec in asked.grid.policies):
        said = "the mean prompt of the turns that continue one, rounded up"
        yield f"{one.label}, conversations: Q̂ = {default_estimate(asked.trace):,} tokens there: {said}."
    if any(spec.needs("trim") for spec in asked.grid.policies):
        yield f"{one.label}, conversations: trim = {trim_left_out(True)} there, as they are private."
