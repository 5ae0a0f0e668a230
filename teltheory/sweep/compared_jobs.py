"""The jobs of a comparison: a run with its TEL in groups of clusters, and the two sides of the optimum.

1. Requests of one cluster, such as a conversation, depend on each other (`teltheory.model.clusters`).
2. Clusters go into groups at random, by a fixed seed: every policy has the same groups, so that differences of two
   policies are paired (`teltheory.cost.standing`).
3. A policy that has no meaning for a cache leaves the reason in the place of numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from teltheory.cost.bootstrap import Values, groups
from teltheory.cost.metrics import tail_excess_latency
from teltheory.cost.standing import MOST_GROUPS
from teltheory.errors import ArgumentError, TraceError
from teltheory.model.clusters import cluster_of
from teltheory.model.forest import Forest
from teltheory.model.numbers import exact_sum
from teltheory.model.outcome import Outcome
from teltheory.model.tiers import Tiers
from teltheory.model.trace import Trace
from teltheory.optimal import hindsight_optimum
from teltheory.sweep.advised import AsAdvised, Borrowed
from teltheory.sweep.hinting import BestConstant
from teltheory.sweep.jobs import ReplayJob
from teltheory.sweep.served_jobs import ServedJob, ServedMeasurement

Progressing = Callable[[int], object] | None


@dataclass(frozen=True)
class RowNumbers:
    """What a policy is worth at one threshold, as a row of a board has it; `setting` is what an advice chose."""

    p50: float | None
    p95: float | None
    p99: float | None
    hit_rate: float
    prefilled: int
    violations: int
    tel: int | float
    setting: str | None = None


@dataclass(frozen=True)
class Compared:
    """What a policy is worth at one threshold, and its TEL in each group; or why it has no meaning there."""

    worth: RowNumbers | None
    tels: tuple[float, ...] = ()
    reason: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self)

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> Compared:
        """Return what `as_dict` made plain data of."""
        worth = plain["worth"]
        return cls(None if worth is None else RowNumbers(**worth), tuple(plain["tels"]), plain["reason"])


@dataclass(frozen=True)
class Beside:
    """What stands beside every policy of a place: both sides of the optimum, and how many clusters there are.

    In a queue no optimum is known.
    """

    lower: int | float | None
    upper: int | float | None
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

    kind: ClassVar[str] = "board"

    def run(  # type: ignore[override]
        self, trace: Trace | Forest, progress: Progressing = None
    ) -> list[Compared]:
        """Replay the job's trace and return what it is worth at each threshold."""
        return judged(trace, self.thresholds, lambda: self._worths(trace, progress))

    def _worths(self, trace: Trace | Forest, progress: Progressing) -> Iterator[tuple[RowNumbers, Values]]:
        policy, setting = self._settled(trace)
        outcome = self._outcome(policy, trace, progress)
        for xi, one in zip(self.thresholds, self.measured(outcome, trace), strict=True):
            times, work = (one.p50, one.p95, one.p99), (one.hit_rate, one.prefilled, one.violations)
            yield RowNumbers(*times, *work, one.tel, setting), outcome.excess_units(xi // outcome.block_size)

    def _settled(self, trace: Trace | Forest) -> tuple[Any, str | None]:
        """Return the policy; of a family with the constant of the least TEL, and words for it."""
        policy: Any = self.policy
        if not isinstance(policy, BestConstant):
            return settled(policy, trace, self.capacity // trace.scale, self.latency, None)
        constants, policies = policy.among(trace)
        outcomes = (self._outcome(one, trace, None) for one in policies)
        tels = [tail_excess_latency(one, policy.tokens // one.block_size) for one in outcomes]
        best = tels.index(min(tels))
        return policies[best], constants.said(constants.values[best])

    def _outcome(self, policy: Any, trace: Trace | Forest, progress: Progressing) -> Outcome:
        if isinstance(policy, Borrowed):
            return policy.replayed(trace, self.capacity // trace.scale, str(self.rules))
        return replace(self, policy=policy).outcome(trace, progress)


@dataclass(frozen=True)
class ComparedInTiers(ServedJob):
    """The same in tiers, on an idle server or in a queue, where TEL is in seconds."""

    kind: ClassVar[str] = "board in tiers"

    def run(  # type: ignore[override]
        self, trace: Trace | Forest, progress: Progressing = None
    ) -> list[Compared]:
        """Serve the job's trace and return what it is worth at each threshold."""
        return judged(trace, self.thresholds, lambda: self._worths(trace, progress))

    def _worths(self, trace: Trace | Forest, progress: Progressing) -> Iterator[tuple[RowNumbers, Values]]:
        memory = self.tiers.in_blocks(trace.block_size)
        room: Any = memory if len(memory) > 1 else memory.capacities[0]
        policy, setting = settled(self.policy[0], trace, room, self.latency, self.serving)
        each = policy if isinstance(policy, tuple) else (policy,) * len(memory)
        served = replace(self, policy=self.policy if setting is None else each).served(trace, progress)
        outcome: Any = served.outcome
        for xi in self.thresholds:
            slo, queued = dict(self.slos)[xi], self.serving is not None
            one = ServedMeasurement.of(served, xi, slo, queued)
            excess = np.maximum(served.ttft - float(slo), 0.0)
            if not queued:
                excess = outcome.excess_units(xi // outcome.block_size) / outcome.denominator
            tel = one.tail_seconds if queued else plain(one.tel)
            yield (
                RowNumbers(one.p50, one.p95, one.p99, one.hit_rate, one.prefilled, one.slow, tel, setting),
                excess,
            )


@dataclass(frozen=True)
class HindsightJob(ReplayJob):
    """The search for the optimum at a capacity, or in `tiers`, and thresholds; in a queue there is none."""

    tiers: Tiers | None = None
    queued: bool = False

    kind: ClassVar[str] = "sides of the optimum"

    @property
    def place(self) -> Any:
        """What its measurements are kept by, beside the threshold."""
        return self.trace, self.policy, self.rules, self.tiers or self.capacity, self.queued

    def determinants(self, xi: int) -> dict[str, Any]:
        """Return all that the sides at a threshold depend on, as plain data."""
        return super().determinants(xi) | {"tiers": repr(self.tiers), "queued": self.queued}

    def run(  # type: ignore[override]
        self, trace: Trace | Forest, progress: Progressing = None
    ) -> list[Beside]:
        """Return both sides of the optimum at each threshold."""
        clusters = len(np.unique(cluster_of(trace)))
        if self.queued:
            return [Beside(None, None, clusters)] * len(self.thresholds)
        if self.tiers is not None:
            room: Any = self.tiers.in_blocks(trace.block_size)
            xis = [xi // trace.block_size for xi in self.thresholds]
            found = [hindsight_optimum(trace, room, xi, forced=self.forced) for xi in xis]
            return [Beside(plain(best.lower), plain(best.upper), clusters) for best in found]
        return [Beside(*sides, clusters) for sides in self._sides(trace)]

    def _sides(self, trace: Trace | Forest) -> Iterator[tuple[int | float, int | float]]:
        """Yield the sides under the rules; of whole nodes no optimum is known: below are holes, above no cache."""
        room = self.capacity // trace.scale
        asked, room, cache, forced = self.rules.on(trace, room, "strict", self.forced, self.running)
        nodes = self.rules.nodes is not None
        options: Any = {"forced": forced, "cache": "holes" if nodes else cache, "running": self.running}
        for xi in (threshold // trace.block_size for threshold in self.thresholds):
            best = hindsight_optimum(asked, room, xi, **options)
            upper = exact_sum(np.maximum(asked.total - xi, 0)) if nodes else best.upper
            yield plain(best.lower), plain(upper)


def settled(policy: Any, trace: Trace | Forest, memory: Any, latency: Any, serving: Any) -> tuple[Any, str | None]:
    """Return a policy, one that an advice chooses with its setting; memory is in the trace's unit."""
    if isinstance(policy, AsAdvised):
        return policy.settled(trace, memory, latency, serving)
    return policy, None


def plain(value: int | Fraction) -> int | float:
    """Return a number as a whole one if it is."""
    return int(value) if value == int(value) else float(value)


def judged(
    trace: Trace | Forest, thresholds: tuple[int, ...], run: Callable[[], Iterator[tuple[RowNumbers, Values]]]
) -> list[Compared]:
    """Return what a run is worth at each threshold, or the reason why there is none."""
    try:
        found = [*run()]
    except (ArgumentError, TraceError) as error:
        return [Compared(None, reason=str(error))] * len(thresholds)
    return [Compared(worth, own) for (worth, _), own in zip(found, in_groups(trace, found), strict=True)]


def in_groups(trace: Trace | Forest, found: list[tuple[RowNumbers, Values]]) -> Iterator[tuple[float, ...]]:
    """Yield the TEL of each group of clusters for each threshold."""
    if not len(trace):
        yield from ((),) * len(found)
        return
    order, blocks = groups(cluster_of(trace), MOST_GROUPS, np.random.default_rng(0))
    for _, excess in found:
        sums = np.add.reduceat(np.asarray(excess, np.float64)[order], blocks.bounds[:-1])
        yield tuple(sums.tolist())
