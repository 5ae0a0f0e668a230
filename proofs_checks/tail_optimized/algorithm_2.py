"""Appendix D, Lemma D.3, the score and the cost of Algorithm 2: whether greedy eviction solves problem (6).

A case is what is known after a turn: of each conversation its past L, what is cached X, its belief turn rate and
the law of its next prompt; the threshold, the capacity C, and the number n of tokens to evict. Everything is in
fractions, and the judge tries every allocation.

The appendix prints the score P(L + Q - xi >= X) and what it stands for, the growth of E[(L + Q - xi - X)+], as
equal. They are for whole numbers; with xi between two whole numbers the growth is larger by (ceil xi - xi) P(L +
Q - X = floor xi). The small cases go through the library's laws and means; `excess_calculus` proves the
identities for all numbers.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import combinations_with_replacement, pairwise, permutations, product, starmap
from math import ceil, floor
from typing import Any

from proofs_checks.tail_optimized.lemmas.excess_calculus import (
    convexity_proof,
    greedy_proof,
    real_score_proof,
    whole_greedy_proof,
    whole_score_proof,
)
from proofs_checks.tail_optimized.theorem_b1 import all_equal
from teltheory.claims.claim import Unshrunk, Values, rows
from teltheory.claims.listed import Listed, ToldCase, told
from teltheory.claims.origin import BOTH, OURS, repairs, sharpness
from teltheory.policies.learned.eviction import Eviction, evict_lowest, mean_excess
from teltheory.workloads.laws import Finite, fixed


@dataclass(frozen=True)
class Known:
    """What is known of a conversation: past, cached prefix, belief turn rate, law of the next prompt."""

    past: int
    cached: int
    rate: Fraction
    law: Finite
    _losses: dict[tuple[Fraction, int], Fraction] = field(default_factory=dict, repr=False, compare=False)
    _scores: dict[tuple[Fraction, int], Fraction] = field(default_factory=dict, repr=False, compare=False)

    def loss(self, xi: Fraction, kept: int) -> Fraction:
        """Return lambda E[(L + Q - Y - xi)+]."""
        if (xi, kept) not in self._losses:
            self._losses[xi, kept] = self.rate * mean_excess(self.past, kept, self.law, xi)
        return self._losses[xi, kept]

    def score(self, xi: Fraction, kept: int) -> Fraction:
        """Return Algorithm 2's lambda P(L + Q - xi >= X), as it is printed."""
        if (xi, kept) not in self._scores:
            self._scores[xi, kept] = self.rate * self.law.exactly_at_least(ceil(kept - self.past + xi))
        return self._scores[xi, kept]

    def marginal(self, xi: Fraction, kept: int) -> Fraction:
        """Return what the expected excess grows by if the last cached token goes."""
        return self.loss(xi, kept - 1) - self.loss(xi, kept)


@dataclass(frozen=True)
class Cut(Unshrunk):
    """A cut: who is known, the threshold, the capacity, and how many tokens are to go."""

    known: tuple[Known, ...]
    xi: Fraction
    capacity: int
    n: int

    @cached_property
    def cached(self) -> tuple[int, ...]:
        """X of each conversation."""
        return tuple(i.cached for i in self.known)

    def objective(self, kept: Sequence[int]) -> Fraction:
        """Return the objective of (6)."""
        return sum((i.loss(self.xi, y) for i, y in zip(self.known, kept, strict=True)), Fraction(0))

    def optimum(self, capacity: int) -> Fraction:
        """Return the optimum of (6) by enumeration."""
        every = product(*(range(x + 1) for x in self.cached))
        return min(self.objective(kept) for kept in every if sum(kept) <= capacity)

    def greedy(self) -> Eviction:
        """Run Algorithm 2; equal scores in the order of the conversations."""
        return evict_lowest(self.cached, lambda i, x: self.known[i].score(self.xi, x), self.n)

    def greedy_objectives(self) -> tuple[Fraction, Fraction]:
        """Return what Algorithm 2 attains with equal scores in the order of the conversations, and reversed."""
        turned = Cut(self.known[::-1], self.xi, self.capacity, self.n)
        return self.objective(self.greedy().cached), turned.objective(turned.greedy().cached)

    def greedy_by_marginals(self) -> Eviction:
        """Run Algorithm 2 with what the expected excess grows by for a score."""
        return evict_lowest(self.cached, lambda i, x: self.known[i].marginal(self.xi, x), self.n)

    def size(self) -> tuple[Any, ...]:
        tokens, prompts = sum(i.past for i in self.known), sum(i.law.lengths[-1] for i in self.known)
        plain = tuple((len(i.law.lengths), -i.rate, i.past, i.cached) for i in self.known)
        return (len(self.known), tokens, prompts, self.n, self.xi, self.capacity, plain)

    def measures(self) -> dict[str, int]:
        return {"conversations": len(self.known), "tokens": sum(i.past for i in self.known), "evicted": self.n}

    def as_counterexample(self, values: Values) -> dict[str, Any]:
        known = ((i.past, i.cached, i.rate, i.law) for i in self.known)
        columns = dict(zip(("pasts", "cached", "rates", "prompts"), zip(*known, strict=True), strict=True))
        return told({**columns, "xi": self.xi, "capacity": self.capacity, "n": self.n, "values": values})


HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
RATES = (Fraction(1), 2 * THIRD, HALF)
LAWS = (
    fixed(0),
    fixed(1),
    fixed(2),
    Finite((0, 1), (HALF, HALF)),
    Finite((0, 2), (THIRD, 2 * THIRD)),
    Finite((0, 1, 2), (THIRD, THIRD, THIRD)),
)

Limit = tuple[tuple[Fraction, ...], tuple[tuple[int, int], ...]]
"""The rates, and the most conversations with the longest past of each, class by class."""


def cuts(*thresholds: Fraction, more: int = 0) -> Listed[Cut]:
    """Return every cut, with up to `more` tokens above the overflow to go; three conversations have four laws."""

    def up_to(limit: Limit) -> Iterator[Iterator[Cut]]:
        rates, sizes = limit
        for conversations, longest in sizes:
            yield _cuts(conversations, longest, rates)

    def _cuts(conversations: int, longest: int, rates: tuple[Fraction, ...]) -> Iterator[Cut]:
        laws = LAWS if conversations < 3 else LAWS[:4]
        pasts = [(past, cached) for past in range(longest + 1) for cached in range(past + 1)]
        kinds = [Known(*past, rate, law) for past in pasts for rate in rates for law in laws]
        for known in combinations_with_replacement(kinds, conversations):
            total = sum(i.cached for i in known)
            for xi, capacity in product(thresholds, range(total + 1)):
                for n in range(total - capacity, min(total - capacity + more, total) + 1):
                    yield Cut(known, xi, capacity, n)

    def note(limit: Limit) -> dict[str, str]:
        sizes = ", ".join(f"{k} of up to {longest} tokens" for k, longest in limit[1])
        tried = f"{', '.join(map(str, thresholds))}; {len(limit[0])} rates, 6 laws (4 for 3)"
        return {"cases": f"every cut of conversations: {sizes}; xi of {tried}"}

    return Listed(up_to, (RATES[:2], ((1, 3), (2, 2), (3, 1))), (RATES, ((1, 5), (2, 3), (3, 2))), note)


def orders(most: int) -> Iterator[Iterator[Cut]]:
    """Yield every order of up to `most` scores, with one or two cached tokens each, and every number to evict."""
    return map(_orders, range(most + 1))


def _orders(k: int) -> Iterator[Cut]:
    kinds = {(x, r): Known(x, x, Fraction(r), fixed(9)) for x in (1, 2) for r in range(1, k + 1)}
    for cached, ranks in product(product((1, 2), repeat=k), permutations(range(1, k + 1))):
        known = tuple(kinds[x, r] for x, r in zip(cached, ranks, strict=True))
        for n in (0, k // 2, k, sum(cached)):
            yield Cut(known, Fraction(0), sum(cached) - n, n)


WHOLE = cuts(*map(Fraction, range(3)))
REAL = cuts(HALF, THIRD, Fraction(3, 2))
MORE = cuts(*map(Fraction, range(3)), more=1)
ORDERS = Listed(orders, 5, 7, "every order of the scores of up to {} conversations of 1 or 2 tokens")


def within_the_counts(values: Values) -> bool:
    """Whether scores and comparisons are within |E| + n and 4 |E| + 2 n (ceil(log2 |E|) + 1)."""
    size, n = values["E"], values["n"]
    levels = (size - 1).bit_length() if size else 0
    return bool(values["scores"] <= size + n and values["comparisons"] <= 4 * size + 2 * n * (levels + 1))


row = rows(source="Lemma D.3", relation=lambda values: values["greedy"] == values["optimum"], origin=BOTH)


@row(
    "lemma-d3",
    "Algorithm 2 solves problem (6), for whole xi and n = the overflow.",
    space=WHOLE,
    proof=whole_greedy_proof,
)
def lemma_d3(cut: Cut) -> Values:
    """Compare the greedy allocation, the worse of two orders of equal scores, with the best of all."""
    return {"greedy": max(cut.greedy_objectives()), "optimum": cut.optimum(cut.capacity)}


def better_of_two_orders(cut: Cut) -> Values:
    """Compare the greedy allocation, the better of two orders of equal scores, with the best that fits."""
    return {"greedy": min(cut.greedy_objectives()), "optimum": cut.optimum(cut.capacity)}


real_threshold = row(
    "lemma-d3.real-threshold", "Algorithm 2 solves problem (6) for xi that is not whole too.", space=REAL
)(better_of_two_orders)


@row(
    "lemma-d3.real-threshold.marginal",
    "With the growth of the expected excess itself for a score, Algorithm 2 solves problem (6) for any xi.",
    source="Lemma D.3, repaired",
    space=REAL,
    origin=repairs("lemma-d3.real-threshold"),
    proof=greedy_proof,
)
def real_threshold_by_marginals(cut: Cut) -> Values:
    """Compare the allocation that is greedy for the marginals with the best of all."""
    return {"greedy": cut.objective(cut.greedy_by_marginals().cached), "optimum": cut.optimum(cut.capacity)}


any_n = row(
    "lemma-d3.any-n",
    "Algorithm 2 solves problem (6) for any n of the overflow or more.",
    space=MORE,
    origin=sharpness("lemma-d3", "n is the number of tokens that must go"),
)(better_of_two_orders)


@row(
    "lemma-d3.any-n.total",
    "For any n of the overflow or more Algorithm 2 solves problem (6) with sum X - n in the place of C.",
    source="Lemma D.3, repaired",
    space=MORE,
    origin=repairs("lemma-d3.any-n"),
    proof=whole_greedy_proof,
)
def any_n_in_total(cut: Cut) -> Values:
    """Compare the greedy allocation with the best of those that keep as little."""
    return {"greedy": cut.objective(cut.greedy().cached), "optimum": cut.optimum(sum(cut.cached) - cut.n)}


@row(
    "algorithm-2.cost",
    "With a heap Algorithm 2 takes at most |E| + n scores and 4 |E| + 2 n (ceil(log2 |E|) + 1) comparisons.",
    source="Appendix D, Greedy Implementation",
    relation=within_the_counts,
    space=ORDERS,
)
def cost(cut: Cut) -> Values:
    """Count the operations."""
    eviction = cut.greedy()
    holding = sum(x >= 1 for x in cut.cached)
    return {"E": holding, "n": cut.n, "scores": eviction.evaluations, "comparisons": eviction.comparisons}


SCORE, GROWTH = "P(L + Q - xi >= X)", "growth"


@dataclass(frozen=True)
class Token(ToldCase):
    """The last cached token of a conversation: L, X >= 1, the threshold, and the law of the next prompt."""

    past: int
    cached: int
    xi: Fraction
    prompt: Finite

    @property
    def score(self) -> Fraction:
        """P(L + Q - xi >= X)."""
        return self.prompt.exactly_at_least(ceil(self.cached - self.past + self.xi))

    @property
    def just_missed(self) -> Fraction:
        """P(L + Q - X = floor xi)."""
        missed = floor(self.xi) + self.cached - self.past
        return sum((p for q, p in self.prompt.outcomes if q == missed), Fraction(0))

    def growth(self, cached: int) -> Fraction:
        """Return what the expected excess grows by if the last of some cached tokens goes."""
        less, more = (mean_excess(self.past, x, self.prompt, self.xi) for x in (cached - 1, cached))
        return less - more

    def size(self) -> tuple[Any, ...]:
        outcomes = self.prompt.outcomes
        return (self.past, self.cached, len(outcomes), self.xi.denominator, self.xi, outcomes)


def tokens(*thresholds: Fraction) -> Listed[Token]:
    """Return every last token of pasts up to a length, at each of some thresholds, shortest past first."""

    def up_to(longest: int) -> Iterator[Iterator[Token]]:
        for past in range(1, longest + 1):
            yield starmap(Token, product([past], range(1, past + 1), thresholds, LAWS))

    tried = ", ".join(map(str, thresholds))
    return Listed(up_to, 8, 24, f"every X >= 1 of pasts up to {{}}, xi of {tried}, {len(LAWS)} laws")


WHOLE_XI = tuple(map(Fraction, range(5)))
REAL_XI = (HALF, THIRD, 2 * THIRD, Fraction(3, 2), Fraction(9, 4))
WHOLE_TOKENS, REAL_TOKENS, EVERY_TOKEN = tokens(*WHOLE_XI), tokens(*REAL_XI), tokens(*WHOLE_XI, *REAL_XI)


def score_and_growth(case: Token) -> Values:
    """Compare the score with the growth."""
    return {SCORE: case.score, GROWTH: case.growth(case.cached)}


of_tokens = rows(source="Appendix D, Greedy Implementation", relation=all_equal, space=REAL_TOKENS, origin=BOTH)

score = of_tokens(
    "algorithm-2.score",
    "P(L + Q - xi >= X) = E[(L + Q - xi - (X - 1))+] - E[(L + Q - xi - X)+], for whole xi.",
    space=WHOLE_TOKENS,
    proof=whole_score_proof,
)(score_and_growth)

score_at_real_thresholds = of_tokens(
    "algorithm-2.score.real-threshold",
    "P(L + Q - xi >= X) = E[(L + Q - xi - (X - 1))+] - E[(L + Q - xi - X)+], for xi that is not whole.",
)(score_and_growth)


@of_tokens(
    "algorithm-2.score.difference",
    "For xi that is not whole the growth is P(L + Q - xi >= X) + (ceil xi - xi) P(L + Q - X = floor xi).",
    origin=repairs("algorithm-2.score.real-threshold"),
    proof=real_score_proof,
)
def difference(case: Token) -> Values:
    """Compare the repaired score with the growth."""
    repaired = case.score + (ceil(case.xi) - case.xi) * case.just_missed
    return {"repaired score": repaired, GROWTH: case.growth(case.cached)}


@of_tokens(
    "algorithm-2.convex",
    "E[(L + Q - X - xi)+] is convex in X for any law of Q and real xi: each token kept saves no more than the one "
    "before it, and 0 or more.",
    relation=lambda values: all(a >= b for a, b in pairwise([1, *values["growth at X = 1, 2, ..."], 0])),
    space=EVERY_TOKEN,
    origin=OURS,
    proof=convexity_proof,
)
def convex(case: Token) -> Values:
    """List the growth at 1 ... X."""
    return {"growth at X = 1, 2, ...": [case.growth(x) for x in range(1, case.cached + 1)]}
