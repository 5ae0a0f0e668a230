"""SGLang's log of requests: ``--log-requests --log-requests-level 3 --log-requests-format json``, an event a line.

1. A request is a ``request.finished``: `obj.input_ids` (or `obj.text`, and a tokenizer) is its input,
   `out.output_ids` (or `out.text`) its output, and `out.meta_info` says how it ended. Other events only
   tell when it was received.
2. Levels below 3 leave tokens out or cut them: then the numbers of tokens disagree, which is an error.
3. Requests share blocks of tokens, of a size that the user names: the server's page size, or a coarser one.
4. A request goes on from the latest that ends on its input's path, and is in its conversation.
   "Latest" is by arrival, whatever the order of the lines.
5. Its session is `session_id` or `session_params.id` of `obj`, an agent, and its response ended `e2e_latency`
   after it arrived. SGLang doesn't log `/close_session`. A line that a proxy or an application adds closes the
   agent: the event `close_session`, a timestamp and a `session_id`.
6. It arrives when it was last received before it was finished; if that is not in the log, `e2e_latency` before.

SGLang's dumps (`dump_requests_folder`) are pickles, which run code when they are read; they are not read here.
"""

import math
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

RECEIVED, FINISHED, CLOSED = "request.received", "request.finished", "close_session"
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
    lasted = _latency(record) / 1e6 or np.nan
    log.requests.said.add(agent=_session(record, "obj."), stop=_stop(meta), lasted=lasted)


def read(source: Source) -> Trace:
    """Make a trace of the requests that were finished."""
    log, closes = TokenLog.of(source), list[tuple[int, str | None]]()
    times = _arrivals(source, log.requests.odd, closes)
    finished = (record for record in source.records() if record.get("event") == FINISHED)
    in_order = in_session_order(finished, (("", micros) for micros in times), log.requests.places)
    for record, micros in zip(in_order, sorted(times), strict=False):
        _add(log, record, micros)
    arrival, words = since_first(np.array(log.requests.seconds, np.float64), SUBMITTED)
    log.requests.said.closes += [
        ((micros - min(times, default=0)) / 1e6, who) for micros, who in _known(log, closes)
    ]
    return dated_inputs(log.requests, "sglang", arrival, words, log.tokenizer)


def _arrivals(source: Source, odd: Counter[str], closes: list[tuple[int, str | None]]) -> list[int]:
    """Return when each request that was finished arrived, in microseconds; what is left out is counted."""
    received, finished = dict[str, list[int]](), list[tuple[str, int, int]]()
    for record in source.records():
        event, name = record.get("event"), str(record.get("rid"))
        if event == CLOSED:
            closes.append((microseconds(record, "timestamp", record.get("timestamp")), _session(record)))
            continue
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


def _known(log: TokenLog, closes: list[tuple[int, str | None]]) -> list[tuple[int, str]]:
    """Return the closes of sessions that asked before; others are counted."""
    first, requests = dict[str, float](), log.requests
    for who, micros in zip(requests.said.columns.get("agent", ()), requests.seconds, strict=False):
        first.setdefault(who, micros)
    known = [(micros, who) for micros, who in closes if who is not None and first.get(who, math.inf) <= micros]
    requests.odd["closes of sessions that had not asked, left out"] += len(closes) - len(known)
    return known


def _session(record: Record, before: str = "") -> str | None:
    """Return the session that a line is about, None if it names none."""
    names = (f"{before}session_id", f"{before}session_params.id", "obj.session_id")
    found = next((one for name in names if (one := record.get(name)) is not None), None)
    return None if found is None else str(found)


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
