"""The paper's tables as transcribed: against the page where it is at hand, and what the rows say of them."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from proofs_checks import printed_tables
from proofs_checks.printed_tables import SHAREGPT, TABLE_1, TABLE_4_FIRST_ROW, WILDCHAT, Row
from teltheory.claims.search import decide, refutes
from teltheory.claims.worlds import Given
from teltheory.workloads import data_folder

SEEDS = data_folder().parent / "seeds"
PAGES = sorted(SEEDS.glob("004_*.txt"))
SCRIPT = Path(printed_tables.__file__).parent / "counterexamples" / "sensitivity_text.py"


def printed(caption: str) -> dict[int, dict[str, str]]:
    """Return the table above a caption: P90 and P95 at each threshold, by capacity."""
    text = PAGES[0].read_text()
    cells = r"^(\d{4,5})\t((?:-?\d+\.\d%\t?){10,11})$"
    rows = re.findall(cells, text[: text.index(caption)].replace("| ", "").replace(" |", ""), re.MULTILINE)[-6:]
    return {int(capacity): _by_percentile(re.findall(r"-?\d+\.\d", row)) for capacity, row in rows}


def _by_percentile(cells: list[str]) -> dict[str, str]:
    return {"P90": " ".join(cells[0:10:2]), "P95": " ".join(cells[1:10:2])}


def test_the_largest_improvements_are_those_of_the_text() -> None:
    most = {p: max(max(map(Fraction, row[p].split())) for row in TABLE_1.values()) for p in ("P90", "P95")}
    assert most == {"P90": Fraction("27.5"), "P95": Fraction("23.9")}


@pytest.mark.parametrize(
    ("caption", "transcribed"),
    [("Table 1: Relative", TABLE_1), ("Table 4: Relative", TABLE_4_FIRST_ROW)],
)
def test_the_transcription_is_the_page(caption: str, transcribed: dict[int, dict[str, str]]) -> None:
    page = printed(caption) if PAGES else transcribed
    assert {capacity: page[capacity] for capacity in transcribed} == transcribed


def test_every_row_has_an_improvement_for_each_threshold() -> None:
    for row in TABLE_1.values():
        assert all(len(cells.split()) == len(printed_tables.THRESHOLDS) for cells in row.values())


def test_the_sentence_is_refuted_by_p90_alone() -> None:
    found = decide(printed_tables.text).counterexample
    assert found is not None
    assert (found["percentile"], found["values"]) == ("P90", {"best xi": [300], "xi of the text": [200]})
    assert not refutes(printed_tables.text, WILDCHAT[1])
    assert decide(printed_tables.text_on_p95).verdict == "holds"


def test_another_table_would_turn_the_rows() -> None:
    p90, p95 = WILDCHAT
    swapped = replace(p90, improvements=tuple(map(Fraction, ["4.0", "4.5", "7.3", "5.3", "-1.4"])))
    assert not refutes(printed_tables.text, swapped)
    assert refutes(printed_tables.text_on_p95, replace(p95, improvements=p95.improvements[::-1]))
    assert refutes(printed_tables.near_the_percentile, replace(SHAREGPT[0], lru=200))
    space = Given((p90, replace(p95, lru=60)), "another percentile")
    assert decide(replace(printed_tables.near_the_percentile, space=space)).verdict == "refuted"


@pytest.mark.parametrize(
    ("lru", "near"),
    [(40, [50, 100]), (240, [100, 200, 300]), (326, [200, 300, 500]), (2447, [300, 500])],
)
def test_the_nearest_threshold_and_its_neighbours(lru: int, near: list[int]) -> None:
    assert Row("Table 1", 1000, "P90", (Fraction(0),) * 5, lru).near == near


def test_the_script_has_the_row_of_the_table() -> None:
    source = SCRIPT.read_text()
    assert re.findall(r'\d+: "(-?\d\.\d)"', source) == TABLE_1[1000]["P90"].split()
