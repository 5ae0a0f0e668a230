"""Mooncake: requests with hashes of their 512-token blocks, chained (`teltheory.formats.chaining`).

If the file has `session_id`, its sessions are the conversations (`teltheory.formats.mooncake_delta`).
"""

from teltheory.errors import ArgumentError
from teltheory.formats.chaining import Request, chain
from teltheory.formats.format import Format, Source
from teltheory.formats.mooncake_delta import WHOLE, read_sessions
from teltheory.formats.records import Record
from teltheory.model.trace import Trace


def read(source: Source) -> Trace:
    """Chain the requests into conversations, or group them by the sessions that they name."""
    records = list(source.records())
    if any("session_id" in record.fields for record in records):
        return read_sessions(records, WHOLE if source.named else "auto", source.times)
    if source.times is not None:
        raise ArgumentError("times", source.times, "none, as mooncake without sessions has its own")
    return chain([_request(record, before) for record, before in zip(records, [None, *records], strict=False)])


def _request(record: Record, before: Record | None) -> Request:
    seconds = record.number("timestamp", "a number of milliseconds") / 1000
    if before is not None and record.fields["timestamp"] < before.fields["timestamp"]:
        record.fail("timestamp", record.fields["timestamp"], f"{before.fields['timestamp']} or later")
    ids = record.needed("hash_ids")
    if not isinstance(ids, list) or not all(isinstance(i, int) and not isinstance(i, bool) for i in ids):
        record.fail("hash_ids", ids, "a list of whole numbers")
    return Request(seconds, record.whole("input_length"), record.whole("output_length"), ids)


MOONCAKE = Format(
    name="mooncake",
    fields=("hash_ids", "input_length"),
    tells=lambda fields, kind: "input_length" in fields or "hash_ids" in fields,
    read=read,
    data="https://github.com/kvcache-ai/Mooncake, FAST25-release/traces",
    delays=True,
)
