"""T-LRU in the last tier alone, and one budget in all tiers: Theorem 3.1's invariant with any budget 0 <= b <= L.

*In the last tier.* All tiers together lose what T-LRU's cache of all tiers may lose: some surplus, then the least
recent first. The scan is that of Theorem 3.1 (`tail_optimized/lemmas/induction_lru.py`), with any budget.

*One budget.* If tiers 0 to i hold less of A than its budget b, they are full, with A and newer ones only. S is
their capacity, Y and y what they hold of A before and after a turn, n what they hold of newer ones then, LL the
newer pasts.
"""

from collections.abc import Iterator

from proofs_checks.tail_optimized.lemmas import positions
from proofs_checks.tail_optimized.lemmas.positions import XI, Element
from teltheory.claims.claim import Proof
from teltheory.claims.smt import Obligation, prove
from teltheory.claims.terms import Bool, clip, equal, implies, integer, least, positive


def any_budget() -> Iterator[Obligation]:
    """Yield the induction over positions, with any budget up to the past."""
    e, t, b = Element.any(), integer("t"), integer("b")
    after = e.after(least(e.X - t, e.room_x), least(e.Y, e.room_y))
    amount = (t >= 0) & (t <= positive(e.X - b)) & (b >= 0) & (b <= e.L)
    assumed = (XI >= 0, e.bounds, least(e.Y, b) <= e.X, implies(e.F, equal(e.Y, 0)), e.carried(), amount)
    kept = after.bounds & implies(e.G, equal(after.Y, 0)) & (least(after.Y, b) <= after.X)
    yield from positions.scanned("T-LRU in the last tier", assumed, after, kept)


def one_budget() -> Iterator[Obligation]:
    """Yield the step of one conversation through a turn, and what it says against LRU."""
    past, b, had, kept, trimmed = map(integer, ("L", "b", "Y", "y", "t"))
    room, newer, newer_pasts = map(integer, ("S", "n", "LL"))
    surplus = positive(had - b)
    amounts = (trimmed >= 0) & (trimmed <= surplus) & (kept <= had - trimmed)
    evicts = equal(trimmed, surplus) & equal(kept, room - newer)
    bounds = (had >= 0) & (had <= past) & (b >= 0) & (b <= past) & (newer >= 0) & (newer <= newer_pasts)
    turn = (bounds, amounts, implies(kept < had - trimmed, evicts), kept >= 0)
    full: Bool = implies(kept < b, equal(kept, room - newer))
    yield Obligation("one that loses its budget fills the tiers", (*turn, had >= b), full)
    lru = clip(room - newer_pasts, past)
    yield Obligation("one budget: no less than LRU or the budget", (*turn, full), least(lru, b) <= kept)


LAST = (
    "any number of tiers, lengths, loads, turns and conversations, any estimates; by hand: what the last tier "
    "evicts is the least recent that all tiers hold (docs/proofs-tiers.md)"
)
ONE = (
    "any number of tiers, lengths, loads, turns and conversations; by hand: tiers that are full with A and newer "
    "ones stay so (docs/proofs-tiers.md)"
)


def last_tier() -> Proof:
    """Prove the dominance of T-LRU in the last tier alone."""
    return prove(list(any_budget()), LAST)


def in_all_tiers() -> Proof:
    """Prove the dominance of one budget in all tiers."""
    return prove(list(one_budget()), ONE)
