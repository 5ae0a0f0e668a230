"""How an optimum is found, by each method, of conversations, forests and module sets; how every answer is proved.

No method is believed. What turns reuse is counted in whole numbers, and a certificate proves that nothing is
better: by the prices of the linear program, or else by the steps of Tail-Optimized Belady.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from teltheory.errors import NOT_WHOLE, CertificateError, SolverError
from teltheory.model.instance import ForestInstance, Instance, Instances, ModuleInstance
from teltheory.model.numbers import IntArray, exact_dot, readonly
from teltheory.model.outcome import Outcome
from teltheory.optimal.certificate import Certificate, TurnWeights, check_against

if TYPE_CHECKING:
    from teltheory.optimal.chains.intervals import IntervalProblem

HALF = 0.5
AnyInstance: TypeAlias = Instance | ForestInstance


class Answer(NamedTuple):
    """What a method says that turns reuse, that the TEL is and last its bound on it; and prices of steps."""

    method: str
    outcome: Outcome
    said: tuple[float, ...] = ()
    steps: IntArray | None = None
    prices: IntArray | None = None


def problem_of(instance: Instances, xi: int, weight: IntArray | None = None) -> IntervalProblem:
    """Write an instance as a problem over reuse intervals."""
    from teltheory.optimal.chains.intervals import interval_problem
    from teltheory.optimal.sets.intervals import set_problem
    from teltheory.optimal.trees.intervals import forest_problem

    if isinstance(instance, ForestInstance):
        return forest_problem(instance, xi, weight)
    if isinstance(instance, ModuleInstance):
        return set_problem(instance, xi, weight)
    return interval_problem(instance, xi, weight)


def greedily(instance: Instances, xi: int) -> tuple[IntArray, IntArray]:
    """Return what turns reuse under Tail-Optimized Belady, as far as it counts or more, and the steps P."""
    if not isinstance(instance, Instance):
        from teltheory.optimal.trees.greedy import furthest_goes

        return furthest_goes(problem_of(instance, xi))
    from teltheory.optimal.chains.greedy import certified_greedy

    outcome, steps = certified_greedy(instance, xi)
    return outcome.cached, steps


def by_greedy(instance: AnyInstance, xi: int) -> Answer:
    """Take Tail-Optimized Belady; on a forest in a cache with holes."""
    reused, steps = greedily(instance, xi)
    if not isinstance(instance, ForestInstance):
        return Answer("greedy", Outcome.of(instance, reused), steps=steps)
    from teltheory.policies import TailOptimizedBelady
    from teltheory.replay import replay_forest

    return Answer("greedy", replay_forest(instance, TailOptimizedBelady(xi), "holes"), steps=steps)


def by_plan(instance: ForestInstance | ModuleInstance, xi: int) -> Answer:
    """Take what Tail-Optimized Belady keeps that counts, which proves as much as its replay does."""
    kept, steps = greedily(instance, xi)
    return Answer("greedy", planned(instance, kept), steps=steps)


def by_relaxation(instance: Instances, xi: int, weights: TurnWeights, time_limit: float | None) -> Answer:
    """Take the linear program over intervals, with the rows that it violates."""
    from teltheory.optimal.chains.lazy import LazyIntervalSolver

    problem = problem_of(instance, xi, weights.whole)
    solution = LazyIntervalSolver(problem).solve(time_limit=time_limit)
    said = float(problem.unavoidable - problem.worth(solution.kept))
    outcome = planned(instance, problem.reused(solution.kept, len(instance)))
    return Answer("lp", outcome, (said,), solution.steps, solution.prices)


def by_intervals(instance: AnyInstance, xi: int, time_limit: float | None) -> Answer:
    """Take the integer program over intervals."""
    from teltheory.optimal.solver import solve_intervals

    problem = problem_of(instance, xi)
    kept, worth, bound = solve_intervals(problem, time_limit)
    said = (problem.unavoidable - worth, problem.unavoidable - bound)
    return Answer("milp", planned(instance, problem.reused(kept, len(instance))), said)


def by_pyomo(instance: AnyInstance, xi: int, time_limit: float | None) -> Answer:
    """Take the problem as it is written, in Pyomo."""
    from teltheory.optimal.chains.formulation import hindsight_model, whole_point
    from teltheory.optimal.solver import solve_model

    if isinstance(instance, ForestInstance):
        return blocks_by_pyomo(instance, xi, False, time_limit)
    if not len(instance):
        return Answer("pyomo", planned(instance, np.empty(0, np.int64)), (0.0,))
    model = hindsight_model(instance, xi)
    said = solve_model(model, time_limit)
    cached, excess = whole_point(model)
    return Answer("pyomo", planned(instance, np.minimum(cached, instance.history)), (sum(excess), *said))


def blocks_by_pyomo(instance: ForestInstance, xi: int, strict: bool, time_limit: float | None) -> Answer:
    """Take a forest's problem block by block; the outcome is that of the states which it says."""
    from teltheory.optimal.solver import solve_model
    from teltheory.optimal.trees.formulation import forest_model, states_of

    units = by_units(instance)
    if not units.requests.nodes:
        return Answer("pyomo", planned(instance, np.zeros(len(instance), np.int64)))
    model = forest_model(units, xi, strict)
    said = solve_model(model, time_limit)
    return Answer("pyomo", outcome_of(units, states_of(model), strict), said)


def by_units(instance: ForestInstance) -> ForestInstance:
    """Return the instance with a node for each unit."""
    return replace(instance, requests=instance.requests.by_units())


def outcome_of(instance: ForestInstance, states: list[set[int]], strict: bool) -> Outcome:
    """Return what requests hit in states that a solver says; `SolverError` if they cannot follow each other."""
    from teltheory.optimal.trees.states import hits_of

    try:
        hits = hits_of(instance, states, strict)
    except CertificateError as error:
        raise SolverError(f"{NOT_WHOLE}: {error}") from None
    paths = (instance.requests.path(k) for k in range(len(instance)))
    written = [len(set(path) - held) for path, held in zip(paths, states, strict=True)]
    return Outcome.of_forest(instance.requests, hits, written)


def planned(instance: Instances, kept: IntArray) -> Outcome:
    """Return the outcome if turns reuse what is kept for them, or what they can't help reusing.

    On a forest the leading units of the path are kept, be they input or output.
    """
    held = np.maximum(kept, unavoidable_reuse(instance))
    if isinstance(instance, ForestInstance):
        forest = instance.requests
        return Outcome.of_forest(forest, np.minimum(held, forest.ask), forest.past - held)
    return Outcome.of(instance, held)


def unavoidable_reuse(instance: Instances) -> IntArray:
    """Return what no policy can help reusing: nothing is cut before turn 0 and, forced, between turns in a row."""
    if not isinstance(instance, Instance):
        return _of_the_latest(instance)
    least = np.zeros(len(instance), np.int64)
    for start in instance.initial:
        if len(least) and start.code == instance.requests.code[0]:
            least[0] = min(start.cached, instance.history[0])
    if instance.forced:
        in_a_row = np.flatnonzero(instance.requests.code[1:] == instance.requests.code[:-1]) + 1
        least[in_a_row] = instance.history[in_a_row]
    return least


def _of_the_latest(instance: ForestInstance | ModuleInstance) -> IntArray:
    """Return the leading units of each request that were used last by requests that are exempt from the cut."""
    from teltheory.optimal.sets.reuses import Reuses
    from teltheory.replay.trees.runs import Runs

    runs = Runs.of(instance.requests) if isinstance(instance, ForestInstance) else Reuses.of(instance)
    least, request = np.zeros(len(instance), np.int64), np.repeat(np.arange(len(instance)), np.diff(runs.start))
    some = runs.slot + instance.exempt >= request
    np.maximum.at(least, request[some], runs.to[some])
    return least


def proved(instance: Instances, xi: int, weights: TurnWeights, answer: Answer) -> Certificate:
    """Count the TEL of an answer, and prove it by the answer's steps, or else by those of Tail-Optimized Belady.

    What a solver says beside its point only has to agree with that.
    """
    useful = np.maximum(instance.total - xi, 0)
    kept = np.minimum(answer.outcome.cached, useful)
    whole = exact_dot(weights.whole, useful) - exact_dot(weights.whole, kept)
    steps = greedily(instance, xi)[1] if answer.steps is None else answer.steps
    prices = None if answer.prices is None else readonly(answer.prices)
    certificate = Certificate(weights.scaled(whole), readonly(kept), readonly(steps), prices)
    sides = (float(certificate.objective), float(answer.said[-1] * weights.unit) if answer.said else None)
    try:
        check_against(instance, xi, certificate, weights)
    except CertificateError as error:
        raise SolverError(f"{NOT_WHOLE}: {error}", *sides) from None
    for said in answer.said:
        if not abs(said - whole) < HALF:
            raise SolverError(f"{NOT_WHOLE}: {certificate.objective} is proved", *sides)
    return certificate
