"""Qwen-Bailian: requests that name their parent; -1 starts a conversation.

A parent that no earlier line has, such as one before the trace began, starts one too, and is counted.
"""

from teltheory.formats.format import Format, Source, has
from teltheory.formats.records import Record
from teltheory.formats.requests import Requests, whole_inputs
from teltheory.model.trace import Trace

ROOT = -1


def read(source: Source) -> Trace:
    """Chain the requests by their `parent_chat_id`."""
    requests, known = Requests(), dict[int, int]()
    for record in source.records():
        chat, parent = _identifier(record, "chat_id"), _identifier(record, "parent_chat_id")
        if chat in known:
            record.fail("chat_id", chat, "an id that no earlier request has")
        before = known.get(parent, ROOT) if parent != ROOT else ROOT
        requests.odd["parents that are not in the file before"] += parent != ROOT and before == ROOT
        known[chat] = len(requests)
        conversation = len(requests) if before == ROOT else requests.conversation[before]
        requests.parent.append(before)
        seconds = record.number("timestamp", "a number of seconds")
        requests.add(conversation, record.whole("input_length"), record.whole("output_length"), seconds)
    return whole_inputs(requests, "qwen-bailian")


def _identifier(record: Record, name: str) -> int:
    value = record.needed(name)
    if isinstance(value, bool) or not isinstance(value, int):
        record.fail(name, value, "a whole number")
    return value


QWEN_BAILIAN = Format(
    name="qwen-bailian",
    fields=("chat_id", "parent_chat_id"),
    tells=has("chat_id", "parent_chat_id"),
    read=read,
    data="https://github.com/alibaba-edu/qwen-bailian-usagetraces-anon",
    dated=True,
)
