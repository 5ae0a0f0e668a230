"""A lower bound on the excess of applications under any policy, from prices and shares in exact numbers.

Let a route r of an application be all of its turns ("sum"), or a path in its graph ("path"), and y_e what turn e
reuses. The application's excess u is max(0, the largest sum over a route of total - y, less xi). So for shares
s_r >= 0 of its routes that add up to 1 or less,

    u  >=  sum over r of s_r (sum over e in r of (total_e - y_e) - xi).

With w_e the shares of the routes through e, and prices p_t >= 0 of a unit of room at step t, a policy pays p(I_e)
for a unit that it keeps for e over its reuse interval I_e, and all room costs sum of p_t C_t. So for any shares
and prices at all

    sum of u  >=  sum of s_r (sum of total_e - xi)  -  sum of max(0, w_e - p(I_e)) most_e  -  sum of p_t C_t,

with most_e the most that e can reuse. The excess is a whole number, so the bound is rounded up. Good prices and
shares are the duals of the linear relaxation (`teltheory.optimal.applications.program`); bad ones give a weak
bound, never a wrong one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from teltheory.errors import ArgumentError, CertificateError
from teltheory.model.applications import ApplicationTrace, Measure, check_measure, thresholds
from teltheory.model.instance import Instance
from teltheory.model.numbers import IntArray
from teltheory.optimal.costs.prices import Prices, table_of
from teltheory.optimal.duality import most_gained
from teltheory.optimal.parts import parts_read, rooms, totals


@dataclass(frozen=True)
class RouteShare:
    """A share of a route, ``numerator`` over the prices' denominator; `turns` ascend."""

    turns: tuple[int, ...]
    numerator: int


@dataclass(frozen=True)
class ApplicationCertificate:
    """A proof that no policy has less excess of applications than `lower`.

    Attributes
    ----------
    lower : int
        In the trace's unit.
    prices : Prices
        Of a unit of room at some steps, without cuts.
    shares : tuple of RouteShare
        Of one application no more than 1 in all.
    """

    lower: int
    prices: Prices
    shares: tuple[RouteShare, ...]


def check_application_certificate(
    apps: ApplicationTrace,
    capacity: int,
    xi: int | Sequence[int] | IntArray,
    certificate: object,
    measure: Measure = "sum",
    forced: bool = False,
) -> None:
    """Check a certificate in whole numbers; no solver.

    Raises
    ------
    CertificateError
        If it proves less than it says, or nothing.
    """
    if not isinstance(certificate, ApplicationCertificate):
        raise ArgumentError("certificate", type(certificate).__name__, "an ApplicationCertificate")
    instance = Instance.of(apps.trace, capacity, forced=forced)
    bound = proved_bound(apps, instance, thresholds(apps, xi), measure, certificate.prices, certificate.shares)
    found = certificate.lower
    if type(found) is not int or found > bound:
        raise CertificateError(f"lower: found {found!r}, expected {bound} at most, as prices and shares prove")


def proved_bound(
    apps: ApplicationTrace,
    instance: Instance,
    xi: Sequence[int],
    measure: Measure,
    prices: Prices,
    shares: Sequence[RouteShare],
) -> int:
    """Return what prices and shares prove; `CertificateError` if they are none."""
    if prices.cuts:
        raise CertificateError(f"prices: found {len(prices.cuts)} cuts, expected none")
    price = table_of(prices, len(instance))
    _check_shares(apps, check_measure(measure), shares, prices.denominator)
    total: list[int] = totals(instance).tolist()
    proved, worth = 0, np.zeros(len(instance), object)
    for share in shares:
        application = int(apps.application[share.turns[0]])
        proved += share.numerator * (sum(total[k] for k in share.turns) - xi[application])
        worth[list(share.turns)] += share.numerator
    parts = parts_read(instance)
    proved -= most_gained(price, parts, rooms(instance), worth[parts.turn], parts.units)
    return max(0, -(-proved // prices.denominator))


def _check_shares(apps: ApplicationTrace, measure: Measure, shares: Sequence[RouteShare], whole: int) -> None:
    given: Counter[int] = Counter()
    for i, share in enumerate(shares):
        if type(share.numerator) is not int or share.numerator < 0:
            raise CertificateError(f"shares[{i}]: found {share.numerator}, expected a whole number, 0 or more")
        if not _is_route(apps, measure, share.turns):
            raise CertificateError(f"shares[{i}]: found turns {share.turns}, expected a route by {measure!r}")
        given[int(apps.application[share.turns[0]])] += share.numerator
    for application, numerator in given.items():
        if numerator > whole:
            found = f"found shares of {numerator} for application {apps.names[application]!r}"
            raise CertificateError(f"shares: {found}, expected {whole} at most")


def _is_route(apps: ApplicationTrace, measure: Measure, turns: tuple[int, ...]) -> bool:
    if not turns or not all(type(k) is int and 0 <= k < len(apps) for k in turns):
        return False
    if measure == "sum":
        return turns == apps.turns[int(apps.application[turns[0]])]
    return all(early in apps.before[late] for early, late in pairwise(turns))
