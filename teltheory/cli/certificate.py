"""`teltheory check-certificate`, which needs no solver, and the files of certificates that it checks.

A file is a JSON object: ``teltheory_certificates``, the version; ``certificates``, a list of entries; ``sha256``,
a digest of the entries. An entry says with ``objective_kind`` what it is about:

- ``tel``: ``capacity``, ``xi``, ``forced``, ``objective``, ``steps`` and ``kept``, as in
  `teltheory.optimal.certificate`.
- ``slo``: ``objective`` violations with what is ``kept``, and the bound ``proved`` by ``prices`` with ``cuts``.
- ``p95`` or another percentile: the same, without ``xi``. ``prices`` is null where ``proved`` is 0.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import click
import numpy as np

from teltheory.cli.options import trace_options
from teltheory.cli.output import console, show
from teltheory.cli.prefixes import reading_line
from teltheory.cli.traces import Reading, report_lines
from teltheory.cost.goals import SLO, TEL, Level, read_level
from teltheory.errors import CertificateError, FileError, TelTheoryError, shown
from teltheory.input_files import read_json
from teltheory.model.numbers import INT64_MAX, IntArray
from teltheory.model.plan import check_plan
from teltheory.model.trace import Trace
from teltheory.optimal.certificate import Certificate, check_certificate
from teltheory.optimal.exhaustion import check_violations
from teltheory.optimal.prices import Cut, Prices
from teltheory.report.words import counted

VERSION = 2
KIND = "objective_kind"


@click.command("check-certificate")
@click.argument("certificate_file", metavar="FILE")
@click.argument("trace_file", metavar="TRACE")
@trace_options()
def check(certificate_file: str, trace_file: str, reading: Reading) -> int:
    """Check the certificates in FILE, which `teltheory optimum --certificate` wrote, against TRACE.

    In exact whole numbers and without a solver. Ends with 2 if one proves nothing.
    """
    entries = read_certificates(certificate_file)
    trace = reading.read(trace_file)
    out = console()
    show(out, *([] if trace.blocks is None else [reading_line(trace, trace)]))
    show(out, *(report_lines(trace) if reading.assumes else ()))
    for entry in checked(certificate_file, entries, trace):
        show(out, str(entry))
    return 0


@dataclass(frozen=True, eq=False)
class Certified:
    """What an entry claims: a plan that keeps so much reaches the objective, and no policy is below a bound.

    The bound is the objective itself for TEL, by `steps`; else `proved`, by `prices`, which for a percentile prove
    that at the threshold ``proved - 1`` more turns violate than it leaves above it. A percentile has no `xi`.
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

    def check(self, trace: Trace) -> None:
        """Raise `CertificateError` if this proves nothing about a trace."""
        if self.steps is not None:
            found = Certificate(self.objective, self.kept, self.steps)
            return check_certificate(trace, self.capacity, self.xi, found, self.forced)
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

    def __str__(self) -> str:
        mode = ", forced caching" if self.forced else ""
        if self.steps is not None:
            least = f"less TEL than {self.objective:,} (proved by {counted(len(self.steps), 'step')})"
            return f"Capacity {self.capacity:,}, threshold {self.xi:,}{mode}: no policy has {least}."
        about, less = f"threshold {self.xi:,}", "fewer violations"
        if isinstance(self.goal, Level):
            about, less = self.goal.text, "a smaller one"
        count = 0 if self.prices is None else len(self.prices.steps) + len(self.prices.cuts)
        least = f"{less} than {self.proved:,} (proved by {counted(count, 'price')})"
        return f"Capacity {self.capacity:,}, {about}{mode}: no policy has {least}, and one has {self.objective:,}."


def checked(file: str, entries: Sequence[Certified], trace: Trace) -> Iterator[Certified]:
    """Yield the entries of a file, each after its check against a trace."""
    for i, entry in enumerate(entries):
        try:
            entry.check(trace)
        except TelTheoryError as error:
            raise CertificateError(f"{file}, certificates[{i}], {error}") from None
        yield entry


def certificates_as_data(entries: Sequence[Certified]) -> dict[str, Any]:
    """Return certificates as plain data, with a digest that shows whether they were changed."""
    lines = [_as_data(entry) for entry in entries]
    return {"teltheory_certificates": VERSION, "sha256": digest_of(lines), "certificates": lines}


def digest_of(entries: object) -> str:
    """Return the digest of a file's entries."""
    return hashlib.sha256(json.dumps(entries, sort_keys=True).encode()).hexdigest()


def _as_data(entry: Certified) -> dict[str, Any]:
    data: dict[str, Any] = {KIND: entry.goal.text if isinstance(entry.goal, Level) else entry.goal}
    for name in _fields_of(entry.goal):
        value = getattr(entry, name)
        data[name] = value.tolist() if isinstance(value, np.ndarray) else value
    if entry.prices is not None:
        data["prices"] = asdict(entry.prices)
    return data


def read_certificates(file: str) -> list[Certified]:
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


def _entry(place: str, entry: object) -> Certified:
    kind = entry.get(KIND) if isinstance(entry, dict) else None
    expected = "tel, slo or a percentile such as p95"
    if not isinstance(kind, str):
        raise FileError(f"{place}: expected an object with {KIND}, {expected}")
    goal = kind if kind in (TEL, SLO) else read_level(kind)
    if goal is None:
        raise FileError(f"{place}, {KIND}: found {shown(kind)}, expected {expected}")
    values = _object({KIND: lambda _, __: kind} | _fields_of(goal), place, entry)
    del values[KIND]
    return Certified(goal, **values)


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


Reader: TypeAlias = Callable[[str, object], Any]
"""Takes where a value stands and the value; returns it as it is meant, or raises a `FileError`."""
Readers: TypeAlias = dict[str, Reader]
OF_A_CUT: Readers = {"step": _whole, "turns": _wholes, "weights": _wholes, "numerator": _whole}
OF_PRICES: Readers = {"steps": _wholes, "numerators": _wholes, "denominator": _whole, "cuts": _cuts}
OF_ALL: Readers = {"capacity": _whole, "forced": _flag, "objective": _whole, "kept": _column}
OF_A_BOUND: Readers = {"proved": _whole, "prices": _prices}


def _fields_of(goal: str | Level) -> Readers:
    """Return the fields of an entry, and how each is read."""
    if isinstance(goal, Level):
        return OF_ALL | OF_A_BOUND
    return OF_ALL | {"xi": _whole} | ({"steps": _column} if goal == TEL else OF_A_BOUND)
