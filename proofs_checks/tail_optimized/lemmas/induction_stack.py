"""The stack formulas and the inclusion property by induction, for all whole numbers (`stack.py`).

Optional caching, empty start. The state is the pasts alone, by recency; budgets are b = min(L, (L - c)+) with any
whole c, which is xi - Q_hat; LRU is the case c = 0, in which all budgets are whole pasts. The invariant is the
formula itself:

    X = clip(C - S, 0, b) + clip(C - S', 0, L - b),

S the budgets of the more recent conversations, S' all budgets and the surpluses of the more recent ones.
*Initiation*: nothing is cached and all pasts are 0. *Consecution*: the
formula of the pasts before, the arriving conversation in front with all its past, cut in two rooms (budgets'
parts from the most recent on, then surpluses in the room that they leave), is the formula of the pasts after.
*Implication*: the formula grows with C, so a larger cache includes a smaller one.

Two rooms are least-recent-first trimming and then LRU: with enough surplus the room of the surpluses is what the
budgets' parts leave, otherwise there is none.

*Every number of conversations*: two scans one after the other, the second with the room that the first left. What
they carry are the sums S and S' before and after the turn; conversations more recent than the arriving one
("early") and less recent ones ("late") differ in how these change.
"""

from collections.abc import Iterator

from proofs_checks.tail_optimized.lemmas import positions
from proofs_checks.tail_optimized.lemmas.positions import NUMBERS, PROMPT, RESPONSE, C, Column, arrive, in_room
from teltheory.claims.claim import Proof
from teltheory.claims.smt import Obligation, prove
from teltheory.claims.terms import Int, clip, equal, integer, integers, least, number, positive, total

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


def in_two_rooms(cached: Column, limits: Column, capacity: Int = C) -> Column:
    """Keep the parts within the budgets by recency, then the surpluses in the room that is left."""
    parts = in_room(map(least, cached, limits), capacity)
    surplus = tuple(positive(x - b) for x, b in zip(cached, limits, strict=True))
    rest = in_room(surplus, capacity - total(parts))
    return tuple(part + more for part, more in zip(parts, rest, strict=True))


def consecution(n: int, k: int) -> Obligation:
    """Return the step of the formula where the conversation at position k arrives."""
    pasts = integers("L", n)
    longer = pasts[k] + PROMPT + RESPONSE
    after = arrive(pasts, k, longer)
    kept = in_two_rooms(arrive(formula(pasts), k, longer), tuple(map(within_budget, after)))
    name = f"the formula of T-LRU, {n} conversations, arrival at {k}: consecution"
    return Obligation(name, (*GIVEN, *(past >= 0 for past in pasts)), positions.same(kept, formula(after)), n)


def initiation(n: int) -> Obligation:
    """Return that the formula holds nothing if all pasts are 0."""
    pasts = integers("L", n)
    empty = (C >= 0, *(equal(past, 0) for past in pasts))
    name = f"the formula of T-LRU, {n} conversations: initiation"
    return Obligation(name, empty, positions.same(formula(pasts), (number(0),) * n), n)


def inclusion() -> Obligation:
    """Return that what the formula gives grows with C, at one position with any sums before it."""
    L, S, S2, larger = map(integer, ("L", "S", "S2", "larger"))
    b = within_budget(L)

    def held(capacity: Int) -> Int:
        return clip(capacity - S, b) + clip(capacity - S2, L - b)

    assumed = ((L >= 0) & (S >= 0) & (S2 >= 0), (C >= 0) & (larger >= C))
    return Obligation("inclusion, T-LRU: the formula grows with C", assumed, held(C) <= held(larger))


def without_a_cut() -> Obligation:
    """Return that all budgets are whole pasts for c = 0, so that the formula is clip(C - S, 0, L): LRU's."""
    L, S, S2 = map(integer, ("L", "S", "S2"))
    b = within_budget(L)
    whole = equal(b, L) & equal(clip(C - S, b) + clip(C - S2, L - b), clip(C - S, L))
    return Obligation("the formula of LRU is that of T-LRU for c = 0", (L >= 0, equal(CUT, 0)), whole)


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


def obligations() -> list[Obligation]:
    """Return all obligations of the formula and of its inclusion property."""
    found = [initiation(n) for n in NUMBERS] + [consecution(n, k) for n in NUMBERS for k in range(n)]
    return [*found, inclusion(), *fronts(), *scans(early=True), *scans(early=False)]


COVERS = "any lengths, capacities, turns and conversations; three steps by hand (docs/proofs.md)"


def lru() -> Proof:
    """Prove LRU's formula and inclusion."""
    return prove([*obligations(), without_a_cut()], COVERS)


def t_lru() -> Proof:
    """Prove the formula of T-LRU with least-recent trim, and inclusion."""
    return prove(obligations(), f"any threshold and estimate, {COVERS}")
