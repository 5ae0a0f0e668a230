"""Exact laws of the next turns: integration and the jump chain judge each other."""

from collections import Counter, defaultdict
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refused

from teltheory.belief.exact_events import exact_next_event, exact_sequences
from teltheory.errors import ArgumentError

HALF = Fraction(1, 2)
SHARES = st.fractions(0, 1, max_denominator=12)
RATES = st.fractions(Fraction(1, 6), 6, max_denominator=6)
CONVERSATIONS = st.lists(st.tuples(SHARES, st.one_of(st.just(Fraction(0)), RATES)), max_size=4)


def columns(conversations: list[tuple[Fraction, Fraction]]) -> tuple[list[Fraction], list[Fraction]]:
    return [pi for pi, _ in conversations], [rate for _, rate in conversations]


@settings(deadline=None)
@given(CONVERSATIONS, RATES, RATES, RATES)
def test_integration_and_the_jump_chain_agree(
    conversations: list[tuple[Fraction, Fraction]], mu: Fraction, births: Fraction, fresh: Fraction
) -> None:
    pis, rates = columns(conversations)
    p, new = exact_next_event(pis, rates, mu, births)
    expected = {(i,): share for i, share in enumerate((*p, new)) if share}
    assert exact_sequences(pis, rates, mu, births, 1, fresh) == expected
    assert sum(p) + new == 1


def test_a_law_to_check_by_hand() -> None:
    """Rates of 1: from {0, 1} a turn of either, a birth or a death of either, each one in five."""
    one = Fraction(1)
    assert exact_next_event([one], [1], 1, 1) == ((Fraction(1, 3),), Fraction(2, 3))
    share = Fraction(1, 5) + Fraction(1, 5) * Fraction(1, 3)
    assert exact_next_event([one, one], [1, 1], 1, 1) == ((share, share), 1 - 2 * share)


@settings(max_examples=30, deadline=None)
@given(CONVERSATIONS.filter(lambda known: len(known) < 4), RATES, RATES, RATES, st.integers(0, 2))
def test_a_longer_sequence_begins_like_a_shorter_one(
    conversations: list[tuple[Fraction, Fraction]], mu: Fraction, births: Fraction, fresh: Fraction, events: int
) -> None:
    pis, rates = columns(conversations)
    begun: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)
    for turns, share in exact_sequences(pis, rates, mu, births, events + 1, fresh).items():
        begun[turns[:-1]] += share
    assert begun == exact_sequences(pis, rates, mu, births, events, fresh)
    assert sum(begun.values()) == 1


def test_whoever_has_just_turned_is_alive() -> None:
    """A first turn of 1 leaves 1 alive and tells of 0 only that it was silent meanwhile."""
    pis, rates, mu, births = [HALF, Fraction(1)], [2, 1], 1, 1
    found = exact_sequences(pis, rates, mu, births, 2, 3)
    both = HALF / (births + 2 + 1 + 2 * mu)
    lost, alone = both * mu / (births + 1 + mu), HALF / (births + 1 + mu)
    again = {"both": Fraction(1, 6) + Fraction(1, 6) * Fraction(1, 3), "alone": Fraction(1, 3)}
    assert found[1, 1] == both * again["both"] + (lost + alone) * again["alone"]


def test_new_conversations_are_numbered_on_with_their_own_rate() -> None:
    found = exact_sequences([], [], 1, 1, 3, 2)
    assert set(found) == {(0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1), (0, 1, 2)}
    assert found[0, 0, 0] == Fraction(2, 4) ** 2
    assert set(exact_sequences([], [], 1, 1, 3, 0)) == {(0, 1, 2)}


def simulated(pis: list[float], rates: list[float], births: float, rng: np.random.Generator) -> tuple[int, ...]:
    """Return the next two turns, deaths at rate 1 one by one, new conversations with turns at rate 2."""
    rates = [*rates, 2.0, 2.0]
    alive = [i for i, pi in enumerate(pis) if rng.random() < pi]
    turns: list[int] = []
    while len(turns) < 2:
        new = max([len(pis), *(i + 1 for i in turns)])
        clocks = {("birth", new): births}
        clocks |= {("death", i): 1.0 for i in alive} | {("turn", i): rates[i] for i in alive}
        until = np.cumsum(list(clocks.values()))
        deed, i = list(clocks)[int(np.searchsorted(until, rng.random() * until[-1], side="right"))]
        if deed == "death":
            alive.remove(i)
        else:
            turns.append(i)
            alive = [*alive, i] if deed == "birth" else alive
    return tuple(turns)


@pytest.mark.long
def test_simulated_sequences_come_as_often_as_it_says() -> None:
    rng, n = np.random.default_rng(20250713), 20_000
    seen = Counter(simulated([0.5, 1.0], [2.0, 1.0], 1.0, rng) for _ in range(n))
    law = exact_sequences([HALF, Fraction(1)], [2, 1], 1, 1, 2, 2)
    assert set(seen) <= set(law)
    chi_square = sum((seen[turns] - n * float(p)) ** 2 / (n * float(p)) for turns, p in law.items())
    assert chi_square < len(law) - 1 + 4 * np.sqrt(2 * (len(law) - 1))


BAD: list[tuple[str, list[Any]]] = [
    ("alive", [[0.5], [1], 1, 1]),
    ("alive", [[Fraction(3, 2)], [1], 1, 1]),
    ("turn_rates", [[HALF], [0.5], 1, 1]),
    ("turn_rates", [[HALF], [-1], 1, 1]),
    ("turn_rates", [[HALF], [True], 1, 1]),
    ("turn_rates", [[HALF], [], 1, 1]),
    ("death_rate", [[HALF], [1], 0, 1]),
    ("birth_rate", [[HALF], [1], 1, 1.0]),
]


@pytest.mark.parametrize(("name", "arguments"), BAD)
def test_a_bad_argument_is_named_in_one_line(name: str, arguments: list[Any]) -> None:
    for law in (lambda: exact_next_event(*arguments), lambda: exact_sequences(*arguments, 1, 1)):
        refused(ArgumentError, f"{name}: found .*, expected .*$", law)


@pytest.mark.parametrize(
    ("name", "arguments"), [("events", [-1, 1]), ("new_rate", [1, -1]), ("new_rate", [1, 0.5])]
)
def test_a_bad_argument_of_sequences_is_named(name: str, arguments: list[Any]) -> None:
    refused(ArgumentError, f"{name}: found ", lambda: exact_sequences([HALF], [1], 1, 1, *arguments))
