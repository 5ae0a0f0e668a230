"""Both sides of the hindsight optimum of whole items."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from teltheory.cost.metrics import tail_excess_latency
from teltheory.errors import NOT_WHOLE, CertificateError, SolverError
from teltheory.model.instance import ModuleInstance
from teltheory.model.numbers import FloatArray, IntArray, readonly
from teltheory.optimal.costs.prices import Prices
from teltheory.optimal.sets.certificate import WholeCertificate, whole_bound, whole_outcome
from teltheory.optimal.sets.hindsight import by_pyomo
from teltheory.optimal.sets.intervals import set_problem, uncapped_problem
from teltheory.optimal.sets.reuses import Reuses
from teltheory.optimal.sets.whole import WholeProblem, plans, saved, solve_items, whole_problem
from teltheory.optimal.sides import Optimum, lower_side
from teltheory.optimal.tiers.lazy import LazyTieredSolver, TieredSolution
from teltheory.optimal.trees.greedy import furthest_goes

FINENESS = 2**26
"""Prices and shares are whole multiples of one over this."""


def whole_optimum(instance: ModuleInstance, xi: int, method: str, time_limit: float | None) -> Optimum:
    """Return both sides, by checked arguments of `hindsight_optimum`."""
    problem, bound, wanted = whole_problem(instance, xi), None, None
    if method == "greedy":
        certificate = by_steps(instance, xi)
    else:
        solution = LazyTieredSolver(problem).solve(time_limit)
        certificate, wanted = by_prices(instance, xi, solution), solution.kept[0]
    kept = max(plans(problem, wanted), key=lambda plan: saved(problem, plan))
    if method == "milp":
        better, most = solve_items(problem, time_limit)
        kept, bound = max(kept, better, key=lambda plan: saved(problem, plan)), problem.pieces.unavoidable - most
    by_member = _of_members(instance, problem, kept)
    if method == "pyomo":
        answer, by_member = by_pyomo(instance, xi, time_limit)
        bound = answer.said[-1]
    return _sides(instance, xi, certificate, by_member, "lp" if method == "auto" else method, bound)


def _sides(
    instance: ModuleInstance,
    xi: int,
    certificate: WholeCertificate,
    kept: IntArray,
    method: str,
    bound: float | None,
) -> Optimum:
    """Check the plan, and return it with the larger of both bounds."""
    try:
        outcome = whole_outcome(instance, kept)
    except CertificateError as error:
        raise SolverError(f"{NOT_WHOLE}: {error}", None, float(certificate.lower)) from None
    upper, proof = tail_excess_latency(outcome, xi), certificate.lower
    lower = lower_side(proof, upper, bound)
    return Optimum(lower, upper, proof, outcome, certificate, method, readonly(kept), bound)


def by_steps(instance: ModuleInstance, xi: int) -> WholeCertificate:
    """Return what the steps of Tail-Optimized Belady of divisible items prove: prices of 1 at these steps.

    A request has the share 1 unless its items whose intervals cover none of the steps save more than g together.
    """
    _, steps = furthest_goes(set_problem(instance, xi))
    items, useful = uncapped_problem(instance, xi), np.maximum(instance.total - xi, 0)
    begin, end = items.places(steps)
    free = np.where(begin == end, np.minimum(items.most, useful[items.turn]), 0)
    together = items.reused(free, len(instance))
    prices = Prices(tuple(steps.tolist()), (1,) * len(steps), 1)
    return _proving(instance, xi, prices, (together <= useful).astype(np.int64))


def by_prices(instance: ModuleInstance, xi: int, solution: TieredSolution) -> WholeCertificate:
    """Round the prices and shares of a linear program, and count what they prove."""
    order = np.argsort(solution.steps)
    steps, numerators = solution.steps[order], _rounded(solution.prices[order])
    prices = Prices(tuple(steps.tolist()), tuple(numerators.tolist()), FINENESS)
    return _proving(instance, xi, prices, np.minimum(_rounded(solution.shares[0]), FINENESS))


def _proving(instance: ModuleInstance, xi: int, prices: Prices, shares: IntArray) -> WholeCertificate:
    nothing = WholeCertificate(0, prices, readonly(shares))
    return replace(nothing, lower=whole_bound(instance, xi, nothing))


def _rounded(values: FloatArray) -> IntArray:
    return np.rint(values * FINENESS).astype(np.int64)


def _of_members(instance: ModuleInstance, problem: WholeProblem, kept: IntArray) -> IntArray:
    """Return a plan of all members: what is kept, and the items that no cut touches before their request."""
    reuses, size = Reuses.of(instance), instance.requests.sizes[instance.requests.members]
    amounts = np.where(reuses.slot + 1 + instance.exempt > reuses.turn, size[reuses.place], 0)
    amounts[problem.useful[reuses.turn] > 0] = kept
    return reuses.by_member(amounts, len(size))
