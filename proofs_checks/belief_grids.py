"""The models on which Theorem D.2 and its neighbours are decided: rates x laws of prompts x C x xi x gaps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Literal, TypeAlias

from teltheory.belief.model import BeliefMDP, Kind
from teltheory.workloads.laws import Finite, fixed

Laws: TypeAlias = tuple[Finite, ...]
Gaps: TypeAlias = tuple[tuple[Fraction, Fraction], ...]
Rates: TypeAlias = Literal["homogeneous", "heterogeneous"]

HALF = Fraction(1, 2)
FIRST = Finite((1, 2), (HALF, HALF))
ONE_OR_THREE = Finite((1, 3), (HALF, HALF))
ZERO_OR_TWO = Finite((0, 2), (HALF, HALF))
SELDOM_ONE = Finite((0, 1), (Fraction(2, 3), Fraction(1, 3)))
SPREAD = Finite((0, 1, 3), (HALF, Fraction(1, 4), Fraction(1, 4)))

AT_ONCE: Gaps = ((Fraction(1), Fraction(1)),)
A_HALF: Gaps = ((HALF, Fraction(1)),)
TWO_GAPS: Gaps = ((Fraction(3, 4), HALF), (Fraction(1, 3), HALF))
"""Laws of x = exp(-t): no time passes (the paper's "without loss of generality"), always 1/2, one of two."""

PROMPTS: dict[str, tuple[tuple[Laws, ...], ...]] = {
    "fixed": (((FIRST, fixed(0)),), ((FIRST, fixed(1)),)),
    "random": (((FIRST, ZERO_OR_TWO),), ((FIRST, SELDOM_ONE),)),
    "by-conversation": (
        ((FIRST, fixed(0)), (FIRST, fixed(2))),
        ((FIRST, fixed(1)), (FIRST, ZERO_OR_TWO)),
    ),
}
"""Kinds' laws of the first prompt and the later ones: alike for all, or two kinds."""


PAPER = BeliefMDP(0, 0, (Kind(1, (fixed(0),)),))
FORCED = replace(PAPER, forced=True)


@dataclass(frozen=True)
class Grid:
    """A product of models.

    Attributes
    ----------
    rates : tuple of tuple of int
        Turn rates of the kinds; those of a single law get a kind for each rate.
    laws : tuple of tuple of Laws
        Laws of the prompts of each kind.
    capacities, thresholds : sequence of int
        C and xi.
    gaps : tuple of Gaps
        Laws of the gaps.
    births : tuple of int
        lambda_conv.
    responses : tuple of Finite
        Laws of the response.
    base : BeliefMDP
        What all have in common.
    """

    rates: tuple[tuple[int, ...], ...]
    laws: tuple[tuple[Laws, ...], ...]
    capacities: Sequence[int] = (1, 2)
    thresholds: Sequence[int] = (0, 1)
    gaps: tuple[Gaps, ...] = (AT_ONCE, TWO_GAPS)
    births: tuple[int, ...] = (1,)
    responses: tuple[Finite, ...] = (fixed(0),)
    base: BeliefMDP = PAPER

    def __call__(self) -> Iterator[BeliefMDP]:
        """Yield the models."""
        shapes = product(self.rates, self.laws, self.responses, self.births, self.gaps)
        for rates, laws, response, births, gaps in shapes:
            for capacity, xi in product(self.capacities, self.thresholds):
                yield replace(
                    self.base,
                    capacity=capacity,
                    xi=xi,
                    kinds=kinds_of(rates, laws, response),
                    birth_rate=Fraction(births),
                    gaps=gaps,
                )


def kinds_of(rates: tuple[int, ...], laws: tuple[Laws, ...], response: Finite) -> tuple[Kind, ...]:
    """Return the kinds, equally likely: a rate each, and laws each or the same for all."""
    count = max(len(rates), len(laws))
    return tuple(
        Kind(rates[i % len(rates)], laws[i % len(laws)], response, Fraction(1, count)) for i in range(count)
    )


def both(*grids: Callable[[], Iterator[BeliefMDP]]) -> Callable[[], Iterator[BeliefMDP]]:
    """Return the models of several grids, one after the other."""

    def models() -> Iterator[BeliefMDP]:
        for grid in grids:
            yield from grid()

    return models
