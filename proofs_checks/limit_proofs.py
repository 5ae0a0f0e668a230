"""What rows on limits rest on, for all numbers: the mean over who returns, and LRU beside T-LRU on three turns.

Each function states an obligation, its docstring in words, that `case_analysis` proves.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from proofs_checks.case_analysis import Obligation, least, numbers, plus, prove
from proofs_checks.excess_calculus import Obligations

if TYPE_CHECKING:
    from sympy import Expr


def first_turns_cost_nothing() -> Obligation:
    """Without an excess: a prompt of 1 where xi >= 1."""
    (xi, _) = numbers("xi z")
    return Obligation(given=(xi - 1,), equal=(plus(1 - xi),))


def whole_past_costs_nothing() -> Obligation:
    """Without an excess: who returns with a past of n and a prompt of xi, if all n are cached."""
    n, xi = numbers("n xi")
    return Obligation(equal=(plus(n + xi - n - xi),))


def sum_over_who_returns(conversations: int) -> Obligation:
    """Sum up excesses, each conversation as if it returned: K n - H or more, if at most H are cached in all."""
    n, xi, room = numbers("n xi H")
    cached = numbers(" ".join(f"x_{k}" for k in range(conversations)))
    given = (*cached, *(n - x for x in cached), room - sum(cached))
    paid = sum(plus(n + xi - x - xi) for x in cached)
    return Obligation(given=given, shown=(paid - (conversations * n - room),))


def three_turns(prompt: int) -> tuple[Expr, Expr, Expr, tuple[Expr, ...]]:
    """Return n, the excesses of LRU and of T-LRU, and what must be 0 or more, of A(2n) B(n) A; C = xi = n.

    B arrives when A holds n of its past, so that n overflow. LRU takes them from A. T-LRU takes both surpluses,
    which are no more than that, and the rest from A.
    """
    (n, _) = numbers("n z")
    past_a, past_b, held, overflow = 2 * n, n, least(2 * n, n), n
    surplus_a = plus(held - least(past_a, plus(past_a + prompt - n)))
    surplus_b = plus(past_b - least(past_b, plus(past_b + prompt - n)))
    rest = overflow - surplus_a - surplus_b
    by_lru, by_t_lru = held - overflow, held - surplus_a - rest
    excesses = (plus(past_a + prompt - kept - n) for kept in (by_lru, by_t_lru))
    return (n, *excesses, (rest, by_t_lru))


def nothing_against_n() -> Obligation:
    """With an empty prompt LRU pays n and T-LRU nothing, for n of 0 or more."""
    n, lru, t_lru, there = three_turns(0)
    return Obligation(given=(n,), shown=there, equal=(lru - n, t_lru))


def two_against_more() -> Obligation:
    """With a prompt of 1 LRU pays n + 1 and T-LRU 2, for n of 1 or more."""
    n, lru, t_lru, there = three_turns(1)
    return Obligation(given=(n - 1,), shown=there, equal=(lru - (n + 1), t_lru - 2))


GAME: Obligations = {
    "first turns": first_turns_cost_nothing,
    "the optimum": whole_past_costs_nothing,
    **{f"{k} conversations": partial(sum_over_who_returns, k) for k in range(2, 6)},
}
POOR: Obligations = {"nothing against n": nothing_against_n, "two against n + 1": two_against_more}

game_proof = partial(
    prove,
    GAME,
    "all real n, xi >= 1 and h, K from 2 to 5; by hand: other K, and that dice are a mean over policies",
)
poor_proof = partial(prove, POOR, "all real n >= 1, the two families of three turns")
