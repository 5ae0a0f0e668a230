"""What a served run is to advice: seconds of each turn, and what it computed, reused and wrote, in tokens."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from teltheory.advice.choice import rest_of
from teltheory.advice.goal import Cost, Goal
from teltheory.cost.bootstrap import Values
from teltheory.model.forest import Forest
from teltheory.model.numbers import FloatArray, IntArray, exact_sum
from teltheory.model.outcome import Outcome
from teltheory.model.tiers import TieredOutcome
from teltheory.model.trace import Trace
from teltheory.serving.served import Served
from teltheory.serving.work import span


@dataclass(frozen=True, eq=False)
class Queued:
    """Turns that were served in a queue, in the order of arrival.

    Attributes
    ----------
    served : Served
        The turns; the outcome is in tokens.
    inputs, written : ndarray of int64, shape (n,)
        Tokens of the input, and what the turn wrote to the cache.
    """

    served: Served
    inputs: IntArray
    written: IntArray

    @classmethod
    def of(cls, requests: Trace | Forest, served: Served) -> Queued:
        """Return what was served, in tokens."""
        outcome = served.outcome.in_tokens()
        inputs = requests.inputs if isinstance(requests, Forest) else requests.total
        written = outcome.written
        if written is None:
            assert isinstance(requests, Trace)
            written = requests.past - outcome.cached
        return cls(replace(served, outcome=outcome), inputs, written)

    def since(self, start: int) -> Queued:
        """Return the turns from `start` on; of iterations, which are shared, the whole run's a second or turn."""
        served = self.served
        names = ("replica", "arrival", "start", "load", "compute", "service")
        columns = {name: getattr(served, name)[start:] for name in names}
        if served.iterated is not None:
            seconds = span(columns["arrival"])
            share = seconds / span(served.arrival) if seconds else len(columns["arrival"]) / max(len(served), 1)
            columns["iterated"] = served.iterated * share
        rest = replace(served, outcome=_since(served.outcome, start), **columns)
        return Queued(rest, self.inputs[start:], self.written[start:])

    def __len__(self) -> int:
        return len(self.inputs)

    @property
    def ttft(self) -> FloatArray:
        """Seconds to the first token of each turn."""
        return self.served.ttft

    @property
    def hits(self) -> tuple[int, ...]:
        """Tokens that were reused of each tier; exact."""
        return tuple(exact_sum(row) for row in np.atleast_2d(self.served.outcome.cached))

    @property
    def reused(self) -> IntArray:
        """Tokens that each turn reused, of any tier; shape (n,)."""
        found: IntArray = np.atleast_2d(self.served.outcome.cached).sum(axis=0)
        return found

    @property
    def moved(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Tokens that were written to each tier, and loaded from each but the first; exact."""
        outcome, own = self.served.outcome, exact_sum(self.written)
        if not isinstance(outcome, TieredOutcome):
            return (own,), ()
        return (own, *map(exact_sum, outcome.copied)), tuple(map(exact_sum, outcome.loaded))

    def losses(self, goal: Goal) -> Values:
        """Return what counts of each turn: seconds above the SLO, 1 above it, or the TTFT."""
        if goal.level is not None:
            return self.ttft
        return self.served.is_slow(goal.slo).astype(np.int64) if goal.misses else self.served.excess(goal.slo)

    def cost(self, goal: Goal) -> Cost:
        """Return what the turns cost; percentiles and TEL have the waits."""
        inputs = exact_sum(self.inputs)
        prefilled = inputs - sum(self.hits)
        p50, p95 = self.served.quantiles((0.5, 0.95)).tolist()
        return Cost(prefilled, (inputs - prefilled) / max(inputs, 1), p50, p95, self.served.tail_seconds(goal.slo))


def _since(outcome: Outcome | TieredOutcome, start: int) -> Outcome | TieredOutcome:
    if isinstance(outcome, Outcome):
        return rest_of(outcome, start)
    names = ("cached", "total", "written", "copied", "loaded", "inputs")
    columns = {name: getattr(outcome, name) for name in names}
    return replace(outcome, **{name: one[..., start:] for name, one in columns.items() if one is not None})
