"""The paper's tables as transcribed: against the page where it is at hand, and what the rows say of them."""

import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from proofs_checks.tail_optimized import printed_tables
from proofs_checks.tail_optimized.printed_tables import SHAREGPT, WILDCHAT, WILDCHAT_V1, Row, improvements, peaks
from teltheory.claims.search import decide, refutes
from teltheory.claims.worlds import Given
from teltheory.paper.printed import CAPACITIES, TABLE_1, TABLE_2, TABLES, V1_TABLES, Column, PrintedTable
from teltheory.workloads import data_folder

SEEDS = data_folder().parent / "seeds"
PAGES = sorted(SEEDS.glob("004_*.txt"))
SCRIPT = Path(printed_tables.__file__).parents[1] / "counterexamples" / "sensitivity_text.py"


def printed(number: int) -> list[list[Fraction]]:
    """Return the cells of a table on the page, row by row; its caption stands above or below."""
    text = PAGES[0].read_text().replace("| ", "").replace(" |", "")
    rows = [(m.start(), m[2]) for m in re.finditer(r"^(\d{4,5})\t((?:-?\d+\.\d%\t?){10,11})$", text, re.MULTILINE)]
    blocks = [[cells for _, cells in rows[k : k + 6]] for k in range(0, len(rows), 6)]
    return [list(map(Fraction, re.findall(r"-?\d+\.\d", cells))) for cells in blocks[number - 1]]


@pytest.mark.parametrize("table", TABLES, ids=lambda table: f"table-{table.number}")
def test_the_transcription_is_the_page(table: PrintedTable) -> None:
    page = printed(table.number) if PAGES else [list(row) for row in table.rows]
    assert [list(row) for row in table.rows] == page
    assert len(page) == len(CAPACITIES)
    assert {len(row) for row in page} == {len(table.columns)}


def test_columns_stand_under_their_headings() -> None:
    assert improvements(TABLE_1, 10000, "p90") == tuple(map(Fraction, ["3.6", "20.0", "27.5", "6.9", "-13.3"]))
    assert TABLE_1.at(1000, Column(500, "p99", "lru")) == Fraction("3.2")
    assert TABLE_2.at(1000, Column(50, "above", "threshold-lru")) == Fraction("-1.2")
    assert [column.xi_ms for column in TABLE_2.columns] == [50, 50, 100, 100, 150, 150, 200, 200, 500, 500]


def test_version_1_has_the_same_numbers_under_other_headings() -> None:
    for table, v1 in zip(TABLES, V1_TABLES, strict=True):
        assert (v1.rows, v1.number, v1.workload) == (table.rows, table.number, table.workload)
        assert [(c.metric, c.against) for c in v1.columns] == [(c.metric, c.against) for c in table.columns]
        headings = list(dict.fromkeys(column.xi_ms for column in v1.columns))
        assert headings == ([50, 100, 200, 300, 500] if table.number in (4, 5) else [50, 100, 150, 200, 500])


def test_the_sentence_is_refuted_by_p90_alone() -> None:
    found = decide(printed_tables.text).counterexample
    assert found is not None
    assert (found["percentile"], found["values"]) == ("P90", {"best xi": [300], "xi of the text": [200]})
    assert not refutes(printed_tables.text, WILDCHAT[1])
    assert decide(printed_tables.text_on_p90).verdict == "holds"


def test_another_table_would_turn_the_rows() -> None:
    p90, p95 = WILDCHAT
    swapped = replace(p90, improvements=tuple(map(Fraction, ["4.0", "4.5", "7.3", "5.3", "-1.4"])))
    assert not refutes(printed_tables.text, swapped)
    assert refutes(printed_tables.text_on_p90, p90)
    assert refutes(printed_tables.text, replace(p95, improvements=p95.improvements[::-1]))
    for wrong in (p90, replace(SHAREGPT[0], lru=200)):
        space = Given((wrong, *WILDCHAT_V1, *SHAREGPT), "one row more")
        assert decide(replace(printed_tables.near_the_percentile, space=space)).verdict == "not reproduced"


@pytest.mark.parametrize(("lru", "nearest", "steps"), [(40, 50, 0), (240, 200, 2), (326, 300, 3), (2447, 500, 4)])
def test_the_nearest_threshold_and_the_steps_to_it(lru: int, nearest: int, steps: int) -> None:
    case = Row("Table 1", 1000, "P90", tuple(map(Fraction, (9, 1, 2, 3, 4))), lru, (50, 100, 200, 300, 500))
    cell = case.beside_lru()
    assert (cell["best xi"], cell["nearest xi"]) == ([50], nearest)
    assert peaks([cell])["steps off"] == steps
    assert peaks([{**cell, "best xi": [50, nearest]}])["steps off"] == 0


def test_the_script_has_the_row_of_the_table() -> None:
    source = SCRIPT.read_text()
    assert tuple(map(Fraction, re.findall(r'\d+: "(-?\d\.\d)"', source))) == improvements(TABLE_1, 1000, "p90")
