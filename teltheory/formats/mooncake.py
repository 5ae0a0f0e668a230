"""Mooncake: requests with hashes of their blocks of 512 tokens, chained (`teltheory.formats.chaining`).

If the file has `session_id`, its sessions are the conversations (`teltheory.formats.mooncake_delta`). An id stands
for its block and everything before it, so the ids are what requests share too (`Trace.blocks`): of each request
the first input_length // 512 ids, as the last block may not be full, and no output, as outputs have no ids.
"""

from collections.abc import Sequence

from teltheory.errors import ArgumentError
from teltheory.formats.blocks import Blocks, ids_of
from teltheory.formats.chaining import Request, chain
from teltheory.formats.format import Format, Source
from teltheory.formats.mooncake_delta import WHOLE, block_size, read_sessions
from teltheory.formats.records import Record
from teltheory.model.trace import Trace


def read(source: Source) -> Trace:
    """Chain the requests into conversations, or group them by the sessions that they name."""
    records = list(source.records())
    if any("session_id" in record.fields for record in records):
        return read_sessions(records, WHOLE if source.named else "auto", source)
    if source.times is not None:
        raise ArgumentError("times", source.times, "none, as mooncake without sessions has its own")
    requests = [_request(record, before) for record, before in zip(records, [None, *records], strict=False)]
    return chain(requests, _blocks(records, requests, block_size(records, source)))


def _request(record: Record, before: Record | None) -> Request:
    seconds = record.number("timestamp", "a number of milliseconds") / 1000
    if before is not None and record.fields["timestamp"] < before.fields["timestamp"]:
        record.fail("timestamp", record.fields["timestamp"], f"{before.fields['timestamp']} or later")
    return Request(seconds, record.whole("input_length"), record.whole("output_length"), ids_of(record))


def _blocks(records: Sequence[Record], requests: Sequence[Request], size: int) -> Blocks:
    blocks = Blocks(size)
    for record, request in zip(records, requests, strict=True):
        blocks.add(record, blocks.read(record, request.input_length), request.input_length)
    return blocks


MOONCAKE = Format(
    name="mooncake",
    fields=("hash_ids", "input_length"),
    tells=lambda fields, kind: "input_length" in fields or "hash_ids" in fields,
    read=read,
    data="https://github.com/kvcache-ai/Mooncake, FAST25-release/traces",
    delays=True,
    blocks=True,
)
