"""Logs with a record a request whose fields are named by the user, or known by their usual names.

1. A record says its `conversation`, its `response` and its input: what is new (`prompt`), or all of it (`total`),
   and perhaps its `history`; two of the three give the third. New inputs alone are cumulative. Of whole inputs
   alone, h = min(the conversation's past, own input), the rule of `teltheory.formats.requests`.
2. `arrival` is a point in time (`teltheory.model.clocks`), `arrival_ms` a number of milliseconds. Records are
   put in the order of their times; at the same time, and without times, they stay in the order of the file.
3. `cached_tokens` is what the server found in its cache. It is checked against the input and reported beside the
   history, but is no history: a cache may have evicted a part of that, and may hit what other conversations left.
4. `hashes` are ids of the blocks of a whole input, in order. A block is a path of ids: that is the same if ids
   stand for prefixes and if they stand for content. Ids beyond an input's full blocks are left out.
5. Where no field names the conversation, ``conversation=row`` makes each record one of its own.
6. Fields with the names of hints (`Hints.of`) are read, of times like that of the arrival, and TensorRT-LLM's
   `kv_cache_retention_config`: its greatest priority and its longest duration, for the whole request.
7. Other fields are not read. A name with dots goes down into objects.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from itertools import chain, islice
from typing import Any, NoReturn

import numpy as np

from teltheory.errors import ArgumentError, FileError, TraceError, listed, shown
from teltheory.formats.blocks import RequestBlocks
from teltheory.formats.format import Source
from teltheory.formats.hint_fields import HINTS, RETENTION, said_by, set_clock
from teltheory.formats.models import FIELDS, Models
from teltheory.formats.reading import ReadingReport, counted, ints
from teltheory.formats.records import KINDS, Record, fields_of
from teltheory.formats.requests import (
    SUBMITTED,
    RequestColumns,
    arrivals,
    cumulative,
    dated_inputs,
    undated,
    with_blocks,
)
from teltheory.formats.rows import LONGEST, is_csv_number
from teltheory.model.clocks import Clock
from teltheory.model.columns import conversation_numbers
from teltheory.model.numbers import FloatArray, IntArray, exact_sum
from teltheory.model.tables import OWN_ROW, ROW
from teltheory.model.trace import COLUMNS, Trace

LENGTHS, HASHES = ("prompt", "history", "total"), "hashes"
ROLES = (*COLUMNS, "total", "cached_tokens", "arrival_ms", HASHES, *HINTS)
SOFT = ("cached_tokens", *HINTS)
"""What not every record needs to say."""
NO_TIMES = "none in the file; turns are in its order"
DEEPEST = 4


def all_records(source: Source, odd: Counter[str], wanted: frozenset[str]) -> Iterator[Record]:
    """Yield the records of a source."""
    yield from source.records(wanted)


@dataclass(frozen=True)
class Names:
    """The names that fields of a format usually have.

    Attributes
    ----------
    format : str
        Name of the format.
    usual : Mapping of str to tuple of str
        Names of what the fields are; of several the first that a record has.
    added : Mapping of str to tuple of str
        Fields to be added to a field of a whole input.
    records : callable
        Yields the records of a source, and counts what it leaves out.
    """

    format: str
    usual: Mapping[str, tuple[str, ...]]
    added: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    records: Callable[[Source, Counter[str], frozenset[str]], Iterator[Record]] = all_records

    def with_given(self, columns: Mapping[str, str] | None) -> dict[str, tuple[str, ...]]:
        """Return the names after the user has named some fields."""
        given = {role: (name,) for role, name in (columns or {}).items()}
        away: set[str] = set()
        if "total" in given:
            away |= {"prompt", "history"}
        elif given.keys() & {"prompt", "history"}:
            away |= {"total"}
        if given.keys() & {"arrival", "arrival_ms"}:
            away |= {"arrival", "arrival_ms"}
        return {role: names for role, names in self.usual.items() if role not in away} | given


def checked_columns(columns: Mapping[str, str] | None) -> None:
    """Raise an `ArgumentError` if columns are named for something that a record does not say."""
    for role, name in (columns or {}).items():
        if role not in ROLES or not isinstance(name, str) or not name:
            expected = f"names of fields for some of {', '.join(ROLES)}{_nearest(role, ROLES)}"
            expected += f"; perhaps {name}={role}, our name first" if name in ROLES else ""
            raise ArgumentError("columns", f"{role}={name}", expected)
    if columns and set(LENGTHS) <= set(columns):
        raise ArgumentError("columns", ", ".join(LENGTHS), "two of them, which give the third")


def read(source: Source, known: Names) -> Trace:
    """Make a trace of the records of a source."""
    names, odd = known.with_given(source.columns), Counter[str]()
    every = (*FIELDS, RETENTION, *(name for some in names.values() for name in some))
    wanted = frozenset(part for name in every for part in name.split("."))
    records = known.records(source, odd, wanted)
    first = next(records, None)
    if first is None:
        return Trace.from_turns([], [], [])
    log = _Log(source, known, _found(source, known, names, first), odd)
    log.requests.blocks = _blocks(source, log.names)
    for record in chain([first], records):
        log.add(record)
    plain = source.path.is_file() and source.path.suffix in KINDS and known.records is all_records
    log.models.warn(source.path, source.files()[0][1] if plain else "")
    return log.trace()


def _found(source: Source, known: Names, names: dict[str, tuple[str, ...]], first: Record) -> dict[str, Any]:
    """Return the names of the fields that are there; what is needed and is not there is an error."""
    there = dict.fromkeys(_paths(first.fields))
    for file, kind in source.files()[:1]:
        there |= dict.fromkeys(fields_of(file, kind) if kind == "parquet" else ())
    found = {role: some for role, some in names.items() if not there.keys().isdisjoint(some) or role in SOFT}
    for role, name in (source.columns or {}).items():
        if (role, name) == OWN_ROW and name not in there:
            found[role] = ()
        elif name not in there and role not in HINTS:
            _fail(first, there, f"a field {shown(name, 60)} for {role}", [name])
    for role in ("conversation", "response"):
        if role not in found:
            _fail(first, there, _wanted(role, names), names.get(role, ()))
    if "prompt" not in found and "total" not in found:
        _fail(first, there, _wanted("prompt" if "prompt" in names else "total", names), names.get("prompt", ()))
    for role in sorted(set(names) - set(found)):
        for near in get_close_matches(role, there, 1, 0.8) if names[role] == (role,) else ():
            _fail(first, there, f"{role}, if that is {near!r}: --columns {role}={near}", ())
    unread = (name for name in there if name.partition(".")[0] != RETENTION)
    left = listed([name for name in unread if all(name not in some for some in found.values())])
    return {**found, "": left}


def _blocks(source: Source, names: Mapping[str, Any]) -> RequestBlocks | None:
    """Return where the blocks of the inputs go, if a field has their hashes."""
    if HASHES not in names:
        return None
    if source.blocks is None:
        raise ArgumentError("blocks", None, f"the tokens per block of the {HASHES}: blocks=N (--blocks N)")
    if len(names.keys() & set(LENGTHS)) == 1 and "total" not in names:
        raise ArgumentError("columns", HASHES, "total or history beside it, as hashes are those of whole inputs")
    return RequestBlocks(source.blocks, content=True, field=names[HASHES][0])


def _wanted(role: str, names: Mapping[str, tuple[str, ...]]) -> str:
    usual = names.get(role, ())
    few = f" ({', '.join(usual[:4])})" if usual and usual != (role,) else ""
    each = f", or {role}={ROW} where each row is one of its own" if role == OWN_ROW[0] else ""
    return f"the {role}{few}; name its field: --columns {role}=FIELD{each}"


def _fail(first: Record, there: Mapping[str, Any], expected: str, names: Any) -> NoReturn:
    near = "".join(_nearest(name, there) for name in list(names)[:1])
    found = listed([shown(name, 60)[1:-1] for name in there])
    raise FileError(f"{first.path}, columns: found {found}, expected {expected}{near}")


def _nearest(name: object, names: Any) -> str:
    near = get_close_matches(str(name), [str(one) for one in names], 1)
    return f"; the nearest is {shown(near[0], 60)}" if near else ""


def _paths(fields: Mapping[str, Any], before: str = "", depth: int = DEEPEST) -> Iterator[str]:
    """Yield the names of the fields, those in objects with dots."""
    for name, value in fields.items():
        if isinstance(value, Mapping) and value and depth > 1:
            yield from _paths(value, f"{before}{name}.", depth - 1)
        else:
            yield f"{before}{name}"


@dataclass
class _Log:
    """What was read, in the order of the file; `names` are those of the fields, under "" what is not read."""

    source: Source
    known: Names
    names: dict[str, Any]
    odd: Counter[str]
    codes: dict[Any, int] = field(default_factory=dict)
    requests: RequestColumns = field(default_factory=RequestColumns)
    history: array[int] = field(default_factory=lambda: array("q"))
    cached: array[int] = field(default_factory=lambda: array("q"))
    clock: Clock = field(default_factory=Clock)
    typed: bool = True
    used: dict[str, dict[str, None]] = field(default_factory=dict)
    models: Models = field(default_factory=Models)

    def add(self, record: Record) -> None:
        """Add a record."""
        self.typed = record.typed
        self.models.add(record)
        inputs, history = self._input(record)
        code = self.codes.setdefault(self._label(record), len(self.codes))
        self.requests.add(code, inputs, self._length(record, "response"), np.nan)
        self.history.append(history)
        if self.requests.blocks is not None:
            self._name(record, HASHES)
            tokens = inputs + max(history, 0)
            self.requests.blocks.add(record, self.requests.blocks.read(record, tokens, exact=False), tokens)
        held = self._name(record, "cached_tokens")
        self.cached.append(-1 if held is None else self._length(record, "cached_tokens"))
        for role in {"arrival", "arrival_ms"} & self.names.keys():
            self.clock.add(record, self._name(record, role) or self.names[role][0], role == "arrival_ms")
        self.requests.said.add(**dict(said_by(record, lambda role: self._name(record, role), self.clock)))

    def _name(self, record: Record, role: str) -> str | None:
        """Return the name of the field that a record has, None if it has none."""
        for name in self.names.get(role, ()):
            if record.get(name) not in (None, ""):
                self.used.setdefault(role, {})[name] = None
                return str(name)
        return None

    def _length(self, record: Record, role: str) -> int:
        name = self._name(record, role) or self.names[role][0]
        tokens = _whole(record, name)
        for more in self.known.added.get(name, ()) if role == "total" else ():
            tokens += _whole(record, more) if record.get(more) is not None else 0
        if tokens > LONGEST:
            record.fail(name, tokens, "less than 2**62 tokens")
        return tokens

    def _input(self, record: Record) -> tuple[int, int]:
        """Return what is counted as input (all, or what is new), and the history or -1."""
        given = {role: self._length(record, role) for role in LENGTHS if role in self.names}
        if len(given) == 1:
            return next(iter(given.values())), -1
        total = given.get("total", given.get("prompt", 0) + given.get("history", 0))
        history = given["history"] if "history" in given else total - given["prompt"]
        if not 0 <= history <= total:
            name = self.names["total"][0]
            record.fail(name, total, "at least the prompt and at least the history, as it is the whole input")
        return total - history, history

    def _label(self, record: Record) -> str | int:
        name = self._name(record, "conversation")
        if not self.names["conversation"]:
            self.used["conversation"] = {ROW: None}
            return len(self.codes)
        if name is None:
            usual = ", ".join(self.names["conversation"][:4])
            record.fail("conversation", "nothing", f"one ({usual}); --columns conversation=FIELD names another")
        label = record.get(name)
        if isinstance(label, bool) or not isinstance(label, (str, int)):
            record.fail(name, label, "a name or a whole number")
        return label if isinstance(label, int) else label.strip()

    def trace(self) -> Trace:
        """Return the trace, its conversations under their own names."""
        requests, dated, times = self.requests, self.clock.dates is not None, self.source.times
        if times is not None:
            requests.seconds = self.clock.times if dated else requests.seconds
            found, words = arrivals(requests, self.known.format, times)
        elif dated:
            found, words = self.clock.arrivals(SUBMITTED)
            self.odd["rows that came before an earlier one, sorted"] += int((np.diff(found) < 0).sum())
        else:
            found, words = np.arange(len(requests), dtype=np.float64), NO_TIMES
        order = np.argsort(found, kind="stable")
        requests.odd = self.odd
        set_clock(requests.said, self.source, self.clock, self.typed)
        try:
            made = self._labelled(self._made(found, order, words))
            made = self._reported(made if dated or times is not None else undated(made), order)
            return self.source.check(made)
        except TraceError as error:
            self._fail(error, order)

    def _made(self, found: FloatArray, order: IntArray, words: str) -> Trace:
        requests, format = self.requests, self.known.format
        if not {"prompt", "history"} & self.names.keys():
            return dated_inputs(requests, format, found, words)
        report = ReadingReport(format, len(requests), len(self.codes), 0, None, words, counted(self.odd))
        if len(self.names.keys() & set(LENGTHS)) == 1:
            return cumulative(requests, found, report)
        c, q, a = (ints(column)[order] for column in (requests.conversation, requests.inputs, requests.outputs))
        made = Trace.from_turns(c, q, a, found[order], ints(self.history)[order], report=report)
        return with_blocks(made, requests, order)

    def _labelled(self, trace: Trace) -> Trace:
        labels = list(self.codes)
        if not self.typed and all(map(is_csv_number, map(str, labels))):
            labels = [int(label) for label in labels]
        numbers, names = conversation_numbers([labels[code] for code in trace.conversation.tolist()])
        return replace(trace, conversation=numbers, names=names)

    def _fail(self, error: TraceError, order: IntArray) -> NoReturn:
        """Say what is wrong with a turn at its place in the file, which is read again to find it."""
        number = 0 if error.turn is None else int(order[error.turn])
        records = self.known.records(self.source, Counter(), frozenset())
        record = next(islice(records, number, None))
        name = (self.names.get(error.field) or (error.field,))[0]
        record.fail(name, record.get(name) if error.field in HINTS else error.found, error.expected)

    def _reported(self, trace: Trace, order: IntArray) -> Trace:
        """Return the trace with a report of the columns, and of what the server had cached."""
        used = {role: " or ".join(self.used[role]) for role in ROLES if role in self.used}
        read = ", ".join(role if name == role else f"{role}={listed([name])}" for role, name in used.items())
        columns = f"Columns: {read}" + (f"; not read: {self.names['']}." if self.names[""] else ".")
        whole = () if {"prompt", "history"} & self.names.keys() else (WHOLE,)
        said = (columns, *whole, *self._cached(trace, order), *self._out_of_order(trace.report))
        return replace(trace, report=replace(trace.report, assumed=said))  # type: ignore[type-var]

    def _out_of_order(self, report: Any) -> Iterator[str]:
        """Yield a warning if inputs do not go on from each other and no time says in what order they came."""
        chaining = report.chaining
        if self.clock.dates is None and chaining is not None and chaining.edited > chaining.chained / 10:
            yield (
                f"Mind: {chaining.edited:,} of {chaining.chained:,} inputs are shorter than what came before. "
                "No time of the rows was read, they may be out of order: name its field, --columns arrival=FIELD."
            )

    def _cached(self, trace: Trace, order: IntArray) -> Iterator[str]:
        """Yield what the server had cached beside the history; more than the input is an error."""
        cached = ints(self.cached)[order]
        known = cached >= 0
        for turn in np.flatnonzero(cached > trace.total)[:1].tolist():
            expected = f"at most {trace.total[turn]}, the whole input"
            raise TraceError("cached_tokens", turn, int(cached[turn]), expected)
        if known.any():
            held, past, asked = (exact_sum(column[known]) for column in (cached, trace.history, trace.total))
            more = int((cached > trace.history)[known].sum())
            yield (
                f"The server had {held:,} of {asked:,} input tokens cached, the histories are {past:,}; in "
                f"{more:,} of {int(known.sum()):,} requests it had more than the history."
            )


WHOLE = "Inputs are whole, history and prompt together; a history is what of the conversation's past fits in."


def _whole(record: Record, name: str) -> int:
    """Return a whole number of tokens, which may be written as 12.0."""
    value = record.get(name)
    if isinstance(value, float) and value.is_integer():
        record = replace(record, fields={name: int(value)})
    elif not record.typed and isinstance(value, str):
        record = replace(record, fields={name: value.strip().removesuffix(".0")})
    return record.whole(name)
