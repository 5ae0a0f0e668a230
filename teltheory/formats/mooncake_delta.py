"""Mooncake with sessions whose `input_length` is what is new; the history is cumulative."""

from teltheory.formats.format import Format, Source
from teltheory.formats.mooncake_sessions import DELTA, read_sessions
from teltheory.model.trace import Trace


def read(source: Source) -> Trace:
    """Group the requests by their sessions."""
    return read_sessions(source.rows(), DELTA, source.times)


MOONCAKE_DELTA = Format(
    name=DELTA,
    fields=("input_length", "session_id"),
    tells=lambda fields, kind: False,
    read=read,
    data="Mooncake traces with `session_id`, as AIPerf and Dynamo use them; told by name alone",
    delays=True,
)
