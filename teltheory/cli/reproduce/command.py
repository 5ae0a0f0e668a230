"""`teltheory reproduce`: the main job, from the claims to the tables."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
import numpy as np
from rich.console import Console
from rich.markup import escape

from teltheory.base.extras import REPORT, install, lacking
from teltheory.claims.claim import EFFORTS, Effort
from teltheory.claims.erratum import Erratum
from teltheory.cli.asked.options import EFFORT, table_options, trace_options, workers_option
from teltheory.cli.asked.prefixes import Prefixes
from teltheory.cli.asked.question import read_question
from teltheory.cli.asked.served import ServedModel
from teltheory.cli.asked.tiers import Tiered, tier_options
from teltheory.cli.asked.traces import Reading
from teltheory.cli.parts import command, option
from teltheory.cli.printed.output import check_target, console, make_folder, show, write_json
from teltheory.cli.replay.command import cells_as_data, run, shown_cells
from teltheory.cli.replay.served_runs import run_served
from teltheory.cli.replay.served_tables import served_tables
from teltheory.cli.reproduce import figures
from teltheory.cli.reproduce.page import NAME as PAGE
from teltheory.cli.reproduce.page import ReplayedTrace, write_page
from teltheory.cli.verify.command import chosen_claims, decide_all, ledger_table
from teltheory.errors import ArgumentError, listed
from teltheory.formats import read_trace
from teltheory.model.tiers import Tiers
from teltheory.model.trace import Trace
from teltheory.policies.spec import POLICIES, Spec
from teltheory.report.errata import errata_markdown
from teltheory.report.ledger import Row
from teltheory.report.markdown import plain_text
from teltheory.workloads import ConversationModel, data_folder, sample_conversations

MOONCAKE = "mooncake_conversation.jsonl"
BUILT_IN_TURNS = 4000
MOONCAKE_GRID = {"capacities": ("300k", "1M", "3M"), "slos": ("500ms", "1s", "2s", "3s", "5s")}
BUILT_IN_GRID = {"capacities": ("2k", "5k", "10k"), "slos": ("50ms", "100ms", "200ms")}
MISSING = f"The Mooncake trace is left out: the data folder has no {MOONCAKE} (TELTHEORY_DATA names the folder)."
PAPERS = ("paper", "paper_with_attention")
CHOSEN_BY_THE_TRACE: dict[str, tuple[str, ...]] = {"capacities": (), "slos": ()}


@command(None, "reproduce --out out")
@option("--trace", "trace_file", metavar="FILE", help="Trace to use instead of the built-in one.")
@option("--effort", type=click.Choice(EFFORTS), default="quick", show_default=True, help=EFFORT)
@option(
    "--section",
    "only",
    metavar="NAME",
    multiple=True,
    help="Only the claims of one section, or of a place in a paper: 'Theorem 3.1'.",
)
@option(
    "--out", "folder", metavar="FOLDER", help="Make the paper's tables and figures in FOLDER, with report.html."
)
@tier_options
@trace_options(seed=2025)
@workers_option
@table_options
def reproduce(
    trace_file: str | None,
    effort: Effort,
    only: tuple[str, ...],
    folder: str | None,
    tiered: Tiered,
    reading: Reading,
    workers: int | None,
    target: str | None,
) -> int:
    """Decide the claims, replay a trace, and report both.

    The built-in trace is sampled from the paper's conversation model. The Mooncake trace follows where the data
    folder (TELTHEORY_DATA, or ../shared/data) has it. A trace with block hashes is replayed as the prefixes that
    its requests share; with --tier, once for each tier of memory, in these tiers too. With --out, Tables 1 to 6
    are printed beside the paper's and figures and tables for papers made, as by `teltheory figures`;
    FOLDER/report.html has all of it on one page.
    """
    check_target(target)
    tiers = tiered.read(ServedModel())
    if folder is not None and reading.assumes:
        raise ArgumentError("out", folder, "a trace without assumptions: `teltheory trace convert` it first")
    out = Console(quiet=True) if target == "-" else console()
    given = None if trace_file is None else reading.read(trace_file)
    if folder is not None:
        make_folder(Path(folder))
        check_target(str(Path(folder) / PAGE))
    ids = list(dict.fromkeys(one for section in only or (None,) for one in chosen_claims((), section)))
    rows, sound = decide_all(ids, effort, workers)
    show(out, *(() if out.quiet else [ledger_table(rows)]))
    replayed = []
    for one in _replays(given, trace_file, reading.seed, workers, tiers):
        replayed.append(one)
        out.rule(escape(one.name))
        show(out, *one.composed, *shown_cells(one.asked, one.cells))
        show(out, *(served_tables(one.asked, one.in_tiers) if tiers else ()))
    data = {"claims": rows, "tables": {one.name: cells_as_data(one.asked, one.cells) for one in replayed}}
    if tiers:
        data["tiers"] = {one.name: [cell.as_dict() for cell in one.in_tiers] for one in replayed}
    data["left_out"] = missing = [*_without_data(given), *_without_extras(folder)]
    show(out, *missing)
    if folder is not None:
        cells = _figures(out, Path(folder), trace_file, workers)
        data |= {name: _cells_as_data(of) for name, of in zip(PAPERS, cells, strict=True)}
        made_with = _settings(effort, given, reading.seed)
        show(out, *_on_a_page(Path(folder), rows, replayed, cells, made_with, missing))
    if target is not None:
        write_json(target, data)
    return 0 if sound else 1


def _figures(out: Console, folder: Path, trace_file: str | None, workers: int | None) -> Any:
    """Make the paper's tables and figures, and show both tables beside the paper's."""
    out.rule("The paper's tables and figures")
    figures.make(out, folder, trace_file, workers)
    cells = figures.both_compared(folder)
    figures.show(out, *cells)
    return cells


def _replays(
    given: Trace | None, file: str | None, seed: int, workers: int | None, tiers: Sequence[Tiers]
) -> Iterator[ReplayedTrace]:
    """Yield what is replayed: the given trace, or the built-in one and Mooncake's."""

    def replayed(name: str, title: str, path: Path | None, trace: Trace, grid: dict[str, Any]) -> ReplayedTrace:
        policies = [Spec(policy) for policy in POLICIES]
        question = read_question(policies, xis=(), served=ServedModel(), prefixes=Prefixes(), **grid)
        asked = question.on(trace)
        in_tiers = run_served(asked, tiers, workers=workers) if tiers else ()
        return ReplayedTrace(name, title, path, asked, run(asked, workers), in_tiers)

    if given is not None:
        path = Path(str(file))
        yield replayed(str(file), path.name, path, given, CHOSEN_BY_THE_TRACE)
        return
    sampled = sample_conversations(ConversationModel(), BUILT_IN_TURNS, np.random.default_rng(seed))
    name = f"Built-in trace: the paper's conversation model, seed {seed}"
    yield replayed(name, f"Built-in trace, seed {seed}", None, sampled, BUILT_IN_GRID)
    real = _mooncake()
    if real.is_file():
        yield replayed(f"Real trace: {MOONCAKE}", "Mooncake trace", real, read_trace(real), MOONCAKE_GRID)


def _mooncake() -> Path:
    return data_folder() / MOONCAKE


def _without_data(given: Trace | None) -> list[str]:
    """Return what is left out for want of the data."""
    return [] if given is not None or _mooncake().is_file() else [MISSING]


def _without_extras(folder: str | None) -> list[str]:
    """Return what is left out for want of the extra that draws figures and makes the page."""
    found = [] if folder is None else lacking(*REPORT)
    figures_too = "figures, tables in LaTeX and " if "matplotlib" in found else ""
    names = f"{listed(found)} {'is' if len(found) == 1 else 'are'} not installed"
    return [f"Left out: {figures_too}{PAGE}, as {names}: {install('[report]')}."] if found else []


def _on_a_page(
    folder: Path,
    rows: Sequence[Row],
    replayed: Sequence[ReplayedTrace],
    cells: tuple[Sequence[Any], Sequence[Any]],
    settings: Sequence[tuple[str, str]],
    missing: Sequence[str],
) -> Iterator[str]:
    """Write the page where there is what makes it, and yield where everything is."""
    if lacking(*REPORT):
        yield f"Tables are in {folder / figures.TABLES}."
        return
    page = write_page(folder, rows, *_errata(rows), replayed, cells, settings, missing)
    yield f"Figures and tables for papers are in {folder}."
    yield f"{page} has it all on one page."


def _errata(rows: Sequence[Row]) -> tuple[str, Sequence[Erratum]]:
    """Return the errata and their document; a row that stayed undecided leaves it unmade, and the page says so."""
    from teltheory.claims.registry import all_errata

    errata = all_errata()
    try:
        return errata_markdown(rows, errata), errata
    except ArgumentError as error:
        return f"# Errata\n\nNot made: {plain_text(str(error))}.", ()


def _settings(effort: Effort, given: Trace | None, seed: int) -> list[tuple[str, str]]:
    """Return what the page says of efforts and seeds."""
    from teltheory.paper.grid import SEEDS, TURNS

    samples = f"seeds 0 to {SEEDS - 1}, {TURNS:,} turns each"
    built_in = [] if given is not None else [("Built-in trace", f"seed {seed}, {BUILT_IN_TURNS:,} turns")]
    return [("Effort for the claims", effort), ("Samples of Tables 1 to 6", samples), *built_in]


def _cells_as_data(cells: Sequence[Any]) -> list[dict[str, object]]:
    return [{name: _number(value) for name, value in asdict(cell).items()} for cell in cells]


def _number(value: object) -> object:
    return None if isinstance(value, float) and math.isnan(value) else value
