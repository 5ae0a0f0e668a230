"""What the paper's Tables 1 and 4 say by themselves about the best threshold (Section 4.2, Appendix G.2).

The tables are read as printed, in per cent, so these rows need no experiment and decide nothing about one: they
hold the text against the paper's own numbers. Thresholds and percentiles are in milliseconds.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from teltheory.claims.claim import Unshrunk, Values, claim
from teltheory.claims.worlds import Given

THRESHOLDS = (50, 100, 200, 300, 500)
TABLE_1 = {
    1000: {"P90": "4.0 4.5 5.3 7.3 -1.4", "P95": "0.0 1.0 1.5 2.0 -1.3"},
    2000: {"P90": "1.2 3.4 5.1 9.2 -4.9", "P95": "0.6 0.6 3.4 4.4 -2.8"},
    4000: {"P90": "1.7 4.1 10.5 13.3 -7.5", "P95": "0.7 2.8 4.2 10.8 -3.4"},
    6000: {"P90": "5.0 10.6 16.0 14.3 -8.7", "P95": "2.1 4.0 11.4 15.4 -4.2"},
    8000: {"P90": "2.2 10.5 23.0 8.8 -13.7", "P95": "0.7 8.5 15.8 19.5 -3.5"},
    10000: {"P90": "3.6 20.0 27.5 6.9 -13.3", "P95": "7.4 15.7 20.1 23.9 -3.5"},
}
TABLE_4_FIRST_ROW = {1000: {"P90": "0.0 0.0 0.0 0.9 0.9", "P95": "0.0 0.0 0.0 0.6 0.9"}}
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
    improvements : tuple of Fraction
        T-LRU over LRU in per cent, one for each of `THRESHOLDS`.
    lru : int
        What the text gives for the percentile under LRU.
    """

    table: str
    capacity: int
    percentile: str
    improvements: tuple[Fraction, ...]
    lru: int

    @property
    def best(self) -> list[int]:
        """The thresholds of the largest improvement."""
        most = max(self.improvements)
        return [xi for xi, found in zip(THRESHOLDS, self.improvements, strict=True) if found == most]

    @property
    def near(self) -> list[int]:
        """The threshold nearest to the percentile under LRU, and its neighbours on the grid."""
        k = min(range(len(THRESHOLDS)), key=lambda k: abs(THRESHOLDS[k] - self.lru))
        return list(THRESHOLDS[max(k - 1, 0) : k + 2])

    def size(self) -> tuple[Any, ...]:
        """Return the order of the tables, capacities and percentiles."""
        return (self.table, self.capacity, self.percentile)

    def measures(self) -> dict[str, int]:
        """Return the capacity."""
        return {"capacity": self.capacity}

    def as_counterexample(self, values: Values) -> dict[str, Any]:
        """Return the row as printed and what is compared."""
        printed = {str(xi): f"{float(p)}" for xi, p in zip(THRESHOLDS, self.improvements, strict=True)}
        where = {"table": self.table, "capacity": self.capacity, "percentile": self.percentile}
        return {**where, "improvement by xi": printed, "values": dict(values)}


def rows_of(table: str, printed: dict[int, dict[str, str]], lru: dict[str, int]) -> tuple[Row, ...]:
    """Return the rows of a table for C = 1,000, of which the text gives the percentiles under LRU."""
    return tuple(
        Row(table, 1000, percentile, tuple(map(Fraction, printed[1000][percentile].split())), lru[percentile])
        for percentile in lru
    )


WILDCHAT = rows_of("Table 1", TABLE_1, {"P90": 240, "P95": 326})
SHAREGPT = rows_of("Table 4", TABLE_4_FIRST_ROW, {"P90": 1415, "P95": 2447})
SENTENCE = {"P90": 200, "P95": 300}
SOURCE = "Section 4.2, sensitivity to the threshold, and Table 1"


def named_by_the_text(case: Row) -> Values:
    """Return the best thresholds of a row, and the one that the text names."""
    return {BEST: case.best, NAMED: [SENTENCE[case.percentile]]}


def same(values: Values) -> bool:
    """Whether the thresholds are the same."""
    return bool(values[BEST] == values[NAMED])


@claim(
    "sensitivity.text",
    SOURCE,
    "At C = 1,000 xi = 200 ms improves P90 most and xi = 300 ms P95, as the text says, in Table 1 as printed.",
    relation=same,
    space=Given(WILDCHAT, "Table 1, C = 1,000: P90 and P95"),
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
)
def text_on_p95(case: Row) -> Values:
    """Compare the text with the table."""
    return named_by_the_text(case)


@claim(
    "sensitivity.peak.printed",
    "Section 4.2 with Table 1, Appendix G.2 with Table 4",
    "At C = 1,000 the best xi of Tables 1 and 4 as printed is the grid value nearest to the percentile under LRU "
    "that the text gives, or a neighbour of it.",
    relation=lambda values: set(values[BEST]) <= set(values["nearest xi and neighbours"]),
    space=Given((*WILDCHAT, *SHAREGPT), "C = 1,000, P90 and P95, of Tables 1 and 4"),
)
def near_the_percentile(case: Row) -> Values:
    """Look for the best thresholds among those near the percentile."""
    return {BEST: case.best, "nearest xi and neighbours": case.near}


if __name__ == "__main__":
    from teltheory.cli import main

    main(["verify", "--section", "printed_tables"])
