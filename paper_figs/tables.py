r"""Tables 1 to 6 as LaTeX in the paper's layout, the same for any trace, and what the paper leaves out.

    python -m paper_figs.tables cells_WORKLOAD.csv|improvements_TRACE.csv|means_WORKLOAD.csv FOLDER

Reads a table that `teltheory.paper.all` writes. Beside the paper's, ours stands under each printed number with a
mark: a dot where the printed number is inside the range of 95 % of the samples, a circle where the sign is the
same, a cross where it is off. LaTeX needs `\usepackage{booktabs}`.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from paper_figs import style
from paper_figs.averages import Averages
from paper_figs.figures_5_6 import shown
from teltheory.cost.latency import COMPOSED
from teltheory.errors import FileError
from teltheory.paper.rows import ComparedRow, Improvement
from teltheory.paper.script import run, write_text
from teltheory.paper.tidy import grouped, read_rows
from teltheory.plots.latex import escaped

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
    f" The paper's number, under it the mean of our samples; {MARKS['inside']} where the paper's is inside the "
    rf"range of 95\,\% of the samples, {MARKS['same sign']} where the sign is the same, {MARKS['off']} elsewhere."
    f" {COMPOSED}"
)
ADDED = {"tel": "TEL", "regret": "regret", "closed": "closed"}
COLUMN = ("xi_ms", "metric", "against")


@dataclass(frozen=True)
class Layout:
    """A table: heads of the columns on the left, groups of the others by threshold, and lines under them."""

    title: str
    left: tuple[str, ...]
    groups: dict[int, list[str]]
    lines: Sequence[tuple[tuple[str, ...], list[str]]]
    note: str = ""


def latex(layout: Layout, source: str, label: str) -> str:
    """Return a layout as LaTeX with the rules of booktabs."""
    left, widths = len(layout.left), [len(names) for names in layout.groups.values()]
    ends = [left + sum(widths[: i + 1]) for i in range(len(widths))]
    heads = [
        rf"\multicolumn{{{width}}}{{c}}{{{escaped(f'ξ = {xi_ms:,} ms')}}}"
        for xi_ms, width in zip(layout.groups, widths, strict=True)
    ]
    names = [*layout.left, *(name for group in layout.groups.values() for name in group)]
    return "\n".join(
        [
            f"% Made by `python -m paper_figs.all` from {' '.join(source.split())}: do not edit.",
            r"% Needs \usepackage{booktabs}; \input it where the table is to stand.",
            r"\begin{table*}",
            r"\centering\scriptsize\setlength{\tabcolsep}{3pt}",
            rf"\caption{{{escaped(layout.title)}.{layout.note}}}",
            rf"\label{{tab:{re.sub('[^A-Za-z0-9]+', '-', label)}}}",
            rf"\begin{{tabular}}{{@{{}}{'l' * left}{'r' * sum(widths)}@{{}}}}",
            r"\toprule",
            _line([*[""] * left, *heads]),
            "".join(rf"\cmidrule(lr){{{b - width + 1}-{b}}}" for b, width in zip(ends, widths, strict=True)),
            _line(map(escaped, names)),
            r"\midrule",
            *(_line([*map(escaped, place), *cells]) for place, cells in layout.lines),
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table*}",
            "",
        ]
    )


def _line(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"


def percent(value: float) -> str:
    """Return a number of per cent as LaTeX, to a tenth."""
    return rf"${round(value, 1) + 0.0:.1f}$\%" if math.isfinite(value) else NOT_DEFINED


def count(value: float) -> str:
    """Return a number of tokens as LaTeX."""
    return f"{value:,.0f}".replace(",", r"\,") if math.isfinite(value) else NOT_DEFINED


def head(metric: str, against: str) -> str:
    """Return what stands over a column: the percentile, or the policy that T-LRU is compared with."""
    return metric if metric != "above" else {"lru": "LRU", "threshold-lru": "Thre-LRU"}[against]


Cell: TypeAlias = Callable[[Any], str]
"""Makes a cell of a row."""


def beside(row: ComparedRow) -> str:
    """Return our number, small, with the mark of its verdict."""
    return rf"{{\tiny {percent(row.ours)}\,{MARKS[row.agreement]}}}"


def in_layout(
    title: str, rows: Sequence[ComparedRow] | Sequence[Improvement], cells: Sequence[Cell], note: str = ""
) -> Layout:
    """Return rows of improvements in the paper's layout: of each capacity a line for each kind of cell."""
    columns = list(grouped(rows, COLUMN))
    groups: dict[int, list[str]] = {}
    for xi_ms, metric, against in columns:
        groups.setdefault(xi_ms, []).append(head(metric, against))
    lines = []
    for capacity, of in grouped(rows, "capacity").items():
        at = {column: row for column, (row,) in grouped(of, COLUMN).items()}
        for i, cell in enumerate(cells):
            lines.append(((f"{capacity}" if not i else "",), [cell(at[column]) for column in columns]))
    return Layout(title, ("Capacity",), groups, lines, note)


def printed_tables(path: Path) -> Iterator[tuple[str, Layout]]:
    """Yield the paper's tables with ours, each after its name."""
    for number, rows in grouped(read_rows(path, ComparedRow), "table").items():
        if number not in TITLES:
            raise FileError(f"{path}, table: found {number}, expected one of 1 to 6")
        cells = (lambda row: percent(row.printed), beside)
        yield f"table_{number}", in_layout(TITLES[number], rows, cells, MARKED)


def trace_tables(path: Path, name: str) -> Iterator[tuple[str, Layout]]:
    """Yield tables like the paper's for a workload of which it prints none, each after its name."""
    rows = read_rows(path, Improvement)
    over = grouped((row for row in rows if row.metric != "above"), "against")
    titled = {
        "lru": (LATENCY.format("LRU"), over["lru"]),
        "above": (ABOVE, [row for row in rows if row.metric == "above"]),
        "threshold": (LATENCY.format("Threshold-LRU"), over["threshold-lru"]),
    }
    for kind, (title, of) in titled.items():
        cells, named = (lambda row: percent(row.ours),), f"{title} ({style.workload(name).name})"
        yield f"table_{name}_{kind}", in_layout(named, of, cells, f" {COMPOSED}")


def added_table(path: Path, name: str) -> Iterator[tuple[str, Layout]]:
    """Yield TEL, regret and share closed of every policy, after the table's name."""
    found = Averages(path)
    title = (
        "TEL and regret to the hindsight optimum, in tokens, and the share of LRU's distance to the optimum "
        f"that is closed ({style.workload(name).name})"
    )
    thresholds = shown(found.thresholds)
    lines = []
    for capacity in found.capacities:
        for i, policy in enumerate(found.policies):
            means = [(m, found.mean(capacity, xi_ms, policy, m)) for xi_ms in thresholds for m in ADDED]
            place = (f"{capacity}" if not i else "", style.POLICIES[policy].name)
            lines.append((place, [percent(mean) if m == "closed" else count(mean) for m, mean in means]))
    groups = {xi_ms: list(ADDED.values()) for xi_ms in thresholds}
    yield f"added_{name}", Layout(title, ("Capacity", "Policy"), groups, lines)


def tables_of(path: Path) -> dict[str, str]:
    """Return all tables that a tidy table makes as LaTeX, by name; its own name says which."""
    kind, _, name = path.stem.partition("_")
    if kind == "cells":
        found = printed_tables(path)
    elif kind == "improvements":
        found = trace_tables(path, name)
    elif kind == "means":
        found = added_table(path, name)
    else:
        raise FileError(f"{path}: found this name, expected cells_..., improvements_... or means_...")
    return {table: latex(layout, path.name, table) for table, layout in found}


def write(table: Path, folder: Path) -> Iterator[str]:
    """Write the tables that a tidy table makes as NAME.tex; yield a line for each."""
    for name, text in tables_of(table).items():
        write_text(folder / f"{name}.tex", text)
        yield f"{name}: tex"


if __name__ == "__main__":
    run(lambda table, folder: write(Path(table), Path(folder)), __doc__)
