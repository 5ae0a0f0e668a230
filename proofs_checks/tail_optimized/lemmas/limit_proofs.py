"""What rows on limits rest on, for all numbers: the mean over who returns, and LRU beside T-LRU on three turns."""

from functools import partial

from teltheory.claims.smt import Obligation, prove, stated
from teltheory.claims.terms import Int, least, positive, reals, total

N, XI, ROOM = reals("n xi H")


def sum_over_who_returns(conversations: int) -> Obligation:
    """Sum up excesses, each conversation as if it returned: K n - H or more, if at most H are cached in all."""
    cached = reals(" ".join(f"x_{k}" for k in range(conversations)))
    given = (*cached, *(N - x for x in cached), ROOM - total(cached))
    paid = total(positive(N + XI - x - XI) for x in cached)
    return stated(f"{conversations} conversations", given, shown=[paid - (total([N] * conversations) - ROOM)])


def three_turns(prompt: int) -> tuple[Int, Int, tuple[Int, ...]]:
    """Return the excesses of LRU and of T-LRU, and what must be 0 or more, of A(2n) B(n) A; C = xi = n.

    B arrives when A holds n of its past, so that n overflow. LRU takes them from A. T-LRU takes both surpluses,
    which are no more than that, and the rest from A.
    """
    past_a, past_b, held = N + N, N, least(N + N, N)
    surplus_a = positive(held - least(past_a, positive(past_a + prompt - N)))
    surplus_b = positive(past_b - least(past_b, positive(past_b + prompt - N)))
    rest = N - surplus_a - surplus_b
    by_lru, by_t_lru = held - N, held - surplus_a - rest
    lru, t_lru = (positive(past_a + prompt - kept - N) for kept in (by_lru, by_t_lru))
    return lru, t_lru, (rest, by_t_lru)


def poor(name: str, prompt: int, least_n: int, lru_pays: Int, t_lru_pays: int) -> Obligation:
    """Return what LRU and T-LRU pay on the three turns, for every n from the least on."""
    lru, t_lru, there = three_turns(prompt)
    return stated(name, given=[N - least_n], shown=there, zero=[lru - lru_pays, t_lru - t_lru_pays])


GAME = [
    stated("without an excess: a prompt of 1 where xi >= 1", given=[XI - 1], zero=[positive(1 - XI)]),
    stated(
        "without an excess: who returns with a past of n and a prompt of xi, if all n are cached",
        zero=[positive(N + XI - N - XI)],
    ),
    *map(sum_over_who_returns, range(2, 6)),
]
POOR = [
    poor("with an empty prompt LRU pays n and T-LRU nothing", 0, 0, N, 0),
    poor("with a prompt of 1 LRU pays n + 1 and T-LRU 2", 1, 1, N + 1, 2),
]

game_proof = partial(
    prove,
    GAME,
    "all real n, xi >= 1 and h, K from 2 to 5; by hand: other K, and that dice are a mean over policies",
)
poor_proof = partial(prove, POOR, "all real n >= 1, the two families of three turns")
