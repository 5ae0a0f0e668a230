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

A statement on two caches is proved for each number of conversations up to six, all its sums written out, and for
every number by a *scan* over positions, from the most recent on. What it carries is of constant size: the room
that is left to each cache, whether an earlier position had lost something before the cut (F), and whether one
has lost something after it (G). One element's step, from anything that the scan's invariant allows, is the
induction over positions; the front, with all its past at hand, is an element like any other. By hand remain
(docs/proofs.md): moving a conversation that lost nothing to the front keeps "where Y < M, everything less recent
has Y = 0", so that F before the cut implies Y = 0; and prefix sums of amounts from 0 on do not exceed the whole
sum.

Lengths, capacity and threshold are any whole numbers from 0 on, and so is the number of turns: an invariant that
every turn keeps holds after any number of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from operator import le
from typing import TypeAlias

from teltheory.claims.smt import Obligation
from teltheory.claims.terms import (
    FALSE,
    TRUE,
    Bool,
    Int,
    Number,
    choose,
    equal,
    every,
    implies,
    integer,
    integers,
    least,
    number,
    positive,
    total,
    truth,
)

Column: TypeAlias = tuple[Int, ...]

C, XI = integer("C"), integer("xi")
PROMPT, RESPONSE = integer("q"), integer("a")
NEXT_ESTIMATE, FRONT = integer("Q_next"), integer("L_front")
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


def dropped(cached: Column, gone: Iterable[Bool], exempt: int = 0) -> Column:
    """Return the cache without what is gone, the first `exempt` positions apart."""
    return tuple(
        x if i < exempt else choose(out, 0, x) for i, (x, out) in enumerate(zip(cached, gone, strict=True))
    )


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
    """Pasts L, at hand M, estimates Q of the next prompts, the caches X and Y of two policies.

    E is whatever else a policy knows of each conversation: when it first arrived, or that it never comes again.
    """

    L: Column
    M: Column
    Q: Column
    X: Column
    Y: Column
    E: Column

    @property
    def b(self) -> Column:
        """The budgets."""
        return tuple(map(budget, self.L, self.Q))


def caches(n: int) -> Caches:
    """Return n positions of which nothing is known."""
    return Caches(*(integers(name, n) for name in "LMQXYE"))


def sound(state: Caches) -> Bool:
    """Whether 0 <= X <= M, 0 <= Y <= M and both sums are at most C."""
    return within(0, state.X, state.M) & within(0, state.Y, state.M) & fits(state.X) & fits(state.Y)


def has_budget_or_as_much(state: Caches) -> Bool:
    """Whether X >= min(Y, b) at each position."""
    return every(x >= least(y, b) for x, y, b in zip(state.X, state.Y, state.b, strict=True))


def admissible(state: Caches) -> Bool:
    """Whether 0 <= M <= L and no estimate is negative."""
    return within(0, state.M, state.L) & every(q >= 0 for q in state.Q)


def prompt_is_bounded(state: Caches, k: int) -> Bool:
    """Whether the prompt is at most its estimate, or begins the conversation."""
    return (state.Q[k] >= PROMPT) | equal(state.L[k], 0)


def after_arrival(state: Caches, k: int) -> Caches:
    """Return all that is at hand before the cut: the whole past of the arriving conversation, and the others."""
    past = state.L[k] + PROMPT + RESPONSE
    fronts = (past, past, NEXT_ESTIMATE, past, past, integer("E_next"))
    return Caches(*(arrive(column, k, front) for column, front in zip(vars(state).values(), fronts, strict=True)))


@dataclass(frozen=True)
class Statement:
    """A statement on two caches, proved by induction over turns.

    Attributes
    ----------
    name : str
        The statement.
    invariant : callable
        What every turn keeps.
    cut : callable
        From what is at hand, and how many positions are exempt: both caches after the cut, and what it may assume.
    relation : callable
        What holds between the turn's excesses under X and under Y.
    given : callable
        What may be assumed of every state.
    of_caches : bool
        The relation is between what both caches have of the arriving conversation, and its prompt has no bound.
    """

    name: str
    invariant: Callable[[Caches], Bool]
    cut: Callable[[Caches, int], tuple[Column, Column, Bool]]
    relation: Callable[[Int, Int], Bool] = le
    given: Callable[[Caches], Bool] = lambda state: TRUE
    of_caches: bool = False

    def turn(self, n: int, k: int, forced: bool = False) -> Step:
        """Return the step of the conversation at position k of n arriving."""
        state = caches(n)
        arrived = after_arrival(state, k)
        X, Y, amounts = self.cut(arrived, int(forced))
        after = self.invariant(replace(arrived, X=X, Y=Y))
        assumed = [*PARAMETERS, admissible(state), self.given(state), self.given(arrived), self.invariant(state)]
        if forced:
            assumed += [arrived.L[0] <= C]
            after &= equal(X[0], arrived.L[0]) & equal(Y[0], arrived.L[0])
        if self.of_caches:
            return Step((*assumed, amounts), self.relation(state.X[k], state.Y[k]), after)
        before = self.relation(excess(state.L[k], state.X[k]), excess(state.L[k], state.Y[k]))
        return Step((*assumed, prompt_is_bounded(state, k), amounts), before, after)

    def obligations(self, forced: bool = False) -> Iterator[Obligation]:
        """Yield initiation from the same cache, and each turn's implication and consecution, written out."""
        for n in NUMBERS:
            state = caches(n)
            state = replace(state, X=state.M, Y=state.M)
            assumed = (*PARAMETERS, admissible(state), self.given(state), fits(state.M))
            yield Obligation(f"{self.name}, {n} conversations: initiation", assumed, self.invariant(state), n)
        for n in NUMBERS:
            for k in range(n):
                step = self.turn(n, k, forced)
                mode = "forced" if forced else "optional"
                place = f"{self.name}, {mode}, {n} conversations, arrival at {k}"
                yield Obligation(f"{place}: implication", step.assumed, step.before, n)
                yield Obligation(f"{place}: consecution", step.assumed, step.after, n)


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
    behind = replace(empty, room_x=C - FRONT, room_y=C - FRONT)
    yield Obligation(f"{name} the scan begins", PARAMETERS, empty.carried(evicts))
    yield Obligation(f"{name} the scan begins, forced", (*PARAMETERS, FRONT <= C), behind.carried(evicts))
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
