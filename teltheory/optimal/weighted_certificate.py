"""A proof that a weighted hindsight optimum is one, and its check in exact numbers.

A certificate has two halves. `kept` is feasible and has the claimed weighted TEL: no better than possible.
`prices` of room bound what any policy can do: what is kept for turn k is worth weight_k a unit, at most cap_k of
it counts, and a unit kept over its whole reuse interval pays the prices of the steps that the interval covers, so

    sum of weight kept  <=  sum of price room  +  sum of cap max(0, weight - prices over the interval).

Where both sides are equal nothing is better, and the optimum is the sum of weight max(0, total - xi) less what is
kept. Steps, intervals, caps and room are those of `teltheory.optimal.certificate`. All numbers are Python's own,
so none is too large.

This module uses nothing of what makes certificates.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from operator import mul

import numpy as np

from teltheory.errors import ArgumentError, CertificateError
from teltheory.instance import Initial, Instance
from teltheory.numbers import IntArray, whole_number
from teltheory.optimal.certificate import check_kept, check_one_a_turn, first_steps, max_reuse, rooms
from teltheory.optimal.prices import Prices
from teltheory.optimal.room_prices import interval_prices
from teltheory.optimal.weights import TurnWeights, Weights, turn_weights
from teltheory.trace import Trace


@dataclass(frozen=True, eq=False)
class WeightedCertificate:
    """A proof of optimality.

    Attributes
    ----------
    objective : int or Fraction
        The optimal weighted TEL, in weights times the trace's unit.
    kept : ndarray of int64, shape (n,)
        What each turn reuses, as far as it lowers the turn's weighted excess.
    prices : Prices
        What a unit of room is worth at each step, in weights.
    """

    objective: int | Fraction
    kept: IntArray
    prices: Prices

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, WeightedCertificate):
            return NotImplemented
        same = np.array_equal(self.kept, other.kept)
        return same and (self.objective, self.prices) == (other.objective, other.prices)

    __hash__ = None  # type: ignore[assignment]


def check_weighted_certificate(
    trace: Trace,
    capacity: int,
    xi: int,
    weights: Weights,
    certificate: WeightedCertificate,
    forced: bool = False,
    initial: Initial = (),
) -> None:
    """Check a certificate in exact numbers; O(n), no solver.

    Parameters
    ----------
    trace : Trace
        The turns.
    capacity, xi : int
        Capacity and threshold, in the trace's unit.
    weights : sequence of int or Fraction, or mapping
        One weight a turn, or a mapping from conversations to weights.
    certificate : WeightedCertificate
        What claims to prove an optimum.
    forced : bool
        Forced caching.
    initial : iterable of (conversation, past, cached)
        Initial cache, least recent first.

    Raises
    ------
    CertificateError
        Where it proves nothing; the error says what fails, and where.
    ArgumentError, TraceError, ForcedCachingError
        Wrong arguments.
    """
    if not isinstance(certificate, WeightedCertificate):
        raise ArgumentError("certificate", type(certificate).__name__, "a WeightedCertificate")
    instance = Instance.of(trace, capacity, forced=forced, initial=initial)
    check_weighted_against(instance, whole_number("xi", xi), turn_weights(trace, weights), certificate)


def check_weighted_against(
    instance: Instance, xi: int, read: TurnWeights, certificate: WeightedCertificate
) -> None:
    """Check a certificate of an instance and weights that were checked already."""
    useful = np.maximum(instance.total - xi, 0)
    cap = np.minimum(max_reuse(instance), useful)
    check_one_a_turn(certificate.kept, len(instance.trace))
    check_kept(certificate.kept, cap, first_steps(instance), rooms(instance))
    weight: list[int] = read.whole.tolist()
    worth = _dot(weight, certificate.kept)
    tel = read.unit * (_dot(weight, useful) - worth)
    if certificate.objective != tel:
        raise CertificateError(
            f"objective: found {certificate.objective}, expected {tel}, the weighted TEL of what is kept"
        )
    bound, kept = _most_worth(instance, read, cap, certificate.prices), read.unit * worth
    if kept != bound:
        raise CertificateError(f"prices: they bound what is kept by {bound}, expected {kept}, what is kept")


def _dot(weight: list[int], amounts: IntArray) -> int:
    return sum(map(mul, weight, amounts.tolist()))


def _most_worth(instance: Instance, weights: TurnWeights, cap: IntArray, prices: Prices) -> Fraction:
    """Return what is kept at most worth, by the prices."""
    paid, over = interval_prices(instance, prices)
    of_weight, of_price = weights.unit.numerator * prices.denominator, weights.unit.denominator
    rows = zip(weights.whole.tolist(), cap.tolist(), over, strict=True)
    left = sum(most * max(0, weight * of_weight - price * of_price) for weight, most, price in rows)
    return Fraction(paid * of_price + left, of_price * prices.denominator)
