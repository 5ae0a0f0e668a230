"""What a server did with turns: seconds of each, and what it computed, reused and wrote, in tokens.

Where nobody can wait TEL is in the unit of the requests and exact; in a queue it is in seconds, waits included.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

import numpy as np

from teltheory.advice.goal import Cost, Goal
from teltheory.cost.bootstrap import Values
from teltheory.cost.latency import Latency
from teltheory.cost.metrics import ttft_violations
from teltheory.model.numbers import FloatArray, IntArray, exact_sum
from teltheory.model.outcome import Outcome
from teltheory.model.requests import Requests
from teltheory.model.tiers import TieredOutcome
from teltheory.serving.served import Served
from teltheory.serving.work import span

Kept = TypeVar("Kept", bound=Outcome | TieredOutcome)


@dataclass(frozen=True, eq=False)
class Run:
    """Turns that were served, in the order of arrival.

    Attributes
    ----------
    served : Served
        The turns; the outcome is in tokens.
    inputs, written : ndarray of int64, shape (n,)
        Tokens of the input, and what the turn wrote to the cache.
    replayed : Outcome or None
        The outcome of the replay, in the unit of the requests, where nobody can wait; None in a queue.
    """

    served: Served
    inputs: IntArray
    written: IntArray
    replayed: Outcome | None = None

    @classmethod
    def of(cls, requests: Requests, served: Served, replayed: Outcome | None = None) -> Run:
        """Return what was served, in tokens."""
        outcome = served.outcome.in_tokens()
        written = outcome.written
        if written is None:
            written = requests.past * requests.scale - outcome.by_tier.sum(axis=0)
        return cls(replace(served, outcome=outcome), requests.inputs, written, replayed)

    @classmethod
    def at_once(cls, requests: Requests, outcome: Outcome, latency: Latency) -> Run:
        """Return a replay as what one replica served of which each turn starts when it comes."""
        spent = outcome.in_tokens()
        ttft, nothing = latency.ttft(spent.uncached, spent.cached), np.zeros(len(outcome))
        arrival = nothing if requests.arrival is None else requests.arrival
        replica = np.zeros(len(outcome), np.int64)
        served = Served(outcome, replica, arrival, arrival, nothing, ttft, ttft, 1)
        return cls.of(requests, served, outcome)

    def since(self, start: int) -> Run:
        """Return the turns from `start` on; of iterations, which are shared, the whole run's a second or turn."""
        served = self.served
        names = ("replica", "arrival", "start", "load", "compute", "service")
        columns = {name: getattr(served, name)[start:] for name in names}
        if served.iterated is not None:
            seconds = span(columns["arrival"])
            share = seconds / span(served.arrival) if seconds else len(columns["arrival"]) / max(len(served), 1)
            columns["iterated"] = served.iterated * share
        rest = replace(served, outcome=rest_of(served.outcome, start), **columns)
        replayed = None if self.replayed is None else rest_of(self.replayed, start)
        return Run(rest, self.inputs[start:], self.written[start:], replayed)

    def __len__(self) -> int:
        return len(self.inputs)

    @property
    def ttft(self) -> FloatArray:
        """Seconds to the first token of each turn."""
        return self.served.ttft

    @property
    def hits(self) -> tuple[int, ...]:
        """Tokens that were reused of each tier; exact."""
        return tuple(exact_sum(row) for row in self.served.outcome.by_tier)

    @property
    def reused(self) -> IntArray:
        """Tokens that each turn reused, of any tier; shape (n,)."""
        found: IntArray = self.served.outcome.by_tier.sum(axis=0)
        return found

    @property
    def moved(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Tokens that were written to each tier, and loaded from each but the first; exact."""
        copied, loaded = (
            map(exact_sum, each) for each in (self.served.outcome.copied, self.served.outcome.loaded)
        )
        return (exact_sum(self.written), *copied), tuple(loaded)

    def losses(self, goal: Goal) -> Values:
        """Return what counts of each turn: what is above the SLO, 1 above it, or the TTFT."""
        if self.replayed is not None:
            return goal.losses(self.replayed)
        if goal.level is not None:
            return self.ttft
        return self.served.is_slow(goal.slo).astype(np.int64) if goal.misses else self.served.excess(goal.slo)

    def slow(self, goal: Goal) -> int:
        """Return the turns above the SLO; without rounding where nobody can wait."""
        if self.replayed is not None:
            return ttft_violations(self.replayed.in_tokens(), goal.latency, goal.slo)
        return self.served.slow(goal.slo)

    def tel(self, goal: Goal) -> float:
        """Return TEL above the SLO: a whole number of units where nobody can wait, in a queue seconds."""
        if self.replayed is not None:
            return self.replayed.tel(goal.xi // self.replayed.block_size)
        return self.served.tail_seconds(goal.slo)

    def cost(self, goal: Goal) -> Cost:
        """Return what the turns cost; percentiles have the waits."""
        inputs = exact_sum(self.inputs)
        prefilled = inputs - sum(self.hits)
        p50, p95 = self.served.quantiles((0.5, 0.95)).tolist()
        return Cost(prefilled, (inputs - prefilled) / max(inputs, 1), p50, p95, self.tel(goal))


def rest_of(outcome: Kept, start: int) -> Kept:
    """Return the turns from `start` on."""
    columns = ((one.name, getattr(outcome, one.name)) for one in fields(outcome))
    later: dict[str, Any] = {name: one[..., start:] for name, one in columns if isinstance(one, np.ndarray)}
    return replace(outcome, **later)
