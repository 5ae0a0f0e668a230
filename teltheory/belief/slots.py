"""The finite model with forgetting: the belief MDP for all turns to come, as slots of a fixed number.

1. What is kept changes no arrival, so the cost is that of keeping nothing less what is *saved*: a turn of i of
   which y is kept saves (L + q - xi)+ - (L + q - y - xi)+, at most C. Pasts from C + xi on act alike and are one.
   Under forced caching a past that can exceed C is an error.
2. silent(i) is the number of turns of others since i's last one. No two conversations have the same, so a
   configuration is K slots, slot 0 for theta, each empty or a *type*: kind, number of turns, past. Who reaches
   silent = K is dropped for good, and leaves the sum of rates. Where several gaps are possible the last K - 1 are
   a part of the state, as pi goes by the time since the last turn.
3. Bellman, discount gamma: V(v, X) = max over Y <= X with sum Y <= C of E[saving + gamma V(v+, X+)].

`SlotModel` has the places and the exact rates; `teltheory/belief/sweep.h` the sweep.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise, product
from math import prod
from typing import TypeAlias

import numpy as np

from teltheory.belief.model import Allocation, BeliefKind, BeliefMDP, Heard, Recent, starts
from teltheory.errors import ArgumentError
from teltheory.model.numbers import IntArray, whole_number

Type: TypeAlias = tuple[int, int, int]
"""Kind, number of turns, past."""
Chances: TypeAlias = list[tuple[int, Fraction]]
"""Places of types, with probabilities."""
MOST_SLOTS = 31
MOST_STATES = 50_000_000
TERMS = 12


@dataclass(frozen=True)
class SlotModel:
    """The places of a model's states, with K slots; rates and laws are fractions."""

    model: BeliefMDP
    silent: int

    def __post_init__(self) -> None:
        if not 1 <= whole_number("silent", self.silent) <= MOST_SLOTS:
            raise ArgumentError("silent", self.silent, f"from 1 to {MOST_SLOTS}")
        if self.model.race and len(self.model.gaps) > 1:
            raise ArgumentError("race", True, "gaps whose law does not depend on the state, or turns")
        for _, recent, _ in starts(self.model):
            check_recent(self.model, recent, self.silent)

    def check_size(self, most: int = MOST_STATES) -> None:
        """Raise ArgumentError if there are more states than `most`, with the count and the K that fits."""
        if self.states > most:
            begun = 1 + max(one.silent for _, recent, _ in starts(self.model) for one in recent.conversations)
            fits = max(
                (k for k in range(begun, self.silent) if SlotModel(self.model, k).states <= most), default=0
            )
            said = (
                f"silent = {fits} has {SlotModel(self.model, fits).states:,}"
                if fits
                else "no silent is small enough"
            )
            raise ArgumentError("silent", self.silent, f"at most {most:,} states, not {self.states:,}: {said}")

    @cached_property
    def types(self) -> list[Type]:
        """What a conversation can be right after a turn."""
        asked = [one[:3] for _, recent, _ in starts(self.model) for one in recent.conversations]
        new = [self._after((k, 0, 0), kind) for k, kind in enumerate(self.model.kinds) if kind.share]
        found = dict.fromkeys([self._capped(*one) for one in asked] + [t for turn in new for t in turn])
        queue = list(found)
        for one in queue:
            for then in self._after(one, self.model.kinds[one[0]]):
                if then not in found:
                    found[then] = None
                    queue.append(then)
        return sorted(found)

    def _capped(self, k: int, turns: int, past: int) -> Type:
        model = self.model
        if model.forced and past > model.capacity:
            kind = model.kinds[k].name or str(k)
            expected = f"at most the capacity {model.capacity}, with forced caching"
            raise ArgumentError(f"kind {kind}, past after turn {turns}", past, expected)
        return k, turns, min(past, model.capacity + model.xi)

    def _after(self, one: Type, kind: BeliefKind) -> dict[Type, Fraction]:
        k, turns, past = one
        found: dict[Type, Fraction] = {}
        for (q, p_q), (a, p_a) in product(kind.prompt(turns).outcomes, kind.response.outcomes):
            then = self._capped(k, min(turns + 1, len(kind.prompts) - 1), past + q + a)
            found[then] = found.get(then, Fraction(0)) + p_q * p_a
        return found

    @cached_property
    def after(self) -> list[Chances]:
        """The types after a turn of each type, and last those of a new conversation."""
        place = {one: i for i, one in enumerate(self.types)}
        found = [self._after(one, self.model.kinds[one[0]]) for one in self.types]
        new: dict[Type, Fraction] = {}
        for k, kind in enumerate(self.model.kinds):
            for then, p in self._after((k, 0, 0), kind).items() if kind.share else ():
                new[then] = new.get(then, Fraction(0)) + p * kind.share
        return [[(place[then], p) for then, p in law.items()] for law in (*found, new)]

    @cached_property
    def ways(self) -> list[tuple[int, int]]:
        """What a slot may be: empty (-1), or a type and how much of it is cached."""
        capacity = self.model.capacity
        return [(-1, 0), *((t, x) for t, one in enumerate(self.types) for x in range(min(one[2], capacity) + 1))]

    @property
    def histories(self) -> int:
        """The number of gaps of the last K - 1 turns."""
        return int(len(self.model.gaps) ** (self.silent - 1))

    @property
    def rests(self) -> int:
        """The number of ways that the slots but theta's may be."""
        return int(len(self.ways) ** (self.silent - 1))

    @property
    def states(self) -> int:
        """The number of states."""
        return int(self.histories * self.rests * len(self.types))

    def past_gaps(self, history: int) -> list[int]:
        """Return the places of the last gaps, latest first."""
        many = len(self.model.gaps)
        return [history // many**k % many for k in range(self.silent - 1)]

    def rate(self, one: Type, x: Fraction) -> Fraction:
        """Return lambda pi of a conversation, x = exp(-t) of the time since its turn."""
        return self.model.kinds[one[0]].turn_rate * alive(self.model, one[0], x)

    def elapsed(self, history: int, k: int) -> Fraction:
        """Return x of the time since slot k's turn."""
        return prod((self.model.gaps[g][0] for g in self.past_gaps(history)[:k]), start=Fraction(1))

    @cached_property
    def rates(self) -> list[Fraction]:
        """Lambda pi after one more gap, by history, gap, slot and type."""
        gaps = [x for x, _ in self.model.gaps]
        known: dict[tuple[int, Fraction], Fraction] = {}
        found = []
        for h, x, k in product(range(self.histories), gaps, range(self.silent)):
            since = self.elapsed(h, k) * x
            for one in self.types:
                if (one[0], since) not in known:
                    known[one[0], since] = self.rate(one, since)
                found.append(known[one[0], since])
        return found

    @cached_property
    def savings(self) -> list[Fraction]:
        """What a turn of each type saves in the mean if 0 ... C of it is kept."""
        model, found = self.model, []
        for k, turns, past in self.types:
            law = model.kinds[k].prompt(turns)
            for y in range(model.capacity + 1):
                terms = (
                    p * (max(past + q - model.xi, 0) - max(past + q - y - model.xi, 0)) for q, p in law.outcomes
                )
                found.append(sum(terms, Fraction(0)))
        return found

    @cached_property
    def forgotten(self) -> Fraction:
        """An upper bound of the chance that the next turn is of somebody who was forgotten.

        A / (lambda_conv + min over kinds of lambda pi(1) + A), A = sum over n >= K of the largest lambda pi(n +
        1): the first terms as they are, the others by a geometric series, of lambda (mu + lambda) / mu x^((mu +
        lambda) n) (posterior) or lambda x^(mu n) (paper's belief). The sum takes the largest x, what stands below
        the least.
        """
        model, shortest = self.model, min(x for x, _ in self.model.gaps)
        longest, kinds = max(x for x, _ in model.gaps), range(len(model.kinds))
        if longest == 1 or model.death_rate == 0:
            return Fraction(1)
        count = range(self.silent, self.silent + TERMS)
        first = sum(max(self._of_kind(k, longest ** (n + 1)) for k in kinds) for n in count)
        many = first + sum(self._tail(k, longest, self.silent + TERMS) for k in kinds)
        sure = model.birth_rate + min(self._of_kind(k, shortest) for k in kinds)
        share = Fraction(many / (sure + many)).limit_denominator(2**40) + Fraction(1, 2**40)
        return min(share, Fraction(1))

    def _of_kind(self, k: int, x: Fraction) -> Fraction:
        return self.rate((k, 0, 0), x)

    def _tail(self, k: int, x: Fraction, n: int) -> Fraction:
        rate, mu = self.model.kinds[k].turn_rate, self.model.death_rate
        power, factor = (mu, Fraction(1)) if self.model.belief == "paper" else (mu + rate, Fraction(mu + rate, mu))
        return rate * factor * x ** (power * (n + 1)) / (1 - x**power)

    def place(self, recent: Recent, cached: Allocation) -> int:
        """Return the place of a state; theta is cached whole."""
        check_recent(self.model, recent, self.silent)
        where, many = {one: i for i, one in enumerate(self.types)}, len(self.model.gaps)
        decays = [x for x, _ in self.model.gaps]
        history = sum(decays.index(x) * many**k for k, x in enumerate(recent.gaps[: self.silent - 1]))
        rest, theta = 0, recent.conversations[0]
        for one, x in zip(recent.conversations[1:], cached[1:], strict=True):
            way = where[self._capped(*one[:3])], min(x, one.past, self.model.capacity)
            rest += self.ways.index(way) * int(len(self.ways) ** (one.silent - 1))
        return int(history * self.rests + rest) * len(self.types) + where[self._capped(*theta[:3])]

    def known(self, place: int) -> tuple[Recent, Allocation]:
        """Return the state at a place, and what is cached."""
        row, theta = divmod(place, len(self.types))
        history, rest = divmod(row, self.rests)
        slots = [(self.ways[rest // len(self.ways) ** (k - 1) % len(self.ways)], k) for k in range(1, self.silent)]
        of = [((theta, self.types[theta][2]), 0), *(slot for slot in slots if slot[0][0] >= 0)]
        gaps = tuple(self.model.gaps[g][0] for g in self.past_gaps(history))
        known = tuple(Heard._make((*self.types[t], k)) for (t, _), k in of)
        return Recent(known, gaps), tuple(x for (_, x), _ in of)

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """What each loop begins with: slots, digits, types, gaps, histories, rests, capacity, forced."""
        sizes = self.silent, len(self.ways), len(self.types), len(self.model.gaps), self.histories, self.rests
        return *sizes, self.model.capacity, int(self.model.forced)

    @cached_property
    def places(self) -> tuple[IntArray, ...]:
        """What each digit is of and has cached, and each type's first digit and past."""
        columns = [t for t, _ in self.ways], [x for _, x in self.ways]
        first = [self.ways.index((t, 0)) for t in range(len(self.types))]
        return tuple(np.array(c, np.int32) for c in (*columns, first, [one[2] for one in self.types]))


def alive(model: BeliefMDP, kind: int, x: Fraction) -> Fraction:
    """Return pi of a conversation of a kind, x = exp(-t) of the time since its turn."""
    mu, rate = model.death_rate, model.kinds[kind].turn_rate
    if model.belief == "paper":
        return x**mu
    decay = x ** (mu + rate)
    return (mu + rate) * decay / (rate * decay + mu)


def check_recent(model: BeliefMDP, recent: Recent, silent: int) -> None:
    """Raise ArgumentError if a state is none of the finite model."""
    numbers = [one.silent for one in recent.conversations]
    if not numbers or numbers[0] != 0 or any(a >= b for a, b in pairwise(numbers)):
        raise ArgumentError("silent turns", numbers, "0 for who has just arrived, then one number after the other")
    if numbers[-1] >= silent:
        raise ArgumentError("start, silent", numbers[-1], f"fewer silent turns than silent = {silent}")
    if len(model.gaps) > 1 and len(recent.gaps) < numbers[-1]:
        raise ArgumentError("start, gaps", len(recent.gaps), f"the last {numbers[-1]} gaps, as there are several")
