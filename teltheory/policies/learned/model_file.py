"""What ET-LRU takes for true of conversations, as a small JSON file.

An object with ``death_rate`` and ``turn_rate`` per second (a list has one rate per conversation, by first
arrival), ``birth_rate`` for the belief "next-event", and ``prompts``: "learnt" (also if left out), a lognormal law
``{"mean_length": 200, "spread": 1.0}``, or a finite one ``{"lengths": [1, 2], "probabilities": ["1/3", "2/3"]}``.
"""

from fractions import Fraction
from pathlib import Path
from typing import Any

from teltheory.base.input_files import read_json
from teltheory.errors import ArgumentError, FileError, shown
from teltheory.model.numbers import read_fraction
from teltheory.workloads.laws import Finite, Law, LogNormal

EXPECTED = "a model of conversations"
FIELDS = ("death_rate", "turn_rate", "birth_rate", "prompts")
MOST_BYTES = 1 << 26


def read_model(file: str | Path) -> dict[str, Any]:
    """Return the arguments of `ETLRU` that a file holds."""
    data = read_json(Path(file), EXPECTED, MOST_BYTES)
    if not isinstance(data, dict):
        raise FileError(f"{file}: found {shown(data)}, expected {EXPECTED}, an object with {', '.join(FIELDS)}")
    for field in data:
        if field not in FIELDS:
            raise FileError(f"{file}: found the field {shown(field)}, expected {', '.join(FIELDS)}")
    for field in FIELDS[:2]:
        if field not in data:
            raise FileError(f"{file}: found no {field}, expected a rate per second")
    try:
        return {**data, "prompts": _law(data.get("prompts", "learnt"))}
    except ArgumentError as error:
        raise FileError(f"{file}, {error}") from None


def _law(value: Any) -> Law | str:
    match value:
        case "learnt":
            return "learnt"
        case {"mean_length": mean} if value.keys() <= {"mean_length", "spread"}:
            return LogNormal(mean, value.get("spread", 1.0))
        case {"lengths": [*lengths], "probabilities": [*shares]} if len(value) == 2:
            return Finite(tuple(lengths), tuple(map(_share, shares)))
    raise ArgumentError("prompts", value, '"learnt", mean_length and spread, or lengths and probabilities')


def _share(value: Any) -> Fraction:
    return read_fraction("probabilities", str(value), "fractions such as 1/3")
