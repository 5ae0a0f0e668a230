"""Fields of a log with the names of hints, and TensorRT-LLM's retention, on the clock of the log's arrivals."""

from collections.abc import Callable, Iterator
from typing import Any

from teltheory.errors import ArgumentError
from teltheory.formats.format import Source
from teltheory.formats.kv_hints import retention
from teltheory.formats.records import Record
from teltheory.formats.said import KEPT, SaidColumns
from teltheory.model.clocks import Clock
from teltheory.model.hint_columns import NEEDED_TIMES, SAID, TIMED

HINTS = SAID[:-1]
RETENTION = "kv_cache_retention_config"
ON_CLOCK = {*TIMED} - {"priority"}


def said_by(record: Record, name_of: Callable[[str], str | None], clock: Clock) -> Iterator[tuple[str, Any]]:
    """Yield what a record says of hints: the role of a field, and its value."""
    named = {role: name for role in HINTS if (name := name_of(role)) is not None}
    timed = [name for role, name in named.items() if role in TIMED]
    timed += [RETENTION] * isinstance(record.get(RETENTION), dict)
    for name in timed[:1] if not clock.times else ():
        record.fail(name, record.get(name), NEEDED_TIMES)
    for role, name in named.items():
        number = role == "priority" and not record.typed
        found = record.number(name, "a number") if number else record.get(name)
        yield role, clock.beside(record, name) if role in ON_CLOCK else found
    if RETENTION in timed:
        given = Record(record.path, f"{record.place}, {RETENTION}", record.get(RETENTION))
        yield from zip(("priority", KEPT), retention(given), strict=True)


def set_clock(said: SaidColumns, source: Source, clock: Clock, typed: bool) -> None:
    """Let times of hints count from where arrivals do; agents of a file of texts may be numbers."""
    for role, name in (source.columns or {}).items():
        if role in HINTS and role not in said.columns:
            raise ArgumentError("columns", f"{role}={name}", "a field that a record has")
    if source.times is not None and said.columns.keys() & {*TIMED, KEPT}:
        raise ArgumentError("times", source.times, "none beside hints, which count from the file's times")
    for role in said.columns.keys() & ON_CLOCK if clock.dates else ():
        first = min(clock.times)
        said.columns[role] = [None if one is None else (one - first) / 1e6 for one in said.columns[role]]
    if not typed:
        said.numbered()
