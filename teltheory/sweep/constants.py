"""The values of a constant that differ on a trace: between two neighbours nothing that a replay asks changes.

A replay asks of a constant x only on which side of some edges it is, and x counts from a response's end, `done`:

- *idle*: at which cut a close counts: at arrival k if x is above that of k - 1 less done, and not above that of k
  less done, up to the arrival at which the agent asks again.
- *retain*: whether done + x is above the arrival of a cut.
- *resume*: which of two responses' x lies nearer to a cut: it changes at its arrival less the mean of both ends,
  where both are as near.

So one value between two neighbouring edges stands for all there, and edges themselves stand for ties. Edges nearer
than a nanosecond count as one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from teltheory.model.announced import returns
from teltheory.model.hints import NO_AGENT, RESUME, RETAIN, Hints, ends_of
from teltheory.model.numbers import FloatArray, IntArray

IDLE = "idle"
MOST_EDGES = 10**7
"""Edges that are looked at; of more those of some cuts, and the number that is said is an upper bound."""
DIGITS = 9


@dataclass(frozen=True)
class Constants:
    """Values that are tried, in seconds, of so many that differ; `whole` is whether those are all."""

    values: tuple[float, ...]
    number: int
    bound: bool

    @property
    def whole(self) -> bool:
        """Whether all that differ are tried."""
        return not self.bound and len(self.values) == self.number

    def said(self, best: float) -> str:
        """Return in words which one is best, and of how many."""
        number = f"at most {self.number:,}" if self.bound else f"{self.number:,}"
        of = f"all {number}" if self.whole else f"{len(self.values):,} of {number}"
        return f"{best:g} s, the best of {of} values that differ"


def values_that_differ(family: str, requests: Any, most: int) -> Constants:
    """Return values of a family's constant, at most so many: all, or some of them at equal ranks."""
    hints = requests.hints or Hints.of_agents(requests.agents)
    n, agents = len(requests), len(np.unique(hints.own_agent))
    pairs = n * agents**2 // 2 if family == RESUME else n * (n + 1) // 2
    edges = _edges(EDGES[family], requests, hints, max(1, -(-pairs // MOST_EDGES)))
    ties = edges if family == RESUME else edges[:1]
    values = np.unique(np.concatenate([ties, (edges[1:] + edges[:-1]) / 2, edges[-1:] + 1]))
    bound = pairs > MOST_EDGES
    ranks = np.unique(np.linspace(0, len(values) - 1, min(most, len(values))).round().astype(np.int64))
    return Constants(tuple(values[ranks].tolist()), 2 * pairs if bound else len(values), bound)


def _edges(of: AtCut, requests: Any, hints: Hints, step: int) -> FloatArray:
    """Return 0 and the edges above 0, in order, of every cut or of some."""
    arrival, ended = requests.arrival, ends_of(requests, hints)
    gone = np.nan_to_num(returns(hints.own_agent, arrival), nan=np.inf)
    cuts = range(0, len(requests), step)
    found = [of(arrival[k], ended[: k + 1], gone[: k + 1], hints.agent[: k + 1]) for k in cuts]
    edges = np.unique(np.round(np.concatenate([np.zeros(1), *found]), DIGITS))
    kept: FloatArray = edges[edges >= 0]
    return kept


def _idle(now: float, ended: FloatArray, gone: FloatArray, agent: IntArray) -> FloatArray:
    edges: FloatArray = now - ended[(gone >= now) & (agent != NO_AGENT)]
    return edges


def _retain(now: float, ended: FloatArray, _: FloatArray, __: IntArray) -> FloatArray:
    return now - ended


def _resume(now: float, ended: FloatArray, gone: FloatArray, _: IntArray) -> FloatArray:
    latest = ended[gone >= now]
    one, other = np.triu_indices(len(latest), 1)
    edges: FloatArray = now - (latest[one] + latest[other]) / 2
    return edges


AtCut = Callable[[float, FloatArray, FloatArray, IntArray], FloatArray]
EDGES: Mapping[str, AtCut] = {IDLE: _idle, RETAIN: _retain, RESUME: _resume}
"""The edges at a cut, of arrivals, ends, returns and agents of the requests so far."""
