"""Mooncake: requests with hashes of their 512-token blocks, chained (`teltheory.formats.chaining`).

If the file has `session_id`, its sessions are the conversations (`teltheory.formats.mooncake_sessions`).
"""

from teltheory.errors import ArgumentError
from teltheory.formats.chaining import Request, chain
from teltheory.formats.format import Format, Source
from teltheory.formats.mooncake_sessions import WHOLE, read_sessions
from teltheory.formats.rows import Rows
from teltheory.model.numbers import INT64_MAX
from teltheory.model.trace import Trace

NAMES = {"arrival": "timestamp", "prompt": "input_length", "response": "output_length"}


def read(source: Source) -> Trace:
    """Chain the requests into conversations, or group them by the sessions that they name."""
    rows = source.rows()
    if "session_id" in rows.columns:
        return read_sessions(rows, WHOLE if source.named else "auto", source.times)
    if source.times is not None:
        raise ArgumentError("times", source.times, "none, as mooncake without sessions has its own")
    with source.located(rows, NAMES):
        return source.check(chain(_requests(rows)))


def _requests(rows: Rows) -> list[Request]:
    milliseconds = rows.column("timestamp")
    for row, value in enumerate(milliseconds):
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) <= INT64_MAX:
            rows.fail(row, "timestamp", value, "a number of milliseconds")
        if value < milliseconds[max(row - 1, 0)]:
            rows.fail(row, "timestamp", value, f"{milliseconds[row - 1]} or later")
    inputs, outputs = rows.whole_column("input_length"), rows.whole_column("output_length")
    columns = zip(milliseconds, inputs, outputs, _hash_ids(rows), strict=True)
    return [Request(ms / 1000, i, o, ids) for ms, i, o, ids in columns]


def _hash_ids(rows: Rows) -> list[list[int]]:
    lists = rows.column("hash_ids")
    for row, ids in enumerate(lists):
        if not isinstance(ids, list) or not all(isinstance(i, int) and not isinstance(i, bool) for i in ids):
            rows.fail(row, "hash_ids", ids, "a list of whole numbers")
    return list(lists)


MOONCAKE = Format(
    name="mooncake",
    fields=("hash_ids", "input_length"),
    tells=lambda fields, kind: "input_length" in fields or "hash_ids" in fields,
    read=read,
    data="https://github.com/kvcache-ai/Mooncake, FAST25-release/traces",
    delays=True,
)
