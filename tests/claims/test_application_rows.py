"""The rows on tails of applications: their judges beside the package."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from claims.expected_verdicts import EXPECTED, TAIL_ROWS
from systems.apps.application_worlds import of_case

from proofs_checks import all_claims
from proofs_checks.parrot import tail_lemmas, tail_plans
from proofs_checks.parrot.small_applications import Applications, SmallApplications
from proofs_checks.parrot.tail_jobs import Jobs, of_intervals
from teltheory.claims.search import decide
from teltheory.claims.smt import cvc5_answer, z3_answer
from teltheory.model.instance import Instance
from teltheory.optimal.applications import application_optimum
from teltheory.optimal.applications.brute_force import least_excess
from teltheory.optimal.applications.hardness import most_jobs
from teltheory.optimal.applications.program import ApplicationProgram
from teltheory.optimal.solver import PackingSolver

ROWS = {claim.id: claim for claim in all_claims(("application_tails", "application_programs"))}


def cases(measure, most, edges):
    """Return some small cases."""
    space = SmallApplications(most, {}, measure, edges=edges)
    return [case for some in space.classes("quick") for case in some]


@pytest.mark.parametrize("measure", ["sum", "path"])
def test_plans_and_programs_are_those_of_the_package(measure):
    for case in cases(measure, {2: 3, 3: 2, 4: 1}, edges=True)[::83]:
        apps, xi = of_case(case), [case.xi] * case.measures()["applications"]
        assert tail_plans.least(case) == least_excess(apps, case.capacity, xi, measure)
        program = ApplicationProgram(apps, Instance.of(apps.trace, case.capacity), tuple(xi), measure)
        values = PackingSolver(program.packed()).optimum(None).values
        assert tail_plans.relaxed(case) == pytest.approx(values[: apps.applications].sum())


def test_jobs_are_counted_as_in_the_package():
    for jobs in list(of_intervals(3))[::11]:
        assert jobs.served == most_jobs(jobs.jobs)
        case = jobs.applications()
        found = application_optimum(of_case(case), 1, case.xi)
        assert found.upper == len(jobs.jobs) - jobs.served
    assert Jobs((((0, 3),), ((1, 4),), ((2, 5), (6, 7)))).served == 2


QUICK = [name for name in TAIL_ROWS if name.endswith(("overflow", "together", "tight", "equal"))]


@pytest.mark.parametrize("name", QUICK)
def test_rows_have_their_verdicts_on_few_cases(name):
    row = replace(ROWS[name], proof=None)
    assert decide(row).verdict == EXPECTED.get(name, "holds")


def test_the_counterexample_of_the_program_is_the_smallest():
    found = decide(replace(ROWS["parrot.tail.program.path"], proof=None)).counterexample
    assert found["requests"] == [[0, 0, 1, 0], [0, 1, 1, 0], [0, 0, 0, 0], [0, 1, 0, 0]]
    assert found["values"] == {"linear program": "3/2", "least": 2}
    nested = Applications(((0, 0, 1, 0), (1, 1, 1, 0), (1, 1, 0, 0), (1, 1, 0, 0), (0, 0, 1, 0)), ((),) * 5, 1, 2)
    assert (tail_plans.relaxed(nested), tail_plans.least(nested)) == (Fraction(1, 2), 1)


def test_an_obligation_without_its_condition_is_not_proved():
    weaker = [one for one in tail_lemmas.obligations() if one.name.startswith(("a waiting", "one turn"))]
    for one in weaker:
        assert z3_answer(one.text) == cvc5_answer(one.text) == "unsat"
        without = replace(one, hypotheses=one.hypotheses[:-1])
        assert z3_answer(without.text) == "sat"


def test_every_case_is_tried_once_and_edges_are_needed():
    some = cases("path", {3: 2}, edges=True)
    assert len({(case.turns, case.after, case.capacity, case.xi) for case in some}) == len(some)
    assert any(any(case.after) for case in some)
    chain = Applications(((0, 0, 1, 0), (0, 1, 1, 0), (0, 2, 1, 0)), ((), (0,), (0, 1)), 1)
    assert chain.paths == ((0, 2), (0, 1, 2))


def test_routes_of_a_trace_are_those_of_the_package():
    rng = np.random.default_rng(3)
    for case in rng.permutation(np.array(cases("path", {3: 2, 4: 1}, edges=True), object))[:50]:
        apps = of_case(case)
        assert apps.before == case.before
        longest = [max(len(path) - path.index(k) for path in case.paths if k in path) for k in range(len(apps))]
        assert list(apps.left) == longest
