"""KVCache.AI's simulator: requests in the order of the file with the ids of all their blocks, often without times.

1. Each id in `hash_ids` counts as a whole block that requests may share, the last one too, whose block may not be
   full. So a Mooncake trace in this format keeps the last ids, which `mooncake` leaves out: hits are the
   simulator's, and inputs in blocks are longer than in tokens (`Forest.inputs`).
2. A block is a path of ids: ids that stand for prefixes and ids that stand for content make the same blocks.
3. `input_length` is the whole input, `block_size` the tokens per block, which ``blocks=`` may say in its place.
4. Without `timestamp` (milliseconds) no time is known, unless times are assumed; without `output_length` an output
   counts as 0 tokens. Conversations are chained as those of Mooncake are (`teltheory.formats.chaining`).
"""

import math
from dataclasses import replace
from typing import Any

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.formats.blocks import FIELD, RequestBlocks, ids_of
from teltheory.formats.chaining import Hashed, find_conversations
from teltheory.formats.format import Format, Source
from teltheory.formats.records import Record
from teltheory.formats.requests import RequestColumns, dated_inputs, undated, whole_inputs
from teltheory.model.trace import Trace
from teltheory.workloads.times import Times

NAME = "kvcache-simulator"
NO_TIMES = "none in the file; requests are in its order"
NO_SIZE = "the tokens per block, as no record has a block_size: blocks=N (--blocks N)"


def read(source: Source) -> Trace:
    """Chain the requests into conversations, with all their blocks."""
    found, before = None, -math.inf
    for record in source.records():
        found = found or Hashed(RequestBlocks(_block_size(record, source.blocks), content=True))
        seconds = record.seconds("timestamp")
        if seconds < before:
            record.fail("timestamp", record.get("timestamp"), f"{before * 1000:g} or later")
        before = seconds
        _add(found, record, seconds)
    if found is None:
        return Trace.from_turns([], [], [])
    shared = find_conversations(found)
    return _with_shared(_timed(found.columns, source.times), shared)


def _add(found: Hashed, record: Record, seconds: float) -> None:
    blocks, tokens = found.blocks, record.whole("input_length")
    if record.get("block_size") not in (None, blocks.block_size):
        record.fail("block_size", record.get("block_size"), f"{blocks.block_size}, as before")
    ids = _ids(record, blocks.block_size, tokens)
    output = 0 if record.get("output_length") is None else record.whole("output_length")
    found.add(seconds, tokens, output, blocks.add(record, ids, len(ids) * blocks.block_size), None)


def _ids(record: Record, size: int, tokens: int) -> list[str]:
    """Return the ids of a request, one for each block of its input, as texts: 5 and "5" are the same."""
    ids = ids_of(record, texts=True)
    sizes = [size] * (tokens // size) + [tokens % size] * (tokens % size > 0)
    if len(ids) != len(sizes):
        expected = f"{len(sizes)} ids for {tokens} tokens in blocks of {size}"
        record.fail(FIELD, len(ids), f"{expected}; blocks=N (--blocks N) names another size")
    if record.get("block_tokens") not in (None, sizes):
        record.fail("block_tokens", record.get("block_tokens"), f"none, or {sizes} as by block_size")
    return list(map(str, ids))


def _block_size(record: Record, said: int | None) -> int:
    size = said if record.get("block_size") is None else record.get("block_size")
    if size is None:
        raise ArgumentError("blocks", None, NO_SIZE)
    if type(size) is not int or size < 1 or said not in (None, size):
        record.fail("block_size", size, "a whole number above 0" if said is None else f"{said}, as given")
    return size


def _timed(requests: RequestColumns, times: Times | None) -> Trace:
    """Return the trace, without times if the file has none and none are assumed."""
    if times is not None or not np.isnan(requests.seconds).all():
        return whole_inputs(requests, NAME, times)
    return undated(dated_inputs(requests, NAME, np.arange(len(requests), dtype=np.float64), NO_TIMES))


def _with_shared(trace: Trace, shared: int) -> Trace:
    report: Any = trace.report
    return replace(trace, report=replace(report, chaining=replace(report.chaining, shared_ids=shared)))


KVCACHE_SIMULATOR = Format(
    name=NAME,
    fields=(FIELD, "input_length", "block_size"),
    tells=lambda fields, kind: (
        {FIELD, "input_length"} <= set(fields)
        and "session_id" not in fields
        and not {"timestamp", "output_length"} <= set(fields)
    ),
    read=read,
    blocks=True,
)
