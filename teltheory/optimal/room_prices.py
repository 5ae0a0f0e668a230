"""What prices of room come to: what all room costs, and what a turn pays to keep a unit over its reuse interval.

Lower bounds by weak duality are counted from these two; see `teltheory.optimal.weighted_certificate` and
`teltheory.optimal.cost_bound`. All numbers are Python's own whole numbers. This module uses nothing of what makes
prices.
"""

from __future__ import annotations

from itertools import accumulate

import numpy as np

from teltheory.errors import CertificateError
from teltheory.instance import Instance
from teltheory.optimal.certificate import first_steps, rooms
from teltheory.optimal.prices import Prices


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
    _check(prices, n)
    room, price, paid = rooms(instance).tolist(), [0] * n, 0
    for step, numerator in zip(prices.steps, prices.numerators, strict=True):
        price[step - 1] = numerator
        paid += numerator * room[step - 1]
    up_to = [0, *accumulate(price)]
    first = np.minimum(first_steps(instance), np.arange(2, n + 2)).tolist()
    return paid, [up_to[turn + 1] - up_to[step - 1] for turn, step in enumerate(first)]


def _check(prices: Prices, n: int) -> None:
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
