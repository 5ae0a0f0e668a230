"""Mooncake: requests with hashes of their blocks of 512 tokens, chained (`teltheory.formats.chaining`).

If the file has `session_id`, its sessions are the conversations (`teltheory.formats.mooncake_delta`). An id stands
for its block and everything before it, so the ids are what requests share too (`Trace.blocks`): of each request
the first input_length // 512 ids, as the last block may not be full, and no output, as outputs have no ids.
"""

from collections.abc import Iterator
from itertools import chain as joined

from teltheory.errors import ArgumentError
from teltheory.formats.blocks import RequestBlocks
from teltheory.formats.chaining import Hashed, chain
from teltheory.formats.format import Format, Source
from teltheory.formats.mooncake_delta import LOCAL, WHOLE, block_size, read_sessions
from teltheory.formats.records import Record
from teltheory.model.trace import Trace


def read(source: Source) -> Trace:
    """Chain the requests into conversations, or group them by the sessions that they name."""
    records = source.records()
    first = next(records, None)
    if first is not None and "session_id" in first.fields:
        return read_sessions([first, *records], WHOLE if source.named else "auto", source)
    if source.times is not None:
        raise ArgumentError("times", source.times, "none, as mooncake without sessions has its own")
    size = block_size([] if first is None else [first], source)
    found = Hashed(RequestBlocks(size))
    for record in _in_order(joined([] if first is None else [first], records)):
        _add(found, record)
    return chain(found)


def _add(found: Hashed, record: Record) -> None:
    blocks = found.blocks
    if record.get("block_size") not in (None, blocks.block_size):
        record.fail("block_size", record.get("block_size"), f"{blocks.block_size}, as before")
    if record.get("hash_id_scope") == "local":
        record.fail("hash_id_scope", "local", LOCAL)
    tokens, output = record.whole("input_length"), record.whole("output_length")
    full, ids = blocks.read(record, tokens), record.fields["hash_ids"]
    leaf = blocks.add(record, full, tokens)
    seconds = record.number("timestamp", "a number of milliseconds") / 1000
    found.add(seconds, tokens, output, leaf, ids[-1] if len(ids) > len(full) else None)


def _in_order(records: Iterator[Record]) -> Iterator[Record]:
    """Yield the records; one that names a session, or comes before an earlier one, is an error."""
    before = None
    for record in records:
        record.number("timestamp", "a number of milliseconds")
        now = record.fields["timestamp"]
        if before is not None and now < before:
            record.fail("timestamp", now, f"{before} or later")
        if "session_id" in record.fields:
            record.fail("session_id", record.get("session_id"), "none, as in the requests before")
        before = now
        yield record


MOONCAKE = Format(
    name="mooncake",
    fields=("hash_ids", "input_length"),
    tells=lambda fields, kind: "input_length" in fields or "hash_ids" in fields,
    read=read,
    delays=True,
    blocks=True,
)
