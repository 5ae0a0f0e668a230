"""Qwen-Bailian: requests that name their parent; -1 starts a conversation.

A parent that did not come earlier, such as one before the trace began, starts one too, and is counted. Earlier is
by time; at the same time, in the file.

An id in `hash_ids` stands for what a block of 16 tokens holds, wherever it is. So a block of the forest is a pair,
the block before it and its id (`Trace.blocks`).
"""

from array import array

import numpy as np

from teltheory.formats.blocks import FIELD, RequestBlocks
from teltheory.formats.format import Format, Source, has
from teltheory.formats.records import Record
from teltheory.formats.requests import RequestColumns, whole_inputs
from teltheory.model.trace import Trace

ROOT = -1
BLOCK_SIZE = 16
ORPHANS = "parents that are not in the file before"


def read(source: Source) -> Trace:
    """Chain the requests by their `parent_chat_id`."""
    requests, numbers, waiting = RequestColumns(), dict[int, int](), dict[int, int]()
    blocks = RequestBlocks(source.blocks or BLOCK_SIZE, content=True)
    for record in source.records():
        chat, parent = _identifier(record, "chat_id"), _identifier(record, "parent_chat_id")
        requests.parent.append(numbers.get(parent, ROOT))
        if parent != ROOT and parent not in numbers:
            waiting[len(requests)] = parent
        if numbers.setdefault(chat, len(requests)) != len(requests):
            record.fail("chat_id", chat, "an id that no earlier request has")
        seconds = record.number("timestamp", "a number of seconds")
        tokens = record.whole("input_length")
        requests.add(len(requests), tokens, record.whole("output_length"), seconds)
        if record.get(FIELD) is not None or len(blocks):
            _check_all(record, blocks, requests)
            blocks.add(record, blocks.read(record, tokens, exact=False), tokens)
    requests.blocks = blocks if len(blocks) else None
    for request, name in waiting.items():
        requests.parent[request] = numbers.get(name, ROOT)
    requests.odd[ORPHANS] += sum(name not in numbers for name in waiting.values())
    _chain(requests)
    return whole_inputs(requests, "qwen-bailian")


def _chain(requests: RequestColumns) -> None:
    """Let each request go on from its parent, if that came earlier; one that did not is none."""
    order = np.argsort(np.array(requests.seconds, np.float64), kind="stable")
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    parent = np.array(requests.parent, np.int64)
    late = (parent != ROOT) & (place[parent] >= place)
    requests.odd[ORPHANS] += int(late.sum())
    requests.parent = array("q", np.where(late, ROOT, parent).tobytes())
    for request in order.tolist():
        if requests.parent[request] != ROOT:
            requests.conversation[request] = requests.conversation[requests.parent[request]]


def _check_all(record: Record, blocks: RequestBlocks, requests: RequestColumns) -> None:
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
    dated=True,
    blocks=True,
)
