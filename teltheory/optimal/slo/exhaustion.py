"""The check that no policy has fewer SLO violations than so many: prices, and all that they do not rule out.

Where the bound of the prices (`teltheory.optimal.costs.prices`) is not enough, the steps are gone through in order
with every set of turns that could avoid their violations together. What is remembered of a choice is which of its
turns still hold their room, and its *loss*: with UB the bound on the number avoided,

    number avoided  =  UB - loss,

and each of these only adds to the loss, in units of 1 / denominator: a turn that is chosen though it pays more
than 1, one that is not chosen though it pays less, room and weight that have a price and are not taken. Of choices
that hold the same room only the least loss counts, and what lost more than UB less the number in question is
dropped. If nothing is left before the last step, that many can't be avoided.

This module uses nothing of what makes prices or looks for choices.
"""

from __future__ import annotations

from collections import defaultdict
from math import inf
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from teltheory.cost.given import Model, Size, Units
from teltheory.errors import ArgumentError, CertificateError
from teltheory.model.forest import Forest
from teltheory.model.initial import Initial
from teltheory.model.instance import ForestInstance, Instance, prefix_instance
from teltheory.model.numbers import IntArray, whole_number
from teltheory.model.trace import Trace
from teltheory.optimal.costs.prices import Cut, Priced, PricedTurn, Prices, bound_of, priced_turns
from teltheory.optimal.slo.staircases import Staircase

MOST_STATES = 6_000_000
LARGEST = 2**62
BITS = 62


def check_violations(
    trace: Trace | Forest,
    capacity: Size,
    xi: Size,
    prices: Prices,
    least: int,
    forced: bool = False,
    initial: Initial = (),
    most_states: int = MOST_STATES,
    *,
    running: int = 1,
    model: Model | None = None,
) -> None:
    """Check that at least so many turns compute more than `xi`, whatever the policy; no solver, exact.

    Parameters
    ----------
    trace, capacity, xi, forced, initial, running, model : as in `Problem`
    prices : Prices
        What proves it; bad prices make the check long, never wrong.
    least : int
        The number of violations in question.
    most_states : int
        Sets of turns to hold at a time; with more to do the check gives up. Each takes some 80 bytes, and 16 more
        for every 62 turns whose reuse overlaps.

    Raises
    ------
    CertificateError
        If these are no prices, fewer violations are possible, or the check gives up; the error says which.
    ArgumentError, TraceError, ForcedCachingError
        Wrong arguments.
    """
    if not isinstance(prices, Prices):
        raise ArgumentError("prices", type(prices).__name__, "Prices")
    units = Units.of(trace, model)
    instance = prefix_instance(trace, units.capacity(capacity), forced=forced, initial=initial, running=running)
    least = whole_number("least", least)
    if not is_least(instance, units.xi(xi), prices, least, most_states):
        raise CertificateError(f"least: found {least:,}, but fewer violations are possible")


def is_least(
    instance: Instance | ForestInstance,
    xi: int,
    prices: Prices,
    least: int,
    most_states: int,
    deadline: float = inf,
) -> bool:
    """Return whether so many violations are the least; `CertificateError` if it gives up, as at a deadline."""
    if least <= bound_of(instance, xi, prices):
        return True
    priced = priced_turns(instance, xi, prices)
    return not _Exhaustion(priced, prices, priced.above - least + 1, most_states, deadline).leaves_something()


class _Exhaustion:
    """Every set of turns that avoids a number of violations, step by step."""

    def __init__(
        self, priced: Priced, prices: Prices, wanted: int, most_states: int, deadline: float = inf
    ) -> None:
        self._priced, self._most_states, self._deadline = priced, most_states, deadline
        self._unit, self._price = prices.denominator, dict(zip(prices.steps, prices.numerators, strict=True))
        bound = priced.most_paid + sum(max(0, self._unit - turn.pays) for turn in priced.turns)
        self._allowed = bound - wanted * self._unit
        if bound + sum(turn.pays for turn in priced.turns) > LARGEST:
            raise CertificateError("prices: found sums beyond 2**62, expected a smaller denominator")
        self._begins: dict[int, list[PricedTurn]] = defaultdict(list)
        self._grows: dict[int, list[tuple[int, int]]] = defaultdict(list)
        self._ends: dict[int, list[Staircase]] = defaultdict(list)
        for turn in priced.turns:
            self._enter(turn)
        self._cuts: dict[int, list[tuple[Cut, int]]] = defaultdict(list)
        for cut, most in zip(prices.cuts, priced.most_weight, strict=True):
            self._cuts[cut.step].append((cut, most))
        self._bit: dict[int, int] = {}
        self._words: list[IntArray] = [np.zeros(1, np.int64)]
        self._taken: IntArray = np.zeros(1, np.int64)
        self._loss: IntArray = np.zeros(1, np.int64)

    def _enter(self, turn: PricedTurn) -> None:
        stairs = turn.stairs
        if stairs.first[0] > stairs.last:
            return
        self._begins[stairs.first[0]].append(turn)
        for first, units in zip(stairs.first[1:], stairs.units[1:], strict=True):
            if first <= stairs.last:
                self._grows[first].append((stairs.turn, units))
        self._ends[stairs.last].append(stairs)

    def leaves_something(self) -> bool:
        """Go through all steps; return whether a set is left at the end."""
        if self._allowed < 0:
            return False
        for step in range(1, len(self._priced.room)):
            if monotonic() >= self._deadline:
                raise CertificateError(f"prices: found no end by step {step}, expected one in time")
            for name, units in self._grows[step]:
                self._taken = self._taken + self._holds(name) * units
            for turn in self._begins[step]:
                self._with_and_without(turn, step)
            self._lose_at(step)
            if not len(self._loss):
                return False
            if self._ends[step]:
                self._forget(self._ends[step])
        return True

    def _with_and_without(self, turn: PricedTurn, step: int) -> None:
        need, name = turn.stairs.units[0], turn.stairs.turn
        bit = self._bit[name] = next(b for b in range(len(self._bit) + 1) if b not in self._bit.values())
        if bit // BITS == len(self._words):
            self._words.append(np.zeros(len(self._loss), np.int64))
        profit = self._unit - turn.pays
        without, held = self._loss + max(profit, 0), self._loss + max(-profit, 0)
        stay = np.flatnonzero(without <= self._allowed)
        fits = self._taken + need <= self._priced.room[step]
        join = np.flatnonzero((held <= self._allowed) & fits)
        if len(stay) + len(join) > self._most_states:
            found, most = f"{len(stay) + len(join):,}", f"{self._most_states:,}"
            raise CertificateError(f"prices: {found} sets to follow at step {step}, expected {most} at most")
        self._loss = np.concatenate((without[stay], held[join]))
        both = np.concatenate((stay, join))
        for i, word in enumerate(self._words):
            self._words[i] = word[both]
        self._words[bit // BITS][len(stay) :] |= 1 << (bit % BITS)
        self._taken = self._taken[both]
        self._taken[len(stay) :] += need

    def _lose_at(self, step: int) -> None:
        room, price = self._priced.room[step], self._price.get(step, 0)
        if price or self._cuts[step]:
            self._loss = self._loss + price * (room - self._taken)
        for cut, most in self._cuts[step]:
            weight = sum(each * self._holds(turn) for turn, each in zip(cut.turns, cut.weights, strict=True))
            self._loss = self._loss + cut.numerator * (most - weight)
        kept = (self._loss <= self._allowed) & (self._taken <= room)
        if not kept.all():
            self._keep(kept)

    def _holds(self, turn: int) -> IntArray:
        bit = self._bit[turn]
        return (self._words[bit // BITS] >> (bit % BITS)) & 1

    def _forget(self, turns: list[Staircase]) -> None:
        """Give back the room of turns that end; of equal sets keep the one of least loss."""
        for turn in turns:
            held, bit = self._holds(turn.turn), self._bit.pop(turn.turn)
            self._taken = self._taken - held * turn.at(turn.last)
            self._words[bit // BITS] = self._words[bit // BITS] & ~(1 << (bit % BITS))
        order = np.lexsort((self._loss, *self._words))
        first = np.zeros(len(order), np.bool_)
        first[:1] = True
        for word in self._words:
            first[1:] |= word[order[1:]] != word[order[:-1]]
        self._keep(order[first])

    def _keep(self, some: IntArray | NDArray[np.bool_]) -> None:
        for i, word in enumerate(self._words):
            self._words[i] = word[some]
        self._taken, self._loss = self._taken[some], self._loss[some]
