"""Whether Tables 1 to 6 can all be true as printed, whatever the workload: exact arithmetic on what is printed.

    python -m experiments.paper.consistency FINDINGS.csv [--most 2000]

1. *Common ratio.* Tables 1 and 3 (4 and 5) improve on LRU and on Threshold-LRU with the same runs of T-LRU. With
   t and s the two improvements, (1 - t) / (1 - s) is Threshold-LRU over LRU: one number for a capacity and a
   percentile, the same at every xi. The pairs of columns of Tables 2 and 6 have one for each capacity.
2. *Whole counts.* The numbers of Tables 2 and 6 are 1 - m / n with whole numbers of turns: n under LRU and k
   under Threshold-LRU, which do not depend on xi, and m under T-LRU, for each xi. Neither n nor k grows with the
   capacity: a larger LRU cache holds all that a smaller one does.
3. *Sentences.* What the text says of a table, looked up in that table; of Table 1 also under the headings of
   version 1 on arXiv.

A printed number stands for all that round to it: half a tenth to both sides, both ends included, so that every way
of rounding halves is allowed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from experiments.paper.printed import (
    CAPACITIES,
    TABLE_1,
    TABLE_1_V1,
    TABLE_2,
    TABLE_3,
    TABLE_4,
    TABLE_5,
    TABLE_6,
    Column,
    PrintedTable,
)
from experiments.tidy import write_rows

HALF_A_TENTH = Fraction(1, 20)
FINEST = Fraction(1, 100)
"""Steps in which the least slack is found, in points."""

MOST_TURNS = 2000
Flags = NDArray[np.bool_]


class Interval(NamedTuple):
    """All numbers from `low` to `high`."""

    low: Fraction
    high: Fraction


class Pair(NamedTuple):
    """Two improvements of the same T-LRU run, in per cent: on LRU and on Threshold-LRU."""

    on_lru: Fraction
    on_threshold: Fraction


@dataclass(frozen=True)
class Finding:
    """What a check found in one place.

    Attributes
    ----------
    check : {"common ratio", "whole counts", "sentence"}
        Which one.
    tables : str
        Numbers of the tables, and the edition where it is not the text whose footer names PMLR 267.
    capacity : int
        In tokens; 0 for all of them together.
    metric : str
        As for `Column`.
    agrees : bool
        Whether the printed numbers can be true together.
    detail : str
        The numbers behind it.
    """

    check: str
    tables: str
    capacity: int
    metric: str
    agrees: bool
    detail: str


def rest(improvement: Fraction, slack: Fraction = HALF_A_TENTH) -> Interval:
    """Return 1 - p / 100 for all p within `slack` of a printed improvement."""
    return Interval(1 - (improvement + slack) / 100, 1 - (improvement - slack) / 100)


def ratio(pair: Pair, slack: Fraction = HALF_A_TENTH) -> Interval:
    """Return Threshold-LRU over LRU as a pair of improvements leaves it open."""
    over_lru, over_threshold = rest(pair.on_lru, slack), rest(pair.on_threshold, slack)
    if over_threshold.low <= 0:
        raise ValueError(f"improvement: {pair.on_threshold} %, expected less than 100 % by more than {slack}")
    return Interval(over_lru.low / over_threshold.high, over_lru.high / over_threshold.low)


def common_ratio(pairs: Iterable[Pair], slack: Fraction = HALF_A_TENTH) -> Interval | None:
    """Return what all pairs leave open together, None where that is nothing."""
    intervals = [ratio(pair, slack) for pair in pairs]
    low, high = max(one.low for one in intervals), min(one.high for one in intervals)
    return Interval(low, high) if low <= high else None


def least_slack(pairs: Sequence[Pair]) -> Fraction:
    """Return by how much the printed numbers must be wrong at least for a common ratio, to 0.01 points above."""
    slack = Fraction(0)
    while common_ratio(pairs, slack) is None:
        slack += FINEST
    return slack


def culprits(pairs: Sequence[Pair]) -> list[int]:
    """Return the places of the pairs without any one of which the others have a common ratio."""
    return [i for i in range(len(pairs)) if common_ratio([*pairs[:i], *pairs[i + 1 :]]) is not None]


def paired(on_lru: PrintedTable, on_threshold: PrintedTable, metric: str, capacity: int) -> dict[int, Pair]:
    """Return the pairs of one metric and capacity by the threshold in the heading."""
    columns = [c for c in on_lru.columns if c.metric == metric and c.against == "lru"]
    return {
        c.xi_ms: Pair(
            on_lru.at(capacity, c), on_threshold.at(capacity, Column(c.xi_ms, c.metric, "threshold-lru"))
        )
        for c in columns
    }


def ratio_findings(on_lru: PrintedTable, on_threshold: PrintedTable) -> list[Finding]:
    """Check a table against the one with the same runs, which may be itself, at each capacity and metric."""
    metrics = dict.fromkeys(column.metric for column in on_lru.columns)
    numbers = " and ".join(dict.fromkeys((str(on_lru.number), str(on_threshold.number))))
    return [
        _ratio_finding(numbers, capacity, metric, paired(on_lru, on_threshold, metric, capacity))
        for metric, capacity in product(metrics, CAPACITIES)
    ]


def _ratio_finding(tables: str, capacity: int, metric: str, pairs: dict[int, Pair]) -> Finding:
    values = list(pairs.values())
    common = common_ratio(values)
    if common is not None:
        detail = f"Threshold-LRU / LRU from {float(common.low):.5f} to {float(common.high):.5f}"
        return Finding("common ratio", tables, capacity, metric, True, detail)
    at = [f"xi = {list(pairs)[i]} ms" for i in culprits(values)]
    each = "; ".join(
        f"{xi} ms: {float(one.low):.5f} to {float(one.high):.5f}"
        for xi, one in ((xi, ratio(pair)) for xi, pair in pairs.items())
    )
    without = " or ".join(at) if at else "no single one"
    slack = f"{float(least_slack(values)):.2f}"
    return Finding(
        "common ratio", tables, capacity, metric, False, f"agrees without {without}, or with slack {slack}; {each}"
    )


def reachable(pairs: Iterable[Pair], most: int) -> Flags:
    """Return which counts can be behind the pairs of one capacity.

    Parameters
    ----------
    pairs : iterable of Pair
        For each threshold.
    most : int
        Largest count looked at.

    Returns
    -------
    ndarray of bool, shape (most + 1, most + 1)
        For n under LRU and k under Threshold-LRU, whether each threshold has a whole count m such that 1 - m / n
        and 1 - m / k are printed as they are.
    """
    counts = np.arange(most + 1, dtype=np.int64)
    possible = np.ones((most + 1, most + 1), np.bool_)
    possible[0, :] = possible[:, 0] = False
    for pair in pairs:
        (low, high), (least, largest) = (_whole(improvement, counts) for improvement in pair)
        possible &= np.maximum(low[:, None], least) <= np.minimum(high[:, None], largest)
    return possible


def _whole(improvement: Fraction, counts: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the least and the largest whole m with 1 - m / n within rounding of the improvement, for each n."""
    left = rest(improvement)
    least = -((-counts * left.low.numerator) // left.low.denominator)
    return least, counts * left.high.numerator // left.high.denominator


def never_growing(possible: Sequence[Flags]) -> list[Flags]:
    """Return which counts are left where neither may grow from one capacity to the next."""
    left = list(possible)
    for i in range(1, len(left)):
        left[i] = left[i] & _some_at_least(left[i - 1])
    for i in reversed(range(len(left) - 1)):
        left[i] = left[i] & _some_at_least(left[i + 1][::-1, ::-1])[::-1, ::-1]
    return left


def _some_at_least(flags: Flags) -> Flags:
    """Return for each place whether a flag stands there or further on in both directions."""
    turned = flags[::-1, ::-1]
    reached: Flags = np.logical_or.accumulate(np.logical_or.accumulate(turned, axis=0), axis=1)[::-1, ::-1]
    return reached


def count_findings(table: PrintedTable, most: int = MOST_TURNS) -> list[Finding]:
    """Check a table of counts at each capacity, and all capacities together."""
    possible = [reachable(paired(table, table, "above", c).values(), most) for c in CAPACITIES]
    number = str(table.number)
    findings = [
        Finding("whole counts", number, capacity, "above", bool(flags.any()), _counts_said(flags, most))
        for capacity, flags in zip(CAPACITIES, possible, strict=True)
    ]
    together = never_growing(possible)
    said = "; ".join(f"{c}: {_counts_said(flags, most)}" for c, flags in zip(CAPACITIES, together, strict=True))
    return [*findings, Finding("whole counts", number, 0, "above", all(f.any() for f in together), said)]


def _counts_said(possible: Flags, most: int) -> str:
    counts = np.flatnonzero(possible.any(axis=1))
    if not len(counts):
        return f"no n up to {most}"
    pair = np.argwhere(possible)[0]
    return f"n from {counts[0]}, {len(counts)} values up to {most}, smallest with k = {pair[1]}"


def best_heading(table: PrintedTable, metric: str, capacity: int) -> list[int]:
    """Return the headings, in milliseconds, under which a table prints its largest improvement on LRU."""
    columns = [c for c in table.columns if c.metric == metric and c.against == "lru"]
    most = max(table.at(capacity, c) for c in columns)
    return [c.xi_ms for c in columns if table.at(capacity, c) == most]


def largest(table: PrintedTable, metric: str, xi_ms: int | None = None) -> list[Fraction]:
    """Return a metric's improvements on LRU at all capacities, at one heading or all, from smallest to largest."""
    columns = [c for c in table.columns if c.metric == metric and c.against == "lru" and xi_ms in (None, c.xi_ms)]
    return sorted(table.at(capacity, c) for capacity, c in product(CAPACITIES, columns))


def peak_findings(table: PrintedTable, edition: str) -> list[Finding]:
    """Look up Section 4.2's best thresholds at C = 1,000, of those that the table has a column for."""
    headings = {column.xi_ms for column in table.columns}
    return [
        _sentence(f"xi = {xi} ms is best for {metric.upper()} at C = 1000", edition, metric, 1000, [xi], found)
        for metric, xi in (("p90", 200), ("p95", 300))
        if xi in headings
        for found in [best_heading(table, metric, 1000)]
    ]


def sentence_findings() -> list[Finding]:
    """Look up the sentences of Sections 4.2 and 4.3, the best thresholds under the headings of both editions."""
    most = [
        _sentence(f"{metric.upper()} falls by up to {up_to} %", "1", metric, 0, up_to, found)
        for metric, up_to in (("p90", 27.5), ("p95", 23.9))
        for found in [float(largest(TABLE_1, metric)[-1])]
    ]
    violations = largest(TABLE_2, "above", 200)
    ends = [float(violations[0]), float(violations[-1])]
    fewer = _sentence("at xi = 200 ms 8.8 to 40.7 % fewer violations", "2", "above", 0, [8.8, 40.7], ends)
    return [*peak_findings(TABLE_1, "1"), *most, *peak_findings(TABLE_1_V1, "1 of version 1"), fewer]


def _sentence(said: str, tables: str, metric: str, capacity: int, expected: object, found: object) -> Finding:
    return Finding("sentence", tables, capacity, metric, expected == found, f"{said}; printed: {found}")


def all_findings(most: int = MOST_TURNS) -> list[Finding]:
    """Run every check."""
    pairs = ((TABLE_1, TABLE_3), (TABLE_2, TABLE_2), (TABLE_4, TABLE_5), (TABLE_6, TABLE_6))
    ratios = [finding for two in pairs for finding in ratio_findings(*two)]
    return [*ratios, *count_findings(TABLE_2, most), *count_findings(TABLE_6, most), *sentence_findings()]


def show(findings: Sequence[Finding], write: Callable[[str], object]) -> None:
    """Write how many places of each check agree, and every one that does not."""
    groups = dict.fromkeys((finding.check, finding.tables) for finding in findings)
    for check, tables in groups:
        of = [finding for finding in findings if (finding.check, finding.tables) == (check, tables)]
        write(f"{check}, Table {tables}: {sum(f.agrees for f in of)} of {len(of)} agree\n")
        for finding in of:
            if not finding.agrees or not finding.capacity:
                verdict = "agrees" if finding.agrees else "disagrees"
                write(f"  {verdict}: C = {finding.capacity or 'all'}, {finding.metric}: {finding.detail}\n")


def main(arguments: Sequence[str]) -> None:
    """Check, write and show."""
    parser = argparse.ArgumentParser(prog="python -m experiments.paper.consistency")
    parser.add_argument("findings", type=Path)
    parser.add_argument("--most", type=int, default=MOST_TURNS, help="largest count of turns that is tried")
    given = parser.parse_args(arguments)
    findings = all_findings(given.most)
    write_rows(findings, given.findings, Finding)
    show(findings, sys.stdout.write)


if __name__ == "__main__":
    main(sys.argv[1:])
