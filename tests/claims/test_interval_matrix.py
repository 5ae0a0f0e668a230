"""The check behind `hindsight.integral` sees a matrix that is no interval matrix."""

from __future__ import annotations

import pytest

from proofs_checks.tail_optimized.hindsight import is_integral, is_run


@pytest.mark.parametrize("column", [[], [0, 0], [1], [0, 1, 1, 0], [1, 1, 1], [0, 0, 1]])
def test_one_run_of_ones(column):
    assert is_run(column)


@pytest.mark.parametrize("column", [[1, 0, 1], [0, 1, 0, 0, 1], [2], [0, 1, 0.5], [-1, 0]])
def test_a_gap_or_another_number(column):
    assert not is_run(column)


def test_a_gap_or_another_optimum_refutes():
    assert is_integral({"columns with a gap": 0, "relaxation": 3, "optimum": 3})
    assert not is_integral({"columns with a gap": 1, "relaxation": 3, "optimum": 3})
    assert not is_integral({"columns with a gap": 0, "relaxation": 2, "optimum": 3})
