"""Bounds of the model without forgetting, by one sweep in whole numbers for any table V: the certificate.

With f an upper bound of the chance that a forgotten conversation is next (`SlotModel.forgotten`) and TV one sweep,

    V + (min(TV - V) - f (max TV - gamma min V)) / (1 - gamma)  <=  V*
    V* <=  V + (max(TV - V) + f (C + gamma max V - min TV)) / (1 - gamma)

over all configurations: in the model without forgetting the chances of those who are known are these times 1 - F,
F <= f, and a turn of a forgotten one is worth gamma min V to C + gamma max V. It holds for a policy too, whose
sweep is T, and which keeps nothing of who was forgotten. The gain of a turn is between min(TV - V) and max(TV - V)
-+ f (C + max V - min V) (Odoni). M turns are M sweeps from 0, each of which adds its error to those before.

The sweep is in multiples of 2^-b, b at most 40: V is rounded to them, and what the sweep rounds down is counted.
Rates are brought to one denominator. Where it is too large they are rounded down to multiples of 1 / z, which
moves the law of the next turn by at most (K + 1) / (z times the least sum of rates) in total variation: TV moves
by no more than that times the range of what a turn may be worth, and the bounds are wider by so much. So they
always prove.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from teltheory.belief.model import starts
from teltheory.belief.slots import SlotModel
from teltheory.belief.sweeps import Numbers, Sweeps
from teltheory.errors import CertificateError
from teltheory.model.numbers import IntArray

FINEST = 40
RATE_BITS = 44


class Ahead(NamedTuple):
    """Which turns count: all, each `discount` times the one before, or a number; 1 and None: their average."""

    discount: Fraction = Fraction(1)
    turns: int | None = None


class Interval(NamedTuple):
    """A lower and an upper bound."""

    lower: Fraction
    upper: Fraction


def certified(
    slots: SlotModel, ahead: Ahead, table: NDArray[np.float64], choice: NDArray[np.int32] | None
) -> Interval:
    """Return bounds of the value from the start, or of the gain; of the best, or of a policy by its decisions."""
    largest = Fraction(slots.model.capacity) * (ahead.turns or 1)
    if ahead.turns is None:
        if not np.isfinite(table).all():
            raise CertificateError("table: found a value that is no finite number, expected one for each state")
        largest += Fraction(float(np.abs(table).max()))
    sweep = _Whole.of(slots, ahead.discount, largest, choice is None)
    if ahead.turns is not None:
        return sweep.of_turns(ahead.turns, choice)
    value = sweep.sweeps.value
    for at in range(0, len(table), 2**20):
        value[at : at + 2**20] = np.rint(np.ldexp(table[at : at + 2**20], sweep.bits)).astype(np.int64)
    once = sweep.once(value, choice)
    most = Fraction(slots.model.capacity)
    if ahead.discount == 1:
        wider = once.slip + slots.forgotten * (most + once.values[1] - once.values[0])
        return Interval(max(once.rise[0] - wider, Fraction(0)), min(once.rise[1] + wider, most))
    left, start = 1 - ahead.discount, sweep.at_start(value)
    lower = start + (once.rise[0] - once.lost) / left
    upper = start + (once.rise[1] + once.gained) / left
    return Interval(max(lower, Fraction(0)), min(upper, most / left))


@dataclass(frozen=True)
class _Once:
    """Least and largest of V, TV and TV - V; what the rounding of laws, and who was forgotten, may cost."""

    values: tuple[Fraction, Fraction]
    rise: tuple[Fraction, Fraction]
    slip: Fraction
    lost: Fraction
    gained: Fraction


@dataclass(frozen=True)
class _Whole:
    """A sweep in multiples of 2^-bits."""

    slots: SlotModel
    discount: Fraction
    bits: int
    sweeps: Sweeps
    moved: Fraction

    @classmethod
    def of(cls, slots: SlotModel, discount: Fraction, largest: Fraction, every: bool) -> _Whole:
        model = slots.model
        laws = lcm(*(p.denominator for p in (*(p for law in slots.after for _, p in law), *slots.savings)))
        shares = lcm(*(w.denominator for _, w in model.gaps))
        scale, unit = discount.denominator * laws, discount.denominator * laws * shares
        bits = min(FINEST, 61 - int((model.capacity + largest) * scale + 1).bit_length())
        if bits < 8 or unit >= 2**18:
            raise CertificateError(f"laws: found a common denominator of {unit}, expected fewer digits")
        total = model.birth_rate + slots.silent * max(slots.rates)
        exact = lcm(model.birth_rate.denominator, *(r.denominator for r in slots.rates))
        fits = 2 ** min(RATE_BITS, 62 - unit.bit_length())
        z = Fraction(exact) if exact * total < fits else Fraction(fits) / (int(total) + 1)
        least = model.birth_rate + min(slots.rate(one, x) for one in slots.types for x, _ in model.gaps)
        moved = Fraction(0) if z == exact else (slots.silent + 1) / (z * least)
        savings, rates = _whole(s * scale * 2**bits for s in slots.savings), _whole(r * z for r in slots.rates)
        weights = _whole(discount.numerator * p * laws for law in slots.after for _, p in law)
        numbers = _whole(w * shares for _, w in model.gaps), rates, savings, int(model.birth_rate * z), weights
        whole = Numbers(*numbers, (unit, int(every)), -(2**62), True)
        return cls(slots, discount, bits, Sweeps(slots, whole), moved)

    def swept(self, choice: NDArray[np.int32] | None) -> IntArray:
        """Return one sweep of the value, rounded down."""
        self.sweeps.expect()
        found = np.empty_like(self.sweeps.value)
        self.sweeps.keep(found)
        if choice is not None:
            return np.asarray(found[choice])
        self.sweeps.best(found)
        return found

    def once(self, value: IntArray, choice: NDArray[np.int32] | None, swept: IntArray | None = None) -> _Once:
        swept = self.swept(choice) if swept is None else swept
        lost = len(self.slots.model.gaps)
        values, after = (self._ends(value), self._ends(swept, lost))
        chunks = [slice(at, at + 2**20) for at in range(0, len(value), 2**20)]
        ends = [self._ends(swept[part] - value[part], lost) for part in chunks]
        rise = min(low for low, _ in ends), max(high for _, high in ends)
        most, f, g = Fraction(self.slots.model.capacity), self.slots.forgotten, self.discount
        slip = self.moved * (most + g * (values[1] - values[0]))
        below = max(after[1] + slip - g * values[0], Fraction(0))
        above = max(most + g * values[1] - after[0] + slip, Fraction(0))
        return _Once(values, rise, slip, slip + f * below, slip + f * above)

    def _ends(self, values: NDArray[np.int64], more: int = 0) -> tuple[Fraction, Fraction]:
        unit = Fraction(1, 2**self.bits)
        return int(values.min()) * unit, (int(values.max()) + more) * unit

    def at_start(self, value: IntArray) -> Fraction:
        found = (p * int(value[self.slots.place(recent, x)]) for p, recent, x in starts(self.slots.model))
        return sum(found, Fraction(0)) * Fraction(1, 2**self.bits)

    def of_turns(self, turns: int, choice: NDArray[np.int32] | None) -> Interval:
        """Sweep from 0; nobody is forgotten in the first K - (silent turns at the start) of the turns."""
        low = high = Fraction(0)
        value = self.sweeps.value
        longest = max(one.silent for _, recent, _ in starts(self.slots.model) for one in recent.conversations)
        sure = turns <= self.slots.silent - longest
        for _ in range(turns):
            swept = self.swept(choice)
            once = self.once(value, choice, swept)
            rounded = Fraction(len(self.slots.model.gaps), 2**self.bits)
            low = self.discount * low + (once.slip if sure else once.lost)
            high = self.discount * high + rounded + (once.slip if sure else once.gained)
            value[:] = swept
        start, most = self.at_start(value), Fraction(self.slots.model.capacity * turns)
        return Interval(max(start - low, Fraction(0)), min(start + high, most))


def _whole(values: Any) -> IntArray:
    return np.array([int(value // 1) for value in values], np.int64)
