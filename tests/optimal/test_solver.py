"""A solver that stops early, or claims what is not so, is never read as an optimum."""

from dataclasses import replace
from types import SimpleNamespace

import highspy
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from optimal.instances import FOUR_TURNS
from pyomo.contrib.solver.common.results import SolutionStatus, TerminationCondition
from refusals import refused
from replay.instances import Case, examples, seeded
from scipy.sparse import csr_array

import teltheory as tt
from teltheory.optimal.chains import formulation
from teltheory.optimal.chains.formulation import hindsight_model
from teltheory.optimal.chains.intervals import interval_problem
from teltheory.optimal.solver import GrowingProgram, solve_intervals, solve_model

LARGE = replace(
    next(seeded(1, 1, turns=(60, 60), conversations=5, length=300, forced=False, start=False)),
    capacity=3000,
    xi=100,
)
ALWAYS = {"presolve": "off", "mip_heuristic_run_feasibility_jump": False}
NOT_OPTIMAL = [status for name, status in highspy.HighsModelStatus.__members__.items() if name != "kOptimal"]


def optimum(case: Case, method: str, **options: object) -> tt.Optimum:
    return tt.hindsight_optimum(case.trace, case.capacity, case.xi, case.forced, case.initial, method, **options)


def test_highs_is_silent_before_it_first_prints(monkeypatch):
    flags, enabled = [], highspy.Highs.enableCallbacks

    def noted(self):
        flags.append(self.getOptionValue("output_flag")[1])
        enabled(self)

    monkeypatch.setattr(highspy.Highs, "enableCallbacks", noted)
    GrowingProgram(np.ones(1), np.ones(1)).solve()
    assert flags == [False]


@pytest.mark.parametrize("time_limit", [0, 1e-9])
@pytest.mark.parametrize("method", ["lp", "milp", "pyomo"])
def test_no_time_is_no_optimum(method, time_limit):
    with pytest.raises(tt.SolverError, match=r"Time limit reached|maxTimeLimit") as error:
        optimum(LARGE, method, time_limit=time_limit)
    best = optimum(LARGE, "greedy").objective
    assert "ime" in error.value.status
    assert error.value.incumbent is None or error.value.incumbent >= best
    assert error.value.bound is None or error.value.bound <= best
    assert optimum(LARGE, method, time_limit=60).objective == best


def test_greedy_has_no_time_limit():
    at_once, best = optimum(LARGE, "greedy", time_limit=0), optimum(LARGE, "greedy")
    assert (at_once.objective, at_once.outcome) == (best.objective, best.outcome)


@pytest.mark.parametrize("status", NOT_OPTIMAL)
@pytest.mark.parametrize("method", ["lp", "milp"])
def test_no_status_but_optimal_is_an_optimum(monkeypatch, method, status):
    assert optimum(FOUR_TURNS, method).objective == 30
    monkeypatch.setattr(highspy.Highs, "getModelStatus", lambda self: status)
    error = refused(tt.SolverError, "no optimum was proved", optimum, FOUR_TURNS, method)
    assert error.status == highspy.Highs().modelStatusToString(status)


@pytest.mark.parametrize("call", ["passModel", "run", "setOptionValue"])
@pytest.mark.parametrize("method", ["lp", "milp"])
def test_a_refused_call_is_an_error(monkeypatch, method, call):
    monkeypatch.setattr(highspy.Highs, call, lambda self, *arguments: highspy.HighsStatus.kError)
    refused(tt.SolverError, "refused by HiGHS", optimum, FOUR_TURNS, method)


@pytest.mark.parametrize(
    ("call", "what", "ask"),
    [
        ("addRows", "rows", lambda program: program.add_rows(csr_array(np.ones((1, 2))), np.ones(1))),
        ("changeColsCost", "weights", lambda program: program.weigh(np.ones(2))),
    ],
)
def test_refused_rows_and_weights_are_errors(monkeypatch, call, what, ask):
    monkeypatch.setattr(highspy.Highs, call, lambda self, *arguments: highspy.HighsStatus.kError)
    refused(tt.SolverError, f"{what} refused by HiGHS", lambda: ask(GrowingProgram(np.ones(2), np.ones(2))))


@given(
    st.lists(st.tuples(st.integers(1, 9), st.integers(0, 30)), min_size=1, max_size=6),
    st.integers(0, 30),
    st.sampled_from([1, 2**40]),
)
@example([(1, 0), (1, 30)], 1, 1)
@examples(150)
def test_a_program_that_is_weighed_again_has_the_optimum_of_its_new_weights(columns, room, unit):
    """With one row the dearest units are taken first, as far as there is room; the row's price proves it."""
    most, worth = np.array(columns).T
    program = GrowingProgram(most, np.full(len(most), 30 * unit))
    program.add_rows(csr_array(np.ones((1, len(most)))), np.array([room]))
    for weight in (worth * unit, (30 - worth) * unit):
        program.weigh(weight)
        values, (price,) = program.solve()
        best = sum(np.repeat(np.sort(weight)[::-1], most[np.argsort(weight)[::-1]])[:room].tolist())
        assert weight @ values == pytest.approx(best)
        assert room * price + np.maximum(weight - price, 0) @ most == pytest.approx(best)


def test_a_wrong_option_is_an_error():
    problem = interval_problem(FOUR_TURNS.instance, FOUR_TURNS.xi)
    refused(tt.SolverError, "time_limit refused", solve_intervals, problem, time_limit=-1.0)


@pytest.mark.parametrize(("method", "asked_too"), [("lp", {}), ("milp", {"mip_rel_gap": 0.0})])
def test_the_solver_is_asked_for_all_of_the_optimum_in_one_thread(monkeypatch, method, asked_too):
    right, asked = highspy.Highs.setOptionValue, {}
    monkeypatch.setattr(
        highspy.Highs, "setOptionValue", lambda self, *option: asked.update([option]) or right(self, *option)
    )
    optimum(FOUR_TURNS, method, time_limit=8)
    assert asked.pop("time_limit") == pytest.approx(8, abs=0.5)
    assert asked == {"output_flag": False, "threads": 1, **ALWAYS, **asked_too}


def test_a_time_limit_counts_from_the_start_of_its_own_solve(monkeypatch):
    """HiGHS adds up the time of all runs of one object."""
    right, limits = highspy.Highs.setOptionValue, []
    monkeypatch.setattr(
        highspy.Highs, "setOptionValue", lambda self, *option: limits.append(option) or right(self, *option)
    )
    monkeypatch.setattr(highspy.Highs, "getRunTime", lambda self: 100.0)
    optimum(FOUR_TURNS, "milp", time_limit=8)
    assert ("time_limit", 108.0) in limits


def claims(monkeypatch: pytest.MonkeyPatch, values: list[float]) -> None:
    monkeypatch.setattr(
        highspy.Highs, "getSolution", lambda self: SimpleNamespace(col_value=values, row_dual=[1.0])
    )


@pytest.mark.parametrize(
    "values",
    [
        [40.0, 40.0],  # infeasible: 80 of A and B in the one step that both cover, where there is room for 50
        [50.0, 0.0],  # above the bound of 40
        [-5.0, 45.0],  # below 0
        [20.0, 20.0],  # feasible and worse
        [0.0, 0.0],
        [24.4, 24.4],  # fractional: 48.8 is no vertex, and 24 + 24 is not enough
        [25.6, 25.6],  # fractional: 26 + 26 is too much
        [40.0, 9.0],
    ],
)
@pytest.mark.parametrize("method", ["lp", "milp"])
def test_a_wrong_solution_is_caught_by_the_exact_check(monkeypatch, method, values):
    problem = interval_problem(FOUR_TURNS.instance, FOUR_TURNS.xi)
    assert problem.most.tolist() == [40, 40]
    assert solve_intervals(problem)[1:] == (50, 50)
    claims(monkeypatch, values)
    refused(tt.SolverError, "not in whole numbers", optimum, FOUR_TURNS, method)


@pytest.mark.parametrize("values", [[40.0, 10.0], [10.0, 40.0], [25.0 + 1e-9, 25.0 - 1e-9]])
@pytest.mark.parametrize("method", ["lp", "milp"])
def test_a_right_solution_is_taken_with_its_rounding_errors(monkeypatch, method, values):
    claims(monkeypatch, values)
    assert optimum(FOUR_TURNS, method).outcome.cached[2:].tolist() == np.rint(values).tolist()


def test_no_interval_needs_no_solver(monkeypatch):
    monkeypatch.setattr(highspy, "Highs", None)
    kept, worth, bound = solve_intervals(interval_problem(FOUR_TURNS.instance, 200))
    assert (len(kept), worth, bound) == (0, 0.0, 0.0)


class FakeSolver:
    def __init__(self, **result: object) -> None:
        self.result = SimpleNamespace(incumbent_objective=60.0, objective_bound=0.0, **result)
        self.options: dict[str, object] = {}

    def solve(self, model: object, **options: object) -> SimpleNamespace:
        self.options = options
        self.result.solution_loader = SimpleNamespace(load_vars=self.refuse)
        return self.result

    def refuse(self) -> None:
        raise AssertionError("the solution was loaded")


@pytest.mark.parametrize(
    ("solution", "termination"),
    [
        *[
            (SolutionStatus.optimal, condition)
            for condition in TerminationCondition
            if condition != TerminationCondition.convergenceCriteriaSatisfied
        ],
        *[
            (status, TerminationCondition.convergenceCriteriaSatisfied)
            for status in SolutionStatus
            if status != SolutionStatus.optimal
        ],
        (SolutionStatus.feasible, TerminationCondition.maxTimeLimit),
    ],
)
def test_no_pyomo_result_but_optimal_is_an_optimum(monkeypatch, solution, termination):
    fake = FakeSolver(solution_status=solution, termination_condition=termination)
    monkeypatch.setattr("pyomo.contrib.solver.common.factory.SolverFactory", lambda name: fake)
    with pytest.raises(tt.SolverError) as error:
        optimum(FOUR_TURNS, "pyomo", time_limit=7)
    assert error.value.status == termination.name
    assert (error.value.incumbent, error.value.bound) == (60.0, 0.0)
    assert fake.options["time_limit"] == 7
    assert fake.options["rel_gap"] == fake.options["abs_gap"] == 0
    assert fake.options["solver_options"] == ALWAYS


def test_an_infeasible_or_unbounded_model_is_no_optimum():
    model = hindsight_model(FOUR_TURNS.instance, FOUR_TURNS.xi)
    model.x[0, 2].setlb(101)
    refused(tt.SolverError, r"[Ii]nfeasible", solve_model, model)
    assert all(variable.value is None for variable in model.x.values())
    unbounded = hindsight_model(FOUR_TURNS.instance, FOUR_TURNS.xi, relaxed=True)
    unbounded.excess.deactivate()
    for variable in unbounded.u.values():
        variable.setlb(None)
        variable.domain = formulation.pyo.Reals
    refused(tt.SolverError, "nbounded", solve_model, unbounded)


def test_a_pyomo_solution_is_not_rounded_to_whole_numbers():
    model = hindsight_model(FOUR_TURNS.instance, FOUR_TURNS.xi)
    solve_model(model)
    model.x[0, 3].set_value(10.5, skip_validation=True)
    refused(tt.SolverError, "not in whole numbers: x[0,3] is 10.5", formulation.whole_point, model)


def test_a_solver_without_an_optimum_says_how_far_it_came():
    error = tt.SolverError("kTimeLimit", 7.0, 3.0)
    assert (error.status, error.incumbent, error.bound) == ("kTimeLimit", 7.0, 3.0)
    assert isinstance(error, RuntimeError)
    assert str(error) == "no optimum was proved: solver status 'kTimeLimit', incumbent 7.0, bound 3.0"
