"""Models of the belief MDP in files: JSON, whose numbers are whole or fractions as text.

    {"capacity": 2, "xi": 1, "caching": "optional", "belief": "bayes", "death_rate": 1, "birth_rate": "1/2",
     "gaps": {"2/3": 1},
     "kinds": [{"name": "slow", "turn_rate": 1, "share": "1/2", "prompts": [{"1": "1/2", "2": "1/2"}],
                "response": {"0": 1}}, ...],
     "start": {"conversations": [{"kind": "slow", "past": 2}, {"kind": "slow", "past": 1, "silent": 2, "cached":
     1}]}}

1. `gaps` has x = exp(-t) with its probability; `prompts` the laws of the first prompt, the second, ...: lengths
   with probabilities. `caching` is optional or forced, `belief` paper or bayes. Without `response` there is none.
2. `start` is optional: where values are asked. One conversation has just arrived; the others say for how many
   turns of others they were `silent`, how many `turns` they had (1 if left out) and how much of them is `cached`.
   Where several gaps are possible, `gaps` of the start lists the last ones, latest first.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

from teltheory.base.input_files import read_json
from teltheory.belief.model import Allocation, BeliefKind, BeliefMDP, Heard, Recent
from teltheory.errors import FileError, TelTheoryError, shown
from teltheory.workloads.laws import Finite, fixed

T = TypeVar("T")
MOST_BYTES = 1_000_000
EXPECTED = "a model of the belief MDP"
NEEDED = ("capacity", "xi", "gaps", "kinds")
BELIEFS, CACHING = ("paper", "bayes"), ("optional", "forced")


def read_model(path: str | os.PathLike[str]) -> BeliefMDP:
    """Read a model from a JSON file.

    Parameters
    ----------
    path : str or PathLike
        The file.

    Raises
    ------
    FileError
        What does not fit, in one line with file and field: no model, a float, a sum that is not 1, an unknown
        kind.
    """
    return model_of(read_json(Path(path), EXPECTED, MOST_BYTES), str(path))


def model_of(data: object, name: str = "model") -> BeliefMDP:
    """Return the model that a document describes; `name` begins errors."""
    fields = _object(name, data, NEEDED, ("caching", "belief", "death_rate", "birth_rate", "start"))
    kinds = tuple(
        _kind(f"{name}, kinds[{i}]", one) for i, one in enumerate(_list(f"{name}, kinds", fields["kinds"]))
    )
    _sum(f"{name}, kinds, share", [kind.share for kind in kinds])
    gaps = _law(f"{name}, gaps", fields["gaps"], _number)
    for x, _ in gaps:
        if not 0 < x <= 1:
            raise _wrong(f"{name}, gaps", str(x), "x = exp(-gap), above 0 and at most 1")
    model = _checked(
        name,
        lambda: BeliefMDP(
            _whole(f"{name}, capacity", fields["capacity"]),
            _whole(f"{name}, xi", fields["xi"]),
            kinds,
            _number(f"{name}, birth_rate", fields.get("birth_rate", 1)),
            _whole(f"{name}, death_rate", fields.get("death_rate", 1)),
            tuple(gaps),
            _one_of(f"{name}, belief", fields.get("belief", "paper"), BELIEFS),
            forced=_one_of(f"{name}, caching", fields.get("caching", "optional"), CACHING) == "forced",
        ),
    )
    if "start" not in fields:
        return model
    return replace(model, start=_start(f"{name}, start", fields["start"], model))


def _kind(place: str, data: object) -> BeliefKind:
    fields = _object(place, data, ("turn_rate", "prompts"), ("name", "share", "response"))
    prompts = _list(f"{place}, prompts", fields["prompts"])
    laws = tuple(_finite(f"{place}, prompts[{i}]", one) for i, one in enumerate(prompts))
    response = _finite(f"{place}, response", fields["response"]) if "response" in fields else fixed(0)
    rate, share = (
        _whole(f"{place}, turn_rate", fields["turn_rate"]),
        _number(f"{place}, share", fields.get("share", 1)),
    )
    return _checked(
        place, lambda: BeliefKind(rate, laws, response, share, _text(f"{place}, name", fields.get("name", "")))
    )


def _start(place: str, data: object, model: BeliefMDP) -> tuple[Recent, Allocation]:
    fields = _object(place, data, ("conversations",), ("gaps",))
    listed = _list(f"{place}, conversations", fields["conversations"])
    found = [_conversation(f"{place}, conversations[{i}]", one, model) for i, one in enumerate(listed)]
    found.sort(key=lambda one: one[0].silent)
    numbers = [one.silent for one, _ in found]
    if numbers[:1] != [0] or len(set(numbers)) < len(numbers):
        raise _wrong(f"{place}, silent", numbers, "0 for one conversation, another number for each other one")
    gaps = tuple(_number(f"{place}, gaps", x) for x in fields.get("gaps", ()))
    known = [x for x, _ in model.gaps]
    if any(x not in known for x in gaps) or (len(known) > 1 and len(gaps) < numbers[-1]):
        raise _wrong(
            f"{place}, gaps", [str(x) for x in gaps], f"the last {numbers[-1]} gaps, each one of the model's"
        )
    return Recent(tuple(one for one, _ in found), gaps), tuple(cached for _, cached in found)


def _conversation(place: str, data: object, model: BeliefMDP) -> tuple[Heard, int]:
    fields = _object(place, data, ("kind", "past"), ("turns", "silent", "cached"))
    names = [kind.name or str(k) for k, kind in enumerate(model.kinds)]
    k = names.index(_one_of(f"{place}, kind", fields["kind"], names))
    past, silent = (_whole(f"{place}, {name}", fields.get(name, 0)) for name in ("past", "silent"))
    cached = _whole(f"{place}, cached", fields.get("cached", 0 if silent else past))
    if cached > past or (not silent and cached < past):
        most = f"at most the past {past}" if silent else f"the past {past}, all of which is at hand"
        raise _wrong(f"{place}, cached", cached, most)
    turns = min(_whole(f"{place}, turns", fields.get("turns", 1)), len(model.kinds[k].prompts) - 1)
    return Heard(k, turns, past, silent), cached


def _law(place: str, data: object, key: Callable[[str, object], Any]) -> list[tuple[Any, Fraction]]:
    if not isinstance(data, dict) or not data:
        raise _wrong(place, data, "an object of values with their probabilities")
    found = sorted((key(place, x), _number(f"{place}, {x}", p)) for x, p in data.items())
    if min(p for _, p in found) <= 0:
        raise _wrong(place, data, "probabilities above 0")
    _sum(place, [p for _, p in found])
    return found


def _finite(place: str, data: object) -> Finite:
    lengths, chances = zip(*_law(place, data, _length), strict=True)
    return _checked(place, lambda: Finite(lengths, chances))


def _length(place: str, text: object) -> int:
    if isinstance(text, str) and text.isdecimal():
        return int(text)
    raise _wrong(place, text, "a length, a whole number")


def _sum(place: str, chances: list[Fraction]) -> None:
    if sum(chances) != 1:
        raise FileError(f"{place}: found a sum of {sum(chances)}, expected 1")


def _number(place: str, value: object) -> Fraction:
    if isinstance(value, float):
        near = Fraction(value).limit_denominator(1000) if abs(value) < 1e6 else Fraction(0)
        raise FileError(f'{place}: found {value!r}, expected no decimals: write "{near or "1/3"}" in place of it')
    try:
        if isinstance(value, int | str) and not isinstance(value, bool) and "." not in str(value):
            found = Fraction(value)
            if found >= 0:
                return found
    except (ValueError, ZeroDivisionError):
        pass
    raise _wrong(place, value, 'a whole number or a fraction such as "1/3", 0 or more')


def _whole(place: str, value: object) -> int:
    found = _number(place, value)
    if found.denominator != 1:
        raise _wrong(place, value, "a whole number")
    return int(found)


def _text(place: str, value: object) -> str:
    if isinstance(value, str):
        return value
    raise _wrong(place, value, "a text")


def _one_of(place: str, value: object, known: Any) -> Any:
    if value in known:
        return value
    raise _wrong(place, value, "one of " + ", ".join(known))


def _list(place: str, value: object) -> list[Any]:
    if isinstance(value, list) and value:
        return value
    raise _wrong(place, value, "a list of one or more")


def _object(place: str, data: object, needed: tuple[str, ...], more: tuple[str, ...]) -> Mapping[str, Any]:
    if not isinstance(data, dict):
        raise _wrong(place, data, "an object with " + ", ".join(needed))
    for name in needed:
        if name not in data:
            raise FileError(f"{place}, {name}: found nothing, expected it to be there")
    for name, value in data.items():
        if name not in (*needed, *more):
            raise _wrong(f"{place}, {name[:60]}", value, "no such field")
    return data


def _checked(place: str, made: Callable[[], T]) -> T:
    try:
        return made()
    except FileError:
        raise
    except TelTheoryError as error:
        raise FileError(f"{place}, {error}") from None


def _wrong(place: str, found: object, expected: str) -> FileError:
    return FileError(f"{place}: found {shown(found, 60)}, expected {expected}")
