"""Optima of linear programs, proved in fractions."""

from dataclasses import replace
from fractions import Fraction
from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from optimal.test_hindsight import WRONG_WITH_PRESOLVE, brute_force
from refusals import refused
from replay.instances import cases, examples
from scipy.sparse import csc_array

import teltheory as tt
from teltheory.optimal.chains.formulation import hindsight_model
from teltheory.optimal.exact import LinearProgram, bound_of, cost_of, proved_optimum

SMALL = st.integers(-4, 4)


def program(cost: list, low: list, high: list, matrix: list, room: list) -> LinearProgram:
    columns = (np.array(column, float) for column in (cost, low, high))
    names = tuple(f"x{j}" for j in range(len(cost)))
    return LinearProgram(names, *columns, csc_array(np.array(matrix, float)), np.array(room, float))


# min -x - y with 2 x + y <= 2, x + 2 y <= 2 and 0 <= x, y: x = y = 2/3
THIRDS = program([-1, -1], [0, 0], [inf, inf], [[2, 1], [1, 2]], [2, 2])


def test_an_optimum_in_fractions():
    proved = proved_optimum(THIRDS)
    assert proved.objective == Fraction(-4, 3)
    assert proved.values == {"x0": Fraction(2, 3), "x1": Fraction(2, 3)}


def test_no_optimum_is_an_error():
    unbounded = replace(THIRDS, room=np.array([2.0]), matrix=csc_array(np.array([[-1.0, -1.0]])))
    infeasible = replace(THIRDS, low=np.array([1.0, 1.0]))
    for wrong in (unbounded, infeasible):
        with pytest.raises(tt.SolverError):
            proved_optimum(wrong)


@pytest.mark.parametrize("second", [Fraction(-1), Fraction(2, 3) + Fraction(1, 10**9)])
def test_a_point_outside_costs_nothing(second):
    refused(tt.SolverError, "not proved in fractions", lambda: cost_of(THIRDS, [Fraction(2, 3), second]))


@pytest.mark.parametrize("prices", [(Fraction(-1), Fraction(1)), (Fraction(0), Fraction(0))])
def test_prices_that_bound_nothing(prices):
    refused(tt.SolverError, "not proved in fractions", lambda: bound_of(THIRDS, list(prices)))


@given(data=st.data())
@examples(300)
def test_no_prices_bound_more_than_a_point_costs(data):
    rows, columns = data.draw(st.integers(1, 3)), data.draw(st.integers(1, 3))
    matrix = [[data.draw(SMALL) for _ in range(columns)] for _ in range(rows)]
    cost, point = ([data.draw(SMALL) for _ in range(columns)] for _ in range(2))
    low, high = ([x + sign * data.draw(st.integers(0, 3)) for x in point] for sign in (-1, 1))
    room = [int(np.dot(row, point)) + data.draw(st.integers(0, 2)) for row in matrix]
    some = program(cost, low, high, matrix, room)
    prices = [Fraction(data.draw(st.integers(0, 6)), data.draw(st.integers(1, 3))) for _ in range(rows)]
    assert bound_of(some, prices) <= cost_of(some, list(map(Fraction, point))) == np.dot(cost, point)
    assert bound_of(some, prices) <= proved_optimum(some).objective <= np.dot(cost, point)


@given(case=cases(turns=(1, 7), conversations=3, length=4, room=8))
@examples(100)
def test_the_model_of_the_hindsight_problem_has_the_optimum_that_brute_force_finds(case):
    assert of_model(case) == brute_force(case)


def of_model(case: object) -> Fraction:
    proved = proved_optimum(LinearProgram.of_model(hindsight_model(case.instance, case.xi)))
    assert all(value.denominator == 1 for value in proved.values.values())
    return proved.objective


def test_the_case_that_presolve_gets_wrong():
    assert of_model(WRONG_WITH_PRESOLVE) == 11
