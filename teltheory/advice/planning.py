"""Capacity planning: how much of one resource keeps a percentile of TTFT within an SLO, over a stated grid.

1. Every number of the grid is served: replicas, the capacity of one tier, or a load. Everything else stays.
2. Nothing here is known to be monotone: routers send requests elsewhere, and a larger cache may do worse in a
   queue. So the answer is the number such that it and *all* that are more generous, among those tried, meet the
   SLO. Less load is more generous: there it is the largest such load.
3. Numbers that meet the SLO although a more generous one does not are exceptions, and listed.
4. The percentile of each number has an interval, of a bootstrap over blocks of consecutive turns; in each draw,
   the same for all numbers, the answer is found anew. If not even the most generous number meets the SLO, there is
   none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from teltheory.advice.sentences_of_plan import LOAD, REPLICAS, headline, plan_lines, tried_of
from teltheory.base.progress import Progress, Report, reporting
from teltheory.cost.bootstrap import Blocks, Estimate, interval
from teltheory.cost.given import LatencyGiven, Model, Size, Units, latency_of
from teltheory.cost.goals import read_level
from teltheory.cost.latency import Latency
from teltheory.cost.standing import DRAWS
from teltheory.errors import ArgumentError
from teltheory.model.display import in_sentences
from teltheory.model.forest import Forest
from teltheory.model.numbers import BoolArray, FloatArray, IntArray, rational, whole_number
from teltheory.model.tiers import Tiers, several, tiers_of
from teltheory.model.trace import Trace
from teltheory.model.units import Seconds, seconds_of
from teltheory.policies.named import policy_of
from teltheory.policies.online import LRU
from teltheory.serving.serve import Serving, serve, stretch_for
from teltheory.serving.served import Served

TIER = re.compile(r"tier(\d+)", re.ASCII)
SURE = 0.95
BLOCKS = 20
"""Of time, which draws are of: waits of one time depend on each other, whoever waits."""


@dataclass(frozen=True)
class Number:
    """A number of the grid, as it was served.

    Attributes
    ----------
    number : int or float
        Replicas, units of the tier, or the load.
    percentile : Estimate
        Of TTFT, in seconds.
    meets : bool
        Whether it is at most the SLO.
    utilisation : float
        Busy seconds over those of all replicas.
    slow : int
        Turns above the SLO.
    tel : float
        Sum of the seconds above it.
    """

    number: int | float
    percentile: Estimate
    meets: bool
    utilisation: float
    slow: int
    tel: float


@in_sentences(headline, plan_lines, tried_of)
@dataclass(frozen=True)
class Plan:
    """How much of a resource keeps a percentile of TTFT within an SLO.

    Attributes
    ----------
    resource : str
        ``"replicas"``, ``"load"`` or a tier such as ``"tier0"``.
    level : Fraction
        Of the percentile.
    slo : Fraction
        Seconds.
    tried : tuple of Number
        From the least generous to the most: replicas and capacities ascend, loads descend.
    answer : int, float or None
        The first of `tried` such that it and all after it meet the SLO; None if the last does not.
    exceptions : tuple of int or float
        Numbers before that which meet it all the same, although one after them does not.
    low, high : int, float or None
        The answer in 95 % of the draws lies from `low` to `high`; None is no answer on the grid.
    share : float
        Share of the draws with this answer.
    """

    resource: str
    level: Fraction
    slo: Fraction
    tried: tuple[Number, ...]
    answer: int | float | None
    exceptions: tuple[int | float, ...]
    low: int | float | None
    high: int | float | None
    share: float


def plan(
    trace: Trace | Forest,
    resource: str,
    grid: Sequence[int | float | Fraction | str],
    capacity: Size | Tiers,
    slo: Seconds,
    latency: LatencyGiven | None = None,
    *,
    percentile: int | Fraction | str = 95,
    serving: Serving | None = None,
    policy: Any = None,
    seed: int = 0,
    progress: Progress = None,
    model: Model | None = None,
) -> Plan:
    """Find the smallest number such that it and every larger one tried keep a percentile of TTFT within an SLO.

    Parameters
    ----------
    trace, capacity, latency, model : as in `Problem`
        Requests have arrivals, all of which count, from empty caches on.
    resource : str
        ``"replicas"``; ``"tier0"``, ``"tier1"``, ...: the capacity of a tier, in the trace's unit; or ``"load"``,
        as `stretch_for` has it, of which the largest is sought such that it and every smaller one keep the SLO.
    grid : sequence of numbers that are tried; of a tier also text, as its capacity
    slo, seed, progress, serving : as for `advise`; the stretch of `serving` stays the same
    percentile : int, Fraction or str
        Above 0, at most 100; or text such as ``"p95"``.
    policy : Policy or str, or a sequence of them
        Of every tier, or one for each; LRU when left out.

    Raises
    ------
    ArgumentError
        For a resource that is none, an empty grid, and what `serve` refuses.
    """
    units, level, within = Units.of(trace, model, latency), _level(percentile), seconds_of("slo", slo)
    memory, cost = units.memory(capacity), latency_of(latency, model)
    numbers, own = _ordered(resource, grid, memory, units), serving or Serving()
    if not len(trace):
        raise ArgumentError("trace", "no turn", "at least one")
    asked = policy_of(LRU() if policy is None else policy, trace, units)

    def served(number: Any) -> Served:
        room, how = changed(trace, resource, number, memory, own, cost)
        return serve(trace, asked, room, latency=cost, **vars(how))

    with reporting(progress, "Serving") as report:
        return _plan(served, numbers, resource, level, within, Blocks.of(len(trace), BLOCKS), seed, report)


def _plan(
    served: Callable[[Any], Served],
    numbers: Sequence[Any],
    resource: str,
    level: Fraction,
    within: Fraction,
    blocks: Blocks,
    seed: int,
    report: Report,
) -> Plan:
    """Return the answer of the numbers tried, and where it is in draws."""
    draws = blocks.draw(len(blocks), DRAWS, np.random.default_rng(seed))
    measured: list[tuple[Number, FloatArray]] = []
    for number in numbers:
        measured.append(_measured(served(number), number, blocks, draws, level, within))
        report(len(measured), len(numbers))
    tried = [one for one, _ in measured]
    place = answer_of(np.array([[one.meets] for one in tried]))[0]
    places = answer_of(np.array([drawn <= float(within) for _, drawn in measured]))
    low, high = np.quantile(places, [(1 - SURE) / 2, (1 + SURE) / 2], method="inverted_cdf")
    at = [*(one.number for one in tried), None]
    exceptions = tuple(one.number for one in tried[:place] if one.meets)
    ends = (at[int(low)], at[int(high)])
    return Plan(
        resource, level, within, tuple(tried), at[place], exceptions, *ends, float(np.mean(places == place))
    )


def answer_of(meets: BoolArray) -> IntArray:
    """Return the first place such that it and all after it meet the SLO; their number if the last does not.

    `meets` has a row for each place, and a column for each draw.
    """
    from_here_on = np.logical_and.accumulate(meets[::-1], axis=0)
    found: IntArray = len(meets) - from_here_on.sum(axis=0)
    return found


def best_of(plans: Mapping[str, Plan]) -> str:
    """Return whose plan of one grid is enough with the least, by its name; the last of several alike.

    Of replicas and capacities that is the smallest number, of loads the largest.
    """

    def place(name: str) -> int:
        numbers = [*(one.number for one in plans[name].tried), None]
        return numbers.index(plans[name].answer)

    return min(reversed(list(plans)), key=place)


def changed(
    trace: Trace | Forest, resource: str, number: Any, capacity: int | Tiers, serving: Serving, latency: Latency
) -> tuple[int | Tiers, Serving]:
    """Return memory and serving with another number of a resource."""
    if resource == REPLICAS:
        return capacity, replace(serving, replicas=number)
    if resource == LOAD:
        stretch = stretch_for(trace, capacity, latency, serving.replicas, number, serving.ticks)
        return capacity, replace(serving, stretch=stretch)
    tiers = several(capacity)
    if tiers is None:
        return number, serving
    sizes = list(tiers.capacities)
    sizes[tier_of(resource, tiers)] = number
    return replace(tiers, capacities=tuple(sizes)), serving


def tier_of(resource: str, capacity: int | Tiers) -> int:
    """Return the number of the tier that a resource such as ``tier1`` is."""
    tiers = len(tiers_of(capacity))
    found = TIER.fullmatch(resource)
    if found is None or int(found[1]) >= tiers:
        named = ", ".join(f"tier{tier}" for tier in range(tiers))
        raise ArgumentError("resource", resource, f"{REPLICAS}, {LOAD} or a tier: {named}")
    return int(found[1])


def _ordered(resource: str, grid: Sequence[Any], capacity: int | Tiers, units: Units) -> list[Any]:
    """Return the numbers of a grid, the most generous last."""
    if resource not in (REPLICAS, LOAD):
        tier_of(resource, capacity)
    if isinstance(grid, str) or not hasattr(grid, "__len__"):
        raise ArgumentError("grid", grid, "a list of numbers to try")
    if not len(grid):
        raise ArgumentError("grid", str(grid), "a number at least")
    if resource == LOAD:
        return sorted({float(number) for number in grid}, reverse=True)
    read = whole_number if resource == REPLICAS else lambda name, number: units.capacity(number, name)
    return sorted({read("grid", number) for number in grid})


def _level(percentile: int | Fraction | str) -> Fraction:
    if isinstance(percentile, str):
        level = read_level(percentile)
        if level is None:
            raise ArgumentError("percentile", percentile, "text such as 'p95' or 'p99.9'")
        return level.q
    found = rational("percentile", percentile) / 100
    if not 0 < found <= 1:
        raise ArgumentError("percentile", str(percentile), "above 0, at most 100")
    return found


def _measured(
    served: Served, number: Any, blocks: Blocks, draws: FloatArray, level: Fraction, slo: Fraction
) -> tuple[Number, FloatArray]:
    """Return a number as it was served, and its percentile in each draw."""
    ttft = served.ttft
    value = float(blocks.percentiles(ttft, blocks.all, level)[0])
    drawn = blocks.percentiles(ttft, draws, level)
    estimate = interval(value, drawn, len(blocks))
    counts = (served.utilisation, served.slow(slo), served.tail_seconds(slo))
    return Number(number, estimate, value <= float(slo), *counts), drawn
