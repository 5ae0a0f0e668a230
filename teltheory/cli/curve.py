"""`teltheory curve`: a trace under policies at every capacity."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np

from teltheory.cli.options import Thresholds, curve_options, read_capacities, thresholds_for
from teltheory.cli.output import check_target, console, progress_bar, write_figure, write_json
from teltheory.cli.replay import about, assumptions, caching, trace_as_data
from teltheory.cli.tables import curve_tables
from teltheory.errors import ArgumentError
from teltheory.figures import draw_curves
from teltheory.metrics import ttft_quantiles
from teltheory.numbers import exact_sum
from teltheory.policies.policy import Policy
from teltheory.policies.spec import Spec, default_estimate, parse_policy
from teltheory.replay.curve import CapacityCurve, capacity_curve
from teltheory.sweep import QUANTILES, Grid
from teltheory.trace import Trace
from teltheory.workloads import read_trace

DEFAULT_POLICIES = ("lru", "threshold-lru", "tlru:trim=least-recent")
FIGURES = (".png", ".svg", ".pdf")
DECADES = 3


@click.command()
@click.argument("trace_file", metavar="TRACE")
@click.option("--policy", "policies", multiple=True, metavar="POLICY", help="tlru:trim=eager; repeatable.")
@click.option("--q-hat", "q_hat", type=click.IntRange(0), help="Prompt estimate for policies without their own.")
@click.option("--figure", metavar="FILE", help="Also draw the curves: a .png, .svg or .pdf file.")
@click.option("--points", type=click.IntRange(2), default=200, show_default=True, help="Capacities of a curve.")
@curve_options
def curve(
    trace_file: str,
    policies: tuple[str, ...],
    q_hat: int | None,
    figure: str | None,
    points: int,
    capacities: tuple[str, ...],
    xis: tuple[str, ...],
    slos: tuple[str, ...],
    format: str,
    target: str | None,
) -> int:
    """Show TRACE under policies as a function of the capacity; optional caching.

    The table has the capacities given; figure and JSON also have as many as --points says, evenly spaced on a
    logarithmic scale up to where everything fits. Without --policy: LRU, Threshold-LRU and T-LRU with
    least-recent trim.
    """
    check_target(target)
    check_figure(figure)
    specs = [parse_policy(text) for text in policies or DEFAULT_POLICIES]
    thresholds = thresholds_for(specs, xis, slos)
    sizes = read_capacities(capacities)
    trace = read_trace(trace_file, format)
    grid = Grid(specs, sizes, thresholds.xis, default_estimate(trace) if q_hat is None else q_hat)
    with about(trace_file):
        work = Curves(trace, grid, thresholds, _spaced(trace, points) if figure or target else [])
        rows, drawn = work.run()
    if target != "-":
        out = console()
        for line in assumptions(trace, grid, thresholds, q_hat is not None):
            out.print(line, highlight=False)
        out.print(f"slow: turns with a TTFT above the threshold. {caching(grid.forced)}", highlight=False)
        for table in curve_tables(rows, thresholds):
            out.print(table)
    if figure is not None:
        labels = {xi: thresholds.label(xi) for xi in thresholds.xis}
        write_figure(figure, draw_curves(drawn, labels, Path(trace_file).name))
    if target is not None:
        write_json(target, {**trace_as_data(trace, grid, thresholds), "rows": rows, "curve": drawn})
    return 0


def check_figure(figure: str | None) -> None:
    """Check, before long work, that the figure can be written and has a known ending."""
    check_target(figure)
    if figure is not None and Path(figure).suffix not in FIGURES:
        raise ArgumentError("figure", figure, "a file that ends in " + ", ".join(FIGURES))


def _spaced(trace: Trace, points: int) -> list[int]:
    """Return capacities up to the sum of the last pasts, where nothing is evicted any more."""
    last = np.asarray(trace.past[trace.next_turn == len(trace)])
    most = max(exact_sum(last), 1)
    return sorted({int(most * 10 ** (-DECADES * (1 - i / (points - 1)))) for i in range(points)})


@dataclass(frozen=True)
class Curves:
    """What is asked of the curves: rows of the table, and what is drawn."""

    trace: Trace
    grid: Grid
    thresholds: Thresholds
    spaced: Sequence[int]

    def run(self) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """Return the rows of the table and of the figure; by threshold, then policy, then capacity."""
        rows: list[dict[str, Any]] = []
        drawn: list[dict[str, Any]] = []
        known: dict[Policy, CapacityCurve] = {}
        with progress_bar() as bar:
            for xi, spec in bar.track(self._pairs(), description="Drawing curves"):
                policy = self.grid.build(spec, xi, lambda: default_estimate(self.trace))
                if policy not in known:
                    known[policy] = capacity_curve(self.trace, policy)
                found = known[policy]
                rows += self._rows(found, spec, xi, self.grid.capacities, percentiles=True)
                drawn += self._rows(found, spec, xi, self.spaced, percentiles=False)
        return rows, drawn

    def _pairs(self) -> list[tuple[int, Spec]]:
        return [(xi, spec) for xi in self.grid.thresholds for spec in self.grid.policies]

    def _rows(
        self, found: CapacityCurve, spec: Spec, xi: int, capacities: Sequence[int], percentiles: bool
    ) -> Iterator[dict[str, Any]]:
        tels = found.tail_excess_latency([*capacities, 0], xi).tolist()
        slow = found.slo_violations(capacities, xi).tolist()
        for i, capacity in enumerate(capacities):
            row = {"capacity": capacity, "xi": xi, "policy": spec.text, "tel": tels[i], "uncached_tel": tels[-1]}
            yield {**row, "violations": slow[i], **(self._percentiles(found, capacity) if percentiles else {})}

    def _percentiles(self, found: CapacityCurve, capacity: int) -> dict[str, float | None]:
        names = [f"p{round(100 * q)}" for q in QUANTILES]
        if not len(self.trace):
            return dict.fromkeys(names)
        outcome = found.outcome(capacity)
        return dict(zip(names, ttft_quantiles(outcome, QUANTILES, self.thresholds.latency).tolist(), strict=True))
