"""Every number of conversations: a cut as a scan over positions, from the most recent on.

What the scan carries is of constant size: the room that is left to each cache, whether an earlier position had
lost something before the cut (F), and whether one has lost something after it (G). One element's step, from
anything that the scan's invariant allows, is the induction over positions; the front, with all its past at hand,
is an element like any other.

By hand remain (docs/proofs.md): moving a conversation that lost nothing to the front keeps "where Y < M,
everything less recent has Y = 0", so that F before the cut implies Y = 0; and prefix sums of amounts from 0 on do
not exceed the whole sum.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from proofs_checks.tail_optimized.lemmas.positions import PARAMETERS, C
from teltheory.claims.smt import Obligation
from teltheory.claims.terms import FALSE, TRUE, Bool, Int, equal, implies, integer, least, positive, truth

PAST = integer("L_front")


@dataclass(frozen=True)
class Element:
    """One position of a scan: past, what is at hand, two caches, the rooms that are left to them, the flags."""

    L: Int
    M: Int
    X: Int
    Y: Int
    room_x: Int
    room_y: Int
    F: Bool
    G: Bool

    @staticmethod
    def any() -> Element:
        """Return an element of which nothing is known."""
        numbers = {name: integer(name) for name in ("L", "M", "X", "Y", "room_x", "room_y")}
        return Element(**numbers, F=truth("F"), G=truth("G"))

    @property
    def bounds(self) -> Bool:
        return (self.X >= 0) & (self.X <= self.M) & (self.Y >= 0) & (self.Y <= self.M) & (self.M <= self.L)

    def carried(self, evicts: Bool = TRUE) -> Bool:
        """Return the scan's invariant: where X evicts at all it has no less room than Y, or Y has nothing more."""
        rooms = (self.room_x >= 0) & (self.room_y >= 0)
        exhausted = implies(self.G, self.F | equal(self.room_y, 0))
        return rooms & exhausted & implies(evicts, self.G | (self.room_x >= self.room_y))

    def after(self, x: Int, y: Int, counts: Bool = TRUE) -> Element:
        """Return what is kept and carried on, where a loss of Y counts if a condition holds."""
        return replace(
            self,
            X=x,
            Y=y,
            room_x=self.room_x - x,
            room_y=self.room_y - y,
            F=self.F | (counts & (self.Y < self.M)),
            G=self.G | (counts & (y < self.M)),
        )


def scanned(
    statement: str, assumed: tuple[Bool, ...], after: Element, kept: Bool, evicts: Bool = TRUE
) -> Iterator[Obligation]:
    """Yield that the scan begins (also behind an exempt front) and goes on, and that an element is kept sound."""
    name = f"{statement}, every number of conversations:"
    empty = replace(after, room_x=C, room_y=C, F=FALSE, G=FALSE)
    behind = replace(empty, room_x=C - PAST, room_y=C - PAST)
    yield Obligation(f"{name} the scan begins", PARAMETERS, empty.carried(evicts))
    yield Obligation(f"{name} the scan begins, forced", (*PARAMETERS, PAST <= C), behind.carried(evicts))
    yield Obligation(f"{name} the scan goes on", assumed, after.carried(evicts))
    yield Obligation(f"{name} an element keeps the invariant", assumed, kept)


def full_or_nothing_evicted(statement: str) -> Iterator[Obligation]:
    """Yield what trimming enough means for one element: all surplus goes, or the room is enough for what is left.

    `x`, `s`, `t` are the element's cache, surplus and trimmed amount, `sum_...` the same for the whole cache, and
    `kept` is what the more recent elements keep.
    """
    x, s, t, kept = map(integer, ("x", "s", "t", "kept"))
    sum_x, sum_s, sum_t = map(integer, ("sum_x", "sum_s", "sum_t"))
    enough = sum_t >= least(positive(sum_x - C), sum_s)
    amounts = (t >= 0) & (t <= s) & (sum_t - t <= sum_s - s)
    prefix = kept + (x - t) <= sum_x - sum_t
    full = equal(sum_t, sum_s)
    alternatives = implies(full, equal(t, s)) & (full | (x - t <= C - kept))
    name = f"{statement}, every number of conversations: all surplus goes or nothing is evicted"
    yield Obligation(name, (C >= 0, enough, amounts, prefix), alternatives)
