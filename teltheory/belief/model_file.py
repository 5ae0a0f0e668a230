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
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta

from teltheory.base.input_files import read_json
from teltheory.base.plain_data import read_as, shape
from teltheory.belief.model import Allocation, BeliefKind, BeliefMDP, Heard, Recent
from teltheory.errors import FileError, TelTheoryError
from teltheory.workloads.laws import Finite, fixed

MOST_BYTES = 1_000_000
EXPECTED = "a model of the belief MDP"
NUMBER = 'a whole number or a fraction such as "1/3", 0 or more'
_Whole = Annotated[int, Meta(ge=0, description="a whole number, 0 or more")]


class _Chances:
    """Numbers with their probabilities."""

    def __init__(self, data: Any) -> None:
        if not isinstance(data, dict) or not data:
            raise ValueError("an object of numbers with their probabilities")
        self.pairs = sorted((_number(x), _number(p)) for x, p in data.items())
        total = sum(p for _, p in self.pairs)
        if total != 1 or min(p for _, p in self.pairs) == 0:
            raise ValueError(f"probabilities above 0 with sum 1, not {total}")


class _Law(_Chances):
    """Lengths with their probabilities."""

    def __init__(self, data: Any) -> None:
        super().__init__(data)
        if any(length.denominator != 1 for length, _ in self.pairs):
            raise ValueError("whole lengths")

    def finite(self) -> Finite:
        """Return the law."""
        return Finite(tuple(int(length) for length, _ in self.pairs), tuple(p for _, p in self.pairs))


class _Gaps(_Chances):
    """Values of x = exp(-gap) with their probabilities."""

    def __init__(self, data: Any) -> None:
        super().__init__(data)
        if not all(0 < x <= 1 for x, _ in self.pairs):
            raise ValueError("x = exp(-gap) above 0 and at most 1")


def _number(value: Any) -> Fraction:
    if isinstance(value, float):
        near = Fraction(value).limit_denominator(1000) if abs(value) < 1e6 else Fraction(0)
        raise ValueError(f'no decimals: write "{near or "1/3"}"')
    try:
        found = Fraction(value) if isinstance(value, int | str) and "." not in str(value) else Fraction(-1)
    except (ValueError, ZeroDivisionError):
        found = Fraction(-1)
    if isinstance(value, bool) or found < 0:
        raise ValueError(NUMBER)
    return found


_HOOKS = {Fraction: _number, _Law: _Law, _Gaps: _Gaps}
_KIND: Any = shape(
    "Kind", turn_rate=_Whole, prompts=list[_Law], name=(str, ""), share=(Fraction, 1), response=(_Law | None, None)
)
_CONVERSATION: Any = shape(
    "Conversation", kind=str, past=_Whole, turns=(_Whole, 1), silent=(_Whole, 0), cached=(_Whole | None, None)
)
_START: Any = shape("Start", conversations=list[_CONVERSATION], gaps=(list[Fraction], []))
_MODEL: Any = shape(
    "Model",
    capacity=_Whole,
    xi=_Whole,
    gaps=_Gaps,
    kinds=list[_KIND],
    caching=(Literal["optional", "forced"], "optional"),
    belief=(Literal["paper", "bayes"], "paper"),
    death_rate=(_Whole, 1),
    birth_rate=(Fraction, Fraction(1)),
    start=(_START | None, None),
)


def read_model(path: str | os.PathLike[str]) -> BeliefMDP:
    """Read a model from a JSON file.

    Parameters
    ----------
    path : str or PathLike
        The file.

    Raises
    ------
    FileError
        What does not fit, in one line with file and field: a float, a sum that is not 1, an unknown kind, ...
    """
    return model_of(read_json(Path(path), EXPECTED, MOST_BYTES), str(path))


def model_of(data: object, name: str = "model") -> BeliefMDP:
    """Return the model that a document describes; `name` begins errors."""
    read = read_as(name, data, _MODEL, _HOOKS)
    if sum(kind.share for kind in read.kinds) != 1:
        raise FileError(
            f"{name}, kinds, share: found a sum of {sum(kind.share for kind in read.kinds)}, expected 1"
        )
    try:
        kinds = tuple(_kind(one) for one in read.kinds)
        model = BeliefMDP(
            *(
                read.capacity,
                read.xi,
                kinds,
                read.birth_rate,
                read.death_rate,
                tuple(read.gaps.pairs),
                read.belief,
            ),
            forced=read.caching == "forced",
        )
    except TelTheoryError as error:
        raise FileError(f"{name}, {error}") from None
    return model if read.start is None else replace(model, start=_start(f"{name}, start", read.start, model))


def _kind(one: Any) -> BeliefKind:
    response = fixed(0) if one.response is None else one.response.finite()
    return BeliefKind(one.turn_rate, tuple(law.finite() for law in one.prompts), response, one.share, one.name)


def _start(place: str, read: Any, model: BeliefMDP) -> tuple[Recent, Allocation]:
    found = [_conversation(f"{place}, conversations[{i}]", one, model) for i, one in enumerate(read.conversations)]
    found.sort(key=lambda one: one[0].silent)
    numbers = [one.silent for one, _ in found]
    if numbers[:1] != [0] or len(set(numbers)) < len(numbers):
        expected = "0 for one conversation and another number for each other one"
        raise FileError(f"{place}, silent: found {numbers}, expected {expected}")
    known = [x for x, _ in model.gaps]
    if any(x not in known for x in read.gaps) or (len(known) > 1 and len(read.gaps) < numbers[-1]):
        said = ", ".join(map(str, read.gaps)) or "nothing"
        raise FileError(f"{place}, gaps: found {said}, expected the last {numbers[-1]}, each one of the model's")
    return Recent(tuple(one for one, _ in found), tuple(read.gaps)), tuple(cached for _, cached in found)


def _conversation(place: str, one: Any, model: BeliefMDP) -> tuple[Heard, int]:
    names = [kind.name or str(k) for k, kind in enumerate(model.kinds)]
    if one.kind not in names:
        raise FileError(f"{place}, kind: found {one.kind!r}, expected one of {', '.join(names)}")
    k, whole = names.index(one.kind), one.past
    cached = (0 if one.silent else whole) if one.cached is None else one.cached
    if cached > whole or (not one.silent and cached < whole):
        most = f"at most the past {whole}" if one.silent else f"the past {whole}, as all of it is at hand"
        raise FileError(f"{place}, cached: found {cached}, expected {most}")
    return Heard(k, min(one.turns, len(model.kinds[k].prompts) - 1), whole, one.silent), cached
