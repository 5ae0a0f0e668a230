"""T-LRU on sets of items: from "at least LRU's part or the budget" to "no more excess than LRU".

The invariant X >= min(Y, b) of each item, X under T-LRU and Y under LRU, is that of Theorem 3.1 with any budget
(`tiers/lemmas/one_budget.py`): a request moves several items to the front, and nothing is cut in between. What is
new is a request of several items. Let X < Y for one of them, of size s, last used by a request R; then X >= b.

*Own budgets.* b = min(s, (s + Q - xi)+), and Q covers the rest of the request.

*Shared budgets.* R promised G = (S + Q - xi)+ to its items, S in all, the most recent first. `newer` and `older`
are the sizes of R's items that are more and less recent than the one with X < Y. Of the newer ones the request
does not ask for `missing`, or they were used after R; of the older ones it asks for `asked`, last used by R. LRU
has all of the newer ones, since it has something of this one; so T-LRU has at least the budgets that R gave them,
min(G, newer) in all, unless they were used again, `kept` of those that count. Q covers what the request has
besides the items that R was the last to use.
"""

from collections.abc import Iterator

from proofs_checks.tiers.lemmas.one_budget import any_budget
from teltheory.claims.claim import Proof
from teltheory.claims.smt import Obligation, prove
from teltheory.claims.terms import Bool, Int, clip, equal, integer, least, positive

XI, Q, REST = map(integer, ("xi", "Q", "rest"))
SIZE, TLRU, LRU = map(integer, ("s", "X", "Y"))
NEWER, MISSING, KEPT, OLDER, ASKED = map(integer, ("newer", "missing", "kept", "older", "asked"))
COVERED = (XI >= 0, Q >= 0, REST >= 0, REST <= Q)


def less_than_lru(budget: Int) -> tuple[Bool, ...]:
    """Return that T-LRU has less than LRU of an item, and the invariant."""
    return (TLRU >= 0, TLRU < LRU, LRU <= SIZE, least(LRU, budget) <= TLRU)


def own_budget() -> Obligation:
    """Return that one item with less than LRU's part makes its request short enough."""
    budget = clip(SIZE + Q - XI, SIZE)
    within = SIZE - TLRU + REST <= XI
    return Obligation(
        "own budgets: one item short, and the request is within xi", (*COVERED, *less_than_lru(budget)), within
    )


def shared_budget() -> Iterator[Obligation]:
    """Yield that promises add up, and the same with the budget of a set."""
    amount, budget_of_newer = integer("G"), integer("g")
    given = (amount >= 0, NEWER >= 0, SIZE >= 0, equal(budget_of_newer, least(amount, NEWER)))
    more = budget_of_newer + clip(amount - NEWER, SIZE)
    yield Obligation("promises add up to min(G, sizes)", given, equal(more, least(amount, NEWER + SIZE)))
    needs = positive(NEWER + SIZE + OLDER + Q - XI)
    parts = (MISSING >= 0, MISSING <= NEWER, ASKED >= 0, ASKED <= OLDER, KEPT >= 0)
    held = (*less_than_lru(clip(needs - NEWER, SIZE)), least(needs, NEWER) - MISSING <= KEPT)
    uncached = REST + (NEWER - MISSING - KEPT) + (SIZE - TLRU) + ASKED
    yield Obligation(
        "shared budgets: one item short, and the request is within xi", (*COVERED, *parts, *held), uncached <= XI
    )


BY_HAND = (
    "any sizes, requests and estimates that cover what they have to, any trimming; by hand: items of one request "
    "move to the front one after another, and sums over a request's items add up (docs/proofs-prompt-cache.md)"
)


def own_proved() -> Proof:
    """Prove the dominance of own budgets."""
    return prove([*any_budget(), own_budget()], BY_HAND)


def shared_proved() -> Proof:
    """Prove the dominance of shared budgets."""
    return prove([*any_budget(), *shared_budget()], BY_HAND)
