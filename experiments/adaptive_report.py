"""What the tables of adaptive thresholds and of the median against the tail say, as Markdown.

    python -m experiments.adaptive_report adaptive_threshold.csv pareto_front.csv

Prints the tables of docs/adaptive.md: improvements over LRU in per cent with half the width of their 95 %
intervals, the share of the grid at which each is best, and regrets against the best fixed threshold in hindsight.
"""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from teltheory.paper.rows import Adapted, MarginRow
from teltheory.paper.script import markdown, run
from teltheory.paper.tidy import grouped, read_rows

WINDOW, WINDOWS = 500, (100, 200, 500, 1000)
SHARE, LITERAL = 0.8, 1.0
PERCENTILES = {0.9: "p90", 0.95: "p95", 0.99: "p99"}
R = TypeVar("R", Adapted, MarginRow)


def select(
    rows: list[Adapted], measure: str, policy: str, share: float | None = None, quantile: float = 0.95
) -> list[Adapted]:
    """Return the rows of a policy; of adaptive T-LRU those of a percentile with the plain window."""
    found = [row for row in rows if (row.measure, row.policy) == (measure, policy)]
    if policy == "adaptive":
        found = [row for row in found if (row.quantile, row.window) == (quantile, WINDOW)]
    return [row for row in found if share in (None, row.share)]


def shown(row: Adapted, digits: int = 1) -> str:
    """Return a mean and half the width of its interval."""
    margin = "" if math.isnan(row.high) else f" ± {row.half:,.{digits}f}"
    return f"{row.mean:,.{digits}f}{margin}"


def best(rows: list[Adapted]) -> Adapted:
    """Return the row with the largest mean."""
    return max(rows, key=lambda row: row.mean)


def improvements(rows: list[Adapted], measure: str) -> list[object]:
    """Return a measure's improvements under policies that look at P95."""
    name = f"improvement-{measure}"
    (fixed,) = select(rows, name, "best-fixed")
    (literal,) = select(rows, name, "adaptive", LITERAL)
    (plain,) = select(rows, name, "adaptive", SHARE)
    (regret,) = select(rows, f"regret-{measure}", "adaptive", SHARE)
    top = best(select(rows, name, "adaptive"))
    return [shown(fixed), shown(literal), shown(plain), shown(top), top.share, shown(regret, 0)]


def shares(rows: list[Adapted]) -> list[object]:
    """Return where fixed and adaptive thresholds are best, each percentile under a policy that looks at it."""
    tops = [
        best(select(rows, f"improvement-{measure}", "adaptive", quantile=quantile)).share
        for quantile, measure in PERCENTILES.items()
    ]
    fixed = best(select(rows, "improvement-p95", "fixed"))
    reached = fixed.share / (1 - fixed.mean / 100)
    others = [shown(select(rows, f"improvement-{name}", "adaptive", SHARE)[0]) for name in ("p50", "tel")]
    return [fixed.share, f"{reached:.2f}", *tops, *others]


def windows(rows: list[Adapted]) -> list[object]:
    """Return the improvement in the P95 of blocks by window, at one share."""
    wanted = ("improvement-blocks", "adaptive", SHARE, 0.95)
    found = {
        row.window: shown(row) for row in rows if (row.measure, row.policy, row.share, row.quantile) == wanted
    }
    return [found[window] for window in WINDOWS]


def ends(rows: list[MarginRow]) -> list[object]:
    """Return how many settings are on a front, and its ends; round-robin."""
    path = [row for row in rows if row.trim == "round-robin"]
    front = sorted((row for row in path if row.front), key=lambda row: row.p50)
    sides = [(row.margin, f"{row.p50_of_lru:.1f}", f"{row.p95_of_lru:.1f}") for row in (front[0], front[-1])]
    return [f"{len(front)} of {len(path)}", *sides[0], *sides[1]]


PLACE = ("workload", "C")
IMPROVED = ("best fixed", "literal", "share 0.8", "best share", "at", "regret, tokens")
BEST = ("fixed, of LRU's P95", "of the P95 it reaches", "P90", "P95", "P99", "median at 0.8", "TEL at 0.8")
ENDS = ("on front", "first margin", "P50", "P95", "last margin", "P50", "P95")


def main(adaptive_threshold: str, pareto_front: str) -> Iterator[str]:
    """Yield the tables, an empty line after each."""
    of = list(_by_place(read_rows(Path(adaptive_threshold), Adapted)))
    tables = (
        (IMPROVED, [(*place, *improvements(rows, "blocks")) for place, rows in of]),
        (IMPROVED, [(*place, *improvements(rows, "p95")) for place, rows in of]),
        (BEST, [(*place, *shares(rows)) for place, rows in of]),
        (WINDOWS, [(*place, *windows(rows)) for place, rows in of]),
        (ENDS, [(*place, *ends(rows)) for place, rows in _by_place(read_rows(Path(pareto_front), MarginRow))]),
    )
    for columns, cells in tables:
        yield from markdown((*PLACE, *columns), cells)
        yield ""


def _by_place(table: Sequence[R]) -> Iterator[tuple[tuple[str, str], list[R]]]:
    for (workload, capacity), rows in grouped(table, ("workload", "capacity")).items():
        yield (workload, f"{capacity:,}"), rows


if __name__ == "__main__":
    run(main, __doc__)
