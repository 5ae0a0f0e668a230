"""The hindsight optimum, plain or with weights of turns, by every method that finds it.

The interval problem with a weight per column is still an interval matrix with whole right sides, so its linear
relaxation has an integral optimum, and with whole weights its dual has whole prices
(`teltheory.optimal.chains.lazy` has the proof). Tail-Optimized Belady is not optimal with weights: what is
furthest may weigh most.
"""

from __future__ import annotations

from dataclasses import replace
from functools import singledispatch
from typing import Any, Literal, get_args

from teltheory.cost.given import Model, Size, Units
from teltheory.errors import ArgumentError, SolverError
from teltheory.model.forest import Forest
from teltheory.model.initial import Initial
from teltheory.model.instance import ForestInstance, ModuleInstance, instance_of, prefix_instance
from teltheory.model.module_trace import ModuleTrace
from teltheory.model.tiers import Tiers, several
from teltheory.model.trace import Trace
from teltheory.optimal.certificate import Weights, turn_weights, unweighted
from teltheory.optimal.deadline import deadline_of
from teltheory.optimal.methods import (
    Answer,
    BlockCache,
    Cache,
    ItemCache,
    by_greedy,
    by_intervals,
    by_pyomo,
    by_relaxation,
    checked_cache,
    proved,
    proved_optimum,
)
from teltheory.optimal.sides import Optimum
from teltheory.optimal.trees.hindsight import strict_optimum
from teltheory.replay.asked import or_reference

Method = Literal["auto", "greedy", "lp", "milp", "pyomo"]


def hindsight_optimum(
    trace: Trace | Forest | ModuleTrace,
    capacity: Size | Tiers,
    xi: Size,
    forced: bool = False,
    initial: Initial = (),
    method: Method = "auto",
    time_limit: float | None = None,
    *,
    cache: BlockCache | ItemCache = "strict",
    running: int = 1,
    model: Model | None = None,
) -> Optimum:
    """Find the least TEL that any policy reaches (Zhang et al. 2025, Appendix B, problem (1)-(5)).

    Parameters
    ----------
    trace, capacity, xi, forced, initial, cache, running, model : as in `Problem`
        Tiers are exclusive or inclusive.
    method : {"auto", "greedy", "lp", "milp", "pyomo"}
        "greedy" is Tail-Optimized Belady (Theorem B.1), "lp" and "milp" the interval form with HiGHS (rows of
        the "lp" are added as they are violated: millions of turns), "pyomo" the naive formulation (N T
        variables: a few hundred turns). "auto" takes "greedy", in tiers "lp". "lp" proves its optimum by its own
        prices, the others by the log of Tail-Optimized Belady. Chains, forests with holes and module sets whose
        items may be cut have an exact optimum by every method. All others have two sides, which often meet: a
        lower one, proved by "greedy" (with holes, which all that is strict can't beat) or by the prices of "lp",
        and a plan. There "milp" and "pyomo" solve small instances, whose lower side rests on the solver.
    time_limit : float, optional
        Seconds for the solver; no effect on "greedy".

    Returns
    -------
    Optimum
        ``objective`` is the least TEL in the trace's unit, an int; in tiers a Fraction. It is None if two sides,
        ``lower`` and ``upper``, differ.

    Raises
    ------
    ArgumentError, TraceError, ForcedCachingError
        Wrong arguments; in tiers also swapping out only once, an initial cache and several running requests.
    SolverError
        The solver did not prove an optimum: its time was up, it was interrupted, or its answer failed the exact
        check: what turns reuse does not fit, or what it says is not what the certificate proves. The error has
        the status, and an incumbent and a bound if they are known.
    """
    units = Units.of(trace, model)
    memory: Any = units.memory(capacity)
    tiers, xi = several(memory), units.xi(xi)
    if tiers is not None:
        from teltheory.optimal.tiers.hindsight import tiered_optimum

        if tuple(initial) or running != 1:
            raise ArgumentError("capacity", tiers, "one cache with an initial cache, or several running requests")
        return tiered_optimum(trace, tiers, xi, forced, method, time_limit, cache)
    instance = instance_of(trace, memory, forced=forced, initial=initial, running=running)
    deadline_of(time_limit)
    if method not in get_args(Method):
        raise ArgumentError("method", method, "'auto', 'greedy', 'lp', 'milp' or 'pyomo'")
    return optimum_of(instance, xi, method, time_limit, checked_cache(instance, cache))


@singledispatch
def optimum_of(instance: Any, xi: int, method: str, time_limit: float | None, cache: Cache) -> Optimum:
    """Return the optimum, by checked arguments; a kind of requests with another way registers it here."""
    return proved_optimum(instance, xi, _answer(instance, xi, method, time_limit))


@optimum_of.register(ForestInstance)
def _of_paths(instance: ForestInstance, xi: int, method: str, time_limit: float | None, cache: Cache) -> Optimum:
    if cache == "strict":
        return strict_optimum(instance, xi, method, time_limit)
    return proved_optimum(instance, xi, _answer(instance, xi, method, time_limit))


@optimum_of.register(ModuleInstance)
def _of_items(instance: ModuleInstance, xi: int, method: str, time_limit: float | None, cache: Cache) -> Optimum:
    from teltheory.optimal.sets.hindsight import set_optimum
    from teltheory.optimal.sets.whole_hindsight import whole_optimum

    if cache == "whole":
        return whole_optimum(replace(instance, whole=True), xi, method, time_limit)
    return set_optimum(instance, xi, method, time_limit)


def _answer(instance: Any, xi: int, method: str, time_limit: float | None) -> Answer:
    if method == "lp":
        return by_relaxation(instance, xi, unweighted(len(instance)), time_limit)
    if method == "milp":
        return by_intervals(instance, xi, time_limit)
    if method == "pyomo":
        return by_pyomo(instance, xi, time_limit)
    with or_reference("kernel" if method == "greedy" else "auto", len(instance)):
        return by_greedy(instance, xi)
    return by_relaxation(instance, xi, unweighted(len(instance)), time_limit)


def weighted_optimum(
    trace: Trace | Forest,
    capacity: Size,
    xi: Size,
    weights: Weights,
    forced: bool = False,
    initial: Initial = (),
    time_limit: float | None = None,
    *,
    running: int = 1,
    model: Model | None = None,
) -> Optimum:
    """Find the least weighted TEL, sum of weight max(uncached - xi, 0), that any policy reaches.

    Parameters
    ----------
    trace, capacity, xi, forced, initial, running, model : as in `Problem`
        Of a forest it is the optimum of a cache with holes.
    weights : sequence of int or Fraction, or mapping
        One weight per turn, 0 or more, or a mapping from conversations, as the trace names them, to the weight of
        all their turns; conversations that are left out have 1.
    time_limit : float, optional
        Seconds for the solver.

    Raises
    ------
    ArgumentError, TraceError, ForcedCachingError
        Wrong arguments, floats as weights among them; all are `ValueError`.
    SolverError
        As in `hindsight_optimum`, with an incumbent and a bound on the weighted TEL.
    """
    units = Units.of(trace, model)
    instance = prefix_instance(trace, units.capacity(capacity), forced=forced, initial=initial, running=running)
    xi, read = units.xi(xi), turn_weights(trace, weights)
    try:
        answer = by_relaxation(instance, xi, read, time_limit)
    except SolverError as error:
        sides = (None if side is None else float(side * read.unit) for side in (error.incumbent, error.bound))
        raise SolverError(error.status, *sides) from None
    certificate = proved(instance, xi, read, answer)
    least = certificate.objective
    return Optimum(least, least, least, answer.outcome, certificate, answer.method, what="weighted TEL")
