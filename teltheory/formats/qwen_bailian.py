"""Qwen-Bailian: requests that name their parent; -1 starts a conversation.

A parent that no earlier line has, such as one before the trace began, starts one too, and is counted.

An id in `hash_ids` stands for what a block of 16 tokens holds, wherever it is. So a block of the forest is a pair,
the block before it and its id (`Trace.blocks`).
"""

from teltheory.formats.blocks import FIELD, Blocks
from teltheory.formats.format import Format, Source, has
from teltheory.formats.records import Record
from teltheory.formats.requests import Requests, whole_inputs
from teltheory.model.trace import Trace

ROOT = -1
BLOCK_SIZE = 16


def read(source: Source) -> Trace:
    """Chain the requests by their `parent_chat_id`."""
    requests, known = Requests(), dict[int, int]()
    blocks = Blocks(source.blocks or BLOCK_SIZE, content=True)
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
        tokens = record.whole("input_length")
        requests.add(conversation, tokens, record.whole("output_length"), seconds)
        if record.get(FIELD) is not None or len(blocks):
            _check_all(record, blocks, requests)
            blocks.add(record, blocks.read(record, tokens, exact=False), tokens)
    requests.blocks = blocks if len(blocks) else None
    return whole_inputs(requests, "qwen-bailian")


def _check_all(record: Record, blocks: Blocks, requests: Requests) -> None:
    """Raise an error if some requests have ids, and those before have none."""
    if len(blocks) + 1 != len(requests):
        record.fail(FIELD, record.get(FIELD), "none, as in the requests before")


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
    blocks=True,
)
