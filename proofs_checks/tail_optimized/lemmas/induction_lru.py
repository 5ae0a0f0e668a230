"""Theorem 3.1 by induction over turns, for all whole numbers (Appendix C of Zhang et al. 2025).

State, by recency: pasts L, what was at hand M, T-LRU's cache X, LRU's cache Y, the estimates Q of the next
prompts, with budgets b = min(L, (L + Q - xi)+). The theorem's upper bound is one estimate for all; here each
conversation may have its own, and a new one at every turn, as long as the prompt that comes is no longer.

Invariant (Appendix C's two cases in one line each):
1. 0 <= X <= M, 0 <= Y <= M <= L; both sums are at most C;
2. LRU's shape: where Y < M, everything less recent has Y = 0;
3. X >= min(Y, b): "if LRU has the budget T-LRU has it too, otherwise T-LRU has no less than LRU".

*Initiation*: from the same cache. *Implication*: by 3 the excess of the turn that comes is at most LRU's.
*Consecution*: any amounts of surplus are trimmed, then LRU evicts; 3 stays since whatever LRU still has in full,
T-LRU has no more of, so that T-LRU has no less room.

Any amounts: nothing, one block a conversation (the `if` form of Algorithm 1), just enough (Algorithm 1), all.

*Every number of conversations*: the cut is a scan from the most recent position on, and what it carries is of
constant size (`scan.py`).
"""

from collections.abc import Iterator
from functools import partial
from operator import le

from proofs_checks.tail_optimized.lemmas import algorithm_1_loops, positions
from proofs_checks.tail_optimized.lemmas.positions import (
    XI,
    C,
    Caches,
    Column,
    Element,
    Statement,
    budget,
    in_room,
)
from teltheory.claims.claim import Proof
from teltheory.claims.smt import Obligation, prove
from teltheory.claims.terms import Bool, equal, every, implies, integer, integers, least, positive


def invariant(state: Caches) -> Bool:
    """Return the invariant of the module's first lines."""
    lru = positions.nothing_below_a_loss(state.Y, state.M)
    return positions.sound(state) & lru & positions.has_budget_or_as_much(state)


def cut(arrived: Caches, exempt: int) -> tuple[Column, Column, Bool]:
    """Trim any amounts of T-LRU's surpluses, then evict from both by LRU."""
    trimmed = integers("t", len(arrived.X))
    amounts = positions.any_amount(trimmed, positions.surpluses(arrived.X, arrived.b, exempt))
    return in_room(positions.minus(arrived.X, trimmed), C), in_room(arrived.Y, C), amounts


def scan() -> Iterator[Obligation]:
    """Yield the induction over positions: any number of conversations."""
    e, t, Q = Element.any(), integer("t"), integer("Q")
    b = budget(e.L, Q)
    after = e.after(least(e.X - t, e.room_x), least(e.Y, e.room_y))
    amount = (t >= 0) & (t <= positive(e.X - b))
    assumed = (XI >= 0, e.bounds, least(e.Y, b) <= e.X, implies(e.F, equal(e.Y, 0)), e.carried(), amount)
    kept = after.bounds & implies(e.G, equal(after.Y, 0)) & (least(after.Y, b) <= after.X)
    yield from positions.scanned(T_LRU_AND_LRU.name, assumed, after, kept)


def alike(state: Caches) -> Bool:
    """Whether both caches are the same, within the pasts."""
    return positions.same(state.X, state.Y) & positions.within(0, state.X, state.L)


def large(state: Caches) -> Bool:
    """Whether each estimate is at least xi."""
    return every(q >= XI for q in state.Q)


def large_scan() -> Iterator[Obligation]:
    """Yield the induction over positions where each estimate is at least xi."""
    L, Q, X, t, room = map(integer, ("L", "Q", "X", "t", "room"))
    assumed = ((XI >= 0) & (Q >= XI), (X >= 0) & (X <= L), (t >= 0) & (t <= positive(X - budget(L, Q))))
    first, second = least(X - t, room), least(X, room)
    name = "Q_hat >= xi, every number of conversations: from the same room the same is kept"
    yield Obligation(name, assumed, equal(first, second) & (second <= L) & implies(room >= 0, second >= 0))


T_LRU_AND_LRU = Statement("T-LRU <= LRU", invariant, cut, le)
LARGE = Statement("Q_hat >= xi", alike, cut, equal, large, of_caches=True)
COVERS = (
    "any lengths, parameters, turns, conversations and start, whatever part of the surplus is trimmed; three "
    "steps by hand (docs/proofs.md)"
)


def obligations(forced: bool) -> list[Obligation]:
    """Return all obligations of Theorem 3.1, for one of the caching modes."""
    return [*T_LRU_AND_LRU.obligations(forced), *scan()]


def large_obligations() -> list[Obligation]:
    """Return all obligations of "with Q_hat >= xi T-LRU is LRU"."""
    return [*LARGE.obligations(), *large_scan()]


def proved(forced: bool) -> Proof:
    """Prove Theorem 3.1 under one of the caching modes."""
    return prove(obligations(forced), COVERS)


optional, forced = partial(proved, False), partial(proved, True)


def large_q() -> Proof:
    """Prove that T-LRU is LRU where each estimate is at least the threshold."""
    return prove(large_obligations(), "any lengths, parameters, turns, conversations and start (docs/proofs.md)")


def repaired_algorithm_1() -> Proof:
    """Prove that the repaired Algorithm 1 ends, keeps X >= 0, and has Theorem 3.1's guarantee."""
    both = [*algorithm_1_loops.obligations(), *obligations(forced=False)]
    return prove(both, f"ends, X >= 0, and the guarantee: {COVERS}")
