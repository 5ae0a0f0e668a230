"""The finite model with forgetting as it is said, in fractions and dictionaries: the judge of the sweeps in C.

It shares nothing with `teltheory.belief.slots`: next turns and beliefs are those of `teltheory.belief.model`, one
turn after the other, and a conversation that was silent for K turns of others is left out of the state.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache, partial
from typing import NamedTuple, TypeAlias

from teltheory.belief.model import (
    Allocation,
    Arrival,
    BeliefMDP,
    Known,
    Policy,
    Recent,
    State,
    after,
    allocations,
    arrivals,
    as_state,
    excess,
    starts,
)
from teltheory.errors import ArgumentError

Row: TypeAlias = dict["Here", Fraction]


class Here(NamedTuple):
    """What is known, the last to turn first; how long each was silent, in turns; and what is cached of it."""

    known: tuple[Known, ...]
    silent: tuple[int, ...]
    cached: Allocation

    @property
    def state(self) -> State:
        """The state of the model."""
        return State(self.known, tuple(reversed(range(len(self.known)))))


def _following(model: BeliefMDP, now: State) -> list[tuple[Arrival, int, State]]:
    """Return the next turns, each with its excess if nothing is kept and the state after it."""
    nothing = (0,) * len(now.conversations)
    return [(one, excess(model, now, nothing, one), after(model, now, one)) for one in arrivals(model, now)]


class Forgetful:
    """The finite model with K slots: values of turns by recursion, of all turns by policy iteration."""

    def __init__(self, model: BeliefMDP, silent: int, discount: Fraction = Fraction(1)) -> None:
        self.model, self.silent, self.discount = model, silent, discount
        self._known: dict[tuple[Here, int], Fraction] = {}
        self._following = cache(partial(_following, model))

    def here(self, recent: Recent, cached: Allocation) -> Here:
        """Return a state."""
        known = [self._capped(one) for one in as_state(self.model, recent).conversations]
        amounts = tuple(min(x, one.past) for x, one in zip(cached, known, strict=True))
        return Here(tuple(known), tuple(one.silent for one in recent.conversations), amounts)

    def value(self, here: Here, turns: int, policy: Policy | None = None) -> Fraction:
        """Return what is saved in the next turns, at best or by a policy (of one policy only, for each object)."""
        if turns == 0:
            return Fraction(0)
        if (here, turns) not in self._known:
            kept = self.decisions(here) if policy is None else [policy(self.model, here.state, here.cached)]
            found = max(self.of_keeping(here, y, turns, policy) for y in kept)
            self._known[here, turns] = found
        return self._known[here, turns]

    def of_keeping(self, here: Here, kept: Allocation, turns: int, policy: Policy | None = None) -> Fraction:
        """Return what is saved in the next turns if `kept` is."""
        total = Fraction(0)
        for p, saved, then in self.next(here, kept):
            total += p * (saved + self.discount * self.value(then, turns - 1, policy))
        return total

    def decisions(self, here: Here) -> list[Allocation]:
        """Return all that may be kept."""
        return allocations(self.model, here.state, here.cached)

    def next(self, here: Here, kept: Allocation) -> Iterator[tuple[Fraction, int, Here]]:
        """Yield the next turns: probability, what is saved, and the state after it."""
        now = here.state
        for arrival, most, then in self._following(now):
            saved = most - excess(self.model, now, kept, arrival)
            yield arrival.probability, saved, self._then(here, kept, arrival, then)

    def _then(self, here: Here, kept: Allocation, arrival: Arrival, state: State) -> Here:
        rows = [(self._capped(one), 0, 0) for one in state.conversations]
        for i, silent in enumerate(here.silent):
            rows[i] = (rows[i][0], silent + 1, kept[i])
        theta = rows.pop(arrival.place)[0]
        others = sorted((row for row in rows if row[1] < self.silent), key=lambda row: row[1])
        columns = zip((theta, 0, theta.past), *others, strict=True)
        return Here(*(tuple(column) for column in columns))

    def _capped(self, one: Known) -> Known:
        return one if self.model.forced else one._replace(past=min(one.past, self.model.capacity + self.model.xi))

    def best(self, most: int = 300, policy: Policy | None = None) -> Fraction:
        """Return what all turns to come save from the start, at best or by a policy, by policy iteration."""
        begun = [(p, self.here(recent, cached)) for p, recent, cached in starts(self.model)]
        states = self._reached([here for _, here in begun], most, policy)
        kept = {here: self._kept(here, policy)[0] for here in states}
        while True:
            values = self._solved(states, kept)
            better = {}
            for here in states:
                found = {y: self._once(here, y, values) for y in self._kept(here, policy)}
                best = max(found.values())
                better[here] = kept[here] if found[kept[here]] == best else max(found, key=lambda y: found[y])
            if better == kept:
                return sum((p * values[here] for p, here in begun), Fraction(0))
            kept = better

    def _kept(self, here: Here, policy: Policy | None) -> list[Allocation]:
        return self.decisions(here) if policy is None else [policy(self.model, here.state, here.cached)]

    def _once(self, here: Here, kept: Allocation, values: Row) -> Fraction:
        terms = (p * (saved + self.discount * values[then]) for p, saved, then in self.next(here, kept))
        return sum(terms, Fraction(0))

    def _reached(self, begun: list[Here], most: int, policy: Policy | None) -> list[Here]:
        found = dict.fromkeys(begun)
        queue = list(found)
        for here in queue:
            for kept in self._kept(here, policy):
                new = [then for _, _, then in self.next(here, kept) if then not in found]
                found |= dict.fromkeys(new)
                queue += dict.fromkeys(new)
            if len(found) > most:
                raise ArgumentError(
                    "exact", f"more than {most:,} states", "fewer, as equations are solved in fractions"
                )
        return list(found)

    def _solved(self, states: list[Here], kept: dict[Here, Allocation]) -> Row:
        """Solve V = saving + discount P V, by Gauss's elimination."""
        one = Fraction(1)
        rows: dict[Here, Row] = {}
        right: Row = {}
        for here in states:
            row, saving = {here: one}, Fraction(0)
            for p, saved, then in self.next(here, kept[here]):
                row[then] = row.get(then, Fraction(0)) - p * self.discount
                saving += p * saved
            for other in [there for there in row if there in rows]:
                factor = row.pop(other)
                saving -= factor * right[other]
                for there, entry in rows[other].items():
                    row[there] = row.get(there, Fraction(0)) - factor * entry
            pivot = row.pop(here)
            rows[here], right[here] = {there: entry / pivot for there, entry in row.items()}, saving / pivot
            for other, left in rows.items():
                if here in left:
                    factor = left.pop(here)
                    right[other] -= factor * right[here]
                    for there, entry in rows[here].items():
                        left[there] = left.get(there, Fraction(0)) - factor * entry
        return right
