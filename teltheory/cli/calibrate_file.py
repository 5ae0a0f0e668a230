"""`teltheory calibrate-file`: a latency model from the result file of a benchmark."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import click
from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from teltheory.calibration.formats import FORMATS
from teltheory.cli.output import check_target, report, write_json
from teltheory.cost.latency_files import latency_to_json
from teltheory.errors import printable

UNITS = {
    "per_token": ("µs a token", 1e6),
    "per_pair": ("ns a pair", 1e9),
    "constant": ("ms", 1e3),
    "floor": ("ms", 1e3),
}
FORMS = ("auto", "linear", "linear-floor", "attention", "attention-floor", "table")


@click.command()
@click.argument("file")
@click.option("--format", "format", default="auto", show_default=True, help="auto, " + ", ".join(FORMATS) + ".")
@click.option("--cold", is_flag=True, help="The run met an empty prefix cache and its prompts share no prefix.")
@click.option("--model", metavar="NAME", help="Take the requests of this model, where the file has several.")
@click.option("--form", type=click.Choice(FORMS), default="auto", show_default=True, help="Form of the model.")
@click.option(
    "--from-tokens", type=click.IntRange(0), default=0, metavar="N", help="Only prompts of N tokens or more."
)
@click.option("--save", metavar="FILE", help="Write the model, for --latency of other commands.")
@click.option("--json", "target", metavar="FILE", help="Also write the report as JSON; - for standard output.")
def calibrate_file(
    file: str,
    format: str,
    cold: bool,
    model: str | None,
    form: str,
    from_tokens: int,
    save: str | None,
    target: str | None,
) -> int:
    """Fit a latency model to the result file of a benchmark: vLLM, SGLang, AIPerf, CSV or the probe."""
    from teltheory.calibration.fitting import fit_latency
    from teltheory.calibration.runs import read_ttft_runs

    check_target(target)
    check_target(save)
    runs = read_ttft_runs(file, format, cold=cold, model=model)
    if from_tokens:
        runs = runs.where(runs.prompt_tokens >= from_tokens, f"prompts of {from_tokens:,} tokens or more")
    found = as_data(fit_latency(runs, form), runs.source, len(runs))
    report(target, shown(found), found)
    if save is not None:
        write_json(save, found["model"])
    return 0


def as_data(fitted: Any, source: str, requests: int) -> dict[str, Any]:
    """Return a `FittedLatency` as plain data."""
    from dataclasses import asdict

    cells = fitted.cells
    tried = [
        {name: getattr(form, name) for name in ("form", "r_squared", "error", "standard_error", "worst")}
        for form in fitted.forms
    ]
    columns = (cells.prompt_tokens, cells.cached_tokens, cells.seconds, cells.count)
    return {
        "source": source,
        "requests": requests,
        "form": fitted.form,
        "model": latency_to_json(fitted.model),
        "intervals": {name: list(bounds) for name, bounds in fitted.intervals.items()},
        "forms": tried,
        "linear_error": asdict(fitted.linear_error),
        "linear_error_text": str(fitted.linear_error),
        "warnings": list(fitted.warnings),
        "notes": list(fitted.notes),
        "cells": [
            {"prompt_tokens": n, "cached_tokens": c, "ttft_s": seconds, "requests": count, **residuals}
            for n, c, seconds, count, residuals in zip(
                *(column.tolist() for column in columns), _residuals(fitted), strict=True
            )
        ],
    }


def _residuals(fitted: Any) -> list[dict[str, float]]:
    columns = {f"residual_{form.form}": fitted.residuals(form.form).tolist() for form in fitted.forms}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def shown(found: dict[str, Any]) -> Iterator[str | Table]:
    """Yield the forms, the parameters of the chosen one, what linear costs, notes and warnings."""
    yield f"{found['requests']:,} requests in {len(found['cells'])} cells of {printable(found['source'])}"
    yield _forms_table(found["forms"], found["form"])
    if found["model"]["form"] == "formula":
        yield _parameters_table(found)
    if found["form"] != "linear" and not any(found["linear_error_text"] in line for line in found["warnings"]):
        yield f"With a linear model {found['linear_error_text']}."
    for kind in ("notes", "warnings"):
        yield from (f"{kind[:-1]}: {printable(line)}" for line in found[kind])


def _forms_table(forms: Sequence[dict[str, Any]], chosen: str) -> Table:
    table = _plain("Forms; error: mean absolute, on cells left out")
    table.add_column("form", no_wrap=True)
    for name in ("R²", "error ms", "± ms", "worst ms", ""):
        table.add_column(name, justify="right", no_wrap=True)
    for form in forms:
        times = [f"{form[name] * 1e3:.3f}" for name in ("error", "standard_error", "worst")]
        table.add_row(form["form"], f"{form['r_squared']:.4f}", *times, "chosen" if form["form"] == chosen else "")
    return table


def _parameters_table(report: dict[str, Any]) -> Table:
    from fractions import Fraction

    table = _plain("Parameters, 95 % intervals")
    for name in ("parameter", "value", "from", "to", "unit"):
        table.add_column(name, justify="left" if name in ("parameter", "unit") else "right", no_wrap=True)
    for name, bounds in report["intervals"].items():
        unit, scale = UNITS[name]
        values = (float(Fraction(report["model"][name])), *bounds)
        table.add_row(escape(name), *(f"{value * scale:.4g}" for value in values), unit)
    return table


def _plain(title: str) -> Table:
    return Table(title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
