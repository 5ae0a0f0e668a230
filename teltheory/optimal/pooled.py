"""The pooled bound: what no router and no policy gets below.

All caches together hold at most R C, so one cache of R C, with everything of every conversation that any of them
holds, reuses at least as much at every turn. What a tier costs to load and the queue only add to a TTFT. So the
optimum in hindsight of one cache of R C without a queue is a lower bound on TEL, strict even for one conversation:
its cache is one of R.

With TTFT = max(floor, alpha u + beta) a turn of u uncached tokens is max(0, floor - slo) + alpha max(0, u - x)
above the SLO, x = (max(slo, floor) - beta) / alpha. Between whole numbers of units n <= x <= n + 1 a whole u has

    max(0, u - x) = (n + 1 - x) max(0, u - n) + (x - n) max(0, u - n - 1)

so that the optima at n and n + 1, with these weights, bound the seconds of any one replay.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import floor
from typing import Any

from teltheory.cost.latency import Latency, LatencyModel
from teltheory.errors import ArgumentError
from teltheory.model.display import in_short
from teltheory.model.tiers import Tiers, number_of, tiers_of
from teltheory.model.trace import Trace
from teltheory.model.units import seconds_of
from teltheory.optimal import hindsight_optimum


@in_short
@dataclass(frozen=True)
class Pooled:
    """A lower bound on TEL.

    Attributes
    ----------
    capacity : int
        Of the one cache, R C.
    xi : int
        Threshold of the SLO, in the trace's unit.
    units : int
        The optimum there, in the trace's unit.
    seconds : Fraction or None
        A lower bound on TEL in seconds; None for a latency that is not linear.
    """

    capacity: int
    xi: int
    units: int
    seconds: Fraction | None


def pooled(trace: Trace, capacity: int | Tiers, replicas: int, slo: Any, latency: Latency) -> Pooled:
    """Return what no router and no policy gets below: the optimum of one cache of all replicas, without a queue.

    Parameters
    ----------
    trace : Trace
        Private conversations.
    capacity : int or Tiers
        Of each replica. All of its tiers count as one here, from which nothing is loaded.
    replicas : int
        How many there are.
    slo : int or Fraction
        Seconds.
    latency : Latency
        Its threshold of the SLO is that of the units; of a linear one there are seconds too.
    """
    if not isinstance(trace, Trace):
        raise ArgumentError("trace", type(trace).__name__, "a Trace, of private conversations")
    room = tiers_of(capacity).pooled[-1] * number_of(replicas)
    xi = latency.threshold(slo) // trace.block_size
    optimum = partial(_optimum, trace, room)
    seconds = least_seconds(optimum, len(trace), trace.block_size, seconds_of("slo", slo), latency)
    return Pooled(room, xi, optimum(xi), seconds)


def least_seconds(
    optimum: Callable[[int], int], turns: int, block_size: int, slo: Fraction, latency: Latency
) -> Fraction | None:
    """Return what the seconds above the SLO are at least, given the least TEL at each whole threshold, in units.

    None unless TTFT is linear in the uncached tokens alone.
    """
    if not (isinstance(latency, LatencyModel) and latency.cached_is_free and latency.per_token > 0):
        return None
    a_unit = latency.per_token * block_size
    threshold = max((max(slo, latency.floor) - latency.constant) / a_unit, Fraction(0))
    below = floor(threshold)
    part = threshold - below
    units = (1 - part) * optimum(below) + part * optimum(below + 1)
    return a_unit * units + turns * max(latency.floor - slo, Fraction(0))


def _optimum(trace: Trace, room: int, xi: int) -> int:
    return int(hindsight_optimum(trace, room, xi).lower)
