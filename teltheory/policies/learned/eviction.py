"""Algorithm 2 of Zhang et al. 2025 (Appendix D): tokens go one by one, each time the one that should cost least.

1. E is the conversations with a cached token. Each has a score v_i = lambda_i P(L_i + Q_i - xi >= X_i): for whole
   xi, what the expected excess at the next turn grows by if its last cached token goes.
2. Until n tokens are evicted: a conversation j with the smallest score loses a token, and v_j is computed again.

Equal scores: the conversation that comes first, which in a cache is the least recent one. So a conversation's
whole run of equal scores goes before the next conversation's.

With a binary heap that is at most |E| + n scores and 4 |E| + 2 n (ceil(log2 |E|) + 1) comparisons, both counted:
building the heap takes less than 2 |E| of them, and a new root sinks to a leaf and rises again, each at most one
comparison a level and one more.
"""

from __future__ import annotations

import heapq
from bisect import bisect_right
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from teltheory.errors import ArgumentError
from teltheory.model.numbers import whole_number
from teltheory.policies.learned.scores import Steps
from teltheory.workloads.laws import Finite

Score = Callable[[int, int], Any]
"""Score of a conversation, by its place and what it has cached: a number, the same kind for all."""


class Eviction(NamedTuple):
    """What is left of each conversation, and the operations that it took."""

    cached: tuple[int, ...]
    evaluations: int
    comparisons: int


class _Entry:
    """A conversation on the heap, which counts how often it is compared."""

    __slots__ = ("count", "key")

    def __init__(self, score: Any, place: int, count: list[int]) -> None:
        self.key = (score, place)
        self.count = count

    def __lt__(self, other: _Entry) -> bool:
        self.count[0] += 1
        return self.key < other.key


def tail_score(
    lengths: Sequence[int], rates: Sequence[Any], survival: Callable[[int, Any], Any], xi: Any
) -> Score:
    """Return Algorithm 2's ranking criterion, lambda_i P(L_i + Q_i - xi >= X_i).

    `survival` returns P(Q_i >= q) of conversation i and a number q.
    """
    return lambda i, cached: rates[i] * survival(i, cached - lengths[i] + xi)


def mean_excess(length: int, kept: int, law: Finite, xi: Fraction) -> Fraction:
    """Return E[(L + Q - Y - xi)+], exactly: the mean excess of the next turn if Y of a past L is kept."""
    return sum((p * max(length + q - kept - xi, Fraction(0)) for q, p in law.outcomes), Fraction(0))


def evict_lowest(cached: Sequence[int], score: Score, n: int) -> Eviction:
    """Run Algorithm 2 with a heap: evict n tokens, always one with the smallest score.

    `cached` is least recent first; the score is such as `tail_score`.
    """
    left, n = list(cached), _at_most_all(cached, n)
    count = [0]
    heap = [_Entry(score(i, x), i, count) for i, x in enumerate(left) if x >= 1]
    evaluations = len(heap)
    heapq.heapify(heap)
    for _ in range(n):
        j = heap[0].key[1]
        left[j] -= 1
        if left[j] == 0:
            heapq.heappop(heap)
        else:
            heapq.heapreplace(heap, _Entry(score(j, left[j]), j, count))
            evaluations += 1
    return Eviction(tuple(left), evaluations, count[0])


def evict_in_runs(
    cached: Sequence[int], worth: Sequence[float], offset: Sequence[int], steps: Steps, n: int
) -> list[int]:
    """Evict n tokens as `evict_lowest` does, a whole run of equal scores of a conversation at once.

    The score of conversation i is ``worth[i] + steps.at(X + offset[i])``, its offset xi - L.
    """
    left, n = list(cached), _at_most_all(cached, n)
    heap = [(worth[i] + steps.at(x + offset[i]), i) for i, x in enumerate(left) if x > 0]
    heapq.heapify(heap)
    while n > 0:
        i = heap[0][1]
        d = left[i] + offset[i]
        run = min(n, left[i], d - steps.start[bisect_right(steps.start, d) - 1] + 1)
        left[i], n = left[i] - run, n - run
        if left[i] == 0:
            heapq.heappop(heap)
        else:
            heapq.heapreplace(heap, (worth[i] + steps.at(d - run), i))
    return left


def _at_most_all(cached: Sequence[int], n: int) -> int:
    n = whole_number("n", n)
    if n > sum(cached):
        raise ArgumentError("n", n, f"at most {sum(cached)}, the cached tokens")
    return n
