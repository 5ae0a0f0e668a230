"""A lower bound on the cost of any policy, from prices of room and in exact arithmetic.

Let p_t >= 0 be the price of a unit of room at step t. A policy that reuses x_k at turn k holds x_k over the turn's
whole reuse interval I_k, and never more than the room of a step in all, so for any prices at all

    sum of cost_k(x_k)  >=  sum of min over x of (cost_k(x) + p(I_k) x)  -  sum of p_t room_t,

with p(I_k) the sum of the prices over the interval. Each minimum is at a point of the piecewise-linear cost, so it
is exact for costs of any shape; what is lost is the difference to the lower convex envelopes. Bad prices give a
weak bound, never a wrong one. Steps, intervals and room are those of `teltheory.optimal.certificate`.

This module uses nothing of what makes prices.
"""

from __future__ import annotations

from itertools import accumulate

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.model.instance import Initial, Instance
from teltheory.model.trace import Trace
from teltheory.optimal.certificate import first_steps, max_reuse, rooms
from teltheory.optimal.costs import PiecewiseCosts
from teltheory.optimal.prices import Prices, check_prices


def cost_bound(
    trace: Trace, capacity: int, costs: PiecewiseCosts, prices: Prices, forced: bool = False, initial: Initial = ()
) -> int:
    """Return what all turns cost at least, whatever the policy; no solver, whole numbers only.

    Parameters
    ----------
    trace : Trace
        The turns.
    capacity : int
        Capacity, in the trace's unit.
    costs : PiecewiseCosts
        What turns cost.
    prices : Prices
        What proves the bound, in the costs' unit for a unit of room.
    forced : bool
        Forced caching.
    initial : iterable of (conversation, past, cached)
        Initial cache, least recent first.

    Returns
    -------
    int
        In the costs' unit, rounded up: all costs are whole.

    Raises
    ------
    CertificateError
        If the prices are none: negative, out of order, of steps that are not there.
    ArgumentError, TraceError, ForcedCachingError
        Wrong arguments.
    """
    instance = Instance.of(trace, capacity, forced=forced, initial=initial)
    check_costs(costs, instance)
    return bound_of_costs(instance, costs, prices)


def check_costs(costs: object, instance: Instance) -> None:
    """Raise `ArgumentError` unless there are costs for every turn."""
    if not isinstance(costs, PiecewiseCosts):
        raise ArgumentError("costs", type(costs).__name__, "PiecewiseCosts")
    if len(costs) != len(instance.trace):
        raise ArgumentError("costs", f"{len(costs)} turns", f"{len(instance.trace)}, as in the trace")


def bound_of_costs(instance: Instance, costs: PiecewiseCosts, prices: Prices) -> int:
    """Return `cost_bound` of an instance that was checked already."""
    paid, over = interval_prices(instance, prices)
    within = costs.up_to(max_reuse(instance))
    least: dict[int, int] = {}
    for turn, x, cost in zip(within.turn.tolist(), within.reuse.tolist(), within.cost.tolist(), strict=True):
        value = cost * prices.denominator + over[turn] * x
        if turn not in least or value < least[turn]:
            least[turn] = value
    return max(0, -((paid - sum(least.values())) // prices.denominator))


def interval_prices(instance: Instance, prices: Prices) -> tuple[int, list[int]]:
    """Return what all room costs, and a unit kept over each turn's reuse interval; both times the denominator."""
    n = len(instance.trace)
    check_prices(prices, n)
    room, price, paid = rooms(instance).tolist(), [0] * n, 0
    for step, numerator in zip(prices.steps, prices.numerators, strict=True):
        price[step - 1] = numerator
        paid += numerator * room[step - 1]
    up_to = [0, *accumulate(price)]
    first = np.minimum(first_steps(instance), np.arange(2, n + 2)).tolist()
    return paid, [up_to[turn + 1] - up_to[step - 1] for turn, step in enumerate(first)]
