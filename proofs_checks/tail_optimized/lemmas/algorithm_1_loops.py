"""The loops of the repaired Algorithm 1, block by block: they end, and they do what the other proofs assume.

The repair trims strictly above the budget and at X >= 1 only, leaves the trim loop after a round that trims
nothing, and evicts by LRU down to the last block (`algorithm_1.Reading`). For all whole numbers:

*Trim loop.* Invariant, for each conversation: 0 <= X <= x, x what it held at the beginning, and what was trimmed,
x - X, is at most its surplus. A block that goes keeps it, and lowers the sum by one: no more rounds than blocks.
So the loop leaves some amount of each surplus, as `positions.any_amount` says; the `if` form too.

*LRU loop.* Invariant: 0 <= X <= x; where X < x, everything less recent is 0; the sum is at least min(C, sum x).
While it is above C some X >= 1 is there to go, and it falls by one. At the end X is `positions.in_room(x, C)`:
the room form.

The steps speak of one conversation, or of any two (p more recent than q), and so of every number of them.
"""

from collections.abc import Iterator

from proofs_checks.tail_optimized.lemmas.positions import (
    NUMBERS,
    C,
    budget,
    in_room,
    nothing_below_a_loss,
    same,
    within,
)
from teltheory.claims.smt import Obligation
from teltheory.claims.terms import equal, every, implies, integer, integers, least, positive, some, total, truth


def trim_loop() -> Iterator[Obligation]:
    """Yield that trimming a block takes surplus only, keeps X >= 0 and lowers what is held."""
    L, Q, xi, x, X = map(integer, ("L", "Q", "xi", "x", "X"))
    given = every(number >= 0 for number in (L, Q, xi)) & (x <= L)
    surplus = positive(x - budget(L, Q, xi))
    trimmed_surplus = (X >= 0) & (x >= X) & (x - X <= surplus)
    passes_the_test = (L + Q - xi < X) & (X >= 1)
    name = "Algorithm 1, trim loop:"
    at_first = (equal(X, x), x >= 0, given)
    yield Obligation(f"{name} initiation", at_first, trimmed_surplus)
    after = (X - 1 >= 0) & (x >= X - 1) & (x - (X - 1) <= surplus)
    yield Obligation(f"{name} a block that goes is surplus", (given, trimmed_surplus, passes_the_test), after)
    nothing_to_trim = equal(x - X, surplus)
    left = (given, trimmed_surplus, ~passes_the_test)
    yield Obligation(f"{name} a round that trims nothing leaves no surplus", left, nothing_to_trim)


def lru_loop() -> Iterator[Obligation]:
    """Yield that evicting a block keeps the invariant, and that there is one while the cache is too full."""
    x_p, x_q, X_p, X_q = map(integer, ("x_p", "x_q", "X_p", "X_q"))
    p_goes, q_goes = truth("p_goes"), truth("q_goes")
    shape = implies(X_p < x_p, equal(X_q, 0))
    bounds = (X_p >= 0) & (X_p <= x_p) & (X_q >= 0) & (X_q <= x_q)
    least_recent_block = implies(p_goes, (X_p >= 1) & equal(X_q, 0)) & implies(q_goes, X_q >= 1)
    one_goes = ~(p_goes & q_goes)
    evicted = (equal(integer("p"), X_p - 1) & p_goes) | (equal(integer("p"), X_p) & ~p_goes)
    evicted &= (equal(integer("q"), X_q - 1) & q_goes) | (equal(integer("q"), X_q) & ~q_goes)
    p, q = integer("p"), integer("q")
    after = implies(p < x_p, equal(q, 0)) & (p >= 0) & (p <= x_p) & (q >= 0) & (q <= x_q)
    name = "Algorithm 1, LRU loop:"
    assumed = (bounds, shape, least_recent_block, one_goes, evicted)
    yield Obligation(f"{name} the least recent block goes", assumed, after)
    held, x, most = integer("sum_X"), integer("sum_x"), least(C, integer("sum_x"))
    yield Obligation(f"{name} the sum stays at least min(C, sum x)", (held > C, held <= x), held - 1 >= most)


def there_is_a_block(n: int) -> Obligation:
    """Return that a cache above its capacity holds a block."""
    held = integers("X", n)
    too_full = (C >= 0, total(held) > C)
    name = f"Algorithm 1, LRU loop, {n} conversations: a cache that is too full has a block to go"
    return Obligation(name, too_full, some(X >= 1 for X in held), n)


def room_form(n: int) -> Obligation:
    """Return that what LRU leaves is the room form."""
    before, held = integers("x", n), integers("X", n)
    shape = within(0, held, before) & nothing_below_a_loss(held, before)
    at_the_end = (total(held) >= least(C, total(before))) & (total(held) <= C)
    name = f"Algorithm 1, LRU loop, {n} conversations: what it leaves is the room form"
    return Obligation(name, (C >= 0, shape, at_the_end), same(held, in_room(before, C)), n)


def scan() -> Iterator[Obligation]:
    """Yield the room form by induction over positions: any number of conversations.

    `P` and `p` are the sums of X and x over the more recent ones, F says whether one of them has X < x, and where
    it does, or this one has, all that is less recent is 0, so that the sum so far is the whole sum.
    """
    x, X, p, P, sum_x, sum_X, room = map(integer, ("x", "X", "p", "P", "sum_x", "sum_X", "room"))
    F = truth("F")
    element = (X >= 0) & (x >= X) & implies(F, equal(X, 0)) & (P >= 0) & (p >= P)
    sums = (sum_X >= P + X) & (p + x <= sum_x) & implies(F | (x > X), equal(sum_X, P + X))
    at_the_end = (sum_X <= C) & (sum_X >= least(C, sum_x))
    carried = implies(~F, equal(p, P)) & equal(room, C - P) & implies(F, equal(room, 0))
    kept = least(x, room)
    onwards = implies(~(F | (x > X)), equal(p + x, P + X)) & implies(F | (x > X), equal(room - kept, 0))
    name = "Algorithm 1, LRU loop, every number of conversations:"
    assumed = (C >= 0, element, sums, at_the_end, carried)
    yield Obligation(f"{name} what it leaves is the room form", assumed, equal(X, kept))
    yield Obligation(f"{name} the scan goes on", assumed, onwards & equal(room - kept, C - (P + X)))


def obligations() -> list[Obligation]:
    """Return all obligations of both loops."""
    found = [*trim_loop(), *lru_loop(), *scan()]
    return found + [make(n) for n in NUMBERS for make in (there_is_a_block, room_form)]
