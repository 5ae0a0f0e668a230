"""The exact checks on printed tables: true tables pass, planted contradictions are found."""

import csv
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.paper.consistency import (
    Pair,
    all_findings,
    best_heading,
    common_ratio,
    count_findings,
    culprits,
    least_slack,
    main,
    never_growing,
    paired,
    peak_findings,
    ratio,
    ratio_findings,
    reachable,
    sentence_findings,
)
from experiments.paper.printed import CAPACITIES, TABLE_1, TABLE_1_V1, TABLE_2, TABLE_3, TABLE_4, TABLE_5, TABLE_6

MOST = 400


def as_printed(ours, base, up=False):
    """100 (1 - ours / base) to one decimal, halves to even or up."""
    exact = 1000 * (1 - Fraction(ours, base))
    return Fraction((exact + Fraction(1, 2)) // 1 if up else round(exact), 10)


def with_cell(table, row, column, change):
    rows = [list(cells) for cells in table.rows]
    rows[row][column] += Fraction(change)
    return replace(table, rows=tuple(map(tuple, rows)))


counts = st.integers(1, MOST)
runs = st.tuples(counts, counts, st.lists(st.integers(0, MOST), min_size=1, max_size=6), st.booleans())


@given(runs)
def test_improvements_of_real_counts_have_their_common_ratio(run):
    lru, threshold, ours, up = run
    pairs = [Pair(as_printed(m, lru, up), as_printed(m, threshold, up)) for m in ours]
    if any(pair.on_threshold >= 100 - Fraction(1, 20) for pair in pairs):
        return
    common = common_ratio(pairs)
    assert common is not None
    assert common.low <= Fraction(threshold, lru) <= common.high
    assert least_slack(pairs) <= Fraction(1, 20)


@given(runs)
def test_real_counts_are_reachable(run):
    lru, threshold, ours, up = run
    pairs = [Pair(as_printed(m, lru, up), as_printed(m, threshold, up)) for m in ours]
    assert reachable(pairs, MOST)[lru, threshold]


def test_reachable_counts_are_those_of_a_search_one_by_one():
    pairs = [Pair(Fraction("8.8"), Fraction("6.6")), Pair(Fraction("-1.8"), Fraction("-4.2"))]
    most, half = 120, Fraction(1, 20)
    flags = reachable(pairs, most)
    for n, k in np.ndindex(flags.shape):
        expected = (
            bool(n and k)
            and all(
                any(
                    abs(100 * (1 - Fraction(m, n)) - a) <= half and abs(100 * (1 - Fraction(m, k)) - b) <= half
                    for m in range(2 * most)
                )
                for a, b in pairs
            )
            if n > 100
            else None
        )
        if expected is not None:
            assert flags[n, k] == expected, (n, k)


def test_ratio_of_a_pair_by_hand():
    low, high = ratio(Pair(Fraction(50), Fraction(0)))
    assert low == Fraction(4995, 10000) / Fraction(10005, 10000)
    assert high == Fraction(5005, 10000) / Fraction(9995, 10000)


def test_an_improvement_of_100_per_cent_has_no_ratio():
    with pytest.raises(ValueError, match=r"100"):
        ratio(Pair(Fraction(0), Fraction(100)))


@pytest.mark.parametrize("change", ["0.4", "-0.4"])
def test_a_changed_cell_of_table_1_is_found_and_named(change):
    changed = with_cell(TABLE_1, CAPACITIES.index(8000), 6, change)
    wrong = [finding for finding in ratio_findings(changed, TABLE_3) if not finding.agrees]
    assert [(finding.capacity, finding.metric) for finding in wrong] == [(8000, "p90")]
    assert "xi = 300 ms" in wrong[0].detail


@pytest.mark.parametrize(("table", "other"), [(TABLE_1, TABLE_3), (TABLE_4, TABLE_5)], ids=["1", "4"])
def test_a_slip_of_three_tenths_in_any_cell_of_p90_or_p95_is_found(table, other):
    for metric, capacity in product(("p90", "p95"), CAPACITIES):
        pairs = list(paired(table, other, metric, capacity).values())
        for i, slip in product(range(len(pairs)), (Fraction("0.3"), Fraction("-0.3"))):
            slipped = [*pairs[:i], pairs[i]._replace(on_lru=pairs[i].on_lru + slip), *pairs[i + 1 :]]
            assert common_ratio(pairs) is not None
            assert common_ratio(slipped) is None, (metric, capacity, i, slip)


def test_swapped_rows_are_found():
    rows = (TABLE_3.rows[1], TABLE_3.rows[0], *TABLE_3.rows[2:])
    assert not all(finding.agrees for finding in ratio_findings(TABLE_1, replace(TABLE_3, rows=rows)))


def test_culprits_are_the_pairs_that_spoil_it():
    good = [Pair(as_printed(m, 200), as_printed(m, 190)) for m in (100, 150, 180)]
    bad = Pair(good[1].on_lru + 1, good[1].on_threshold)
    assert culprits(good) == [0, 1, 2]
    assert culprits([*good, bad]) == [3]
    assert least_slack([*good, bad]) > Fraction(1, 20)


def test_a_count_that_no_turns_give_is_found():
    changed = with_cell(TABLE_2, 0, 0, "0.3")
    assert [finding.agrees for finding in count_findings(changed, 1000)][:2] == [False, True]
    assert not count_findings(changed, 1000)[-1].agrees


def test_counts_that_would_grow_with_the_capacity_are_left_out():
    first, second = np.zeros((6, 6), bool), np.zeros((6, 6), bool)
    first[3, 3] = first[2, 5] = first[1, 1] = True
    second[4, 4] = second[3, 2] = second[2, 5] = True
    left = never_growing([first, second])
    assert np.argwhere(left[0]).tolist() == [[2, 5], [3, 3]]
    assert np.argwhere(left[1]).tolist() == [[2, 5], [3, 2]]
    assert not never_growing([second[:4, :4], np.eye(4, dtype=bool) & ~second[:4, :4]])[1][3, 3]


def test_counts_of_one_sample_pass_together():
    counts_under = {c: (300 - 20 * i, 290 - 20 * i) for i, c in enumerate(CAPACITIES)}
    rows = tuple(
        tuple(
            as_printed(counts_under[c][0] - 3 * j - i, counts_under[c][against])
            for j in range(5)
            for against in (0, 1)
        )
        for i, c in enumerate(CAPACITIES)
    )
    assert all(finding.agrees for finding in count_findings(replace(TABLE_6, rows=rows), 400))


def test_the_sentence_on_p90_is_found_under_another_heading():
    assert best_heading(TABLE_1, "p90", 1000) == [300]
    assert best_heading(TABLE_1, "p95", 1000) == [300]
    assert best_heading(with_cell(TABLE_1, 0, 4, "5"), "p90", 1000) == [200]


def test_the_sentence_agrees_under_the_headings_of_version_1():
    found = [
        (finding.tables, finding.metric, finding.agrees) for finding in sentence_findings() if finding.capacity
    ]
    assert found == [("1", "p90", False), ("1", "p95", True), ("1 of version 1", "p90", True)]
    swapped = with_cell(with_cell(TABLE_1_V1, 0, 4, "7.3"), 0, 6, "5.3")
    assert [finding.agrees for finding in peak_findings(swapped, "1 of version 1")] == [False]


def test_the_command_writes_what_it_found(tmp_path, capsys):
    main([str(tmp_path / "findings.csv"), "--most", "900"])
    with (tmp_path / "findings.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(all_findings(900))
    assert "common ratio, Table 1 and 3" in capsys.readouterr().out
