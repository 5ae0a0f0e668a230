"""`teltheory calibrate` measures a server's TTFT; `teltheory calibrate-file` fits a latency model to a run."""

from __future__ import annotations

import asyncio
import os
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict
from fractions import Fraction
from statistics import median
from typing import TYPE_CHECKING, Any

import click
import numpy as np
from rich.table import Table

from teltheory.calibration.formats import FORMATS
from teltheory.calibration.grid import ProbePlan
from teltheory.calibration.record import ProbeRecord
from teltheory.cli.options import duration, json_option, whole
from teltheory.cli.output import check_target, progress_bar, report, write_json
from teltheory.cli.tables import plain_table
from teltheory.cost.latency_files import latency_to_json
from teltheory.errors import ArgumentError, ProbeError, printable
from teltheory.model.units import listed_values, read_tokens

if TYPE_CHECKING:
    from teltheory.calibration.client import Completions

LENGTHS = "256,512,1024,2048,4096"
SHARES = "0,0.25,0.5,0.75,0.9"
UNITS = {
    "per_token": ("µs a token", 1e6),
    "per_pair": ("ns a pair", 1e9),
    "constant": ("ms", 1e3),
    "floor": ("ms", 1e3),
}
FORMS = ("auto", "linear", "linear-floor", "attention", "attention-floor", "table")


@click.command()
@click.option("--url", required=True, metavar="URL", help="Address of the server: http://host:port.")
@click.option("--model", required=True, metavar="NAME", help="The model, as the server names it.")
@click.option(
    "--out", default="probe.jsonl", show_default=True, metavar="FILE", help="Measurements, as they come."
)
@click.option("--lengths", default=LENGTHS, show_default=True, metavar="TOKENS,...", help="Lengths of prompts.")
@click.option("--shares", default=SHARES, show_default=True, metavar="SHARE,...", help="Cached shares.")
@whole("--repeats", 5, "Measurements of each cell.")
@whole("--seed", 0, "Fixes the order.", least=0)
@click.option(
    "--timeout", callback=duration, default="120s", show_default=True, metavar="TIME", help="Of a request."
)
@whole("--block-size", 16, "Of the server's cache.")
@whole("--vocabulary", 30_000, "Token ids below it.", least=2)
@click.option("--api-key-env", metavar="NAME", help="Environment variable with the API key; none is sent without.")
@json_option
def calibrate(
    url: str,
    model: str,
    out: str,
    lengths: str,
    shares: str,
    repeats: int,
    seed: int,
    timeout: float,
    block_size: int,
    vocabulary: int,
    api_key_env: str | None,
    target: str | None,
) -> int:
    """Measure a server's time to first token over prompt length and cached share.

    The server speaks the OpenAI protocol (vLLM, SGLang), is otherwise idle, and is sent random prompts, one at a
    time, and nothing else. The same command resumes where an interrupted one stopped.
    """
    check_target(target)
    server = _server(url, model, timeout, api_key_env)
    prompts = tuple(read_tokens("lengths", part) for part in listed_values("lengths", [lengths]))
    plan = ProbePlan(server.url, model, prompts, _shares(shares), repeats, seed, block_size)
    with ProbeRecord(out, plan) as record:
        _probe(server, record, vocabulary)
        data = {"plan": plan.as_dict(), "measurements": [asdict(m) for m in record.measured]}
        report(target, _shown(record), data)
    return 0


def _server(url: str, model: str, timeout: float, api_key_env: str | None) -> Completions:
    try:
        from teltheory.calibration.client import Completions, checked_key
    except ModuleNotFoundError as error:
        raise click.ClickException(
            f"calibrate needs {error.name}, which is not installed: pip install 'teltheory[calibrate]'"
        ) from None
    if api_key_env is None:
        return Completions(url, model, timeout=timeout)
    key = checked_key(os.environ.get(api_key_env, ""), f"environment variable {api_key_env}")
    return Completions(url, model, timeout=timeout, key=key)


def _probe(server: Completions, record: ProbeRecord, vocabulary: int) -> None:
    """Measure with a progress bar; an error also says what is kept."""
    from teltheory.calibration.probe import Prompts, probe

    total = len(record.plan.steps())
    with progress_bar() as bar:
        task = bar.add_task(f"Measuring {server.url}", total=total, completed=len(record.measured))

        async def session() -> None:
            prompts = Prompts(np.random.default_rng(), vocabulary)
            async with server:
                await probe(server, record, prompts, lambda _: bar.advance(task))

        try:
            asyncio.run(session())
        except ProbeError as error:
            kept = f"{len(record.measured):,} of {total:,} measurements are in {record.path}"
            raise ProbeError(f"{error} ({kept})", error.status) from None


def _shown(record: ProbeRecord) -> Iterator[str | Table]:
    kind = "token ids" if record.kind == "tokens" else "words, as the server takes no token ids"
    yield f"{record.plan.model} at {record.plan.url}: {len(record.measured):,} measurements in {record.path}."
    yield f"Prompts: random {kind}. Cached tokens as the server reported them."
    apart = sum(measured.mismatch for measured in record.measured)
    if apart:
        yield (
            f"Not used: {apart:,}, where requested and reported cached tokens differ by more than "
            f"{record.plan.block_size}: the server has larger blocks (--block-size), or no room in its cache."
        )
    cells: dict[tuple[int, Any], list[float]] = defaultdict(list)
    for line in record.measured:
        if not line.mismatch:
            cells[line.prompt_tokens, line.cached_tokens].append(line.ttft_s)
    lines = (
        (f"{prompt:,}", f"{cached:,}", str(len(times)), *(f"{of(times):.4f}" for of in (median, min, max)))
        for (prompt, cached), times in sorted(cells.items())
    )
    columns = ("prompt", "cached", "measured", "median s", "least s", "most s")
    yield plain_table("Time to first token", columns, lines)


def _shares(text: str) -> tuple[float, ...]:
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise ArgumentError("shares", text, "shares such as 0,0.5,0.9") from None


@click.command("calibrate-file")
@click.argument("file")
@click.option("--format", "format", default="auto", show_default=True, help="auto, " + ", ".join(FORMATS) + ".")
@click.option("--cold", is_flag=True, help="The run met an empty prefix cache and its prompts share no prefix.")
@click.option("--model", metavar="NAME", help="Take the requests of this model, where the file has several.")
@click.option("--form", type=click.Choice(FORMS), default="auto", show_default=True, help="Form of the model.")
@click.option(
    "--from-tokens", type=click.IntRange(0), default=0, metavar="N", help="Only prompts of N tokens or more."
)
@click.option("--save", metavar="FILE", help="Write the model, for --latency of other commands.")
@json_option
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
