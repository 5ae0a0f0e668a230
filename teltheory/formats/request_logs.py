"""Plain logs of requests with their texts, as JSON lines, a JSON array or CSV: a record a request.

    {"id": "r7", "user": "ann", "time": 12.5, "end": 14.1, "prompt": "Shorten: ...", "response": "..."}

A record has `prompt`, a text, or OpenAI's `messages`; and `response`, a text or OpenAI's object with `choices`. Of
messages without a response every answer in them is a request: its prompt is all that stands before it. The texts
of messages are joined, a line break after each, so that a prompt begins with what its conversation said before.

`id` names the request (its line or element if left out), `user` who sent it (one for all who are not named),
`time` when it arrived and `end` when its response was there, in seconds. All records have `time` or none; then
they are in the order of arrival as they stand. Other fields are passed over.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from teltheory.base.input_files import check_file, reported
from teltheory.formats.messages import MessageShape, messages_of, turns_in
from teltheory.formats.records import Record, kind_of, records_of

SHAPE = MessageShape(("messages",))


@dataclass(frozen=True)
class Logged:
    """A request of a log: its texts, who sent it, and when, in seconds; None where the log does not say."""

    name: str
    prompt: str
    response: str
    user: str = ""
    time: float | None = None
    end: float | None = None


def read_log(path: str | Path) -> list[Logged]:
    """Read a log, in order of arrival; of one time, in the order of the file.

    Raises
    ------
    FileError
        Names file, line and field, what was found and what was expected.
    """
    file = Path(path)
    check_file(file, "a log of requests as JSON lines")
    kind = kind_of(file)
    with reported(file, "a log of requests"):
        records = records_of(file, "jsonl" if kind in (None, "log", "parquet") else kind)
        found = [(record, one) for record in records for one in _logged(record)]
    names: dict[str, str] = {}
    for record, one in found:
        if one.name in names:
            record.fail("id", one.name, f"a name that {names[one.name]} does not have")
        names[one.name] = record.place
        if (one.time is None) != (found[0][1].time is None):
            _fail(record, "time", one.time, "a time in every line or in none")
    return sorted((one for _, one in found), key=lambda one: one.time or 0.0)


def _logged(record: Record) -> Iterator[Logged]:
    time, end = _seconds(record, "time"), _seconds(record, "end")
    if end is not None and (time is None or end < time):
        record.fail("end", end, "a time that is not before `time`")
    name, user = _text(record, "id", record.place.rpartition(" ")[2]), _text(record, "user", "")
    for number, (prompt, response) in enumerate(_texts(record)):
        yield Logged(f"{name}.{number}" if number else name, prompt, response, user, time, end)


def _texts(record: Record) -> Iterator[tuple[str, str]]:
    """Yield prompt and response of each request of a record."""
    if record.get("messages") is None:
        yield _text(record, "prompt"), _response(record)
        return
    odd = Counter[str]()
    messages = messages_of(record, SHAPE, odd)
    said = [f"{message.text}\n" for message in messages]
    if record.get("response") is not None:
        yield "".join(said), _response(record)
        return
    for _, response, end in turns_in([message.answers for message in messages], odd):
        yield "".join(said[:response]), "".join(said[response:end]).removesuffix("\n")


def _response(record: Record) -> str:
    """Return the response's text: the field's own, or that of OpenAI's object."""
    given = record.get("response")
    if not isinstance(given, dict):
        return _text(record, "response")
    choices = given.get("choices")
    first = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
    message = first.get("message")
    text = first.get("text") if message is None else message.get("content") if isinstance(message, dict) else None
    return text if isinstance(text, str) else record.fail("response", given, "a text, or choices with a message")


def _text(record: Record, field: str, default: str | None = None) -> str:
    value = record.get(field)
    value = default if value is None else value
    return value if isinstance(value, str) else _fail(record, field, value, "a text")


def _seconds(record: Record, field: str) -> float | None:
    value = record.get(field)
    if value is None or (value == "" and not record.typed):
        return None
    if not record.typed:
        return record.number(field, "seconds, 0 or more")
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < math.inf:
        record.fail(field, value, "seconds, 0 or more")
    return float(value)


def _fail(record: Record, field: str, found: object, expected: str) -> NoReturn:
    record.fail(field, "nothing" if found is None else found, expected)
