"""`teltheory modules quality`: answers by how modules were encoded, against full attention."""

from __future__ import annotations

from dataclasses import asdict
from math import isfinite
from typing import TYPE_CHECKING, Any

from teltheory.cli.asked.options import SEED, table_options, whole
from teltheory.cli.modules.options import Loading, loading, roles_option
from teltheory.cli.parts import command, option
from teltheory.cli.printed.output import check_target, progress_bar, report
from teltheory.cli.printed.tables import plain_table
from teltheory.model.display import counted, percent
from teltheory.model.units import listed_values
from teltheory.systems.modules.pml.roles import TEMPLATES

if TYPE_CHECKING:
    from teltheory.cost.bootstrap import Estimate
    from teltheory.systems.modules.agreement import Agreement

LEGEND = (
    "right: the likeliest of the candidates is the right answer, Wilson's 95 %. less: share of right answers "
    "minus full attention's on the same tasks, bootstrap, 95 %. exact: greedy decoding begins with the right "
    "answer. same: first token as in full attention. KL: of the first token's distribution from full attention's, "
    "nats, bootstrap, 95 %."
)
COLUMNS = ("reading", "right", "95 %", "less", "95 %", "exact", "same", "KL", "95 %")


@command(None, "modules quality --kind key,code --tasks 20")
@loading
@whole("--tasks", 60, "Number of tasks, the kinds in turn.", dest="items")
@option(
    "--kind",
    "kinds",
    multiple=True,
    metavar="KIND,...",
    help="Kinds of tasks: key, persona, union, two-hop, code; all if left out.",
)
@option(
    "--encoding",
    "readings",
    multiple=True,
    metavar="NAME,...",
    help="Ways to encode modules that are compared to full attention; all if left out.",
)
@roles_option
@whole("--seed", 0, SEED, least=0)
@table_options
def quality(
    loading: Loading,
    items: int,
    kinds: tuple[str, ...],
    readings: tuple[str, ...],
    roles: str,
    seed: int,
    target: str | None,
) -> int:
    """Compare answers with kept modules to full attention.

    Answers to seeded tasks are scored by how modules were encoded, on the same tokens.
    """
    check_target(target)
    from teltheory.systems.modules.tasks import tasks

    made = tasks(items, seed, listed_values("--kind", kinds) if kinds else None)
    from teltheory.systems.modules.agreement import agreements
    from teltheory.systems.modules.quality import READINGS, checked_readings, read_all

    named = checked_readings(listed_values("--encoding", readings) if readings else READINGS)
    model = loading.load()
    with progress_bar() as bar:
        found = read_all(model, bar.track(made, description="Reading"), named, TEMPLATES[roles])
    rows, said = agreements(found, seed, kinds=True), loading.said(model)
    chance = sum(1 / len(task.candidates) for task in made) / len(made)
    tasked = f"{counted(items, 'task')}, seed {seed}; right by guessing: {percent(chance)}."
    tables = (_table(rows, items), _by_kind(rows))
    data = {"model": said, "chance": chance, "agreements": [_data(row) for row in rows]}
    report(target, (said, tasked, LEGEND, *tables), {**data, "reads": [asdict(read) for read in found]})
    return 0


def _table(rows: list[Agreement], items: int) -> Any:
    shown = [_cells(row) for row in rows if row.kind is None]
    return plain_table(f"Answers to {counted(items, 'task')}", COLUMNS, shown, left=("reading",))


def _cells(row: Agreement) -> list[str]:
    right = [percent(row.right.value), _ends(row.right, 100, 0)]
    less = [_signed(row.less.value), _ends(row.less, 100, 0)]
    near = [percent(row.exact.value), percent(row.same.value), f"{row.kl.value:.2f}", _ends(row.kl, 1, 2)]
    return [row.reading, *right, *less, *near]


def _data(row: Agreement) -> dict[str, Any]:
    """Return a row as JSON has it: an end that one task says nothing about is null."""
    data = asdict(row)
    for found in data.values():
        if isinstance(found, dict):
            found.update({name: None for name, value in found.items() if not isfinite(value)})
    return data


def _signed(share: float) -> str:
    return f"{100 * share + 0.0:+.1f}" if share else "0.0"


def _ends(estimate: Estimate, scale: int, digits: int) -> str:
    if not isfinite(estimate.low):
        return ""
    low, high = (f"{round(scale * end, digits) + 0.0:.{digits}f}" for end in (estimate.low, estimate.high))
    return f"{low} to {high}"


def _by_kind(rows: list[Agreement]) -> Any:
    kinds = [kind for kind in dict.fromkeys(row.kind for row in rows) if kind is not None]
    readings = list(dict.fromkeys(row.reading for row in rows))
    of = {(row.reading, row.kind): row for row in rows}
    cells = [[name, *(_of_kind(of[name, kind]) for kind in kinds)] for name in readings]
    return plain_table("Right and KL, by kind", ("reading", *kinds), cells, left=("reading",))


def _of_kind(row: Agreement) -> str:
    return f"{round(row.right.value * row.items)}/{row.items} {row.kl.value:.2f}"
