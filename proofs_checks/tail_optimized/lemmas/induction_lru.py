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

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from operator import le

from proofs_checks.tail_optimized.lemmas import algorithm_1_loops
from proofs_checks.tail_optimized.lemmas.positions import (
    PARAMETERS,
    XI,
    C,
    Caches,
    Column,
    Step,
    admissible,
    after_arrival,
    any_amount,
    budget,
    caches,
    fits,
    in_room,
    induction,
    minus,
    mode,
    nothing_below_a_loss,
    same,
    surpluses,
    turned,
    within,
)
from proofs_checks.tail_optimized.lemmas.scan import Element, scanned
from teltheory.claims.claim import Proof
from teltheory.claims.smt import Obligation, prove
from teltheory.claims.terms import Bool, equal, every, implies, integer, integers, least, positive

STATEMENT = "T-LRU <= LRU"


def invariant(state: Caches) -> Bool:
    """Return the invariant of the module's first lines."""
    bounds = within(0, state.X, state.M) & within(0, state.Y, state.M) & fits(state.X) & fits(state.Y)
    return bounds & nothing_below_a_loss(state.Y, state.M) & dominates(state)


def dominates(state: Caches) -> Bool:
    """Whether X >= min(Y, b) at each position."""
    return every(x >= least(y, b) for x, y, b in zip(state.X, state.Y, state.b, strict=True))


def cut(state: Caches, trimmed: Column) -> Caches:
    """Trim T-LRU's cache, then evict from both by LRU."""
    return replace(state, X=in_room(minus(state.X, trimmed), C), Y=in_room(state.Y, C))


def turn(n: int, k: int, forced: bool = False) -> Step:
    """Return the step of the conversation at position k arriving."""
    state, trimmed = caches(n), integers("t", n)
    arrived = after_arrival(state, k)
    after = cut(arrived, trimmed)
    step = turned(state, arrived, after, k, invariant, le, forced)
    kept_whole = equal(after.X[0], arrived.L[0]) & equal(after.Y[0], arrived.L[0])
    return Step(
        (*step.assumed, any_amount(trimmed, surpluses(arrived.X, arrived.b, exempt=int(forced)))),
        step.before,
        step.after & kept_whole if forced else step.after,
    )


def scan() -> Iterator[Obligation]:
    """Yield the induction over positions: any number of conversations."""
    e, t, one = Element.any(), integer("t"), caches(1)
    b = budget(e.L, one.Q[0])
    after = e.after(least(e.X - t, e.room_x), least(e.Y, e.room_y))
    amount = (t >= 0) & (t <= positive(e.X - b))
    assumed = (XI >= 0, e.bounds, least(e.Y, b) <= e.X, implies(e.F, equal(e.Y, 0)), e.carried(), amount)
    kept = after.bounds & implies(e.G, equal(after.Y, 0)) & (least(after.Y, b) <= after.X)
    yield from scanned(STATEMENT, assumed, after, kept)


def q_hat_is_large(n: int, k: int) -> Step:
    """Return a turn where each estimate is at least xi: both caches stay the same."""
    state, trimmed = caches(n), integers("t", n)
    arrived = after_arrival(state, k)
    after = cut(arrived, trimmed)
    large = every(q >= XI for q in (*state.Q, arrived.Q[0]))
    assumed = (*PARAMETERS, admissible(state), large, alike(state))
    return Step(
        (*assumed, any_amount(trimmed, surpluses(arrived.X, arrived.b))),
        equal(state.X[k], state.Y[k]),
        alike(after),
    )


def alike(state: Caches) -> Bool:
    """Whether both caches are the same, within the pasts."""
    return same(state.X, state.Y) & within(0, state.X, state.L)


def large_scan() -> Iterator[Obligation]:
    """Yield the induction over positions where each estimate is at least xi."""
    L, Q, X, t, room = map(integer, ("L", "Q", "X", "t", "room"))
    assumed = ((XI >= 0) & (Q >= XI), (X >= 0) & (X <= L), (t >= 0) & (t <= positive(X - budget(L, Q))))
    first, second = least(X - t, room), least(X, room)
    name = "Q_hat >= xi, every number of conversations: from the same room the same is kept"
    yield Obligation(name, assumed, equal(first, second) & (second <= L) & implies(room >= 0, second >= 0))


def obligations(forced: bool) -> list[Obligation]:
    """Return all obligations of Theorem 3.1, for one of the caching modes."""
    return [*induction(STATEMENT, invariant, partial(turn, forced=forced), mode(forced)), *scan()]


def large_obligations() -> list[Obligation]:
    """Return all obligations of "with Q_hat >= xi T-LRU is LRU"."""
    return [*induction("Q_hat >= xi", alike, q_hat_is_large), *large_scan()]


COVERS = (
    "any lengths, parameters, turns, conversations and start, whatever part of the surplus is trimmed; three "
    "steps by hand (docs/proofs.md)"
)


def optional() -> Proof:
    """Prove Theorem 3.1 under optional caching."""
    return prove(obligations(forced=False), COVERS)


def forced() -> Proof:
    """Prove Theorem 3.1 under forced caching."""
    return prove(obligations(forced=True), COVERS)


def large_q() -> Proof:
    """Prove that T-LRU is LRU where each estimate is at least the threshold."""
    return prove(large_obligations(), "any lengths, parameters, turns, conversations and start (docs/proofs.md)")


def repaired_algorithm_1() -> Proof:
    """Prove that the repaired Algorithm 1 ends, keeps X >= 0, and has Theorem 3.1's guarantee."""
    both = [*algorithm_1_loops.obligations(), *obligations(forced=False)]
    return prove(both, f"ends, X >= 0, and the guarantee: {COVERS}")
