"""`teltheory apps optimum`: the least excess of applications, with a threshold for all turns of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import click

from teltheory.cli.apps.files import trace_in
from teltheory.cli.apps.options import tokens_of, tokens_option
from teltheory.cli.apps.tails import LEGEND, TailGrid, grid_options, told
from teltheory.cli.asked.options import duration, table_options
from teltheory.cli.parts import command, option
from teltheory.cli.printed.output import check_target, report
from teltheory.cli.printed.tables import plain_table
from teltheory.cli.replay.command import about
from teltheory.cost.applications import application_tel
from teltheory.model.applications import ApplicationTrace, Measure
from teltheory.policies.online import LRU
from teltheory.replay.applications import replay_applications

COLUMNS = ("capacity", "threshold", "measure", "LRU", "lower", "upper", "gap", "solver's bound", "found by")
SIDES = (
    "lower: no policy has less, as prices prove in exact numbers. upper: the best plan that was found, counted "
    "again. The solver's bound is its word."
)


@dataclass(frozen=True)
class BoundsRow:
    """Both sides at a capacity and a threshold, in tokens."""

    capacity: int
    xi: int
    measure: Measure
    lru: int
    lower: int
    upper: int
    bound: float | None
    method: str

    def cells(self) -> list[str]:
        """Return it as text."""
        place = [f"{self.capacity:,}", f"{self.xi:,}", self.measure, f"{self.lru:,}"]
        sides = [f"{number:,}" for number in (self.lower, self.upper, self.upper - self.lower)]
        return [*place, *sides, "" if self.bound is None else f"{max(self.bound, 0.0):,.1f}", self.method]


@command(None, "apps optimum apps.jsonl --capacity 300k --xi 2800")
@click.argument("file", metavar="FILE")
@option(
    "--method",
    type=click.Choice(["auto", "lp", "milp", "pyomo"]),
    default="auto",
    show_default=True,
    help="How the optimum is found. lp asks no integer program.",
)
@option(
    "--time-limit",
    callback=duration,
    default="60s",
    show_default=True,
    metavar="TIME",
    help="Longest time for the solver.",
)
@grid_options
@tokens_option
@table_options
def optimum(
    file: str, method: str, time_limit: float | None, tokenizer: str, target: str | None, forced: bool, **grid: Any
) -> int:
    """Print the least excess that any policy reaches on FILE.

    FILE is as for replay, and is known in advance. To find it is NP-hard, so two sides are printed;
    they meet where the answer is known.
    """
    check_target(target)
    asked = TailGrid.of(**grid)
    said: list[str] = []
    apps = trace_in(file, tokens_of(tokenizer).count, said.append)
    with about(file):
        rows = list(_rows(apps, asked, forced, method, time_limit))
    data = {"applications": apps.applications, "rows": list(map(asdict, rows))}
    report(target, [*said, *_parts(apps, rows)], data)
    return 0


def _rows(
    apps: ApplicationTrace, asked: TailGrid, forced: bool, method: str, time_limit: float | None
) -> Iterator[BoundsRow]:
    from teltheory.optimal.applications import application_optimum

    for capacity, xi, measure in asked.cells(apps):
        lru = application_tel(apps, replay_applications(apps, LRU(), capacity, forced), xi, measure)
        best = application_optimum(apps, capacity, xi, measure, forced, method, time_limit)
        yield BoundsRow(capacity, xi, measure, lru, best.lower, best.upper, best.bound, best.method)


def _parts(apps: ApplicationTrace, rows: Sequence[BoundsRow]) -> Iterator[Any]:
    yield told(apps)
    yield f"{LEGEND.partition('. ')[0]}. {SIDES}"
    yield plain_table("The least excess", COLUMNS, [row.cells() for row in rows], left=("measure", "found by"))
