"""Tables 1 to 6 as the paper prints them, in per cent. Nothing here is ours.

`TABLES` are those of the text whose footer names PMLR 267. Version 1 on arXiv has the same numbers, with other
headings above Tables 1 and 3 (`V1_TABLES`); it numbers Tables 2 and 3 the other way round.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Literal

Metric = Literal["p90", "p95", "p99", "above"]
Against = Literal["lru", "threshold-lru"]
Workload = Literal["wildchat", "sharegpt"]
CAPACITIES = (1000, 2000, 4000, 6000, 8000, 10000)
SLO_MS = 200


@dataclass(frozen=True)
class Column:
    """A column of a table: T-LRU with a threshold, what is measured, and what it is compared with."""

    xi_ms: int
    metric: Metric
    against: Against


@dataclass(frozen=True)
class PrintedTable:
    """A table of relative improvements in per cent, one row a capacity."""

    number: int
    workload: Workload
    columns: tuple[Column, ...]
    rows: tuple[tuple[Fraction, ...], ...]

    def at(self, capacity: int, column: Column) -> Fraction:
        """Return a printed improvement, in per cent."""
        return self.rows[CAPACITIES.index(capacity)][self.columns.index(column)]


def _percentiles(against: Against, with_p99: bool) -> tuple[Column, ...]:
    metrics: tuple[Metric, ...] = ("p90", "p95")
    columns = [Column(xi, metric, against) for xi, metric in product((50, 100, 200, 300, 500), metrics)]
    return (*columns, Column(500, "p99", against)) if with_p99 else tuple(columns)


_ABOVE = tuple(
    Column(xi, "above", against) for xi in (50, 100, 150, 200, 500) for against in ("lru", "threshold-lru")
)


_COLUMNS: dict[int, tuple[Workload, tuple[Column, ...]]] = {
    1: ("wildchat", _percentiles("lru", with_p99=True)),
    2: ("wildchat", _ABOVE),
    3: ("wildchat", _percentiles("threshold-lru", with_p99=True)),
    4: ("sharegpt", _percentiles("lru", with_p99=False)),
    5: ("sharegpt", _percentiles("threshold-lru", with_p99=False)),
    6: ("sharegpt", _ABOVE),
}
_PRINTED = {
    1: """
    4.0 0.0 4.5 1.0 5.3 1.5 7.3 2.0 -1.4 -1.3 3.2
    1.2 0.6 3.4 0.6 5.1 3.4 9.2 4.4 -4.9 -2.8 3.3
    1.7 0.7 4.1 2.8 10.5 4.2 13.3 10.8 -7.5 -3.4 3.4
    5.0 2.1 10.6 4.0 16.0 11.4 14.3 15.4 -8.7 -4.2 3.4
    2.2 0.7 10.5 8.5 23.0 15.8 8.8 19.5 -13.7 -3.5 1.4
    3.6 7.4 20.0 15.7 27.5 20.1 6.9 23.9 -13.3 -3.5 -0.0
    """,
    2: """
    1.2 -1.2 4.1 1.8 6.5 4.2 8.8 6.6 -1.8 -4.2
    2.4 1.2 6.1 4.9 9.1 8.0 13.3 12.3 -4.8 -6.1
    3.9 1.3 7.1 4.7 14.3 12.0 22.1 20.0 -12.3 -15.3
    2.0 0.7 12.2 11.0 20.9 19.9 30.4 29.5 -12.2 -13.7
    4.3 2.2 16.4 14.6 29.3 27.7 33.6 32.1 -19.3 -21.9
    7.4 4.6 25.9 23.7 31.9 29.8 40.7 38.9 -19.3 -22.9
    """,
    3: """
    1.5 0.0 2.0 1.0 2.9 1.5 4.8 2.0 -4.0 -1.3 3.2
    0.4 0.6 2.7 0.6 4.4 3.4 8.6 4.4 -5.7 -2.8 3.3
    0.3 0.0 2.7 2.1 9.3 3.5 12.0 10.2 -9.0 -4.2 3.4
    4.7 1.2 10.4 3.1 15.7 10.6 14.1 14.6 -9.1 -5.2 3.4
    1.1 0.7 9.5 8.5 22.2 15.8 7.8 19.5 -14.9 -3.5 1.4
    2.4 6.1 19.0 14.6 26.6 19.0 5.7 22.8 -14.7 -5.0 -0.0
    """,
    4: """
    0.0 0.0 0.0 0.0 0.0 0.0 0.9 0.6 0.9 0.9
    0.7 0.0 0.7 0.2 0.9 1.5 1.4 2.0 2.7 2.3
    0.6 0.6 0.7 1.8 2.0 2.5 2.5 3.0 4.2 3.5
    0.7 1.3 2.1 2.9 4.9 3.6 8.1 4.2 10.0 4.7
    1.5 0.9 2.6 1.8 3.5 2.5 4.8 3.6 9.6 5.0
    0.9 0.7 3.6 1.7 4.3 2.9 5.1 3.6 9.0 6.9
    """,
    5: """
    0.0 0.0 0.0 0.0 0.0 0.0 0.9 0.6 0.9 0.9
    0.7 0.0 0.7 0.2 0.9 1.5 1.4 2.0 2.7 2.3
    0.6 0.6 0.7 1.8 2.0 2.5 2.5 3.0 4.2 3.5
    0.7 0.8 2.1 2.4 4.9 3.1 8.1 3.7 10.0 4.2
    0.8 0.3 2.0 1.2 2.9 2.0 4.1 3.0 9.0 4.5
    0.9 0.6 3.6 1.6 4.3 2.8 5.1 3.5 9.0 6.8
    """,
    6: """
    0.7 0.0 1.7 1.0 2.3 1.6 2.3 1.6 -3.5 -4.2
    1.1 1.0 1.9 1.8 2.6 2.5 3.1 3.0 -8.6 -8.7
    1.8 1.3 3.9 3.4 4.7 4.2 4.8 4.3 -15.6 -16.2
    1.9 1.1 4.7 3.9 6.0 5.2 4.7 3.9 -26.2 -27.2
    1.2 0.9 4.3 4.0 4.9 4.6 2.9 2.6 -39.3 -39.7
    2.2 1.8 6.5 6.1 7.9 7.6 3.3 3.0 -50.7 -51.2
    """,
}


def _table(number: int) -> PrintedTable:
    rows = (tuple(map(Fraction, line.split())) for line in _PRINTED[number].strip().splitlines())
    return PrintedTable(number, *_COLUMNS[number], tuple(rows))


TABLES = TABLE_1, TABLE_2, TABLE_3, TABLE_4, TABLE_5, TABLE_6 = tuple(map(_table, _PRINTED))

V1_HEADINGS = {200: 150, 300: 200}
"""What version 1 on arXiv has above the columns of Tables 1 and 3 that the other text heads with 200 and 300
ms."""


def under_v1_headings(table: PrintedTable) -> PrintedTable:
    """Return Table 1 or 3 under the headings of version 1 on arXiv: 50, 100, 150, 200 and 500 ms."""
    columns = [replace(column, xi_ms=V1_HEADINGS.get(column.xi_ms, column.xi_ms)) for column in table.columns]
    return replace(table, columns=tuple(columns))


TABLE_1_V1, TABLE_3_V1 = map(under_v1_headings, (TABLE_1, TABLE_3))
V1_TABLES = (TABLE_1_V1, TABLE_2, TABLE_3_V1, TABLE_4, TABLE_5, TABLE_6)

LRU_AT_1000_MS = {
    "wildchat": {"p50": 40, "p90": 240, "p95": 326, "p99": 505},
    "sharegpt": {"p50": 209, "p90": 1415, "p95": 2447, "p99": 3649},
}
"""Percentiles of TTFT under LRU at C = 1,000, in milliseconds, as the text gives them ("roughly")."""
