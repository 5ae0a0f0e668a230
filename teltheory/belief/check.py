"""`check_bounds`: the bounds of a solution computed anew, with nothing of what made them.

It reads the model alone: types, rates turn by turn, laws, the chance that a forgotten conversation is next, and
the sweep (`check.c`) are written a second time. What it has from `bounds` and `slots` is what they say: where a
state stands in the table (types in order, slot 1 lowest), which multiples values and rates are rounded to.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from itertools import product
from math import lcm
from typing import TYPE_CHECKING, Any

import numpy as np

from teltheory.base.loops import call
from teltheory.base.processes import cores
from teltheory.belief.model import Allocation, Known, Recent, aged, starts
from teltheory.errors import CertificateError
from teltheory.model.numbers import IntArray

if TYPE_CHECKING:
    from teltheory.belief.iteration import Solution

ONE = Fraction(1)


def check_bounds(solution: Solution) -> tuple[Fraction, Fraction]:
    """Return bounds of what a solution solved, computed anew from its table.

    Raises
    ------
    CertificateError
        The bounds that the solution has are narrower, so that its table does not prove them; or its decisions are
        none of the model.
    """
    lower, upper = Again(solution).bounds()
    if not lower >= solution.lower <= solution.upper >= upper:
        found = f"{float(solution.lower)!r} to {float(solution.upper)!r}"
        proved = f"what the table proves, {float(lower)!r} to {float(upper)!r}"
        raise CertificateError(f"bounds: found {found}, expected at least {proved}")
    return lower, upper


class Again:
    """The finite model and its sweep, in the whole numbers that `bounds` names."""

    def __init__(self, solution: Solution) -> None:
        self.model, self.silent = solution.slots.model, solution.slots.silent
        self.discount, self.turns = solution.ahead
        self.table, self.choice = solution.table, solution.choice
        self.types = sorted(self._types())
        self.laws = [self._turn(one) for one in self.types]
        new: dict[tuple[int, int, int], Fraction] = {}
        for k, kind in enumerate(self.model.kinds):
            for one, p in self._turn((k, 0, 0)).items() if kind.share else ():
                new[one] = new.get(one, Fraction(0)) + kind.share * p
        self.laws.append(new)
        self.ways = [(-1, 0)]
        for t, (_, _, past) in enumerate(self.types):
            self.ways += [(t, x) for x in range(1 + min(past, self.model.capacity))]
        self.states = len(self.types) * (len(self.ways) * len(self.model.gaps)) ** (self.silent - 1)
        if self.turns is None and self.table.shape != (self.states,):
            raise CertificateError(f"table: found {self.table.shape}, expected {self.states:,} values")

    def _turn(self, one: tuple[int, int, int]) -> dict[tuple[int, int, int], Fraction]:
        k, turns, past = one
        kind = self.model.kinds[k]
        found: dict[tuple[int, int, int], Fraction] = {}
        for (q, p), (a, r) in product(kind.prompt(turns).outcomes, kind.response.outcomes):
            then = (k, min(turns + 1, len(kind.prompts) - 1), self._cut(past + q + a))
            found[then] = found.get(then, Fraction(0)) + p * r
        return found

    def _cut(self, past: int) -> int:
        return past if self.model.forced else min(past, self.model.capacity + self.model.xi)

    def _types(self) -> set[tuple[int, int, int]]:
        new = [(k, 0, 0) for k, kind in enumerate(self.model.kinds) if kind.share]
        there = [(c.kind, c.turns, self._cut(c.past)) for _, s, _ in starts(self.model) for c in s.conversations]
        found, left = set(there), [*new, *there]
        while left:
            more = set(self._turn(left.pop())) - found
            found, left = found | more, left + list(more)
        return found

    def _rate(self, k: int, gaps: list[Fraction]) -> Fraction:
        known = Known(k, 0, ONE, 0)
        for x in gaps:
            known = known._replace(alive=aged(self.model, known, x))
        return self.model.kinds[k].turn_rate * known.alive

    def _rates(self) -> list[Fraction]:
        decays, found = [x for x, _ in self.model.gaps], []
        for last in product(decays, repeat=self.silent - 1):
            for x, k in product(decays, range(self.silent)):
                since = [*last[::-1][:k][::-1], x]
                by_kind = [self._rate(kind, since) for kind in range(len(self.model.kinds))]
                found += [by_kind[kind] for kind, _, _ in self.types]
        return found

    def _forgotten(self) -> Fraction:
        model, terms, decays = self.model, 12, [x for x, _ in self.model.gaps]
        x, kinds = max(decays), range(len(model.kinds))
        if x == 1 or model.death_rate == 0:
            return ONE
        many, mu = Fraction(0), model.death_rate
        for n in range(self.silent, self.silent + terms):
            many += max(self._rate(k, [x] * (n + 1)) for k in kinds)
        for kind in model.kinds:
            rate, power = kind.turn_rate, mu + kind.turn_rate * (model.belief != "paper")
            many += rate * Fraction(power, mu) * x ** (power * (self.silent + terms + 1)) / (1 - x**power)
        sure = model.birth_rate + min(self._rate(k, [min(decays)]) for k in kinds)
        return min(ONE, (many / (many + sure)).limit_denominator(2**40) + Fraction(1, 2**40))

    def bounds(self) -> tuple[Fraction, Fraction]:
        """Return the bounds."""
        model, g, f = self.model, self.discount, self._forgotten()
        most, gaps = Fraction(model.capacity), len(model.gaps)
        if self.turns is None and not np.isfinite(self.table).all():
            raise CertificateError("table: found a value that is no finite number, expected finite ones")
        largest = most * self.turns if self.turns else most + Fraction(float(np.abs(self.table).max()))
        sweep = _Sweep(self, largest)
        unit = Fraction(1, 2**sweep.bits)
        if self.turns is not None:
            return self._of_turns(sweep, unit, f)
        value = np.array([round(one * 2**sweep.bits) for one in self.table.tolist()], np.int64)
        swept = sweep.of(value)
        rise, low, high = swept - value, int(value.min()) * unit, int(value.max()) * unit
        first, last = int(rise.min()) * unit, (int(rise.max()) + gaps) * unit
        slip = sweep.moved * (most + g * (high - low))
        if g == 1:
            wide = slip + f * (most + high - low)
            return max(first - wide, Fraction(0)), min(last + wide, most)
        lost = slip + f * max((int(swept.max()) + gaps) * unit + slip - g * low, Fraction(0))
        gained = slip + f * max(most + g * high - int(swept.min()) * unit + slip, Fraction(0))
        start = self._start(value) * unit
        worst, best = start + (first - lost) / (1 - g), start + (last + gained) / (1 - g)
        return max(worst, Fraction(0)), min(best, most / (1 - g))

    def _of_turns(self, sweep: _Sweep, unit: Fraction, f: Fraction) -> tuple[Fraction, Fraction]:
        value, low, high = np.zeros(self.states, np.int64), Fraction(0), Fraction(0)
        most, gaps = Fraction(self.model.capacity), len(self.model.gaps)
        begun = max(one.silent for _, recent, _ in starts(self.model) for one in recent.conversations)
        forgets = self.turns is not None and self.turns > self.silent - begun
        for _ in range(self.turns or 0):
            swept = sweep.of(value)
            slip = sweep.moved * (most + int(value.max() - value.min()) * unit)
            low, high = low + slip, high + slip + gaps * unit
            if forgets:
                low += f * max((int(swept.max()) + gaps) * unit + slip - int(value.min()) * unit, Fraction(0))
                high += f * max(most + int(value.max()) * unit - int(swept.min()) * unit + slip, Fraction(0))
            value = swept
        start = self._start(value) * unit
        return max(start - low, Fraction(0)), min(start + high, most * (self.turns or 0))

    def _start(self, value: IntArray) -> Fraction:
        return sum((p * int(value[self._place(at, x)]) for p, at, x in starts(self.model)), Fraction(0))

    def _place(self, recent: Recent, cached: Allocation) -> int:
        decays, slots = [x for x, _ in self.model.gaps], {one.silent: one for one in recent.conversations}
        amounts = {one.silent: x for one, x in zip(recent.conversations, cached, strict=True)}
        types = {k: self.types.index((c.kind, c.turns, self._cut(c.past))) for k, c in slots.items()}
        place = 0
        for k in range(self.silent - 1, 0, -1):
            place = place * len(decays) + (decays.index(recent.gaps[k - 1]) if k <= len(recent.gaps) else 0)
        for k in range(self.silent - 1, 0, -1):
            x = min(amounts.get(k, 0), slots[k].past, self.model.capacity) if k in slots else 0
            place = place * len(self.ways) + self.ways.index((types.get(k, -1), x))
        return place * len(self.types) + types[0]


class _Sweep:
    """The whole numbers of a sweep, and what their rounding may move."""

    def __init__(self, again: Again, largest: Fraction) -> None:
        model, g = again.model, again.discount
        savings = []
        for k, turns, past in again.types:
            for y in range(model.capacity + 1):
                of = [(p, max(past + q - model.xi, 0)) for q, p in model.kinds[k].prompt(turns).outcomes]
                savings.append(sum((p * (cost - max(cost - y, 0)) for p, cost in of), Fraction(0)))
        chances = [p for law in again.laws for p in law.values()]
        laws, shares = (
            lcm(*(p.denominator for p in (*chances, *savings))),
            lcm(*(w.denominator for _, w in model.gaps)),
        )
        scale, unit = laws * g.denominator, laws * g.denominator * shares
        self.bits = min(40, 61 - int((model.capacity + largest) * scale + 1).bit_length())
        rates = again._rates()
        exact = lcm(model.birth_rate.denominator, *(r.denominator for r in rates))
        total, fits = model.birth_rate + again.silent * max(rates), 2 ** min(44, 62 - unit.bit_length())
        z = Fraction(exact) if exact * total < fits else Fraction(fits, int(total) + 1)
        decays = [x for x, _ in model.gaps]
        least = model.birth_rate + min(again._rate(k, [x]) for k, _, _ in again.types for x in decays)
        self.moved = Fraction(0) if z == exact else (again.silent + 1) / (z * least)
        firsts = np.cumsum([0, *map(len, again.laws)], dtype=np.int64)
        nexts = [again.types.index(one) for law in again.laws for one in law]
        weights = [g.numerator * p * laws for p in chances]
        pairs = product(enumerate(again.types), range(model.capacity + 1))
        way_of = [again.ways.index((t, min(x, one[2]))) for (t, one), x in pairs]
        histories = len(decays) ** (again.silent - 1)
        sizes = again.silent, len(again.ways), len(again.types), len(decays), model.capacity, int(model.forced)
        ways = _down(way_of), _down(t for t, _ in again.ways), _down(x for _, x in again.ways)
        of_rates = _down(w * shares for _, w in model.gaps), _down(r * z for r in rates)
        self._given = (
            (*sizes, again.states, histories),
            (*ways, _down(one[2] for one in again.types)),
            (len(nexts), firsts, _down(nexts), _down(weights)),
            (*of_rates, _down(s * scale * 2**self.bits for s in savings), int(model.birth_rate * z), unit),
        )
        self._choice, self._states = again.choice, again.states

    def of(self, value: IntArray) -> IntArray:
        """Return one sweep of values."""
        swept, parts = np.empty_like(value), cores() if self._states > 10_000 else 1
        ends = [self._states * i // parts for i in range(parts + 1)]

        def part(begin: int, end: int) -> int:
            return int(call("belief_check", *self._given, value, self._choice, begin, end, swept))

        with ThreadPoolExecutor(parts) as pool:
            wrong = max(pool.map(part, ends, ends[1:]))
        if wrong >= 0:
            raise CertificateError(f"decision of state {wrong:,}: found none of the model, expected one that fits")
        return swept


def _down(values: Any) -> IntArray:
    return np.array([int(value // 1) for value in values], np.int64)
