"""`teltheory optimum --check`, which needs no solver, and the files of certificates that it checks.

A file is a JSON object: ``teltheory_certificates``, the version; ``certificates``, a list of entries; ``sha256``,
a digest of the entries. An entry says with ``objective_kind`` what it is about:

- ``tel``: ``capacity``, ``xi``, ``forced``, ``objective``, ``steps`` and ``kept``, as in
  `teltheory.optimal.certificate`.
  Of shared prefixes all are in blocks, and ``prefixes`` says how the trace is read: ``block_size``, ``cache``,
  ``running``, ``without``. What is kept is a plan for a cache whose blocks may outlive their parents; no other
  cache has less.
- ``slo``: ``objective`` violations with what is ``kept``, and the bound ``proved`` by ``prices`` with ``cuts``.
- ``p95`` or another percentile: the same, without ``xi``. ``prices`` is null where ``proved`` is 0.
- ``tiers``: ``capacities``, ``loads``, ``mode`` and ``loading`` of tiers, ``xi``, ``forced``, and what
  `teltheory.optimal.tiers.certificate` has, fractions as texts. ``prefixes`` may be there as for ``tel``.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias, get_args

import numpy as np

from teltheory.base.input_files import read_json
from teltheory.cli.asked.prefixes import PRIVATE, Prefixes, reading_line, without_lines
from teltheory.cli.asked.traces import Reading, report_lines
from teltheory.cli.optimum.tiered_certificate import TIERS, TieredCertified
from teltheory.cli.printed.output import console, show
from teltheory.cost.goals import SLO, TEL, Level, read_level
from teltheory.errors import ArgumentError, CertificateError, FileError, TelTheoryError, shown
from teltheory.model.display import counted
from teltheory.model.forest import Forest
from teltheory.model.numbers import INT64_MAX, IntArray, read_fraction
from teltheory.model.plan import check_plan
from teltheory.model.tiers import Tiers
from teltheory.model.trace import Trace
from teltheory.optimal.certificate import Certificate, check_certificate
from teltheory.optimal.costs.prices import Cut, Prices
from teltheory.optimal.slo.exhaustion import check_violations
from teltheory.optimal.tiers.certificate import TieredCertificate
from teltheory.optimal.trees.hindsight import BlockCache

VERSION = 2
KIND = "objective_kind"


def check_file(certificate_file: str, trace_file: str, reading: Reading) -> int:
    """Check the certificates in FILE, which `teltheory optimum --certificate` wrote, against a trace.

    In exact whole numbers and without a solver. Ends with 2 if one proves nothing.
    """
    entries = read_certificates(certificate_file)
    trace = reading.read(trace_file)
    out = console()
    show(out, *(report_lines(trace) if reading.assumes else ()))
    shown = None
    for entry, requests in checked(certificate_file, entries, trace):
        if requests is not shown and trace.blocks is not None:
            show(out, reading_line(trace, requests), *without_lines(trace, requests, entry.prefixes))
        show(out, str(entry))
        shown = requests
    return 0


@dataclass(frozen=True, eq=False)
class Certified:
    """What an entry claims: a plan that keeps so much reaches the objective, and no policy is below a bound.

    The bound is the objective itself for TEL, by `steps`; else `proved`, by `prices`, which for a percentile prove
    that at the threshold ``proved - 1`` more turns violate than it leaves above it. A percentile has no `xi`.
    `prefixes` says how the trace is read; lengths of shared prefixes are in their blocks.
    """

    goal: str | Level
    capacity: int
    forced: bool
    objective: int
    kept: IntArray
    xi: int = 0
    steps: IntArray | None = None
    proved: int = 0
    prices: Prices | None = None
    prefixes: Prefixes = PRIVATE

    def check(self, requests: Trace | Forest) -> None:
        """Raise `CertificateError` if this proves nothing about these requests."""
        if self.steps is not None:
            found = Certificate(self.objective, self.kept, self.steps)
            running = self.prefixes.running
            return check_certificate(requests, self.capacity, self.xi, found, self.forced, running=running)
        return self._check_plan(requests) if isinstance(requests, Trace) else None

    def _check_plan(self, trace: Trace) -> None:
        uncached = check_plan(trace, self.capacity, self.kept, self.forced)
        objective = self._objective(uncached)
        if objective != self.objective:
            what = f"{objective}, that of what is kept"
            raise CertificateError(f"objective: found {self.objective}, expected {what}")
        return self._check_bound(trace) if self.proved else None

    def _objective(self, uncached: IntArray) -> int:
        if not isinstance(self.goal, Level):
            return int(np.count_nonzero(uncached > self.xi))
        if not len(uncached):
            raise CertificateError("kept: found no turn, expected at least one, as a percentile is claimed")
        return self.goal.of(uncached)

    def _check_bound(self, trace: Trace) -> None:
        if self.prices is None:
            raise CertificateError(f"prices: found none, expected what proves {self.proved}")
        xi, above = self.xi, self.proved
        if isinstance(self.goal, Level):
            xi, above = self.proved - 1, len(trace) - self.goal.rank(len(trace)) + 1
        try:
            check_violations(trace, self.capacity, xi, self.prices, above, self.forced)
        except CertificateError as error:
            expected = f"{above} turns or more above {xi}"
            raise CertificateError(f"proved: found {self.proved}, expected {expected}; {error}") from None

    @property
    def _place(self) -> str:
        place, read = f"Capacity {self.capacity:,}, threshold {self.xi:,}", self.prefixes
        if read.chains:
            return place
        running = f", {read.running:,} requests at a time" if read.running > 1 else ""
        return f"{place}, in blocks of {read.block_size:,} tokens, cache {read.cache}{running}"

    def __str__(self) -> str:
        mode = ", forced caching" if self.forced else ""
        if self.steps is not None:
            least = f"less TEL than {self.objective:,} (proved by {counted(len(self.steps), 'step')})"
            return f"{self._place}{mode}: no policy has {least}."
        about, less = f"threshold {self.xi:,}", "fewer violations"
        if isinstance(self.goal, Level):
            about, less = self.goal.text, "a smaller one"
        count = 0 if self.prices is None else len(self.prices.steps) + len(self.prices.cuts)
        least = f"{less} than {self.proved:,} (proved by {counted(count, 'price')})"
        return f"Capacity {self.capacity:,}, {about}{mode}: no policy has {least}, and one has {self.objective:,}."


Entry: TypeAlias = Certified | TieredCertified


def checked(file: str, entries: Sequence[Entry], trace: Trace) -> Iterator[tuple[Entry, Trace | Forest]]:
    """Yield the entries of a file and what of a trace they are about, each after its check against that."""
    known: dict[Prefixes, Trace | Forest] = {}
    for i, entry in enumerate(entries):
        try:
            read = replace(entry.prefixes, cache="", running=1)
            if read not in known:
                known[read] = _read(trace, read)
            entry.check(known[read])
        except TelTheoryError as error:
            raise CertificateError(f"{file}, certificates[{i}], {error}") from None
        yield entry, known[read]


def _read(trace: Trace, prefixes: Prefixes) -> Trace | Forest:
    if trace.blocks is None and not prefixes.chains:
        expected = f"one in blocks of {prefixes.block_size:,} tokens"
        raise CertificateError(f"prefixes: found a trace without block hashes, expected {expected}")
    return prefixes.of(trace)


def certificates_as_data(entries: Sequence[Entry]) -> dict[str, Any]:
    """Return certificates as plain data, with a digest that shows whether they were changed."""
    lines = [_as_data(entry) for entry in entries]
    return {"teltheory_certificates": VERSION, "sha256": digest_of(lines), "certificates": lines}


def digest_of(entries: object) -> str:
    """Return the digest of a file's entries."""
    return hashlib.sha256(json.dumps(entries, sort_keys=True).encode()).hexdigest()


def _as_data(entry: Entry) -> dict[str, Any]:
    data = {KIND: TIERS} | entry.fields() if isinstance(entry, TieredCertified) else _fields_as_data(entry)
    if not entry.prefixes.chains:
        data["prefixes"] = {name: getattr(entry.prefixes, name) for name in OF_PREFIXES}
    return data


def _fields_as_data(entry: Certified) -> dict[str, Any]:
    data: dict[str, Any] = {KIND: entry.goal.text if isinstance(entry.goal, Level) else entry.goal}
    for name in _fields_of(entry.goal):
        value = getattr(entry, name)
        data[name] = value.tolist() if isinstance(value, np.ndarray) else value
    if entry.prices is not None:
        data["prices"] = asdict(entry.prices)
    return data


def read_certificates(file: str) -> list[Entry]:
    """Read certificates from a file."""
    data = read_json(Path(file), "a file of certificates")
    version = data.get("teltheory_certificates") if isinstance(data, dict) else None
    if type(version) is not int or version != VERSION:
        raise FileError(f'{file}: expected a file of certificates, "teltheory_certificates": {VERSION}')
    entries = data.get("certificates")
    found = _list(_entry, f"{file}, certificates", entries)
    if data.get("sha256") != digest_of(entries):
        raise FileError(f"{file}, sha256: found another digest than that of the certificates, expected the same")
    return found


def _entry(place: str, entry: object) -> Entry:
    given = entry if isinstance(entry, dict) else {}
    kind = given.get(KIND)
    expected = "tel, slo, tiers or a percentile such as p95"
    if not isinstance(kind, str):
        raise FileError(f"{place}: expected an object with {KIND}, {expected}")
    if kind == TIERS:
        return _tiered(place, given)
    goal = kind if kind in (TEL, SLO) else read_level(kind)
    if goal is None:
        raise FileError(f"{place}, {KIND}: found {shown(kind)}, expected {expected}")
    values = _values(_fields_of(goal), place, given, shared=goal == TEL)
    return Certified(goal, **values)


def _tiered(place: str, given: dict[str, Any]) -> TieredCertified:
    """Return an entry about tiers; whether its certificate proves anything is up to its check."""
    values = _values(OF_TIERS | OF_TIERED, place, given, shared=True)
    kept = {name: values[name] for name in ("xi", "forced", "prefixes") if name in values}
    try:
        tiers = Tiers(**{name: values[name] for name in OF_TIERS})
    except ArgumentError as error:
        raise FileError(f"{place}, {error}") from None
    columns = {name: value for name, value in values.items() if name not in {*OF_TIERS, *kept}}
    return TieredCertified(tiers, certificate=TieredCertificate(**columns), **kept)


def _values(readers: Readers, place: str, given: dict[str, Any], shared: bool) -> dict[str, Any]:
    """Return what an entry says beside its kind; it may say how shared prefixes are read."""
    prefixes: Readers = {"prefixes": _prefixes} if shared and "prefixes" in given else {}
    values = _object({KIND: lambda _, kind: kind} | readers | prefixes, place, given)
    del values[KIND]
    return values


def _object(readers: Readers, place: str, entry: object) -> dict[str, Any]:
    """Return an object's values, each read by its field's reader; it has all of the fields and no other."""
    if not isinstance(entry, dict) or set(entry) != set(readers):
        raise FileError(f"{place}: expected an object with {', '.join(readers)}")
    return {name: read(f"{place}, {name}", entry[name]) for name, read in readers.items()}


def _list(read: Reader, place: str, values: object) -> list[Any]:
    if not isinstance(values, list):
        raise FileError(f"{place}: found {type(values).__name__}, expected a list")
    return [read(f"{place}[{i}]", value) for i, value in enumerate(values)]


def _whole(place: str, value: object, most: int | None = None) -> int:
    if type(value) is not int or value < 0 or (most is not None and value > most):
        expected = "a whole number, 0 or more" if most is None else "a whole number from 0 to 2**63 - 1"
        raise FileError(f"{place}: found {shown(value)}, expected {expected}")
    return value


def _flag(place: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise FileError(f"{place}: found {shown(value)}, expected true or false")
    return value


def _column(place: str, values: object) -> IntArray:
    return np.array(_list(partial(_whole, most=INT64_MAX), place, values), np.int64)


def _wholes(place: str, values: object) -> tuple[int, ...]:
    return tuple(_list(_whole, place, values))


def _cut(place: str, entry: object) -> Cut:
    return Cut(**_object(OF_A_CUT, place, entry))


def _cuts(place: str, values: object) -> tuple[Cut, ...]:
    return tuple(_list(_cut, place, values))


def _prices(place: str, entry: object) -> Prices | None:
    """Return prices; whether they are prices of a trace is up to `check_violations`."""
    return None if entry is None else Prices(**_object(OF_PRICES, place, entry))


def _prefixes(place: str, entry: object) -> Prefixes:
    return Prefixes(**_object(OF_PREFIXES, place, entry))


def _positive(place: str, value: object) -> int:
    if value == 0:
        raise FileError(f"{place}: found 0, expected 1 or more")
    return _whole(place, value, INT64_MAX)


def _one_of(place: str, value: object) -> str:
    if value not in get_args(BlockCache):
        raise FileError(f"{place}: found {shown(value)}, expected {' or '.join(get_args(BlockCache))}")
    return str(value)


def _named(place: str, value: object) -> str:
    if not isinstance(value, str):
        raise FileError(f"{place}: found {shown(value)}, expected a text")
    return value


def _text(place: str, value: object) -> str | None:
    if not isinstance(value, str | None):
        raise FileError(f"{place}: found {shown(value)}, expected a text or null")
    return value


def _fraction(place: str, value: object) -> Fraction:
    try:
        return read_fraction(place, str(value), "a fraction such as 3/10")
    except ArgumentError as error:
        raise FileError(str(error)) from None


def _fractions(place: str, values: object) -> tuple[Fraction, ...]:
    return tuple(_list(_fraction, place, values))


def _maybe_column(place: str, values: object) -> IntArray | None:
    return None if values is None else _column(place, values)


Reader: TypeAlias = Callable[[str, object], Any]
"""Takes where a value stands and the value; returns it as it is meant, or raises a `FileError`."""
Readers: TypeAlias = dict[str, Reader]
OF_A_CUT: Readers = {"step": _whole, "turns": _wholes, "weights": _wholes, "numerator": _whole}
OF_PRICES: Readers = {"steps": _wholes, "numerators": _wholes, "denominator": _whole, "cuts": _cuts}
OF_ALL: Readers = {"capacity": _whole, "forced": _flag, "objective": _whole, "kept": _column}
OF_PREFIXES: Readers = {"block_size": _positive, "cache": _one_of, "running": _positive, "without": _text}
OF_TIERS: Readers = {"capacities": _wholes, "loads": _fractions, "mode": _named, "loading": _named}
OF_TIERED: Readers = {
    "xi": _whole,
    "forced": _flag,
    "lower": _fraction,
    "steps": _column,
    "tiers": _column,
    "numerators": _column,
    "shares": _column,
    "loading_shares": _maybe_column,
    "denominator": _positive,
}
OF_A_BOUND: Readers = {"proved": _whole, "prices": _prices}


def _fields_of(goal: str | Level) -> Readers:
    """Return the fields of an entry, and how each is read."""
    if isinstance(goal, Level):
        return OF_ALL | OF_A_BOUND
    return OF_ALL | {"xi": _whole} | ({"steps": _column} if goal == TEL else OF_A_BOUND)
