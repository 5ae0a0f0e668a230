"""The law of the next turn, against a single conversation's closed form and its own sum."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from teltheory.belief.next_event import next_event
from teltheory.errors import ArgumentError

RATES = st.floats(1e-6, 1e6)


@given(st.floats(0, 1), RATES, RATES, RATES)
def test_one_conversation_meets_one_birth(pi: float, rate: float, mu: float, births: float) -> None:
    """The conversation turns, dies or is forestalled by a birth, whichever comes first."""
    p, new = next_event(np.array([pi]), np.array([rate]), mu, births)
    assert p[0] == pytest.approx(pi * rate / (rate + mu + births), rel=1e-12)
    assert new + p[0] == pytest.approx(1, rel=1e-12)


def test_nobody_is_there() -> None:
    p, new = next_event(np.array([]), np.array([]), 1.0, 2.0)
    assert p.shape == (0,)
    assert new == pytest.approx(1, rel=1e-12)


BAD: list[tuple[str, list[Any]]] = [
    ("alive", [[1.5], [1.0], 1.0, 1.0]),
    ("alive", [[math.nan], [1.0], 1.0, 1.0]),
    ("turn_rates", [[1.0], [-1.0], 1.0, 1.0]),
    ("turn_rates", [[1.0], [math.inf], 1.0, 1.0]),
    ("turn_rates", [[1.0], [1.0, 1.0], 1.0, 1.0]),
    ("death_rate", [[1.0], [1.0], 0.0, 1.0]),
    ("birth_rate", [[1.0], [1.0], 1.0, math.inf]),
]


@pytest.mark.parametrize(("name", "arguments"), BAD)
def test_a_bad_argument_is_named(name: str, arguments: list[Any]) -> None:
    with pytest.raises(ArgumentError, match=rf"^{name}: found "):
        next_event(*arguments)
