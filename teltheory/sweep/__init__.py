"""A grid of policies, capacities and thresholds on one trace, each cell beside LRU and the hindsight optimum."""

from __future__ import annotations

from collections.abc import Callable

from teltheory.latency import LatencyModel
from teltheory.metrics import slo_violations, tail_excess_latency, ttft_quantiles
from teltheory.outcome import Outcome
from teltheory.policies.clairvoyant import TailOptimizedBelady
from teltheory.policies.online import LRU
from teltheory.policies.policy import Policy
from teltheory.policies.spec import Spec
from teltheory.replay import replay
from teltheory.sweep.grid import Cell, Grid
from teltheory.trace import Trace

__all__ = ["Cell", "Grid", "sweep"]

QUANTILES = (0.5, 0.9, 0.95, 0.99)


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
