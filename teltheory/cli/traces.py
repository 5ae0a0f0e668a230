"""How a command reads its TRACE: one group of options for all of them, and what is said of what was read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any

import click

from teltheory.errors import FileError, printable
from teltheory.formats import FORMATS, read_trace
from teltheory.formats.reading import ChainingReport, ReadingReport
from teltheory.model.trace import Trace
from teltheory.workloads import parse_times


@dataclass(frozen=True)
class Reading:
    """How a trace is read."""

    format: str
    tokenizer: str | None
    times: str | None
    seed: int

    @property
    def assumes(self) -> bool:
        """Whether the user chose a tokenizer or assumed times."""
        return self.tokenizer is not None or self.times is not None

    def read(self, file: str) -> Trace:
        """Return the trace in a file."""
        times = None if self.times is None else parse_times(self.times, self.seed)
        if not _is_blank(Path(file)):
            trace = read_trace(file, self.format, tokenizer=self.tokenizer, times=times)
            if len(trace):
                return trace
        raise FileError(f"{file}: found no turn, expected at least one")


def _is_blank(path: Path) -> bool:
    try:
        return path.is_file() and not path.stat().st_size
    except (OSError, ValueError):
        return False


def trace_options(seed: int = 0) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that adds --format, --tokenizer, --times and --seed, handed over as `reading`."""
    options = (
        click.option("--format", "format", default="auto", show_default=True, help=f"auto, {', '.join(FORMATS)}."),
        click.option(
            "--tokenizer", metavar="FILE", help="For text: a tokenizer.json, a .tiktoken file, or characters/4."
        ),
        click.option(
            "--times",
            metavar="LAW",
            help="Assumed times: sharegpt, exponential:mean=360,rate=1, lognormal, pareto.",
        ),
        click.option("--seed", type=click.IntRange(0), default=seed, show_default=True, help="Of what is drawn."),
    )

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def bundled(
            *args: Any, format: str, tokenizer: str | None, times: str | None, seed: int, **rest: Any
        ) -> Any:
            return command(*args, reading=Reading(format, tokenizer, times, seed), **rest)

        for option in reversed(options):
            bundled = option(bundled)
        return bundled

    return decorate


def report_lines(trace: Trace) -> list[str]:
    """Return what a reader says of a trace, in sentences; none for the toolkit's own format and for samples."""
    report = trace.report
    return [printable(line) for line in report.sentences()] if isinstance(report, _REPORTS) else []


def about_turns(trace: Trace) -> list[str]:
    """Return how long a trace is, and what its reader says."""
    return [f"Trace: {len(trace):,} turns, {trace.conversations:,} conversations.", *report_lines(trace)]


_REPORTS = (ChainingReport, ReadingReport)


def turns_as_data(trace: Trace) -> dict[str, Any]:
    """Return turns, conversations, `chaining`, and `reading` where a reader says more, as plain data."""
    counts = {"turns": len(trace), "conversations": trace.conversations}
    report = trace.report
    if isinstance(report, ReadingReport):
        reading = report.as_dict()
        return {**counts, "chaining": reading.pop("chaining"), "reading": reading}
    return {**counts, "chaining": report.as_dict() if isinstance(report, ChainingReport) else None}
