"""The linear relaxation of the problem in tiers, exact: for small instances, and for rows of the ledger."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from scipy.sparse import csc_array

from teltheory.model.forest import Forest
from teltheory.model.module_trace import ModuleTrace
from teltheory.model.numbers import exact_sum
from teltheory.model.tiers import Tiers
from teltheory.model.trace import Trace
from teltheory.optimal.exact import LinearProgram, ProvedOptimum, proved_optimum
from teltheory.optimal.tiers.certificate import tiered_instance
from teltheory.optimal.tiers.problem import TieredProblem, tiered_problem

__all__ = ["relaxed_tel"]


def relaxed_tel(trace: Trace | Forest | ModuleTrace, tiers: Tiers, xi: int, forced: bool = False) -> Fraction:
    """Return the optimum of the linear relaxation, proved in fractions; of a forest in a cache with holes.

    Raises
    ------
    SolverError
        If the optimum has a denominator beyond those that `teltheory.optimal.exact` tries.
    """
    problem = tiered_problem(tiered_instance(trace, tiers, forced), tiers, xi)
    if not len(problem.pieces.turn):
        return Fraction(exact_sum(problem.useful))
    return exact_sum(problem.useful) + relaxed_optimum(problem).objective / tiers.denominator


def relaxed_optimum(problem: TieredProblem) -> ProvedOptimum:
    """Return the optimum of a problem's relaxation, less what turns save, in parts; columns by their numbers."""
    matrix, room = problem.all_rows()
    most, worth = problem.columns()
    names = tuple(map(str, range(len(most))))
    return proved_optimum(LinearProgram(names, -worth, np.zeros(len(most)), most, csc_array(matrix), room))
