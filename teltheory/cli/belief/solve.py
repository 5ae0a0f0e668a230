"""`teltheory belief solve` and `decide`: policies beside the optimum of a model, and what to keep at its start."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import click

from teltheory.base.progress import Report
from teltheory.belief.compared import exact_rows, rows_of, solutions, told
from teltheory.belief.iteration import Solution
from teltheory.belief.model import Allocation, as_state
from teltheory.belief.model_file import read_model
from teltheory.cli.belief.options import Lookahead, lookahead_options, numbers_of
from teltheory.cli.parts import command, option
from teltheory.cli.printed.output import progress_bar
from teltheory.cli.printed.tables import plain_table
from teltheory.cli.printed.written import Written, written_options
from teltheory.errors import ArgumentError
from teltheory.model.display import counted

LONG = 40
"""A longer fraction is shown as a number; JSON and CSV have it."""
SHOWN = 12
"""What may be kept that `decide` prints; JSON and CSV have all."""


@command(
    None,
    "belief solve model.json --discount 0.9 --silent 5",
    "belief solve model.json --turns 1,2,4 --policy lru --policy et-lru",
)
@click.argument("model_file", metavar="MODEL")
@lookahead_options
@option("--exact", is_flag=True, help="Compute fractions, without the loops in C. For a few hundred states.")
@written_options
def solve(model_file: str, ahead: Lookahead, exact: bool, written: Written) -> None:
    """Show policies beside the optimum of MODEL, a belief MDP.

    MODEL is a file in JSON. Saving is against keeping nothing. The bounds hold for the model without
    forgetting, and are proved.
    """
    written.check()
    model, horizons, rules = read_model(model_file), ahead.horizons(), ahead.rules()
    rows: list[dict[str, Any]] = []
    parts: list[Any] = []
    with _bar() as progress:
        for name, options in horizons.items():
            if exact:
                found = exact_rows(model, rules, **options)
                parts.append(_exact_table(name, found))
            else:
                solved = solutions(model, rules, ahead.method, **options, progress=progress)
                found = rows_of(solved)
                parts += [_head(solved), _table(name, found)]
            rows += [{"ahead": name, **row} for row in found]
    written.report(parts, {"model": model_file, "rows": rows})


@contextmanager
def _bar() -> Iterator[Report]:
    with progress_bar() as bar:
        task = bar.add_task("Solving", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _head(solved: Sequence[Solution]) -> str:
    best = solved[0]
    low, high = float(best.lower), float(best.upper)
    size = f"{counted(best.states, 'state')}, {counted(best.sweeps, 'sweep')}"
    forgets = f"forgotten when silent for {counted(best.slots.silent, 'turn')}"
    return f"{size}, {forgets}; optimum from {low:.6g} to {high:.6g}, proved."


def _table(title: str, rows: Sequence[dict[str, Any]]) -> Any:
    columns = ["policy", "saving", "cost", "regret", "at most", "of it %", "loses", "at worst"]
    cells = []
    for row in rows:
        amounts = [f"{row[name]:.6f}" for name in ("saving", "cost")]
        cells.append([row["policy"], *amounts, *numbers_of(row), f"{row['loses']:,}", f"{row['worst']:.6f}"])
    return plain_table(title, columns, cells, ["policy"])


def _exact_table(title: str, rows: Sequence[dict[str, Any]]) -> Any:
    cells = [
        [row["policy"], _short(row["saving"]), _short(row["regret"]), f"{row['percent']:.2f}"] for row in rows
    ]
    return plain_table(title, ["policy", "saving", "regret", "of it %"], cells, ["policy"])


def _short(text: str) -> str:
    return text if len(text) <= LONG else f"{float(Fraction(text)):.12g}"


@command(None, "belief decide model.json --discount 0.9 --silent 5")
@click.argument("model_file", metavar="MODEL")
@lookahead_options
@written_options
def decide(model_file: str, ahead: Lookahead, written: Written) -> None:
    """Show what may be kept at the start of MODEL, and its worth.

    MODEL is a belief MDP in JSON whose `start` has conversations with what is cached of them.
    """
    written.check()
    model, horizons, rules = read_model(model_file), ahead.horizons(), ahead.rules()
    if model.start is None:
        raise ArgumentError(f"{model_file}, start", "nothing", "the conversations to decide for")
    if len(horizons) > 1:
        raise ArgumentError("--turns", ahead.turns, "one number of turns")
    recent, cached = model.start
    ((name, options),) = horizons.items()
    with _bar() as progress:
        best = solutions(model, (), ahead.method, **options, progress=progress)[0]
    values = best.of_keeping(recent, cached)
    rows = _decisions(values, {rule.name: rule(model, as_state(model, recent), cached) for rule in rules})
    start = told(model, recent, cached)
    names = [f"{one['kind']} {one['silent']}" for one in start]
    first = [row for i, row in enumerate(rows) if i < SHOWN or row["policies"]]
    said = f"Kept of each conversation (kind and silent turns), {len(first)} of {len(rows):,} ways:"
    heads = [*names, "value", "loss", "kept by"]
    table = plain_table(name, heads, map(_decided, first), ["kept by"])
    written.report([said, table], {"model": model_file, "start": start, "rows": rows})


def _decisions(values: dict[Allocation, float], kept_by: dict[str, Allocation]) -> list[dict[str, Any]]:
    top = max(values.values())
    return [
        {
            "kept": list(kept),
            "value": value,
            "loss": top - value,
            "policies": [p for p, y in kept_by.items() if y == kept],
        }
        for kept, value in sorted(values.items(), key=lambda one: (-one[1], one[0]))
    ]


def _decided(row: dict[str, Any]) -> list[str]:
    return [*map(str, row["kept"]), f"{row['value']:.6f}", f"{row['loss']:.6f}", " ".join(row["policies"])]
