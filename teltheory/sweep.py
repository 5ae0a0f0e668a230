"""A grid of policies, capacities and thresholds on one trace, each cell beside LRU and the hindsight optimum."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

from teltheory.latency import LatencyModel
from teltheory.metrics import share_closed, slo_violations, tail_excess_latency, ttft_quantiles
from teltheory.outcome import Outcome
from teltheory.policies.clairvoyant import TailOptimizedBelady
from teltheory.policies.online import LRU
from teltheory.policies.policy import Policy
from teltheory.policies.spec import DEFAULT_CUTOFF, Spec
from teltheory.replay import replay
from teltheory.trace import Trace

QUANTILES = (0.5, 0.9, 0.95, 0.99)


@dataclass(frozen=True)
class Grid:
    """What is swept.

    Attributes
    ----------
    policies : sequence of Spec
        Policies; the threshold of a cell fills in where one is left out.
    capacities, thresholds : sequence of int
        Capacities and thresholds, in the trace's unit.
    q_hat : int
        Prompt estimate where a policy has none of its own.
    cutoff : int
        Cutoff of Threshold-LRU where it has none of its own.
    forced : bool
        Forced caching.
    """

    policies: Sequence[Spec]
    capacities: Sequence[int]
    thresholds: Sequence[int]
    q_hat: int
    cutoff: int = DEFAULT_CUTOFF
    forced: bool = False


@dataclass(frozen=True)
class Cell:
    """One policy at one capacity and threshold.

    Attributes
    ----------
    capacity, xi : int
        Capacity and threshold.
    policy : str
        Short form of the policy.
    p50, p90, p95, p99 : float or None
        Percentiles of TTFT, in seconds; None for an empty trace.
    violations : int
        Turns with a TTFT above the threshold's.
    tel : int
        Tail excess latency.
    lru, optimum : int
        TEL of LRU and the least TEL of any policy, at the same capacity and threshold.
    """

    capacity: int
    xi: int
    policy: str
    p50: float | None
    p90: float | None
    p95: float | None
    p99: float | None
    violations: int
    tel: int
    lru: int
    optimum: int

    @property
    def regret(self) -> int:
        """TEL above the hindsight optimum."""
        return self.tel - self.optimum

    @property
    def change(self) -> Fraction | None:
        """Relative change of TEL against LRU; None where LRU has none."""
        return Fraction(self.tel - self.lru, self.lru) if self.lru else None

    @property
    def closed(self) -> Fraction | None:
        """Share of LRU's distance to the optimum that is closed; None where there is no distance."""
        return share_closed(self.lru, self.tel, self.optimum)

    def as_dict(self) -> dict[str, Any]:
        """Return the cell as plain data."""
        derived = {"regret": self.regret, "change": _number(self.change), "share_closed": _number(self.closed)}
        return {**asdict(self), **derived}


def _number(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


def sweep(
    trace: Trace, grid: Grid, latency: LatencyModel, progress: Callable[[int, int], object] | None = None
) -> list[Cell]:
    """Replay a trace over a grid; a policy that does not depend on the threshold is replayed once a capacity.

    Parameters
    ----------
    trace : Trace
        The turns.
    grid : Grid
        Policies, capacities and thresholds.
    latency : LatencyModel
        Turns uncached tokens into TTFT.
    progress : callable, optional
        Called with the turns replayed so far and those to replay.

    Returns
    -------
    list of Cell
        By capacity, then threshold, then policy, in the grid's order.
    """
    wanted = {(capacity, policy): None for capacity in grid.capacities for policy in _policies(grid)}
    outcomes: dict[tuple[int, Policy], Outcome] = {}
    for i, (capacity, policy) in enumerate(wanted):
        base, every = i * len(trace), len(wanted) * len(trace)
        report = None if progress is None else _shifted(progress, base, every)
        outcomes[capacity, policy] = replay(trace, policy, capacity, grid.forced, progress=report)
    return [
        _cell(outcomes, grid, spec, capacity, xi, latency)
        for capacity in grid.capacities
        for xi in grid.thresholds
        for spec in grid.policies
    ]


def _shifted(progress: Callable[[int, int], object], base: int, every: int) -> Callable[[int], object]:
    return lambda done: progress(base + done, every)


def _policies(grid: Grid) -> list[Policy]:
    built = [spec.build(xi, grid.q_hat, grid.cutoff) for spec in grid.policies for xi in grid.thresholds]
    optima: list[Policy] = [TailOptimizedBelady(xi) for xi in grid.thresholds]
    return list(dict.fromkeys([LRU(), *built, *optima]))


def _cell(
    outcomes: dict[tuple[int, Policy], Outcome],
    grid: Grid,
    spec: Spec,
    capacity: int,
    xi: int,
    latency: LatencyModel,
) -> Cell:
    outcome = outcomes[capacity, spec.build(xi, grid.q_hat, grid.cutoff)]
    quantiles = ttft_quantiles(outcome, QUANTILES, latency).tolist() if len(outcome) else [None] * len(QUANTILES)
    p50, p90, p95, p99 = quantiles
    return Cell(
        capacity,
        xi,
        spec.text,
        p50,
        p90,
        p95,
        p99,
        violations=slo_violations(outcome, xi),
        tel=tail_excess_latency(outcome, xi),
        lru=tail_excess_latency(outcomes[capacity, LRU()], xi),
        optimum=tail_excess_latency(outcomes[capacity, TailOptimizedBelady(xi)], xi),
    )
