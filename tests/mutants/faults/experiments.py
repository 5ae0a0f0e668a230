"""Faults in the paper's tables, in what is measured for them, and in the rules that decide."""

from mutants.fault import Fault

GRID = "experiments/paper/grid.py"
TABLES = "experiments/paper/tables.py"
RULES = "proofs_checks/tables_1_to_6.py"
PREDICTIONS = "proofs_checks/predictions.py"
PAPER_ROWS = "tests/claims/test_paper_rows.py"

FAULTS = (
    Fault(
        "printed-cell-changed",
        "experiments/paper/printed.py",
        "    4.3 2.2 16.4 14.6 29.3",
        "    4.3 2.2 14.6 16.4 29.3",
        "two cells of Table 2 are swapped",
        tests=("tests/claims/test_printed_tables.py",),
    ),
    Fault(
        "rule-turned-round",
        RULES,
        "counts[same] >= counts[of] - self.missed",
        "counts[same] <= counts[of] - self.missed",
        "a table passes if signs are wrong",
        tests=(PAPER_ROWS,),
    ),
    Fault(
        "error-is-no-matter",
        RULES,
        "return bool(enough and counts[RMSE] <= self.rmse)",
        "return bool(enough)",
        "a table passes whatever its error is",
        tests=(PAPER_ROWS,),
    ),
    Fault(
        "two-samples",
        GRID,
        "SEEDS, TURNS = 40, 2000",
        "SEEDS, TURNS = 2, 2000",
        "tables rest on two samples",
        rows=("table-2",),
    ),
    Fault(
        "half-of-the-samples-range",
        TABLES,
        "QUANTILES = (0.025, 0.975)",
        "QUANTILES = (0.25, 0.75)",
        "a cell is inside where the middle half of the samples lies",
        rows=("table-2",),
    ),
    Fault(
        "p95-for-p90",
        GRID,
        "(cell.p50, cell.p90, cell.p95, cell.p99)",
        "(cell.p50, cell.p95, cell.p90, cell.p99)",
        "P90 and P95 are swapped in what is measured",
        rows=("table-1.headings",),
    ),
    Fault(
        "interval-of-one-sample",
        TABLES,
        "values.std(ddof=1) / math.sqrt(n)",
        "values.std(ddof=1)",
        "the interval of a mean is that of a single sample",
        tests=(PAPER_ROWS,),
    ),
    Fault(
        "mean-above-a-tenth-refutes",
        PREDICTIONS,
        "not bool(values[LEAST] > TENTH)",
        'not bool(values["ours"] > TENTH)',
        "a share refutes the prediction although its interval reaches below a tenth",
        tests=(PAPER_ROWS,),
    ),
    Fault(
        "median-may-fall",
        "proofs_checks/figures_4_to_6.py",
        'low < cell["ours"] <= high',
        'cell["ours"] <= high',
        "Figure 5 allows T-LRU a lower median",
        tests=(PAPER_ROWS,),
    ),
    Fault(
        "always-reproduced",
        "teltheory/claims/cells.py",
        '"reproduced" if claim.relation(counts) else "not reproduced"',
        '"reproduced" if claim.rule else "not reproduced"',
        "every table is reproduced",
        tests=("tests/claims/test_rows_by_rule.py",),
    ),
)
