"""What the tables of adaptive thresholds and of the median against the tail say, as Markdown.

    python -m experiments.adaptive_report adaptive_threshold.csv pareto_front.csv

Prints the tables of docs/adaptive.md: improvements over LRU in per cent with half the width of their 95 %
intervals, the share of the grid at which each is best, and regrets against the best fixed threshold in hindsight.
"""

from __future__ import annotations

import csv
import math
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

Rows: TypeAlias = list[dict[str, str]]
Group: TypeAlias = tuple[str, str]
WINDOW = "500"
SHARE = "0.8"
LITERAL = "1.0"
PERCENTILES = {"0.9": "p90", "0.95": "p95", "0.99": "p99"}


def read(path: Path) -> dict[Group, Rows]:
    """Return the rows of a tidy table by workload and capacity."""
    groups: dict[Group, Rows] = {}
    with path.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            groups.setdefault((row["workload"], row["capacity"]), []).append(row)
    return groups


def select(rows: Rows, measure: str, policy: str, share: str = "", quantile: str = "0.95") -> Rows:
    """Return the rows of a policy; of adaptive T-LRU those of a percentile with the plain window."""
    found = [row for row in rows if (row["measure"], row["policy"]) == (measure, policy)]
    if policy == "adaptive":
        found = [row for row in found if (row["quantile"], row["window"]) == (quantile, WINDOW)]
    return [row for row in found if share in ("", row["share"])]


def shown(row: dict[str, str], digits: int = 1) -> str:
    """Return a mean and half the width of its interval."""
    half = float(row["high"]) - float(row["mean"])
    margin = "" if math.isnan(half) else f" ± {half:,.{digits}f}"
    return f"{float(row['mean']):,.{digits}f}{margin}"


def best(rows: Rows) -> dict[str, str]:
    """Return the row with the largest mean."""
    return max(rows, key=lambda row: float(row["mean"]))


def improvement_lines(groups: dict[Group, Rows], measure: str) -> Iterator[str]:
    """Yield the table of a measure under policies that look at P95."""
    yield "| workload | C | best fixed | literal, share 1 | share 0.8 | best share | at | regret at 0.8 (tokens) |"
    yield "|---|---|---|---|---|---|---|---|"
    for (workload, capacity), rows in groups.items():
        name = f"improvement-{measure}"
        (fixed,) = select(rows, name, "best-fixed")
        (literal,) = select(rows, name, "adaptive", LITERAL)
        (plain,) = select(rows, name, "adaptive", SHARE)
        (regret,) = select(rows, f"regret-{measure}", "adaptive", SHARE)
        top = best(select(rows, name, "adaptive"))
        cells = [shown(fixed), shown(literal), shown(plain), shown(top), top["share"], shown(regret, 0)]
        yield f"| {workload} | {int(capacity):,} | {' | '.join(cells)} |"


def share_lines(groups: dict[Group, Rows]) -> Iterator[str]:
    """Yield where fixed and adaptive thresholds are best, each percentile under a policy that looks at it."""
    columns = ("fixed, of LRU's P95", "of the P95 it reaches", "P90", "P95", "P99", "median at 0.8", "TEL at 0.8")
    yield f"| workload | C | {' | '.join(columns)} |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for (workload, capacity), rows in groups.items():
        tops = [
            best(select(rows, f"improvement-{measure}", "adaptive", quantile=quantile))["share"]
            for quantile, measure in PERCENTILES.items()
        ]
        fixed = best(select(rows, "improvement-p95", "fixed"))
        reached = float(fixed["share"]) / (1 - float(fixed["mean"]) / 100)
        others = [
            shown(select(rows, f"improvement-{measure}", "adaptive", SHARE)[0]) for measure in ("p50", "tel")
        ]
        cells = [fixed["share"], f"{reached:.2f}", *tops, *others]
        yield f"| {workload} | {int(capacity):,} | {' | '.join(cells)} |"


def window_lines(groups: dict[Group, Rows]) -> Iterator[str]:
    """Yield the improvement in the P95 of blocks by window, at one share."""
    windows = ("100", "200", "500", "1000")
    yield f"| workload | C | {' | '.join(windows)} |"
    yield "|---|---|---|---|---|---|"
    for (workload, capacity), rows in groups.items():
        found = {
            row["window"]: shown(row)
            for row in rows
            if (row["measure"], row["policy"], row["share"], row["quantile"])
            == ("improvement-blocks", "adaptive", SHARE, "0.95")
        }
        yield f"| {workload} | {int(capacity):,} | {' | '.join(found[window] for window in windows)} |"


def front_lines(groups: dict[Group, Rows]) -> Iterator[str]:
    """Yield of each front its ends and how many settings are on it; round-robin."""
    yield "| workload | C | on the front | first margin | P50 | P95 | margin of the least P95 | P50 | P95 |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for (workload, capacity), rows in groups.items():
        path = [row for row in rows if row["trim"] == "round-robin"]
        front = sorted((row for row in path if row["front"] == "1"), key=lambda row: float(row["p50"]))
        ends = [
            f"{row['margin']} | {float(row['p50_of_lru']):.1f} | {float(row['p95_of_lru']):.1f}"
            for row in (front[0], front[-1])
        ]
        yield f"| {workload} | {int(capacity):,} | {len(front)} of {len(path)} | {' | '.join(ends)} |"


def main(arguments: Sequence[str]) -> None:
    """Print the tables."""
    if len(arguments) != 2:
        sys.exit("usage: python -m experiments.adaptive_report ADAPTIVE_THRESHOLD.csv PARETO_FRONT.csv")
    adaptive, pareto = (read(Path(name)) for name in arguments)
    parts = (
        improvement_lines(adaptive, "blocks"),
        improvement_lines(adaptive, "p95"),
        share_lines(adaptive),
        window_lines(adaptive),
        front_lines(pareto),
    )
    for part in parts:
        sys.stdout.write("\n".join(part) + "\n\n")


if __name__ == "__main__":
    main(sys.argv[1:])
