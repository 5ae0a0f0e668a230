"""How a command reads its TRACE, and what is said of what was read."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from teltheory.errors import FileError, printable
from teltheory.formats import read_trace
from teltheory.formats.reading import ChainingReport, ReadingReport
from teltheory.input_files import read_bytes, reported
from teltheory.model.trace import Trace
from teltheory.workloads import parse_times


@dataclass(frozen=True)
class Reading:
    """How a trace is read."""

    format: str
    tokenizer: str | None
    times: str | None
    seed: int
    blocks: int | None = None
    system_prompt: str | None = None

    @property
    def assumes(self) -> bool:
        """Whether the user chose a tokenizer or assumed times."""
        return self.tokenizer is not None or self.times is not None

    def read(self, file: str) -> Trace:
        """Return the trace in a file."""
        times = None if self.times is None else parse_times(self.times, self.seed)
        system = "" if self.system_prompt is None else _text(Path(self.system_prompt))
        if not _is_blank(Path(file)):
            form, size = self.format, self.blocks
            trace = read_trace(file, form, tokenizer=self.tokenizer, times=times, blocks=size, system=system)
            if len(trace):
                return trace
        raise FileError(f"{file}: found no turn, expected at least one")


def _text(file: Path) -> str:
    with reported(file, "a system prompt"):
        return read_bytes(file, "a system prompt").decode("utf-8")


def _is_blank(path: Path) -> bool:
    try:
        return path.is_file() and not path.stat().st_size
    except (OSError, ValueError):
        return False


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
