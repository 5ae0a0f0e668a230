"""A proof that a hindsight optimum is one, and its check in exact whole numbers.

A certificate has two halves. `kept`, what each turn reuses of its conversation's past, is feasible and has the
claimed TEL: no better than possible. `steps`, a set P of steps at which the cache is looked at, bounds what any
policy can keep: each unit kept over a reuse interval that covers a step of P takes one of the units of room there,
and what is kept over an interval that covers none is at most its cap, so

    sum of kept  <=  sum of the room at the steps of P  +  sum of the caps of the intervals that cover none.

(It is the dual of the interval problem, Zhang et al. 2025, (1)-(5), with 0-1 prices: the lemma of
`teltheory.optimal.duality`.) Where both sides are equal nothing is better, and
TEL = sum of max(0, total - xi) - sum of kept is the optimum.

With weights of turns each step of P has a whole price, and a unit kept over an interval pays the prices that the
interval covers:

    sum of weight kept  <=  sum of price room  +  sum of cap max(0, weight - prices over the interval).

Weights and prices of 1 are the set P above. Sums that int64 does not hold are Python's own whole numbers. Weights,
such as of tenants or priorities, are whole numbers or fractions, never floats; they are brought to whole numbers
without a common factor, times one unit: 1/2, 1 and 3/2 are 1, 2 and 3 times 1/2.

Steps, intervals and room are those of `teltheory.optimal.parts`. On a forest a request reads several parts, each
with the last request before through it: an interval for each. Of what is kept for a request the leading units
count, so `kept` gives their number, and the bound is the same with the parts in place of the turns. Of module sets
a request has a part for each item that was used before, those that were used last first.

This module uses nothing of what makes certificates.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm
from numbers import Integral
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from teltheory.errors import ArgumentError, CertificateError
from teltheory.model.display import in_short
from teltheory.model.forest import Forest
from teltheory.model.instance import Instance, Instances
from teltheory.model.numbers import INT64_MAX, IntArray, exact_dot
from teltheory.model.trace import Trace
from teltheory.optimal.duality import check_column, check_room, most_gained, price_table
from teltheory.optimal.parts import Parts, inputs, parts_read, rooms, totals

Weight: TypeAlias = int | Fraction
Weights: TypeAlias = Sequence[Weight] | NDArray[Any] | Mapping[Any, Weight]


@in_short
@dataclass(frozen=True, eq=False)
class Certificate:
    """A proof of optimality.

    Attributes
    ----------
    objective : int or Fraction
        The optimal TEL, in the trace's unit; with weights in weights times that unit.
    kept : ndarray of int64, shape (n,)
        What each turn reuses, as far as it lowers the turn's excess; on a forest the leading units of its path, of
        module sets those of its items, the ones used last first.
    steps : ndarray of int64
        The set P, ascending, of steps from 1 to n.
    prices : ndarray of int64 or None
        With weights: the price of each step of P, 0 or more, in the largest number that divides all weights. None
        stands for prices of 1.
    """

    objective: Weight
    kept: IntArray
    steps: IntArray
    prices: IntArray | None = None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Certificate):
            return NotImplemented
        columns = ((self.kept, other.kept), (self.steps, other.steps), (_prices(self), _prices(other)))
        return self.objective == other.objective and all(np.array_equal(ours, its) for ours, its in columns)

    __hash__ = None  # type: ignore[assignment]


def check_against(instance: Instances, xi: int, certificate: Certificate, weights: TurnWeights) -> None:
    """Check a certificate of an instance and weights that were checked already."""
    n, parts, room = len(instance), parts_read(instance), rooms(instance)
    useful = np.maximum(totals(instance) - xi, 0)
    caps = parts.within(np.minimum(inputs(instance), useful))
    check_column("kept", certificate.kept, n, 0, _of_turns(parts, caps, n))
    check_room(parts.within(certificate.kept), parts, room)
    steps, prices = certificate.steps, _prices(certificate)
    check_column("steps", steps)
    for i in np.flatnonzero((steps < 1) | (steps > n) | (np.diff(steps, prepend=0) <= 0))[:1]:
        raise CertificateError(f"steps[{i}]: found {steps[i]}, expected ascending steps from 1 to {n}")
    check_column("prices", prices, len(steps), 0)
    kept = exact_dot(weights.whole, certificate.kept)
    tel = weights.scaled(exact_dot(weights.whole, useful) - kept)
    if certificate.objective != tel:
        raise CertificateError(
            f"objective: found {certificate.objective}, expected {tel}, the TEL of what is kept"
        )
    bound = most_gained(price_table(n, steps, prices), parts, room, weights.whole[parts.turn], caps)
    if kept != bound:
        raise CertificateError(f"steps: they bound what is kept by {bound}, expected {kept}, what is kept")


def _of_turns(parts: Parts, amounts: IntArray, turns: int) -> IntArray:
    together = np.zeros(turns, np.int64)
    np.add.at(together, parts.turn, amounts)
    return together


def _prices(certificate: Certificate) -> IntArray:
    return np.ones_like(certificate.steps) if certificate.prices is None else certificate.prices


def check_kept(kept: IntArray, instance: Instance) -> None:
    """Raise `CertificateError` unless amounts of each turn can be kept together."""
    parts = parts_read(instance)
    check_column("kept", kept, None, 0, parts.units)
    check_room(kept, parts, rooms(instance))


@dataclass(frozen=True)
class TurnWeights:
    """Weights of the turns: turn k has ``whole[k] * unit``; `whole` is 0 or more, without a common factor."""

    whole: IntArray
    unit: Fraction

    def scaled(self, amount: int) -> Weight:
        """Return ``amount * unit``, an int if it is whole."""
        value = amount * self.unit
        return value.numerator if value.denominator == 1 else value


def unweighted(turns: int) -> TurnWeights:
    """Return weights of 1."""
    return TurnWeights(np.ones(turns, np.int64), Fraction(1))


def turn_weights(trace: Any, weights: Weights | None) -> TurnWeights:
    """Read weights, one per turn or a mapping from conversations (1 if left out); None stands for 1 everywhere."""
    if weights is None:
        return unweighted(len(trace))
    if not isinstance(weights, Mapping):
        values = _of_sequence(trace, weights)
    elif trace.shared:
        raise ArgumentError("weights", "a mapping", "a weight per request, as a forest has no conversations")
    else:
        values = _of_conversations(trace, weights)
    distinct = set(values)
    denominator = lcm(*(value.denominator for value in distinct))
    factor = gcd(*(int(value * denominator) for value in distinct)) or 1
    if max(distinct, default=0) * denominator > INT64_MAX * factor:
        raise ArgumentError("weights", max(distinct), "weights below 2**63 times what divides all of them")
    scaled = {value: int(value * denominator) // factor for value in distinct}
    return TurnWeights(np.array([scaled[value] for value in values], np.int64), Fraction(factor, denominator))


def _of_sequence(trace: Trace | Forest, weights: Any) -> list[Weight]:
    if isinstance(weights, (str, bytes)) or not isinstance(weights, (Iterable, np.ndarray)):
        raise ArgumentError("weights", weights, "a sequence, one weight per turn, or a mapping from conversations")
    values = weights.tolist() if isinstance(weights, np.ndarray) else list(weights)
    if len(values) != len(trace):
        raise ArgumentError("weights", f"{len(values)} of them", f"{len(trace)}, one per turn")
    return [_weight(value, k) for k, value in enumerate(values)]


def _of_conversations(trace: Trace, weights: Mapping[Any, Any]) -> list[Weight]:
    labels = trace.conversation.tolist() if trace.names is None else [trace.names[i] for i in trace.conversation]
    known = set(labels if trace.names is None else trace.names)
    for label in weights:
        if label not in known or isinstance(label, bool):
            raise ArgumentError("weights", label, "a conversation of the trace")
    values = {label: _weight(value, label) for label, value in weights.items()}
    return [values.get(label, 1) for label in labels]


def _weight(value: Any, place: Any) -> Weight:
    if isinstance(value, bool) or not isinstance(value, (int, Fraction, Integral)) or value < 0:
        raise ArgumentError(f"weights[{place!r}]", value, "a whole number or a Fraction, 0 or more")
    return value if isinstance(value, Fraction) else int(value)
