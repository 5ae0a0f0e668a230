"""The front of prefill against TEL: what w times the prefilled tokens plus TEL comes to at least, for several w.

1. A turn that computes u tokens costs w u + max(u - xi, 0), which is convex in what it reuses. So `cost_optimum`
   finds the least sum V(w), prices that prove it, and a plan that has it.
2. Every policy has w P + T >= V(w), for its prefilled tokens P and its TEL T: a line that no policy is below.
3. Begin with a small w and a large one. Between two plans that follow each other ask the w at which both cost the
   same: either it finds a plan below their chord, or it proves that no policy is (Aneja and Nair 1979).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import ceil
from typing import Any

from teltheory.cost.given import Model, Size, Units
from teltheory.cost.metrics import tail_excess_latency
from teltheory.errors import ArgumentError
from teltheory.model.display import in_short
from teltheory.model.initial import Initial
from teltheory.model.numbers import exact_sum, rational
from teltheory.model.outcome import Outcome
from teltheory.model.trace import Trace
from teltheory.optimal.costs.of_turns import PiecewiseCosts
from teltheory.optimal.costs.optimum import cost_optimum
from teltheory.optimal.costs.prices import Prices

ENDS = (Fraction(1, 1024), Fraction(1024))
FINEST = 1000
"""Largest denominator of a price between the ends."""


@in_short
@dataclass(frozen=True, eq=False)
class FrontPlan:
    """The best plan at one price of work, and what is proved there.

    Attributes
    ----------
    work : Fraction
        w, the price of a prefilled token, in tokens above the threshold.
    least : Fraction
        No policy has less than this w P + T.
    prefilled, tel : int
        P and T of the plan.
    outcome : Outcome
        The plan.
    certificate : Prices
        What proves `least`, with the costs `PiecewiseCosts.of_work`; see `cost_bound`.
    """

    work: Fraction
    least: Fraction
    prefilled: int
    tel: int
    outcome: Outcome
    certificate: Prices


@in_short
@dataclass(frozen=True, eq=False)
class WorkFront:
    """Plans from the least TEL to the least prefill, and lines that no policy is below."""

    plans: tuple[FrontPlan, ...]

    def least_prefilled(self, tel: int) -> int:
        """Return what any policy prefills at least if its TEL is at most this."""
        return max(0, *(ceil((plan.least - tel) / plan.work) for plan in self.plans))

    def least_tel(self, prefilled: int) -> int:
        """Return what TEL any policy has at least that prefills at most this."""
        return max(0, *(ceil(plan.least - plan.work * prefilled) for plan in self.plans))

    def within(self, tel: int) -> FrontPlan | None:
        """Return the plan that prefills least among those with at most this TEL."""
        some = (plan for plan in self.plans if plan.tel <= tel)
        return min(some, key=lambda plan: plan.prefilled, default=None)


def work_front(
    trace: Trace,
    capacity: Size,
    xi: Size,
    forced: bool = False,
    initial: Initial = (),
    works: Iterable[int | Fraction] = ENDS,
    most: int = 12,
    *,
    model: Model | None = None,
) -> WorkFront:
    """Find how little any policy can prefill at each TEL, of private conversations.

    Parameters
    ----------
    trace, capacity, xi, forced, initial, model : as in `Problem`
    works : iterable of int or Fraction
        Prices of a prefilled token to begin with, above 0.
    most : int
        After so many plans no further price is asked.

    Raises
    ------
    ArgumentError, TraceError, ForcedCachingError, SolverError
        As `cost_optimum` does.
    """
    units = Units.of(trace, model)
    room, threshold = units.capacity(capacity), units.xi(xi)
    found: dict[Fraction, FrontPlan] = {}
    asked: list[Fraction] = [rational("works", work, 0, above=True) for work in works]
    if not asked:
        raise ArgumentError("works", works, "at least one price")
    while asked:
        for work in asked:
            found[work] = _plan(trace, room, threshold, work, forced, initial)
        asked = [*_between([found[work] for work in sorted(found)])] if len(found) < most else []
        asked = [work for work in asked if work not in found][: most - len(found)]
    return WorkFront(tuple(found[work] for work in sorted(found)))


def _between(plans: list[FrontPlan]) -> Iterator[Fraction]:
    """Yield the prices at which plans that follow each other cost the same, those far from each other first."""
    for one, other in sorted(pairwise(plans), key=lambda pair: pair[0].tel - pair[1].tel):
        fewer, more = one.prefilled - other.prefilled, other.tel - one.tel
        if fewer > 0 and more > 0:
            yield Fraction(more, fewer).limit_denominator(FINEST)


def _plan(trace: Trace, capacity: int, xi: int, work: Fraction, forced: bool, initial: Any) -> FrontPlan:
    costs = PiecewiseCosts.of_work(trace, xi, work, initial)
    best = cost_optimum(trace, capacity, costs, forced, initial)
    tel, prefilled = tail_excess_latency(best.outcome, xi), exact_sum(best.outcome.uncached)
    return FrontPlan(work, Fraction(best.proved, work.denominator), prefilled, tel, best.outcome, best.certificate)
