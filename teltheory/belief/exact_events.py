"""The law of the next turns in exact fractions, for whole or rational rates, by two methods that share nothing.

1. `exact_next_event` integrates the formula of `teltheory.policies.learned.next_event`. With rational rates its
integrand is
   a sum of terms c e^{-a t} with rational a and c, a polynomial in x = e^{-t / d} where d is a common denominator;
   each term integrates to c / a. The number of terms is the number of distinct sums of rates lambda_i + mu over
   subsets: n for equal rates, at most the largest sum for whole ones, up to 2^(n - 1) for rates with no relation.
2. `exact_sequences` follows the jump chain over the hidden set of conversations that are alive, 2^n sets for those
   that may be; it knows nothing of times, and goes on for several turns.
"""

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction

from teltheory.errors import ArgumentError
from teltheory.model.numbers import rational, whole_number

__all__ = ["exact_next_event", "exact_sequences"]

Exponentials = dict[Fraction, Fraction]
"""A sum of terms c e^{-a t}, c by a."""
Hidden = dict[frozenset[int], Fraction]
"""Probabilities of the sets of conversations that are alive."""


def exact_next_event(
    alive: Sequence[Fraction],
    turn_rates: Sequence[Fraction | int],
    death_rate: Fraction | int,
    birth_rate: Fraction | int,
) -> tuple[tuple[Fraction, ...], Fraction]:
    """Return the probability that each conversation sends the next turn, and that a new one does.

    Parameters
    ----------
    alive : sequence of Fraction
        Probabilities that the conversations are alive now.
    turn_rates : sequence of Fraction or int
        lambda of each, 0 or more.
    death_rate, birth_rate : Fraction or int
        mu and lambda_conv, above 0.

    Returns
    -------
    conversations : tuple of Fraction
        Probabilities, one a conversation.
    new : Fraction
        Probability of a birth; all sum to 1.

    Raises
    ------
    ArgumentError
        For numbers that are no fractions, or out of range.
    """
    pis, rates = _columns(alive, turn_rates)
    given = (("death_rate", death_rate), ("birth_rate", birth_rate))
    mu, births = (rational(name, rate, 0, above=True) for name, rate in given)
    silences = [_silence(pi, rate, mu) for pi, rate in zip(pis, rates, strict=True)]
    found = []
    for i, (pi, rate) in enumerate(zip(pis, rates, strict=True)):
        turning = {births + rate + mu: pi * rate}
        found.append(_integral(_product(turning, silences[:i] + silences[i + 1 :])))
    return tuple(found), _integral(_product({births: births}, silences))


def _silence(pi: Fraction, rate: Fraction, mu: Fraction) -> Exponentials:
    leaving = rate + mu
    return {Fraction(0): 1 - pi + pi * mu / leaving, leaving: pi * rate / leaving}


def _product(first: Exponentials, others: Sequence[Exponentials]) -> Exponentials:
    found = first
    for other in others:
        terms: Exponentials = defaultdict(Fraction)
        for a, c in found.items():
            for b, d in other.items():
                terms[a + b] += c * d
        found = terms
    return found


def _integral(terms: Exponentials) -> Fraction:
    """Return the integral from 0 to infinity."""
    return sum((c / a for a, c in terms.items()), Fraction(0))


def exact_sequences(
    alive: Sequence[Fraction],
    turn_rates: Sequence[Fraction | int],
    death_rate: Fraction | int,
    birth_rate: Fraction | int,
    events: int,
    new_rate: Fraction | int,
) -> dict[tuple[int, ...], Fraction]:
    """Return the law of which conversations send the next turns, whenever they do.

    Parameters
    ----------
    alive, turn_rates, death_rate, birth_rate
        As for `exact_next_event`.
    events : int
        Number of turns.
    new_rate : Fraction or int
        lambda of the conversations that are yet to come, numbered on from those given.

    Returns
    -------
    dict of tuple of int to Fraction
        The conversations of the turns, with the probability above 0 of that sequence.

    Raises
    ------
    ArgumentError
        For numbers that are no fractions, or out of range.
    """
    pis, rates = _columns(alive, turn_rates)
    given = (("death_rate", death_rate), ("birth_rate", birth_rate))
    mu, births = (rational(name, rate, 0, above=True) for name, rate in given)
    known = [*rates, *[rational("new_rate", new_rate, 0)] * whole_number("events", events)]
    found: dict[tuple[int, ...], Hidden] = {(): _hidden_now(pis)}
    for _ in range(events):
        longer: dict[tuple[int, ...], Hidden] = {}
        for turns, before in found.items():
            new = max((len(rates), *(i + 1 for i in turns)))
            longer |= {(*turns, i): after for i, after in _next_turn(before, known, mu, births, new).items()}
        found = longer
    return {turns: sum(hidden.values(), Fraction(0)) for turns, hidden in found.items()}


def _hidden_now(pis: Sequence[Fraction]) -> Hidden:
    hidden: Hidden = {frozenset(): Fraction(1)}
    for i, pi in enumerate(pis):
        present = {known | {i}: p * pi for known, p in hidden.items() if pi}
        absent = {known: p * (1 - pi) for known, p in hidden.items() if pi < 1}
        hidden = {**absent, **present}
    return hidden


def _next_turn(
    before: Hidden, rates: Sequence[Fraction], mu: Fraction, births: Fraction, new: int
) -> dict[int, Hidden]:
    """Return, for each conversation that may send the next turn, the hidden sets just after it."""
    after: dict[int, Hidden] = defaultdict(lambda: defaultdict(Fraction))
    waiting: Hidden = defaultdict(Fraction, before)
    for size in range(max(map(len, before)), -1, -1):
        for known in [hidden for hidden in waiting if len(hidden) == size]:
            p = waiting[known] / (births + sum(rates[i] + mu for i in known))
            after[new][known | {new}] += p * births
            for i in known:
                waiting[known - {i}] += p * mu
                if rates[i]:
                    after[i][known] += p * rates[i]
    return after


def _columns(
    alive: Sequence[Fraction], turn_rates: Sequence[Fraction | int]
) -> tuple[list[Fraction], list[Fraction]]:
    if len(alive) != len(turn_rates):
        raise ArgumentError("turn_rates", list(turn_rates), f"{len(alive)} rates, one a conversation")
    return [rational("alive", pi, 0, 1) for pi in alive], [rational("turn_rates", rate, 0) for rate in turn_rates]
