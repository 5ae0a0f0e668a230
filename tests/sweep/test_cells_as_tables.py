"""A sweep is a table too, and is asked in text as the command line is."""

from dataclasses import replace
from fractions import Fraction

from refusals import refused

import teltheory as tt
from teltheory.policies.spec import parse_policy
from teltheory.sweep import Grid, ServedGrid, sweep

TRACE = tt.Trace.from_turns([k % 5 for k in range(40)], [30 + k for k in range(40)], [20] * 40)
PLAIN = Grid(
    [parse_policy("lru"), parse_policy("tlru:q_hat=50")], (500, 900), (60, 278), slos={278: Fraction(1, 50)}
)
ASKED = Grid(["lru", "tlru:q_hat=50"], ["500", "0.9k"], ["60", "20ms"], model="llama-2-7b")


def test_a_grid_in_text_is_that_of_numbers():
    asked, plain = (grid.counted([1]) for grid in (ASKED, PLAIN))
    assert (asked.capacities, asked.thresholds, asked.slos) == (plain.capacities, plain.thresholds, plain.slos)
    told = []
    cells = sweep(TRACE, ASKED, progress=lambda *place: told.append(place))
    assert cells == sweep(TRACE, PLAIN, tt.A100_LLAMA2_7B)
    assert told[-1][0] == told[-1][1]
    refused(tt.ArgumentError, "thresholds: found '20ms', .*model='llama-2-7b'", Grid, ["lru"], [500], ["20ms"])


def test_a_sweep_is_a_table_with_a_row_a_cell():
    cells = sweep(TRACE, ASKED)
    frame = cells.to_pandas()
    assert frame.to_dict("records") == [cell.as_dict() for cell in cells]
    assert cells.to_polars().rows(named=True) == [cell.as_dict() for cell in cells]
    assert list(frame.columns[:3]) == ["capacity", "xi", "policy"]


def test_cells_in_tiers_have_a_column_for_each_part_of_the_place():
    tiers = tt.Tiers((300, 600), (0, Fraction(1, 2)))
    cells = sweep(TRACE, ServedGrid(["lru+tlru"], [tiers], [None], [60]))
    frame = cells.to_pandas()
    assert frame["tiers.capacities"].tolist()[0].tolist() == [300, 600]
    assert frame["tel"].tolist() == [float(cell.tel) for cell in cells]


def test_a_policy_or_its_class_stands_for_its_short_form(tmp_path):
    named = sweep(TRACE, Grid(["tlru:q_hat=50,xi=60", "tlru", "threshold-lru"], [500], [60, 90], q_hat=50))
    grid = Grid([tt.TLRU(60, 50), tt.TLRU, tt.ThresholdLRU], [500], [60, 90], q_hat=50)
    for store in (None, tmp_path / "out.store", tmp_path / "out.store"):
        cells = sweep(TRACE, grid, store=store)
        assert [replace(cell, policy="") for cell in cells] == [replace(cell, policy="") for cell in named]
    assert [cell.policy for cell in cells[:3]] == [repr(tt.TLRU(60, 50)), "TLRU", "ThresholdLRU"]
    tiers = [tt.Tiers((300, 600), (0, Fraction(1, 2)))]
    (cell,), (other,) = (sweep(TRACE, ServedGrid([one], tiers, [None], [60])) for one in ("belady", tt.Belady()))
    assert cell.tel == other.tel
    refused(tt.ArgumentError, "policies: found 5, expected short forms", Grid, [5], [500], [60])
