"""Tables for the terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import groupby
from typing import Any

from rich.markup import escape
from rich.table import Table
from rich.text import Text

from teltheory.cli.fitting import plain_table
from teltheory.cli.options import Thresholds
from teltheory.report.standing import origin_text
from teltheory.report.words import LEDGER_TITLE, evidence_text
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
BESIDE = ("lru", "tlru", "lower", "proved")
WORK = ("P50 s", "hit", "prefill")
TTFTS = ("P50 s", "P90 s", "P95 s", "P99 s")
MEASURES = (*TTFTS, "hit", "prefill", "slow", "TEL", "vs LRU", "regret", "closed")
CURVE_MEASURES = (*TTFTS, "hit", "prefill", "slow", "TEL", "vs no cache")
WORK_LEGEND = "hit: share of the input that was reused. prefill: tokens that the server computed (M: millions)."
SLOW_LEGEND = "slow: turns above the threshold."


def cells_tables(cells: Sequence[Cell], thresholds: Thresholds) -> Iterator[Table]:
    """Yield a table for each capacity and threshold."""
    for (capacity, xi), section in groupby(cells, key=lambda cell: (cell.capacity, cell.xi)):
        title = f"Capacity {capacity:,} tokens, threshold {thresholds.label(xi)}"
        table = plain_table(title, map(thresholds.heading, MEASURES), ["policy"])
        for cell in section:
            table.add_row(*cell_row(cell, thresholds))
        yield table


def cell_row(cell: Cell, thresholds: Thresholds) -> list[str]:
    """Return a cell's policy and its measures as text."""
    quantiles = (cell.p50, cell.p90, cell.p95, cell.p99)
    percentiles = [thresholds.shown(value) for value in quantiles]
    work = [_percent(cell.hit_rate), in_short(cell.prefilled)]
    distance = [f"{cell.tel:,}", _percent(cell.change), f"{cell.regret:,}", _percent(cell.closed)]
    return [cell.policy, *percentiles, *work, f"{cell.violations:,}", *distance]


def curve_tables(rows: Sequence[dict[str, Any]], thresholds: Thresholds) -> Iterator[Table]:
    """Yield a table for each threshold: capacities, and the policies at each."""
    for xi in thresholds.xis:
        section = sorted((row for row in rows if row["xi"] == xi), key=lambda row: row["capacity"])
        table = plain_table(f"Threshold {thresholds.label(xi)}")
        table.add_column("capacity", justify="right", no_wrap=True)
        table.add_column("policy", no_wrap=True)
        for name in CURVE_MEASURES:
            table.add_column(thresholds.heading(name), justify="right", no_wrap=True)
        for _, at_capacity in groupby(section, key=lambda row: row["capacity"]):
            for i, row in enumerate(at_capacity):
                table.add_row("" if i else f"{row['capacity']:,}", *_curve_row(row, thresholds))
        yield table


def _curve_row(row: dict[str, Any], thresholds: Thresholds) -> list[str]:
    p50, *work = work_cells(row, thresholds)
    percentiles = [p50, *(thresholds.shown(row[name]) for name in ("p90", "p95", "p99"))]
    change = Fraction(row["tel"] - row["uncached_tel"], row["uncached_tel"]) if row["uncached_tel"] else None
    slow = "" if row["violations"] is None else f"{row['violations']:,}"
    return [row["policy"], *percentiles, *work, slow, f"{row['tel']:,}", _percent(change)]


def _percent(value: Fraction | float | None) -> str:
    return "" if value is None else f"{round(float(value) * 100, 1) + 0.0:.1f} %"


def ledger_table(rows: Sequence[dict[str, Any]]) -> Table:
    """Return the ledger: beside each verdict the claim, its statement, what decides it and what was tried."""
    counts = Counter(row["verdict"] for row in rows)
    total = ", ".join(f"{verdict} {n:,}" for verdict, n in counts.items()) if len(rows) > 1 else None
    table = Table(title=LEDGER_TITLE, caption=total, box=None, show_header=False, padding=(0, 2, 1, 0))
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
    lines = (row["statement"], *told, *tried)
    return Text.assemble((row["id"], "bold"), f" ({origin_text(row)})", *("\n" + line for line in lines))


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
    """Return the hindsight optima and LRU, by capacity and threshold; where a solver was asked, its bound."""
    asked = any(row["bound"] is not None or row["status"] != "optimal" for row in rows)
    ended = ("gap", "status") if asked else ()
    columns = ("TEL", "vs LRU", *WORK, *ended, "method")
    table = _by_capacity("Hindsight optimum", "threshold", columns, thresholds)
    for row in rows:
        name, best, lru = "incumbent" if asked else "optimum", row["optimum"], row["lru"]
        change = Fraction(best - lru, lru) if lru and best is not None else None
        sides = (_tenths(row["gap"]), escape(row["status"])) if asked else ()
        tel = best if row["incumbent"] is None else row["incumbent"]
        found = (name, _tenths(tel), _percent(change), *work_cells(row, thresholds))
        table.add_row(f"{row['capacity']:,}", thresholds.label(row["xi"]), *found, *sides, row["method"])
        table.add_row("", "", "LRU", f"{lru:,}", "", *work_cells(row, thresholds, "lru_"))
        if asked:
            table.add_row("", "", "bound", _tenths(row["bound"]))
    return table


def violations_table(rows: Sequence[dict[str, Any]], thresholds: Thresholds) -> Table:
    """Return the fewest violations, by capacity and threshold: the plan, two policies, and the bounds."""
    ended = ("gap", "of\navoidable", "status", "time s")
    table = _by_capacity("Fewest violations", "threshold", ("slow", *WORK, *ended), thresholds)
    for row in rows:
        counts = {name: (f"{row[name]:,}",) for name in ("violations", *BESIDE)}
        gaps = [_hundredths(row[name]) for name in ("gap", "gap_of_avoidable")]
        place = (f"{row['capacity']:,}", thresholds.label(row["xi"]))
        _add_search(table, place, row, thresholds, counts, (*gaps, row["status"], f"{row['seconds']:.1f}"))
    return table


def percentiles_table(rows: Sequence[dict[str, Any]], name: str, thresholds: Thresholds) -> Table:
    """Return the smallest percentiles in tokens and seconds, by capacity: plan, two policies, bounds."""
    timed = (f"{name} s",) if thresholds.unit == "s" else ()
    columns = ("tokens", *timed, *WORK, "gap", "status", "time s")
    table = _by_capacity(f"Smallest {name} of uncached tokens", "T-LRU's threshold", columns, thresholds)
    for row in rows:
        values = {
            key: (f"{row[key]:,}", *(thresholds.shown(row[f"{key}_ttft"]) for _ in timed))
            for key in ("percentile", *BESIDE)
        }
        ended = (_hundredths(row["gap"]), row["status"], f"{row['seconds']:.1f}")
        place = (f"{row['capacity']:,}", thresholds.label(row["tlru_xi"]))
        _add_search(table, place, row, thresholds, values, ended)
    return table


def _add_search(
    table: Table,
    place: tuple[str, str],
    row: dict[str, Any],
    thresholds: Thresholds,
    values: Mapping[str, tuple[str, ...]],
    ended: tuple[str, ...],
) -> None:
    """Add the lines of one search: the plan that it found and how it ended, LRU and T-LRU, and its bounds."""
    found, lru, tlru, lower, proved = values.values()
    table.add_row(*place, "found", *found, *work_cells(row, thresholds), *ended)
    table.add_row("", "", "LRU", *lru, *work_cells(row, thresholds, "lru_"))
    table.add_row("", "", "T-LRU", *tlru, *work_cells(row, thresholds, "tlru_"))
    table.add_row("", "", "lower, by solver" if row["by_solver"] else "lower", *lower)
    table.add_row("", "", "proved", *proved)


def work_cells(row: Mapping[str, Any], thresholds: Thresholds, who: str = "") -> list[str]:
    """Return the median TTFT, the hit rate and what was prefilled as text; `who` begins their names in the row."""
    prefilled = row[f"{who}prefilled"]
    shown = "" if prefilled is None else in_short(prefilled)
    return [thresholds.shown(row[f"{who}p50"]), _percent(row[f"{who}hit_rate"]), shown]


def _by_capacity(title: str, second: str, columns: Sequence[str], thresholds: Thresholds) -> Table:
    table = plain_table(title)
    table.add_column("capacity", justify="right", no_wrap=True)
    table.add_column(second, no_wrap=True)
    table.add_column("", no_wrap=True)
    for name in columns:
        table.add_column(thresholds.heading(name), justify="right", no_wrap=name != "status")
    return table


def in_short(tokens: int) -> str:
    """Return a number of tokens: exact below a million, else in millions with four digits or more."""
    if tokens < 10**6:
        return f"{tokens:,}"
    digits = len(str(tokens // 10**6))
    return f"{tokens / 10**6:,.{max(4 - digits, 0)}f}M"


def _tenths(value: float | None) -> str:
    return "" if value is None else f"{value:,.1f}".removesuffix(".0")


def _hundredths(share: float) -> str:
    return f"{100 * share:.2f} %"
