"""vLLM's KV-cache events, as its publisher sends them: JSON lines, a batch each, ``[ts, [event, ...], rank]``.

A batch is that list, or an object with `ts` and `events`; an event is an object with its `type` or, as earlier
versions had it, a list of the type and the fields in order. `msgspec.json.encode` of a batch is such a line.

1. Events tell what was stored, not what was asked: a request that finds all its blocks leaves none; it is missing.
2. A `BlockStored` begins a request: its path is that of the parent block and the blocks stored, all of it input.
   Ids stand for everything before them.
3. A store right below the last block of a request, at most 2 seconds after its last store, goes on with it:
   several blocks are the next chunk of its prefill; one block is output, and so is all that follows.
4. Another request goes on from the latest that ends on its path, and is in its conversation.
5. Events of another medium than the GPU, and of other cache groups than the first, are left out and counted. What
   is removed or cleared is counted: it says what that cache did, nothing of the requests.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from teltheory.base.input_files import reported
from teltheory.errors import FileError
from teltheory.formats.blocks import Ends, RequestBlocks
from teltheory.formats.format import Format, Source
from teltheory.formats.opened import lines_of, opened_text
from teltheory.formats.records import Record
from teltheory.formats.requests import RequestColumns, whole_inputs
from teltheory.formats.rows import json_lines
from teltheory.model.trace import Trace

PAUSE = 2.0
STORED = ("type", "block_hashes", "parent_block_hash", "token_ids", "block_size", "lora_id", "medium", "lora_name")
FIELDS = {"BlockStored": STORED, "BlockRemoved": ("type", "block_hashes", "medium"), "AllBlocksCleared": ("type",)}


@dataclass
class _EventLog:
    """What was read: requests, and of each its last block, the time of its last store, whether it answers."""

    blocks: RequestBlocks
    ends: Ends
    requests: RequestColumns = field(default_factory=RequestColumns)
    leaf: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    answers: list[bool] = field(default_factory=list)

    def store(self, event: Record, seconds: float) -> None:
        """Add what a `BlockStored` tells."""
        hashes, parent = event.needed("block_hashes"), event.get("parent_block_hash")
        if not isinstance(hashes, list) or not hashes or not all(type(h) in (int, str) for h in hashes):
            event.fail("block_hashes", hashes, "a list of hashes: whole numbers or texts")
        above = -1 if parent is None else self.blocks.node_of(parent)
        if above is None:
            event.fail("parent_block_hash", parent, "a block that an earlier event stored; is the log cut off?")
        leaf = self.blocks.below(event, hashes, above)
        request = self.ends.at(above)
        if request >= 0 and seconds - self.seconds[request] <= PAUSE:
            self._go_on(request, leaf, len(hashes), seconds, above)
        else:
            self._begin(leaf, above, len(hashes), seconds)

    def _begin(self, leaf: int, above: int, stored: int, seconds: float) -> None:
        number, before = len(self.requests), self.ends.before(above)
        depth = stored + self._depth(above)
        tokens = depth * self.blocks.block_size
        self.requests.parent.append(before)
        self.requests.add(number if before < 0 else self.requests.conversation[before], tokens, 0, seconds)
        self.blocks.add_path(leaf, depth, tokens)
        self.leaf.append(leaf)
        self.seconds.append(seconds)
        self.answers.append(False)
        self.ends.move(number, leaf)

    def _go_on(self, request: int, leaf: int, stored: int, seconds: float, above: int) -> None:
        self.answers[request] |= stored == 1
        asked = 0 if self.answers[request] else stored
        self.blocks.go_on(request, leaf, asked)
        self.requests.inputs[request] += asked * self.blocks.block_size
        self.requests.outputs[request] += (stored - asked) * self.blocks.block_size
        self.seconds[request] = seconds
        self.ends.move(request, leaf, since=above)

    def _depth(self, node: int) -> int:
        depth = 0
        while node >= 0:
            node, depth = self.blocks.before(node), depth + 1
        return depth


def read(source: Source) -> Trace:
    """Make a trace of the requests that the stores tell."""
    log = None
    requests = RequestColumns()
    for event, seconds in _events(source):
        kind = event.get("type")
        if kind == "BlockStored" and _counts(event, requests):
            log = log or _log(requests, _block_size(event, source))
            if event.needed("block_size") != log.blocks.block_size:
                event.fail("block_size", event.get("block_size"), f"{log.blocks.block_size}, as before")
            log.store(event, seconds)
        elif kind == "BlockRemoved":
            requests.odd["blocks removed"] += len(event.get("block_hashes") or ())
        elif kind == "AllBlocksCleared":
            requests.odd["times that all blocks were cleared"] += 1
    return whole_inputs(requests, "vllm-events")


def _log(requests: RequestColumns, size: int) -> _EventLog:
    blocks = requests.blocks = RequestBlocks(size, field="block_hashes")
    return _EventLog(blocks, Ends(blocks), requests)


def _block_size(event: Record, source: Source) -> int:
    size = event.needed("block_size")
    if type(size) is not int or size < 1:
        event.fail("block_size", size, "a whole number above 0")
    if source.blocks not in (None, size):
        event.fail("block_size", size, f"{source.blocks}, as given")
    return size


def _counts(event: Record, requests: RequestColumns) -> bool:
    """Whether a store is one of the GPU's first cache group."""
    elsewhere = str(event.get("medium") or "GPU").upper() != "GPU"
    grouped = event.get("group_idx") not in (None, 0)
    requests.odd["stores in another medium than the GPU, left out"] += elsewhere
    requests.odd["stores of other cache groups, left out"] += grouped and not elsewhere
    return not elsewhere and not grouped


def _events(source: Source) -> Iterator[tuple[Record, float]]:
    """Yield each event with the time of its batch."""
    for file, kind in source.files():
        if kind != "jsonl":
            raise FileError(f"{file}: found a name that is no .jsonl, expected JSON lines of vLLM's event batches")
        with reported(file, "a log of events"), opened_text(file) as text:
            for number, row in json_lines(file, lines_of(file, text), ("ts", "events", "data_parallel_rank")):
                batch = Record(file, f"line {number}", row)
                seconds = batch.number("ts", "a number of seconds")
                events = batch.needed("events")
                if not isinstance(events, list):
                    batch.fail("events", events, "a list of events")
                for i, event in enumerate(events):
                    yield Record(file, f"line {number}, events[{i}]", _fields(batch, i, event)), seconds


def _fields(batch: Record, i: int, event: Any) -> dict[str, Any]:
    """Return the fields of an event, by name."""
    fields = event
    if isinstance(event, list) and event and isinstance(event[0], str):
        fields = dict(zip(FIELDS.get(event[0], ()), event, strict=False))
    if not isinstance(fields, dict) or fields.get("type") not in FIELDS:
        batch.fail(f"events[{i}]", event, f"one of {', '.join(FIELDS)}")
    return fields


VLLM_EVENTS = Format(
    name="vllm-events",
    fields=("ts", "events"),
    tells=lambda fields, kind: kind == "jsonl" and {"ts", "events"} <= set(fields),
    read=read,
    dated=True,
    blocks=True,
)
