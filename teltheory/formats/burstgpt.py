"""BurstGPT: rows of one `Session ID` are a conversation, a row without one is its own.

Request tokens count as the whole input, history included: they and the total are what the service's API accounts
for, and its calls carry the conversation. The report's edited says how many inputs are shorter than what came
before. Rows of 0 and 0 tokens, failed requests, are left out.
"""

from teltheory.formats.format import Format, Source, has
from teltheory.formats.requests import RequestColumns, whole_inputs
from teltheory.model.trace import Trace


def read(source: Source) -> Trace:
    """Make a trace of the rows."""
    requests, sessions, started = RequestColumns(), dict[str, int](), 0
    for record in source.records():
        inputs, outputs = record.whole("Request tokens"), record.whole("Response tokens")
        seconds = record.number("Timestamp", "a number of seconds")
        if inputs == outputs == 0:
            requests.odd["failed requests of 0 tokens, left out"] += 1
            continue
        session = str(record.get("Session ID") or "").strip()
        conversation = sessions.setdefault(session, started) if session else started
        started += conversation == started
        requests.add(conversation, inputs, outputs, seconds)
    return whole_inputs(requests, "burstgpt")


BURSTGPT = Format(
    name="burstgpt",
    fields=("Request tokens", "Response tokens"),
    tells=has("Request tokens", "Response tokens"),
    read=read,
    dated=True,
)
