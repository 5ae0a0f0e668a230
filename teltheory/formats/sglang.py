"""SGLang's log of requests: ``--log-requests --log-requests-level 3 --log-requests-format json``, an event a line.

1. A request is a ``request.finished``: `obj.input_ids` (or `obj.text`, and a tokenizer) is its input,
   `out.output_ids` (or `out.text`) its output, and `out.meta_info` says how it ended. Other events only
   tell when it was received.
2. Levels below 3 leave tokens out or cut them: then the numbers of tokens disagree, which is an error.
3. Requests share blocks of tokens, of a size that the user names: the server's page size, or a coarser one.
4. A request goes on from the latest that ends on its input's path, and is in its conversation.
   "Latest" is by arrival, whatever the order of the lines.
5. It arrives when it was last received before it was finished; if that is not in the log, `e2e_latency` before.

SGLang's dumps (`dump_requests_folder`) are pickles, which run code when they are read; they are not read here.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from teltheory.formats.format import Format, Source
from teltheory.formats.reading import microseconds
from teltheory.formats.records import Record, in_session_order
from teltheory.formats.requests import SUBMITTED, dated_inputs
from teltheory.formats.token_logs import TokenLog
from teltheory.model.clocks import since_first
from teltheory.model.trace import Trace

RECEIVED, FINISHED = "request.received", "request.finished"
WHOLE = "all of them: --log-requests-level 3"


def _add(log: TokenLog, record: Record, micros: int) -> None:
    """Add a finished request."""
    obj, out = (_object(record, name) for name in ("obj", "out"))
    meta = _object(Record(record.path, f"{record.place}, out", out), "meta_info")
    asked = _tokens(log, record, "obj.input_ids", obj.get("input_ids"), obj.get("text"))
    if asked is None:
        record.fail("obj.input_ids", "nothing", "ids of tokens, or obj.text and a tokenizer")
    answer = _tokens(log, record, "out.output_ids", out.get("output_ids"), out.get("text"))
    for name, found in (("prompt_tokens", asked), ("completion_tokens", answer)):
        if found is not None and meta.get(name) not in (None, len(found)) and log.counter is None:
            record.fail(f"out.meta_info.{name}", meta.get(name), f"{len(found)}, as many as ids; {WHOLE}")
    produced = meta.get("completion_tokens") or 0 if answer is None else len(answer)
    log.add(record, asked, answer or (), produced, micros)
    log.requests.said.add(stop=_stop(meta))


def read(source: Source) -> Trace:
    """Make a trace of the requests that were finished."""
    log = TokenLog.of(source)
    times = _arrivals(source, log.requests.odd)
    finished = (record for record in source.records() if record.get("event") == FINISHED)
    in_order = in_session_order(finished, (("", micros) for micros in times), log.requests.places)
    for record, micros in zip(in_order, sorted(times), strict=False):
        _add(log, record, micros)
    arrival, words = since_first(np.array(log.requests.seconds, np.float64), SUBMITTED)
    return dated_inputs(log.requests, "sglang", arrival, words, log.tokenizer)


def _arrivals(source: Source, odd: Counter[str]) -> list[int]:
    """Return when each request that was finished arrived, in microseconds; what is left out is counted."""
    received, finished = dict[str, list[int]](), list[tuple[str, int, int]]()
    for record in source.records():
        event, name = record.get("event"), str(record.get("rid"))
        if event not in (RECEIVED, FINISHED):
            odd["lines that are no request, left out"] += 1
            continue
        micros = microseconds(record, "timestamp", record.get("timestamp"))
        if event == RECEIVED:
            received.setdefault(name, []).append(micros)
        else:
            finished.append((name, micros, micros - _latency(record)))
    odd["requests that were not finished, left out"] += len(received.keys() - {name for name, _, _ in finished})
    return [
        max((time for time in received.get(name, ()) if time <= end), default=otherwise)
        for name, end, otherwise in finished
    ]


def _object(record: Record, name: str) -> dict[str, Any]:
    value = record.needed(name)
    if not isinstance(value, dict):
        record.fail(name, value, "an object")
    return value


def _tokens(log: TokenLog, record: Record, place: str, ids: Any, text: Any) -> Sequence[int] | None:
    """Return the ids of tokens, or those of a text; None if there is neither."""
    found = log.tokens(ids, text)
    if found is ids is not None and (not isinstance(ids, list) or not all(type(token) is int for token in ids)):
        record.fail(place, ids, f"a list of whole numbers, of one request, {WHOLE}")
    return found


def _latency(record: Record) -> int:
    """Return the microseconds from a request to its end, 0 if the log does not say it."""
    meta = (record.get("out") or {}).get("meta_info") if isinstance(record.get("out"), dict) else None
    seconds = meta.get("e2e_latency") if isinstance(meta, dict) else None
    return round(seconds * 10**6) if isinstance(seconds, (int, float)) and 0 <= seconds < 10**9 else 0


def _stop(meta: dict[str, Any]) -> str:
    reason = meta.get("finish_reason")
    return str((reason.get("type") if isinstance(reason, dict) else reason) or "")


SGLANG = Format(
    name="sglang",
    fields=("event", "rid", "obj"),
    tells=lambda fields, kind: {"event", "rid"} <= set(fields),
    read=read,
    text=True,
    dated=True,
    blocks=True,
)
