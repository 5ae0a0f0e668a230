"""The jobs of a comparison: a replay with its TEL in groups of clusters, and the two sides of the optimum.

1. Requests of one cluster, such as a conversation, depend on each other (`teltheory.model.clusters`).
2. Clusters go into groups at random, by a fixed seed: every policy has the same groups, so that differences of two
   policies are paired (`teltheory.cost.standing`).
3. A policy that has no meaning for a cache leaves the reason in the place of numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np

from teltheory.cost.bootstrap import groups
from teltheory.cost.standing import MOST_GROUPS
from teltheory.errors import ArgumentError, TraceError
from teltheory.model.clusters import cluster_of
from teltheory.model.forest import Forest
from teltheory.model.numbers import exact_sum
from teltheory.model.outcome import Outcome
from teltheory.model.trace import Trace
from teltheory.optimal import hindsight_optimum
from teltheory.sweep.jobs import Measurement, ReplayJob


@dataclass(frozen=True)
class Compared:
    """What a policy is worth at one threshold, and its TEL in each group; or why it has no meaning there."""

    worth: Measurement | None
    tels: tuple[float, ...] = ()
    reason: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self)

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> Compared:
        """Return what `as_dict` made plain data of."""
        worth = plain["worth"]
        return cls(None if worth is None else Measurement(**worth), tuple(plain["tels"]), plain["reason"])


@dataclass(frozen=True)
class Beside:
    """What stands beside every policy of a place: both sides of the optimum, and how many clusters there are."""

    lower: int
    upper: int
    clusters: int

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self)

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> Beside:
        """Return what `as_dict` made plain data of."""
        return cls(**plain)


@dataclass(frozen=True)
class Hindsight:
    """What stands in the place of a policy where the optimum is searched."""


@dataclass(frozen=True)
class ComparedJob(ReplayJob):
    """One replay and the thresholds that it is measured at, as `ReplayJob`, with TEL in groups of clusters."""

    kind: ClassVar[str] = "comparison"

    def run(  # type: ignore[override]
        self, trace: Trace | Forest, progress: Callable[[int], object] | None = None
    ) -> list[Compared]:
        """Replay the job's trace and return what it is worth at each threshold."""
        try:
            outcome = self.outcome(trace, progress)
        except (ArgumentError, TraceError) as error:
            return [Compared(None, reason=str(error))] * len(self.thresholds)
        tels = tels_in_groups(outcome, trace, self.thresholds)
        return [Compared(worth, own) for worth, own in zip(self.measured(outcome, trace), tels, strict=True)]


@dataclass(frozen=True)
class HindsightJob(ReplayJob):
    """The search for the optimum at a capacity and thresholds."""

    kind: ClassVar[str] = "sides of the optimum"

    def run(  # type: ignore[override]
        self, trace: Trace | Forest, progress: Callable[[int], object] | None = None
    ) -> list[Beside]:
        """Return both sides of the optimum at each threshold."""
        clusters, room = len(np.unique(cluster_of(trace))), self.capacity // trace.scale
        asked, room, cache, forced = self.rules.on(trace, room, "strict", self.forced, self.running)
        nodes = self.rules.nodes is not None
        options: Any = {"forced": forced, "cache": "holes" if nodes else cache, "running": self.running}
        xis = [xi // trace.block_size for xi in self.thresholds]
        found = [hindsight_optimum(asked, room, xi, **options) for xi in xis]
        most = [exact_sum(np.maximum(asked.total - xi, 0)) for xi in xis]
        # Of whole nodes no optimum is known: holes are below all, and nothing is above what no cache computes.
        uppers = most if nodes else [int(best.upper) for best in found]
        return [Beside(int(best.lower), upper, clusters) for best, upper in zip(found, uppers, strict=True)]


def tels_in_groups(
    outcome: Outcome, trace: Trace | Forest, thresholds: tuple[int, ...]
) -> list[tuple[float, ...]]:
    """Return the TEL of each group of clusters at each threshold."""
    if not len(outcome):
        return [()] * len(thresholds)
    order, blocks = groups(cluster_of(trace), MOST_GROUPS, np.random.default_rng(0))
    uncached = outcome.uncached[order]
    excess = (np.maximum(uncached - xi // outcome.block_size, 0) for xi in thresholds)
    return [tuple(np.add.reduceat(one.astype(np.float64), blocks.bounds[:-1]).tolist()) for one in excess]
