"""Algorithm 2 against its printed form, problem (6) against enumeration and the MILP, and the counts."""

import random
from fractions import Fraction
from itertools import product
from math import ceil
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import teltheory as tt
from proofs_checks.tail_optimized.algorithm_2 import WHOLE, within_the_counts
from teltheory.policies.learned.eviction import evict_in_runs, evict_lowest, mean_excess, tail_score
from teltheory.policies.learned.scores import learnt_steps
from teltheory.workloads.laws import Finite, fixed

LAWS = st.sampled_from(
    [
        fixed(0),
        fixed(3),
        Finite((0, 2), (Fraction(1, 4), Fraction(3, 4))),
        Finite((1, 2, 5), (Fraction(1, 6), Fraction(1, 3), Fraction(1, 2))),
    ]
)


class Problem(NamedTuple):
    """Problem (6): minimise sum_i lambda_i E[(L_i + Q_i - Y_i - xi)+] over whole Y <= X with sum Y <= C."""

    lengths: tuple[int, ...]
    cached: tuple[int, ...]
    rates: tuple[Fraction, ...]
    laws: tuple[Finite, ...]
    xi: Fraction
    capacity: int


def best_allocations(problem):
    """The optimum and every allocation that attains it, by enumeration."""
    values = {
        kept: sum(
            rate * mean_excess(length, y, law, problem.xi)
            for length, y, law, rate in zip(problem.lengths, kept, problem.laws, problem.rates, strict=True)
        )
        for kept in product(*(range(x + 1) for x in problem.cached))
        if sum(kept) <= problem.capacity
    }
    least = min(values.values())
    return least, [kept for kept, value in values.items() if value == least]


@st.composite
def problems(draw, most=4):
    n = draw(st.integers(1, most))
    lengths = tuple(draw(st.lists(st.integers(0, 5), min_size=n, max_size=n)))
    cached = tuple(draw(st.integers(0, length)) for length in lengths)
    rates = tuple(
        draw(st.sampled_from([Fraction(1, 3), Fraction(1, 2), Fraction(1), Fraction(3, 2)])) for _ in lengths
    )
    laws = tuple(draw(LAWS) for _ in lengths)
    xi = Fraction(draw(st.integers(0, 6)))
    return Problem(lengths, cached, rates, laws, xi, draw(st.integers(0, sum(cached))))


def score_of(problem):
    def survival(i, length):
        return problem.laws[i].exactly_at_least(ceil(length))

    return tail_score(problem.lengths, problem.rates, survival, problem.xi)


def evict_as_printed(cached, score, n):
    """For each token, look at all conversations for the smallest score."""
    left = list(cached)
    for _ in range(n):
        j = min((i for i, x in enumerate(left) if x >= 1), key=lambda i: (score(i, left[i]), i))
        left[j] -= 1
    return tuple(left)


@given(problems(), st.data())
@settings(max_examples=180, deadline=None)
def test_the_heap_does_what_is_printed(problem, data):
    n = data.draw(st.integers(0, sum(problem.cached)))
    eviction = evict_lowest(problem.cached, score_of(problem), n)
    assert eviction.cached == evict_as_printed(problem.cached, score_of(problem), n)
    assert sum(problem.cached) - sum(eviction.cached) == n
    holding = sum(x > 0 for x in problem.cached)
    counts = {"E": holding, "n": n, "scores": eviction.evaluations, "comparisons": eviction.comparisons}
    assert within_the_counts(counts)


LOGS = st.sampled_from([-1.5, 0.0, 0.25, 2.0])


@given(st.data())
@settings(max_examples=120, deadline=None)
def test_whole_runs_go_as_token_by_token(data):
    prompts = data.draw(st.lists(st.integers(0, 12), max_size=6))
    steps, xi = learnt_steps(prompts), data.draw(st.integers(0, 12))
    rows = data.draw(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), LOGS), min_size=1, max_size=5))
    cached, beyond, worth = zip(*rows, strict=True)
    offset = [xi - (x + more) for x, more in zip(cached, beyond, strict=True)]
    n = data.draw(st.integers(0, sum(cached)))

    def score(i, x):
        return worth[i] + steps.at(x + offset[i])

    assert tuple(evict_in_runs(cached, worth, offset, steps, n)) == evict_as_printed(cached, score, n)


def test_equal_scores_go_by_whole_runs_from_the_first():
    assert evict_lowest((2, 3, 4), lambda i, x: 1, 4).cached == (0, 1, 4)
    assert evict_lowest((2, 3, 4), lambda i, x: [1, 0, 0][i], 4).cached == (2, 0, 3)


@pytest.mark.parametrize("size", [1, 2, 3, 64, 65, 1000, 3000])
def test_the_counts_with_many_conversations(size):
    rng = random.Random(size)
    cached = [rng.randint(0, 9) for _ in range(size)]
    scores = [sorted((rng.random() for _ in range(10)), reverse=True) for _ in range(size)]
    for n in {0, sum(cached) // 3, sum(cached)}:
        eviction = evict_lowest(cached, lambda i, x: scores[i][x], n)
        holding = sum(x > 0 for x in cached)
        counts = {"E": holding, "n": n, "scores": eviction.evaluations, "comparisons": eviction.comparisons}
        assert within_the_counts(counts)
        assert eviction.evaluations >= holding
        assert eviction.comparisons >= holding - 1  # no minimum of so many is found with fewer


@given(problems(most=3))
@settings(max_examples=120, deadline=None)
def test_lemma_d3_beyond_the_ledger_s_bounds(problem):
    overflow = max(sum(problem.cached) - problem.capacity, 0)
    kept = evict_lowest(problem.cached, score_of(problem), overflow).cached
    assert kept in best_allocations(problem)[1]


def test_the_ledger_s_cuts_are_problems_of_the_library():
    """The rows keep losses by conversation; the library adds them up anew."""
    cuts = [cut for size in WHOLE.classes("quick") for cut in size]
    for cut in random.Random(5).sample(cuts, 200):
        columns = zip(*((i.past, i.cached, i.rate, i.law) for i in cut.known), strict=True)
        problem = Problem(*map(tuple, columns), cut.xi, cut.capacity)
        assert cut.optimum(cut.capacity) == best_allocations(problem)[0]
        assert cut.greedy().cached == evict_as_printed(problem.cached, score_of(problem), cut.n)


def test_a_score_that_forgets_the_threshold_is_refuted():
    """A planted fault: P(L + Q >= X) in place of P(L + Q - xi >= X)."""
    wrong = 0
    for cut in (cut for size in WHOLE.classes("quick") for cut in size):
        kept = evict_lowest(cut.cached, lambda i, x, cut=cut: cut.known[i].score(Fraction(0), x), cut.n).cached
        wrong += cut.objective(kept) != cut.optimum(cut.capacity)
        if wrong:
            break
    assert wrong


def test_no_more_than_everything_is_evicted():
    with pytest.raises(tt.ArgumentError, match="n: found 4, expected at most 3"):
        evict_lowest((1, 2), lambda i, x: 0, 4)
