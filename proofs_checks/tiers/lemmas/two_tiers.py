"""Scaled budgets in two tiers: one conversation A through one turn, with sums over the newer ones as numbers.

Before the turn A has Y0 in tier 0 and Y1 in both, after it y0 and y1. Of the conversations N that are more recent
than A, LL is the sum of the pasts and M the sum of what the first budgets leave of them, L - b0; small letters n
are after the turn. `free` is the room that an inclusive second tier has beyond C1, as the first one is not full;
it is 0 if the tiers are exclusive.

A has a budget b0 > 0 in tier 0 (without one its next turn is within the threshold) and b0 <= b1 <= L in both.
Invariant:

a. if Y0 < b0, tier 0 is full, with A and newer ones only: Y0 = C0 - (what N has there);
b. if Y0 >= b0, then Y1 >= min(b1, b0 + C1 - M);
c. if Y0 < b0, then Y1 >= min(b1, C0 + C1 - LL).
"""

from collections.abc import Iterator

from teltheory.claims.claim import Proof
from teltheory.claims.smt import Obligation, prove
from teltheory.claims.terms import Bool, Int, choose, clip, equal, implies, integer, least, positive

L, B0, B1 = map(integer, ("L", "b0", "b1"))
BEFORE_0, BEFORE_1, AFTER_0, AFTER_1 = map(integer, ("Y0", "Y1", "y0", "y1"))
C0, C1, FREE = map(integer, ("C0", "C1", "free"))
PASTS, LEFT, PASTS_AFTER, LEFT_AFTER = map(integer, ("LL", "M", "ll", "m"))
NEWER_0, NEWER_1 = map(integer, ("n0", "n1"))
TRIMMED_0, TRIMMED_1 = map(integer, ("t0", "t1"))

BUDGETS = (B0 > 0, B0 <= B1, B1 <= L)
SIZES = (C0 >= 0, C1 >= 0, FREE >= 0)
HELD = (BEFORE_0 >= 0, BEFORE_0 <= BEFORE_1, BEFORE_1 <= L)
GROWS = (PASTS >= 0, PASTS <= PASTS_AFTER, LEFT >= 0, LEFT <= LEFT_AFTER)


def promised(first: Int, both: Int, pasts: Int, left: Int) -> Bool:
    """Return b and c of the invariant."""
    room = choose(first >= B0, B0 + C1 - left, C0 + C1 - pasts)
    return both >= least(B1, room)


def first_cut() -> tuple[Bool, ...]:
    """Return what the cut of tier 0 does: surplus goes, and the rest is kept as far as there is room behind N.

    What LRU takes from A it takes when no surplus is left, so that N has at most its budgets.
    """
    surplus, room = positive(BEFORE_0 - B0), C0 - NEWER_0
    rest = BEFORE_0 - TRIMMED_0
    evicts = equal(TRIMMED_0, surplus) & (NEWER_0 <= PASTS_AFTER - LEFT_AFTER)
    amounts = (TRIMMED_0 >= 0) & (surplus >= TRIMMED_0) & (NEWER_0 >= 0) & (room >= 0)
    return (amounts, equal(AFTER_0, least(rest, room)), implies(rest > AFTER_0, evicts))


def second_cut() -> tuple[Bool, ...]:
    """Return what the cut of tier 1 does to A's part, and how little room N can leave there."""
    part, room = BEFORE_1 - AFTER_0, C1 + FREE - NEWER_1
    surplus = least(part, positive(BEFORE_1 - B1))
    rest = part - TRIMMED_1
    amounts = (TRIMMED_1 >= 0) & (surplus >= TRIMMED_1) & (NEWER_1 >= 0) & (room >= 0)
    kept = equal(AFTER_1, AFTER_0 + least(rest, room))
    newer = (NEWER_1 <= PASTS_AFTER - NEWER_0) & implies(AFTER_0 > 0, NEWER_1 <= LEFT_AFTER)
    return (amounts, kept, implies(rest > AFTER_1 - AFTER_0, equal(TRIMMED_1, surplus)), newer)


def full_after() -> Bool:
    """Return a of the invariant after the turn."""
    return implies(AFTER_0 < B0, equal(AFTER_0, C0 - NEWER_0))


def obligations() -> Iterator[Obligation]:
    """Yield the steps of the induction."""
    turn = (*BUDGETS, *SIZES, *HELD, *GROWS, *first_cut(), *second_cut())
    before = promised(BEFORE_0, BEFORE_1, PASTS, LEFT)
    after = promised(AFTER_0, AFTER_1, PASTS_AFTER, LEFT_AFTER)
    yield Obligation("A that loses its budget fills tier 0", (*turn, BEFORE_0 >= B0), full_after())
    yield Obligation("a turn keeps b and c", (*turn, full_after(), before), after)
    arrives = equal(BEFORE_0, L) & equal(BEFORE_1, L)
    yield Obligation("an arrival has all that b and c ask for", (*BUDGETS, *SIZES, arrives), before)
    yield from _full()
    yield from _grows()
    yield implication()


def _full() -> Iterator[Obligation]:
    """Yield that tier 0 stays full: another one comes, with its past or, trimmed at once, with its budget."""
    others, had, has = map(integer, ("others", "had", "has"))
    was_full = (BEFORE_0 < B0, equal(others + had + BEFORE_0, C0), had <= has)
    yield Obligation("tier 0 stays full", was_full, others + has + BEFORE_0 >= C0)


def _grows() -> Iterator[Obligation]:
    """Yield that what the first budget leaves, and the budget itself, never fall while a conversation grows."""
    past, more, less = map(integer, ("past", "more", "less"))
    grown = (past >= 0, more >= 0, less >= 0)
    left, left_after = least(past, less), least(past + more, less)
    name = "L - b0 = min(L, (xi - Q)+) and b0 never fall"
    yield Obligation(name, grown, (left <= left_after) & (past - left <= past + more - left_after))


def implication() -> Obligation:
    """Return that A has a budget that is worth L + Q - xi, or in both places no less than LRU."""
    first, both = (clip(room - PASTS, L) for room in (C0, C0 + C1))
    full = implies(BEFORE_0 < B0, BEFORE_0 >= C0 - PASTS)
    worth_it = (BEFORE_0 >= B0) | ((BEFORE_1 >= B1) & (B1 < L))
    as_much = (first <= BEFORE_0) & (both <= BEFORE_1)
    given = (*BUDGETS, *SIZES, *HELD, PASTS >= 0, full, promised(BEFORE_0, BEFORE_1, PASTS, LEFT))
    return Obligation("worth the budget, or no less than LRU", given, worth_it | as_much)


COVERS = (
    "two tiers, exclusive or inclusive, any lengths, loads, turns and conversations, any trimming that leaves no "
    "surplus where LRU evicts, T-LRU with any b1 >= b / (1 - load) or LRU in the second tier; by hand: sums over "
    "the newer ones, and the excess falls with Y0 and Y1 (docs/proofs-tiers.md)"
)


def proved() -> Proof:
    """Prove the step of every conversation."""
    return prove(list(obligations()), COVERS)
