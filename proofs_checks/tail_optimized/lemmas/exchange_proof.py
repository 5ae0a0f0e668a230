"""The exchange lemma of Theorem D.2, checked by machine (docs/proofs-belief.md has it in words).

Tokens are items, v is a token's score before a turn and w after it, F(K) what is saved from then on by keeping the
tokens K: of the excess, or of any convex cost of uncached tokens, by any weights of turns. T has C - 1 tokens, and
b and all of T score at least as much as a.

1. *Immediate.* In the next turn T + b saves at least as much as T + a, in the mean.
2. *Later, outcome by outcome.* Who arrives has all its tokens R at hand. The best choice from T + b + R saves at
   least as much as the best one from T + a + R. The hypothesis of the induction, for one turn less: of C tokens
   the lowest may be exchanged for any other that scores as much.
3. *The rule.* So a choice of C tokens that no other outscores saves at least as much as any choice.

2 and 3 compare scores and savings and do nothing else with them, so whole numbers stand for any numbers. Up to
some number of tokens all sets are written out. For every number of them the steps name the few tokens that they
touch: where a hypothesis asks something of all tokens of K, t is one that does not have it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import combinations, permutations
from typing import TYPE_CHECKING, TypeAlias

from proofs_checks.tail_optimized.lemmas.excess_calculus import PAST, PROMPT, XI
from teltheory.claims import smt
from teltheory.claims.claim import Proof
from teltheory.claims.smt import Obligation, stated
from teltheory.claims.terms import (
    Bool,
    Int,
    choose,
    every,
    implies,
    indicator,
    integer,
    integers,
    least,
    positive,
    reals,
    some,
    truth,
)

if TYPE_CHECKING:
    from sympy import Expr

Tokens: TypeAlias = frozenset[int]
Savings: TypeAlias = dict[Tokens, Int]
"""F(K) of every set K of C tokens."""

SIZES = range(2, 7)
"""Numbers of tokens for which all sets are written out, each with every C below it; for both provers."""


def savings(n: int, capacity: int) -> Savings:
    """Return F, unknown, for n tokens."""
    every_set = map(frozenset, combinations(range(n), capacity))
    return {kept: integer("F_" + "_".join(map(str, sorted(kept)))) for kept in every_set}


def may_be_exchanged(saved: Savings, score: tuple[Int, ...]) -> Iterator[Bool]:
    """Yield the hypothesis of the induction: the lowest of K goes, one that scores as much comes, F stays."""
    for kept in saved:
        for out in sorted(kept):
            lowest = every(score[out] <= score[t] for t in sorted(kept))
            for new in sorted(set(range(len(score))) - kept):
                then = saved[kept - {out} | {new}] >= saved[kept]
                yield implies(lowest & (score[out] <= score[new]), then)


def scores_after(before: tuple[Int, ...], after: tuple[Int, ...], arrives: tuple[Bool, ...]) -> Iterator[Bool]:
    """Yield (O) and (M): what scored as much as a token that does not arrive scores as much afterwards.

    A token that the turn has just made has any score before, also one below all others, of which nothing follows.
    """
    for s, t in permutations(range(len(before)), 2):
        yield implies((before[s] >= before[t]) & ~arrives[t], after[s] >= after[t])


def later(n: int, capacity: int) -> Obligation:
    """Return that T + b + R saves as much as T + a + R; T is 0 ... C - 2, b is C - 1, a is C."""
    before, after = integers("v", n), integers("w", n)
    arrives, saved = tuple(truth(f"arrives_{t}") for t in range(n)), savings(n, capacity)
    T, b, a = set(range(capacity - 1)), capacity - 1, capacity

    def at_hand(kept: Tokens, one: int) -> Bool:
        return every(arrives[t] for t in sorted(kept - T - {one}))

    no_worse = every(
        implies(at_hand(kept, a), some(at_hand(other, b) & (saved[other] >= saved[kept]) for other in saved))
        for kept in saved
    )
    scored = tuple(before[a] <= before[t] for t in (*T, b))
    assumed = (*scored, *scores_after(before, after, arrives), *may_be_exchanged(saved, after))
    return Obligation(f"later, {n} tokens, C = {capacity}", assumed, no_worse, n)


def rule(n: int, capacity: int) -> Obligation:
    """Return that the tokens 0 ... C - 1 are the best choice where none of the others outscores one of them."""
    score, saved = integers("v", n), savings(n, capacity)
    chosen = frozenset(range(capacity))
    highest = tuple(score[t] >= score[s] for t in chosen for s in range(capacity, n))
    best = every(saved[chosen] >= saved[kept] for kept in saved)
    assumed = (*highest, *may_be_exchanged(saved, score))
    return Obligation(f"the rule, {n} tokens, C = {capacity}", assumed, best, n)


def exchanged(out: Int, new: Int, broken_by: Int) -> Bool:
    """Return the hypothesis of the induction for named tokens, F_1 being saved after the exchange.

    Either F does not fall, or some token t of K scores less than the one that goes, or the new one does.
    """
    return (broken_by < out) | (new < out) | (integer("F_1") >= integer("F"))


def not_needed() -> Obligation:
    """Return that a best choice K with a can be brought nearer to B = T + b, any number of tokens.

    b' is in B and not in K, as both have C tokens and a is in K alone; c scores lowest in K. Where c scores less
    than a it goes, else a: no token of B goes, and one of B comes.
    """
    a, b, c, t = map(integer, ("w_a", "w_b", "w_c", "w_t"))
    c_in_B, common = truth("c_in_B"), integer("common")
    in_B = (b >= a) & implies(c_in_B, c >= a)
    lowest = (c <= a) & (c <= t)
    below = c < a
    out = choose(below, c, a)
    now_common = common + 1 - choose(below & c_in_B, 1, 0)
    nearer = (integer("F_1") >= integer("F")) & (now_common > common)
    assumed = (in_B, lowest, exchanged(out, b, t))
    return Obligation("later, every number of tokens: a is not needed", assumed, nearer)


def rule_is_reached() -> Obligation:
    """Return that a best choice K can be brought nearer to the rule's, any number of tokens.

    b is the rule's and not in K, c the lowest of those in K that are not the rule's; t is any of K.
    """
    b, c, t = map(integer, ("v_b", "v_c", "v_t"))
    chosen = truth("t_is_chosen")
    assumed = (b >= c, implies(chosen, t >= c), implies(~chosen, c <= t), exchanged(c, b, t))
    conclusion = (c <= t) & (integer("F_1") >= integer("F"))
    return Obligation("the rule, every number of tokens: it is reached", assumed, conclusion)


def obligations(sizes: Iterable[int] = SIZES) -> list[Obligation]:
    """Return what is proved of sets of tokens."""
    written_out = [make(n, C) for n in sizes for C in range(1, n) for make in (later, rule)]
    return [*written_out, not_needed(), rule_is_reached()]


@dataclass(frozen=True)
class Products:
    """What is `shown` to be 0 or more: the sum of `terms`, products of factors that are `given` to be so."""

    given: tuple[Expr, ...]
    shown: Expr
    terms: tuple[tuple[Expr, ...], ...]

    @property
    def is_proved(self) -> bool:
        """Whether the factors are among the hypotheses and the sum is right, by expansion."""
        from sympy import Add, Mul

        within = all(factor in self.given for term in self.terms for factor in term)
        return bool(within and (self.shown - Add(*(Mul(*term) for term in self.terms))).expand() == 0)


def numbers(names: str) -> tuple[Expr, ...]:
    """Return symbols for real numbers."""
    import sympy

    return tuple(sympy.symbols(names, real=True))


def order_stays() -> Products:
    """Return (O): all scores shrink by the same factor, so their order stays."""
    k, v, w = numbers("k v w")
    return Products((k, v - w), k * v - k * w, ((k, v - w),))


def turn_lowers_none() -> Products:
    """Return (M): rate and survival do not fall, so what scored as much as w scores k w or more afterwards."""
    rate, alive, s, after, w, k = numbers("rate alive s s_after w k")
    falls = (rate, 1 - alive, s, after - s, rate * alive * s - w, 1 - k, w)
    terms = ((rate, after - s), (rate, 1 - alive, s), (rate * alive * s - w,), (1 - k, w))
    return Products(falls, rate * after - k * w, terms)


def immediate() -> Products:
    """Return that b saves as much as a in the next turn, which is i's with chance k rate_i alive_i / D."""
    k, D, alive_a, alive_b, rate_a, rate_b, s_a, s_b = numbers("k D alive_a alive_b rate_a rate_b s_a s_b")
    more = rate_b * alive_b * s_b - rate_a * alive_a * s_a
    saved = k * rate_b * alive_b / D * s_b - k * rate_a * alive_a / D * s_a
    return Products((k, 1 / D, more), saved, ((k, 1 / D, more),))


def mean() -> Products:
    """Return that a mean over outcomes of 0 or more is 0 or more: the step from one outcome to the next."""
    so_far, chance, value = numbers("so_far chance value")
    return Products((so_far, chance, value), so_far + chance * value, ((so_far,), (chance, value)))


ALGEBRA: dict[str, Callable[[], Products]] = {
    "(O)": order_stays,
    "(M)": turn_lowers_none,
    "immediate": immediate,
    "the mean": mean,
}
(KEPT,) = reals("y")
NEED = positive(PAST + PROMPT - XI)
L, Q, J, WHOLE_XI, CAME, ANSWERED = map(integer, ("L", "Q", "j", "xi", "q", "a"))
ITEMS = [
    stated(
        "the excess with y tokens kept is that with none, less one for each that is needed",
        given=[KEPT],
        zero=[positive(PAST + PROMPT - KEPT - XI) - (NEED - least(KEPT, NEED))],
    )
]
LAW = [
    *ITEMS,
    stated(
        "with q and a in the past any prompt needs the tokens that it would have needed before",
        given=[CAME, ANSWERED],
        shown=[indicator(L + CAME + ANSWERED + Q - WHOLE_XI >= J) - indicator(L + Q - WHOLE_XI >= J)],
    ),
]
BEFORE, AFTER = reals("rise rise_after")
CONVEX = [
    Obligation(
        "with q and a in the past a token saves no less, where a convex cost rises by no less from more tokens on",
        (CAME >= 0, ANSWERED >= 0, implies(L + Q - J <= L + CAME + ANSWERED + Q - J, BEFORE <= AFTER)),
        BEFORE <= AFTER,
    )
]

BY_HAND = (
    "any number of conversations and turns, any lengths, C, xi, rates and gaps; by hand: the recursion is a mean "
    "over outcomes of what is saved now and later; a token more does no harm; of the best choices some has most "
    "in common with a given one, and two that differ have each a token of its own (written out for up to 6 "
    "tokens); prefixes are among the sets of highest score; savings of all turns are the limit of those of m "
    "(docs/proofs-belief.md)"
)


def algebra() -> Proof:
    """Prove the products."""
    import sympy

    unproved = tuple(name for name, make in ALGEBRA.items() if not make().is_proved)
    return Proof(f"sympy {sympy.__version__}", BY_HAND, len(ALGEBRA), unproved)


def prove(law: list[Obligation]) -> Proof:
    """Prove the lemma and the rule; `law` says of each conversation's prompts what is proved and not assumed."""
    sets = smt.prove([*obligations(), *law], BY_HAND, max(SIZES), "tokens", "named tokens")
    return sets + algebra()


same_law_proof = partial(prove, LAW)
convex_proof = partial(prove, CONVEX)
promising_proof = partial(prove, ITEMS)
