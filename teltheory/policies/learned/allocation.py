"""Problem (6) of Zhang et al. 2025 (Definition D.1), in exact fractions, and its optimum by enumeration.

    minimise  sum_i lambda_i E[(L_i + Q_i - Y_i - xi)+]
    subject to  0 <= Y_i <= X_i whole,  sum_i Y_i <= C.

For the arriving conversation X is L, as (7) says; for the others what is cached, as (8) says.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from teltheory.errors import ArgumentError
from teltheory.model.numbers import whole_number
from teltheory.workloads.laws import Finite


@dataclass(frozen=True)
class AllocationProblem:
    """What is known after a turn: pasts L, cached X <= L, belief turn rates, laws of the next prompts."""

    lengths: tuple[int, ...]
    cached: tuple[int, ...]
    rates: tuple[Fraction, ...]
    laws: tuple[Finite, ...]
    xi: Fraction
    capacity: int

    def __post_init__(self) -> None:
        columns = (self.lengths, self.cached, self.rates, self.laws)
        if len({len(column) for column in columns}) > 1:
            raise ArgumentError("lengths", self.lengths, "as many as cached, rates and laws")
        for i, (length, held) in enumerate(zip(self.lengths, self.cached, strict=True)):
            if whole_number(f"cached[{i}]", held) > whole_number(f"lengths[{i}]", length):
                raise ArgumentError(f"cached[{i}]", held, f"at most {length}, the past")
        whole_number("capacity", self.capacity)

    @property
    def overflow(self) -> int:
        """What must go: sum X - C, 0 where that is less."""
        return max(sum(self.cached) - self.capacity, 0)


def mean_excess(length: int, kept: int, law: Finite, xi: Fraction) -> Fraction:
    """Return E[(L + Q - Y - xi)+]."""
    return sum((p * max(length + q - kept - xi, Fraction(0)) for q, p in law.outcomes), Fraction(0))


def objective(problem: AllocationProblem, kept: tuple[int, ...]) -> Fraction:
    """Return the objective of (6) at an allocation Y."""
    terms = zip(problem.lengths, kept, problem.laws, problem.rates, strict=True)
    return sum((rate * mean_excess(length, y, law, problem.xi) for length, y, law, rate in terms), Fraction(0))


def allocations(problem: AllocationProblem) -> Iterator[tuple[int, ...]]:
    """Yield every feasible allocation."""
    for kept in product(*(range(x + 1) for x in problem.cached)):
        if sum(kept) <= problem.capacity:
            yield kept


def best_allocations(problem: AllocationProblem) -> tuple[Fraction, list[tuple[int, ...]]]:
    """Return the optimum of (6) and every allocation that attains it, by enumeration."""
    values = {kept: objective(problem, kept) for kept in allocations(problem)}
    least = min(values.values())
    return least, [kept for kept, value in values.items() if value == least]
