"""What T-LRU's estimate of the next prompt changes on the ShareGPT-like workload.

    python -m experiments.paper.estimates COMPARED.csv [--q-hat 100 150] [--seeds 40] [--turns 2000]

Appendix G.2 of the paper sets it to 100 tokens, the average prompt; Section 5.2 of version 1 on arXiv to 150.
The same samples are replayed with each. For every estimate:

1. Tables 4 to 6 beside the printed ones: signs that agree, cells inside the samples' range, RMSE in points; of
   Table 6 also each heading's RMSE and the mean of our reductions.
2. Figure 6: cells whose mean P90, P95 or P99 is within 5 % of Tail-Optimized Belady's, at 100, 200 and 300 ms,
   for T-LRU, End-Aware and Length-Aware T-LRU, and the farthest.
3. The share of the distance in TEL from T-LRU to Tail-Optimized Belady that End- and Length-Aware T-LRU close, a
   mean over the samples at each place: how many lie above a tenth, and the largest.

Length-Aware T-LRU knows the prompt and needs no estimate; its share changes with T-LRU's own TEL.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from experiments import markdown
from experiments.paper.grid import Q_HAT, SEEDS, TURNS, XI_MS, Setting, runs, samples
from experiments.paper.printed import CAPACITIES, TABLE_4, TABLE_5, TABLE_6, PrintedTable
from experiments.paper.tables import Compared, Runs, compare, summarise
from experiments.tidy import write_rows

ESTIMATES = (Q_HAT["sharegpt"], 150)
BEST, KNOWING = "tail-optimized-belady", ("end-aware", "length-aware")
NEAR_PER_CENT, FIGURE_MS, PERCENTILES = 5, (100, 200, 300), ("p90", "p95", "p99")
TENTH = 10.0


@dataclass(frozen=True)
class Found:
    """A number with one estimate.

    Attributes
    ----------
    q_hat : int
        The estimate, in tokens.
    measure : str
        What it is.
    value : float
        The number: a count, points, or per cent.
    """

    q_hat: int
    measure: str
    value: float


def of_table(table: PrintedTable, found: Runs) -> Iterator[tuple[str, float]]:
    """Yield how a table compares with the printed one."""
    cells = compare(table, found)
    of, name = summarise(cells), f"Table {table.number}"
    yield f"{name}, signs of {of.cells}", of.signs
    yield f"{name}, inside", of.inside
    yield f"{name}, RMSE", of.rmse
    if table is TABLE_6:
        yield from of_headings(cells)


def of_headings(cells: Sequence[Compared]) -> Iterator[tuple[str, float]]:
    """Yield the error, and the mean of ours, of each heading of a table."""
    for xi_ms in dict.fromkeys(cell.xi_ms for cell in cells):
        here, name = [cell for cell in cells if cell.xi_ms == xi_ms], f"Table {cells[0].table}, xi = {xi_ms} ms"
        yield f"{name}, RMSE", summarise(here).rmse
        yield f"{name}, ours in the mean", sum(cell.ours for cell in here) / len(here)


def of_figure(found: Runs) -> Iterator[tuple[str, float]]:
    """Yield how near mean percentiles are to Tail-Optimized Belady's."""
    above = [
        100 * float(found.of(metric, policy, *place).mean() / found.of(metric, BEST, *place).mean() - 1)
        for policy, place, metric in product(("tlru", *KNOWING), product(found.capacities, FIGURE_MS), PERCENTILES)
    ]
    near = sum(abs(value) <= NEAR_PER_CENT for value in above)
    yield f"Figure 6, within {NEAR_PER_CENT} % of {len(above)}", near
    yield "Figure 6, farthest in per cent", max(above, key=abs)


def of_foresight(found: Runs) -> Iterator[tuple[str, float]]:
    """Yield what share of the distance to Tail-Optimized Belady foresight closes, where there is a distance."""
    closed = [
        100 * float((tlru - found.of("tel", policy, *place)).sum() / distance)
        for policy, place in product(KNOWING, product(found.capacities, found.thresholds))
        for tlru in [found.of("tel", "tlru", *place)]
        for distance in [(tlru - found.of("tel", BEST, *place)).sum()]
        if distance
    ]
    yield f"share closed, above a tenth of {len(closed)}", sum(share > TENTH for share in closed)
    yield "share closed, largest in per cent", max(closed, default=0.0)


def with_estimate(q_hat: int, seeds: int, turns: int) -> list[Found]:
    """Replay the samples with an estimate and return everything found."""
    setting = Setting(CAPACITIES, XI_MS, q_hat)
    found = Runs(runs(samples("sharegpt", range(seeds), turns), setting))
    tables = (number for table in (TABLE_4, TABLE_5, TABLE_6) for number in of_table(table, found))
    numbers = (*tables, *of_figure(found), *of_foresight(found))
    return [Found(q_hat, measure, value) for measure, value in numbers]


def show(found: Sequence[Found]) -> Iterator[str]:
    """Yield the estimates side by side, as a table in Markdown."""
    estimates = list(dict.fromkeys(one.q_hat for one in found))
    at = {(one.measure, one.q_hat): one.value for one in found}
    yield from markdown.heading(["ShareGPT-like", *(f"estimate {q_hat}" for q_hat in estimates)])
    for measure in dict.fromkeys(one.measure for one in found):
        values = (at[measure, q_hat] for q_hat in estimates)
        yield markdown.line([measure, *(f"{value:.2f}" if value % 1 else f"{value:.0f}" for value in values)])


def main(arguments: Sequence[str]) -> None:
    """Compare, write and show."""
    parser = argparse.ArgumentParser(prog="python -m experiments.paper.estimates")
    parser.add_argument("compared", type=Path)
    parser.add_argument("--q-hat", type=int, nargs="+", default=ESTIMATES)
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--turns", type=int, default=TURNS)
    given = parser.parse_args(arguments)
    found = [one for q_hat in given.q_hat for one in with_estimate(q_hat, given.seeds, given.turns)]
    write_rows(found, given.compared, Found)
    for line in show(found):
        sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
