"""Inclusion for Algorithm 1's round-robin trimming, by induction (`stack.tlru-round-robin`).

X is T-LRU's cache at capacity C, Y the one at C + 1; optional caching, any same initial cache.

Invariant: 0 <= X <= Y <= L, the sums at most C and C + 1, and sum Y <= sum X + 1: the larger cache holds at most
one block more, and nothing less.

r whole rounds and one unfinished round take min(surplus, r or r + 1) of each conversation, r + 1 of those whose
first arrival comes before a point p: the amounts are given by the pair (r, p), and grow with it. When a
conversation first arrived is its rank; the step holds for any ranks.

*Every number of conversations*: one element, with the sums over the whole cache as further whole numbers. Where
the larger cache trims with the larger pair it trims no less of any conversation (`amounts grow`), so that the
others' amounts sum up to no less either.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from operator import le

from proofs_checks.tail_optimized.lemmas import positions
from proofs_checks.tail_optimized.lemmas.positions import C, Caches, Column, Statement
from teltheory.claims.claim import Proof
from teltheory.claims.smt import Obligation, prove
from teltheory.claims.terms import Bool, Int, choose, equal, every, implies, integer, least, positive, total


@dataclass(frozen=True)
class Rounds:
    """So many whole rounds, and one more unit of each conversation that came before a point."""

    whole: Int
    point: Int

    @staticmethod
    def named(name: str) -> Rounds:
        """Return rounds of which nothing is known."""
        return Rounds(integer(f"rounds_{name}"), integer(f"point_{name}"))

    def amount(self, surplus: Int, rank: Int) -> Int:
        """Return what they trim of one conversation."""
        return least(surplus, self.whole + choose(rank < self.point, 1, 0))

    def at_least(self, other: Rounds) -> Bool:
        """Whether they are no fewer than other rounds."""
        return (self.whole > other.whole) | (equal(self.whole, other.whole) & (self.point >= other.point))


def just_enough(trimmed: Column, surplus: Column, cached: Column, capacity: Int) -> Bool:
    """Whether exactly the overflow is trimmed, or all surplus where this is less."""
    return equal(total(trimmed), least(positive(total(cached) - capacity), total(surplus)))


def invariant(state: Caches) -> Bool:
    """Return the invariant of the module's first lines."""
    one_more = (total(state.Y) <= C + 1) & (total(state.Y) <= total(state.X) + 1)
    bounds = positions.within(0, state.X, state.Y) & positions.within(0, state.Y, state.L)
    return bounds & positions.fits(state.X) & one_more


def cut(arrived: Caches, exempt: int) -> tuple[Column, Column, Bool]:
    """Trim both caches in rounds, by the ranks E, each down to its own capacity, and evict by LRU."""
    x, some_x = _cut("x", arrived.X, arrived, C)
    y, some_y = _cut("y", arrived.Y, arrived, C + 1)
    return x, y, some_x & some_y


def _cut(name: str, cached: Column, arrived: Caches, capacity: Int) -> tuple[Column, Bool]:
    rounds, surplus = Rounds.named(name), positions.surpluses(cached, arrived.b)
    trimmed = tuple(map(rounds.amount, surplus, arrived.E))
    amounts = (rounds.whole >= 0) & just_enough(trimmed, surplus, cached, capacity)
    return positions.in_room(positions.minus(cached, trimmed), capacity), amounts


STATEMENT = Statement("inclusion, round-robin", invariant, cut, le, of_caches=True)


@dataclass(frozen=True)
class Element:
    """One position of one cache, and the sums over that cache; `parts`: what more recent ones hold in budget."""

    held: Int
    surplus: Int
    trimmed: Int
    all_held: Int
    all_surplus: Int
    all_trimmed: Int
    capacity: Int
    room: Int
    parts: Int

    @property
    def kept(self) -> Int:
        """What is left of it after the cut."""
        return least(self.held - self.trimmed, self.room)

    @property
    def part(self) -> Int:
        """What it holds within its budget."""
        return self.held - self.surplus

    @property
    def sums(self) -> Bool:
        """Whether just enough is trimmed, and the other conversations' surpluses do not go below 0."""
        overflow = positive(self.all_held - self.capacity)
        return equal(self.all_trimmed, least(overflow, self.all_surplus)) & (
            self.surplus - self.trimmed <= self.all_surplus - self.all_trimmed
        )

    def roomy(self, room: Int, parts: Int) -> Bool:
        """Return the scan's invariant: where anything is evicted, only the budgets' parts took room so far."""
        return (room >= 0) & implies(self._evicts, equal(room, positive(self.capacity - parts)))

    @property
    def spared(self) -> Bool:
        """Whether the room is enough where nothing is evicted."""
        return self._evicts | (self.held - self.trimmed <= self.room)

    @property
    def _evicts(self) -> Bool:
        return self.all_held - self.all_trimmed > self.capacity


def element(name: str, rounds: Rounds, rank: Int, limit: Int, capacity: Int) -> Element:
    """Return one position of one cache of which nothing is known."""
    held = integer(name)
    surplus = positive(held - limit)
    all_held, all_surplus, all_trimmed = (integer(f"{name}_{sum}") for sum in ("held", "surplus", "trimmed"))
    room, parts = integer(f"{name}_room"), integer(f"{name}_parts")
    trimmed = rounds.amount(surplus, rank)
    return Element(held, surplus, trimmed, all_held, all_surplus, all_trimmed, capacity, room, parts)


def one_more(x: Element, y: Element) -> Bool:
    """Whether y's cache, its budgets' parts and its surpluses are x's and at most one block more."""
    held, parts = y.all_held - x.all_held, (y.all_held - y.all_surplus) - (x.all_held - x.all_surplus)
    before, surplus = y.parts - x.parts, y.all_surplus - x.all_surplus
    return every(
        (
            (held >= 0) & (held <= 1) & (y.held >= x.held) & (y.held - x.held <= held),
            (parts >= 0) & (parts <= held) & (surplus >= 0),
            (before >= 0) & (before + y.part - x.part <= parts) & (x.parts >= 0),
        )
    )


def scan() -> Iterator[Obligation]:
    """Yield the induction over positions: any number of conversations."""
    rank, limit, few, many = integer("rank"), integer("b"), Rounds.named("x"), Rounds.named("y")
    x, y = element("X", few, rank, limit, C), element("Y", many, rank, limit, C + 1)
    rounds = (few.whole >= 0) & (many.whole >= 0)
    others = implies(many.at_least(few), y.all_trimmed - y.trimmed >= x.all_trimmed - x.trimmed)
    assumed = [C >= 0, limit >= 0, x.held >= 0, rounds, one_more(x, y), others]
    for one in (x, y):
        assumed += [one.sums, one.spared, one.roomy(one.room, one.parts)]
    name = f"{STATEMENT.name}, every number of conversations:"
    grow = implies(many.at_least(few) & (y.held >= x.held), y.trimmed >= x.trimmed)
    yield Obligation(f"{name} amounts grow with the rounds", (rounds,), grow)
    kept = (x.kept >= 0) & (x.kept <= y.kept) & (y.kept <= y.held)
    yield Obligation(f"{name} an element keeps the invariant", tuple(assumed), kept)
    onwards = every(one.roomy(one.room - one.kept, one.parts + one.part) for one in (x, y))
    yield Obligation(f"{name} the scan goes on", tuple(assumed), onwards)
    begins = every(replace(one, parts=integer("none")).roomy(one.capacity, integer("none")) for one in (x, y))
    yield Obligation(f"{name} the scan begins", (C >= 0, equal(integer("none"), 0)), begins)
    sums = least(y.all_held, C + 1) <= least(x.all_held, C) + 1
    yield Obligation(f"{name} at most one block more", (C >= 0, y.all_held <= x.all_held + 1), sums)


def obligations() -> list[Obligation]:
    """Return all obligations."""
    return [*STATEMENT.obligations(), *scan()]


def inclusion() -> Proof:
    """Prove the inclusion property of round-robin trimming."""
    covers = "any lengths, parameters, turns, conversations and start; three steps by hand (docs/proofs.md)"
    return prove(obligations(), covers)
