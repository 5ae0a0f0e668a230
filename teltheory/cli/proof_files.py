"""Certificates in files.

A file is a JSON object: ``teltheory_certificates``, the version; ``certificates``, a list of entries; ``sha256``,
a digest of the entries. An entry says with ``objective_kind`` what it is about:

- ``tel``: ``capacity``, ``xi``, ``forced``, ``objective``, ``steps`` and ``kept``, as in
  `teltheory.optimal.certificate`. Files of version 1 have no others, and no ``objective_kind``.
- ``slo``: ``objective`` violations with what is ``kept``, and the bound ``proved`` by ``prices`` with ``cuts``.
- ``p95`` or another percentile: the same, without ``xi``; ``prices`` is null where ``proved`` is 0.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from teltheory.cli.proofs import Certified, CertifiedPercentile, CertifiedViolations, Proof
from teltheory.cost.goals import SLO, TEL, Level, read_level
from teltheory.errors import FileError, shown
from teltheory.input_files import read_json
from teltheory.model.numbers import INT64_MAX, IntArray
from teltheory.optimal.certificate import Certificate
from teltheory.optimal.prices import Cut, Prices

VERSIONS = (1, 2)
KIND = "objective_kind"
TEL_FIELDS = ("capacity", "xi", "forced", "objective", "steps", "kept")
PERCENTILE_FIELDS = ("capacity", "forced", "objective", "proved", "prices", "kept")
SLO_FIELDS = (*PERCENTILE_FIELDS, "xi")
PRICES_FIELDS = ("steps", "numerators", "denominator", "cuts")
CUT_FIELDS = ("step", "turns", "weights", "numerator")


def certificates_as_data(proofs: Sequence[Proof]) -> dict[str, Any]:
    """Return certificates as plain data, with a digest that shows whether they were changed."""
    entries = [_entry(proof) for proof in proofs]
    return {"teltheory_certificates": VERSIONS[-1], "sha256": digest_of(entries), "certificates": entries}


def digest_of(entries: object) -> str:
    """Return the digest of a file's entries."""
    return hashlib.sha256(json.dumps(entries, sort_keys=True).encode()).hexdigest()


def _entry(proof: Proof) -> dict[str, Any]:
    """Return a certificate as plain data."""
    shared = {"capacity": proof.capacity, "forced": proof.forced}
    if isinstance(proof, Certified):
        found = proof.certificate
        lists = {"steps": found.steps.tolist(), "kept": found.kept.tolist()}
        return {KIND: TEL, **shared, "xi": proof.xi, "objective": found.objective, **lists}
    bound = {"proved": proof.proved, "prices": prices_as_data(proof.prices), "kept": proof.kept.tolist()}
    if isinstance(proof, CertifiedViolations):
        return {KIND: SLO, **shared, "xi": proof.xi, "objective": proof.violations, **bound}
    return {KIND: proof.level.text, **shared, "objective": proof.value, **bound}


def prices_as_data(prices: Prices | None) -> dict[str, Any] | None:
    """Return prices as plain data."""
    if prices is None:
        return None
    lists = {"steps": list(prices.steps), "numerators": list(prices.numerators)}
    cuts = [
        {"step": cut.step, "turns": list(cut.turns), "weights": list(cut.weights), "numerator": cut.numerator}
        for cut in prices.cuts
    ]
    return {**lists, "denominator": prices.denominator, "cuts": cuts}


def read_certificates(file: str) -> list[Proof]:
    """Read certificates from a file."""
    data = read_json(Path(file), "a file of certificates")
    version = data.get("teltheory_certificates") if isinstance(data, dict) else None
    if type(version) is not int or version not in VERSIONS:
        expected = " or ".join(str(known) for known in VERSIONS)
        raise FileError(f'{file}: expected a file of certificates, "teltheory_certificates": {expected}')
    entries = data.get("certificates")
    if not isinstance(entries, list):
        raise FileError(f"{file}, certificates: found {type(entries).__name__}, expected a list")
    read = read_entry if version > 1 else _tel
    found = [read(f"{file}, certificates[{i}]", entry) for i, entry in enumerate(entries)]
    if data.get("sha256") != digest_of(entries):
        raise FileError(f"{file}, sha256: found another digest than that of the certificates, expected the same")
    return found


def read_entry(place: str, entry: object) -> Proof:
    """Read an entry of the newest version."""
    kind = entry.get(KIND) if isinstance(entry, dict) else None
    if not isinstance(entry, dict) or not isinstance(kind, str):
        raise FileError(f"{place}: expected an object with {KIND}, tel, slo or a percentile such as p95")
    level = read_level(kind)
    readers: dict[str, Callable[[str, object], Proof]] = {TEL: _tel, SLO: _violations}
    if level is not None:
        readers[kind] = partial(_percentile, level)
    if kind not in readers:
        raise FileError(f"{place}, {KIND}: found {shown(kind)}, expected tel, slo or a percentile such as p95")
    return readers[kind](place, {key: value for key, value in entry.items() if key != KIND})


def _tel(place: str, entry: object) -> Proof:
    fields = _fields(place, entry, TEL_FIELDS)
    capacity, xi, objective = (
        _whole(f"{place}, {name}", fields[name]) for name in ("capacity", "xi", "objective")
    )
    kept, steps = (_column(f"{place}, {name}", fields[name]) for name in ("kept", "steps"))
    return Certified(capacity, xi, _flag(place, fields), Certificate(objective, kept, steps))


def _violations(place: str, entry: object) -> Proof:
    fields = _fields(place, entry, SLO_FIELDS)
    names = ("capacity", "xi", "objective", "proved")
    capacity, xi, objective, proved = (_whole(f"{place}, {name}", fields[name]) for name in names)
    prices = read_prices(f"{place}, prices", fields["prices"])
    kept = _column(f"{place}, kept", fields["kept"])
    return CertifiedViolations(capacity, xi, _flag(place, fields), objective, proved, kept, prices)


def _percentile(level: Level, place: str, entry: object) -> Proof:
    fields = _fields(place, entry, PERCENTILE_FIELDS)
    names = ("capacity", "objective", "proved")
    capacity, objective, proved = (_whole(f"{place}, {name}", fields[name]) for name in names)
    prices = None if fields["prices"] is None else read_prices(f"{place}, prices", fields["prices"])
    kept = _column(f"{place}, kept", fields["kept"])
    return CertifiedPercentile(capacity, level, _flag(place, fields), objective, proved, kept, prices)


def read_prices(place: str, entry: object) -> Prices:
    """Read prices from plain data; whether they are prices of a trace is up to `check_violations`."""
    fields = _fields(place, entry, PRICES_FIELDS)
    steps, numerators = (_list(f"{place}, {name}", fields[name], None) for name in ("steps", "numerators"))
    if not isinstance(fields["cuts"], list):
        raise FileError(f"{place}, cuts: found {type(fields['cuts']).__name__}, expected a list")
    cuts = tuple(_cut(f"{place}, cuts[{i}]", cut) for i, cut in enumerate(fields["cuts"]))
    return Prices(tuple(steps), tuple(numerators), _whole(f"{place}, denominator", fields["denominator"]), cuts)


def _cut(place: str, entry: object) -> Cut:
    fields = _fields(place, entry, CUT_FIELDS)
    step, numerator = (_whole(f"{place}, {name}", fields[name]) for name in ("step", "numerator"))
    turns, weights = (_list(f"{place}, {name}", fields[name], None) for name in ("turns", "weights"))
    return Cut(step, tuple(turns), tuple(weights), numerator)


def _fields(place: str, entry: object, names: Sequence[str]) -> dict[str, Any]:
    if not isinstance(entry, dict) or set(entry) != set(names):
        raise FileError(f"{place}: expected an object with {', '.join(names)}")
    return entry


def _flag(place: str, fields: dict[str, Any]) -> bool:
    if not isinstance(fields["forced"], bool):
        raise FileError(f"{place}, forced: found {shown(fields['forced'])}, expected true or false")
    return fields["forced"]


def _whole(place: str, value: object) -> int:
    if type(value) is not int or value < 0:
        raise FileError(f"{place}: found {shown(value)}, expected a whole number, 0 or more")
    return value


def _column(place: str, values: object) -> IntArray:
    return np.array(_list(place, values, INT64_MAX), np.int64)


def _list(place: str, values: object, most: int | None) -> list[int]:
    """Return a list of whole numbers from 0 to `most`, None for no end."""
    if not isinstance(values, list):
        raise FileError(f"{place}: found {type(values).__name__}, expected a list of whole numbers")
    for i, value in enumerate(values):
        if type(value) is not int or value < 0 or (most is not None and value > most):
            expected = "a whole number, 0 or more" if most is None else "a whole number from 0 to 2**63 - 1"
            raise FileError(f"{place}[{i}]: found {shown(value)}, expected {expected}")
    return values
