"""Residuals of every form of latency model on a benchmark's result: one table, a row a cell.

    python experiments/ttft_residuals.py RUNS TABLE.csv [--model NAME] [--cold]

RUNS is a result file as `teltheory calibrate-file` reads it. `paper_figs/ttft_residuals.py` draws the table.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import teltheory as tt
from experiments.tidy import write_rows


def write(fitted: tt.FittedLatency, target: str) -> None:
    """Write tokens, median and residuals, in seconds, of each cell; the chosen form's column says so."""
    cells = fitted.cells
    names = [f"{form.form} (chosen)" if form.form == fitted.form else form.form for form in fitted.forms]
    columns = [cells.prompt_tokens, cells.cached_tokens, cells.seconds]
    columns += [fitted.residuals(form.form) for form in fitted.forms]
    heading = ["prompt_tokens", "cached_tokens", "ttft_s", *names]
    rows = zip(*(column.tolist() for column in columns), strict=True)
    write_rows((dict(zip(heading, row, strict=True)) for row in rows), Path(target))


def main() -> None:
    """Fit and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", metavar="RUNS")
    parser.add_argument("table", metavar="TABLE.csv")
    parser.add_argument("--model", help="the model, where the file has several")
    parser.add_argument("--cold", action="store_true", help="the run met an empty prefix cache")
    asked = parser.parse_args()
    write(
        tt.fit_latency(tt.read_ttft_runs(asked.runs, cold=asked.cold, model=asked.model), resamples=0), asked.table
    )


if __name__ == "__main__":
    main()
