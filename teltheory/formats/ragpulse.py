"""RAGPulse: a week of a university's RAG service, requests as ids of their parts, and the tokens of each id.

1. A prompt is system chunks, passages, history, web results and user input, in this order. An id stands for the
   part's own content, wherever it is.
2. The lengths are in files beside the trace's: `1_sys_prompt`, `2_passages`, `3_history`, `4_user_input` and
   `5_web_search`. Of a folder, every other file is a trace.
3. The input is the sum of the parts. The file's `input_length` is another number in every published row, as the
   server counted it with what stands between the parts; how many differ is in the report.
4. A session is a conversation. A history is what an input begins with of the input of the session's request
   before, part by part. Outputs do not come back in place: the service gives an earlier dialogue as a part.
5. Requests share blocks of tokens. A block is named by the block before it and by the parts that begin in it. That
   is exact: a part has one length, so what follows one block begins at one place of one part.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

from teltheory.base.input_files import reported
from teltheory.errors import FileError
from teltheory.formats.blocks import FIELD, RequestBlocks
from teltheory.formats.format import Format, Source
from teltheory.formats.records import Record, in_session_order, kind_of, records_of
from teltheory.formats.requests import RequestColumns, whole_inputs
from teltheory.model.trace import Trace

BLOCK_SIZE = 16
OTHER = "requests whose input_length is not the sum of their parts, which is read"


class _PartKind(NamedTuple):
    """A kind of parts: what a request calls its ids, the file of their lengths, what that calls an id."""

    name: str
    file: str
    id: str


KINDS = (
    _PartKind("sys_prompt", "1_sys_prompt", "sys_prompt_id"),
    _PartKind("passages_ids", "2_passages", "passage_id"),
    _PartKind("history", "3_history", "history_id"),
    _PartKind("web_search", "5_web_search", "web_search_id"),
    _PartKind("user_input", "4_user_input", "user_input_id"),
)
FILES = frozenset(kind.file for kind in KINDS)


class _PromptPart(NamedTuple):
    """A part of a prompt."""

    kind: str
    id: int
    tokens: int


def read(source: Source) -> Trace:
    """Make a trace of the requests."""
    lengths = {kind.name: _lengths(source, kind) for kind in KINDS}
    requests, numbers, before = RequestColumns(), dict[str, int](), dict[str, list[_PromptPart]]()
    requests.blocks = blocks = RequestBlocks(source.blocks or BLOCK_SIZE, content=True)
    keys = ((str(record.needed("session_id")), _seconds(record)) for record in _requests(source))
    for record in in_session_order(_requests(source), keys, requests.places):
        parts = [part for kind in KINDS for part in _parts(record, kind, lengths[kind.name])]
        tokens = sum(part.tokens for part in parts)
        session = str(record.needed("session_id"))
        number = numbers.setdefault(session, len(numbers))
        requests.add(number, tokens, record.whole("output_length"), _seconds(record))
        requests.history.append(_shared(before.get(session, ()), parts))
        requests.odd[OTHER] += record.whole("input_length") != tokens
        blocks.add(record, _names(parts, blocks.block_size), tokens)
        before[session] = parts
    return whole_inputs(requests, "ragpulse")


def _requests(source: Source) -> Iterator[Record]:
    """Yield the requests of a file, or of all files of a folder that have no lengths."""
    for file, kind in source.files():
        if file == source.path or _stem(file) not in FILES:
            yield from records_of(file, kind)


def _seconds(record: Record) -> float:
    return replace(record, typed=False).number("timestamp", "a number of seconds")


def _lengths(source: Source, kind: _PartKind) -> dict[int, int]:
    """Return the tokens of each id of a kind."""
    folder = source.path if source.path.is_dir() else source.path.parent
    with reported(folder, "a folder with RAGPulse's files"):
        beside = [one for one in sorted(folder.iterdir()) if _stem(one) == kind.file and kind_of(one)]
    if not beside:
        expected = f"{kind.file}.jsonl beside it, with the token_length of each {kind.id}"
        raise FileError(f"{source.path}: found no lengths of {kind.name}, expected {expected}")
    found = dict[int, int]()
    for record in Source(beside[0]).records():
        name = record.whole(kind.id)
        if name in found:
            record.fail(kind.id, name, "each id once")
        found[name] = record.whole("token_length")
    return found


def _stem(file: Path) -> str:
    return file.name.partition(".")[0]


def _parts(record: Record, kind: _PartKind, lengths: Mapping[int, int]) -> list[_PromptPart]:
    """Return a request's parts of a kind that have tokens."""
    place = f"{FIELD}.{kind.name}"
    ids = record.needed(place)
    if not isinstance(ids, list) or not all(type(one) is int for one in ids):
        record.fail(place, ids, "a list of whole numbers")
    for one in ids:
        if one not in lengths:
            record.fail(place, one, f"an id that {kind.file} has")
    return [_PromptPart(kind.name, one, lengths[one]) for one in ids if lengths[one]]


def _shared(before: Sequence[_PromptPart], after: Sequence[_PromptPart]) -> int:
    """Return the tokens with which two prompts begin alike, part by part."""
    alike = takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False))
    return sum(part.tokens for part, _ in alike)


def _names(parts: Sequence[_PromptPart], size: int) -> list[tuple[_PromptPart, ...]]:
    """Return the names of the full blocks of a prompt: the parts that begin in each."""
    named, begun, filled = list[tuple[_PromptPart, ...]](), list[_PromptPart](), 0
    for part in parts:
        begun.append(part)
        filled += part.tokens
        while filled >= size:
            filled -= size
            named.append(tuple(begun))
            begun = []
    return named


RAGPULSE = Format(
    name="ragpulse",
    fields=(FIELD, "session_id"),
    tells=lambda fields, kind: isinstance(fields.get(FIELD), Mapping),
    read=read,
    dated=True,
    blocks=True,
)
