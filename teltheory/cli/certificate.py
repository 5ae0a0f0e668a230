"""Certificates in files, and `teltheory check-certificate`, which needs no solver."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np

from teltheory.cli.output import console
from teltheory.errors import CertificateError, FileError, TelTheoryError
from teltheory.numbers import INT64_MAX, IntArray
from teltheory.optimal.certificate import Certificate, check_certificate
from teltheory.workloads import read_trace

VERSION = 1
FIELDS = ("capacity", "xi", "forced", "objective", "steps", "kept")


@dataclass(frozen=True)
class Certified:
    """A certificate with the instance that it is about, but for the trace.

    Attributes
    ----------
    capacity, xi : int
        In the trace's unit.
    forced : bool
        Forced caching.
    certificate : Certificate
        The proof.
    """

    capacity: int
    xi: int
    forced: bool
    certificate: Certificate


def certificates_as_data(certified: Sequence[Certified]) -> dict[str, Any]:
    """Return certificates as plain data, with a digest that shows whether they were changed."""
    entries = [
        {
            "capacity": one.capacity,
            "xi": one.xi,
            "forced": one.forced,
            "objective": one.certificate.objective,
            "steps": one.certificate.steps.tolist(),
            "kept": one.certificate.kept.tolist(),
        }
        for one in certified
    ]
    return {"teltheory_certificates": VERSION, "sha256": _digest(entries), "certificates": entries}


def _digest(entries: object) -> str:
    return hashlib.sha256(json.dumps(entries, sort_keys=True).encode()).hexdigest()


def read_certificates(file: str) -> list[Certified]:
    """Read certificates from a file.

    Raises
    ------
    FileError
        Where the file can't be read, is none of certificates, or was changed; the error says where.
    """
    try:
        data = json.loads(Path(file).read_bytes())
    except OSError as error:
        raise FileError(f"{file}: {error.strerror or error}, expected a file of certificates") from None
    except (ValueError, RecursionError) as error:
        raise FileError(f"{file}: found no JSON ({error}), expected a file of certificates") from None
    if not isinstance(data, dict) or data.get("teltheory_certificates") != VERSION:
        raise FileError(f'{file}: expected a file of certificates, "teltheory_certificates": {VERSION}')
    entries = data.get("certificates")
    if not isinstance(entries, list):
        raise FileError(f"{file}, certificates: found {type(entries).__name__}, expected a list")
    found = [_certified(f"{file}, certificates[{i}]", entry) for i, entry in enumerate(entries)]
    if data.get("sha256") != _digest(entries):
        raise FileError(f"{file}, sha256: found another digest than that of the certificates, expected the same")
    return found


def _certified(place: str, entry: object) -> Certified:
    if not isinstance(entry, dict) or set(entry) != set(FIELDS):
        raise FileError(f"{place}: expected an object with {', '.join(FIELDS)}")
    if not isinstance(entry["forced"], bool):
        raise FileError(f"{place}, forced: found {entry['forced']!r}, expected true or false")
    capacity, xi, objective = (_whole(f"{place}, {name}", entry[name]) for name in ("capacity", "xi", "objective"))
    kept, steps = (_column(f"{place}, {name}", entry[name]) for name in ("kept", "steps"))
    return Certified(capacity, xi, entry["forced"], Certificate(objective, kept, steps))


def _whole(place: str, value: object) -> int:
    if type(value) is not int or value < 0:
        raise FileError(f"{place}: found {value!r}, expected a whole number, 0 or more")
    return value


def _column(place: str, values: object) -> IntArray:
    if not isinstance(values, list):
        raise FileError(f"{place}: found {type(values).__name__}, expected a list of whole numbers")
    for i, value in enumerate(values):
        if type(value) is not int or not 0 <= value <= INT64_MAX:
            raise FileError(f"{place}[{i}]: found {value!r}, expected a whole number from 0 to 2**63 - 1")
    return np.array(values, np.int64)


@click.command("check-certificate")
@click.argument("certificate_file", metavar="FILE")
@click.argument("trace_file", metavar="TRACE")
@click.option("--format", "format", default="auto", show_default=True, help="auto, teltheory or mooncake.")
def check(certificate_file: str, trace_file: str, format: str) -> int:
    """Check the certificates in FILE, which `teltheory optimum --certificate` wrote, against TRACE.

    In exact whole numbers and without a solver. Ends with 2 where one proves nothing.
    """
    certified = read_certificates(certificate_file)
    trace = read_trace(trace_file, format)
    out = console()
    for i, one in enumerate(certified):
        try:
            check_certificate(trace, one.capacity, one.xi, one.certificate, one.forced)
        except TelTheoryError as error:
            raise CertificateError(f"{certificate_file}, certificates[{i}], {error}") from None
        objective, steps = one.certificate.objective, len(one.certificate.steps)
        mode = ", forced caching" if one.forced else ""
        out.print(
            f"Capacity {one.capacity:,}, threshold {one.xi:,}{mode}: no policy has less TEL than {objective:,} "
            f"(proved by {steps:,} steps).",
            highlight=False,
        )
    return 0
