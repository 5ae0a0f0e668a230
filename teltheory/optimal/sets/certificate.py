"""A lower bound on the TEL of any policy that keeps items whole or not at all, from prices in exact numbers.

Let a unit of room at step t cost p_t >= 0, and let request e have a share 0 <= a_e <= 1. Whoever has the items in
S cached whole when e comes saves min(g_e, sum of their sizes), g_e = max(0, total_e - xi). That is at most g_e,
and at most the sum over S of min(size_i, g_e); so it is at most 1 - a_e of the one and a_e of the other. An item
that is there for e takes size_i of the room at every step of its reuse interval I_ei. So with p(I) the sum of the
prices over an interval, for any prices and shares at all,

    saved  <=  sum of (1 - a_e) g_e  +  sum of max(0, a_e min(size_ei, g_e) - size_ei p(I_ei))  +  sum of p_t C_t,

and TEL = sum of g_e - saved, a whole number, so that the bound is rounded up. Items larger than the capacity are
never there. Good prices and shares are those of the linear program (`teltheory.optimal.sets.whole`); bad ones give
a weak bound, never a wrong one.

Steps and intervals are those of `teltheory.optimal.parts`. This module uses nothing of what makes prices.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from teltheory.errors import ArgumentError, CertificateError
from teltheory.model.display import in_short
from teltheory.model.instance import ModuleInstance
from teltheory.model.numbers import IntArray, exact_dot
from teltheory.model.outcome import Outcome
from teltheory.optimal.certificate import Certificate, check_against, unweighted
from teltheory.optimal.costs.prices import Prices, table_of
from teltheory.optimal.duality import check_column, check_room, most_gained
from teltheory.optimal.parts import parts_read, placed_parts, rooms, totals


@in_short
@dataclass(frozen=True, eq=False)
class WholeCertificate:
    """A proof that no policy that keeps items whole has less TEL than `lower`.

    Attributes
    ----------
    lower : int
        In tokens.
    prices : Prices
        Of a unit of room at some steps, without cuts.
    shares : ndarray of int64, shape (n,)
        Share of each request, 0 or more, in parts of ``prices.denominator``, which is the most.
    """

    lower: int
    prices: Prices
    shares: IntArray

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, WholeCertificate):
            return NotImplemented
        same = (self.lower, self.prices) == (other.lower, other.prices)
        return same and np.array_equal(self.shares, other.shares)

    __hash__ = None  # type: ignore[assignment]


def check_set_certificate(instance: ModuleInstance, xi: int, certificate: object) -> None:
    """Check a certificate of an instance that was checked already, in exact numbers; no solver."""
    if isinstance(certificate, Certificate):
        return check_against(instance, xi, certificate, unweighted(len(instance)))
    if not isinstance(certificate, WholeCertificate):
        raise ArgumentError("certificate", type(certificate).__name__, "a Certificate or a WholeCertificate")
    bound, found = whole_bound(replace(instance, whole=True), xi, certificate), certificate.lower
    if type(found) is not int or found > bound:
        raise CertificateError(f"lower: found {found!r}, expected {bound} at most, as the prices prove")
    return None


def whole_bound(instance: ModuleInstance, xi: int, certificate: WholeCertificate) -> int:
    """Return what prices and shares prove; `CertificateError` if they are none."""
    prices, shares = certificate.prices, certificate.shares
    price = table_of(prices, len(instance))
    if prices.cuts:
        raise CertificateError(f"prices: found {len(prices.cuts)} cuts, expected none")
    check_column("shares", shares, len(instance), 0, prices.denominator)
    parts, useful = parts_read(instance), np.maximum(totals(instance) - xi, 0)
    gains = shares.astype(object)[parts.turn] * np.minimum(parts.units, useful[parts.turn])
    gained = most_gained(price, parts, rooms(instance), gains, np.ones_like(parts.units), takes=parts.units)
    return max(0, -((gained - exact_dot(shares, useful)) // prices.denominator))


def whole_outcome(instance: ModuleInstance, kept: IntArray) -> Outcome:
    """Return what a plan of whole items comes to; `CertificateError` if it can't be carried out.

    ``kept`` is of all members: the item's size if it is kept for this use, or 0.
    """
    parts, place = placed_parts(instance)
    sizes = np.zeros_like(kept)
    sizes[place] = parts.units
    for use in np.flatnonzero((kept != 0) & (kept != sizes))[:1]:
        raise CertificateError(f"kept[{use}]: found {kept[use]}, expected 0 or {sizes[use]}")
    check_room(kept[place], parts, rooms(instance))
    reused = np.zeros(len(instance), np.int64)
    np.add.at(reused, instance.requests.request, kept)
    return Outcome.of(instance, reused)
