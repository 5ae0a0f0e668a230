"""What tables are made of runs: Tables 1 to 6 beside the paper's, and averages over the samples.

A cell is *inside* where the printed number, as printed, lies between the 2.5 % and the 97.5 % quantile of the
samples; else *same sign* where our mean, rounded as the paper rounds, has the printed sign; else *off*. The
interval of a mean is Student's, 95 %.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from teltheory.cost.bootstrap import student
from teltheory.paper.printed import Against, Column, Metric, PrintedTable
from teltheory.paper.rows import Average, ComparedRow, Improvement, RunRow

Agreement = Literal["inside", "same sign", "off"]
Floats = NDArray[np.float64]
QUANTILES = (0.025, 0.975)


@dataclass(frozen=True)
class TableSummary:
    """What a table's cells have in common.

    A printed zero has the sign 0. `rmse` is between our means and the printed numbers, in points.
    """

    cells: int
    signs: int
    inside: int
    nonzero: int
    nonzero_signs: int
    rmse: float


class RunTable:
    """Runs by policy, capacity and threshold, one value a trace."""

    def __init__(self, found: Sequence[RunRow]) -> None:
        self.traces = list(dict.fromkeys(run.trace for run in found))
        self.capacities = list(dict.fromkeys(run.capacity for run in found))
        self.thresholds = list(dict.fromkeys(run.xi_ms for run in found))
        self.policies = list(dict.fromkeys(run.policy for run in found))
        self._by_place = {(run.trace, run.policy, run.capacity, run.xi_ms): run for run in found}

    def of(self, metric: str, policy: str, capacity: int, xi_ms: int) -> Floats:
        """Return a measure of a policy, one value a trace."""
        return np.array(
            [getattr(self._by_place[trace, policy, capacity, xi_ms], metric) for trace in self.traces], np.float64
        )

    def improvements(self, column: Column, capacity: int, policy: str = "tlru") -> Floats:
        """Return the improvement of a policy over the one it is compared with, in per cent, one value a trace."""
        ours, base = (self.of(column.metric, p, capacity, column.xi_ms) for p in (policy, column.against))
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(base == 0, np.where(ours == 0, 0.0, -np.inf), 100 * (1 - ours / base))


def compare(table: PrintedTable, found: RunTable) -> list[ComparedRow]:
    """Return a table's cells beside the paper's, row by row."""
    return [
        compare_cell(
            table.number, capacity, column, float(table.at(capacity, column)), found.improvements(column, capacity)
        )
        for capacity in found.capacities
        for column in table.columns
    ]


def compare_cell(table: int, capacity: int, column: Column, printed: float, improvements: Floats) -> ComparedRow:
    """Hold a printed number against the samples' improvements."""
    ours = float(improvements.mean())
    low, high = np.quantile(improvements, QUANTILES).tolist()
    half = half_width(improvements)
    place = (table, capacity, column.xi_ms, column.metric, column.against)
    return ComparedRow(
        *place, printed, ours, ours - half, ours + half, low, high, agreement(printed, ours, low, high)
    )


def agreement(printed: float, ours: float, low: float, high: float) -> Agreement:
    """Return the verdict of a cell."""
    if low <= printed <= high:
        return "inside"
    return "same sign" if same_sign(printed, ours) else "off"


def same_sign(printed: float, ours: float) -> bool:
    """Whether our number, rounded to a tenth as the paper's, has the sign of the printed one."""
    return bool(np.sign(round(ours, 1)) == np.sign(printed))


def half_width(values: Floats) -> float:
    """Return half the width of Student's 95 % interval of a mean; NaN for a single value."""
    n = len(values)
    return float(student(0.95, n - 1) * values.std(ddof=1) / math.sqrt(n)) if n > 1 else math.nan


def summarise(cells: Iterable[ComparedRow]) -> TableSummary:
    """Count agreements."""
    of = list(cells)
    nonzero = [cell for cell in of if cell.printed]
    return TableSummary(
        len(of),
        sum(same_sign(cell.printed, cell.ours) for cell in of),
        sum(cell.agreement == "inside" for cell in of),
        len(nonzero),
        sum(same_sign(cell.printed, cell.ours) for cell in nonzero),
        math.sqrt(float(np.mean([(cell.ours - cell.printed) ** 2 for cell in of]))),
    )


def said(cells: Iterable[ComparedRow]) -> str:
    """Return a summary in words."""
    of = summarise(cells)
    signs = f"{of.signs} of {of.cells} signs ({of.nonzero_signs} of {of.nonzero} where the paper's is not 0)"
    return f"{signs}, {of.inside} inside the samples' range, RMSE {of.rmse:.2f} points"


BASE, OPTIMUM = "lru", "tail-optimized-belady"


def regret(found: RunTable, policy: str, capacity: int, xi_ms: int) -> Floats:
    """Return TEL above that of the hindsight optimum, in tokens."""
    return found.of("tel", policy, capacity, xi_ms) - found.of("tel", OPTIMUM, capacity, xi_ms)


def closed(found: RunTable, policy: str, capacity: int, xi_ms: int) -> Floats:
    """Return the share of LRU's distance to the optimum that is closed, in per cent; NaN if there is none."""
    distance = regret(found, BASE, capacity, xi_ms)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = 100 * (1 - regret(found, policy, capacity, xi_ms) / distance)
    return np.where(distance == 0, np.nan, share)


def measured(found: RunTable, measure: str, policy: str, capacity: int, xi_ms: int) -> Floats:
    """Return regret, share closed, an improvement over LRU in per cent, or what runs have under the name."""
    if measure in ("regret", "closed"):
        return (regret if measure == "regret" else closed)(found, policy, capacity, xi_ms)
    if measure.startswith("improvement-"):
        metric: Any = measure.removeprefix("improvement-")
        return found.improvements(Column(xi_ms, metric, "lru"), capacity, policy)
    return found.of(measure, policy, capacity, xi_ms)


LATENCIES = ("p50", "p90", "p95", "p99", "above", "tel", "regret", "closed")
CURVES = ("p95", "tel", "regret")
METRICS: tuple[Metric, ...] = ("p90", "p95", "p99", "above")
AGAINST: tuple[Against, ...] = ("lru", "threshold-lru")
SENSITIVITIES = ("p90", "p95", "p99", "improvement-p90", "improvement-p95", "improvement-p99")


def averages(found: RunTable, measures: Sequence[str]) -> list[Average]:
    """Average measures by capacity, threshold and policy."""
    return [
        average(capacity, xi_ms, policy, measure, measured(found, measure, policy, capacity, xi_ms))
        for capacity in found.capacities
        for xi_ms in found.thresholds
        for policy in found.policies
        for measure in measures
    ]


def average(capacity: int, xi_ms: int, policy: str, measure: str, values: Floats) -> Average:
    """Average the values that are defined."""
    defined = values[np.isfinite(values)]
    return Average(capacity, xi_ms, policy, measure, len(defined), *average_of(defined))


def average_of(values: Floats) -> tuple[float, float, float]:
    """Return a mean and the ends of its 95 % interval."""
    mean, half = float(values.mean()) if len(values) else math.nan, half_width(values)
    return mean, mean - half, mean + half


def improvements(found: RunTable) -> list[Improvement]:
    """Return the cells of tables like Tables 1 to 3 at the thresholds of a workload."""
    found_cells = []
    for capacity, xi_ms in product(found.capacities, found.thresholds):
        for column in (Column(xi_ms, metric, against) for metric, against in product(METRICS, AGAINST)):
            with np.errstate(invalid="ignore"):
                ours = average_of(found.improvements(column, capacity))
            found_cells.append(Improvement(capacity, xi_ms, column.metric, column.against, *ours))
    return found_cells
