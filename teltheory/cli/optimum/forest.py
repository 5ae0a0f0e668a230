"""The search behind `teltheory optimum` for the least TEL of the prefixes that requests share."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isfinite
from typing import Any

from rich.table import Table

from teltheory.cli.asked.question import Asked
from teltheory.cli.optimum.certificate import Certified
from teltheory.cli.optimum.searches import OF_THIS_PLAN, WORKED, CertifiedRow, tenths, work_of
from teltheory.cli.printed.tables import WORK, plain_table, work_cells
from teltheory.cost.goals import TEL
from teltheory.errors import SolverError
from teltheory.model.display import percent
from teltheory.model.forest import Forest
from teltheory.optimal.methods import BlockCache
from teltheory.problem import Problem

BESIDE = {"belady": "Tail-Optimized Belady", "lru": "LRU"}
"""Policies beside the optimum."""
TWO_SIDES = (
    "found: the best plan for a strict cache. lower: no cache has less, as it is the optimum where blocks may "
    "outlive their parents, by a certificate that check-certificate evaluates; by solver: on the word of HiGHS "
    "alone. optimum: both are the same. gap: (found - lower) / found."
)


@dataclass(frozen=True)
class ForestSearch:
    """What is asked of a forest, the cache, and the method."""

    asked: Asked
    forest: Forest
    cache: BlockCache
    method: Any
    time_limit: float | None

    @property
    def places(self) -> Sequence[int]:
        """The capacities."""
        return self.asked.grid.capacities

    @property
    def rows_a_capacity(self) -> int:
        """Number of rows at each capacity: one a threshold."""
        return len(self.asked.grid.thresholds)

    def at(self, capacity: int) -> Iterator[CertifiedRow]:
        """Yield the rows of a capacity, which is in tokens."""
        for xi in self.asked.grid.thresholds:
            yield self._least_tel(capacity, xi)

    def lines(self) -> list[str]:
        """Return what stands above the table."""
        sides = (TWO_SIDES,) if self.cache == "strict" else ()
        return [*self.asked.lines(), *sides, f"{OF_THIS_PLAN.format('an optimum', 'TEL')} {self.asked.caching}"]

    def as_data(self, rows: list[dict[str, Any]]) -> dict[str, Any]:
        """Return the rows, and what was assumed, as plain data; TEL is in blocks."""
        return {**self.asked.as_data(), "objective": TEL, "time_limit": self.time_limit, "rows": rows}

    def _least_tel(self, capacity: int, xi: int) -> CertifiedRow:
        problem = self.asked.at(capacity, xi)
        row = {"capacity": capacity, "xi": xi, **self._beside(problem)}
        try:
            best = problem.optimum(self.method, self.time_limit)
        except SolverError as error:
            return self._given_up(row, error)
        sides = {"lower": best.lower, "upper": best.upper, "by_solver": best.by_solver, "bound": best.bound}
        row |= {"optimum": best.objective, **sides, "gap": float(best.relative_gap), "method": best.method}
        row |= {"status": best.status, **work_of(best.outcome, self.asked)}
        read = replace(self.asked.prefixes, block_size=self.forest.block_size)
        where = (problem.memory, problem.forced, best.certificate, problem.threshold)
        return CertifiedRow(row, Certified(TEL, *where, read))

    def _beside(self, problem: Problem) -> dict[str, Any]:
        """Return what policies are worth in the same cache, and their work."""
        found = dict[str, Any]()
        for name, policy in zip(BESIDE, ("tail-optimized-belady", "lru"), strict=True):
            made = problem.replay(policy)
            found |= {name: problem.tel(made), **work_of(made, self.asked, f"{name}_")}
        return found

    def _given_up(self, row: dict[str, Any], error: SolverError) -> CertifiedRow:
        from teltheory.optimal.solver import INTERRUPTED

        numbers = {"lower": error.bound, "upper": error.incumbent, "bound": error.bound}
        sides = {name: value if value is not None and isfinite(value) else None for name, value in numbers.items()}
        unknown = dict.fromkeys(("optimum", "gap", *WORKED))
        row = {**row, **unknown, **sides, "by_solver": True, "method": self.method, "status": error.status}
        place = f"capacity {row['capacity']:,}, threshold {self.asked.thresholds.label(row['xi'])}"
        return CertifiedRow(row, None, f"{place}: {error}", error.status == INTERRUPTED)

    def table(self, rows: Sequence[dict[str, Any]]) -> Table:
        """Return the table: at each capacity the optimum or its two sides, and policies beside it."""
        columns = map(self.asked.thresholds.heading, ("TEL", "vs LRU", *WORK, "gap", "method"))
        lines = [line for row in rows for line in self._lines_of(row)]
        return plain_table("Hindsight optimum", ("capacity", "threshold", "", *columns), lines, ("threshold", ""))

    def _lines_of(self, row: dict[str, Any]) -> Iterator[tuple[str, ...]]:
        thresholds, lru, upper, xi = self.asked.thresholds, row["lru"], row["upper"], row["xi"]
        asked = thresholds.slos[xi].text if xi in thresholds.slos else f"{xi:,}"
        place = (f"{row['capacity']:,}", f"{asked} = {xi // self.forest.block_size:,} blocks")
        known = row["optimum"] is not None
        gap = "" if row["gap"] is None else f"{100 * row['gap']:.2f} %"
        found = ("optimum" if known else "found", tenths(upper), _change(upper, lru))
        yield (*place, *found, *work_cells(row, thresholds), gap, row["method"])
        if not known or row["by_solver"]:
            yield ("", "", "lower, by solver" if row["by_solver"] else "lower", tenths(row["lower"]))
        for who, shown in BESIDE.items():
            change = "" if who == "lru" else _change(row[who], lru)
            yield ("", "", shown, f"{row[who]:,}", change, *work_cells(row, thresholds, f"{who}_"))


def _change(tel: float | None, lru: int) -> str:
    return percent(Fraction(tel - lru) / lru if lru and tel is not None else None)
