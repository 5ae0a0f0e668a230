"""Tables for the terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import groupby
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from teltheory.cli.options import Thresholds
from teltheory.report.words import evidence_text
from teltheory.sweep import Cell

STYLES = {
    "holds": "green",
    "refuted": "yellow",
    "reproduced": "green",
    "not reproduced": "yellow",
    "not decidable here": "dim",
    "undecided": "red",
    "error": "red",
}
MEASURES = ("P50 s", "P90 s", "P95 s", "P99 s", "slow", "TEL", "vs LRU", "regret", "closed")


def cells_tables(capacity: int, cells: Sequence[Cell], thresholds: Thresholds) -> Iterator[Table]:
    """Yield a table for each threshold at one capacity."""
    for xi, section in groupby(cells, key=lambda cell: cell.xi):
        table = plain_table(f"Capacity {capacity:,} tokens, threshold {thresholds.label(xi)}")
        table.add_column("policy", no_wrap=True)
        for name in MEASURES:
            table.add_column(name, justify="right", no_wrap=True)
        for cell in section:
            table.add_row(*cell_row(cell))
        yield table


def plain_table(title: str) -> Table:
    """Return a table without lines between its columns."""
    return Table(title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False, padding=(0, 0, 0, 1))


def cell_row(cell: Cell) -> list[str]:
    """Return a cell's policy and its measures as text."""
    quantiles = (cell.p50, cell.p90, cell.p95, cell.p99)
    percentiles = [_seconds(value) for value in quantiles]
    distance = [f"{cell.tel:,}", _percent(cell.change), f"{cell.regret:,}", _percent(cell.closed)]
    return [cell.policy, *percentiles, f"{cell.violations:,}", *distance]


def curve_tables(rows: Sequence[dict[str, Any]], thresholds: Thresholds) -> Iterator[Table]:
    """Yield a table for each threshold: capacities, and the policies at each."""
    for xi in thresholds.xis:
        section = sorted((row for row in rows if row["xi"] == xi), key=lambda row: row["capacity"])
        table = Table(
            title=f"Threshold {thresholds.label(xi)}", title_justify="left", box=SIMPLE_HEAD, pad_edge=False
        )
        table.add_column("capacity", justify="right", no_wrap=True)
        table.add_column("policy", no_wrap=True)
        for name in ("P50 s", "P90 s", "P95 s", "P99 s", "slow", "TEL", "vs no cache"):
            table.add_column(name, justify="right", no_wrap=True)
        for _, at_capacity in groupby(section, key=lambda row: row["capacity"]):
            for i, row in enumerate(at_capacity):
                table.add_row("" if i else f"{row['capacity']:,}", *_curve_row(row))
        yield table


def _curve_row(row: dict[str, Any]) -> list[str]:
    percentiles = [_seconds(row[name]) for name in ("p50", "p90", "p95", "p99")]
    change = Fraction(row["tel"] - row["uncached_tel"], row["uncached_tel"]) if row["uncached_tel"] else None
    slow = "" if row["violations"] is None else f"{row['violations']:,}"
    return [row["policy"], *percentiles, slow, f"{row['tel']:,}", _percent(change)]


def _seconds(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _percent(value: Fraction | None) -> str:
    return "" if value is None else f"{round(float(value) * 100, 1) + 0.0:.1f} %"


def ledger_table(rows: Sequence[dict[str, Any]]) -> Table:
    """Return the ledger: beside each verdict the claim, its statement, what decides it and what was tried."""
    counts = Counter(row["verdict"] for row in rows)
    total = ", ".join(f"{verdict} {n:,}" for verdict, n in counts.items()) if len(rows) > 1 else None
    table = Table(title="The ledger", caption=total, box=None, show_header=False, padding=(0, 2, 1, 0))
    table.title_justify = table.caption_justify = "left"
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for row in rows:
        table.add_row(Text(row["verdict"], STYLES[row["verdict"]]), _claim_text(row))
    return table


def _claim_text(row: dict[str, Any]) -> Text:
    problem, evidence = row.get("problem"), evidence_text(row)
    label = "counterexample" if row["counterexample"] is not None else "counts"
    told = [problem] if problem else [f"{label}: {evidence}"] if evidence else []
    tried = [scope_text(row["scope"])] if row["scope"]["instances"] else []
    return Text.assemble((row["id"], "bold"), *("\n" + line for line in (row["statement"], *told, *tried)))


def scope_text(scope: dict[str, Any]) -> str:
    """Return a scope in a few words."""
    proved = f"proved: {scope['bounds']['proof']['covers']}; " if scope["kind"] == "proved" else ""
    campaign = scope["bounds"].get("campaign")
    more = "" if campaign is None else f"; {campaign['instances']:,} in a campaign"
    return proved + _tried_text(scope) + more


def _tried_text(scope: dict[str, Any]) -> str:
    bounds, tried = scope["bounds"], scope["instances"]
    instances = f"{tried:,} instance{'s' if tried != 1 else ''}"
    if "stopped_at" in bounds:
        return f"exhaustive, {instances} up to this size"
    if "what" in bounds:
        return f"exhaustive, {instances}: {bounds['what']}"
    if "cases" in bounds:
        return str(bounds["cases"])
    if scope["kind"] == "sampled":
        return f"sampled, {instances}, then shrunk"
    text = f"exhaustive, {instances} of up to {list(bounds['tokens_by_turns'])[-1]} turns"
    return text + (f"; {bounds['sampled']['instances']:,} sampled" if "sampled" in bounds else "")


def optima_table(rows: Sequence[dict[str, Any]], thresholds: Thresholds) -> Table:
    """Return the hindsight optima, a row for each capacity and threshold; where a solver was asked, both sides."""
    asked = any(row["bound"] is not None or row["status"] != "optimal" for row in rows)
    table = _by_capacity("Hindsight optimum", "threshold")
    ours = ("incumbent", "bound", "gap", "status") if asked else ("optimal TEL",)
    for name in (*ours, "LRU's TEL", "vs LRU", "method"):
        table.add_column(name, justify="right", no_wrap=name != "status")
    for row in rows:
        sides = [_tenths(row[name]) for name in ("incumbent", "bound", "gap")]
        best, lru = row["optimum"], row["lru"]
        found = (*sides, escape(row["status"])) if asked else (f"{best:,}",)
        change = Fraction(best - lru, lru) if lru and best is not None else None
        compared = (f"{lru:,}", _percent(change), row["method"])
        table.add_row(f"{row['capacity']:,}", thresholds.label(row["xi"]), *found, *compared)
    return table


def violations_table(rows: Sequence[dict[str, Any]], thresholds: Thresholds) -> Table:
    """Return the fewest violations, a row for each capacity and threshold."""
    table = _by_capacity("Fewest violations", "threshold")
    for name in ("LRU", "T-LRU", "found", "lower", "proved", "gap", "of\navoidable", "status", "time s"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        counts = [f"{row[name]:,}" for name in ("lru", "tlru", "violations", "lower", "proved")]
        gaps = [_hundredths(row[name]) for name in ("gap", "gap_of_avoidable")]
        ended = (row["status"], f"{row['seconds']:.1f}")
        table.add_row(f"{row['capacity']:,}", thresholds.label(row["xi"]), *counts, *gaps, *ended)
    return table


def percentiles_table(rows: Sequence[dict[str, Any]], name: str, thresholds: Thresholds) -> Table:
    """Return the smallest percentiles: a row in tokens and one in seconds for each capacity."""
    table = _by_capacity(f"Smallest {name} of uncached tokens", "unit")
    for column in ("LRU", "T-LRU", "its threshold", "found", "lower", "proved", "gap", "status", "time s"):
        table.add_column(column, justify="right", no_wrap=True)
    for row in rows:
        lru, tlru, found, lower = (f"{row[key]:,}" for key in ("lru", "tlru", "percentile", "lower"))
        ended = (f"{row['proved']:,}", _hundredths(row["gap"]), row["status"], f"{row['seconds']:.1f}")
        xi = thresholds.slos[row["tlru_xi"]].text
        table.add_row(f"{row['capacity']:,}", "tokens", lru, tlru, xi, found, lower, *ended)
        lru, tlru, found, lower = (_seconds(row[f"{key}_ttft"]) for key in ("lru", "tlru", "percentile", "lower"))
        table.add_row("", "s", lru, tlru, "", found, lower, "", "", "", "")
    return table


def _by_capacity(title: str, second: str) -> Table:
    table = plain_table(title)
    table.add_column("capacity", justify="right", no_wrap=True)
    table.add_column(second, no_wrap=True)
    return table


def _tenths(value: float | None) -> str:
    return "" if value is None else f"{value:,.1f}".removesuffix(".0")


def _hundredths(share: float) -> str:
    return f"{100 * share:.2f} %"
