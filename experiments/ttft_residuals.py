"""Residuals of every form of latency model on a benchmark's result: one table, a row per form and cell.

    python experiments/ttft_residuals.py RUNS TABLE.csv [--model NAME] [--cold]

RUNS is a result file as `teltheory calibrate-file` reads it. `paper_figs/ttft_residuals.py` draws the table.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import teltheory as tt
from teltheory.paper.rows import Residual
from teltheory.paper.script import errors_in_one_line
from teltheory.paper.tidy import write_rows


def rows(fitted: tt.FittedLatency) -> Iterator[Residual]:
    """Yield what each form leaves of each cell."""
    cells = fitted.cells
    columns = [column.tolist() for column in (cells.prompt_tokens, cells.cached_tokens, cells.seconds)]
    for form in fitted.forms:
        chosen = int(form.form == fitted.form)
        for prompt, cached, seconds, left in zip(*columns, fitted.residuals(form.form).tolist(), strict=True):
            yield Residual(form.form, chosen, prompt, cached, seconds, left)


def main() -> None:
    """Fit and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", metavar="RUNS")
    parser.add_argument("table", metavar="TABLE.csv", type=Path)
    parser.add_argument("--model", help="the model, if the file has several")
    parser.add_argument("--cold", action="store_true", help="the run met an empty prefix cache")
    asked = parser.parse_args()
    with errors_in_one_line():
        runs = tt.read_ttft_runs(asked.runs, cold=asked.cold, model=asked.model)
        write_rows(rows(tt.fit_latency(runs, resamples=0)), asked.table, Residual)


if __name__ == "__main__":
    main()
