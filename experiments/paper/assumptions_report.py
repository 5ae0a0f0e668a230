"""What the assumptions that were tried give, as the Markdown tables of docs/workloads.md."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from experiments.markdown import heading, line

Row = Mapping[str, Any]
PERCENTILES = ("p50", "p90", "p95", "p99")
NEAREST = 6
FROZEN_GAPS = "exponential 400 s"
FROZEN_BOUND = "more than 10 turns left out"


def chosen_lines(rows: Sequence[Row]) -> Iterator[str]:
    """Yield how many settings are within the tolerance, the nearest ones, and two slices of WildChat's grid."""
    yield f"{len(rows)} settings, {sum(row['within'] for row in rows)} within"
    axes = [name for name in rows[0] if name not in (*PERCENTILES, "distance", "within")]
    nearest = sorted(rows, key=_distance)
    yield from _table("nearest", axes, ((row, [row[axis] for axis in axes]) for row in nearest[:NEAREST]))
    if "gaps" in axes:
        at_bound = [row for row in rows if bound(row) == FROZEN_BOUND]
        yield from _table(FROZEN_BOUND, ["gaps"], ((row, [row["gaps"]]) for row in at_bound))
        at_gaps = [row for row in nearest if row["gaps"] == FROZEN_GAPS]
        yield from _table(f"gaps {FROZEN_GAPS}", ["bound"], ((row, [bound(row)]) for row in at_gaps))


def bound(row: Row) -> str:
    """Return in words how long conversations are bounded."""
    return (
        f"cut after {row['longest']}" if row["longer"] == "cut" else f"more than {row['longest']} turns left out"
    )


def changed_lines(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the table of changes: percentiles, and for each of the paper's tables signs, cells inside and RMSE."""
    tables = [name.removesuffix(" rmse") for name in rows[0] if name.endswith(" rmse")]
    yield from heading(["changed", "turns", *map(str.upper, PERCENTILES), "within", *map(str.capitalize, tables)])
    for row in rows:
        fits = [f"{row[f'{t} signs']}, {row[f'{t} inside']}, {row[f'{t} rmse']:.1f}" for t in tables]
        yield line([row["changed"], f"{row['turns']:,}", *_percentiles(row), _yes(row["within"]), *fits])


def _table(what: str, columns: Sequence[str], rows: Iterable[tuple[Row, Sequence[Any]]]) -> Iterator[str]:
    yield f"\n{what}:\n"
    yield from heading([*columns, *map(str.upper, PERCENTILES), "distance", "within"])
    for row, labels in rows:
        yield line([*labels, *_percentiles(row), f"{row['distance']:.3f}", _yes(row["within"])])


def _distance(row: Row) -> float:
    return float(row["distance"])


def _percentiles(row: Row) -> list[str]:
    return [f"{row[name]:,.0f}" for name in PERCENTILES]


def _yes(true: bool) -> str:
    return "yes" if true else "no"
