"""Linear relaxations of module sets, exact in fractions: for small instances, and for rows of the ledger."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from scipy.sparse import csc_array, vstack

from teltheory.model.instance import ModuleInstance
from teltheory.model.numbers import exact_sum
from teltheory.optimal.exact import LinearProgram, proved_optimum
from teltheory.optimal.sets.intervals import group_rows, uncapped_problem
from teltheory.optimal.sets.whole import whole_problem


def relaxed_tel(instance: ModuleInstance, xi: int) -> Fraction:
    """Return the optimum of the linear relaxation, proved in fractions.

    Of divisible items it is that of intervals without caps, with a row for each request; of whole items that of
    `teltheory.optimal.sets.whole`.

    Raises
    ------
    SolverError
        If the optimum has a denominator beyond those that `teltheory.optimal.exact` tries.
    """
    program = _of_whole(instance, xi) if instance.whole else _of_divisible(instance, xi)
    unavoidable = exact_sum(np.maximum(instance.total - xi, 0))
    return unavoidable + (proved_optimum(program).objective if program.names else Fraction(0))


def _of_divisible(instance: ModuleInstance, xi: int) -> LinearProgram:
    problem = uncapped_problem(instance, xi)
    (matrix, room), (rows, most) = problem.matrix(), group_rows(problem, np.maximum(instance.total - xi, 0))
    together = csc_array(vstack([matrix, rows]))
    return _program(together, np.concatenate((room, most)), problem.most, np.ones(len(problem.most)))


def _of_whole(instance: ModuleInstance, xi: int) -> LinearProgram:
    return _program(*whole_problem(instance, xi).by_items())


def _program(matrix: csc_array, room: object, most: object, worth: object) -> LinearProgram:
    """Return the program max worth x, matrix x <= room, 0 <= x <= most."""
    high = np.asarray(most, float)
    names = tuple(map(str, range(len(high))))
    return LinearProgram(
        names, -np.asarray(worth, float), np.zeros(len(high)), high, matrix, np.asarray(room, float)
    )
