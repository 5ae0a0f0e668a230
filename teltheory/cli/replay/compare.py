"""`teltheory compare`: every policy on traces, beside LRU, the optimum and each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click
from rich.table import Table

from teltheory.advice.server import at_load, in_units
from teltheory.cli.asked.hints import Hearing, hint_options
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
from teltheory.cli.asked.pictures import Picture, picture_options
from teltheory.cli.asked.prefixes import Prefixes
from teltheory.cli.asked.question import Asked
from teltheory.cli.asked.serving import Loaded, serving_options
from teltheory.cli.asked.tiers import Tiered, tier_options
from teltheory.cli.asked.traces import Reading
from teltheory.cli.parts import command, option
from teltheory.cli.printed.output import progress_bar
from teltheory.cli.printed.tables import plain_table
from teltheory.cli.printed.written import Written, written_options
from teltheory.cli.replay.command import about
from teltheory.cli.replay.served_runs import question_in_tiers
from teltheory.errors import ArgumentError
from teltheory.model.tiers import Tiers
from teltheory.model.trace import Trace
from teltheory.model.units import listed_values
from teltheory.plots.board import caption_of_board, draw_board
from teltheory.policies.policy import trim_left_out
from teltheory.policies.spec import default_estimate, policy_texts
from teltheory.serving.serve import Serving
from teltheory.sweep import Store
from teltheory.sweep.advised import read_policy
from teltheory.sweep.board import Board, caches_of, drawn_rows, every_policy, refuse_hints, rows_of
from teltheory.sweep.board_text import (
    LEAST_DRAWS,
    LEGEND,
    headings,
    notes_of,
    place_of,
    places,
    row_cells,
)
from teltheory.sweep.compared import CONVERSATIONS, BoardRow
from teltheory.sweep.price_text import LEGEND as PRICES
from teltheory.sweep.price_text import notes_on, tables_of
from teltheory.sweep.prices import PriceList, Pricing, prices_of

caches_option = option(
    "--cache",
    "caches",
    multiple=True,
    metavar="CACHE,...",
    help="What may stay in the cache. conversations, strict or holes; a comma lists.",
)


@dataclass(frozen=True)
class OnTrace:
    """A trace by its name, what was asked of it, and the rows that came of each draw of it."""

    label: str
    asked: Asked
    drawn: Sequence[Sequence[BoardRow]]

    @property
    def rows(self) -> Sequence[BoardRow]:
        """The rows, over all draws."""
        return drawn_rows(self.drawn)


@dataclass(frozen=True)
class Workplace:
    """Where the work is done, and what keeps it."""

    workers: int | None = None
    store: str | None = None
    scheduler: str | None = None

    @property
    def how(self) -> dict[str, Any]:
        """What a sweep is told of it."""
        return {**vars(self), "store": self.store and Store(self.store)}


@command(
    None,
    "compare trace.jsonl --capacity 1M --slo 2s",
    "compare trace.jsonl --policy lru,tlru,mine.py:Mine --html board.html",
    "compare sessions.jsonl --capacity 1M --slo 2s --hints all",
)
@click.argument("trace_files", metavar="TRACE...", nargs=-1, required=True)
@policy_option
@q_hat_option
@hint_options
@caches_option
@option(
    "--rules",
    "ruled",
    multiple=True,
    metavar="RULES,...",
    help="Rules of the cache of blocks. vllm, sglang, trtllm, sglang:chunk=2048; a comma lists.",
)
@option("--draws", type=click.IntRange(1), metavar="N", help="Draws of the times that --times assumes; 20.")
@option("--html", "page", metavar="FILE", help="Also write a page to FILE, to show to others.")
@picture_options("TEL and prefill over the capacity, and one against the other")
@tier_options
@serving_options()
@bundled("work", Workplace, workers_option, store_option, scheduler_option)
@trace_options()
@forced_option
@bundled("prefixes", Prefixes, block_size_option, without_option)
@grid_options
@written_options
def compare(
    trace_files: tuple[str, ...],
    policies: tuple[str, ...],
    hearing: Hearing,
    caches: tuple[str, ...],
    ruled: tuple[str, ...],
    draws: int | None,
    page: str | None,
    picture: Picture,
    tiered: Tiered,
    loaded: Loaded,
    work: Workplace,
    reading: Reading,
    prefixes: Prefixes,
    written: Written,
    **asked: Any,
) -> int:
    """Rank policies on each TRACE, beside LRU and the optimum.

    A row has the gain, its price in tokens computed, and how many policies are proved worse, and better.

    A trace with block hashes is replayed as the prefixes that its requests share; with --cache conversations its
    conversations are private, with --rules they are kept as engines keep them. Without --policy those that need no
    file and no fit are compared: online ones, and in a table apart clairvoyant ones, which look at later turns.
    tlru:q_hat=advised is T-LRU as advise sets it on the first half, libcachesim:ARC one of that library's.

    With --tier memory is in tiers, with --replicas requests wait in queues; of assumed --times there are draws.
    With --hints policies hear applications; --hints all prints what each hint is worth beside T-LRU or a --policy.
    """
    picture.check()
    written.check({"--store": work.store, "--html": page, **picture.files})
    wanted = [*listed_values("cache", caches), *listed_values("rules", ruled)]
    serving, load = loaded.read() if loaded else (None, None)
    specs, pricing = asked_for(policies, hearing, serving, tiered, {"--html": page, **picture.files})
    question, tiers = question_in_tiers(specs, tiered, prefixes=shared_by(wanted, prefixes), **asked)
    how = {**work.how, "tiers": tiers, "serving": serving, "load": load}
    found = [
        over_draws_of(label, map(question.on, drawn_of(reading, file, draws)), file, wanted, how)
        for label, file in labels(trace_files).items()
    ]
    traces = {one.label: as_data(one.asked) | heard_as_data(one, hearing) for one in found}
    if pricing is not None:
        lists = PriceList(tuple(place for one in found for place in prices_of(pricing, one.drawn)))
        written.report(shown_prices(found, lists, hearing), {"traces": traces, **lists.as_dict()})
        return 0
    board = Board(tuple(row for one in found for row in one.rows), question.thresholds.unit)
    written.report(shown(found, board.unit, hearing), {"traces": traces, **board.as_dict()})
    drawn(board, page, picture)
    return 0


def drawn(board: Board, page: str | None, picture: Picture) -> None:
    """Write the page and the figure of a board, where they are asked for."""
    if page is not None:
        board.to_html(page)
    rows = board.as_dict()["rows"]
    picture.draw(lambda: draw_board(rows), caption_of_board(rows))


def asked_for(
    policies: tuple[str, ...],
    hearing: Hearing,
    serving: Serving | None,
    tiered: Tiered,
    files: Mapping[str, Any],
) -> tuple[list[Any], Pricing | None]:
    """Return what is replayed, and what a price list is of if all hints are asked for."""
    texts = policy_texts(policies) or every_policy(serving, tiered.tiers)
    specs = [read_policy(text, bool(serving or tiered)) for text in texts]
    refuse_hints(hearing.hints, serving, tiered.tiers)
    pricing = hearing.list_of(specs if policies else (), files)
    return [*(hearing.specs(specs, not policies) if pricing is None else pricing.specs)], pricing


def shared_by(caches: Sequence[str], prefixes: Prefixes) -> Prefixes:
    """Return how shared prefixes are read for caches; conversations share nothing."""
    if CONVERSATIONS not in caches:
        return prefixes
    prefixes.refuse("none with --cache conversations, which share nothing")
    return replace(prefixes, chains={*caches} == {CONVERSATIONS})


def over_draws_of(
    label: str, drawn: Iterable[Asked], file: str, caches: Sequence[str], how: dict[str, Any]
) -> OnTrace:
    """Compare the policies on each draw of a trace; what is said is of the first."""
    with about(file):
        found = [compared(label, one, caches, **how) for one in drawn]
    return replace(found[0], drawn=[one.rows for one in found])


def drawn_of(reading: Reading, file: str, draws: int | None) -> Iterator[Trace]:
    """Yield the trace of a file, as often as its times are drawn: seed after seed."""
    if draws is not None and reading.times is None:
        raise ArgumentError("--draws", draws, "--times with it: nothing else of a trace is drawn")
    number = 1 if reading.times is None or file == "-" else LEAST_DRAWS if draws is None else draws
    for seed in range(number):
        yield replace(reading, seed=reading.seed + seed).read(file)


def labels(files: Sequence[str]) -> dict[str, str]:
    """Return files by what tables call them: their names, or their paths where two have one name."""
    if len({*files}) < len(files):
        raise ArgumentError("TRACE", ", ".join(files), "each file once")
    names = [Path(file).name for file in files]
    return {file if names.count(name) > 1 else name: file for name, file in zip(names, files, strict=True)}


def compared(
    label: str,
    asked: Asked,
    caches: Sequence[str],
    tiers: Sequence[Tiers] = (),
    serving: Serving | None = None,
    load: Any = None,
    **how: Any,
) -> OnTrace:
    """Compare the policies on a trace, with a progress bar for each cache; `load` is LRU's in the first memory."""
    requests, grid = asked.requests, replace(asked.grid, q_hat=None) if asked.estimated else asked.grid
    grid = replace(grid, capacities=()) if tiers else grid
    if serving is not None:
        memory = in_units(tiers[0] if tiers else grid.capacities[0], requests.block_size)
        serving = at_load(requests, memory, asked.thresholds.latency, serving, load)
    if tiers or serving is not None:
        how |= {"tiers": tiers, "serving": serving}
    rows: list[BoardRow] = []
    with progress_bar() as bar:
        for cache in caches_of(requests, caches):
            task = bar.add_task(f"{label}, {cache}", total=None)

            def told(done: int, every: int | None, task: Any = task) -> None:
                bar.update(task, completed=done, total=every)

            how |= {"progress": told}
            rows += rows_of(label, requests, grid, [cache], asked.trace, **how)
    return OnTrace(label, asked, [rows])


def assumed(found: Sequence[OnTrace], hearing: Hearing, legend: str) -> Iterator[str]:
    """Yield what was assumed of each trace, its hints among it, and the legend."""
    for one in found:
        first, *rest = one.asked.lines()
        yield from (f"{one.label}: {first}", *rest, *own_defaults(one), *hearing.said(one.asked.requests))
    yield f"{legend} {'Forced' if found[0].asked.grid.forced else 'Optional'} caching."


def shown(found: Sequence[OnTrace], unit: str, hearing: Hearing) -> Iterator[str | Table]:
    """Yield what was assumed of each trace, the legend, and a table for each place and group."""
    yield from assumed(found, hearing, LEGEND)
    for one in found:
        yield from notes_of(one.rows)
        for rows in places(one.rows):
            row, thresholds = rows[0], one.asked.thresholds
            size = place_of(row) if row.tiers else thresholds.size(row.capacity)
            place = f"capacity {size}, threshold {thresholds.label(row.xi)}"
            columns, lines = headings(rows, unit, True), (row_cells(each, rows, unit) for each in rows)
            chosen = "; ".join(f"{each.policy}: {each.setting}" for each in rows if each.setting is not None)
            title = f"{row.trace}, {row.cache}, {place}, {row.group} policies{chosen and f'; {chosen}'}"
            yield plain_table(title, columns, lines, ("policy",))


def shown_prices(found: Sequence[OnTrace], lists: PriceList, hearing: Hearing) -> Iterator[str | Table]:
    """Yield what was assumed of each trace, the legend, and the tables of each place."""
    yield from assumed(found, hearing, PRICES)
    sizes = {one.label: one.asked.thresholds for one in found}
    for place in lists.places:
        row, thresholds = place.row, sizes[place.row.trace]
        yield f"{row.trace}, {row.cache}, capacity {thresholds.size(row.capacity)}, {thresholds.label(row.xi)}:"
        yield from notes_on(place)
        for title, columns, lines in tables_of(place, thresholds.unit):
            yield plain_table(title, columns, lines, columns[:1])


def heard_as_data(one: OnTrace, hearing: Hearing) -> dict[str, Any]:
    """Return what was recorded and assumed of hints as plain data, nothing without any."""
    return {"hints": list(hearing.said(one.asked.requests))} if hearing else {}


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
