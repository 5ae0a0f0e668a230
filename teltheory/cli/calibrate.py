"""`teltheory calibrate`: a latency model of measured runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from fractions import Fraction
from typing import Any

import click
from rich.table import Table

from teltheory.calibration.formats import FORMATS
from teltheory.cli.asked.options import served_model_option, table_options
from teltheory.cli.parts import command, option
from teltheory.cli.printed.output import check_targets, report, write_json
from teltheory.cli.printed.tables import plain_table
from teltheory.cost.latency_files import latency_to_json
from teltheory.errors import printable

UNITS = {
    "per_token": ("µs per token", 1e6),
    "per_pair": ("ns per pair", 1e9),
    "constant": ("ms", 1e3),
    "floor": ("ms", 1e3),
}
FORMS = ("auto", "linear", "linear-floor", "attention", "attention-floor", "table")


@command(None, "calibrate result.json --cold --save model.json")
@click.argument("file", metavar="FILE")
@option(
    "--format",
    "format",
    default="auto",
    show_default=True,
    metavar="NAME",
    help="Format of the file. " + ", ".join(FORMATS) + ".",
)
@option("--cold", is_flag=True, help="The run had an empty prefix cache, and its prompts share no prefix.")
@served_model_option()
@option("--form", type=click.Choice(FORMS), default="auto", show_default=True, help="Form of the latency model.")
@option(
    "--from-tokens", type=click.IntRange(0), default=0, metavar="N", help="Use prompts of N tokens or more only."
)
@option("--save", metavar="FILE", help="Write the model to FILE, for --latency of other commands.")
@table_options
def calibrate(
    file: str,
    format: str,
    cold: bool,
    model: str | None,
    form: str,
    from_tokens: int,
    save: str | None,
    target: str | None,
) -> int:
    """Fit a latency model to the result file of a benchmark.

    FILE comes from vLLM, SGLang or AIPerf, is a CSV, or has the measurements of `teltheory server probe`.
    """
    from teltheory.calibration.fitting import fit_latency
    from teltheory.calibration.runs import read_ttft_runs

    check_targets({"--json": target, "--save": save})
    runs = read_ttft_runs(file, format, cold=cold, model=model)
    if from_tokens:
        runs = runs.where(runs.prompt_tokens >= from_tokens, f"prompts of {from_tokens:,} tokens or more")
    found = _as_data(fit_latency(runs, form), runs.source, len(runs))
    report(target, _fitted(found), found)
    if save is not None:
        write_json(save, found["model"])
    return 0


def _as_data(fitted: Any, source: str, requests: int) -> dict[str, Any]:
    """Return a `FittedLatency` as plain data."""
    cells = fitted.cells
    numbers = ("form", "r_squared", "error", "standard_error", "worst")
    columns = {"prompt_tokens": cells.prompt_tokens, "cached_tokens": cells.cached_tokens}
    columns |= {"ttft_s": cells.seconds, "requests": cells.count}
    columns |= {f"residual_{form.form}": fitted.residuals(form.form) for form in fitted.forms}
    lines = zip(*(column.tolist() for column in columns.values()), strict=True)
    return {
        "source": source,
        "requests": requests,
        "form": fitted.form,
        "model": latency_to_json(fitted.model),
        "intervals": {name: list(bounds) for name, bounds in fitted.intervals.items()},
        "forms": [{name: getattr(form, name) for name in numbers} for form in fitted.forms],
        "linear_error": asdict(fitted.linear_error),
        "linear_error_text": str(fitted.linear_error),
        "warnings": list(fitted.warnings),
        "notes": list(fitted.notes),
        "cells": [dict(zip(columns, line, strict=True)) for line in lines],
    }


def _fitted(found: dict[str, Any]) -> Iterator[str | Table]:
    """Yield the forms, the parameters of the chosen one, what linear costs, notes and warnings."""
    yield f"{found['requests']:,} requests in {len(found['cells'])} cells of {printable(found['source'])}"
    forms = (
        (
            form["form"],
            f"{form['r_squared']:.4f}",
            *(f"{form[name] * 1e3:.3f}" for name in ("error", "standard_error", "worst")),
            "chosen" if form["form"] == found["form"] else "",
        )
        for form in found["forms"]
    )
    columns = ("form", "R²", "error ms", "± ms", "worst ms", "")
    yield plain_table("Forms; error: mean absolute, on cells left out", columns, forms, ("form",))
    if found["model"]["form"] == "formula":
        yield plain_table(
            "Parameters, 95 % intervals",
            ("parameter", "value", "from", "to", "unit"),
            (_parameter(name, found["model"][name], bounds) for name, bounds in found["intervals"].items()),
            ("parameter", "unit"),
        )
    if found["form"] != "linear" and not any(found["linear_error_text"] in line for line in found["warnings"]):
        yield f"With a linear model {found['linear_error_text']}."
    for kind in ("notes", "warnings"):
        yield from (f"{kind[:-1]}: {printable(line)}" for line in found[kind])


def _parameter(name: str, value: str, bounds: list[float]) -> tuple[str, ...]:
    unit, scale = UNITS[name]
    return name, *(f"{number * scale:.4g}" for number in (float(Fraction(value)), *bounds)), unit
