"""The readings of Algorithm 1: compiled against token by token, against the library and against the ledger's."""

import csv

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from strategies import given_columns, turn_columns

import teltheory as tt
from experiments.paper.algorithm_1 import AT_BUDGET, ONE_PASS, ROUND_ROBIN, TO_THE_LETTER, Form, replayed_slowly
from experiments.paper.algorithm_1_compiled import replayed
from experiments.paper.grid import XI_MS
from experiments.paper.improvements import Measured, columns_of, frozen
from experiments.paper.printed import TABLE_1, TABLE_2
from experiments.paper.readings import (
    Judged,
    as_far,
    endless,
    headings_to_try,
    is_ruled_out,
    judged,
    main,
    outside_all,
    preferring,
    read_cells,
    samples_of,
    show_distances,
)
from experiments.paper.readings_of_algorithm_1 import READINGS, ByForm
from proofs_checks.algorithm_1 import Reading as LedgerReading
from teltheory.instance import Instance
from teltheory.replay.reference import replay_reference

FORMS = [Form(*flags) for flags in np.ndindex(2, 2, 2)]
LENGTHS = st.integers(0, 30)


@st.composite
def cases(draw, columns=None):
    """An instance with an empty cache, a threshold and an estimate."""
    columns = draw(given_columns() if columns is None else columns)
    trace = tt.Trace.from_turns(**columns)
    return Instance.of(trace, draw(LENGTHS)), draw(LENGTHS), draw(st.integers(0, 12))


GOES_BELOW_ZERO = (Instance.of(tt.Trace.from_turns([0, 1, 0], [4, 4, 1], [0, 0, 0]), 2), 7, 1)


@pytest.mark.parametrize("form", FORMS, ids=str)
@settings(max_examples=120)
@given(cases())
@example(GOES_BELOW_ZERO)
def test_compiled_is_token_by_token(form, case):
    reused, never_ends = replayed(*case, form)
    assert (reused.tolist(), never_ends) == replayed_slowly(*case, form)


@pytest.mark.parametrize("form", [ROUND_ROBIN, TO_THE_LETTER, ONE_PASS], ids=str)
def test_compiled_is_token_by_token_on_a_longer_trace(form):
    rng = np.random.default_rng(3)
    trace = tt.Trace.from_turns(rng.integers(0, 40, 150), rng.integers(0, 20, 150), rng.integers(0, 40, 150))
    for capacity, xi in ((50, 30), (300, 60), (300, 200)):
        case = Instance.of(trace, capacity), xi, 10
        reused, never_ends = replayed(*case, form)
        assert (reused.tolist(), never_ends) == replayed_slowly(*case, form)
        assert reused.any()


@given(cases())
def test_the_first_form_is_round_robin_and_printed_at_budget_is_one_token_more(case):
    instance, xi, q_hat = case
    for form, policy in ((ROUND_ROBIN, tt.TLRU(xi, q_hat)), (AT_BUDGET, tt.TLRU(xi + 1, q_hat))):
        assert (
            replayed(instance, xi, q_hat, form)[0].tolist() == replay_reference(instance, policy).cached.tolist()
        )


@given(cases(turn_columns()), st.booleans())
def test_readings_of_the_ledger(case, strictly):
    instance, xi, q_hat = case
    readings = {
        Form(not strictly): LedgerReading(xi, q_hat, strictly, True, "until nothing is trimmed", True),
        Form(not strictly, one_pass=True): LedgerReading(xi, q_hat, strictly, True, "if", True),
    }
    for form, reading in readings.items():
        assert (
            replayed(instance, xi, q_hat, form)[0].tolist() == replay_reference(instance, reading).cached.tolist()
        )


@given(cases(turn_columns()))
def test_below_zero_is_the_ledgers_reading_up_to_the_reuse_of_what_is_not_there(case):
    instance, xi, q_hat = case
    reading = LedgerReading(xi, q_hat, False, False, "until nothing is trimmed", True)
    reused, _ = replayed(instance, xi, q_hat, TO_THE_LETTER)
    assert reused.tolist() == replay_reference(instance, reading).cached.tolist()


def test_below_zero_by_hand():
    """b = -2. After turn 0 X_0 = 2 = C; after turn 1 X_0 = 2 and X_1 = 4 are trimmed in turns to 0 and 2."""
    instance, xi, q_hat = GOES_BELOW_ZERO
    assert replayed(instance, xi, q_hat, TO_THE_LETTER)[0].tolist() == [0, 0, 0]
    narrow = Instance.of(tt.Trace.from_turns([0, 1, 1, 0], [3, 9, 9, 1], [0] * 4), 0)
    reused, _ = replayed(narrow, 6, 1, TO_THE_LETTER)
    assert reused.tolist() == replayed_slowly(narrow, 6, 1, TO_THE_LETTER)[0]
    assert reused[3] == -3
    assert ByForm(TO_THE_LETTER, clipped=True)(narrow, 6, 1)[3] == 0


def test_an_endless_loop_is_counted():
    instance = Instance.of(tt.Trace.from_turns([0, 1], [5, 5], [0, 0]), 3)
    assert replayed(instance, 0, 0, AT_BUDGET)[1] == 2
    assert replayed(instance, 0, 0, ONE_PASS)[1] == 0


def table_of(samples, shift=0.0):
    """A Measured whose T-LRU improves on LRU by `samples` per cent, everywhere."""
    percent = np.asarray(samples, float)[:, None, None, None] + shift
    return Measured(np.broadcast_to(100 - percent, (len(samples), 6, 6, 4)), bases(len(samples)), XI_MS)


def bases(n):
    return {name: np.full((n, 1, 6, 4), 100.0) for name in ("lru", "threshold-lru")}


def test_rule_on_tables_made_by_hand():
    spread = np.linspace(-30, 30, 40)
    mean = np.mean([float(cell) for row in TABLE_1.rows for cell in row])
    found = {"near": table_of(spread, mean), "as near": table_of(spread, mean + 0.5), "far": table_of(spread, 90)}
    labels = headings_to_try(TABLE_1)[0]
    samples = samples_of(TABLE_1, labels, found)
    rows = {row.reading: row for row in judged(frozen("wildchat"), TABLE_1, labels, samples)}
    assert rows["far"].verdict == "ruled out"
    assert rows["far"].outside_all == 66
    printed = np.array([[float(cell) for cell in row] for row in TABLE_1.rows])
    inside = np.abs(printed - mean) <= 30 + 0.05
    assert rows["near"].outside_all == (~inside).sum()
    assert rows["near"].verdict == "best"
    assert rows["as near"].verdict == "not told apart"
    assert rows["as near"].rmse > rows["near"].rmse == pytest.approx(printed.std())


def test_cells_under_a_reading():
    labels = headings_to_try(TABLE_1)[1]
    samples = samples_of(TABLE_1, labels, {"one": table_of([1.0, 3.0])})
    cells = list(read_cells(frozen("wildchat"), TABLE_1, labels, samples))
    assert [cell.printed for cell in cells] == [float(value) for row in TABLE_1.rows for value in row]
    for cell in cells:
        assert (cell.ours, cell.low, cell.high) == pytest.approx((2.0, 1.05, 2.95))


def test_outside_all_knows_how_printed_numbers_round():
    samples = np.array([[[1.0, 1.0]], [[2.0, 2.0]]])
    assert outside_all(samples, np.array([[2.05, 2.06]])).tolist() == [[False, True]]
    assert outside_all(samples, np.array([[0.96, 0.94]])).tolist() == [[False, True]]
    assert not is_ruled_out(samples, np.array([[2.05, 2.06]]))
    assert is_ruled_out(samples, np.array([[0.5, 2.06]]))


def test_preference_for_another_reading():
    rng = np.random.default_rng(0)
    cells = rng.normal(size=(40, 6, 10))
    one, other = cells, cells + 0.2
    assert preferring(one, other, one.mean(axis=0)) > 0.3
    assert preferring(one, other, other.mean(axis=0) + 5) == 0
    assert as_far(one, one.mean(axis=0)) == 1
    assert as_far(one, one.mean(axis=0) + 5) == 0


def test_headings_of_table_2_are_tried_for_tables_1_and_3():
    assert headings_to_try(TABLE_1) == [[50, 100, 200, 300, 500], [50, 100, 150, 200, 500]]
    assert headings_to_try(TABLE_2) == [[50, 100, 150, 200, 500]]


def test_cells_stand_where_the_table_has_them():
    cells = columns_of(table_of([1.0, 3.0]), TABLE_1.columns, [column.xi_ms for column in TABLE_1.columns])
    assert cells.shape == (2, 6, 11)
    assert cells[1] == pytest.approx(3.0)


def test_low_thresholds_never_end():
    found = endless(frozen("wildchat"), 1)
    assert found[50] == (6, 6)
    assert set(found) == set(XI_MS)


def test_the_command_judges_every_reading(tmp_path, capsys):
    sizes = ["--seeds", "2", "--other-seeds", "2", "--turns", "300", "--workers", "1"]
    main([str(tmp_path / "verdicts.csv"), "--cells", str(tmp_path / "cells.csv"), *sizes])
    with (tmp_path / "verdicts.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {row["reading"] for row in rows} == {reading.name for reading in READINGS}
    assert {row["table"] for row in rows} == set("123456")
    for row in rows:
        assert (row["verdict"] == "ruled out") == (int(row["outside_all"]) > int(row["cells"]) / 2)
    said = capsys.readouterr().out
    assert "the printed `while` never ends" in said
    rmse = [
        float(row["rmse"]) for row in rows if (row["reading"], row["assumptions"]) == ("eager", "frozen defaults")
    ]
    assert f"\n| eager | {' | '.join(f'{value:.2f}' for value in rmse)} | " in said


def test_the_verdict_on_a_reading_names_the_tables_that_rule_it_out():
    def verdict(*of):
        rows = [Judged(a, t, "", "eager", 0.0, 1, 1, 1, 1, 0.0, 0.0, said) for a, t, said in of]
        shown = []
        show_distances(rows, shown.append)
        return shown[-1].split(" | ")[-1]

    out, left = "ruled out", "best"
    assert verdict(("one", 1, left), ("one", 2, left)) == "left |\n"
    assert verdict(("one", 1, out), ("one", 2, out), ("two", 1, out)) == "ruled out |\n"
    assert verdict(("one", 1, left), ("one", 2, out), ("two", 1, out)) == "ruled out by Table 2 |\n"
