"""A solver that lies by one unit to everyone who asks it: no false number leaves, and what matters is seen.

What nobody reads does no harm: prices of an integer program, the objective of one that is proved by prices, a
price above the largest worth of a unit, which is cut to it.
"""

from collections.abc import Callable
from dataclasses import replace

import highspy
import numpy as np
import pytest
from optimal.instances import FOUR_TURNS as CASE
from optimal.test_costs import hard_case

import teltheory as tt
from proofs_checks.errata.shows import solutions
from proofs_checks.tail_optimized import certificates
from proofs_checks.tail_optimized.theorem_b1 import interval_optimum, relaxation, solved
from teltheory.claims.case import Case as Tiny
from teltheory.claims.case import World
from teltheory.claims.search import decide_safely

CAPACITY = 50
TINY = Tiny(World(((0, 100, 0), (1, 100, 0), (0, 100, 0), (1, 100, 0))), CAPACITY, 160)
Lie = Callable[[pytest.MonkeyPatch], None]


def by_method(method: str) -> Callable[[], object]:
    return lambda: CASE.optimum(method).objective


def by_weights() -> object:
    return tt.weighted_optimum(CASE.trace, CAPACITY, 160, [1, 1, 2, 1]).objective


def by_costs() -> object:
    best = tt.cost_optimum(CASE.trace, CAPACITY, tt.PiecewiseCosts.linear(CASE.trace, 160))
    return best.upper if best.status == "optimal" else refused()


def by_pieces() -> object:
    case, costs, _ = HARD
    best = tt.cost_optimum(case.trace, case.capacity, costs)
    assert best.status != "optimal"
    return best.upper if best.status == "optimal by solver" else refused()


def shown() -> object:
    return [table.below for table in solutions(TINY.as_counterexample({}))]


def refused() -> None:
    raise tt.SolverError("no optimum")


HARD = hard_case()
POINT, SAID, BOUND, OTHER = "point", "objective", "bound", "other problem"
CHEAPER, DEARER = "cheaper", "dearer"
ASKED: dict[str, tuple[Callable[[], object], set[str]]] = {
    "lp": (by_method("lp"), {POINT, CHEAPER, OTHER}),
    "milp": (by_method("milp"), {POINT, SAID, BOUND, OTHER}),
    "pyomo": (by_method("pyomo"), {POINT, SAID, BOUND, OTHER}),
    "weighted": (by_weights, {POINT, CHEAPER, DEARER, OTHER}),
    "costs": (by_costs, {POINT, CHEAPER, OTHER}),
    "pieces": (by_pieces, {BOUND}),
    "relaxation of (1)-(5)": (lambda: relaxation(TINY).objective, {POINT, CHEAPER, DEARER, OTHER}),
    "(1)-(5)": (lambda: solved(TINY), {POINT, CHEAPER, DEARER, OTHER}),
    "errata": (shown, {POINT, CHEAPER, DEARER, OTHER}),
    "interval form": (lambda: interval_optimum(TINY), {POINT, CHEAPER, OTHER}),
}
TRUTH = {name: ask() for name, (ask, _) in ASKED.items()}


def changed(call: str, **fields: Callable[[object], object]) -> Lie:
    """A lie about fields of what a call of HiGHS returns."""

    def plant(monkeypatch: pytest.MonkeyPatch) -> None:
        right = getattr(highspy.Highs, call)

        def lying(self: highspy.Highs) -> object:
            answer = right(self)
            for field, change in fields.items():
                setattr(answer, field, change(getattr(answer, field)))
            return answer

        monkeypatch.setattr(highspy.Highs, call, lying)

    return plant


def less_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """Solve another problem, with a unit of room less: point, objective, bound and prices go together."""
    right = highspy.Highs.run

    def run(self: highspy.Highs) -> object:
        program = self.getLp()
        for row, (low, up) in enumerate(zip(program.row_lower_, program.row_upper_, strict=True)):
            if up == CAPACITY:
                self.changeRowBounds(row, low, up - 1)
        return right(self)

    monkeypatch.setattr(highspy.Highs, "run", run)


def by(step: float) -> Callable[[object], object]:
    return lambda values: (np.array(values) + step).tolist()


LIES: dict[str, tuple[str, Lie]] = {"a unit of room less": (OTHER, less_room)}
for more, step in (("one more", 1.0), ("one less", -1.0)):
    LIES[f"a point of {more}"] = POINT, changed("getSolution", col_value=by(step))
    LIES[f"prices of {more}"] = DEARER if step > 0 else CHEAPER, changed("getSolution", row_dual=by(step))
    LIES[f"an objective of {more}"] = SAID, changed("getInfo", objective_function_value=by(step))
    LIES[f"a bound of {more}"] = BOUND, changed("getInfo", mip_dual_bound=by(step))


@pytest.mark.parametrize("lie", LIES)
@pytest.mark.parametrize("name", ASKED)
def test_a_lie_is_seen_or_does_no_harm(monkeypatch, name, lie):
    (ask, reads), (kind, plant) = ASKED[name], LIES[lie]
    plant(monkeypatch)
    if kind in reads:
        with pytest.raises(tt.SolverError):
            ask()
    else:
        assert ask() == TRUTH[name]


@pytest.mark.parametrize("lie", LIES)
@pytest.mark.parametrize("row", [certificates.fewest, certificates.weighted_certificate], ids=lambda row: row.id)
def test_a_lie_gives_a_row_no_false_verdict(monkeypatch, row, lie):
    few = replace(row, space=replace(row.space, quick={3: 1}, conversations=2))
    LIES[lie][1](monkeypatch)
    verdict = decide_safely(few)
    assert verdict.verdict == "holds" or (verdict.problem or "").startswith("SolverError")
    if row is certificates.weighted_certificate and lie.startswith("a point of"):
        assert verdict.verdict == "error"
