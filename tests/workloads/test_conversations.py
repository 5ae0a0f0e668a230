from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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


def test_the_same_seed_gives_the_same_trace() -> None:
    assert sampled(seed=3) == sampled(seed=3)
    assert sampled(seed=3) != sampled(seed=4)


@settings(max_examples=40)
@given(st.integers(0, 300), st.integers(0, 2**32 - 1), st.sampled_from([0.001, 0.03, 3.0]))
def test_a_sample_has_exactly_its_turns_in_order(turns: int, seed: int, turn_rate: float) -> None:
    model = ConversationModel(death_rate=0.01, turn_rate=turn_rate)
    trace = sampled(model, turns, seed)
    assert len(trace) == turns
    assert trace.cumulative
    assert (np.diff(arrivals(trace)) >= 0).all()
    assert (arrivals(trace) > 0).all()
    assert trace.prompt.min(initial=1) >= 1
    assert trace.response.min(initial=1) >= 1


@given(st.integers(0, 2**32 - 1))
def test_conversations_are_numbered_by_birth(seed: int) -> None:
    trace = sampled(seed=seed)
    assert trace.conversation.tolist() == trace.code.tolist()


def test_a_sample_is_the_first_turns_in_time() -> None:
    """With rates of 1 and no deaths, t seconds bring t births and t**2 / 2 turns after them."""
    lasting = ConversationModel(birth_rate=1.0, death_rate=1e-3, turn_rate=1.0)
    trace = sampled(lasting, 2000)
    seconds = float(arrivals(trace)[-1])
    assert 45 < seconds < 85
    assert abs(trace.conversations - seconds) < 4 * math.sqrt(seconds)


def test_turns_per_conversation_are_geometric(large: tt.Trace, early: int) -> None:
    turns = np.bincount(large.conversation)[:early]
    ratio = MODEL.turn_rate / MODEL.death_rate
    error = math.sqrt(ratio * (1 + ratio) / early)
    assert early > 5000
    assert abs(turns.mean() - (1 + ratio)) < 4 * error
    never_return = 1 / (1 + ratio)
    share = float((turns == 1).mean())
    assert abs(share - never_return) < 4 * math.sqrt(never_return * (1 - never_return) / early)


def test_births_come_at_their_rate(large: tt.Trace, early: int) -> None:
    births = arrivals(large)[~large.continuing][:early]
    gaps = np.diff(births, prepend=0.0)
    mean = 1 / MODEL.birth_rate
    assert abs(gaps.mean() - mean) < 4 * mean / math.sqrt(early)
    assert abs((gaps > mean).mean() - math.exp(-1)) < 4 * math.sqrt(math.exp(-1) * (1 - math.exp(-1)) / early)


def test_a_return_lies_one_mean_lifetime_after_the_birth_on_average(large: tt.Trace, early: int) -> None:
    seconds = arrivals(large)
    births = seconds[~large.continuing]
    delays = seconds - births[large.conversation]
    whole = large.continuing & (large.conversation < early)
    by_conversation = np.bincount(large.conversation[whole], delays[whole], minlength=early)[:early]
    returns = np.bincount(large.conversation[whole], minlength=early)[:early]
    lifetime = 1 / MODEL.death_rate
    found = by_conversation.sum() / returns.sum()
    error = (by_conversation - found * returns).std() / math.sqrt(early) / returns.mean()
    assert error < 0.03 * lifetime
    assert abs(found - lifetime) < 4 * error


@pytest.mark.parametrize("column", ["prompt", "response"])
def test_lengths_are_lognormal_with_their_mean(column: str, large: tt.Trace) -> None:
    mean = {"prompt": MODEL.mean_prompt, "response": MODEL.mean_response}[column]
    lengths = getattr(large, column)
    deviation = mean * math.sqrt(math.expm1(MODEL.spread**2))
    assert abs(lengths.mean() - (mean + 0.5)) < 4 * deviation / math.sqrt(TURNS)
    logarithms = np.log(lengths - 0.5)
    assert abs(logarithms.std() - MODEL.spread) < 0.02
    assert abs(np.median(lengths) - mean * math.exp(-(MODEL.spread**2) / 2)) < 0.03 * mean


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
