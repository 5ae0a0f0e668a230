"""All tidy tables of the paper's experiments in one folder; what is there and whole is not made again.

    python -m teltheory.paper.all FOLDER [--trace FILE] [--seeds 40] [--turns 2000] [--workers 2] [--again]
        [--capacity 300000 1000000 3000000] [--xi-ms 500 1000 2000 3000 5000] [--slo-ms 2000]

For each workload W (wildchat, sharegpt, and mooncake if the data folder has it): runs_W.csv, the grid;
means_W.csv, means over the samples; cells_W.csv, the cells beside the paper's, or improvements_W.csv if the
paper prints none; attention_runs_W.csv and attention_cells_W.csv, the cells again under `grid.SECOND_LATENCY`,
which has attention; curves_W.csv over many capacities; sensitivity_W.csv over many thresholds. figure_3.csv and
figure_4.csv are the data of those figures. adaptive_threshold.csv and pareto_front.csv are of fewer samples than
docs/adaptive.md has: 10 of 2,000 turns, 4 of 20,000. belief_horizons.csv, belief_rates.csv and
belief_decisions.csv are of the belief MDP. Then come the tables of the figures that other packages add
(`teltheory.paper.drawing`).

`--trace FILE` takes a trace in Mooncake's place, at the capacities, thresholds and SLO that are given.

made.json notes what each table was made of and its digest: a table that was cut off, or made of something else, is
made again. A table is written beside its place and renamed, so a killed run leaves whole ones only.
"""

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from hashlib import sha256
from pathlib import Path

import teltheory
from teltheory.base.extras import lacking
from teltheory.base.input_files import read_json
from teltheory.base.whole_files import write_whole
from teltheory.errors import ArgumentError, FileError
from teltheory.paper import adaptive, beliefs, front, grid
from teltheory.paper import figure_tables as ft
from teltheory.paper import tables as tb
from teltheory.paper.drawing import NOTES, figures
from teltheory.paper.printed import V1_TABLES
from teltheory.paper.rows import (
    Adapted,
    AtLeast,
    Average,
    BeliefDecision,
    BeliefRegret,
    ComparedRow,
    Improvement,
    MarginRow,
    RunRow,
    TimedRow,
)
from teltheory.paper.scenarios import of_trace, scenarios
from teltheory.paper.script import say
from teltheory.paper.tidy import TableRow, read_rows, write_rows
from teltheory.sweep import Sample
from teltheory.sweep.sources import Source
from teltheory.workloads import data_folder

MOONCAKE = "mooncake_conversation.jsonl"
TRACE_CAPACITIES, TRACE_XI_MS, TRACE_SLO_MS = (300_000, 1_000_000, 3_000_000), (500, 1000, 2000, 3000, 5000), 2000
LONG_TURNS, LONG_SAMPLES, FRONT = 50_000, 4, ("wildchat", "sharegpt")


@dataclass(frozen=True)
class Product:
    """A table to be made: its columns and rows, all that it depends on, and the tables that it is made of."""

    name: str
    row: type[TableRow]
    rows: Callable[[], Iterable[TableRow]]
    settings: str = ""
    needs: tuple[str, ...] = ()

    @property
    def file(self) -> str:
        """Its name in the folder."""
        return f"{self.name}.csv"


def of_workload(plan: grid.GridPlan, folder: Path, workers: int | None) -> list[Product]:
    """Return the tables of a workload, each after those that it is made of."""

    def replayed(
        name: str, sources: Sequence[Source], setting: grid.ReplaySetting, measures: Sequence[str] = ()
    ) -> Product:
        def rows() -> Sequence[TableRow]:
            found = grid.runs(sources, setting, workers)
            return tb.averages(tb.RunTable(found), measures) if measures else found

        settings = f"{[source.key for source in sources]} {setting}"
        return Product(f"{name}_{plan.name}", Average if measures else RunRow, rows, settings)

    def of_runs(
        name: str, row: type[TableRow], rows: Callable[[tb.RunTable], Sequence[TableRow]], source: str = "runs"
    ) -> Product:
        needs = f"{source}_{plan.name}.csv"
        return Product(
            f"{name}_{plan.name}",
            row,
            lambda: rows(tb.RunTable(read_rows(folder / needs, RunRow))),
            needs=(needs,),
        )

    second = replace(plan.grid, latency=grid.SECOND_LATENCY, policies=grid.ONLINE)
    again = [
        replayed("attention_runs", plan.sources, second),
        of_runs("attention_cells", ComparedRow, lambda found: compared(plan.name, found), "attention_runs"),
    ]
    return [
        replayed("runs", plan.sources, plan.grid),
        of_runs("means", Average, lambda found: tb.averages(found, tb.LATENCIES)),
        of_runs("cells", ComparedRow, lambda found: compared(plan.name, found))
        if plan.printed
        else of_runs("improvements", Improvement, tb.improvements),
        *(again if plan.printed else ()),
        replayed("curves", plan.few, plan.curves, tb.CURVES),
        replayed("sensitivity", plan.few, plan.sensitivity, tb.SENSITIVITIES),
    ]


def compared(workload: str, found: tb.RunTable) -> list[ComparedRow]:
    """Return the cells of a workload's tables beside the paper's."""
    return [cell for table in V1_TABLES if table.workload == workload for cell in tb.compare(table, found)]


def of_figures(plans: Sequence[grid.GridPlan]) -> list[Product]:
    """Return the tables of Figures 3 and 4; the first only if its data are there."""
    workloads: dict[str, Source] = {
        plan.name: Sample(grid.chats_of(plan.name), LONG_TURNS, 0) if plan.printed else plan.sources[0]
        for plan in plans
    }
    settings = {name: source.key for name, source in workloads.items()}
    figure_4 = Product("figure_4", AtLeast, lambda: ft.distributions(workloads), str(settings))
    if ft.missing_measurements():
        return [figure_4]
    files = dict.fromkeys(data_folder() / file for file, _ in ft.MEASURED.values())
    measured = f"{ft.MEASURED} {[digest(file) for file in files]}"
    return [Product("figure_3", TimedRow, ft.timed, measured), figure_4]


def of_adaptive(plans: Sequence[grid.GridPlan], seeds: int, turns: int, workers: int | None) -> list[Product]:
    """Return the tables of adaptive thresholds and of the median against the tail."""
    few = list(scenarios(None, turns, (min(seeds, grid.FINE_SAMPLES), min(seeds, LONG_SAMPLES))).values())
    traces = [
        of_trace(plan.name, plan.sources[0], plan.grid.capacities, Fraction(plan.grid.slo_ms, 1000))
        for plan in plans
        if not plan.printed
    ]
    adapted, in_front = [*few, *traces], [*(s for s in few if s.name in FRONT), *traces]
    keys, front_keys = [s.key for s in adapted], [s.key for s in in_front]
    return [
        Product(
            "adaptive_threshold", Adapted, lambda: adaptive.lines(adapted, workers), f"{keys} {adaptive.SETTINGS}"
        ),
        Product(
            "pareto_front", MarginRow, lambda: front.points(in_front, workers), f"{front_keys} {front.SETTINGS}"
        ),
    ]


def of_beliefs() -> list[Product]:
    """Return the tables of the belief MDP."""
    return [
        Product("belief_horizons", BeliefRegret, beliefs.horizons, beliefs.SETTINGS),
        Product("belief_rates", BeliefRegret, beliefs.rates, beliefs.SETTINGS),
        Product("belief_decisions", BeliefDecision, beliefs.decisions, beliefs.SETTINGS),
    ]


def of_others() -> list[Product]:
    """Return the tables of the figures that bring one."""
    found = [] if lacking("matplotlib") else figures()
    return [Product(figure.table, figure.row, figure.rows) for figure in found if figure.row and figure.rows]


def digest(file: Path) -> str:
    """Return the SHA-256 of a file's bytes, "" if there is none."""
    return sha256(file.read_bytes()).hexdigest() if file.is_file() else ""


def notes_of(folder: Path) -> dict[str, list[str]]:
    """Return what each table was made of, and its digest; nothing if the notes are cut off."""
    try:
        found = read_json(folder / NOTES, "notes of tables")
    except FileError:
        return {}
    return found if isinstance(found, dict) else {}


def make(todo: Sequence[Product], folder: Path, again: bool = False) -> Iterator[str]:
    """Make the tables that are not there, whole and of the same things; yield a line for each."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for product in todo:
            yield _made(product, folder, again)
    except OSError as error:
        raise FileError(f"{folder}: {error.strerror or error}, expected a folder to write tables to") from None


def _made(product: Product, folder: Path, again: bool) -> str:
    notes, target = notes_of(folder), folder / product.file
    needs = [digest(folder / name) for name in product.needs]
    source = sha256(f"{teltheory.__version__} {product.settings} {needs}".encode()).hexdigest()
    if not again and target.is_file() and notes.get(product.file) == [source, digest(target)]:
        return f"{product.file}: there already"
    write_rows(product.rows(), target, product.row)
    notes[product.file] = [source, digest(target)]
    write_whole(folder / NOTES, lambda path: path.write_text(json.dumps(notes, indent=1) + "\n", encoding="utf-8"))
    return f"{product.file}: made"


def file_name(trace: str) -> str:
    """Return what the tables of a trace's file are called."""
    name = re.sub(r"[^A-Za-z0-9-]+", "-", Path(trace).stem).strip("-").lower() or "trace"
    if name in grid.WORKLOADS or name in scenarios():
        raise ArgumentError("--trace", trace, f"a file that is not called {name}, as a workload is")
    return name


def missing(trace: str | None) -> list[str]:
    """Return what is left out for want of data, in words."""
    lines = [
        f"figure_3.csv is left out: there is no {file} (TELTHEORY_DATA)" for file in ft.missing_measurements()
    ]
    mooncake = data_folder() / MOONCAKE
    if trace is None and not mooncake.is_file():
        lines.append(f"the tables of the Mooncake trace are left out: there is no {mooncake} (TELTHEORY_DATA)")
    return lines


def make_all(
    folder: Path,
    trace: str | None = None,
    workers: int | None = None,
    again: bool = False,
    seeds: int = grid.SEEDS,
    turns: int = grid.TURNS,
    capacities: Sequence[int] = TRACE_CAPACITIES,
    xi_ms: Sequence[int] = TRACE_XI_MS,
    slo_ms: int = TRACE_SLO_MS,
) -> Iterator[str]:
    """Make every table; yield a line for each, and one for each that is left out."""
    plans = [grid.chat_plan(name, seeds, turns) for name in grid.WORKLOADS]
    if trace is not None:
        plans.append(grid.trace_plan(file_name(trace), trace, capacities, xi_ms, slo_ms))
    elif (data_folder() / MOONCAKE).is_file():
        plans.append(grid.trace_plan("mooncake", str(data_folder() / MOONCAKE), capacities, xi_ms, slo_ms))
    todo = [product for plan in plans for product in of_workload(plan, folder, workers)]
    todo += [*of_adaptive(plans, seeds, turns, workers), *of_beliefs(), *of_figures(plans), *of_others()]
    yield from make(todo, folder, again)
    yield from missing(trace)


def main(arguments: Sequence[str]) -> None:
    """Make the tables, a line each."""
    parser = argparse.ArgumentParser(prog="python -m teltheory.paper.all")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--trace", metavar="FILE", help="a trace, in the place of Mooncake's")
    parser.add_argument("--seeds", type=int, default=grid.SEEDS)
    parser.add_argument("--turns", type=int, default=grid.TURNS)
    for name, default in (("capacity", TRACE_CAPACITIES), ("xi-ms", TRACE_XI_MS)):
        parser.add_argument(f"--{name}", type=int, nargs="+", default=default, help="of the trace's grid")
    parser.add_argument("--slo-ms", type=int, default=TRACE_SLO_MS, help="of the trace's grid")
    parser.add_argument("--workers", type=int)
    parser.add_argument("--again", action="store_true", help="make those too that are there")
    given = parser.parse_args(arguments)
    ranges = (given.capacity, given.xi_ms, given.slo_ms)
    say(make_all(given.folder, given.trace, given.workers, given.again, given.seeds, given.turns, *ranges))


if __name__ == "__main__":
    main(sys.argv[1:])
