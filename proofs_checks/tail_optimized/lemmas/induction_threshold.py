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

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from operator import le
from typing import TypeAlias

from proofs_checks.tail_optimized.lemmas.positions import (
    PARAMETERS,
    XI,
    C,
    Caches,
    Column,
    Step,
    after_arrival,
    budget,
    caches,
    enough,
    fits,
    in_room,
    induction,
    minus,
    mode,
    nothing_below_a_loss,
    surpluses,
    turned,
    within,
)
from proofs_checks.tail_optimized.lemmas.scan import Element, full_or_nothing_evicted, scanned
from teltheory.claims.claim import Proof
from teltheory.claims.smt import Obligation, prove
from teltheory.claims.terms import (
    Bool,
    Int,
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
Invariant: TypeAlias = Callable[[Caches], Bool]

GIVEN = (*PARAMETERS, Q_HAT >= 0, Q_HAT <= XI)
CUTOFF = XI - Q_HAT


def one_estimate(state: Caches) -> Bool:
    """Whether all estimates are the upper bound."""
    return every(equal(q, Q_HAT) for q in state.Q)


def given(state: Caches) -> Bool:
    """Whether there is one estimate, from 0 to xi."""
    return (Q_HAT >= 0) & (Q_HAT <= XI) & one_estimate(state)


def dropped(cached: Column, pasts: Column, exempt: int = 0) -> Column:
    """Return what Threshold-LRU keeps before it evicts: nothing of a short conversation."""
    return tuple(
        choose(L <= CUTOFF, 0, x) if i >= exempt else x for i, (x, L) in enumerate(zip(cached, pasts, strict=True))
    )


def sound(state: Caches) -> Bool:
    """Whether 0 <= X <= M, 0 <= Y <= M and both sums are at most C."""
    return within(0, state.X, state.M) & within(0, state.Y, state.M) & fits(state.X) & fits(state.Y)


def no_less_unless_short(state: Caches) -> Bool:
    """Whether X >= Y for every conversation that is not short."""
    return every(implies(L > CUTOFF, x >= y) for L, x, y in zip(state.L, state.X, state.Y, strict=True))


def above_lru(state: Caches) -> Bool:
    """Return the invariant of Threshold-LRU (X) and LRU (Y)."""
    return sound(state) & nothing_below_a_loss(state.Y, state.M) & no_less_unless_short(state)


def below_t_lru(state: Caches) -> Bool:
    """Return the invariant of T-LRU (X) and Threshold-LRU (Y)."""
    pairs = zip(state.X, state.Y, state.b, strict=True)
    shape = nothing_below_a_loss(state.Y, tuple(map(_longer_than_cutoff, state.L, state.M)))
    return sound(state) & shape & every(x >= least(y, b) for x, y, b in pairs)


def _longer_than_cutoff(past: Int, at_hand: Int) -> Int:
    """Return M, 0 for a short conversation, of which Threshold-LRU never loses anything worth having."""
    return choose(past > CUTOFF, at_hand, 0)


def threshold_turn(n: int, k: int, forced: bool = False) -> Step:
    """Return the step of Threshold-LRU (X) and LRU (Y)."""
    state = caches(n)
    arrived = after_arrival(state, k)
    kept = in_room(dropped(arrived.X, arrived.L, int(forced)), C)
    after = replace(arrived, X=kept, Y=in_room(arrived.Y, C))
    return _step(state, arrived, after, k, above_lru, forced)


def t_lru_turn(n: int, k: int, forced: bool = False) -> Step:
    """Return the step of T-LRU (X) and Threshold-LRU (Y)."""
    state, trimmed = caches(n), integers("t", n)
    arrived = after_arrival(state, k)
    after = replace(
        arrived, X=in_room(minus(arrived.X, trimmed), C), Y=in_room(dropped(arrived.Y, arrived.L, int(forced)), C)
    )
    step = _step(state, arrived, after, k, below_t_lru, forced)
    surplus = surpluses(arrived.X, arrived.b, int(forced))
    return replace(step, assumed=(*step.assumed, enough(trimmed, surplus, arrived.X)))


def _step(state: Caches, arrived: Caches, after: Caches, k: int, invariant: Invariant, forced: bool) -> Step:
    step = turned(state, arrived, after, k, invariant, le, forced)
    return replace(step, assumed=(*GIVEN, one_estimate(arrived), one_estimate(state), *step.assumed))


def threshold_scan() -> Iterator[Obligation]:
    """Yield the induction over positions for Threshold-LRU <= LRU."""
    e = Element.any()
    after = e.after(least(choose(e.L <= CUTOFF, 0, e.X), e.room_x), least(e.Y, e.room_y))
    assumed = (*GIVEN, e.bounds, implies(e.L > CUTOFF, e.X >= e.Y), implies(e.F, equal(e.Y, 0)), e.carried())
    kept = after.bounds & implies(e.G, equal(after.Y, 0)) & implies(e.L > CUTOFF, after.X >= after.Y)
    yield from scanned("Threshold-LRU <= LRU", assumed, after, kept)


def t_lru_scan() -> Iterator[Obligation]:
    """Yield the induction over positions for T-LRU <= Threshold-LRU."""
    e, t, W = Element.any(), integer("t"), truth("W")
    b, long = budget(e.L, Q_HAT), e.L > CUTOFF
    surplus = positive(e.X - b)
    after = e.after(least(e.X - t, e.room_x), least(choose(long, e.Y, 0), e.room_y), counts=long)
    trims = (t >= 0) & (t <= surplus) & implies(W, equal(t, surplus)) & (W | (e.X - t <= e.room_x))
    assumed = (*GIVEN, e.bounds, least(e.Y, b) <= e.X, implies(e.F, equal(e.Y, 0)), e.carried(W), trims)
    kept = after.bounds & implies(e.G, equal(after.Y, 0)) & (least(after.Y, b) <= after.X)
    yield from scanned("T-LRU <= Threshold-LRU", assumed, after, kept, W)
    yield from full_or_nothing_evicted("T-LRU <= Threshold-LRU")


def against_lru(forced: bool) -> list[Obligation]:
    """Return all obligations of Threshold-LRU <= LRU, for one of the caching modes."""
    turn = partial(threshold_turn, forced=forced)
    return [*induction("Threshold-LRU <= LRU", above_lru, turn, mode(forced), given), *threshold_scan()]


def against_threshold(forced: bool) -> list[Obligation]:
    """Return all obligations of T-LRU <= Threshold-LRU, for one of the caching modes."""
    turn = partial(t_lru_turn, forced=forced)
    return [*induction("T-LRU <= Threshold-LRU", below_t_lru, turn, mode(forced), given), *t_lru_scan()]


COVERS = "any lengths, parameters, turns, conversations and start; three steps by hand (docs/proofs.md)"


def threshold_lru_against_lru() -> Proof:
    """Prove Threshold-LRU <= LRU under optional caching."""
    return prove(against_lru(forced=False), COVERS)


def t_lru_against_threshold_lru() -> Proof:
    """Prove T-LRU <= Threshold-LRU under optional caching."""
    return prove(against_threshold(forced=False), COVERS)


def both() -> Proof:
    """Prove T-LRU <= Threshold-LRU <= LRU under optional caching."""
    return prove([*against_threshold(forced=False), *against_lru(forced=False)], COVERS)
