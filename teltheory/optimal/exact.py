"""The optimum of a linear program, proved in fractions: a solver says where it may be, weak duality that it is.

For min c x with A x <= b and low <= x <= high, whole numbers or fractions all, any prices y >= 0 give

    c x  >=  sum over the columns of min over low <= x <= high of (c + A'y) x  -  y b,

so a point that is within its bounds and rows and costs what some prices prove is an optimum. Point and prices are
what HiGHS says, rounded to fractions; nothing else of it is used. Where the point is whole, it is an optimum of
the integer program too.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import inf
from operator import mul
from typing import Any

import numpy as np
from scipy.sparse import csc_array

from teltheory.errors import SolverError
from teltheory.model.numbers import FloatArray
from teltheory.optimal.solver import PackingSolver, packing

NOT_PROVED = "optimal, but not proved in fractions"
FINEST = 1000
"""The largest denominator of a value or a price; of (1)-(5) all are whole."""


@dataclass(frozen=True)
class LinearProgram:
    """min cost x, matrix x <= room, low <= x <= high; every number is a float that stands for itself.

    `names` are those of the columns; an infinite bound is none.
    """

    names: tuple[str, ...]
    cost: FloatArray
    low: FloatArray
    high: FloatArray
    matrix: csc_array
    room: FloatArray

    @classmethod
    def of_model(cls, model: Any) -> LinearProgram:
        """Write down a Pyomo model that minimises, without the wholeness of its variables."""
        from pyomo.repn.plugins.standard_form import LinearStandardFormCompiler

        form = LinearStandardFormCompiler().write(model)
        bounds = [variable.bounds for variable in form.columns]
        low = np.array([-inf if least is None else least for least, _ in bounds], float)
        high = np.array([inf if most is None else most for _, most in bounds], float)
        cost = form.c.toarray().ravel() if form.c.shape[0] else np.zeros(len(bounds))
        names = tuple(variable.name for variable in form.columns)
        return cls(names, cost, low, high, csc_array(form.A), np.asarray(form.rhs, float))


@dataclass(frozen=True)
class ProvedOptimum:
    """An optimal point, by name of the column, that costs what prices prove."""

    objective: Fraction
    values: dict[str, Fraction]


def proved_optimum(program: LinearProgram) -> ProvedOptimum:
    """Solve a linear program and prove the optimum in fractions; `SolverError` if that fails."""
    packed = packing(program.matrix, program.room, program.high, -program.cost, least=program.low)
    vertex = PackingSolver(packed).optimum(None)
    if not np.isfinite(np.concatenate(vertex)).all():
        raise SolverError(NOT_PROVED)
    point, prices = ([Fraction(x).limit_denominator(FINEST) for x in column.tolist()] for column in vertex)
    prices = [max(price, Fraction(0)) for price in prices]
    objective, bound = cost_of(program, point), bound_of(program, prices)
    if objective != bound:
        raise SolverError(NOT_PROVED, float(objective), float(bound))
    return ProvedOptimum(objective, dict(zip(program.names, point, strict=True)))


def cost_of(program: LinearProgram, point: list[Fraction]) -> Fraction:
    """Return what a point costs, in fractions; `SolverError` if it breaks a bound or a row."""
    low, high = program.low.tolist(), program.high.tolist()
    if not all(least <= x <= most for least, x, most in zip(low, point, high, strict=True)):
        raise SolverError(NOT_PROVED)
    left = _exact(program.room)
    for row, column, entry in _entries(program):
        left[row] -= entry * point[column]
    if min(left, default=0) < 0:
        raise SolverError(NOT_PROVED)
    return _dot(_exact(program.cost), point)


def bound_of(program: LinearProgram, prices: list[Fraction]) -> Fraction:
    """Return what every point costs at least, by prices of 0 or more, in fractions.

    `SolverError` if they bound nothing: one is below 0, or a column without a bound is worth having without end.
    """
    reduced = _exact(program.cost)
    for row, column, entry in _entries(program):
        reduced[column] += entry * prices[row]
    ends = np.where([worth > 0 for worth in reduced], program.low, program.high)
    used = np.flatnonzero([worth != 0 for worth in reduced])
    if min(prices, default=0) < 0 or not np.isfinite(ends[used]).all():
        raise SolverError(NOT_PROVED)
    least = _dot([reduced[column] for column in used], _exact(ends[used]))
    return least - _dot(prices, _exact(program.room))


def _exact(values: FloatArray) -> list[Fraction]:
    return [Fraction(value) for value in values.tolist()]


def _dot(left: list[Fraction], right: list[Fraction]) -> Fraction:
    return sum(map(mul, left, right), Fraction(0))


def _entries(program: LinearProgram) -> list[tuple[int, int, Fraction]]:
    matrix = program.matrix.tocoo()
    entries = zip(matrix.row.tolist(), matrix.col.tolist(), matrix.data.tolist(), strict=True)
    return [(row, column, Fraction(entry)) for row, column, entry in entries]
