"""Mooncake traces that name the conversation: `session_id`, with `timestamp` or `delay` in milliseconds.

Two readings of `input_length` are in use. In "mooncake" it is the whole input, the history in it; in
"mooncake-delta" it is what is new, and the history is cumulative. Where a session's next request has `hash_ids`
that begin as those of the request before, inputs are whole; where they begin otherwise, they are new. A file in
which both or neither occur tells nothing, and its format must be named.

Ids of whole inputs are what requests share (`Trace.blocks`), if every request has them. Those of new inputs are
not: they name the blocks of what is new, cut from its own beginning, and nothing names the history before it.
"""

from collections.abc import Sequence
from typing import Any

from teltheory.errors import ArgumentError, FileError
from teltheory.formats.blocks import FIELD, RequestBlocks
from teltheory.formats.format import NO_BLOCKS, Format, Source
from teltheory.formats.records import Record, in_session_order
from teltheory.formats.requests import RequestColumns, new_inputs, whole_inputs
from teltheory.model.trace import Trace

WHOLE, DELTA = "mooncake", "mooncake-delta"
MAKE = {WHOLE: whole_inputs, DELTA: new_inputs}
BLOCK_SIZE = 512
LOCAL = "global ids, as mooncake has; claude-code has ids local to a file"


def read_sessions(records: Sequence[Record], format: str, source: Source) -> Trace:
    """Make a trace of requests that name their session; the source's times stand in place of the file's."""
    requests, numbers = RequestColumns(), dict[Any, int]()
    keys = ((_session(record), record.seconds("timestamp")) for record in records)
    records = list(in_session_order(iter(records), keys, requests.places))
    for record in records:
        name = record.fields["session_id"]
        lengths = record.whole("input_length"), record.whole("output_length")
        number = numbers.setdefault(name, len(numbers))
        requests.add(number, *lengths, record.seconds("timestamp"), record.seconds("delay"))
    reading = _reading(records) if format == "auto" else format
    if reading == DELTA and source.blocks is not None:
        raise ArgumentError("blocks", source.blocks, NO_BLOCKS.format(DELTA))
    if reading == WHOLE and any(record.get(FIELD) is not None for record in records):
        requests.blocks = RequestBlocks(block_size(records, source))
        for record, tokens in zip(records, requests.inputs, strict=True):
            requests.blocks.add(record, requests.blocks.read(record, tokens), tokens)
    return MAKE[reading](requests, reading, source.times)


def _session(record: Record) -> str | int:
    name = record.needed("session_id")
    if isinstance(name, bool) or not isinstance(name, (str, int)):
        record.fail("session_id", name, "a name or a whole number")
    return name


def block_size(records: Sequence[Record], source: Source) -> int:
    """Return the tokens per block: as the file says, else as the user says, else 512.

    Ids that are said to be local to a file are an error, and so are two sizes.
    """
    said = source.blocks
    for record in records:
        if record.get("hash_id_scope") == "local":
            record.fail("hash_id_scope", "local", LOCAL)
        size = record.get("block_size")
        if size is not None and size != said:
            if type(size) is not int or size < 1 or said is not None:
                record.fail("block_size", size, "a whole number above 0" if said is None else f"{said}, as before")
            said = size
    return BLOCK_SIZE if said is None else said


def _reading(records: Sequence[Record]) -> str:
    """Return the reading of `input_length` that the hash ids tell."""
    last: dict[Any, object] = {}
    begins_alike = set()
    for record in records:
        name, ids = record.get("session_id"), record.get("hash_ids")
        first = ids[0] if isinstance(ids, list) and ids else None
        if name in last and None not in (first, last[name]):
            begins_alike.add(first == last[name])
        last[name] = first
    if len(last) == len(records):
        return WHOLE
    if len(begins_alike) != 1:
        found = "hash_ids that tell nothing" if not begins_alike else "sessions of both kinds"
        expected = f"the format by name: {WHOLE} (whole inputs) or {DELTA} (new tokens)"
        raise FileError(f"{records[0].path}, input_length: found {found}, expected {expected}")
    return WHOLE if begins_alike.pop() else DELTA


MOONCAKE_DELTA = Format(
    name=DELTA,
    fields=("input_length", "session_id"),
    tells=lambda fields, kind: False,
    read=lambda source: read_sessions(list(source.records()), DELTA, source),
    delays=True,
)
