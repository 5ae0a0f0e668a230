"""`teltheory server probe`: a live server's time to first token."""

from __future__ import annotations

import asyncio
import os
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.table import Table

from teltheory.base.extras import MissingPackageError, not_there
from teltheory.cli.asked.options import SEED, api_key_option, duration, served_model_option, table_options, whole
from teltheory.cli.parts import command, option
from teltheory.cli.printed.output import check_targets, progress_bar, report
from teltheory.cli.printed.tables import plain_table
from teltheory.errors import ArgumentError, ProbeError
from teltheory.model.units import listed_values, read_tokens
from teltheory.server.grid import ProbePlan
from teltheory.server.record import ProbeRecord

if TYPE_CHECKING:
    from teltheory.server.client import Completions

LENGTHS = "256,512,1024,2048,4096"
SHARES = "0,0.25,0.5,0.75,0.9"


@command("probe", "server probe --url http://localhost:8000 --served-model NAME")
@option("--url", required=True, metavar="URL", help="Address of the server, http://host:port.")
@served_model_option(required=True)
@option(
    "--record",
    "out",
    default="probe.jsonl",
    show_default=True,
    metavar="FILE",
    help="Append each measurement to FILE as it comes.",
)
@option(
    "--lengths", default=LENGTHS, show_default=True, metavar="TOKENS,...", help="Lengths of prompts in tokens."
)
@option(
    "--shares", default=SHARES, show_default=True, metavar="SHARE,...", help="Shares of a prompt that are cached."
)
@whole("--repeats", 5, "How often each is measured. Every length with every share.")
@whole("--seed", 0, SEED, least=0)
@option(
    "--timeout",
    callback=duration,
    default="120s",
    show_default=True,
    metavar="TIME",
    help="Longest wait for an answer. It bounds each request.",
)
@whole("--block-size", 16, "Tokens in a block of the cache. As the server has them.")
@whole("--vocabulary", 30_000, "Number of token ids that prompts are drawn from.", least=2)
@api_key_option
@table_options
def probe_command(
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
    """Measure a server's time to first token.

    It is measured over prompt length and cached share. The server speaks the OpenAI protocol (vLLM, SGLang),
    is otherwise idle, and is sent random prompts, one at a time, and nothing else. The same command resumes where
    an interrupted one stopped.
    """
    check_targets({"--json": target, "--record": out})
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
        from teltheory.server.client import Completions, checked_key
    except ModuleNotFoundError as error:
        raise MissingPackageError(not_there(str(error.name), "calibrate")) from None
    if api_key_env is None:
        return Completions(url, model, timeout=timeout)
    key = checked_key(os.environ.get(api_key_env, ""), f"environment variable {api_key_env}")
    return Completions(url, model, timeout=timeout, key=key)


def _probe(server: Completions, record: ProbeRecord, vocabulary: int) -> None:
    """Measure with a progress bar; an error also says what is kept."""
    from teltheory.server.probe import Prompts, probe

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
