"""The fit of thresholds to printed columns: tables made by our own simulation give their thresholds back."""

import csv
from dataclasses import replace
from fractions import Fraction
from itertools import chain

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from experiments.paper.assumptions import under_lru, within
from experiments.paper.fits import distances, fit, labellings, own_fits
from experiments.paper.grid import XI_MS, Setting, runs, samples
from experiments.paper.headings import (
    Fitted,
    fit_columns,
    fitted,
    headings,
    labelled,
    main,
    parts,
    peak,
    targets,
    thresholds,
)
from experiments.paper.improvements import (
    METRICS,
    Job,
    Measured,
    World,
    columns_of,
    frozen,
    in_unit,
    measure,
    measures,
)
from experiments.paper.printed import CAPACITIES, TABLE_1, TABLE_2, Column
from experiments.paper.readings_of_algorithm_1 import EAGER, ROUND_ROBIN
from experiments.paper.tables import Runs
from teltheory.workloads.chat_data import wildchat_like
from teltheory.workloads.gaps import ExponentialGaps

GRID = thresholds(25)
SEEDS = 12


def measured_at(xi_ms, seeds):
    return measure([Job(frozen("wildchat"), (ROUND_ROBIN,), seeds)], xi_ms)[0][0]


@pytest.fixture(scope="module")
def measured():
    return measured_at(GRID, range(SEEDS))


def simulated(measured, table, xi_ms):
    """The table that the mean of our samples is, at thresholds of our choice."""
    cells = columns_of(measured, table.columns, [xi_ms[heading] for heading in (c.xi_ms for c in table.columns)])
    rows = [[Fraction(round(10 * cell), 10) for cell in row] for row in cells.mean(axis=0).tolist()]
    return replace(table, rows=tuple(map(tuple, rows)))


@pytest.mark.parametrize("table", [TABLE_1, TABLE_2], ids=["percentiles", "counts"])
def test_a_table_of_our_own_gives_its_thresholds_back(measured, table):
    true = dict(zip(headings(table), (50, 95, 145, 270, 420), strict=True))
    true = {heading: min(GRID, key=lambda ms: abs(ms - xi)) for heading, xi in true.items()}
    made = simulated(measured, table, true)
    for heading in headings(table):
        columns = [column for column in table.columns if column.xi_ms == heading]
        found = fit_columns(made, columns, measured)
        assert GRID[found.best] == true[heading]
        assert found.distances[found.best] < 0.06
        assert GRID.index(true[heading]) in found.sample


def test_one_sample_has_its_threshold_in_the_interval_nearly_always(measured):
    other = measured_at((150,), range(100, 120))
    columns = [column for column in TABLE_1.columns if column.xi_ms == 200]
    own = columns_of(other, columns, [150] * len(columns))
    cells = np.stack([measured.column(column) for column in columns], axis=-1).reshape(SEEDS, len(GRID), -1)
    rng = np.random.default_rng(0)
    inside = [GRID.index(150) in fit(cells, one.ravel(), rng).sample for one in own]
    assert sum(inside) >= 15


def test_shifted_headings_are_seen_and_right_ones_are_kept(measured):
    right = {heading: heading for heading in headings(TABLE_1)}
    shifted = {**right, 200: 150, 300: 200}
    for true, name in ((right, "50 100 200 300 500"), (shifted, "50 100 150 200 500")):
        rows = list(labelled(frozen("wildchat"), "round-robin", simulated(measured, TABLE_1, true), measured))
        assert rows[0].headings_ms == name
        assert rows[0].rmse < 0.06 < rows[1].rmse
        assert rows[0].resamples > 0.9
        assert [row.rmse for row in rows] == sorted(row.rmse for row in rows)
        kept = next(row for row in rows if row.as_printed)
        assert kept.headings_ms == "50 100 200 300 500"
        assert kept.samples > 0.8
        assert sum(row.samples for row in rows) == pytest.approx(1)


def test_numbers_are_those_of_the_grid_of_runs():
    two = range(2)
    found = Runs(runs(samples("wildchat", two), Setting(q_hat=200, policies=("lru", "threshold-lru", "tlru"))))
    ours = measured_at(XI_MS, two)
    for column in (*TABLE_1.columns, *TABLE_2.columns, Column(300, "p99", "threshold-lru")):
        for place, capacity in enumerate(CAPACITIES):
            there = found.improvements(column, capacity)
            assert ours.column(column)[:, XI_MS.index(column.xi_ms), place] == pytest.approx(there)


def test_processes_change_nothing():
    world = replace(frozen("wildchat"), turns=300)
    jobs = [Job(world, (ROUND_ROBIN, EAGER), range(3)), Job(world, (EAGER,), range(3, 5))]
    alone, together = (measure(jobs, (100, 300), workers) for workers in (1, 2))
    assert [len(of_job) for of_job in together] == [2, 1]
    assert np.array_equal(together[1][0].tlru[:1], measure([Job(world, (EAGER,), [3])], (100, 300))[0][0].tlru)
    for one, other in zip(chain(*alone), chain(*together), strict=True):
        assert np.array_equal(one.tlru, other.tlru)
        assert all(np.array_equal(one.bases[name], other.bases[name]) for name in one.bases)


def test_in_blocks_a_turn_computes_its_tokens_less_whole_blocks():
    world = replace(frozen("wildchat"), turns=300)
    sample = in_unit(world, 0, 16)
    assert [instance.capacity for instance in sample.instances] == [capacity // 16 for capacity in CAPACITIES]
    reused = ROUND_ROBIN.reuse(sample.instances[-1], 1394 // 16, 13)
    assert reused.any()
    by_hand = measures(sample.total - 16 * reused)
    assert sample.tlru(replace(ROUND_ROBIN, unit=16), (100,))[0, -1].tolist() == by_hand


@given(st.lists(st.integers(0, 5000), min_size=1, max_size=60))
def test_measures_are_the_librarys_percentiles(values):
    uncached = np.array(values, np.int64)
    expected = np.quantile(uncached, (0.9, 0.95, 0.99), method="inverted_cdf")
    assert measures(uncached) == [*expected.tolist(), (uncached > 2789).sum()]
    assert METRICS[-1] == "above"


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1))
def test_a_fit_by_hand(seed):
    rng = np.random.default_rng(seed)
    cells, printed = rng.normal(size=(5, 4, 3)), rng.normal(size=3)
    found = fit(cells, printed, rng)
    by_hand = [np.sqrt(np.mean((cells.mean(axis=0)[j] - printed) ** 2)) for j in range(4)]
    assert found.distances == pytest.approx(by_hand)
    assert found.best == int(np.argmin(by_hand))
    assert found.best in found.sample
    excess, least = own_fits(cells)
    others = np.delete(cells, 2, axis=0).mean(axis=0)
    each = np.array([np.sqrt(np.mean((others[j] - cells[2, 1]) ** 2)) for j in range(4)])
    assert least[2, 1] == pytest.approx(each.min())
    assert excess[2, 1] == pytest.approx(each[1] ** 2 - each.min() ** 2)
    assert distances(cells[0], printed).shape == (4,)


def test_labellings_by_hand():
    rng = np.random.default_rng(1)
    cells = rng.normal(size=(6, 3, 2, 4))
    printed = cells.mean(axis=0)[[0, 0, 2, 2], :, [0, 1, 2, 3]].T
    heading_of, as_printed = np.array([0, 0, 1, 1]), np.array([0, 1])
    found = labellings(cells, heading_of, printed, as_printed, rng)
    assert found[0].places == (0, 2)
    assert found[0].rmse == pytest.approx(0)
    assert {labelling.places for labelling in found} == {(0, 1), (0, 2), (1, 2)}


def test_among_equal_headings_the_printed_ones_are_best():
    cells = np.ones((6, 3, 2, 4))
    found = labellings(cells, np.array([0, 0, 1, 1]), cells[0, 0], np.array([1, 2]), np.random.default_rng(1))
    assert (found[0].places, found[0].resamples) == ((1, 2), 1)


def test_a_threshold_that_is_no_threshold_of_the_grid_is_far_from_all(measured):
    world = frozen("wildchat")
    spoilt = replace(TABLE_1, rows=tuple(tuple(cell + 30 for cell in row) for row in TABLE_1.rows))
    rows = [row for row in fitted(world, "round-robin", spoilt, measured) if isinstance(row, Fitted)]
    assert len(rows) == len(list(targets(TABLE_1)))
    together = [row for row in rows if row.columns == "together"]
    assert all(row.rmse > 10 and row.as_far == 0 for row in together)
    for joint in together:
        alone = [row for row in rows if row.heading_ms == joint.heading_ms and row != joint]
        squares = [row.rmse_at_heading**2 for row in alone]
        assert joint.rmse_at_heading**2 == pytest.approx(sum(squares) / len(squares))


def test_parts_of_an_interval():
    assert parts((0, 1, 2, 5), (20, 30, 40, 50, 60, 70)) == "20 to 40 and 70 to 70"


def test_peak_names_the_best_threshold_at_the_smallest_capacity():
    tlru = np.full((2, 6, 6, 4), 100.0)
    tlru[:, XI_MS.index(150), 0] = 90
    tlru[:, XI_MS.index(300), 0, 0] = 95
    tlru[:, XI_MS.index(100), 1:] = 50
    bases = {name: np.full((2, 1, 6, 4), 100.0) for name in ("lru", "threshold-lru")}
    found = peak(frozen("wildchat"), "round-robin", "p90", Measured(tlru, bases, XI_MS))
    assert found.best_ms == 150
    assert found.headings_ms == "50: 0%, 100: 0%, 200: 0%, 300: 100%, 500: 0%"
    assert found.table_2_headings_ms == "50: 0%, 100: 0%, 150: 100%, 200: 0%, 500: 0%"


def test_assumptions_that_miss_the_percentiles_are_seen():
    long = World("wildchat", "long", wildchat_like(ExponentialGaps(400.0), 40), 200)
    assert within("wildchat", under_lru(frozen("wildchat").chats, long.turns, 5))
    assert not within("wildchat", under_lru(long.chats, long.turns, 5))


def test_the_command_writes_its_tables(tmp_path, capsys):
    files = {name: tmp_path / f"{name}.csv" for name in ("fits", "labels", "distances")}
    options = ["--labels", str(files["labels"]), "--distances", str(files["distances"])]
    sizes = ["--seeds", "3", "--other-seeds", "2", "--step-ms", "340", "--turns", "300", "--workers", "1"]
    main([str(files["fits"]), *options, *sizes])
    tables = {name: list(csv.DictReader(file.read_text().splitlines())) for name, file in files.items()}
    assert {row["table"] for row in tables["fits"]} == {row["table"] for row in tables["labels"]} == set("123456")
    assert {row["columns"] for row in tables["fits"]} >= {
        "together",
        "p90 against lru",
        "above against threshold-lru",
    }
    assert len(tables["labels"]) % 6 == 0
    said = capsys.readouterr().out
    assert "Table 1, frozen defaults, round-robin" in said
    assert "within the tolerance of the text" in said
    fit = next(row for row in tables["fits"] if (row["heading_ms"], row["columns"]) == ("50", "together"))
    place = f"{fit['best_ms']} ({fit['sample_ms']})"
    bold = "" if fit["heading_inside"] == "True" else "**"
    assert f"\n| 50 | {bold}{place}{bold} |" in said
