"""Latency models as small JSON, with their provenance.

An object with ``teltheory_latency``, the version; ``form``, "formula" (`LatencyModel`) or "table"
(`TableLatency`); ``name`` and ``provenance``; and the numbers of the form under the names of its fields. Seconds
and shares are strings, fractions ("717/10000000") or decimals ("0.0000717"), as JSON's numbers are rounded by
whoever reads them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, fields
from fractions import Fraction
from pathlib import Path
from typing import Any, NoReturn

from teltheory.cost.latency import Latency, LatencyModel, Provenance
from teltheory.cost.latency_table import TableLatency
from teltheory.errors import ArgumentError, FileError, shown
from teltheory.input_files import read_json

VERSION = 1
MOST_BYTES = 1 << 20
NUMBERS = ("per_token", "per_pair", "constant", "floor")
TABLE = ("totals", "cached_shares", "seconds")
SHARED = ("teltheory_latency", "form", "name", "provenance")
_FRACTION = re.compile(r"-?\d{1,100}(/0*[1-9]\d{0,99}|\.\d{1,100})?", re.ASCII)


def latency_to_json(model: Latency) -> dict[str, Any]:
    """Return a model as plain data, which `latency_from_json` reads back as the same model.

    Raises
    ------
    ArgumentError
        For a model that is neither a `LatencyModel` nor a `TableLatency`.
    """
    if not isinstance(model, (LatencyModel, TableLatency)):
        raise ArgumentError("model", model, "a LatencyModel or a TableLatency")
    about = {"name": model.name, "provenance": None if model.provenance is None else asdict(model.provenance)}
    if isinstance(model, LatencyModel):
        numbers = {name: str(getattr(model, name)) for name in NUMBERS}
        return {"teltheory_latency": VERSION, "form": "formula", **about, **numbers}
    shares = [str(share) for share in model.cached_shares]
    rows = [[str(cell) for cell in row] for row in model.seconds]
    axes = {"totals": list(model.totals), "cached_shares": shares}
    return {"teltheory_latency": VERSION, "form": "table", **about, **axes, "seconds": rows}


def latency_from_json(data: object, place: str = "latency") -> LatencyModel | TableLatency:
    """Return the model of plain data.

    Parameters
    ----------
    data : object
        What `json.loads` returns.
    place : str
        Where it comes from, for errors.

    Raises
    ------
    FileError
        If it is no latency model; the error names the place and the field.
    """
    if not isinstance(data, Mapping) or type(data.get("teltheory_latency")) is not int:
        raise FileError(f'{place}: expected a latency model, an object with "teltheory_latency": {VERSION}')
    if data["teltheory_latency"] != VERSION:
        _fail(place, "teltheory_latency", data["teltheory_latency"], str(VERSION))
    readers: dict[str, Callable[[str, Mapping[str, Any]], LatencyModel | TableLatency]]
    readers = {"formula": _formula, "table": _table}
    form = data.get("form")
    if not isinstance(form, str) or form not in readers:
        _fail(place, "form", form, "formula or table")
    try:
        return readers[form](place, data)
    except ArgumentError as error:
        raise FileError(f"{place}, {error}") from None


def read_latency(file: str | Path) -> LatencyModel | TableLatency:
    """Read a model from a JSON file.

    Raises
    ------
    FileError
        If the file can't be read or holds no latency model; the error names file and field.
    """
    data = read_json(Path(file), "a latency model", MOST_BYTES)
    return latency_from_json(data, str(file))


def _formula(place: str, data: Mapping[str, Any]) -> LatencyModel:
    _check_fields(place, data, ("per_token",), NUMBERS)
    numbers = {name: _fraction(place, name, data[name]) for name in NUMBERS if name in data}
    return LatencyModel(
        **numbers, name=_text(place, "name", data.get("name", "")), provenance=_origin(place, data)
    )


def _table(place: str, data: Mapping[str, Any]) -> TableLatency:
    _check_fields(place, data, TABLE, TABLE)
    shares = _each(place, "cached_shares", data["cached_shares"], _fraction)
    totals = _each(place, "totals", data["totals"], _whole)
    rows = _each(place, "seconds", data["seconds"], _row)
    return TableLatency(totals, shares, rows, _text(place, "name", data.get("name", "")), _origin(place, data))


def _check_fields(place: str, data: Mapping[str, Any], needed: tuple[str, ...], known: tuple[str, ...]) -> None:
    for field in data:
        if field not in (*SHARED, *known):
            _fail(place, str(field), data[field], "no such field")
    for field in needed:
        if field not in data:
            raise FileError(f"{place}, {field}: found none, expected one")


def _origin(place: str, data: Mapping[str, Any]) -> Provenance | None:
    found = data.get("provenance")
    if found is None:
        return None
    known = [field.name for field in fields(Provenance)]
    if not isinstance(found, Mapping) or any(name not in known for name in found):
        _fail(place, "provenance", found, "an object with some of " + ", ".join(known))
    return Provenance(**{name: _text(place, f"provenance.{name}", value) for name, value in found.items()})


def _each(place: str, field: str, found: object, read: Callable[[str, str, Any], Any]) -> tuple[Any, ...]:
    if not isinstance(found, list):
        _fail(place, field, found, "a list")
    return tuple(read(place, f"{field}[{i}]", value) for i, value in enumerate(found))


def _row(place: str, field: str, found: object) -> tuple[Any, ...]:
    return _each(place, field, found, _fraction)


def _text(place: str, field: str, found: object) -> str:
    return found if isinstance(found, str) else _fail(place, field, found, "text")


def _whole(place: str, field: str, found: object) -> int:
    return found if type(found) is int else _fail(place, field, found, "a whole number")


def _fraction(place: str, field: str, found: object) -> Fraction:
    if not isinstance(found, str) or not _FRACTION.fullmatch(found):
        _fail(place, field, found, 'a string such as "717/10000000" or "0.0000717"')
    return Fraction(found)


def _fail(place: str, field: str, found: object, expected: str) -> NoReturn:
    raise FileError(f"{place}, {field[:60]}: found {shown(found, 60)}, expected {expected}")
