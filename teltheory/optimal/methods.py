"""How an optimum is found, by each method, of conversations, forests and module sets; how every answer is proved.

No method is believed. What turns reuse is counted in whole numbers, and a certificate proves that nothing is
better: by the prices of the linear program, or else by the steps of Tail-Optimized Belady.
"""

from __future__ import annotations

from functools import singledispatch
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from teltheory.errors import NOT_WHOLE, ArgumentError, CertificateError, SolverError
from teltheory.model.instance import ForestInstance, Instance, Instances, ModuleInstance
from teltheory.model.numbers import IntArray, exact_dot, readonly
from teltheory.model.outcome import Outcome
from teltheory.optimal.certificate import Certificate, TurnWeights, check_against, unweighted
from teltheory.optimal.sides import Optimum

if TYPE_CHECKING:
    from teltheory.optimal.chains.intervals import IntervalProblem

HALF = 0.5
AnyInstance: TypeAlias = Instance | ForestInstance
BlockCache = Literal["strict", "holes"]
ItemCache = Literal["strict", "whole"]
Cache = Literal["strict", "holes", "whole"]
OF_BLOCKS = "'strict' or 'holes', of a Forest such as trace.forest"


class Answer(NamedTuple):
    """What a method says that turns reuse, that the TEL is and last its bound on it; and prices of steps."""

    method: str
    outcome: Outcome
    said: tuple[float, ...] = ()
    steps: IntArray | None = None
    prices: IntArray | None = None


@singledispatch
def checked_cache(instance: Any, cache: object) -> Cache:
    """Return the cache; `ArgumentError` unless it is one that the requests have: "strict" of conversations."""
    return _one_of(("strict",), cache, OF_BLOCKS)


@checked_cache.register(ForestInstance)
def _of_blocks(instance: ForestInstance, cache: object) -> Cache:
    return _one_of(get_args(BlockCache), cache, OF_BLOCKS)


@checked_cache.register(ModuleInstance)
def _of_modules(instance: ModuleInstance, cache: object) -> Cache:
    return _one_of(get_args(ItemCache), cache, "'strict' or 'whole', of module sets")


def _one_of(caches: tuple[Any, ...], cache: object, expected: str) -> Cache:
    if cache not in caches:
        raise ArgumentError("cache", cache, expected)
    return cache  # type: ignore[return-value]


@singledispatch
def problem_of(instance: Any, xi: int, weight: IntArray | None = None) -> IntervalProblem:
    """Write an instance as a problem over reuse intervals; a kind of requests registers here how it is written."""
    from teltheory.optimal.chains.intervals import interval_problem

    return interval_problem(instance, xi, weight)


@problem_of.register(ForestInstance)
def _of_paths(instance: ForestInstance, xi: int, weight: IntArray | None = None) -> IntervalProblem:
    from teltheory.optimal.trees.intervals import forest_problem

    return forest_problem(instance, xi, weight)


@problem_of.register(ModuleInstance)
def _of_items(instance: ModuleInstance, xi: int, weight: IntArray | None = None) -> IntervalProblem:
    from teltheory.optimal.sets.intervals import set_problem

    return set_problem(instance, xi, weight)


@singledispatch
def greedily(instance: Any, xi: int) -> tuple[IntArray, IntArray]:
    """Return what turns reuse under Tail-Optimized Belady, as far as it counts or more, and the steps P."""
    from teltheory.optimal.trees.greedy import furthest_goes

    return furthest_goes(problem_of(instance, xi))


@greedily.register(Instance)
def _by_replay(instance: Instance, xi: int) -> tuple[IntArray, IntArray]:
    from teltheory.optimal.chains.greedy import certified_greedy

    outcome, steps = certified_greedy(instance, xi)
    return outcome.cached, steps


def by_plan(instance: Instances, xi: int) -> Answer:
    """Take what Tail-Optimized Belady keeps that counts, which proves as much as its replay does."""
    kept, steps = greedily(instance, xi)
    return Answer("greedy", planned(instance, kept), steps=steps)


@singledispatch
def by_greedy(instance: Any, xi: int) -> Answer:
    """Take Tail-Optimized Belady; a kind whose replay is at hand registers it here."""
    return by_plan(instance, xi)


@by_greedy.register(Instance)
def _as_replayed(instance: Instance, xi: int) -> Answer:
    reused, steps = greedily(instance, xi)
    return Answer("greedy", Outcome.of(instance, reused), steps=steps)


@by_greedy.register(ForestInstance)
def _with_holes(instance: ForestInstance, xi: int) -> Answer:
    if not instance.is_plain:  # the reference alone would replay it
        return by_plan(instance, xi)
    from teltheory.policies import TailOptimizedBelady
    from teltheory.replay import replay_forest

    steps = greedily(instance, xi)[1]
    return Answer("greedy", replay_forest(instance, TailOptimizedBelady(xi), "holes"), steps=steps)


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


@singledispatch
def by_pyomo(instance: Any, xi: int, time_limit: float | None) -> Answer:
    """Take the problem as it is written, in Pyomo."""
    from teltheory.optimal.chains.formulation import hindsight_model, whole_point
    from teltheory.optimal.solver import solve_model

    if not len(instance):
        return Answer("pyomo", planned(instance, np.empty(0, np.int64)), (0.0,))
    model = hindsight_model(instance, xi)
    said = solve_model(model, time_limit)
    cached, excess = whole_point(model)
    return Answer("pyomo", planned(instance, np.minimum(cached, instance.history)), (sum(excess), *said))


@by_pyomo.register(ForestInstance)
def blocks_by_pyomo(instance: ForestInstance, xi: int, time_limit: float | None, strict: bool = False) -> Answer:
    """Take a forest's problem block by block; the outcome is that of the states which it says."""
    from teltheory.optimal.solver import solve_model
    from teltheory.optimal.trees.formulation import forest_model, states_of

    units = instance.by_units()
    if not units.requests.nodes:
        return Answer("pyomo", planned(instance, np.zeros(len(instance), np.int64)))
    model = forest_model(units, xi, strict)
    said = solve_model(model, time_limit)
    return Answer("pyomo", outcome_of(units, states_of(model), strict), said)


def outcome_of(instance: ForestInstance, states: list[set[int]], strict: bool) -> Outcome:
    """Return what requests hit in states that a solver says; `SolverError` if they cannot follow each other."""
    from teltheory.optimal.trees.judge import hits_of

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
    return Outcome.of(instance, np.minimum(held, instance.asked), readonly(instance.past - held))


@singledispatch
def unavoidable_reuse(instance: Any) -> IntArray:
    """Return what no policy can help reusing: nothing is cut before turn 0 and, forced, between turns in a row."""
    least = np.zeros(len(instance), np.int64)
    for start in instance.initial:
        if len(least) and start.code == instance.requests.code[0]:
            least[0] = min(start.cached, instance.history[0])
    if instance.forced:
        in_a_row = np.flatnonzero(instance.requests.code[1:] == instance.requests.code[:-1]) + 1
        least[in_a_row] = instance.history[in_a_row]
    return least


@unavoidable_reuse.register(ForestInstance)
def _of_latest_paths(instance: ForestInstance) -> IntArray:
    from teltheory.optimal.trees.intervals import runs_of

    return _of_the_latest(instance, runs_of(instance))


@unavoidable_reuse.register(ModuleInstance)
def _of_latest_items(instance: ModuleInstance) -> IntArray:
    from teltheory.optimal.sets.reuses import Reuses

    return _of_the_latest(instance, Reuses.of(instance))


def _of_the_latest(instance: Instances, runs: Any) -> IntArray:
    """Return the leading units of each request that came under no cut since they were read, or were there."""
    least, request = np.zeros(len(instance), np.int64), np.repeat(np.arange(len(instance)), np.diff(runs.start))
    some = np.where(runs.slot < 0, 0, runs.slot + instance.exempt) >= request
    np.maximum.at(least, request[some], runs.to[some])
    return least


def proved_optimum(instance: Instances, xi: int, answer: Answer, plan: Any = None) -> Optimum:
    """Return an answer as the optimum that it is, as its certificate proves."""
    certificate = proved(instance, xi, unweighted(len(instance)), answer)
    sides = (int(certificate.objective),) * 3
    bound = answer.said[-1] if answer.said else None
    return Optimum(*sides, answer.outcome, certificate, answer.method, plan, bound)


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
