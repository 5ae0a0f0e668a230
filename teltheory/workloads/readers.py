"""Readers of traces: one function a format, a dict names them.

The toolkit's own format is a CSV, JSON-lines or Parquet file with the columns conversation, prompt, response
and, optional, arrival and history. No other column is allowed, so that a misspelt one is not lost unnoticed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from teltheory.errors import ArgumentError, FileError, TraceError, shown
from teltheory.input_files import check_file
from teltheory.instance import Initial, Instance
from teltheory.numbers import INT64_MAX
from teltheory.trace import COLUMNS, Trace
from teltheory.workloads.logs import read_agentic, read_bailian, read_burstgpt
from teltheory.workloads.mooncake import Request, chain
from teltheory.workloads.rows import Rows, csv_rows, json_rows, opened, parquet_rows
from teltheory.workloads.sessions import DELTA, WHOLE, read_sessions
from teltheory.workloads.streams import KINDS, Stream, kind_of, shards
from teltheory.workloads.times import Times
from teltheory.workloads.transcripts import LMSYS, SHAREGPT, VLLM_MULTI_TURN, WILDCHAT, Chat, read_chat

MOST_SHOWN = 3
OWN_FORMATS: dict[str, Callable[[Path], Rows]] = {"csv": csv_rows, "jsonl": json_rows, "parquet": parquet_rows}


def data_folder() -> Path:
    """Return the folder of the real data: ``TELTHEORY_DATA``, or ``../shared/data``."""
    return Path(os.environ.get("TELTHEORY_DATA") or "../shared/data")


def read_trace(
    path: str | Path,
    format: str = "auto",
    initial: Initial = (),
    *,
    tokenizer: object = None,
    times: Times | None = None,
) -> Trace:
    """Read a trace from a file, or from a folder of shards.

    Parameters
    ----------
    path : str or Path
        The file: CSV, JSON lines, a JSON array or Parquet, told by its name; text may end in .gz or .zst. Of a
        folder, all its files in the order of their names.
    format : str
        "teltheory" (the toolkit's own), "mooncake", "mooncake-delta", "qwen-bailian", "burstgpt", "wildchat",
        "sharegpt", "lmsys", "vllm-multi-turn" or "agentic"; docs/datasets.md has them. "auto" tells them by the
        fields.
    initial : iterable of (conversation, past, cached)
        Initial cache that the trace will meet; given histories are checked against it.
    tokenizer : str, Path, tokenizers.Tokenizer or tiktoken.Encoding, optional
        For formats that hold text: a tokenizer.json, a .tiktoken file, a tokenizer at hand, or
        ``"characters/4"``.
    times : Times, optional
        What is assumed about arrival times where the file has none, or in place of those it has.

    Returns
    -------
    Trace
        Its `report` says what was assumed and what was odd: a `ChainingReport` for a Mooncake file without
        sessions, None for the toolkit's own format, a `ReadingReport` for the others.

    Raises
    ------
    FileError
        Names file, line and field, what was found and what was expected.
    ArgumentError
        Where a tokenizer or an assumption about times is missing, or is given and not needed.
    """
    if format not in ("auto", *_READERS):
        raise ArgumentError("format", format, "'auto', " + ", ".join(map(repr, _READERS)))
    source = Source(Path(path), tokenizer, times)
    named, field = _told(source) if format == "auto" else (format, None)
    source.refuse_what_is_not_needed(named)
    try:
        with _located(source.path):
            return _READERS[named](source, format, initial)
    except ArgumentError as error:
        if field is None or error.found is not None:
            raise
        told = f"{error.expected}: {source.path} is taken for {named} by its field {field!r}"
        raise ArgumentError(error.argument, None, told) from None


@dataclass(frozen=True)
class Source:
    """What is read, and how.

    Attributes
    ----------
    path : Path
        A file, or a folder of shards.
    tokenizer : object
        As for `read_trace`.
    times : Times or None
        As for `read_trace`.
    """

    path: Path
    tokenizer: object
    times: Times | None

    def streams(self, wanted: frozenset[str] = frozenset()) -> list[Stream]:
        """Return the records of each file; of Parquet the columns that are wanted, or all."""
        return [Stream(file, self._kind(file), wanted) for file in shards(self.path)]

    def rows(self) -> Rows:
        """Return the rows of a single file, all in memory."""
        check_file(self.path, "a single file for this format")
        read = OWN_FORMATS.get(self._kind(self.path))
        if read is None:
            expected = "one that ends in .csv, .jsonl, .ndjson or .parquet for this format"
            raise FileError(f"{self.path}: found a name that ends in {self.path.suffix!r}, expected {expected}")
        return opened(read, self.path, "a trace")

    @staticmethod
    def _kind(file: Path) -> str:
        kind = kind_of(file)
        if kind is None:
            raise FileError(f"{file}: found a name that ends in {file.suffix!r}, expected {', '.join(KINDS)}")
        return kind

    def refuse_what_is_not_needed(self, format: str) -> None:
        """Raise an `ArgumentError` where an argument would be ignored in silence."""
        if self.tokenizer is not None and format not in _OF_TEXT:
            raise ArgumentError("tokenizer", self.tokenizer, f"none, as {format} has token counts")
        if self.times is not None and format in _DATED:
            raise ArgumentError("times", self.times, f"none, as {format} has its own")
        if self.times is not None and self.times.gaps is None and format not in _WITH_DELAYS:
            raise ArgumentError("times", self.times, f"a law of gaps, as {format} has no delays")


@contextmanager
def _located(path: Path, rows: Rows | None = None, names: Mapping[str, str] | None = None) -> Iterator[None]:
    """Name the file, and the line where rows are turns, in errors about a turn."""
    try:
        yield
    except TraceError as error:
        if rows is None:
            raise FileError(f"{path}, {error}") from None
        rows.fail(error.turn, (names or {}).get(error.field, error.field), error.found, error.expected)


def _can_be_read(path: Path) -> bool:
    try:
        return path.is_file() and os.access(path, os.R_OK)
    except OSError:
        return False


def _told(source: Source) -> tuple[str, str | None]:
    """Return the format that the fields of the first record tell, and one of them; no field in an empty file.

    Raises
    ------
    FileError
        Where no format fits.
    """
    try:
        stream = next(iter(source.streams()))
        fields = stream.fields()
    except FileError as error:
        if not _can_be_read(source.path):
            raise
        raise FileError(f"{error}; tried as {', '.join(FORMATS)}") from None
    for format, tells in _TOLD_BY.items():
        if tells(fields, stream.kind):
            return format, next(name for name in fields if name in _FIELDS[format])
    if not any(fields) and stream.kind != "json":
        return "teltheory", None
    if fields.keys() & set(COLUMNS):
        return "teltheory", next(name for name in fields if name in COLUMNS)
    found = (
        "the fields " + ", ".join(shown(name, 20) for name in list(fields)[:MOST_SHOWN]) if fields else "no record"
    )
    expected = ", ".join(f"{format} ({names[0]})" for format, names in _FIELDS.items())
    raise FileError(f"{source.path}: found {found}, expected those of {expected}")


def _nested(fields: Mapping[str, Any], name: str) -> bool:
    return isinstance(fields.get(name), list)


_TOLD_BY: dict[str, Callable[[Mapping[str, Any], str], bool]] = {
    "wildchat": lambda fields, kind: (
        _nested(fields, "conversation") and not {"conversation_hash", "timestamp"}.isdisjoint(fields)
    ),
    "sharegpt": lambda fields, kind: _nested(fields, "conversations"),
    "agentic": lambda fields, kind: _nested(fields, "messages") and "session_id" in fields,
    "vllm-multi-turn": lambda fields, kind: _nested(fields, "messages") and kind == "json",
    "lmsys": lambda fields, kind: _nested(fields, "messages") or _nested(fields, "conversation"),
    "qwen-bailian": lambda fields, kind: {"chat_id", "parent_chat_id"} <= set(fields),
    "burstgpt": lambda fields, kind: {"Request tokens", "Response tokens"} <= set(fields),
    "mooncake": lambda fields, kind: "input_length" in fields or "hash_ids" in fields,
}


def read_own(source: Source, asked: str, initial: Initial) -> Trace:
    """Make a trace of the toolkit's own columns."""
    rows = source.rows()
    for field in rows.columns:
        if field not in COLUMNS:
            rows.fail(None, "columns", field, "only " + ", ".join(COLUMNS))
    conversation, prompt, response = (rows.column(field) for field in COLUMNS[:3])
    arrival, history = (rows.column(field) if field in rows.columns else None for field in COLUMNS[3:])
    with _located(source.path, rows):
        trace = Trace.from_turns(conversation, prompt, response, arrival, history)
        Instance.of(trace, INT64_MAX, initial=initial)
    return trace


def read_mooncake(source: Source, asked: str, initial: Initial, format: str = WHOLE) -> Trace:
    """Chain the requests of a Mooncake trace into conversations, or group them by the sessions that they name."""
    rows = source.rows()
    if "session_id" in rows.columns or format == DELTA:
        trace = read_sessions(rows, "auto" if asked == "auto" else format, source.times)
        Instance.of(trace, INT64_MAX, initial=initial)
        return trace
    if source.times is not None:
        raise ArgumentError("times", source.times, "none, as mooncake without sessions has its own")
    with _located(source.path, rows, _MOONCAKE_FIELDS):
        trace = chain(_requests(rows))
        Instance.of(trace, INT64_MAX, initial=initial)
    return trace


def _requests(rows: Rows) -> list[Request]:
    milliseconds = rows.column("timestamp")
    for row, value in enumerate(milliseconds):
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) <= INT64_MAX:
            rows.fail(row, "timestamp", value, "a number of milliseconds")
    inputs, outputs = rows.whole_column("input_length"), rows.whole_column("output_length")
    columns = zip(milliseconds, inputs, outputs, _hash_ids(rows), strict=True)
    return [Request(ms / 1000, i, o, ids) for ms, i, o, ids in columns]


def _hash_ids(rows: Rows) -> list[list[int]]:
    lists = rows.column("hash_ids")
    for row, ids in enumerate(lists):
        if not isinstance(ids, list) or not all(isinstance(i, int) and not isinstance(i, bool) for i in ids):
            rows.fail(row, "hash_ids", ids, "a list of whole numbers")
    return list(lists)


def _checked(read: Callable[[Source], Trace], source: Source, asked: str, initial: Initial) -> Trace:
    trace = read(source)
    Instance.of(trace, INT64_MAX, initial=initial)
    return trace


def _chat(chat: Chat) -> Callable[[Source, str, Initial], Trace]:
    return partial(_checked, lambda s: read_chat(chat, s.streams(chat.wanted), s.tokenizer, s.times))


_FIELDS: dict[str, tuple[str, ...]] = {
    "teltheory": ("prompt", "conversation", "response"),
    "mooncake": ("hash_ids", "input_length"),
    "mooncake-delta": ("input_length", "session_id"),
    "qwen-bailian": ("chat_id", "parent_chat_id"),
    "burstgpt": ("Request tokens", "Response tokens"),
    "wildchat": ("conversation_hash", "conversation", "timestamp"),
    "sharegpt": ("conversations",),
    "lmsys": ("conversation", "messages"),
    "vllm-multi-turn": ("messages",),
    "agentic": ("session_id", "messages"),
}
"""Fields that a format is told by, for people; `_TOLD_BY` decides."""
_MOONCAKE_FIELDS = {"arrival": "timestamp", "prompt": "input_length", "response": "output_length"}
_READERS: dict[str, Callable[[Source, str, Initial], Trace]] = {
    "teltheory": read_own,
    WHOLE: read_mooncake,
    DELTA: partial(read_mooncake, format=DELTA),
    "qwen-bailian": partial(_checked, lambda s: read_bailian(s.streams())),
    "burstgpt": partial(_checked, lambda s: read_burstgpt(s.streams())),
    **{chat.name: _chat(chat) for chat in (WILDCHAT, SHAREGPT, LMSYS, VLLM_MULTI_TURN)},
    "agentic": partial(_checked, lambda s: read_agentic(s.streams(), s.tokenizer, s.times)),
}
FORMATS = tuple(_READERS)
_OF_TEXT = frozenset(("wildchat", "sharegpt", "lmsys", "vllm-multi-turn", "agentic"))
_DATED = frozenset(("teltheory", "qwen-bailian", "burstgpt"))
_WITH_DELAYS = frozenset(("agentic", WHOLE, DELTA))
