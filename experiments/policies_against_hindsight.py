"""Every policy next to the hindsight optimum, over capacities and thresholds: one tidy table.

    python experiments/policies_against_hindsight.py TRACE TABLE.csv

The grid: every policy, capacities of 0.3 M, 1 M and 3 M tokens, thresholds of 0.5 to 5 seconds.
"""

from __future__ import annotations

import csv
import sys
from fractions import Fraction
from pathlib import Path

from teltheory.latency import A100_LLAMA2_7B
from teltheory.policies.spec import POLICIES, Spec, default_estimate
from teltheory.sweep import Grid, sweep
from teltheory.workloads import read_trace

CAPACITIES = (300_000, 1_000_000, 3_000_000)
SLO_SECONDS = (Fraction(1, 2), Fraction(1), Fraction(2), Fraction(3), Fraction(5))


def main(trace_file: str, table: str) -> None:
    """Sweep the grid on a trace and write the table."""
    trace = read_trace(trace_file)
    latency = A100_LLAMA2_7B
    policies = [Spec(name) for name in POLICIES]
    grid = Grid(policies, CAPACITIES, [latency.threshold(slo) for slo in SLO_SECONDS], default_estimate(trace))
    rows = [cell.as_dict() for cell in sweep(trace, grid, latency)]
    with Path(table).open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: policies_against_hindsight.py TRACE TABLE.csv")
    main(sys.argv[1], sys.argv[2])
