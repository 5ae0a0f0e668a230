"""What the paper's Tables 1 and 4 say by themselves about the best threshold (Section 4.2, Appendix G.2).

The tables are read as printed, in per cent, so these rows need no experiment and decide nothing about one: they
hold the text against the paper's own numbers. Thresholds and percentiles are in milliseconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from experiments.paper.printed import LRU_AT_1000_MS, TABLE_1, TABLE_4, Column, Metric, PrintedTable
from teltheory.claims.claim import Unshrunk, Values, claim
from teltheory.claims.origin import BOTH, PMLR
from teltheory.claims.worlds import Given

THRESHOLDS = (50, 100, 200, 300, 500)
NEAR = "nearest xi and neighbours"
BEST, NAMED = "best xi", "xi of the text"


@dataclass(frozen=True)
class Row(Unshrunk):
    """The improvements that a table prints for a capacity and a percentile.

    Attributes
    ----------
    table : str
        The table.
    capacity : int
        Its row.
    percentile : str
        "P90" or "P95".
    improvements : tuple of Fraction or float
        T-LRU over LRU in per cent, one for each of `thresholds`.
    lru : float
        The percentile under LRU: what the text gives, or what was measured.
    thresholds : tuple of int
        The grid.
    """

    table: str
    capacity: int
    percentile: str
    improvements: tuple[Fraction | float, ...]
    lru: float
    thresholds: tuple[int, ...] = THRESHOLDS

    @property
    def best(self) -> list[int]:
        """The thresholds of the largest improvement."""
        most = max(self.improvements)
        return [xi for xi, found in zip(self.thresholds, self.improvements, strict=True) if found == most]

    @property
    def near(self) -> list[int]:
        """The threshold nearest to the percentile under LRU, and its neighbours on the grid."""
        k = min(range(len(self.thresholds)), key=lambda k: abs(self.thresholds[k] - self.lru))
        return list(self.thresholds[max(k - 1, 0) : k + 2])

    def size(self) -> tuple[Any, ...]:
        """Return the order of the tables, capacities and percentiles."""
        return (self.table, self.capacity, self.percentile)

    def measures(self) -> dict[str, int]:
        """Return the capacity."""
        return {"capacity": self.capacity}

    def as_counterexample(self, values: Values) -> dict[str, Any]:
        """Return the row as printed and what is compared."""
        printed = {str(xi): f"{float(p)}" for xi, p in zip(self.thresholds, self.improvements, strict=True)}
        where = {"table": self.table, "capacity": self.capacity, "percentile": self.percentile}
        return {**where, "improvement by xi": printed, "values": dict(values)}


def rows_of(table: PrintedTable, lru: Mapping[str, int]) -> tuple[Row, ...]:
    """Return the rows of a table for C = 1,000, of which the text gives the percentiles under LRU."""
    return tuple(
        Row(f"Table {table.number}", 1000, metric.upper(), improvements(table, 1000, metric), lru[metric])
        for metric in ("p90", "p95")
    )


def improvements(table: PrintedTable, capacity: int, metric: Metric) -> tuple[Fraction, ...]:
    """Return what a table prints for a capacity and a percentile, one number for each of `THRESHOLDS`."""
    return tuple(table.at(capacity, Column(xi, metric, "lru")) for xi in THRESHOLDS)


WILDCHAT, SHAREGPT = (rows_of(table, LRU_AT_1000_MS[table.workload]) for table in (TABLE_1, TABLE_4))
SENTENCE = {"P90": 200, "P95": 300}
SOURCE = "Section 4.2, sensitivity to the threshold, and Table 1"


def named_by_the_text(case: Row) -> Values:
    """Return the best thresholds of a row, and the one that the text names."""
    return {BEST: case.best, NAMED: [SENTENCE[case.percentile]]}


def same(values: Values) -> bool:
    """Whether the thresholds are the same."""
    return bool(values[BEST] == values[NAMED])


def among_the_near(values: Values) -> bool:
    """Whether every best threshold is the one nearest to the percentile, or a neighbour of it."""
    return set(values[BEST]) <= set(values[NEAR])


@claim(
    "sensitivity.text",
    SOURCE,
    "At C = 1,000 xi = 200 ms improves P90 most and xi = 300 ms P95, as the text says, in Table 1 as printed.",
    relation=same,
    space=Given(WILDCHAT, "Table 1, C = 1,000: P90 and P95"),
    origin=PMLR,
    kind="misprint",
)
def text(case: Row) -> Values:
    """Compare the text with the table."""
    return named_by_the_text(case)


@claim(
    "sensitivity.text.p95",
    SOURCE,
    "At C = 1,000 xi = 300 ms improves P95 most, as the text says, in Table 1 as printed.",
    relation=same,
    space=Given(WILDCHAT[1:], "Table 1, C = 1,000: P95"),
    origin=PMLR,
)
def text_on_p95(case: Row) -> Values:
    """Compare the text with the table."""
    return named_by_the_text(case)


@claim(
    "sensitivity.peak.printed",
    "Section 4.2 with Table 1, Appendix G.2 with Table 4",
    "At C = 1,000 the best xi of Tables 1 and 4 as printed is the grid value nearest to the percentile under LRU "
    "that the text gives, or a neighbour of it.",
    relation=among_the_near,
    space=Given((*WILDCHAT, *SHAREGPT), "C = 1,000, P90 and P95, of Tables 1 and 4"),
    origin=BOTH,
)
def near_the_percentile(case: Row) -> Values:
    """Look for the best thresholds among those near the percentile."""
    return {BEST: case.best, NEAR: case.near}


if __name__ == "__main__":
    from teltheory.cli import main

    main(["verify", "--section", "printed_tables"])
