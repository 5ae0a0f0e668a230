"""What a setting did on the rest of a trace, which had no part in choosing it, next to LRU.

Every setting is run on the whole trace, so that the rest begins with the caches, and the queues, that it has by
then, and only the turns of the rest count.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from teltheory.advice.choice import Choice
from teltheory.advice.frontier import FrontierPoint, Side
from teltheory.advice.goal import Cost, CostLimits, Goal
from teltheory.advice.run import Run
from teltheory.advice.search import Candidate, sets_of_tiers
from teltheory.advice.server import Server
from teltheory.cost.bootstrap import Estimate
from teltheory.cost.standing import ClusterDraws, at_most_all, too_few
from teltheory.model.clusters import cluster_of
from teltheory.model.numbers import FloatArray

LEVELS = (0.5, 0.9, 0.95, 0.99)


@dataclass(frozen=True)
class Row:
    """A setting under a router on the rest.

    Attributes
    ----------
    policy, router : str
        Their names; of tiers a policy for each. No router where nobody can wait.
    utilisation : float
        Busy seconds over those of all replicas between the first and the last arrival; of chunks, those of the
        whole run.
    hit_rate : float
        Share of the input that was reused, of any tier.
    prefilled : int
        Tokens that were computed.
    busy : float
        Seconds that the replicas were busy, loading and computing.
    p50, p90, p95, p99 : float
        TTFT in seconds, waits included.
    slow : int
        Turns above the SLO.
    tel : float
        What is above the SLO, summed over turns: in a queue seconds; else tokens, of a forest blocks.
    wait, load, compute : float
        What of the seconds above the SLO that is, as `Served.tail` charges it: the wait first, then loading, then
        computing.
    alone : float
        Seconds above the SLO if no turn waited.
    hits, written : tuple of int
        Tokens that were reused of each tier, and written to it.
    loaded : tuple of int
        Tokens that were loaded from each tier but the first.
    gain : Estimate
        Share by which the goal is below that of LRU under the router that was asked for.
    """

    policy: str
    router: str
    utilisation: float
    hit_rate: float
    prefilled: int
    busy: float
    p50: float
    p90: float
    p95: float
    p99: float
    slow: int
    tel: float
    wait: float
    load: float
    compute: float
    alone: float
    hits: tuple[int, ...]
    written: tuple[int, ...]
    loaded: tuple[int, ...]
    gain: Estimate


@dataclass(frozen=True, kw_only=True)
class HeldOut:
    """What was run on the whole trace, the rest counted; what each kind of server adds is in its own class.

    Attributes
    ----------
    tried : Candidate
        What was tried: what was chosen; or else what would have been without limits; or else the SLO's threshold
        with the mean prompt, in all tiers.
    rows : tuple of Row
        LRU; the setting that was tried; the same margin with other tiers running T-LRU.
    broken : tuple of str
        Limits that the setting breaks on the rest.
    within_budget : int or None
        Turns above the threshold although their conversation kept its whole budget, which nobody counts in a queue
        or where prefixes are shared.
    clusters, called : int, str
        How many clusters of the rest intervals are of, and what one is called.
    """

    tried: Candidate
    rows: tuple[Row, ...]
    broken: tuple[str, ...]
    clusters: int
    called: str
    within_budget: int | None = None

    @property
    def margin(self) -> int:
        """What the threshold and the estimate that were tried come to, in tokens."""
        return self.tried.margin

    @property
    def gain(self) -> Estimate:
        """Share by which the setting's goal is below LRU's."""
        return self.rows[1].gain

    @property
    def unsure(self) -> str | None:
        """Why there are no intervals; None if there are."""
        return too_few(self.clusters, self.called)

    def reasons(self, goal: Goal, idle: bool) -> Iterator[str]:
        """Yield what speaks for LRU, as far as it was measured; `idle` says that the first part has no choice."""
        return iter(())


@dataclass(frozen=True, eq=False)
class Judge:
    """LRU and what was tried on the rest, and rows of runs next to LRU's on the same draws of clusters.

    Attributes
    ----------
    server : Server
        Runs settings on the whole trace.
    goal : Goal
        What is to be small.
    limits : CostLimits
        What a recommendation may cost.
    kind : str
        What is tried next to LRU.
    tried : Candidate
        The setting that is judged.
    lru, after : Run
        The rest under LRU and under that setting.
    drawn : ClusterDraws
        Draws of the clusters of the rest.
    """

    server: Server
    goal: Goal
    limits: CostLimits
    kind: str
    tried: Candidate
    lru: Run
    after: Run
    drawn: ClusterDraws

    @classmethod
    def of(
        cls,
        server: Server,
        goal: Goal,
        limits: CostLimits,
        tried: Candidate,
        called: str,
        rng: np.random.Generator,
    ) -> Judge:
        """Run LRU and a setting, and draw clusters of the rest."""
        lru, after = (server.late(one) for one in (server.lru, tried))
        drawn = ClusterDraws.of(cluster_of(server.requests)[server.start :], called, rng)
        return cls(server, goal, limits, server.settings.kind(tried.margin), tried, lru, after, drawn)

    def rest(self, candidate: Candidate) -> Run:
        """Return a candidate on the rest; LRU and what was tried are not run again."""
        known = {self.server.lru: self.lru, self.tried: self.after}
        found = known.get(candidate)
        return self.server.late(candidate) if found is None else found

    def row(self, policy: str, router: str, run: Run) -> Row:
        """Return a run on the rest as a row."""
        cost, served = run.cost(self.goal), run.served
        p50, p90, p95, p99 = served.quantiles(LEVELS).tolist()
        tail, (written, loaded) = served.tail(self.goal.slo), run.moved
        return Row(
            policy=policy,
            router=router,
            utilisation=served.utilisation,
            hit_rate=cost.hit_rate,
            prefilled=cost.prefilled,
            busy=float(served.busy.sum()),
            p50=p50,
            p90=p90,
            p95=p95,
            p99=p99,
            slow=run.slow(self.goal),
            tel=cost.tel,
            wait=tail.wait,
            load=tail.load,
            compute=tail.compute,
            alone=float(np.maximum(served.service - float(self.goal.slo), 0.0).sum()),
            hits=run.hits,
            written=written,
            loaded=loaded,
            gain=self.gain(run),
        )

    def gain(self, run: Run, before: Run | None = None) -> Estimate:
        """Return by what share a run's goal is below that of another, LRU's if none is given."""
        drawn = self._gains(run, before, self.drawn.draws)
        return at_most_all(self.drawn.interval(self.value(run, before), drawn))

    def value(self, run: Run, before: Run | None = None) -> float:
        """Return the same without an interval."""
        return float(self._gains(run, before, self.drawn.blocks.all)[0])

    def _gains(self, run: Run, before: Run | None, draws: FloatArray) -> FloatArray:
        other = (self.lru if before is None else before).losses(self.goal)
        lru, policy = map(self.drawn.sorted, (other, run.losses(self.goal)))
        return self.goal.gain(lru, policy, self.drawn.blocks, draws)

    def side(self, run: Run) -> Side:
        """Return what a run gains and costs on the rest, and the limits that it breaks there."""
        cost = run.cost(self.goal)
        return Side(self.value(run), cost, tuple(self.limits.broken(self._lru_cost, cost, self.goal.slo)))

    @cached_property
    def _lru_cost(self) -> Cost:
        return self.lru.cost(self.goal)

    def held(self, router: str) -> HeldOut:
        """Return what was tried next to LRU, and the same margin with other tiers running T-LRU."""
        tried = self.tried
        others = (replace(tried, on=on, flat=False) for on in sets_of_tiers(len(tried.on)) if on != tried.on)
        asked = (self.server.lru, tried, *others)
        rows = tuple(self.row(named(one, self.kind), router, self.rest(one)) for one in asked)
        broken, drawn = self.side(self.after).broken, self.drawn
        return HeldOut(tried=tried, rows=rows, broken=broken, clusters=drawn.clusters, called=drawn.called)

    def points(self, choice: Choice) -> tuple[FrontierPoint, ...]:
        """Return what was tried on the first part, with what it did on the rest where it was run there."""
        return tuple(self._point(one.candidate, Side(one.gain, one.cost, one.broken)) for one in choice.tried)

    def _point(self, candidate: Candidate, first: Side) -> FrontierPoint:
        known = self.server.tries_again or candidate in (self.server.lru, self.tried)
        rest = self.side(self.rest(candidate)) if known else None
        return FrontierPoint(named(candidate, self.kind), *self.server.settings.of(candidate.margin), first, rest)


def named(candidate: Candidate, kind: str) -> str:
    """Return what a candidate's policies are called: one name, or one for each tier."""
    if candidate.is_lru:
        return "LRU"
    budgets = " (flat)" if candidate.flat else ""
    return " / ".join(kind if on else "LRU" for on in candidate.on) + budgets
