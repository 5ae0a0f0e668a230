"""The cache by recency: the words in which the inductive proofs of Theorem 3.1 and its relatives are written.

Position 0 is the most recent conversation. A column has one term for each position: L the pasts, X what is cached,
M what was at hand when the conversation last came (its past; for one of the initial cache what was cached then).
A conversation that has not come yet is a position with L = M = X = 0.

1. *Arrival at position k.* The conversation at k moves to the front; all that were more recent move back by one.
   Each k is a query of its own, so that no variable says who is where.
2. *Trimming* takes an amount t of each surplus (X - b)+. Nothing more is said of the amounts than a statement
   needs: `any_amount` leaves them free between 0 and the surplus, `enough` asks that eviction begins only where
   all surplus is gone. Round-robin, least-recent and eager trimming are three ways to choose them.
3. *Eviction in room form.* From the most recent on, each keeps what the room allows: y = min(x, room), and the
   room shrinks by y. This is least-recent-first eviction down to the capacity (docs/proofs.md;
   `algorithm_1_loops.py` proves it).

Lengths, capacity and threshold are any whole numbers from 0 on, and so is the number of turns: an invariant that
every turn keeps holds after any number of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from teltheory.claims.smt import Obligation
from teltheory.claims.terms import (
    TRUE,
    Bool,
    Int,
    Number,
    equal,
    every,
    implies,
    integer,
    integers,
    least,
    number,
    positive,
    total,
)

Column: TypeAlias = tuple[Int, ...]

C, XI = integer("C"), integer("xi")
PROMPT, RESPONSE = integer("q"), integer("a")
NEXT_ESTIMATE = integer("Q_next")
PARAMETERS = (C >= 0, XI >= 0, PROMPT >= 0, RESPONSE >= 0, NEXT_ESTIMATE >= 0)

NUMBERS = range(1, 7)
"""Numbers of conversations for which a step is proved with all its sums written out."""


@dataclass(frozen=True)
class Step:
    """One turn of a statement on n conversations.

    `assumed` is the invariant before and what the turn does, `before` what the invariant says of this turn's
    excess, `after` the invariant after the cut.
    """

    assumed: tuple[Bool, ...]
    before: Bool
    after: Bool


def arrive(column: Column, k: int, front: Number) -> Column:
    """Move position k to the front, where it has a new value."""
    return (number(front), *column[:k], *column[k + 1 :])


def in_room(amounts: Iterable[Int], room: Int) -> Column:
    """Keep of each amount what the room allows, the most recent first."""
    kept = []
    for amount in amounts:
        kept.append(least(amount, room))
        room = room - kept[-1]
    return tuple(kept)


def budget(past: Int, prompt: Number, xi: Int = XI) -> Int:
    """Return min(L, (L + Q - xi)+)."""
    return least(past, positive(past + prompt - xi))


def budgets(pasts: Column, prompts: Sequence[Int]) -> Column:
    """Return the budget of each past and prompt."""
    return tuple(map(budget, pasts, prompts))


def excess(past: Int, cached: Int) -> Int:
    """Return (L + q - X - xi)+, what a turn with prompt q has above the threshold."""
    return positive(past + PROMPT - cached - XI)


def surpluses(cached: Column, limits: Column, exempt: int = 0) -> Column:
    """Return (X - b)+; none for the first `exempt` positions, under forced caching the arriving one."""
    return tuple(
        positive(x - b) if i >= exempt else number(0) for i, (x, b) in enumerate(zip(cached, limits, strict=True))
    )


def any_amount(trimmed: Column, surplus: Column) -> Bool:
    """Whether each amount lies between 0 and the surplus: nothing, one block, some or all of it."""
    return every((t >= 0) & (t <= s) for t, s in zip(trimmed, surplus, strict=True))


def enough(trimmed: Column, surplus: Column, cached: Column) -> Bool:
    """Whether what is trimmed ends the overflow, or is all the surplus that there is."""
    overflow = total(cached) - C
    return any_amount(trimmed, surplus) & (total(trimmed) >= least(positive(overflow), total(surplus)))


def minus(cached: Column, trimmed: Column) -> Column:
    """Return what trimming leaves."""
    return tuple(x - t for x, t in zip(cached, trimmed, strict=True))


def within(low: Number, column: Column, most: Column) -> Bool:
    """Whether low <= X <= M at each position."""
    return every((x >= low) & (x <= m) for x, m in zip(column, most, strict=True))


def nothing_below_a_loss(cached: Column, at_hand: Column) -> Bool:
    """Whether everything is 0 that is less recent than a position with X < M: LRU's shape."""
    return every(
        implies(cached[i] < at_hand[i], equal(cached[j], 0))
        for i in range(len(cached))
        for j in range(i + 1, len(cached))
    )


def fits(cached: Column) -> Bool:
    """Whether the cache is within the capacity."""
    return total(cached) <= C


def same(first: Column, second: Column) -> Bool:
    """Whether two columns are equal."""
    return every(map(equal, first, second))


@dataclass(frozen=True)
class Caches:
    """Pasts L, at hand M, estimates Q of the next prompts, and the caches X and Y of two policies."""

    L: Column
    M: Column
    Q: Column
    X: Column
    Y: Column

    @property
    def b(self) -> Column:
        """The budgets."""
        return budgets(self.L, self.Q)


def caches(n: int) -> Caches:
    """Return n positions of which nothing is known."""
    return Caches(*(integers(name, n) for name in "LMQXY"))


def admissible(state: Caches) -> Bool:
    """Whether 0 <= M <= L and no estimate is negative."""
    return within(0, state.M, state.L) & every(q >= 0 for q in state.Q)


def prompt_is_bounded(state: Caches, k: int) -> Bool:
    """Whether the prompt is at most its estimate, or begins the conversation."""
    return (state.Q[k] >= PROMPT) | equal(state.L[k], 0)


def after_arrival(state: Caches, k: int) -> Caches:
    """Return all that is at hand before the cut: the whole past of the arriving conversation, and the others."""
    past = state.L[k] + PROMPT + RESPONSE
    fronts = (past, past, NEXT_ESTIMATE, past, past)
    return Caches(*(arrive(column, k, front) for column, front in zip(vars(state).values(), fronts, strict=True)))


def turned(
    state: Caches,
    arrived: Caches,
    after: Caches,
    k: int,
    invariant: Callable[[Caches], Bool],
    relation: Callable[[Int, Int], Bool],
    forced: bool = False,
) -> Step:
    """Return the step from a state through an arrival to the state after the cut.

    Between the excesses of the turn under X and under Y the relation must hold.
    """
    assumed = [*PARAMETERS, admissible(state), invariant(state), prompt_is_bounded(state, k)]
    assumed += [arrived.L[0] <= C] if forced else []
    return Step(
        tuple(assumed), relation(excess(state.L[k], state.X[k]), excess(state.L[k], state.Y[k])), invariant(after)
    )


def induction(
    statement: str,
    invariant: Callable[[Caches], Bool],
    turn: Callable[[int, int], Step],
    mode: str = "",
    given: Callable[[Caches], Bool] = lambda state: TRUE,
) -> Iterator[Obligation]:
    """Yield initiation from the same cache, and each turn's implication and consecution, written out.

    `turn` makes the step for a number of conversations and the position of the arrival; `given` is what may be
    assumed of every state.
    """
    for n in NUMBERS:
        state = caches(n)
        state = replace(state, X=state.M, Y=state.M)
        assumed = (*PARAMETERS, admissible(state), given(state), fits(state.M))
        yield Obligation(f"{statement}, {n} conversations: initiation", assumed, invariant(state), n)
    for n in NUMBERS:
        for k in range(n):
            step = turn(n, k)
            place = f"{', '.join(filter(None, (statement, mode)))}, {n} conversations, arrival at {k}"
            yield Obligation(f"{place}: implication", step.assumed, step.before, n)
            yield Obligation(f"{place}: consecution", step.assumed, step.after, n)


def mode(forced: bool) -> str:
    """Return the name of a caching mode."""
    return "forced" if forced else "optional"
