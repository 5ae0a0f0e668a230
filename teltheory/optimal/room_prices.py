"""What prices of room come to: what all room costs, and what a turn pays to keep a unit over its reuse interval.

Lower bounds by weak duality are counted from these two; see `teltheory.optimal.weighted_certificate` and
`teltheory.optimal.cost_bound`. All numbers are Python's own whole numbers. This module uses nothing of what makes
prices.
"""

from __future__ import annotations

from itertools import accumulate

import numpy as np

from teltheory.instance import Instance
from teltheory.optimal.certificate import first_steps, rooms
from teltheory.optimal.prices import Prices, check_prices


def interval_prices(instance: Instance, prices: Prices) -> tuple[int, list[int]]:
    """Return what all room costs, and a unit kept over each turn's reuse interval; both times the denominator.

    Parameters
    ----------
    instance : Instance
        Trace, capacity, caching mode and initial cache.
    prices : Prices
        Of room at steps from 1 to n.

    Raises
    ------
    CertificateError
        Where the prices are none: no whole numbers, negative, out of order, of steps that are not there.
    """
    n = len(instance.trace)
    check_prices(prices, n)
    room, price, paid = rooms(instance).tolist(), [0] * n, 0
    for step, numerator in zip(prices.steps, prices.numerators, strict=True):
        price[step - 1] = numerator
        paid += numerator * room[step - 1]
    up_to = [0, *accumulate(price)]
    first = np.minimum(first_steps(instance), np.arange(2, n + 2)).tolist()
    return paid, [up_to[turn + 1] - up_to[step - 1] for turn, step in enumerate(first)]
