"""LMCache's agent logs: each record is a call with the texts of its `input` and `output`, and its `session_id`.

An input is the whole text of a request. Its history is what it shares, token by token from the beginning, with the
input and output of the session's call before, by their times. Time stamps are seconds, or milliseconds or
microseconds since 1970, as their size tells; arrivals count from the first. If the user names a block size,
requests share blocks of tokens, those of outputs too.
"""

from array import array
from collections.abc import Mapping
from typing import Any

import numpy as np

from teltheory.formats.counting import needed_counter
from teltheory.formats.format import Format, Source
from teltheory.formats.records import Record, in_session_order
from teltheory.formats.requests import RequestColumns, whole_inputs
from teltheory.formats.tokens import Spoken, joined, names
from teltheory.model.clocks import since_first
from teltheory.model.numbers import IntArray
from teltheory.model.trace import Trace

MILLISECONDS, MICROSECONDS = 10**11, 10**14


def read(source: Source) -> Trace:
    """Make a trace of the calls."""
    spoken = Spoken.of(source, needed_counter(source.tokenizer, "lmcache"))
    requests, numbers, pasts = RequestColumns(blocks=spoken.blocks), dict[str, int](), dict[int, IntArray]()
    keys = ((str(record.needed("session_id")), _micros(record)) for record in source.records())
    for record in in_session_order(source.records(), keys, requests.places):
        number = numbers.setdefault(str(record.needed("session_id")), len(numbers))
        asked, answered = spoken.counter.encode([_text(record, "input"), _text(record, "output")])
        past, inputs = joined([spoken.system, asked, answered]), len(spoken.system) + len(asked)
        requests.add(number, inputs, len(answered), _micros(record))
        requests.history.append(_common(pasts.get(number), past[:inputs]))
        if spoken.blocks is not None:
            spoken.add_named(record, names(past, spoken.blocks.block_size), inputs, len(past))
        pasts[number] = past
    _from_first(requests)
    return whole_inputs(requests, "lmcache", source.times, spoken.counter.name)


def _text(record: Record, name: str) -> str:
    text = record.needed(name)
    if not isinstance(text, str):
        record.fail(name, text, "a text")
    return text


def _micros(record: Record) -> float:
    if record.get("timestamp") is None:
        return float("nan")
    value = record.number("timestamp", "a number of seconds, or of milli- or microseconds since 1970")
    return value * (1 if value > MICROSECONDS else 10**3 if value > MILLISECONDS else 10**6)


def _from_first(requests: RequestColumns) -> None:
    """Let times in microseconds be seconds since the first; they stay where one is missing, and is asked for."""
    micros = np.array(requests.seconds, np.float64)
    seconds, words = since_first(micros, "") if not np.isnan(micros).any() else (micros, "")
    requests.seconds = array("d", seconds.tobytes())
    requests.begins = words if (micros >= MICROSECONDS).all() else ""


def _common(before: IntArray | None, after: IntArray) -> int:
    """Return how many tokens two sequences share from the beginning."""
    if before is None:
        return 0
    size = min(len(before), len(after))
    differ = np.flatnonzero(before[:size] != after[:size])
    return int(differ[0]) if len(differ) else size


def _tells(fields: Mapping[str, Any], kind: str) -> bool:
    texts = [fields.get(name) for name in ("input", "output")]
    return "session_id" in fields and not any(text is None or isinstance(text, list) for text in texts)


LMCACHE = Format(
    name="lmcache",
    fields=("session_id", "input", "output"),
    tells=_tells,
    read=read,
    text=True,
    blocks=True,
)
