import math
from typing import Any

import numpy as np
import pytest

import teltheory as tt
from teltheory.errors import ArgumentError
from teltheory.workloads import ConversationModel, sample_conversations

TURNS = 40_000
MODEL = ConversationModel(
    birth_rate=0.05, death_rate=0.01, turn_rate=0.03, mean_prompt=200.0, mean_response=500.0, spread=0.8
)


def sampled(model: ConversationModel = MODEL, turns: int = 200, seed: int = 0) -> tt.Trace:
    return sample_conversations(model, turns, np.random.default_rng(seed))


def arrivals(trace: tt.Trace) -> np.ndarray[Any, np.dtype[np.float64]]:
    assert trace.arrival is not None
    return trace.arrival


@pytest.fixture(scope="module")
def large() -> tt.Trace:
    return sampled(turns=TURNS, seed=20250711)


@pytest.fixture(scope="module")
def early(large: tt.Trace) -> int:
    """Number of conversations born so early that the sample holds all their turns."""
    seconds = arrivals(large)
    births = seconds[~large.continuing]
    return int(np.count_nonzero(births < seconds[-1] - 30 / MODEL.death_rate))


def test_a_sample_is_the_first_turns_in_time() -> None:
    """With rates of 1 and no deaths, t seconds bring t births and t**2 / 2 turns after them."""
    lasting = ConversationModel(birth_rate=1.0, death_rate=1e-3, turn_rate=1.0)
    trace = sampled(lasting, 2000)
    seconds = float(arrivals(trace)[-1])
    assert 45 < seconds < 85
    assert abs(trace.conversations - seconds) < 4 * math.sqrt(seconds)


def test_births_come_at_their_rate(large: tt.Trace, early: int) -> None:
    births = arrivals(large)[~large.continuing][:early]
    gaps = np.diff(births, prepend=0.0)
    mean = 1 / MODEL.birth_rate
    assert abs(gaps.mean() - mean) < 4 * mean / math.sqrt(early)
    assert abs((gaps > mean).mean() - math.exp(-1)) < 4 * math.sqrt(math.exp(-1) * (1 - math.exp(-1)) / early)


RATES = ("birth_rate", "death_rate", "turn_rate", "mean_prompt", "mean_response")
BAD_MODELS = [
    *((name, value) for name in RATES for value in (0, 0.0, -1.0, math.nan, math.inf)),
    *(("spread", value) for value in (-0.1, math.nan, math.inf)),
]


@pytest.mark.parametrize(("name", "value"), BAD_MODELS)
def test_a_bad_parameter_is_named(name: str, value: float) -> None:
    with pytest.raises(ArgumentError, match=rf"^{name}: found .*, expected a finite number") as caught:
        ConversationModel(**{name: value})
    assert repr(value) in str(caught.value)
