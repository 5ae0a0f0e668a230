"""The stack formulas and the inclusion property by induction, for all whole numbers (`stack.py`).

Optional caching, empty start. The state is the pasts alone, by recency; budgets are b = min(L, (L - c)+) with any
whole c, which is xi - Q_hat. The invariant is the formula itself:

    X = clip(C - S, 0, b) + clip(C - S', 0, L - b),

S the budgets of the more recent conversations, S' all budgets and the surpluses of the more recent ones. LRU is
the case c = 0, where S' plays no part. *Initiation*: nothing is cached and all pasts are 0. *Consecution*: the
formula of the pasts before, the arriving conversation in front with all its past, cut in two rooms (budgets'
parts from the most recent on, then surpluses in the room that they leave), is the formula of the pasts after.
*Implication*: the formula grows with C, so a larger cache includes a smaller one.

Two rooms are least-recent-first trimming and then LRU: with enough surplus the room of the surpluses is what the
budgets' parts leave, otherwise there is none.

*Every number of conversations*: two scans one after the other, the second with the room that the first left. What
they carry are the sums S and S' before and after the turn; conversations more recent than the arriving one
("early") and less recent ones ("late") differ in how these change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from proofs_checks.tail_optimized.lemmas.positions import (
    NUMBERS,
    PROMPT,
    RESPONSE,
    C,
    Column,
    arrive,
    in_room,
    same,
)
from teltheory.claims.claim import Proof
from teltheory.claims.smt import Obligation, prove
from teltheory.claims.terms import Bool, Int, clip, equal, integer, integers, least, number, positive, total

CUT = integer("c")
GIVEN = (C >= 0, PROMPT >= 0, RESPONSE >= 0)


def within_budget(past: Int) -> Int:
    """Return b = min(L, (L - c)+)."""
    return least(past, positive(past - CUT))


def formula(pasts: Column, capacity: Int = C) -> Column:
    """Return what T-LRU with least-recent trim holds of each past."""
    b = tuple(map(within_budget, pasts))
    return tuple(
        clip(capacity - total(b[:i]), b[i])
        + clip(capacity - total(b) - total(pasts[j] - b[j] for j in range(i)), past - b[i])
        for i, past in enumerate(pasts)
    )


def lru_formula(pasts: Column, capacity: Int = C) -> Column:
    """Return what LRU holds of each past."""
    return tuple(clip(capacity - total(pasts[:i]), past) for i, past in enumerate(pasts))


def in_two_rooms(cached: Column, limits: Column, capacity: Int = C) -> Column:
    """Keep the parts within the budgets by recency, then the surpluses in the room that is left."""
    parts = in_room(map(least, cached, limits), capacity)
    surplus = tuple(positive(x - b) for x, b in zip(cached, limits, strict=True))
    rest = in_room(surplus, capacity - total(parts))
    return tuple(part + more for part, more in zip(parts, rest, strict=True))


def t_lru_consecution(n: int, k: int) -> Obligation:
    """Return the step of T-LRU's formula where the conversation at position k arrives."""
    pasts = integers("L", n)
    longer = pasts[k] + PROMPT + RESPONSE
    after = arrive(pasts, k, longer)
    kept = in_two_rooms(arrive(formula(pasts), k, longer), tuple(map(within_budget, after)))
    return _consecution("T-LRU", n, k, same(kept, formula(after)))


def lru_consecution(n: int, k: int) -> Obligation:
    """Return the step of LRU's formula where the conversation at position k arrives."""
    pasts = integers("L", n)
    longer = pasts[k] + PROMPT + RESPONSE
    kept = in_room(arrive(lru_formula(pasts), k, longer), C)
    return _consecution("LRU", n, k, same(kept, lru_formula(arrive(pasts, k, longer))))


def _consecution(policy: str, n: int, k: int, conclusion: Bool) -> Obligation:
    name = f"the formula of {policy}, {n} conversations, arrival at {k}: consecution"
    return Obligation(name, (*GIVEN, *(past >= 0 for past in integers("L", n))), conclusion, n)


def initiation(policy: str, held: Callable[[Column], Column], n: int) -> Obligation:
    """Return that a formula holds nothing where all pasts are 0."""
    pasts = integers("L", n)
    name = f"the formula of {policy}, {n} conversations: initiation"
    empty = (C >= 0, *(equal(past, 0) for past in pasts))
    return Obligation(name, empty, same(held(pasts), (number(0),) * n), n)


def inclusion(policy: str) -> Obligation:
    """Return that what a formula gives grows with C, at one position with any sums before it."""
    L, S, S2, larger = map(integer, ("L", "S", "S2", "larger"))
    b = within_budget(L) if policy == "T-LRU" else L

    def held(capacity: Int) -> Int:
        return clip(capacity - S, b) + clip(capacity - S2, L - b)

    assumed = ((L >= 0) & (S >= 0) & (S2 >= 0), (C >= 0) & (larger >= C))
    return Obligation(f"inclusion, {policy}: the formula grows with C", assumed, held(C) <= held(larger))


def scans(early: bool) -> Iterator[Obligation]:
    """Yield the induction over positions behind the front, for conversations on either side of the arriving one.

    `S` and `R` are sums of budgets and of surpluses of the conversations that were more recent before the turn,
    `B` is the sum of all budgets then, and `last` the past of the arriving conversation.
    """
    L, last, S, R, B, room = map(integer, ("L", "last", "S", "R", "B", "room"))
    b, b_last, longer = within_budget(L), within_budget(last), last + PROMPT + RESPONSE
    b_longer = within_budget(longer)
    surplus, surplus_last, surplus_longer = L - b, last - b_last, longer - b_longer
    less = 0 if early else 1
    S_after = S + b_longer - (b_last if less else 0)
    R_after = R + surplus_longer - (surplus_last if less else 0)
    B_after = B + b_longer - b_last
    sums = ((b_last if less else 0) <= S) & ((surplus_last if less else 0) <= R)
    whole = S + b + (0 if less else b_last) <= B
    assumed = (*GIVEN, (L >= 0) & (last >= 0), sums, whole)
    held = clip(C - S, b) + clip(C - B - R, surplus)
    part, more = least(held, b), positive(held - b)
    side = "more" if early else "less"
    name = f"the formula of T-LRU, every number of conversations, {side} recent than the arriving one:"
    rooms = equal(room, positive(C - S_after))
    kept = equal(least(part, room), clip(C - S_after, b)) & equal(
        room - least(part, room), positive(C - S_after - b)
    )
    yield Obligation(f"{name} the budget's part", (*assumed, rooms), kept)
    rooms = equal(room, positive(C - B_after - R_after))
    kept = equal(least(more, room), clip(C - B_after - R_after, surplus)) & equal(
        room - least(more, room), positive(C - B_after - R_after - surplus)
    )
    yield Obligation(f"{name} the surplus", (*assumed, rooms), kept)


def fronts() -> Iterator[Obligation]:
    """Yield the first element of both scans: the arriving conversation with all its past."""
    L, B = integer("L"), integer("B_after")
    b = within_budget(L)
    name = "the formula of T-LRU, every number of conversations, the arriving one:"
    kept = equal(least(b, C), clip(C, b)) & equal(C - least(b, C), positive(C - b))
    yield Obligation(f"{name} the budget's part", (C >= 0, L >= 0), kept)
    room, surplus = positive(C - B), L - b
    kept = equal(least(surplus, room), clip(C - B, surplus)) & equal(
        room - least(surplus, room), positive(C - B - surplus)
    )
    yield Obligation(f"{name} the surplus", (C >= 0, L >= 0, b <= B), kept)


def lru_scan() -> Iterator[Obligation]:
    """Yield the induction over positions for LRU's formula, on either side of the arriving conversation."""
    L, last, S, room = map(integer, ("L", "last", "S", "room"))
    for side, before, after in (
        ("more", S, S + last + PROMPT + RESPONSE),
        ("less", S + last, S + last + PROMPT + RESPONSE),
    ):
        assumed = (*GIVEN, (L >= 0) & (last >= 0) & (S >= 0), equal(room, positive(C - after)))
        kept = least(clip(C - before, L), room)
        as_formula = equal(kept, clip(C - after, L)) & equal(room - kept, positive(C - after - L))
        name = f"the formula of LRU, every number of conversations, {side} recent than the arriving one"
        yield Obligation(name, assumed, as_formula)


def t_lru_obligations() -> list[Obligation]:
    """Return all obligations of T-LRU's formula and of its inclusion property."""
    found = [initiation("T-LRU", formula, n) for n in NUMBERS]
    found += [t_lru_consecution(n, k) for n in NUMBERS for k in range(n)]
    return [*found, inclusion("T-LRU"), *fronts(), *scans(early=True), *scans(early=False)]


def lru_obligations() -> list[Obligation]:
    """Return all obligations of LRU's formula and of its inclusion property."""
    found = [initiation("LRU", lru_formula, n) for n in NUMBERS]
    found += [lru_consecution(n, k) for n in NUMBERS for k in range(n)]
    return [*found, inclusion("LRU"), *lru_scan()]


COVERS = "any lengths, capacities, turns and conversations; three steps by hand (docs/proofs.md)"


def lru() -> Proof:
    """Prove LRU's formula and inclusion."""
    return prove(lru_obligations(), COVERS)


def t_lru() -> Proof:
    """Prove the formula of T-LRU with least-recent trim, and inclusion."""
    return prove(t_lru_obligations(), f"any threshold and estimate, {COVERS}")
