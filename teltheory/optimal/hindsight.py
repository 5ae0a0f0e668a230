"""The hindsight optimum, plain or with weights of turns, by every method that finds it.

The interval problem with a weight per column is still an interval matrix with whole right sides, so its linear
relaxation has an integral optimum, and with whole weights its dual has whole prices
(`teltheory.optimal.chains.lazy` has the proof). Tail-Optimized Belady is not optimal with weights: what is
furthest may weigh most.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args, overload

from teltheory.cost.given import Model, Size, Units
from teltheory.errors import ArgumentError, SolverError
from teltheory.model.display import in_short
from teltheory.model.forest import Forest
from teltheory.model.instance import ForestInstance, Initial, instance_of, prefix_instance
from teltheory.model.module_trace import ModuleTrace
from teltheory.model.outcome import Outcome
from teltheory.model.tiers import Tiers
from teltheory.model.trace import Trace
from teltheory.optimal.certificate import Certificate, Weight, Weights, turn_weights, unweighted
from teltheory.optimal.deadline import deadline_of
from teltheory.optimal.methods import Answer, AnyInstance, by_greedy, by_intervals, by_pyomo, by_relaxation, proved
from teltheory.optimal.sets.optimum import ItemCache, ModuleOptimum
from teltheory.optimal.tiers.optimum import TieredOptimum
from teltheory.optimal.trees.hindsight import BlockCache, ForestOptimum, checked_cache, strict_optimum

Method = Literal["auto", "greedy", "lp", "milp", "pyomo"]
Status = Literal["optimal", "optimal by solver", "feasible", "time limit", "interrupted"]
"""How a search between two sides ended; "by solver" rests on the word of HiGHS alone."""


@in_short
@dataclass(frozen=True)
class HindsightOptimum:
    """An optimum of the hindsight problem.

    Attributes
    ----------
    objective : int
        The optimal TEL, in the trace's unit.
    outcome : Outcome
        What each turn reuses in one optimal solution.
    method : str
        What found it: "greedy", "lp", "milp" or "pyomo".
    bound : float or None
        The solver's lower bound on the TEL; None if no solver was asked.
    certificate : Certificate
        A proof of optimality for `check_certificate`; whatever the method, it was checked.
    """

    objective: int
    outcome: Outcome
    method: str
    bound: float | None
    certificate: Certificate

    @property
    def gap(self) -> float | None:
        """What the solver's bound leaves open, objective - bound; None if no solver was asked."""
        return None if self.bound is None else self.objective - self.bound


@in_short
@dataclass(frozen=True)
class WeightedOptimum:
    """An optimum of the weighted hindsight problem.

    Attributes
    ----------
    objective : int or Fraction
        The least weighted TEL, exact, in weights times the trace's unit.
    outcome : Outcome
        What each turn reuses in one optimal solution.
    certificate : Certificate
        A proof of optimality for `check_certificate` with these weights; it was checked.
    """

    objective: Weight
    outcome: Outcome
    certificate: Certificate


@overload
def hindsight_optimum(
    trace: Trace,
    capacity: Size,
    xi: Size,
    forced: bool = ...,
    initial: Initial = ...,
    method: Method = ...,
    time_limit: float | None = ...,
    *,
    model: Model | None = ...,
) -> HindsightOptimum: ...


@overload
def hindsight_optimum(
    trace: Forest,
    capacity: Size,
    xi: Size,
    forced: bool = ...,
    initial: Initial = ...,
    method: Method = ...,
    time_limit: float | None = ...,
    *,
    cache: BlockCache = ...,
    running: int = ...,
    model: Model | None = ...,
) -> ForestOptimum: ...


@overload
def hindsight_optimum(
    trace: ModuleTrace,
    capacity: Size,
    xi: Size,
    forced: bool = ...,
    initial: Initial = ...,
    method: Method = ...,
    time_limit: float | None = ...,
    *,
    cache: ItemCache = ...,
    running: int = ...,
    model: Model | None = ...,
) -> ModuleOptimum: ...


@overload
def hindsight_optimum(
    trace: Trace | Forest | ModuleTrace,
    capacity: Tiers,
    xi: Size,
    forced: bool = ...,
    initial: Initial = ...,
    method: Method = ...,
    time_limit: float | None = ...,
    *,
    cache: BlockCache = ...,
    running: int = ...,
    model: Model | None = ...,
) -> TieredOptimum: ...


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
) -> HindsightOptimum | ForestOptimum | ModuleOptimum | TieredOptimum:
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
    HindsightOptimum, ForestOptimum, ModuleOptimum or TieredOptimum
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
    capacity, xi = units.memory(capacity), units.xi(xi)
    if isinstance(capacity, Tiers):
        if tuple(initial) or running != 1:
            raise ArgumentError(
                "capacity", capacity, "one cache with an initial cache, or several running requests"
            )
        return _in_tiers(trace, capacity, xi, forced, method, time_limit, cache)
    if isinstance(trace, ModuleTrace):
        return _of_sets(trace, capacity, xi, forced, initial, method, time_limit, cache, running)
    instance = instance_of(trace, capacity, forced=forced, initial=initial, running=running)
    deadline_of(time_limit)
    if method not in get_args(Method):
        raise ArgumentError("method", method, "'auto', 'greedy', 'lp', 'milp' or 'pyomo'")
    block_cache = checked_cache(cache, instance)
    if isinstance(instance, ForestInstance) and block_cache == "strict":
        return strict_optimum(instance, xi, method, time_limit)
    answer = _by(method, instance, xi, time_limit)
    certificate = proved(instance, xi, unweighted(len(instance)), answer)
    objective, bound = int(certificate.objective), answer.said[-1] if answer.said else None
    if isinstance(instance, ForestInstance):
        return ForestOptimum(objective, objective, answer.outcome, certificate, block_cache, answer.method, bound)
    return HindsightOptimum(objective, answer.outcome, answer.method, bound, certificate)


def _of_sets(
    trace: ModuleTrace,
    capacity: int,
    xi: int,
    forced: bool,
    initial: Initial,
    method: Method,
    time_limit: float | None,
    cache: str,
    running: int,
) -> ModuleOptimum:
    from teltheory.optimal.sets.hindsight import set_optimum

    if tuple(initial) or running != 1:
        raise ArgumentError("trace", "a ModuleTrace", "no initial cache and one running request with it")
    return set_optimum(trace, capacity, xi, forced, method, time_limit, cache)


def _in_tiers(
    trace: Trace | Forest | ModuleTrace,
    tiers: Tiers,
    xi: int,
    forced: bool,
    method: Method,
    time_limit: float | None,
    cache: str,
) -> TieredOptimum:
    from teltheory.optimal.tiers.hindsight import tiered_optimum

    return tiered_optimum(trace, tiers, xi, forced, method, time_limit, cache)


def _by(method: Method, instance: AnyInstance, xi: int, time_limit: float | None) -> Answer:
    if method == "lp":
        return by_relaxation(instance, xi, unweighted(len(instance)), time_limit)
    if method == "milp":
        return by_intervals(instance, xi, time_limit)
    if method == "pyomo":
        return by_pyomo(instance, xi, time_limit)
    return by_greedy(instance, xi)


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
) -> WeightedOptimum:
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
    return WeightedOptimum(certificate.objective, answer.outcome, certificate)
