"""Formats of traces, one file each. `FORMATS` has them by name; "auto" takes the last one that fits."""

from __future__ import annotations

import os
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from teltheory.errors import ArgumentError, FileError, TraceError, listed, shown
from teltheory.formats.agentic import AGENTIC
from teltheory.formats.arrivals import read_arrivals, refuse, with_arrivals
from teltheory.formats.burstgpt import BURSTGPT
from teltheory.formats.claude_code import CLAUDE_CODE
from teltheory.formats.datasets import placed
from teltheory.formats.format import TABLE, Format, Source
from teltheory.formats.kv_hints import with_recorded
from teltheory.formats.kvcache_simulator import KVCACHE_SIMULATOR
from teltheory.formats.lmcache import LMCACHE
from teltheory.formats.lmsys import LMSYS
from teltheory.formats.mapped import checked_columns
from teltheory.formats.mooncake import MOONCAKE
from teltheory.formats.mooncake_delta import MOONCAKE_DELTA
from teltheory.formats.otel import OTEL
from teltheory.formats.own import OWN
from teltheory.formats.qwen_bailian import QWEN_BAILIAN
from teltheory.formats.ragpulse import RAGPULSE
from teltheory.formats.sglang import SGLANG
from teltheory.formats.sharegpt import SHAREGPT
from teltheory.formats.tracelab import TRACELAB
from teltheory.formats.usage import USAGE
from teltheory.formats.vllm_events import VLLM_EVENTS
from teltheory.formats.vllm_log import VLLM_LOG
from teltheory.formats.vllm_multi_turn import VLLM_MULTI_TURN
from teltheory.formats.wildchat import WILDCHAT
from teltheory.formats.writing import write_trace
from teltheory.model.columns import checked_block_size
from teltheory.model.initial import Initial
from teltheory.model.tables import arrow_of
from teltheory.model.trace import Trace
from teltheory.workloads.times import Times

__all__ = ["FORMATS", "Format", "Source", "read_arrivals", "read_trace", "with_arrivals", "write_trace"]

COLUMNS_LIKE = "--columns conversation=FIELD,total=FIELD,response=FIELD"
_ALL = (
    OWN,
    MOONCAKE,
    MOONCAKE_DELTA,
    KVCACHE_SIMULATOR,
    CLAUDE_CODE,
    QWEN_BAILIAN,
    BURSTGPT,
    WILDCHAT,
    SHAREGPT,
    LMSYS,
    VLLM_MULTI_TURN,
    AGENTIC,
    LMCACHE,
    RAGPULSE,
    VLLM_EVENTS,
    VLLM_LOG,
    SGLANG,
    USAGE,
    OTEL,
    TRACELAB,
)
FORMATS: dict[str, Format] = {format.name: format for format in _ALL}


def read_trace(
    path: Any,
    format: str | Format = "auto",
    initial: Initial = (),
    *,
    tokenizer: object = None,
    times: Times | None = None,
    blocks: int | None = None,
    system: str = "",
    columns: Mapping[str, str] | None = None,
    hints: str | Path | None = None,
) -> Trace:
    """Read a trace from a file, from a folder of shards, or from a table.

    Parameters
    ----------
    path : str, Path, or a table of pandas, polars, PyArrow or DuckDB, or a mapping of columns
        The file: CSV, JSON lines, a JSON array or Parquet, told by its name; text may end in .gz or .zst. Of a
        folder, all its files by their names. A name that `teltheory trace fetch` lists stands for its file.
    format, initial : str or Format; as in `Problem`
        One of `FORMATS`, such as "mooncake" (docs/formats.md, docs/logs.md); "auto" tells them by the fields.
    tokenizer, system : str, Path, tokenizers.Tokenizer or tiktoken.Encoding, optional; str
        Of texts: a tokenizer.json, .tiktoken file, tokenizer or ``"characters/4"``; a system prompt before each.
    times : Times, optional
        What is assumed about arrival times if the file has none, or in place of those it has.
    blocks : int, optional
        Tokens per block of a file with block hashes that does not say it: 512 in Mooncake's, 16 in Qwen-Bailian's
        and RAGPulse's when left out. Of text, it says that blocks of so many tokens are what requests share.
    columns, hints : mapping of str to str; str or Path, optional
        Names of the fields of a log: of "conversation", "response", "prompt" (what is new), "total" (the whole
        input), "history", "arrival", "arrival_ms", "cached_tokens", "hashes", of hints; dots go down into objects.
        And hints that were recorded beside the trace, in JSON lines of envelopes (`teltheory.formats.kv_hints`).

    Returns
    -------
    Trace
        `blocks` has the forest of block hashes, if any, `hints` what applications say, `report` what was assumed.

    Raises
    ------
    FileError, ArgumentError
        File, line and field, found and expected; a tokenizer or times that are missing, or not needed.
    """
    place, table = _place(path)
    found, told_by = _format(Source(place, table=table), format, columns)
    found.check_used(tokenizer, times, blocks, system, columns)
    size, named = None if blocks is None else checked_block_size(blocks, "blocks"), format != "auto"
    source = Source(place, tokenizer, times, initial, named, size, system, columns, table)
    return _read(source, found, told_by, hints)


def _place(given: Any) -> tuple[Path, Any]:
    """Return the path of a file, and a table in its place if that is given."""
    return (placed(given), None) if isinstance(given, (str, PathLike)) else (Path(TABLE), arrow_of(given))


def _read(source: Source, found: Format, told_by: str | None, hints: str | Path | None) -> Trace:
    try:
        trace = source.check(found.read(source))
        return trace if hints is None else with_recorded(trace, hints)
    except TraceError as error:
        raise FileError(f"{source.path}, {error}") from None
    except ArgumentError as error:
        if told_by is None or error.found is not None:
            raise
        told = f"{error.expected}: {source.path} is taken for {found.name} by its field {shown(told_by, 60)}"
        raise ArgumentError(error.argument, None, told) from None


def _format(source: Source, format: str | Format, columns: Mapping[str, str] | None) -> tuple[Format, str | None]:
    """Return the format, and a field that told it; fields that the user names make a log of any other file."""
    checked_columns(columns)
    if isinstance(format, Format):
        return format, None
    if format in FORMATS:
        return FORMATS[format], None
    if format != "auto":
        raise ArgumentError("format", format, "'auto', " + ", ".join(map(repr, FORMATS)))
    if not columns:
        return _told(source)
    try:
        found, told_by = _told(source)
    except FileError:
        return OWN, None
    return (found, told_by) if found.columns else (OWN, None)


def _told(source: Source) -> tuple[Format, str | None]:
    """Return the format that the fields of the first record tell, and one of them; no field in an empty file."""
    try:
        kind, fields = source.files()[0][1], source.fields()
    except FileError as error:
        if not (source.path.is_file() and os.access(source.path, os.R_OK)):
            raise
        raise FileError(f"{error}; tried as {', '.join(FORMATS)}") from None
    for format in reversed(FORMATS.values()):
        if format.tells(fields, kind):
            return format, next((name for name in fields if name in format.fields), next(iter(fields), None))
    if not any(fields) and kind != "json":
        return OWN, None
    refuse(source.path, fields)
    found = f"the fields {listed([shown(name, 20) for name in fields])}" if fields else "no record"
    expected = f"{COLUMNS_LIKE} to say what is what, or the fields of one of {', '.join(FORMATS)}"
    raise FileError(f"{source.path}: found {found}, expected {expected}")
