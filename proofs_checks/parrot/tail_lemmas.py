"""The split that reserves what other turns may compute: from "at least LRU's part or the budget" to applications.

The invariant X >= min(Y, b) of each conversation, X under T-LRU and Y under LRU, is that of Theorem 3.1 with any
budget (`tiers/lemmas/one_budget.py`). What is new:

1. A budget changes while its conversation waits, as other turns of its application come. Let such a turn have been
   counted with n tokens and compute u of them, u <= n. Then the threshold of a waiting turn rises by n - u, and
   its budget does not rise, so that the invariant says no more than before.
2. Let a turn compute more under T-LRU than under LRU. Then X < Y, and X is below its history, so X >= b, b below
   the past L: the turn computes no more than its threshold xi - A, A what the others of its routes compute at
   most. So all routes through it stay within xi.

By hand: a route without such a turn computes no more than under LRU, turn by turn.
"""

from collections.abc import Iterator

from proofs_checks.tiers.lemmas.one_budget import any_budget
from teltheory.claims.claim import Proof
from teltheory.claims.smt import Obligation, prove
from teltheory.claims.terms import Int, clip, integer, least

XI, PAST, EXPECTED, OTHERS = map(integer, ("xi", "L", "n", "A"))


def budget(others: Int) -> Int:
    """Return min(L, max(0, n - (xi - A)))."""
    return clip(EXPECTED - (XI - others), PAST)


def while_it_waits() -> Obligation:
    """Return that a budget does not rise when another turn of the application comes."""
    counted, computed = map(integer, ("n_other", "u_other"))
    given = (PAST >= 0, EXPECTED >= 0, computed >= 0, computed <= counted)
    return Obligation("a waiting budget never rises", given, budget(OTHERS - counted + computed) <= budget(OTHERS))


def one_turn() -> Obligation:
    """Return that a turn that computes more than under LRU leaves its routes within xi."""
    tlru, lru, history, total, rest = map(integer, ("X", "Y", "h", "total", "rest"))
    short = (tlru >= 0, tlru < lru, lru <= PAST, tlru < history, history <= total)
    invariant = least(lru, budget(OTHERS)) <= tlru
    given = (*short, invariant, total <= EXPECTED, rest <= OTHERS)
    return Obligation("one turn short, and its routes are within xi", given, total - tlru + rest <= XI)


def obligations() -> Iterator[Obligation]:
    """Yield all."""
    yield from any_budget()
    yield from (while_it_waits(), one_turn())


def reserve_proved() -> Proof:
    """Prove that the split that reserves is never worse than LRU, application by application."""
    by_hand = (
        "any lengths, graphs and estimates of inputs that none exceeds, any trimming; by hand: routes without a "
        "turn that computes more than under LRU (docs/proofs-parrot.md)"
    )
    return prove(list(obligations()), by_hand)
