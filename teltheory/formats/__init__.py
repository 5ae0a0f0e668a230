"""Formats of traces, one file each. `FORMATS` has them by name; "auto" takes the last one that fits."""

import os
from pathlib import Path

from teltheory.errors import ArgumentError, FileError, TraceError, shown
from teltheory.formats.agentic import AGENTIC
from teltheory.formats.burstgpt import BURSTGPT
from teltheory.formats.claude_code import CLAUDE_CODE
from teltheory.formats.format import Format, Source
from teltheory.formats.lmcache import LMCACHE
from teltheory.formats.lmsys import LMSYS
from teltheory.formats.mooncake import MOONCAKE
from teltheory.formats.mooncake_delta import MOONCAKE_DELTA
from teltheory.formats.own import OWN
from teltheory.formats.qwen_bailian import QWEN_BAILIAN
from teltheory.formats.records import fields_of
from teltheory.formats.sglang import SGLANG
from teltheory.formats.sharegpt import SHAREGPT
from teltheory.formats.vllm_events import VLLM_EVENTS
from teltheory.formats.vllm_multi_turn import VLLM_MULTI_TURN
from teltheory.formats.wildchat import WILDCHAT
from teltheory.formats.writing import write_trace
from teltheory.model.columns import checked_block_size
from teltheory.model.instance import Initial
from teltheory.model.trace import Trace
from teltheory.workloads.times import Times

__all__ = ["FORMATS", "Format", "Source", "read_trace", "write_trace"]

MOST_SHOWN = 3
_ALL = (
    OWN,
    MOONCAKE,
    MOONCAKE_DELTA,
    CLAUDE_CODE,
    QWEN_BAILIAN,
    BURSTGPT,
    WILDCHAT,
    SHAREGPT,
    LMSYS,
    VLLM_MULTI_TURN,
    AGENTIC,
    LMCACHE,
    VLLM_EVENTS,
    SGLANG,
)
FORMATS: dict[str, Format] = {format.name: format for format in _ALL}


def read_trace(
    path: str | Path,
    format: str | Format = "auto",
    initial: Initial = (),
    *,
    tokenizer: object = None,
    times: Times | None = None,
    blocks: int | None = None,
    system: str = "",
) -> Trace:
    """Read a trace from a file, or from a folder of shards.

    Parameters
    ----------
    path : str or Path
        The file: CSV, JSON lines, a JSON array or Parquet, told by its name; text may end in .gz or .zst. Of a
        folder, all its files in the order of their names.
    format : str or Format
        "teltheory" (the toolkit's own), "mooncake", "mooncake-delta", "claude-code", "qwen-bailian", "burstgpt",
        "wildchat", "sharegpt", "lmsys", "vllm-multi-turn", "agentic", "lmcache", "vllm-events" or
        "sglang"; docs/datasets.md has them. "auto" tells them by the fields.
        A `teltheory.formats.Format` is a custom one.
    initial : iterable of (conversation, past, cached)
        Initial cache that the trace will meet; given histories are checked against it.
    tokenizer : str, Path, tokenizers.Tokenizer or tiktoken.Encoding, optional
        For formats that hold text: a tokenizer.json, a .tiktoken file, a tokenizer, or ``"characters/4"``.
    times : Times, optional
        What is assumed about arrival times if the file has none, or in place of those it has.
    blocks : int, optional
        Tokens per block of a file with block hashes that does not say it. When left out: 512 in Mooncake's, 16 in
        Qwen-Bailian's. Of text, it says that blocks of so many tokens are what requests share.
    system : str
        For formats that hold text: a system prompt that every conversation begins with.

    Returns
    -------
    Trace
        Its `blocks` is the forest of the file's block hashes, None if there are none. Its `report` says what was
        assumed and what was odd: a `ChainingReport` for a Mooncake file without sessions, None for the toolkit's
        own format, a `ReadingReport` for the others.

    Raises
    ------
    FileError
        Names file, line and field, what was found and what was expected.
    ArgumentError
        If a tokenizer or an assumption about times is missing, or is given and not needed.
    """
    told_by = None
    if isinstance(format, Format):
        found = format
    elif format == "auto":
        found, told_by = _told(Source(Path(path)))
    elif format in FORMATS:
        found = FORMATS[format]
    else:
        raise ArgumentError("format", format, "'auto', " + ", ".join(map(repr, FORMATS)))
    found.check_used(tokenizer, times, blocks, system)
    size = None if blocks is None else checked_block_size(blocks, "blocks")
    source = Source(Path(path), tokenizer, times, initial, named=format != "auto", blocks=size, system=system)
    try:
        return source.check(found.read(source))
    except TraceError as error:
        raise FileError(f"{source.path}, {error}") from None
    except ArgumentError as error:
        if told_by is None or error.found is not None:
            raise
        told = f"{error.expected}: {source.path} is taken for {found.name} by its field {told_by!r}"
        raise ArgumentError(error.argument, None, told) from None


def _told(source: Source) -> tuple[Format, str | None]:
    """Return the format that the fields of the first record tell, and one of them; no field in an empty file."""
    try:
        file, kind = source.files()[0]
        fields = fields_of(file, kind)
    except FileError as error:
        if not (source.path.is_file() and os.access(source.path, os.R_OK)):
            raise
        raise FileError(f"{error}; tried as {', '.join(FORMATS)}") from None
    for format in reversed(FORMATS.values()):
        if format.tells(fields, kind):
            return format, next(name for name in fields if name in format.fields)
    if not any(fields) and kind != "json":
        return OWN, None
    few = ", ".join(shown(name, 20) for name in list(fields)[:MOST_SHOWN])
    found = f"the fields {few}" if fields else "no record"
    expected = ", ".join(f"{format.name} ({format.fields[0]})" for format in FORMATS.values())
    raise FileError(f"{source.path}: found {found}, expected those of {expected}")
