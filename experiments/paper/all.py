"""All tidy tables of the experiments in one folder; what is there and whole is not made again.

    python -m experiments.paper.all FOLDER [--trace FILE] [--seeds 40] [--turns 2000] [--workers 2] [--again]
        [--capacity 300000 1000000 3000000] [--xi-ms 500 1000 2000 3000 5000] [--slo-ms 2000]

For each workload W (wildchat, sharegpt, and mooncake where the data folder has it): runs_W.csv, the grid;
means_W.csv, means over the samples; cells_W.csv, the cells beside the paper's, or improvements_W.csv where the
paper prints none; curves_W.csv over many capacities; sensitivity_W.csv over many thresholds. figure_3.csv and
figure_4.csv are the data of those figures. adaptive_threshold.csv and pareto_front.csv are of fewer samples than
docs/adaptive.md has: 10 of 2,000 turns, 4 of 20,000.

`--trace FILE` takes a trace in Mooncake's place, at the capacities, thresholds and SLO that are given.

made.json notes what each table was made of and its digest: a table that was cut off, or made of something else, is
made again. A table is written beside its place and renamed, so a killed run leaves whole ones only.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from pathlib import Path

import teltheory
from experiments import adaptive_threshold, pareto_front
from experiments.adaptive_workloads import Scenario, of_trace, scenarios
from experiments.paper import averages as av
from experiments.paper import figure_tables as ft
from experiments.paper.grid import SEEDS, TURNS, WORKLOADS, Run, Setting, chats_of, read_runs, runs, write_runs
from experiments.paper.plans import FINE_SAMPLES, Plan, chat_plan, trace_plan
from experiments.paper.printed import V1_TABLES
from experiments.paper.tables import Runs, compare, write_cells
from experiments.tidy import write_rows
from teltheory.errors import ArgumentError, FileError, TelTheoryError
from teltheory.input_files import read_json
from teltheory.sweep import Sample
from teltheory.sweep.sources import Source
from teltheory.whole_files import write_whole
from teltheory.workloads import data_folder

MOONCAKE = "mooncake_conversation.jsonl"
TRACE_CAPACITIES, TRACE_XI_MS, TRACE_SLO_MS = (300_000, 1_000_000, 3_000_000), (500, 1000, 2000, 3000, 5000), 2000
NOTES, LONG_TURNS = "made.json", 50_000
LONG_SAMPLES, FRONT = 4, ("wildchat", "sharegpt")
Write = Callable[[list[Run], Path], object]


@dataclass(frozen=True)
class Product:
    """A table to be made.

    Attributes
    ----------
    name : str
        File in the folder.
    settings : str
        All that it depends on, but for other tables.
    needs : tuple of str
        Tables that it is made of.
    write : callable
        Writes it to a path.
    """

    name: str
    settings: str
    needs: tuple[str, ...]
    write: Callable[[Path], object]


def of_workload(plan: Plan, folder: Path, workers: int | None) -> list[Product]:
    """Return the tables of a workload, each after those that it is made of."""
    name = plan.name

    def of_grid(table: str, sources: Sequence[Source], setting: Setting, write: Write) -> Product:
        settings = f"{[source.key for source in sources]} {setting}"
        return Product(
            f"{table}_{name}.csv", settings, (), lambda path: write(runs(sources, setting, workers), path)
        )

    def of_runs(table: str, write: Write) -> Product:
        needs = f"runs_{name}.csv"
        return Product(f"{table}_{name}.csv", "", (needs,), lambda path: write(read_runs(folder / needs), path))

    return [
        of_grid("runs", plan.sources, plan.grid, write_runs),
        of_runs("means", averaged(av.LATENCIES)),
        of_runs("cells", cells_of(name)) if plan.printed else of_runs("improvements", improved),
        of_grid("curves", plan.few, plan.curves, averaged(av.CURVES)),
        of_grid("sensitivity", plan.few, plan.sensitivity, averaged(av.SENSITIVITIES)),
    ]


def averaged(measures: Sequence[str]) -> Write:
    """Return what writes the averages of runs."""
    return lambda found, path: write_rows(av.averages(Runs(found), measures), path, av.Average)


def improved(found: list[Run], path: Path) -> None:
    """Write the improvements of T-LRU."""
    write_rows(av.improvements(Runs(found)), path, av.Improvement)


def cells_of(workload: str) -> Write:
    """Return what writes the cells of a workload beside the paper's."""
    tables = [table for table in V1_TABLES if table.workload == workload]
    return lambda found, path: write_cells([c for table in tables for c in compare(table, Runs(found))], path)


def of_figures(plans: Sequence[Plan]) -> list[Product]:
    """Return the tables of Figures 3 and 4; the first only where its data are."""
    workloads: dict[str, Source] = {
        plan.name: Sample(chats_of(plan.name), LONG_TURNS, 0) if plan.printed else plan.sources[0]
        for plan in plans
    }
    settings = {name: source.key for name, source in workloads.items()}
    figure_4 = Product(
        "figure_4.csv",
        str(settings),
        (),
        lambda path: write_rows(ft.distributions(workloads), path, ft.AtLeast),
    )
    return [figure_4] if ft.missing_measurements() else [figure_3(), figure_4]


def of_adaptive(plans: Sequence[Plan], seeds: int, turns: int, workers: int | None) -> list[Product]:
    """Return the tables of adaptive thresholds and of the median against the tail."""
    few = scenarios(None, turns, (min(seeds, FINE_SAMPLES), min(seeds, LONG_SAMPLES))).values()
    traces = [of_trace_plan(plan) for plan in plans if not plan.printed]
    adapted, front = [*few, *traces], [*(s for s in few if s.name in FRONT), *traces]
    return [
        Product(
            "adaptive_threshold.csv",
            f"{[s.key for s in adapted]} {adaptive_threshold.SETTINGS}",
            (),
            lambda path: write_rows(
                list(adaptive_threshold.lines(adapted, workers)), path, adaptive_threshold.Line
            ),
        ),
        Product(
            "pareto_front.csv",
            f"{[s.key for s in front]} {pareto_front.SETTINGS}",
            (),
            lambda path: write_rows(list(pareto_front.points(front, workers)), path, pareto_front.Point),
        ),
    ]


def of_trace_plan(plan: Plan) -> Scenario:
    """Return the scenario of a trace at the capacities and the SLO of its plan."""
    return of_trace(plan.name, plan.sources[0], plan.grid.capacities, Fraction(plan.grid.slo_ms, 1000))


def figure_3() -> Product:
    """Return the table of Figure 3."""
    files = dict.fromkeys(data_folder() / file for file, _ in ft.MEASURED.values())
    settings = f"{ft.MEASURED} {[digest(file) for file in files]}"
    return Product("figure_3.csv", settings, (), lambda path: write_rows(ft.timed(), path, ft.Timed))


def digest(file: Path) -> str:
    """Return the SHA-256 of a file's bytes, "" where there is none."""
    return sha256(file.read_bytes()).hexdigest() if file.is_file() else ""


def made_of(product: Product, folder: Path) -> str:
    """Return a digest of all that a table is made of."""
    needs = [digest(folder / name) for name in product.needs]
    return sha256(f"{teltheory.__version__} {product.settings} {needs}".encode()).hexdigest()


def notes_of(folder: Path) -> dict[str, list[str]]:
    """Return what each table was made of, and its digest; nothing where the notes are cut off."""
    try:
        found = read_json(folder / NOTES, "notes of tables")
    except FileError:
        return {}
    return found if isinstance(found, dict) else {}


def make(todo: Sequence[Product], folder: Path, again: bool = False) -> Iterator[str]:
    """Make the tables that are not there, whole and of the same things; yield a line for each.

    Raises
    ------
    FileError
        Where the folder cannot be written to.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for product in todo:
            yield _made(product, folder, again)
    except OSError as error:
        raise FileError(f"{folder}: {error.strerror or error}, expected a folder to write tables to") from None


def _made(product: Product, folder: Path, again: bool) -> str:
    notes, target, source = notes_of(folder), folder / product.name, made_of(product, folder)
    if not again and target.is_file() and notes.get(product.name) == [source, digest(target)]:
        return f"{product.name}: there already"
    write_whole(target, product.write)
    notes[product.name] = [source, digest(target)]
    write_whole(folder / NOTES, lambda path: path.write_text(json.dumps(notes, indent=1) + "\n", encoding="utf-8"))
    return f"{product.name}: made"


def file_name(trace: str) -> str:
    """Return what the tables of a trace's file are called.

    Raises
    ------
    ArgumentError
        Where that is the name of a workload.
    """
    name = re.sub(r"[^A-Za-z0-9-]+", "-", Path(trace).stem).strip("-").lower() or "trace"
    if name in WORKLOADS or name in scenarios():
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
    seeds: int = SEEDS,
    turns: int = TURNS,
    capacities: Sequence[int] = TRACE_CAPACITIES,
    xi_ms: Sequence[int] = TRACE_XI_MS,
    slo_ms: int = TRACE_SLO_MS,
) -> Iterator[str]:
    """Make every table; yield a line for each, and one for each that is left out.

    Parameters
    ----------
    folder : Path
        Where tables go; made where it is missing.
    trace : str or None
        File that takes the Mooncake trace's place.
    workers : int or None
        Processes, as for `teltheory.sweep.sweep`.
    again : bool
        Make those too that are there.
    seeds, turns : int
        Samples of each kind of workload, and their length.
    capacities, xi_ms, slo_ms
        Of the trace's grid.

    Raises
    ------
    TelTheoryError
        For a malformed trace or wrong arguments.
    """
    plans = [chat_plan(name, seeds, turns) for name in WORKLOADS]
    if trace is not None:
        plans.append(trace_plan(file_name(trace), trace, capacities, xi_ms, slo_ms))
    elif (data_folder() / MOONCAKE).is_file():
        plans.append(trace_plan("mooncake", str(data_folder() / MOONCAKE), capacities, xi_ms, slo_ms))
    todo = [product for plan in plans for product in of_workload(plan, folder, workers)]
    todo += [*of_adaptive(plans, seeds, turns, workers), *of_figures(plans)]
    yield from make(todo, folder, again)
    yield from missing(trace)


def main(arguments: Sequence[str]) -> None:
    """Make the tables, a line each."""
    parser = argparse.ArgumentParser(prog="python -m experiments.paper.all")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--trace", metavar="FILE", help="a trace, in the place of Mooncake's")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--turns", type=int, default=TURNS)
    parser.add_argument("--capacity", type=int, nargs="+", default=TRACE_CAPACITIES, help="of the trace's grid")
    parser.add_argument("--xi-ms", type=int, nargs="+", default=TRACE_XI_MS, help="of the trace's grid")
    parser.add_argument("--slo-ms", type=int, default=TRACE_SLO_MS, help="of the trace's grid")
    parser.add_argument("--workers", type=int)
    parser.add_argument("--again", action="store_true", help="make those too that are there")
    given = parser.parse_args(arguments)
    ranges = (given.capacity, given.xi_ms, given.slo_ms)
    lines = make_all(given.folder, given.trace, given.workers, given.again, given.seeds, given.turns, *ranges)
    try:
        for line in lines:
            sys.stdout.write(f"{line}\n")
            sys.stdout.flush()
    except TelTheoryError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(2)


if __name__ == "__main__":
    main(sys.argv[1:])
