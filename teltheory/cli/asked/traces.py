"""How a command reads its TRACE, and what is said of what was read."""

import io
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from teltheory.base.input_files import read_bytes, reported
from teltheory.cli.printed.output import complain
from teltheory.errors import ArgumentError, FileError, printable
from teltheory.formats import read_arrivals, read_trace, with_arrivals
from teltheory.formats.kv_hints import with_recorded
from teltheory.formats.opened import STDIN, spooled
from teltheory.formats.reading import ChainingReport, ReadingReport
from teltheory.model.hints import taken_for_agents
from teltheory.model.requests import Requests
from teltheory.model.trace import Trace
from teltheory.workloads import parse_times


@contextmanager
def given(file: str) -> Iterator[str]:
    """Yield the path of a file, for ``-`` that of what standard input holds."""
    if file != "-":
        yield file
        return
    with spooled(getattr(sys.stdin, "buffer", io.BytesIO())) as spool:
        yield str(spool)


@dataclass(frozen=True)
class Reading:
    """How a trace is read."""

    format: str
    tokenizer: str | None
    times: str | None
    seed: int
    blocks: int | None = None
    system_prompt: str | None = None
    columns: str | None = None
    arrivals: str | None = None
    hints_file: str | None = None

    @property
    def assumes(self) -> bool:
        """Whether the user chose a tokenizer or assumed times."""
        return not self.tokenizer is self.times is self.arrivals is None

    def read(self, file: str) -> Trace:
        """Return the trace in a file, or on standard input (-)."""
        with given(file) as path, warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always", UserWarning)
            trace = self._read(path)
        for one in told:
            complain(str(one.message).replace(path, STDIN) if file == "-" else str(one.message), 0)
        return trace

    def _read(self, file: str) -> Trace:
        times = None if self.times is None else parse_times(self.times, self.seed)
        system = "" if self.system_prompt is None else _text(Path(self.system_prompt))
        if not _is_blank(Path(file)):
            trace = read_trace(
                file,
                self.format,
                tokenizer=self.tokenizer,
                times=times,
                blocks=self.blocks,
                system=system,
                columns=parse_columns(self.columns),
            )
            if len(trace):
                trace = arriving(trace, self.arrivals)
                return trace if self.hints_file is None else with_recorded(trace, self.hints_file)
        raise FileError(f"{file}: found no turn, expected at least one")


def parse_columns(text: str | None) -> dict[str, str] | None:
    """Read names of columns such as ``conversation=session_id,prompt=input_tokens``."""
    if text is None:
        return None
    pairs = [part.partition("=") for part in text.split(",")]
    found = {role.strip(): name.strip() for role, _, name in pairs}
    if len(found) < len(pairs) or not all(found.values()):
        raise ArgumentError("columns", text, "conversation=FIELD,prompt=FIELD,..., each once")
    return found


def arriving(trace: Trace, file: str | None) -> Trace:
    """Return a trace whose turns arrive at the times of a file, if there is one; its report says so."""
    if file is None:
        return trace
    times = read_arrivals(file)
    if len(times) < len(trace):
        raise FileError(f"{file}: found {len(times):,} arrivals, expected {len(trace):,} or more, one a turn")
    said = f"the first {len(trace):,} of {len(times):,} of {Path(file).name}, for the turns in their order"
    report, chaining = trace.report, trace.report if isinstance(trace.report, ChainingReport) else None
    if not isinstance(report, ReadingReport):
        form = "teltheory" if chaining is None else "mooncake"
        report = ReadingReport(form, len(trace), trace.conversations, 0, None, said, chaining=chaining)
    return replace(with_arrivals(trace, times), report=replace(report, times=said))


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


def hint_lines(trace: Requests) -> list[str]:
    """Return what was recorded and what was assumed of agents and their hints, in sentences."""
    if trace.hints is None:
        return [f"Hints: none; {taken_for_agents(trace)}."]
    return [printable(f"Hints, {one}.") for one in trace.hints.said]


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
