"""A lower bound on SLO violations, from prices and in exact arithmetic.

Let p_t >= 0 be the price of a unit of room at step t. A turn whose violation is avoided takes need_e of the
room at every step of its reuse interval, so by weak duality, for any prices at all,

    violations avoided  <=  sum_t p_t room_t  +  sum_e max(0, 1 - need_e * sum of p_t over the interval of e).

An interval that does not even fit alone is left out of the sum. Good prices are the duals of the linear relaxation
(`teltheory.optimal.slo_solver`); bad ones give a weak bound, never a wrong one.

This module uses nothing of what makes prices. Steps and intervals are those of `teltheory.optimal.certificate`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate

from teltheory.errors import CertificateError
from teltheory.instance import Initial, Instance
from teltheory.numbers import whole_number
from teltheory.trace import Trace


@dataclass(frozen=True)
class Prices:
    """Prices of room: ``numerators[i] / denominator`` at step ``steps[i]``, and 0 elsewhere.

    Attributes
    ----------
    steps : tuple of int
        Ascending, from 1 to the number of turns.
    numerators : tuple of int
        0 or more, one a step.
    denominator : int
        1 or more.
    """

    steps: tuple[int, ...]
    numerators: tuple[int, ...]
    denominator: int


def violations_bound(
    trace: Trace, capacity: int, xi: int, prices: Prices, forced: bool = False, initial: Initial = ()
) -> int:
    """Return how many turns at least compute more than `xi`, whatever the policy; no solver, whole numbers only.

    Parameters
    ----------
    trace : Trace
        The turns.
    capacity, xi : int
        Capacity and threshold, in the trace's unit.
    prices : Prices
        What proves the bound.
    forced : bool
        Forced caching.
    initial : iterable of (conversation, past, cached)
        Initial cache, least recent first.

    Raises
    ------
    CertificateError
        Where the prices are none: negative, out of order, of steps that are not there.
    ArgumentError, TraceError, ForcedCachingError
        Wrong arguments.
    """
    instance = Instance.of(trace, capacity, forced=forced, initial=initial)
    return bound_of(instance, whole_number("xi", xi), prices)


def bound_of(instance: Instance, xi: int, prices: Prices) -> int:
    """Return `violations_bound` of an instance that was checked already."""
    n = len(instance.trace)
    _check(prices, n)
    room = [instance.capacity] * (n + 1)
    if instance.forced:
        for turn, past in enumerate(instance.past[:-1].tolist()):
            room[turn + 2] -= past
    price = [0] * (n + 1)
    for step, numerator in zip(prices.steps, prices.numerators, strict=True):
        price[step] = numerator
    up_to = list(accumulate(price))
    avoided = sum(numerator * room[step] for step, numerator in zip(prices.steps, prices.numerators, strict=True))
    above = 0
    for need, first, last in _violations(instance, xi):
        above += 1
        if need is None or (first <= last and need > min(room[first : last + 1])):
            continue
        paid = need * (up_to[last] - up_to[first - 1]) if first <= last else 0
        avoided += max(0, prices.denominator - paid)
    return max(0, above - Fraction(avoided, prices.denominator).__floor__())


def _violations(instance: Instance, xi: int) -> Iterator[tuple[int | None, int, int]]:
    """Yield need, first and last step of each turn above xi without a cache; no need where none would do."""
    held = {start.code: start.cached for start in instance.initial}
    latest: dict[int, int] = {}
    rows = zip(instance.trace.code.tolist(), instance.history.tolist(), instance.total.tolist(), strict=True)
    for turn, (code, history, total) in enumerate(rows):
        first = latest[code] + 2 + instance.forced if code in latest else 1
        there = history if code in latest else min(history, held.get(code, 0))
        latest[code] = turn
        if total > xi:
            yield (total - xi if total - xi <= there else None), first, turn + 1


def _check(prices: Prices, n: int) -> None:
    if len(prices.steps) != len(prices.numerators):
        raise CertificateError(f"prices: found {len(prices.numerators)}, expected {len(prices.steps)}, one a step")
    if prices.denominator < 1:
        raise CertificateError(f"denominator: found {prices.denominator}, expected 1 or more")
    before = 0
    for i, (step, numerator) in enumerate(zip(prices.steps, prices.numerators, strict=True)):
        if not before < step <= n:
            raise CertificateError(f"steps[{i}]: found {step}, expected ascending steps from 1 to {n}")
        if numerator < 0:
            raise CertificateError(f"numerators[{i}]: found {numerator}, expected 0 or more")
        before = step
