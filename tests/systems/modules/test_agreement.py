"""Shares, differences and their intervals, against formulas of their own."""

from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from teltheory.systems.modules.agreement import agreements, mean, share
from teltheory.systems.modules.quality import Read

Z = 1.959963984540054


@given(st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_a_share_has_wilsons_interval(counts):
    yes, n = counts
    found, p = share([True] * yes + [False] * (n - yes)), yes / n
    middle, half = p + Z**2 / (2 * n), Z * sqrt(p * (1 - p) / n + Z**2 / (4 * n * n))
    expected = [p, (middle - half) / (1 + Z**2 / n), (middle + half) / (1 + Z**2 / n)]
    assert [found.value, found.low, found.high] == pytest.approx(expected, abs=1e-9)


def test_a_mean_has_about_the_interval_of_students_t():
    values = [0.0] * 30 + [1.0] * 70
    found, half = mean(values, 0), 1.9842 * sqrt(0.7 * 0.3 / 99)
    assert found.value == 0.7
    assert (found.low, found.high) == pytest.approx((0.7 - half, 0.7 + half), abs=0.015)


def read(kind, reading, right, kl=0.0):
    return Read(kind, reading, 0, right, right, right, kl)


def test_readings_are_held_against_full_attention_task_by_task():
    reads = [read("a", "full", True), read("a", "alone", False, 2.0), read("b", "full", False)]
    reads += [read("b", "alone", True, 1.0), read("b", "full", True), read("b", "alone", False, 6.0)]
    rows = {(row.reading, row.kind): row for row in agreements(reads, kinds=True)}
    assert list(rows) == [(name, kind) for kind in (None, "a", "b") for name in ("full", "alone")]
    alone, full = rows["alone", None], rows["full", None]
    assert (full.right.value, full.less.value, full.less.low, full.less.high) == (2 / 3, 0, 0, 0)
    assert (alone.right.value, alone.less.value, alone.kl.value, alone.items) == (
        1 / 3,
        pytest.approx(-1 / 3),
        3,
        3,
    )
    assert alone.less.low < -1 / 3 < alone.less.high
    assert (rows["alone", "b"].right.value, rows["alone", "b"].less.value) == (0.5, 0)
