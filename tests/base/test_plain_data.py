"""Plain data fits a declared type or is refused with its place, what was found there and what was expected."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any

import pytest
from msgspec import Meta

from teltheory.base.plain_data import MisfitError, fitted, read_as, shape
from teltheory.errors import ArgumentError, FileError

Few = Annotated[int, Meta(ge=0, le=9, description="a digit")]


@dataclass(frozen=True)
class Pair:
    low: Few
    high: float | None = None

    def __post_init__(self) -> None:
        if self.high is not None and self.high < self.low:
            raise ArgumentError("high", self.high, f"{self.low} or more")


def half(found: object) -> Fraction:
    if not isinstance(found, str):
        raise ValueError("a fraction - at `$.x`")
    return Fraction(found)


ALL = shape("all", pairs=list[Pair], share=(Fraction | None, None), rows=(tuple[tuple[bool, ...], ...], ()))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (3, ": found 3, expected an object with pairs, share, rows"),
        ({"pairs": [{"low": 1}, {"high": 2}]}, ", pairs[1], low: found nothing, expected a digit"),
        ({"pairs": [{"low": True}]}, ", pairs[0], low: found True, expected a digit"),
        ({"pairs": [{"low": 1.0}]}, ", pairs[0], low: found 1.0, expected a digit"),
        ({"pairs": [{"low": 1, "high": "2"}]}, ", pairs[0], high: found '2', expected a number"),
        ({"pairs": [{"low": 3, "high": 2}]}, ", pairs[0], high: found 2.0, expected 3 or more"),
        ({"pairs": [], "rows": [[], [False, 0]]}, ", rows[1][1]: found 0, expected true or false"),
        ({"pairs": [], "share": [1]}, ", share: found [1], expected a fraction - at `$.x`"),
        (
            {"pairs": [], "x` - at `$.y": 1},
            ": found field 'x', expected an object with pairs, share, rows",
        ),
        ({"\ud800": []}, ": found a field's name with half of a character, expected whole characters"),
    ],
)
def test_the_first_place_that_does_not_fit_is_named(data: Any, message: str) -> None:
    with pytest.raises(MisfitError) as caught:
        fitted(data, ALL, {Fraction: half})
    assert str(caught.value) == message
    with pytest.raises(FileError, match=r"^here"):
        read_as("here", data, ALL, {Fraction: half})


def test_what_fits_comes_back_as_its_type() -> None:
    found = fitted({"pairs": [{"low": 1, "high": 2}], "share": "1/3"}, ALL, {Fraction: half})
    assert (found.pairs, found.share, found.rows) == ([Pair(1, 2.0)], Fraction(1, 3), ())
    with pytest.raises(MisfitError, match=r", share\[1\]: found -1, expected a digit"):
        fitted({"pairs": [], "share": [1, -1]}, ALL, {Fraction: lambda found: fitted(found, list[Few])})
