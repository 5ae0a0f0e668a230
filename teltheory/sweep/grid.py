"""What is swept, the replays that this takes, and the cells that come of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from typing import Any, TypeAlias

from teltheory.cost.latency import Latency
from teltheory.cost.metrics import share_closed
from teltheory.policies.clairvoyant import TailOptimizedBelady
from teltheory.policies.online import LRU
from teltheory.policies.policy import Policy
from teltheory.policies.spec import DEFAULT_CUTOFF, Spec
from teltheory.sweep.jobs import Job, Measurement
from teltheory.sweep.sources import Source


@dataclass(frozen=True)
class Grid:
    """What is swept.

    Attributes
    ----------
    policies : sequence of Spec
        Policies; the threshold of a cell fills in if one is left out.
    capacities, thresholds : sequence of int
        Capacities and thresholds, in the trace's unit.
    q_hat : int or None
        Prompt estimate where a policy has none of its own; None for each trace's own, the mean prompt of the turns
        that continue a conversation, rounded up.
    cutoff : int
        Cutoff of Threshold-LRU where it has none of its own.
    forced : bool
        Forced caching.
    slos : mapping of int to Fraction
        Thresholds that stand for a TTFT, with its seconds: a turn violates such a one if its TTFT is above it.
    latency : Latency or None
        For policies that take an SLO in seconds.
    """

    policies: Sequence[Spec]
    capacities: Sequence[int]
    thresholds: Sequence[int]
    q_hat: int | None
    cutoff: int = DEFAULT_CUTOFF
    forced: bool = False
    slos: Mapping[int, Fraction] = field(default_factory=dict)
    latency: Latency | None = None

    def build(self, spec: Spec, xi: int, estimate: Callable[[], int]) -> Policy:
        """Make a policy for a threshold; `estimate` is asked if the grid has no prompt estimate."""
        q_hat = estimate() if self.q_hat is None else self.q_hat
        return spec.build(xi, q_hat, self.cutoff, self.latency, self.slos.get(xi))


@dataclass(frozen=True, kw_only=True)
class Cell(Measurement):
    """One policy at one capacity and threshold, with the TEL of LRU and of the optimum there.

    `trace` is the label of the trace if several are swept.
    """

    capacity: int
    xi: int
    policy: str
    lru: int
    optimum: int
    trace: str | None = None

    @property
    def regret(self) -> int:
        """TEL above the hindsight optimum."""
        return self.tel - self.optimum

    @property
    def change(self) -> Fraction | None:
        """Relative change of TEL against LRU; None if LRU has none."""
        return Fraction(self.tel - self.lru, self.lru) if self.lru else None

    @property
    def closed(self) -> Fraction | None:
        """Share of LRU's distance to the optimum that is closed; None if there is no distance."""
        return share_closed(self.lru, self.tel, self.optimum)

    def as_dict(self) -> dict[str, Any]:
        """Return the cell as plain data, the trace's label first if there is one."""
        plain = asdict(self)
        place = {name: plain.pop(name) for name in ("trace", "capacity", "xi", "policy")}
        if self.trace is None:
            del place["trace"]
        derived = {"regret": self.regret, "change": _number(self.change), "share_closed": _number(self.closed)}
        return {**place, **plain, **derived}


def _number(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


def plan(sources: Sequence[Source], grid: Grid, latency: Latency) -> list[Job]:
    """Return the replays that a grid takes, each once: trace outermost, then capacity, LRU first, optima last.

    A policy that does not depend on the threshold is replayed once a capacity, a trace with two labels once.
    """
    slos = tuple(sorted(grid.slos.items()))
    by_trace = {source.key: source for source in sources}
    return [
        Job(key, source.turns, policy, capacity, grid.forced, latency, thresholds, slos)
        for key, source in by_trace.items()
        for capacity in dict.fromkeys(grid.capacities)
        for policy, thresholds in _policies(grid, source).items()
    ]


def _policies(grid: Grid, source: Source) -> dict[Policy, tuple[int, ...]]:
    """Return every policy that a trace is replayed under, with the thresholds it is measured at."""
    thresholds = tuple(dict.fromkeys(grid.thresholds))
    policies: dict[Policy, tuple[int, ...]] = {LRU(): thresholds}
    for spec in grid.policies:
        for xi in thresholds:
            policy = grid.build(spec, xi, lambda: source.estimate)
            policies[policy] = tuple(dict.fromkeys((*policies.get(policy, ()), xi)))
    for xi in thresholds:
        policies[TailOptimizedBelady(xi)] = tuple(dict.fromkeys((*policies.get(TailOptimizedBelady(xi), ()), xi)))
    return policies


Results: TypeAlias = Mapping[tuple[str, Policy, int, int], Measurement]
"""Measurements by trace, policy, capacity and threshold."""


def cells(sources: Sequence[Source], grid: Grid, results: Results) -> list[Cell]:
    """Return the cells: by trace, then capacity, then threshold, then policy, in the order given."""
    return [
        _cell(source, spec, capacity, xi, grid, results, source.label if len(sources) > 1 else None)
        for source in sources
        for capacity in grid.capacities
        for xi in grid.thresholds
        for spec in grid.policies
    ]


def _cell(
    source: Source, spec: Spec, capacity: int, xi: int, grid: Grid, results: Results, label: str | None
) -> Cell:
    def at(policy: Policy) -> Measurement:
        return results[source.key, policy, capacity, xi]

    worth = at(grid.build(spec, xi, lambda: source.estimate))
    lru, optimum = at(LRU()).tel, at(TailOptimizedBelady(xi)).tel
    return Cell(**vars(worth), capacity=capacity, xi=xi, policy=spec.text, lru=lru, optimum=optimum, trace=label)
