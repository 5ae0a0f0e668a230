"""Every policy next to the hindsight optimum, over capacities and thresholds: one tidy table.

    python experiments/policies_against_hindsight.py TRACE... TABLE.csv

The grid: every policy, capacities of 0.3 M, 1 M and 3 M tokens, thresholds of 0.5 to 5 seconds. Finished cells are
kept beside the table, in TABLE.csv.store, so that an interrupted run can resume.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

from teltheory.cost.latency import A100_LLAMA2_7B
from teltheory.paper.rows import Closed
from teltheory.paper.script import end, errors_in_one_line
from teltheory.paper.tidy import write_rows
from teltheory.policies.spec import POLICIES, Spec
from teltheory.sweep import Grid, TraceFile, sweep

CAPACITIES = (300_000, 1_000_000, 3_000_000)
SLO_SECONDS = (Fraction(1, 2), Fraction(1), Fraction(2), Fraction(3), Fraction(5))


def main(trace_files: Sequence[str], table: str) -> None:
    """Sweep the grid on traces and write the table."""
    latency = A100_LLAMA2_7B
    policies = [Spec(name) for name in POLICIES]
    grid = Grid(policies, CAPACITIES, [latency.threshold(slo) for slo in SLO_SECONDS], q_hat=None)
    traces = [TraceFile(file) for file in trace_files]
    cells = sweep(traces, grid, latency, workers=None, store=f"{table}.store")
    rows = [Closed(**{"trace": trace_files[0], **cell.as_dict()}) for cell in cells]
    write_rows(rows, Path(table), Closed)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        end("usage: policies_against_hindsight.py TRACE... TABLE.csv")
    with errors_in_one_line():
        main(sys.argv[1:-1], sys.argv[-1])
