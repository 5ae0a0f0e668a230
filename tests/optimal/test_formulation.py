"""Problem (1)-(5) in Pyomo and its interval form: what they are made of."""

from dataclasses import replace

import numpy as np
import pyomo.environ as pyo
import pytest
from hypothesis import given
from hypothesis import strategies as st
from optimal.instances import SMALL
from pyomo.repn import generate_standard_repn
from replay.instances import Case, cases, examples, fewer, lengths, seeded

import teltheory as tt
from teltheory.optimal.chains.brute_force import smallest_total
from teltheory.optimal.chains.formulation import hindsight_model
from teltheory.optimal.chains.intervals import interval_problem
from teltheory.optimal.solver import solve_model

ALWAYS = {"tail_excess_latency", "excess", "capacity", "prefix_cannot_grow"}
THREE_TURNS = Case((0, 1, 0), (2, 3, 1), (1, 0, 0), None, capacity=4, xi=1, q_hat=0)


def components(case: Case, **options: bool) -> set[str]:
    model = hindsight_model(case.instance, case.xi, **options)
    kinds = (pyo.Objective, pyo.Constraint)
    return {component.name for kind in kinds for component in model.component_objects(kind)}


@pytest.mark.parametrize("forced", [False, True])
@pytest.mark.parametrize("given_too", [False, True])
@pytest.mark.parametrize("initial_state", [False, True])
def test_one_named_component_for_each_equation(forced, given_too, initial_state):
    case = replace(THREE_TURNS, forced=forced, history=(0, 0, 2) if given_too else None)
    expected = ALWAYS | {"forced_history" if forced else "history"}
    expected |= {"history_cut"} if given_too else set()
    expected |= {"initial_state"} if initial_state else set()
    assert components(case, initial_state=initial_state) == expected


def linear(constraint: object) -> tuple[dict[str, float], str, float]:
    """Coefficients by variable, "<=" or "==", right side; a constraint that says >= is turned around."""
    repn = generate_standard_repn(constraint.body)
    coefficients = {v.name: c for v, c in zip(repn.linear_vars, repn.linear_coefs, strict=True)}
    low, high = pyo.value(constraint.lower), pyo.value(constraint.upper)
    if low is not None and high is None:
        return {name: -c for name, c in coefficients.items()}, "<=", repn.constant - low
    return coefficients, "<=" if low is None else "==", high - repn.constant


def rows_of(model: object, name: str) -> dict[object, tuple[dict[str, float], str, float]]:
    return {index: linear(row) for index, row in getattr(model, name).items()}


def test_the_equations_of_three_turns():
    """A(2, 1), B(3, 0), A(1, 0), C = 4, xi = 1, written out by hand."""
    model = hindsight_model(THREE_TURNS.instance, 1)
    assert model.tail_excess_latency.sense == pyo.minimize
    objective = generate_standard_repn(model.tail_excess_latency.expr)
    assert objective.constant == 0
    weights = zip(objective.linear_vars, objective.linear_coefs, strict=True)
    assert {v.name: c for v, c in weights} == {"u[0,1]": 1, "u[1,2]": 1, "u[0,3]": 1}
    assert rows_of(model, "excess") == {  # u >= total - x - xi
        (0, 1): ({"x[0,1]": -1, "u[0,1]": -1}, "<=", -(2 - 1)),
        (1, 2): ({"x[1,2]": -1, "u[1,2]": -1}, "<=", -(3 - 1)),
        (0, 3): ({"x[0,3]": -1, "u[0,3]": -1}, "<=", -(4 - 1)),
    }
    assert rows_of(model, "capacity") == {t: ({f"x[0,{t}]": 1, f"x[1,{t}]": 1}, "<=", 4) for t in (1, 2, 3)}
    assert rows_of(model, "history") == {(0, 1): ({"x[0,2]": 1}, "<=", 3), (1, 2): ({"x[1,3]": 1}, "<=", 3)}
    assert rows_of(model, "prefix_cannot_grow") == {
        (1, 1): ({"x[1,2]": 1, "x[1,1]": -1}, "<=", 0),
        (0, 2): ({"x[0,3]": 1, "x[0,2]": -1}, "<=", 0),
    }
    assert rows_of(model, "initial_state") == {0: ({"x[0,1]": 1}, "<=", 0), 1: ({"x[1,1]": 1}, "<=", 0)}
    forced = hindsight_model(replace(THREE_TURNS, forced=True).instance, 1)
    assert rows_of(forced, "forced_history") == {
        (0, 1): ({"x[0,2]": 1}, "==", 3),
        (1, 2): ({"x[1,3]": 1}, "==", 3),
    }


def test_the_cut_to_a_given_history():
    """A(2), A(0) with a history of 1: x <= 1; under forced caching the cut is on the excess instead."""
    case = Case((0, 0), (2, 0), (0, 0), (0, 1), capacity=4, xi=0, q_hat=0, initial=((9, 3, 1),))
    model = hindsight_model(case.instance, 0)
    assert rows_of(model, "history_cut") == {(0, 1): ({"x[0,1]": 1}, "<=", 0), (0, 2): ({"x[0,2]": 1}, "<=", 1)}
    assert rows_of(model, "initial_state")[1] == ({"x[1,1]": 1}, "<=", 1)
    forced = hindsight_model(replace(case, prompt=(2, 3), forced=True).instance, 1)
    assert rows_of(forced, "history_cut")[0, 2] == ({"u[0,2]": -1}, "<=", -(4 - 1 - 1))


@pytest.mark.parametrize(("relaxed", "domain"), [(False, pyo.NonNegativeIntegers), (True, pyo.NonNegativeReals)])
def test_domains(relaxed, domain):
    model = hindsight_model(THREE_TURNS.instance, 1, relaxed=relaxed)
    assert all(variable.domain is domain for variable in (*model.x.values(), *model.u.values()))
    assert len(model.x) == 2 * 3
    assert len(model.u) == 3


def test_as_printed_the_formulation_conjures_a_cache():
    """A(1), C = 1, xi = 0: nothing is cached before it was ever computed, so that the truth is 1, not 0."""
    case = Case((0,), (1,), (0,), None, capacity=1, xi=0, q_hat=0)
    printed, _ = solve_model(hindsight_model(case.instance, 0, initial_state=False))
    given_state, _ = solve_model(hindsight_model(case.instance, 0))
    assert printed == pytest.approx(0)
    assert given_state == pytest.approx(1)
    assert smallest_total(case.instance, lambda u: u) == 1


def test_the_relaxation_has_the_same_optimum():
    for case in seeded(fewer(200), 31, **SMALL):
        values = [
            solve_model(hindsight_model(case.instance, case.xi, relaxed=relaxed)) for relaxed in (False, True)
        ]
        (whole, bound), (relaxed, relaxed_bound) = values
        expected = smallest_total(case.instance, lambda u, xi=case.xi: max(u - xi, 0))
        assert [whole, bound, relaxed, relaxed_bound] == pytest.approx([expected] * 4, abs=1e-6)


def all_rows(case: Case) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """Bounds, one row a step and their right sides, and the TEL without a cache, from the case alone."""
    rows, turns = lengths(case), len(case.conversation)
    held = {conversation: cached for conversation, _, cached in case.initial}
    matrix, most = np.zeros((turns, turns)), np.zeros(turns)
    latest: dict[int, int] = {}
    for k, c in enumerate(case.conversation):
        history, total, _ = rows[k]
        most[k] = min(history, max(0, total - case.xi), history if c in latest else held.get(c, 0))
        begin = latest[c] + 1 + case.forced if c in latest else 0
        matrix[begin : k + 1, k] = 1
        latest[c] = k
    room = np.full(turns, case.capacity)
    if case.forced:
        room[1:] -= np.array([past for _, _, past in rows[:-1]], np.int64)
    return matrix, room, most, sum(max(0, total - case.xi) for _, total, _ in rows)


@given(case=cases(turns=(1, 14), conversations=4))
@examples(300)
def test_the_matrix_is_an_interval_matrix(case):
    problem = interval_problem(case.instance, case.xi)
    matrix, room = problem.matrix()
    assert matrix.shape == (len(room), len(problem.turn))
    dense = matrix.toarray()
    assert set(np.unique(dense)) <= {0.0, 1.0}
    for column in dense.T:
        ones = np.flatnonzero(column)
        assert len(ones) == 0 or (np.diff(ones) == 1).all()
    every, every_room, most, _ = all_rows(case)
    assert {tuple(row) for row in np.column_stack([dense, room])} <= {
        tuple(row) for row in np.column_stack([every[:, problem.turn], every_room])
    }
    assert problem.most.tolist() == most[problem.turn].tolist()
    assert most.sum() == problem.most.sum()


@given(case=cases(turns=(1, 10), conversations=3), data=st.data())
@examples(300)
def test_the_needed_rows_and_the_bounds_allow_what_all_rows_allow(case, data):
    """Any whole y within its bounds fits the needed rows if and only if it fits all; `feasible` says the same."""
    problem = interval_problem(case.instance, case.xi)
    kept = np.array([data.draw(st.integers(0, int(most))) for most in problem.most], np.int64)
    matrix, room = problem.matrix()
    every, every_room, _, _ = all_rows(case)
    fits = bool((every[:, problem.turn] @ kept <= every_room).all())
    assert problem.feasible(kept) == fits
    assert bool((matrix @ kept <= room).all()) == fits


def test_the_interval_form_of_a_small_instance():
    """Initial cache B: 2; turns A(2, 1), B(1, 0), A(1, 0), A(0, 0), B(0, 0); C = 6, xi = 1."""
    case = Case((0, 1, 0, 0, 1), (2, 1, 1, 0, 0), (1, 0, 0, 0, 0), None, 6, xi=1, q_hat=0, initial=((1, 4, 2),))
    problem = interval_problem(case.instance, case.xi)
    assert problem.turn.tolist() == [1, 2, 3, 4]
    assert problem.most.tolist() == [2, 3, 3, 4]
    assert problem.first.tolist() == [1, 2, 4, 3]
    assert problem.last.tolist() == [2, 3, 4, 5]
    assert problem.room[1:].tolist() == [6] * 5
    assert problem.unavoidable == 1 + 4 + 3 + 3 + 4
    assert problem.reused(np.array([2, 3, 1, 4]), 5).tolist() == [0, 2, 3, 1, 4]
    forced = interval_problem(replace(case, forced=True).instance, case.xi)
    assert forced.first.tolist() == [1, 3, 5, 4]
    assert forced.last.tolist() == [2, 3, 4, 5]
    assert forced.room[1:].tolist() == [6, 3, 1, 2, 2]


SOME = interval_problem(Case((0, 1, 0, 1), (3, 4, 0, 0), (0,) * 4, None, 5, xi=0, q_hat=0).instance, 0)


def test_nothing_worth_keeping_leaves_no_interval():
    for case in seeded(50, 3, start=False):
        problem = interval_problem(case.instance, 10**6)
        assert len(problem.turn) == 0
        assert problem.unavoidable == 0
        best = tt.hindsight_optimum(case.trace, case.capacity, 10**6, case.forced, method="lp")
        assert (best.objective, best.bound) == (0, 0.0)
