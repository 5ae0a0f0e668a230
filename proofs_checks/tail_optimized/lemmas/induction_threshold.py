"""T-LRU <= Threshold-LRU <= LRU by induction, for all whole numbers (Section 4.2 and Appendix C).

One upper bound Q_hat <= xi for all; Threshold-LRU's cutoff is xi - Q_hat, so that the short conversations, those
with L <= cutoff, are the ones with budget 0. Z is Threshold-LRU's cache, X T-LRU's, Y LRU's.

Threshold-LRU <= LRU. Invariant: 0 <= Z <= M, 0 <= Y <= M, the sums at most C, LRU's shape, and Z >= Y for every
conversation that is not short.

T-LRU <= Threshold-LRU. Invariant: 0 <= X <= M, 0 <= Z <= M, the sums at most C, X >= min(Z, b), and
Threshold-LRU's shape: where Z < M for a conversation that is not short, everything less recent has Z = 0. T-LRU
trims *enough*: it evicts only where all surplus is gone. That covers full and eager trimming and Algorithm 1's
partial trimming, in any order: either the surplus is enough, and no budget is touched, or all of it goes, as in
full trimming. Trimming less than enough (the `if` form) does not have this guarantee:
`theorem-31.threshold-lru.single-pass`.

*Every number of conversations*: a scan as in `induction_lru.py`. Whether all surplus goes (W) concerns the whole
cache; that it is so or nothing is evicted follows from the sums (`full_or_nothing_evicted`).
"""

from collections.abc import Iterator
from functools import partial

from proofs_checks.tail_optimized.lemmas import positions
from proofs_checks.tail_optimized.lemmas.positions import XI, C, Caches, Column, Element, Statement, in_room
from teltheory.claims.claim import Proof
from teltheory.claims.smt import Obligation, prove
from teltheory.claims.terms import (
    TRUE,
    Bool,
    choose,
    equal,
    every,
    implies,
    integer,
    integers,
    least,
    positive,
    truth,
)

Q_HAT = integer("Q_hat")
CUTOFF = XI - Q_HAT


def given(state: Caches) -> Bool:
    """Whether there is one estimate for all, from 0 to xi."""
    return (Q_HAT >= 0) & (Q_HAT <= XI) & every(equal(q, Q_HAT) for q in state.Q)


def without_short(cached: Column, pasts: Column, exempt: int = 0) -> Column:
    """Return what Threshold-LRU keeps before it evicts: nothing of a short conversation."""
    return positions.dropped(cached, (L <= CUTOFF for L in pasts), exempt)


def above_lru(state: Caches) -> Bool:
    """Return the invariant of Threshold-LRU (X) and LRU (Y)."""
    columns = zip(state.L, state.X, state.Y, strict=True)
    no_less_unless_short = every(implies(L > CUTOFF, x >= y) for L, x, y in columns)
    return positions.sound(state) & positions.nothing_below_a_loss(state.Y, state.M) & no_less_unless_short


def below_t_lru(state: Caches) -> Bool:
    """Return the invariant of T-LRU (X) and Threshold-LRU (Y), which loses nothing of short ones that counts."""
    counts = tuple(choose(L > CUTOFF, m, 0) for L, m in zip(state.L, state.M, strict=True))
    shape = positions.nothing_below_a_loss(state.Y, counts)
    return positions.sound(state) & shape & positions.has_budget_or_as_much(state)


def threshold_cut(arrived: Caches, exempt: int) -> tuple[Column, Column, Bool]:
    """Cut the caches of Threshold-LRU and of LRU."""
    return in_room(without_short(arrived.X, arrived.L, exempt), C), in_room(arrived.Y, C), TRUE


def t_lru_cut(arrived: Caches, exempt: int) -> tuple[Column, Column, Bool]:
    """Cut the caches of T-LRU, which trims enough, and of Threshold-LRU."""
    trimmed = integers("t", len(arrived.X))
    amounts = positions.enough(trimmed, positions.surpluses(arrived.X, arrived.b, exempt), arrived.X)
    kept = in_room(positions.minus(arrived.X, trimmed), C)
    return kept, in_room(without_short(arrived.Y, arrived.L, exempt), C), amounts


AGAINST_LRU = Statement("Threshold-LRU <= LRU", above_lru, threshold_cut, given=given)
AGAINST_THRESHOLD = Statement("T-LRU <= Threshold-LRU", below_t_lru, t_lru_cut, given=given)
GIVEN = (*positions.PARAMETERS, Q_HAT >= 0, Q_HAT <= XI)


def threshold_scan() -> Iterator[Obligation]:
    """Yield the induction over positions for Threshold-LRU <= LRU."""
    e = Element.any()
    after = e.after(least(choose(e.L <= CUTOFF, 0, e.X), e.room_x), least(e.Y, e.room_y))
    assumed = (*GIVEN, e.bounds, implies(e.L > CUTOFF, e.X >= e.Y), implies(e.F, equal(e.Y, 0)), e.carried())
    kept = after.bounds & implies(e.G, equal(after.Y, 0)) & implies(e.L > CUTOFF, after.X >= after.Y)
    yield from positions.scanned(AGAINST_LRU.name, assumed, after, kept)


def t_lru_scan() -> Iterator[Obligation]:
    """Yield the induction over positions for T-LRU <= Threshold-LRU."""
    e, t, W = Element.any(), integer("t"), truth("W")
    b, long = positions.budget(e.L, Q_HAT), e.L > CUTOFF
    surplus = positive(e.X - b)
    after = e.after(least(e.X - t, e.room_x), least(choose(long, e.Y, 0), e.room_y), counts=long)
    trims = (t >= 0) & (t <= surplus) & implies(W, equal(t, surplus)) & (W | (e.X - t <= e.room_x))
    assumed = (*GIVEN, e.bounds, least(e.Y, b) <= e.X, implies(e.F, equal(e.Y, 0)), e.carried(W), trims)
    kept = after.bounds & implies(e.G, equal(after.Y, 0)) & (least(after.Y, b) <= after.X)
    yield from positions.scanned(AGAINST_THRESHOLD.name, assumed, after, kept, W)
    yield from positions.full_or_nothing_evicted(AGAINST_THRESHOLD.name)


def against_lru(forced: bool = False) -> list[Obligation]:
    """Return all obligations of Threshold-LRU <= LRU, for one of the caching modes."""
    return [*AGAINST_LRU.obligations(forced), *threshold_scan()]


def against_threshold(forced: bool = False) -> list[Obligation]:
    """Return all obligations of T-LRU <= Threshold-LRU, for one of the caching modes."""
    return [*AGAINST_THRESHOLD.obligations(forced), *t_lru_scan()]


def proved(t_lru: bool, lru: bool) -> Proof:
    """Prove T-LRU <= Threshold-LRU, or Threshold-LRU <= LRU, or both, under optional caching."""
    chosen = [*(against_threshold() if t_lru else []), *(against_lru() if lru else [])]
    covers = "any lengths, parameters, turns, conversations and start; three steps by hand (docs/proofs.md)"
    return prove(chosen, covers)


threshold_lru_against_lru = partial(proved, False, True)
t_lru_against_threshold_lru = partial(proved, True, False)
both = partial(proved, True, True)
