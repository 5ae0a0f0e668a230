"""Weights of turns, such as of tenants or priorities: whole numbers or fractions, never floats.

Weights are brought to whole numbers without a common factor, times one unit: 1/2, 1 and 3/2 are 1, 2 and 3 times
1/2. Everything after that is counted in whole numbers.
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

from teltheory.errors import ArgumentError
from teltheory.model.numbers import INT64_MAX, IntArray
from teltheory.model.trace import Trace

Weight: TypeAlias = int | Fraction
Weights: TypeAlias = Sequence[Weight] | NDArray[Any] | Mapping[Any, Weight]


@dataclass(frozen=True)
class TurnWeights:
    """Weights of the turns: turn k has ``whole[k] * unit``; `whole` is 0 or more, without a common factor."""

    whole: IntArray
    unit: Fraction

    def scaled(self, amount: int) -> Weight:
        """Return ``amount * unit``, an int where it is whole."""
        value = amount * self.unit
        return value.numerator if value.denominator == 1 else value


def turn_weights(trace: Trace, weights: Weights | None) -> TurnWeights:
    """Read weights, one per turn or a mapping from conversations (1 if left out); None stands for 1 everywhere."""
    if weights is None:
        return TurnWeights(np.ones(len(trace), np.int64), Fraction(1))
    values = _of_conversations(trace, weights) if isinstance(weights, Mapping) else _of_turns(trace, weights)
    distinct = set(values)
    denominator = lcm(*(value.denominator for value in distinct))
    factor = gcd(*(int(value * denominator) for value in distinct)) or 1
    if max(distinct, default=0) * denominator > INT64_MAX * factor:
        raise ArgumentError("weights", max(distinct), "weights below 2**63 times what divides all of them")
    scaled = {value: int(value * denominator) // factor for value in distinct}
    return TurnWeights(np.array([scaled[value] for value in values], np.int64), Fraction(factor, denominator))


def _of_turns(trace: Trace, weights: Any) -> list[Weight]:
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
