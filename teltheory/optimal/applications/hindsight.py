"""The least excess of applications in hindsight: both sides, and no answer of a solver is believed.

1. The linear relaxation is solved, and its duals make a certificate; what that proves is counted in whole numbers.
2. Plans are what some policies do, and what the integer program finds. Each is counted again; the best is kept.
3. Where the two sides meet the search ends. Deciding whether they can is NP-hard in the strong sense
   (`teltheory.optimal.applications.hardness`), so the search may be given a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

import numpy as np

from teltheory.cost.applications import application_tel
from teltheory.errors import ArgumentError, SolverError
from teltheory.model.applications import ApplicationTrace, Measure, check_measure, thresholds
from teltheory.model.instance import Instance
from teltheory.model.numbers import IntArray
from teltheory.model.outcome import Outcome
from teltheory.optimal.applications.certificate import ApplicationCertificate, proved_bound
from teltheory.optimal.applications.program import ApplicationProgram
from teltheory.optimal.deadline import deadline_of, seconds_left
from teltheory.optimal.sides import Optimum
from teltheory.policies.application_tlru import ApplicationTLRU
from teltheory.policies.clairvoyant import Belady
from teltheory.policies.online import LRU
from teltheory.replay.applications import replay_applications

METHODS = ("auto", "lp", "milp", "pyomo")


def application_optimum(
    apps: ApplicationTrace,
    capacity: int,
    xi: int | Sequence[int] | IntArray,
    measure: Measure = "sum",
    forced: bool = False,
    method: str = "auto",
    time_limit: float | None = None,
) -> Optimum:
    """Return the least excess of all applications that any policy reaches on a trace known in advance.

    Parameters
    ----------
    apps : ApplicationTrace
        The applications; the cache is empty at first.
    capacity, xi, forced : as in `Problem`
        Whole numbers in the trace's unit; `xi` may have one for each application.
    measure : {"sum", "path"}
        Whether an application's excess is of all its turns, or of its heaviest path.
    method : {"auto", "lp", "milp", "pyomo"}
        "lp" asks no integer program: the upper side is a policy's. "auto" asks one unless the sides meet before;
        "milp" always does; "pyomo" asks the problem as it is written, turn by turn and step by step.
    time_limit : float, optional
        Seconds for the solver; then what was found is returned.

    Raises
    ------
    ArgumentError, ForcedCachingError, SolverError
        Wrong arguments; a certificate's bound above a plan, which is a fault of this toolkit.
    """
    if method not in METHODS:
        raise ArgumentError("method", method, "'auto', 'lp', 'milp' or 'pyomo'")
    deadline = deadline_of(time_limit)
    instance, each = Instance.of(apps.trace, capacity, forced=forced), thresholds(apps, xi)
    program = ApplicationProgram(apps, instance, each, check_measure(measure))
    certificate = _certified(program, seconds_left(deadline))
    known = [("policy", one) for one in _replayed(program)]
    best = min(known, key=lambda plan: _excess(program, plan[1]))
    bound = None
    if method in ("milp", "pyomo") or (method == "auto" and _excess(program, best[1]) > certificate.lower):
        name = "pyomo" if method == "pyomo" else "milp"
        found, bound = (_by_pyomo if name == "pyomo" else _solved)(program, seconds_left(deadline))
        plans = [(name, Outcome.of(instance, found))] if found is not None else []
        best = min([*plans, best], key=lambda plan: _excess(program, plan[1]))
    upper = _excess(program, best[1])
    if certificate.lower > upper:
        raise SolverError("a bound above a plan", float(upper), float(certificate.lower))
    sides = certificate.lower, upper, certificate.lower
    return Optimum(*sides, best[1], certificate, best[0], bound=bound, what="excess of applications")


def _excess(program: ApplicationProgram, outcome: Outcome) -> int:
    return application_tel(program.apps, outcome, program.xi, program.measure)


def _replayed(program: ApplicationProgram) -> Iterator[Outcome]:
    """Yield what some policies do."""
    apps, instance, (xi, measure) = program.apps, program.instance, (program.xi, program.measure)
    for policy in (Belady(), LRU(), *(ApplicationTLRU(xi, split, measure) for split in ("equal", "reserve"))):
        yield replay_applications(apps, policy, instance.capacity, instance.forced)


def _certified(program: ApplicationProgram, time_limit: float | None) -> ApplicationCertificate:
    """Return what the duals of the relaxation prove; where the solver fails, what no price proves."""
    from teltheory.optimal.solver import PackingSolver

    prices, shares = program.priced(np.zeros(len(program.steps) + len(program.rows)))
    if len(program.apps):
        with suppress(SolverError):
            prices, shares = program.priced(PackingSolver(program.packed()).optimum(time_limit).prices)
    bound = proved_bound(program.apps, program.instance, program.xi, program.measure, prices, shares)
    return ApplicationCertificate(bound, prices, shares)


def _solved(program: ApplicationProgram, time_limit: float | None) -> tuple[IntArray | None, float | None]:
    """Return the integer program's plan if it has one, and its bound."""
    from teltheory.optimal.solver import solve_whole

    if not len(program.intervals.turn):
        return None, None
    answer = solve_whole(program.packed(whole=True), time_limit)
    bound = -answer.bound if np.isfinite(answer.bound) else None
    return None if answer.values is None else program.reused(answer.values), bound


def _by_pyomo(program: ApplicationProgram, time_limit: float | None) -> tuple[IntArray | None, float | None]:
    """Return the plan of the problem as it is written, and the solver's bound."""
    from teltheory.optimal.applications.formulation import application_model, reused_in
    from teltheory.optimal.solver import solve_model

    if not len(program.apps):
        return None, None
    model = application_model(program.apps, program.instance, program.xi, program.measure)
    _, bound = solve_model(model, time_limit)
    return reused_in(model, program.instance), bound
