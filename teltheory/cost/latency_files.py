"""Latency models by name: those that come with the toolkit, and small JSON files, with their provenance.

An object with ``teltheory_latency``, the version; ``form``, "formula" (`LatencyModel`) or "table"
(`TableLatency`); ``name`` and ``provenance``; and the numbers of the form under the names of its fields. Seconds
and shares are strings, fractions ("717/10000000") or decimals ("0.0000717"), as JSON's numbers are rounded by
whoever reads them.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any, NoReturn

from teltheory.base.input_files import read_json
from teltheory.base.plain_data import MisfitError, check_known, fitted
from teltheory.cost.latency import (
    A100_LLAMA2_7B,
    A100_LLAMA2_7B_ATTENTION,
    A100_LLAMA2_7B_PREFILL,
    Latency,
    LatencyModel,
    Provenance,
)
from teltheory.cost.latency_table import TableLatency
from teltheory.errors import ArgumentError, FileError, printable, shown

VERSION = 1
MOST_BYTES = 1 << 20
FORMS: dict[str, type[LatencyModel | TableLatency]] = {"formula": LatencyModel, "table": TableLatency}
_FRACTION = re.compile(r"-?\d{1,100}(/0*[1-9]\d{0,99}|\.\d{1,100})?", re.ASCII)

EMBEDDED: dict[str, LatencyModel | TableLatency] = {
    "a100-llama2-7b": A100_LLAMA2_7B,
    "a100-llama2-7b-attention": A100_LLAMA2_7B_ATTENTION,
    "a100-llama2-7b-prefill": A100_LLAMA2_7B_PREFILL,
}
MEASURED = {"llama-2-7b": A100_LLAMA2_7B, "vicuna-7b": A100_LLAMA2_7B}
"""Latencies by the model that they are right for; Vicuna is Llama 2 with other weights of the same shape."""


def latency_to_json(model: Latency) -> dict[str, Any]:
    """Return a model as plain data, which `latency_from_json` reads back as the same model.

    Raises
    ------
    ArgumentError
        For a model that is neither a `LatencyModel` nor a `TableLatency`.
    """
    from msgspec import to_builtins

    form = next((name for name, kind in FORMS.items() if isinstance(model, kind)), None)
    if form is None:
        raise ArgumentError("model", model, "a LatencyModel or a TableLatency")
    values = to_builtins(model, enc_hook=str)
    first = {name: values[name] for name in ("name", "provenance")}
    return {"teltheory_latency": VERSION, "form": form, **first, **values}


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
        expected = f'an object with "teltheory_latency": {VERSION}, as calibrate --save makes one of a benchmark'
        raise FileError(f"{place}: expected a latency model, {expected}")
    if data["teltheory_latency"] != VERSION:
        _fail(place, "teltheory_latency", shown(data["teltheory_latency"], 60), str(VERSION))
    form = data.get("form")
    if not isinstance(form, str) or form not in FORMS:
        _fail(place, "form", shown(form, 60), "formula or table")
    check_known(place, data, FORMS[form], "teltheory_latency", "form")
    if isinstance(origin := data.get("provenance"), Mapping):
        check_known(f"{place}, provenance", origin, Provenance)
    try:
        return fitted(data, FORMS[form], {Fraction: _fraction})
    except MisfitError as error:
        _fail(place, error.place(".")[1:], error.found, error.expected)


def read_latency(file: str | Path) -> LatencyModel | TableLatency:
    """Read a model from a JSON file.

    Raises
    ------
    FileError
        If the file can't be read or holds no latency model; the error names file and field.
    """
    data = read_json(Path(file), "a latency model", MOST_BYTES)
    return latency_from_json(data, str(file))


def latency_named(text: str, argument: str = "latency") -> LatencyModel | TableLatency:
    """Return an embedded model by its name, or that of a JSON file, which is its name if it has none."""
    if text in EMBEDDED:
        return EMBEDDED[text]
    if Path(text).suffix != ".json":
        raise ArgumentError(argument, text, f"{', '.join(EMBEDDED)} or a file that ends in .json")
    model = read_latency(text)
    return replace(model, name=printable(model.name or Path(text).name))


def _fraction(found: object) -> Fraction:
    if not isinstance(found, str) or not _FRACTION.fullmatch(found):
        raise ValueError('a string such as "717/10000000" or "0.0000717"')
    return Fraction(found)


def _fail(place: str, field: str, found: str, expected: str) -> NoReturn:
    raise FileError(f"{place}, {field}: found {found}, expected {expected}") from None
