"""`teltheory reproduce`: the main job, from the claims to the tables."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
import numpy as np
from rich.console import Console
from rich.markup import escape

from teltheory.claims.claim import EFFORTS, Effort
from teltheory.cli import figures
from teltheory.cli.options import json_option, read_capacities, read_thresholds, workers_option
from teltheory.cli.output import check_target, console, write_json
from teltheory.cli.replay import cells_as_data, print_cells, run
from teltheory.cli.tables import ledger_table
from teltheory.cli.traces import Reading, trace_options
from teltheory.cli.verify import chosen_claims, decide_all
from teltheory.errors import ArgumentError
from teltheory.policies.spec import POLICIES, Spec, default_estimate
from teltheory.sweep import Grid
from teltheory.trace import Trace
from teltheory.workloads import ConversationModel, data_folder, read_trace, sample_conversations

MOONCAKE = "mooncake_conversation.jsonl"
BUILT_IN_TURNS = 4000
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
    figures and tables for papers made, as by `teltheory figures`.
    """
    check_target(target)
    if folder is not None and reading.assumes:
        raise ArgumentError("out", folder, "a trace without assumptions: `teltheory convert` it first")
    out = console()
    given = None if trace_file is None else reading.read(trace_file)
    rows, sound = decide_all(chosen_claims((), None), effort, workers)
    show = target != "-"
    if show:
        out.print(ledger_table(rows))
    tables: dict[str, Any] = {}
    for name, trace, capacities, slos in _traces(given, trace_file, reading.seed):
        thresholds = read_thresholds((), slos)
        grid = Grid(
            [Spec(p) for p in POLICIES], read_capacities(capacities), thresholds.xis, default_estimate(trace)
        )
        cells = run(trace, grid, thresholds, workers)
        tables[name] = cells_as_data(trace, grid, cells, thresholds)
        if show:
            out.rule(escape(name))
            print_cells(out, trace, grid, cells, thresholds)
    missing = _missing(given)
    if show and missing:
        out.print(escape(missing), highlight=False)
    made = {} if folder is None else {"paper": _paper(Path(folder), trace_file, workers, out if show else None)}
    if target is not None:
        write_json(target, {"claims": rows, "tables": tables, "left_out": [missing] if missing else [], **made})
    return 0 if sound else 1


def _paper(folder: Path, trace: str | None, workers: int | None, out: Console | None) -> list[dict[str, Any]]:
    """Make the paper's tables and figures; return the cells of Tables 1 to 6 beside the paper's."""
    said = out or Console(quiet=True)
    said.rule("The paper's tables and figures")
    figures.make(said, folder, trace, workers)
    cells = figures.compared(folder)
    figures.show(said, cells)
    said.print(f"Figures and tables for papers are in {folder}.", highlight=False, markup=False)
    return [{name: _number(value) for name, value in asdict(cell).items()} for cell in cells]


def _number(value: object) -> object:
    return None if isinstance(value, float) and math.isnan(value) else value


def _traces(
    given: Trace | None, name: str | None, seed: int
) -> Iterator[tuple[str, Trace, tuple[str, ...], tuple[str, ...]]]:
    """Yield (title, trace, capacities, SLOs) of what is replayed; empty tuples stand for the defaults."""
    if given is not None:
        yield str(name), given, (), ()
        return
    model = ConversationModel()
    sampled = sample_conversations(model, BUILT_IN_TURNS, np.random.default_rng(seed))
    yield (
        f"Built-in trace: the paper's conversation model, seed {seed}",
        sampled,
        BUILT_IN_CAPACITIES,
        BUILT_IN_SLOS,
    )
    file = data_folder() / MOONCAKE
    if file.is_file():
        yield f"Real trace: {MOONCAKE}", read_trace(file), (), ()


def _missing(given: Trace | None) -> str | None:
    """Return what was left out for want of data, None where nothing was."""
    file = data_folder() / MOONCAKE
    if given is not None or file.is_file():
        return None
    return f"The table of the Mooncake trace is left out: there is no {file} (TELTHEORY_DATA names the folder)."
