"""The program that gains its rows: as good as all rows, proved in whole numbers, honest where it stops early."""

import signal
import threading
import time
from collections.abc import Callable
from functools import partial

import highspy
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from optimal.instances import sampled
from replay.instances import Case, cases, examples
from waiting import wait_for

import teltheory as tt
from teltheory.model.numbers import exact_sum
from teltheory.optimal import solver
from teltheory.optimal.chains.intervals import IntervalProblem, interval_problem
from teltheory.optimal.chains.lazy import LazyIntervalSolver, _passing, cut_to_room
from teltheory.optimal.solver import INTERRUPTED, PackingSolver, packing, solve_intervals

SMALL = {"turns": (3, 8), "conversations": 4, "length": 3, "room": 6}
STOPS: list[threading.Event] = []
CAPACITIES = (3_000, 20_000, 60_000, 10_000, 0, 150_000)


def problem_of(case: Case) -> IntervalProblem:
    return interval_problem(case.instance, case.xi)


def proved(case: Case) -> int:
    """Objective of method "lp" after its certificate was checked."""
    best = case.optimum("lp")
    case.check(best.certificate)
    assert best.certificate.objective == best.objective == best.bound
    assert best.gap == 0
    return best.objective


@given(case=cases(turns=(1, 14), conversations=4, length=4, room=9))
@examples(300)
def test_the_certificate_of_the_prices_closes_hypothesis(case):
    assert proved(case) == case.optimum("milp").objective


@pytest.mark.parametrize("capacity", CAPACITIES)
def test_violated_rows_are_as_good_as_all_rows_on_sampled_conversations(capacity):
    case = sampled(2000, capacity)
    problem = problem_of(case)
    kept, _, _ = solve_intervals(problem)
    solution = LazyIntervalSolver(problem).solve()
    assert exact_sum(solution.kept) == exact_sum(kept)
    assert solution.rows < len(problem.needed_steps()) / 2
    assert proved(case) == case.optimum("greedy").objective


@given(case=cases(turns=(1, 14), conversations=4, forced=False))
@examples(200)
def test_no_needed_row_implies_another(case):
    problem = problem_of(case)
    steps = problem.needed_steps()
    covered = {tuple(row) for row in problem.rows(steps).toarray()}
    assert len(covered) == len(steps)
    assert not any(a != b and all(x <= y for x, y in zip(a, b, strict=True)) for a in covered for b in covered)


@given(case=cases(turns=(1, 14), conversations=4), data=st.data())
@examples(200)
def test_any_steps_bound_and_any_amounts_can_be_cut(case, data):
    problem, n = problem_of(case), len(case.conversation)
    best = problem.unavoidable - case.optimum("greedy").objective
    steps = np.array(sorted(data.draw(st.sets(st.integers(1, n)))), np.int64)
    prices = np.array([data.draw(st.integers(1, 2)) for _ in steps], np.int64)
    assert problem.worth_upper_bound(steps, prices) >= best
    kept = np.array([data.draw(st.integers(-2, int(most) + 2)) for most in problem.most], np.int64)
    cut = cut_to_room(problem, kept)
    assert problem.feasible(cut)
    within = np.clip(kept, 0, problem.most)
    assert not problem.feasible(within) or (cut == within).all()


@pytest.mark.parametrize("factor", [1, 2**30, 2**50])
def test_cutting_keeps_a_share_that_fits_at_every_scale(factor):
    room = np.array([0, 7, 7, 7, 7]) * factor
    most = np.array([5, 6, 3]) * factor
    problem = IntervalProblem(
        np.arange(3), np.array([1, 2, 4]), np.array([3, 3, 4]), most, room, 0, np.ones(3, np.int64)
    )
    cut = cut_to_room(problem, most)
    assert problem.feasible(cut)
    assert cut[2] == most[2]
    assert (cut[:2] > most[:2] * (7 / 11 - 1e-9) - 1).all()


@pytest.mark.parametrize("most", [7, 2**54, 2**60])
def test_amounts_are_cut_where_they_take_one_more_than_the_room_and_not_where_they_fill_it(most):
    """The two numbers may be the same as floats."""
    kept = np.array([most, most + 1])
    first, last, weight = np.array([1, 2]), np.array([2, 2]), np.ones(2, np.int64)
    for spare in (-1, 0):
        room = np.array([0, most, 2 * most + 1 + spare])
        problem = IntervalProblem(np.arange(2), first, last, kept, room, 0, weight)
        cut = cut_to_room(problem, kept)
        assert problem.feasible(cut)
        assert (cut == kept).all() == (spare == 0)
        assert (cut > kept * (1 - 1e-9) - (1 + most / room[2])).all()


@pytest.mark.parametrize(
    ("prices", "passed"),
    [
        ([0, 1, 0, 1], [1, 3]),
        ([1e-9, 1 - 1e-9, 0, 1 + 1e-9], [1, 3]),
        ([0.5, 0.5, 0.5, 0.5], [0, 2]),
        ([0.25, 0.25, 0.25, 0.25], [1]),
        ([0.3, 0.3, 0.4, 0.2, 0.8], [1, 4]),
        ([3.0, 0.0], [0]),
        ([], []),
    ],
)
def test_where_the_prices_pass_a_whole_number_and_a_half(prices, passed):
    places, times = _passing(np.array(prices, float))
    assert places.tolist() == passed
    assert times.tolist() == [3 if price == 3.0 else 1 for price in np.array(prices)[places]]


def test_prices_between_vertices_prove_the_optimum_too():
    """Two steps that the same intervals fill can share the price of 1 in any way."""
    problem = IntervalProblem(
        *(np.array(v) for v in ([1, 2], [1, 1], [4, 4], [5, 5], [0, 6, 9, 6, 9])), 10, np.ones(2, np.int64)
    )
    for share in (0.0, 0.2, 0.5, 0.7, 1.0):
        solver = LazyIntervalSolver(problem)
        solver._rows, solver._prices = np.array([3, 1]), np.array([1 - share, share])
        assert problem.worth_upper_bound(*solver._priced()) == 6


def before_run(monkeypatch: pytest.MonkeyPatch, number: int, act: Callable[[], object]) -> None:
    """Act in the solver's thread before its run of that number; know what tells a solver to stop."""
    run, count = highspy.Highs.run, [0]
    STOPS.clear()
    monkeypatch.setattr(solver, "Event", lambda: STOPS.append(threading.Event()) or STOPS[-1])

    def acting(self: highspy.Highs) -> object:
        count[0] += 1
        if count[0] == number:
            act()
        return run(self)

    monkeypatch.setattr(highspy.Highs, "run", acting)


def interrupt() -> None:
    signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
    wait_for(lambda: any(event.is_set() for event in STOPS))


def seconds_go_by(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let it be later than it is, by more than the limits of these tests."""
    monkeypatch.setattr("teltheory.optimal.deadline.monotonic", lambda: time.monotonic() + 200)


def check_both_sides(error: tt.SolverError, status: str, best: int, unavoidable: int) -> None:
    assert error.status == status
    assert error.bound <= best <= error.incumbent <= unavoidable
    assert error.gap == error.incumbent - error.bound > 0
    assert float(error.bound).is_integer()


@pytest.mark.parametrize(("how", "number"), [("interrupt", 1), ("interrupt", 2), ("time", 1)])
def test_an_early_stop_gives_both_sides_of_the_optimum(monkeypatch, how, number):
    case = sampled(2000, 20_000)
    problem, best = problem_of(case), case.optimum("greedy").objective
    sides = []
    for stop_at in (number, number + 1):
        lazy = LazyIntervalSolver(problem)
        with monkeypatch.context() as patch:
            before_run(patch, stop_at, interrupt if how == "interrupt" else partial(seconds_go_by, patch))
            with pytest.raises(tt.SolverError) as error:
                lazy.solve(time_limit=None if how == "interrupt" else 100)
        status = "Interrupted by user" if how == "interrupt" else "Time limit reached"
        check_both_sides(error.value, status, best, problem.unavoidable)
        sides.append(error.value.bound)
    assert sides[0] <= sides[1]


def test_an_interrupt_between_two_rounds_gives_both_sides(monkeypatch):
    case = sampled(2000, 20_000)
    problem, right, calls = problem_of(case), IntervalProblem.occupied, []

    def interrupted(self: IntervalProblem, kept: np.ndarray) -> np.ndarray:
        calls.append(kept)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return right(self, kept)

    monkeypatch.setattr(IntervalProblem, "occupied", interrupted)
    with pytest.raises(tt.SolverError) as error:
        LazyIntervalSolver(problem).solve()
    check_both_sides(error.value, "Interrupted by user", case.optimum("greedy").objective, problem.unavoidable)


def test_an_interrupt_stops_the_integer_program(monkeypatch):
    case = sampled(2000, 20_000)
    before_run(monkeypatch, 1, interrupt)
    with pytest.raises(tt.SolverError, match="Interrupted by user") as error:
        case.optimum("milp")
    best = case.optimum("greedy").objective
    assert error.value.incumbent is None or error.value.incumbent >= best
    assert error.value.bound is None or error.value.bound <= best


@pytest.mark.parametrize("whole", [False, True])
def test_an_interrupted_solve_leaves_its_work_undone_and_the_next_one_does_it(monkeypatch, whole):
    """The signal goes to the solver's thread: like one just before a wait, it wakes nobody who waits."""
    case = sampled(2000, 20_000)
    problem = problem_of(case)
    model = packing(*problem.matrix(), problem.most, whole=len(problem.turn) * whole)
    undisturbed, engine = PackingSolver(model), PackingSolver(model)
    assert undisturbed.run(None) is None
    with monkeypatch.context() as patch:
        before_run(patch, 1, lambda: (signal.raise_signal(signal.SIGINT), engine._stop.wait(5)))
        assert engine.run(None) == INTERRUPTED
    done, work = (one.highs.getInfo().simplex_iteration_count for one in (engine, undisturbed))
    assert done < work / 2
    assert engine.run(None) is None
    best = problem.unavoidable - case.optimum("greedy").objective
    assert round(engine.highs.getInfo().objective_function_value) == best


def test_a_cache_that_is_never_full_asks_no_solver(monkeypatch):
    monkeypatch.setattr(solver, "Silent", None)
    assert proved(sampled(500, 10**6)) == sampled(500, 10**6).optimum("greedy").objective
    solution = LazyIntervalSolver(problem_of(sampled(500, 10**6))).solve()
    assert (len(solution.steps), solution.rows) == (0, 0)
