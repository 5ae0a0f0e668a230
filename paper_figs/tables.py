r"""Tables 1 to 6 as LaTeX and CSV in the paper's layout, the same for any trace, and what the paper leaves out.

    python -m paper_figs.tables cells_WORKLOAD.csv|improvements_TRACE.csv|means_WORKLOAD.csv FOLDER

Reads a table that `teltheory.paper.all` writes. Beside the paper's, ours stands under each printed number with a
mark: a dot where the printed number is inside the range of 95 % of the samples, a circle where the sign is the
same, a cross where it is off. LaTeX needs `\usepackage{booktabs}`.
"""

from __future__ import annotations

import csv
import math
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from io import StringIO
from itertools import groupby
from pathlib import Path
from typing import Any, TypeAlias

from paper_figs import style
from paper_figs.averages import Averages
from paper_figs.figures_5_6 import shown
from teltheory.errors import FileError
from teltheory.paper.rows import Compared, Improvement
from teltheory.paper.script import end, errors_in_one_line, write_text
from teltheory.paper.tidy import read_rows
from teltheory.report.latex import escaped

MARKS = {"inside": r"$\bullet$", "same sign": r"$\circ$", "off": r"$\times$"}
NOT_DEFINED = "--"
LATENCY = "Relative latency improvement of T-LRU over {} with various ξ"
ABOVE = "Relative improvement of T-LRU: % reduction in requests above the SLO"
TITLES = {
    1: LATENCY.format("LRU"),
    2: f"{ABOVE} of 200 ms",
    3: LATENCY.format("Threshold-LRU"),
    4: f"{LATENCY.format('LRU')} (ShareGPT)",
    5: f"{LATENCY.format('Threshold-LRU')} (ShareGPT)",
    6: f"{ABOVE} of 200 ms (ShareGPT)",
}
MARKED = (
    f"The paper's number, under it the mean of our samples; {MARKS['inside']} where the paper's is inside the "
    rf"range of 95\,\% of the samples, {MARKS['same sign']} where the sign is the same, {MARKS['off']} elsewhere."
)
ADDED = {"tel": "TEL", "regret": "regret", "closed": "closed"}
Place: TypeAlias = tuple[int, str, str]
Cell: TypeAlias = Compared | Improvement


@dataclass(frozen=True)
class Layout:
    """A table: heads, and lines under them."""

    title: str
    left: tuple[str, ...]
    groups: tuple[tuple[str, tuple[str, ...]], ...]
    lines: tuple[tuple[tuple[str, ...], tuple[str, ...], bool], ...]
    note: str = ""


def latex(layout: Layout, source: str, label: str) -> str:
    """Return a layout as LaTeX with the rules of booktabs."""
    left, columns = len(layout.left), sum(len(names) for _, names in layout.groups)
    heads = [rf"\multicolumn{{{len(names)}}}{{c}}{{{escaped(head)}}}" for head, names in layout.groups]
    names = [escaped(name) for name in (*layout.left, *(name for _, group in layout.groups for name in group))]
    return "\n".join(
        [
            f"% Made by `python -m paper_figs.all` from {' '.join(source.split())}: do not edit.",
            r"% Needs \usepackage{booktabs}; \input it where the table is to stand.",
            r"\begin{table*}",
            r"\centering\scriptsize\setlength{\tabcolsep}{3pt}",
            rf"\caption{{{escaped(layout.title)}.{layout.note}}}",
            rf"\label{{tab:{re.sub('[^A-Za-z0-9]+', '-', label)}}}",
            rf"\begin{{tabular}}{{@{{}}{'l' * left}{'r' * columns}@{{}}}}",
            r"\toprule",
            " & ".join([*[""] * left, *heads]) + r" \\",
            "".join(_rules(left, [len(names) for _, names in layout.groups])),
            " & ".join(names) + r" \\",
            r"\midrule",
            *(_line(*line) for line in layout.lines),
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table*}",
            "",
        ]
    )


def _rules(left: int, widths: Sequence[int]) -> list[str]:
    ends = [left + sum(widths[: i + 1]) for i in range(len(widths))]
    return [rf"\cmidrule(lr){{{end - width + 1}-{end}}}" for end, width in zip(ends, widths, strict=True)]


def _line(names: Sequence[str], cells: Sequence[str], small: bool) -> str:
    shown_cells = [rf"{{\tiny {cell}}}" if small else cell for cell in cells]
    return " & ".join([*(escaped(name) for name in names), *shown_cells]) + r" \\"


def percent(value: float) -> str:
    """Return a number of per cent as LaTeX, to a tenth."""
    return rf"${round(value, 1) + 0.0:.1f}$\%" if math.isfinite(value) else NOT_DEFINED


def count(value: float) -> str:
    """Return a number of tokens as LaTeX."""
    return f"{value:,.0f}".replace(",", r"\,") if math.isfinite(value) else NOT_DEFINED


def column_of(row: Cell) -> Place:
    """Return what names a column of a table: threshold, metric, and what T-LRU is compared with."""
    return row.xi_ms, row.metric, row.against


def columns_of(rows: Sequence[Cell]) -> list[Place]:
    """Return the columns of a table in the order of its rows."""
    return list(dict.fromkeys(map(column_of, rows)))


def head(place: Place) -> str:
    """Return what stands over a column: the percentile, or the policy that T-LRU is compared with."""
    _, metric, against = place
    return metric if metric != "above" else {"lru": "LRU", "threshold-lru": "Thre-LRU"}[against]


def groups_of(places: Sequence[Place]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the thresholds and the columns under each."""
    by_xi = groupby(places, key=lambda place: place[0])
    return tuple((f"ξ = {xi:,} ms", tuple(head(place) for place in group)) for xi, group in by_xi)


Lines: TypeAlias = Mapping[str, tuple[Callable[[Any], str], bool]]
"""Lines of a capacity: what makes a row's cell, and whether it is in small type."""

BESIDE: Lines = {
    "paper": (lambda row: percent(row.printed), False),
    "ours": (lambda row: f"{percent(row.ours)}\\,{MARKS[row.agreement]}", True),
}
ALONE: Lines = {"ours": (lambda row: percent(row.ours), False)}


def layout_of(title: str, rows: Sequence[Cell], lines: Lines) -> Layout:
    """Return rows of improvements in the paper's layout, a block of lines a capacity."""
    places, at = columns_of(rows), {(row.capacity, column_of(row)): row for row in rows}
    capacities = dict.fromkeys(row.capacity for row in rows)
    body = tuple(
        ((f"{capacity}" if not i else "",), tuple(cell(at[capacity, place]) for place in places), small)
        for capacity in capacities
        for i, (cell, small) in enumerate(lines.values())
    )
    return Layout(title, ("Capacity",), groups_of(places), body)


def csv_of(rows: Sequence[Cell], fields: Mapping[str, str]) -> str:
    """Return rows of improvements in the paper's layout as CSV: a line for each capacity and field."""
    places, at = columns_of(rows), {(row.capacity, column_of(row)): row for row in rows}
    lines: list[list[object]] = [["capacity", "row", *(f"{place[0]} ms {head(place)}" for place in places)]]
    for capacity in dict.fromkeys(row.capacity for row in rows):
        lines += [
            [capacity, name, *(getattr(at[capacity, p], field) for p in places)] for name, field in fields.items()
        ]
    return _csv(lines)


def _csv(lines: Sequence[Sequence[object]]) -> str:
    file = StringIO()
    csv.writer(file, lineterminator="\n").writerows(lines)
    return file.getvalue()


def printed_tables(path: Path) -> dict[str, tuple[str, str]]:
    """Return LaTeX and CSV of the paper's tables with ours, by name."""
    fields = {"paper": "printed", "ours": "ours", "low": "low", "high": "high", "verdict": "agreement"}
    found = {}
    cells = read_rows(path, Compared)
    for number in dict.fromkeys(cell.table for cell in cells):
        rows = [cell for cell in cells if cell.table == number]
        if number not in TITLES:
            raise FileError(f"{path}, table: found {number}, expected one of 1 to 6")
        layout = replace(layout_of(TITLES[number], rows, BESIDE), note=f" {MARKED}")
        name = f"table_{number}"
        found[name] = latex(layout, path.name, name), csv_of(rows, fields)
    return found


def trace_tables(path: Path, name: str) -> dict[str, tuple[str, str]]:
    """Return LaTeX and CSV of tables like the paper's for a workload of which it prints none, by name."""
    rows = read_rows(path, Improvement)
    over = {
        against: [row for row in rows if row.metric != "above" and row.against == against]
        for against in ("lru", "threshold-lru")
    }
    shown_name = style.workload(name).name
    titled = {
        f"table_{name}_lru": (LATENCY.format("LRU"), over["lru"]),
        f"table_{name}_above": (ABOVE, [row for row in rows if row.metric == "above"]),
        f"table_{name}_threshold": (LATENCY.format("Threshold-LRU"), over["threshold-lru"]),
    }
    fields = {"ours": "ours", "low": "mean_low", "high": "mean_high"}
    return {
        table: (latex(layout_of(f"{title} ({shown_name})", cells, ALONE), path.name, table), csv_of(cells, fields))
        for table, (title, cells) in titled.items()
    }


def added_table(path: Path, name: str) -> dict[str, tuple[str, str]]:
    """Return LaTeX and CSV of TEL, regret and share closed of every policy; the CSV has every threshold."""
    found = Averages(path)
    title = (
        "TEL and regret to the hindsight optimum, in tokens, and the share of LRU's distance to the optimum "
        f"that is closed ({style.workload(name).name})"
    )
    table = f"added_{name}"
    return {table: (latex(_added_layout(title, found), path.name, table), _added_csv(found))}


def _added_layout(title: str, found: Averages) -> Layout:
    thresholds = shown(found.thresholds)
    groups = tuple((f"ξ = {xi_ms:,} ms", tuple(ADDED.values())) for xi_ms in thresholds)
    lines = tuple(
        (
            (f"{capacity}" if not i else "", style.POLICIES[policy].name),
            tuple(_added_cell(found, capacity, xi_ms, policy, m) for xi_ms in thresholds for m in ADDED),
            False,
        )
        for capacity in found.capacities
        for i, policy in enumerate(found.policies)
    )
    return Layout(title, ("Capacity", "Policy"), groups, lines)


def _added_cell(found: Averages, capacity: int, xi_ms: int, policy: str, measure: str) -> str:
    value = found.mean(capacity, xi_ms, policy, measure)
    return percent(value) if measure == "closed" else count(value)


def _added_csv(found: Averages) -> str:
    columns = [(xi_ms, measure) for xi_ms in found.thresholds for measure in ADDED]
    lines: list[list[object]] = [["capacity", "policy", *(f"{xi_ms} ms {ADDED[m]}" for xi_ms, m in columns)]]
    lines += [
        [capacity, policy, *(found.mean(capacity, xi_ms, policy, m) for xi_ms, m in columns)]
        for capacity in found.capacities
        for policy in found.policies
    ]
    return _csv(lines)


def tables_of(path: Path) -> dict[str, tuple[str, str]]:
    """Return LaTeX and CSV of all tables that a tidy table makes, by name; its own name says which."""
    kind, _, name = path.stem.partition("_")
    if kind == "cells":
        return printed_tables(path)
    if kind == "improvements":
        return trace_tables(path, name)
    if kind == "means":
        return added_table(path, name)
    raise FileError(f"{path}: found this name, expected cells_..., improvements_... or means_...")


def write(path: Path, folder: Path) -> list[Path]:
    """Write the tables that a tidy table makes as NAME.tex and NAME.csv; return the files."""
    files = []
    for name, texts in tables_of(path).items():
        for ending, text in zip(("tex", "csv"), texts, strict=True):
            files.append(folder / f"{name}.{ending}")
            write_text(files[-1], text)
    return files


if __name__ == "__main__":
    if len(sys.argv) != 3:
        end("usage: python -m paper_figs.tables cells_W.csv|improvements_W.csv|means_W.csv FOLDER")
    with errors_in_one_line():
        write(Path(sys.argv[1]), Path(sys.argv[2]))
