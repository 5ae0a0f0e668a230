"""A lower bound on the TEL of any policy in tiers, from prices and in exact arithmetic.

With the prices p_(t, i) and c_i of `teltheory.optimal.duality`, let turn k have a share 0 <= a_k <= 1, and let S_i
be the room of tiers 0 to i. The excess of a turn is at least a_k (T - sum of (1 - rho_i) x_i), T =
max(0, total - xi), as it is not below 0 and not below T - sum of (1 - rho_i) x_i. So every unit is on its own, and
in the tier that is cheapest or in none:

    TEL  >=  sum of a_k T_k - sum over units of max(0, max over i of a_k (1 - rho_i) - c_i) - sum of p_(t, i) S_i.

If loading is overlapped, the excess is at least a_k (T - sum of x_i) + b_k (sum of rho_i x_i - xi) for shares with
a_k + b_k <= 1. TELs are whole numbers of parts of a unit, so the bound is rounded up to one. Prices are those of
the linear program, rounded; bad ones give a weak bound, never a wrong one.

A turn has no more units than lower its excess: T / (1 - rho_last), rounded up; T if loading is overlapped. (A plan
that holds more of it in tiers may hold that much of its head instead.) On a forest a unit's interval begins after
the last request before through it, and the bound is true of caches with holes, and so of strict ones. Of a
set of modules a request has a part for each item, those that were used last first.

Steps and intervals are those of `teltheory.optimal.parts`. This module uses nothing of what makes prices.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from numbers import Rational
from typing import Any

import numpy as np

from teltheory.errors import ArgumentError, CertificateError
from teltheory.model.display import in_short
from teltheory.model.forest import Forest
from teltheory.model.instance import Instances, instance_of
from teltheory.model.module_trace import ModuleTrace
from teltheory.model.numbers import IntArray, Ratio, exact_dot, exact_sum, whole_number
from teltheory.model.tiers import Tiers
from teltheory.model.trace import Trace
from teltheory.optimal.duality import check_column, most_gained, price_table
from teltheory.optimal.parts import Parts, inputs, parts_read, rooms, totals

COLUMNS = ("steps", "tiers", "numerators", "shares", "loading_shares")


@in_short
@dataclass(frozen=True, eq=False)
class TieredCertificate:
    """A proof that no policy has less TEL than `lower`.

    Attributes
    ----------
    lower : Fraction
        In the trace's unit.
    steps, tiers, numerators : ndarray of int64, shape (r,)
        A unit of room of tiers 0 to ``tiers[i]`` at step ``steps[i]``, 1 to n, costs ``numerators[i]`` /
        `denominator` parts; no step and tier twice.
    shares : ndarray of int64, shape (n,)
        Share of each turn, of 1 / `denominator`.
    loading_shares : ndarray of int64, shape (n,), or None
        The second share of each turn if loading is overlapped; None if it is not.
    denominator : int
        1 or more.
    """

    lower: Fraction
    steps: IntArray
    tiers: IntArray
    numerators: IntArray
    shares: IntArray
    loading_shares: IntArray | None
    denominator: int

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TieredCertificate):
            return NotImplemented
        same = (np.array_equal(getattr(self, name), getattr(other, name)) for name in COLUMNS)
        return (self.lower, self.denominator) == (other.lower, other.denominator) and all(same)

    __hash__ = None  # type: ignore[assignment]


def check_tiered_certificate(
    trace: Trace | Forest | ModuleTrace, tiers: Tiers, xi: int, certificate: object, forced: bool
) -> None:
    """Check a certificate in exact numbers; no solver. The arguments are those of `check_certificate`."""
    instance = tiered_instance(trace, tiers, forced)
    if not isinstance(certificate, TieredCertificate):
        raise ArgumentError("certificate", type(certificate).__name__, "a TieredCertificate")
    bound = bound_of(instance, tiers, whole_number("xi", xi), certificate)
    if certificate.lower > bound:
        raise CertificateError(f"lower: found {certificate.lower}, expected {bound} at most, as the prices prove")


def tiered_instance(trace: Trace | Forest | ModuleTrace, tiers: Tiers, forced: bool) -> Instances:
    """Return an instance with the capacity of the first tier; `ArgumentError` for tiers that keep copies."""
    if tiers.keeps_copies:
        raise ArgumentError("mode", tiers.mode, "'exclusive' or 'inclusive', for an optimum in tiers")
    instance: Instances = instance_of(trace, tiers.capacities[0], forced=forced)
    return instance


def bound_of(instance: Instances, tiers: Tiers, xi: int, certificate: TieredCertificate) -> Fraction:
    """Return what prices and shares prove; `CertificateError` if they are none."""
    n = len(instance)
    _check(certificate, tiers, n)
    useful = np.maximum(totals(instance) - xi, 0)
    parts = _of_use(instance, tiers, useful)
    price = price_table(n, certificate.steps, certificate.numerators, certificate.tiers, len(tiers))
    room = [rooms(replace(instance, capacity=pooled)) for pooled in tiers.pooled]
    proved = exact_dot(certificate.shares, useful) * tiers.denominator
    if certificate.loading_shares is not None:
        proved -= exact_sum(certificate.loading_shares) * xi * tiers.denominator
    proved -= most_gained(price, parts, room, _saves(certificate, tiers)[:, parts.turn], parts.units)
    return max(Ratio(0), Ratio(-(-proved // certificate.denominator), tiers.denominator))


def _of_use(instance: Instances, tiers: Tiers, useful: IntArray) -> Parts:
    """Return the parts without what is no input, or more than a turn can use, whatever tier it is in."""
    parts, worth = parts_read(instance), Fraction(1)
    if tiers.loading == "additive":
        worth -= Fraction(tiers.loads[-1])
    most = [-(-units * worth.denominator // worth.numerator) for units in useful.tolist()]
    return parts._replace(units=parts.within(np.minimum(inputs(instance), most)))


def _saves(certificate: TieredCertificate, tiers: Tiers) -> Any:
    """Return by how much a unit in each tier lowers its turn's excess; shape (tiers, n), in parts."""
    loads = [int(Fraction(load) * tiers.denominator) for load in tiers.loads]
    shares = certificate.shares.astype(object)
    if certificate.loading_shares is None:
        return np.array([shares * (tiers.denominator - load) for load in loads], object)
    loading = certificate.loading_shares.astype(object)
    return np.array([shares * tiers.denominator - loading * load for load in loads], object)


def _check(certificate: TieredCertificate, tiers: Tiers, n: int) -> None:
    """Raise `CertificateError` unless there are prices of steps and tiers, and shares of turns."""
    if not isinstance(certificate.lower, Rational):
        raise CertificateError(f"lower: found {certificate.lower!r}, expected a fraction")
    rows = certificate.steps.size if isinstance(certificate.steps, np.ndarray) else 0
    overlapped = tiers.loading == "overlapped"
    if (certificate.loading_shares is not None) != overlapped:
        found = "none" if overlapped else "some"
        raise CertificateError(f"loading_shares: found {found}, expected them if loading is overlapped alone")
    for name in COLUMNS[: 5 if overlapped else 4]:
        check_column(name, getattr(certificate, name), n if "shares" in name else rows, 0)
    if type(certificate.denominator) is not int or certificate.denominator < 1:
        raise CertificateError(f"denominator: found {certificate.denominator}, expected a whole number, 1 or more")
    _check_most("steps", certificate.steps, n, least=1)
    _check_most("tiers", certificate.tiers, len(tiers) - 1)
    places = certificate.steps * len(tiers) + certificate.tiers
    for i in np.flatnonzero(np.diff(places) <= 0)[:1]:
        raise CertificateError(
            f"steps[{i + 1}]: found {certificate.steps[i + 1]}, expected steps, then tiers, to rise"
        )
    together = certificate.shares.astype(object)
    if certificate.loading_shares is not None:
        together = together + certificate.loading_shares
    for k in np.flatnonzero(together > certificate.denominator)[:1]:
        raise CertificateError(f"shares[{k}]: found {together[k]}, expected {certificate.denominator} at most")


def _check_most(name: str, values: IntArray, most: int, least: int = 0) -> None:
    for i in np.flatnonzero((values < least) | (values > most))[:1]:
        raise CertificateError(f"{name}[{i}]: found {values[i]}, expected {least} to {most}")
