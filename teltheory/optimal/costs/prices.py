"""Lower bounds on SLO violations and on any costs of turns, from prices and in exact arithmetic.

Let p_t >= 0 be the price of a unit of room at step t. A turn whose violation is avoided takes need_e of the
room at every step of its reuse interval, so by weak duality, for any prices at all,

    violations avoided  <=  sum_t p_t room_t  +  sum_e max(0, 1 - need_e * sum of p_t over the interval of e).

An interval that does not even fit alone is left out of the sum. On a forest of shared prefixes what a request
takes grows towards it (`teltheory.optimal.slo.staircases`), and it pays for what it takes at each step: the same
argument. Whatever a strict cache does one with holes can do, so the bound is true of both.

A *cut* sharpens this. It gives whole weights w_e to turns whose intervals cover a step. Those of them that are
avoided together weigh at most W, the most that fits into the room of that step, which a knapsack over the weights
finds here. With a price q of a unit of weight, q W is added on the right, and turn e pays q w_e more.

**Costs.** A policy that reuses x_e at turn e holds x_e over the whole interval, so for any prices at all

    sum of cost_e(x_e)  >=  sum of min over x of (cost_e(x) + p(I_e) x)  -  sum of p_t room_t,

with p(I_e) the sum of the prices over the interval. Each minimum is at a point of the piecewise-linear cost, so it
is exact for costs of any shape; what is lost is the difference to the lower convex envelopes.

Good prices are the duals of the linear relaxation (`teltheory.optimal.slo.solver`), good cuts those that its
solution violates (`teltheory.optimal.slo.cuts`); bad ones give a weak bound, never a wrong one.

This module uses nothing of what makes prices. Steps and intervals are those of `teltheory.optimal.parts`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise
from operator import mul
from typing import Any, NamedTuple

import numpy as np

from teltheory.cost.given import Model, Size, Units
from teltheory.errors import ArgumentError, CertificateError
from teltheory.model.display import in_short
from teltheory.model.forest import Forest
from teltheory.model.initial import Initial
from teltheory.model.instance import ForestInstance, Instance, prefix_instance
from teltheory.model.numbers import exact_dot
from teltheory.model.trace import Trace
from teltheory.optimal.costs.of_turns import PiecewiseCosts
from teltheory.optimal.duality import paid, price_table
from teltheory.optimal.parts import parts_read, rooms, totals
from teltheory.optimal.slo.staircases import Staircase, staircases

MOST_WEIGHT = 10**6


@in_short
@dataclass(frozen=True)
class Cut:
    """Weights of turns whose intervals cover a step; a unit of weight costs numerator / the prices' denominator.

    Attributes
    ----------
    step : int
        From 1 to the number of turns.
    turns : tuple of int
        Counted from 0, ascending.
    weights : tuple of int
        1 or more, one a turn; `MOST_WEIGHT` at most in all.
    numerator : int
        0 or more.
    """

    step: int
    turns: tuple[int, ...]
    weights: tuple[int, ...]
    numerator: int


@in_short
@dataclass(frozen=True)
class Prices:
    """Prices of room: ``numerators[i] / denominator`` at step ``steps[i]``, and 0 elsewhere; and of cuts.

    Attributes
    ----------
    steps : tuple of int
        Ascending, from 1 to the number of turns.
    numerators : tuple of int
        0 or more, one a step.
    denominator : int
        1 or more.
    cuts : tuple of Cut
        In any order.
    """

    steps: tuple[int, ...]
    numerators: tuple[int, ...]
    denominator: int
    cuts: tuple[Cut, ...] = ()


def violations_bound(
    trace: Trace | Forest,
    capacity: Size,
    xi: Size,
    prices: Prices,
    forced: bool = False,
    initial: Initial = (),
    *,
    running: int = 1,
    model: Model | None = None,
) -> int:
    """Return how many turns at least compute more than `xi`, whatever the policy; no solver, whole numbers only.

    Parameters
    ----------
    trace, capacity, xi, forced, initial, running, model : as in `Problem`
    prices : Prices
        What proves the bound.

    Raises
    ------
    CertificateError
        If these are no prices: negative, out of order, or of steps that are not there.
    ArgumentError, TraceError, ForcedCachingError
        Wrong arguments.
    """
    units = Units.of(trace, model)
    instance = prefix_instance(trace, units.capacity(capacity), forced=forced, initial=initial, running=running)
    return bound_of(instance, units.xi(xi), prices)


def bound_of(instance: Instance | ForestInstance, xi: int, prices: Prices) -> int:
    """Return `violations_bound` of an instance that was checked already."""
    priced = priced_turns(instance, xi, prices)
    avoided = priced.most_paid + sum(max(0, prices.denominator - turn.pays) for turn in priced.turns)
    return max(0, priced.above - Fraction(avoided, prices.denominator).__floor__())


class PricedTurn(NamedTuple):
    """A turn whose violation can be avoided, on its own: what it holds, and pays for it."""

    stairs: Staircase
    pays: int


class Priced(NamedTuple):
    """Prices on an instance; turns ascend.

    `above` counts the turns above xi without a cache. ``room[t]`` is that of step t, entry 0 is unused.
    `most_weight` is the most that fits, of each cut, and `most_paid` what those that are
    avoided together pay at most.
    """

    turns: list[PricedTurn]
    above: int
    room: list[int]
    most_weight: list[int]
    most_paid: int


def priced_turns(instance: Instance | ForestInstance, xi: int, prices: Prices) -> Priced:
    """Put prices on the turns of an instance; `CertificateError` if they are none."""
    n, room = len(instance), [0, *rooms(instance).tolist()]
    price = table_of(prices, n)[0].tolist()
    most_paid, up_to = sum(map(mul, price, room[1:])), [0, *accumulate(price)]
    cuts = [(cut, _checked_weights(f"cuts[{i}]", cut, n)) for i, cut in enumerate(prices.cuts)]
    avoidable = {stairs.turn: stairs for stairs in staircases(instance, xi) if stairs.fits(room)}
    most_weight: list[int] = []
    extra: Counter[int] = Counter()
    for i, (cut, weights) in enumerate(cuts):
        most_weight.append(_most_weight(f"cuts[{i}]", cut.step, weights, avoidable, room))
        most_paid += cut.numerator * most_weight[i]
        for turn, weight in weights.items():
            extra[turn] += cut.numerator * weight
    turns = [PricedTurn(stairs, _pays(stairs, up_to) + extra[turn]) for turn, stairs in avoidable.items()]
    return Priced(turns, int(np.count_nonzero(totals(instance) > xi)), room, most_weight, most_paid)


def _pays(stairs: Staircase, up_to: list[int]) -> int:
    """Return what a turn pays for room, if prices add up to ``up_to[t]`` by step t."""
    end = up_to[stairs.last]
    return sum(
        units * (end - up_to[first - 1])
        for first, units in zip(stairs.first, stairs.units, strict=True)
        if first <= stairs.last
    )


def _most_weight(
    name: str, step: int, weights: dict[int, int], avoidable: dict[int, Staircase], room: list[int]
) -> int:
    """Return the largest weight of turns that fit into the room of a cut's step together."""
    least_need = {0: 0}
    for turn, weight in weights.items():
        need = avoidable[turn].at(step) if turn in avoidable else 0
        if not need:
            raise CertificateError(f"{name}: found turn {turn}, expected avoidable ones that cover its step")
        for lighter, taken in sorted(least_need.items(), reverse=True):
            heavier, more = lighter + weight, taken + need
            if more <= min(room[step], least_need.get(heavier, more)):
                least_need[heavier] = more
    return max(least_need)


def check_prices(prices: Prices, n: int) -> None:
    """Raise `CertificateError` unless there are whole prices of ascending steps from 1 to n, whatever the cuts."""
    if not isinstance(prices, Prices):
        raise CertificateError(f"prices: found {type(prices).__name__}, expected Prices")
    if len(prices.steps) != len(prices.numerators):
        raise CertificateError(f"prices: found {len(prices.numerators)}, expected {len(prices.steps)}, one a step")
    if not _whole(prices.denominator) or prices.denominator < 1:
        raise CertificateError(f"denominator: found {prices.denominator}, expected a whole number, 1 or more")
    before = 0
    for i, (step, numerator) in enumerate(zip(prices.steps, prices.numerators, strict=True)):
        if not _whole(step) or not before < step <= n:
            raise CertificateError(f"steps[{i}]: found {step}, expected ascending steps from 1 to {n}")
        if not _whole(numerator) or numerator < 0:
            raise CertificateError(f"numerators[{i}]: found {numerator}, expected a whole number, 0 or more")
        before = step


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _checked_weights(name: str, cut: Cut, n: int) -> dict[int, int]:
    """Return the weight of each turn of a cut; `CertificateError` if it is none."""
    try:
        weights = dict(zip(cut.turns, cut.weights, strict=True))
    except ValueError:
        told = f"{name}: found {len(cut.weights)} weights, expected {len(cut.turns)}, one a turn"
        raise CertificateError(told) from None
    if any(later <= turn for turn, later in pairwise(cut.turns)):
        raise CertificateError(f"{name}: found turns out of order, expected ascending turns")
    if not 1 <= cut.step <= n:
        raise CertificateError(f"{name}: found step {cut.step}, expected 1 to {n}")
    if cut.numerator < 0:
        raise CertificateError(f"{name}: found the numerator {cut.numerator}, expected 0 or more")
    if min(cut.weights, default=1) < 1 or sum(cut.weights) > MOST_WEIGHT:
        raise CertificateError(f"{name}: found other weights, expected 1 or more, {MOST_WEIGHT:,} at most in all")
    return weights


def cost_bound(
    trace: Trace,
    capacity: Size,
    costs: PiecewiseCosts,
    prices: Prices,
    forced: bool = False,
    initial: Initial = (),
    *,
    model: Model | None = None,
) -> int:
    """Return what all turns cost at least, whatever the policy; no solver, whole numbers only.

    Parameters
    ----------
    trace, capacity, forced, initial, model : as in `Problem`
    costs : PiecewiseCosts
        What turns cost.
    prices : Prices
        What proves the bound, in the costs' unit for a unit of room.

    Returns
    -------
    int
        In the costs' unit, rounded up: all costs are whole.

    Raises
    ------
    CertificateError
        If these are no prices: negative, out of order, or of steps that are not there.
    ArgumentError, TraceError, ForcedCachingError
        Wrong arguments.
    """
    room = Units.of(trace, model).capacity(capacity)
    instance = Instance.of(trace, room, forced=forced, initial=initial)
    check_costs(costs, instance)
    return bound_of_costs(instance, costs, prices)


def check_costs(costs: object, instance: Instance) -> None:
    """Raise `ArgumentError` unless there are costs for every turn."""
    if not isinstance(costs, PiecewiseCosts):
        raise ArgumentError("costs", type(costs).__name__, "PiecewiseCosts")
    if len(costs) != len(instance.requests):
        raise ArgumentError("costs", f"{len(costs)} turns", f"{len(instance.requests)}, as in the trace")


def bound_of_costs(instance: Instance, costs: PiecewiseCosts, prices: Prices) -> int:
    """Return `cost_bound` of an instance that was checked already."""
    price, parts, least = table_of(prices, len(instance)), parts_read(instance), 0
    for turn, most, over in zip(parts.turn.tolist(), parts.units.tolist(), paid(price, parts)[0], strict=True):
        points = _points_within(costs, turn, most)
        least += min(cost * prices.denominator + over * reuse for reuse, cost in points)
    return max(0, -((exact_dot(price[0], rooms(instance)) - least) // prices.denominator))


def _points_within(costs: PiecewiseCosts, turn: int, most: int) -> Iterator[tuple[int, int]]:
    """Yield the points (reuse, cost) of a turn's costs up to a reuse, and the one there if it is on a line."""
    some = slice(costs.offsets[turn], costs.offsets[turn + 1])
    reuse, cost = costs.reuse[some].tolist(), costs.cost[some].tolist()
    yield reuse[0], cost[0]
    for (low, dear), (high, cheap) in pairwise(zip(reuse, cost, strict=True)):
        if low < most:
            end = min(high, most)
            yield end, dear - (dear - cheap) // (high - low) * (end - low)


def table_of(prices: Prices, n: int) -> Any:
    """Return prices of the steps 1 ... n as `teltheory.optimal.duality` has them; `CertificateError` if none."""
    check_prices(prices, n)
    return price_table(n, prices.steps, prices.numerators)
