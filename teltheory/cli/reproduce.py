"""`teltheory reproduce`: the main job, from the claims to the tables."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np
from rich.console import Console
from rich.markup import escape

from teltheory.claims.claim import EFFORTS, Effort
from teltheory.cli import figures
from teltheory.cli.options import json_option, read_question, workers_option
from teltheory.cli.output import check_target, console, make_folder, show, write_json
from teltheory.cli.replay import cells_as_data, run, shown_cells
from teltheory.cli.reproduce_page import NAME as PAGE
from teltheory.cli.reproduce_page import Replayed, write_page
from teltheory.cli.served import Served
from teltheory.cli.tables import ledger_table
from teltheory.cli.traces import Reading, trace_options
from teltheory.cli.verify import chosen_claims, decide_all
from teltheory.errors import ArgumentError
from teltheory.formats import read_trace
from teltheory.model.trace import Trace
from teltheory.policies.spec import POLICIES, Spec, default_estimate
from teltheory.report.errata import errata_markdown
from teltheory.report.ledger import Row
from teltheory.report.markdown import plain_text
from teltheory.sweep import Grid
from teltheory.workloads import ConversationModel, data_folder, sample_conversations

if TYPE_CHECKING:
    from teltheory.paper.rows import Compared

MOONCAKE = "mooncake_conversation.jsonl"
BUILT_IN_TURNS = 4000
MOONCAKE_CAPACITIES = ("300k", "1M", "3M")
MOONCAKE_SLOS = ("500ms", "1s", "2s", "3s", "5s")
BUILT_IN_CAPACITIES = ("2k", "5k", "10k")
BUILT_IN_SLOS = ("50ms", "100ms", "200ms")


@click.command()
@click.option("--trace", "trace_file", metavar="FILE", help="Replay this trace instead of the built-in one.")
@click.option("--effort", type=click.Choice(EFFORTS), default="quick", show_default=True, help="For the claims.")
@click.option(
    "--out", "folder", metavar="FOLDER", help="Make the paper's tables and figures there, and print them."
)
@trace_options(seed=2025)
@workers_option
@json_option
def reproduce(
    trace_file: str | None,
    effort: Effort,
    folder: str | None,
    reading: Reading,
    workers: int | None,
    target: str | None,
) -> int:
    """Decide the claims, replay a trace under every policy, and print both.

    The built-in trace is sampled from the paper's conversation model. The Mooncake trace follows where the data
    folder (TELTHEORY_DATA, or ../shared/data) has it. With --out, Tables 1 to 6 are printed beside the paper's and
    figures and tables for papers made, as by `teltheory figures`; FOLDER/report.html has all of it on one page.
    """
    check_target(target)
    if folder is not None and reading.assumes:
        raise ArgumentError("out", folder, "a trace without assumptions: `teltheory convert` it first")
    out = Console(quiet=True) if target == "-" else console()
    given = None if trace_file is None else reading.read(trace_file)
    if folder is not None:
        make_folder(Path(folder))
        check_target(str(Path(folder) / PAGE))
    rows, sound = decide_all(chosen_claims((), None), effort, workers)
    if not out.quiet:
        show(out, ledger_table(rows))
    tables: dict[str, Any] = {}
    replayed = []
    for one in _traces(given, trace_file, reading.seed):
        done = _replay(one, workers)
        replayed.append(done)
        tables[one.name] = cells_as_data(done.trace, done.grid, done.cells, done.thresholds)
        out.rule(escape(one.name))
        show(out, *shown_cells(done.trace, done.grid, done.cells, done.thresholds))
    missing = _missing(given)
    if missing:
        show(out, missing)
    made = {}
    if folder is not None:
        cells = _paper(Path(folder), trace_file, workers, out)
        made = {"paper": [{name: _number(value) for name, value in asdict(cell).items()} for cell in cells]}
        page = write_page(
            Path(folder),
            rows,
            _errata(rows),
            replayed,
            cells,
            _settings(effort, given, reading.seed),
            _left_out(given),
        )
        show(out, f"{page} has it all on one page.")
    if target is not None:
        write_json(target, {"claims": rows, "tables": tables, "left_out": [missing] if missing else [], **made})
    return 0 if sound else 1


@dataclass(frozen=True)
class _Asked:
    """A trace to be replayed; for empty tuples it chooses capacities and thresholds."""

    name: str
    title: str
    file: Path | None
    trace: Trace
    capacities: tuple[str, ...] = ()
    slos: tuple[str, ...] = ()


def _replay(one: _Asked, workers: int | None) -> Replayed:
    thresholds, sizes = read_question((), one.slos, one.capacities, Served()).on(one.trace)
    policies = [Spec(name) for name in POLICIES]
    grid = Grid(policies, sizes, thresholds.xis, default_estimate(one.trace))
    return Replayed(one.title, one.file, one.trace, grid, thresholds, run(one.trace, grid, thresholds, workers))


def _paper(folder: Path, trace: str | None, workers: int | None, out: Console) -> list[Compared]:
    """Make the paper's tables and figures; return the cells of Tables 1 to 6 beside the paper's."""
    out.rule("The paper's tables and figures")
    figures.make(out, folder, trace, workers)
    cells = figures.compared(folder)
    figures.show(out, cells)
    show(out, f"Figures and tables for papers are in {folder}.")
    return cells


def _errata(rows: Sequence[Row]) -> str:
    """Return the document of errata; a row that stayed undecided leaves it unmade, and the page says so."""
    from teltheory.claims.registry import all_errata

    try:
        return errata_markdown(rows, all_errata())
    except ArgumentError as error:
        return f"# Errata\n\nNot made: {plain_text(str(error))}."


def _settings(effort: Effort, given: Trace | None, seed: int) -> list[tuple[str, str]]:
    """Return what the page says of efforts and seeds."""
    from teltheory.paper.grid import SEEDS, TURNS

    samples = f"seeds 0 to {SEEDS - 1}, {TURNS:,} turns each"
    built_in = [] if given is not None else [("Built-in trace", f"seed {seed}, {BUILT_IN_TURNS:,} turns")]
    return [("Effort for the claims", effort), ("Samples of Tables 1 to 6", samples), *built_in]


def _left_out(given: Trace | None) -> list[str]:
    """Return what the page lacks if data are missing, without saying where it was looked for."""
    return [f"The Mooncake trace is left out: the data folder has no {MOONCAKE}."] if _missing(given) else []


def _number(value: object) -> object:
    return None if isinstance(value, float) and math.isnan(value) else value


def _traces(given: Trace | None, file: str | None, seed: int) -> Iterator[_Asked]:
    """Yield what is replayed."""
    if given is not None:
        path = Path(str(file))
        yield _Asked(str(file), path.name, path, given)
        return
    sampled = sample_conversations(ConversationModel(), BUILT_IN_TURNS, np.random.default_rng(seed))
    built_in = f"Built-in trace: the paper's conversation model, seed {seed}"
    yield _Asked(built_in, f"Built-in trace, seed {seed}", None, sampled, BUILT_IN_CAPACITIES, BUILT_IN_SLOS)
    real = data_folder() / MOONCAKE
    if real.is_file():
        name = f"Real trace: {MOONCAKE}"
        yield _Asked(name, "Mooncake trace", real, read_trace(real), MOONCAKE_CAPACITIES, MOONCAKE_SLOS)


def _missing(given: Trace | None) -> str | None:
    """Return what was left out for want of data, None if nothing was."""
    file = data_folder() / MOONCAKE
    if given is not None or file.is_file():
        return None
    return f"The table of the Mooncake trace is left out: there is no {file} (TELTHEORY_DATA names the folder)."
