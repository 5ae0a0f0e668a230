"""Which surplus goes, and when, changes no turn's excess: by induction, for all whole numbers (Section 3).

X and Y are two caches under T-LRU with the same estimates; each trims *enough* at every cut, in whatever order
and however much more (all, always: eager trimming). Each conversation has its own estimate, at least the prompt
that comes (an upper bound for all, or the exact prompt of Length-Aware T-LRU), and may be dropped by both where
it never comes again (End-Aware, Length-Aware).

Invariant: 0 <= X <= L, 0 <= Y <= L, the sums at most C, and min(X, b) = min(Y, b): what lies within the budgets is
the same, though the surpluses may differ, and so may the sums.

*Implication*: with b <= X the excess is 0; so it is under Y. *Consecution*: if the budgets' parts fit into the
cache, enough is trimmed so that no budget is touched; otherwise all surplus goes in both, and LRU evicts the same.

*Every number of conversations*: a scan with both rooms; whether all surplus goes in X (V), in Y (W), and the sum
of the budgets' parts concern the whole cache (`scan.full_or_nothing_evicted`, and `parts_fit` below).
"""

from collections.abc import Iterator
from functools import partial

from proofs_checks.tail_optimized.lemmas import positions
from proofs_checks.tail_optimized.lemmas.positions import XI, C, Caches, Column, Statement, in_room
from teltheory.claims.claim import Proof
from teltheory.claims.smt import Obligation, prove
from teltheory.claims.terms import Bool, Int, equal, implies, integer, integers, least, positive, truth


def invariant(state: Caches) -> Bool:
    """Return the invariant of the module's first lines."""
    bounds = positions.within(0, state.X, state.L) & positions.within(0, state.Y, state.L)
    parts = (tuple(map(least, cached, state.b)) for cached in (state.X, state.Y))
    return bounds & positions.fits(state.X) & positions.fits(state.Y) & positions.same(*parts)


def cut(arrived: Caches, exempt: int) -> tuple[Column, Column, Bool]:
    """Drop what never comes again (E = 1), trim enough of either cache in its own way, and evict by LRU."""
    x, some_x = _cut("s", arrived.X, arrived, exempt)
    y, some_y = _cut("t", arrived.Y, arrived, exempt)
    return x, y, some_x & some_y


def _cut(name: str, cached: Column, arrived: Caches, exempt: int) -> tuple[Column, Bool]:
    left = positions.dropped(cached, (equal(end, 1) for end in arrived.E), exempt)
    trimmed = integers(name, len(cached))
    amounts = positions.enough(trimmed, positions.surpluses(left, arrived.b, exempt), left)
    return in_room(positions.minus(left, trimmed), C), amounts


STATEMENT = Statement("the order of trimming is free", invariant, cut, equal)
EVERY_NUMBER = f"{STATEMENT.name}, every number of conversations:"


def scan() -> Iterator[Obligation]:
    """Yield the induction over positions: any number of conversations."""
    L, Q, X, Y, s, t = map(integer, "LQXYst")
    room_x, room_y, V, W = integer("room_x"), integer("room_y"), truth("V"), truth("W")
    before, parts = integer("parts_before"), integer("parts")
    b = positions.budget(L, Q)
    part = least(X, b)
    x, y = least(X - s, room_x), least(Y - t, room_y)
    assumed = (
        (C >= 0) & (XI >= 0) & (Q >= 0) & (L >= 0),
        (X >= 0) & (X <= L) & (Y >= 0) & (Y <= L) & equal(part, least(Y, b)),
        (before >= 0) & (before + part <= parts),
        _trims(X, s, b, room_x, V, parts),
        _trims(Y, t, b, room_y, W, parts),
        _rooms(room_x, before, V) & _rooms(room_y, before, W),
    )
    rooms = _rooms(room_x - x, before + part, V) & _rooms(room_y - y, before + part, W)
    kept = (x >= 0) & (x <= L) & (y >= 0) & (y <= L) & equal(least(x, b), least(y, b))
    begins = _rooms(C, integer("none"), V)
    yield Obligation(f"{EVERY_NUMBER} the scan begins", (C >= 0, equal(integer("none"), 0)), begins)
    yield Obligation(f"{EVERY_NUMBER} the scan goes on", assumed, rooms)
    yield Obligation(f"{EVERY_NUMBER} an element keeps the invariant", assumed, kept)
    yield from positions.full_or_nothing_evicted(STATEMENT.name)
    yield parts_fit()


def _trims(cached: Int, trimmed: Int, limit: Int, room: Int, full: Bool, parts: Int) -> Bool:
    """Return what trimming enough means: all of the surplus, or nothing is evicted and then the parts fit."""
    surplus = positive(cached - limit)
    partial_trim = (cached - trimmed <= room) & (parts <= C)
    return (trimmed >= 0) & (trimmed <= surplus) & implies(full, equal(trimmed, surplus)) & (full | partial_trim)


def _rooms(room: Int, parts: Int, full: Bool) -> Bool:
    """Return the scan's invariant: where all surplus goes, the budgets' parts so far are all that took room."""
    return (room >= 0) & implies(full, equal(room, positive(C - parts)))


def parts_fit() -> Obligation:
    """Return that sums of parts stay below sums of what trimming leaves: if this fits, so do the parts."""
    x, b, t, parts, left = map(integer, ("x", "b", "t", "parts_before", "left_before"))
    assumed = (x >= 0, b >= 0, t >= 0, t <= positive(x - b), parts <= left)
    name = f"{EVERY_NUMBER} the budgets' parts are at most what trimming leaves"
    return Obligation(name, assumed, parts + least(x, b) <= left + (x - t))


def obligations(forced: bool) -> list[Obligation]:
    """Return all obligations, for one of the caching modes."""
    return [*STATEMENT.obligations(forced), *scan()]


def proved(forced: bool) -> Proof:
    """Prove that every turn's excess is the same, whichever surplus goes and when, under a caching mode."""
    covers = (
        "any lengths, parameters, estimates of at least the prompt that comes, turns, conversations and start; "
        "three steps by hand (docs/proofs.md)"
    )
    return prove(obligations(forced), covers)


optional, forced = partial(proved, False), partial(proved, True)
