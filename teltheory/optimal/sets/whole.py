"""Whole items: the linear and the integer program over reuse intervals, and plans.

With x_ei = 1 if item i is kept whole for request e, z_e what e saves and g_e = max(0, total_e - xi), it is

    max sum of z   subject to   0 <= z_e <= g_e,     z_e <= sum of min(size_i, g_e) x_ei over the items of e,
                                sum of size_i x_ei over the intervals that cover t  <=  C_t   for every step t.

min(size, g) in place of size changes nothing for whole x and sharpens the relaxation. In Y = size x it is the
problem of `teltheory.optimal.tiers.problem` with one tier, a unit of an item being worth min(size, g) / size; z is
a column only where the items of a request can save more than g together. The relaxation is not whole.

A plan keeps items in an order, each if there is room at all steps of its interval and its request still lacks
something; the best of several orders is taken.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csc_array, csr_array, diags_array

from teltheory.base.loops import call
from teltheory.errors import NOT_WHOLE, SolverError
from teltheory.model.instance import ModuleInstance
from teltheory.model.numbers import FloatArray, IntArray, exact_sum
from teltheory.model.tiers import Tiers
from teltheory.optimal.chains.intervals import IntervalProblem
from teltheory.optimal.sets.intervals import uncapped_problem
from teltheory.optimal.solver import packing, solve_whole
from teltheory.optimal.tiers.problem import TieredProblem

ROUNDING = 1e-6


@dataclass(frozen=True)
class WholeProblem(TieredProblem):
    """Whole items in one tier; columns are Y of each reuse, then z of the requests in `bent`.

    Attributes
    ----------
    gain : ndarray of int64
        What each reuse saves its request on its own, min(size, g).
    """

    gain: IntArray

    def columns(self) -> tuple[FloatArray, FloatArray]:
        """Return the upper bounds of the columns, and what each is worth."""
        straight = ~np.isin(self.pieces.turn, self.bent)
        saved = self.useful[self.bent]
        bounds = np.concatenate((self.pieces.most, saved)).astype(float)
        return bounds, np.concatenate((self._a_unit * straight, np.ones(len(saved))))

    def links(self) -> tuple[csr_array, FloatArray]:
        """Return the rows z - sum of Y min(size, g) / size <= 0 of each request in `bent`."""
        bent = len(self.bent)
        signs = diags_array(np.append(-self._a_unit, np.ones(bent)))
        return csr_array(self._of_bent(np.ones(1)) @ signs), np.zeros(bent)

    def by_items(self) -> tuple[csc_array, FloatArray, FloatArray, FloatArray]:
        """Return the rows, their right sides, bounds and worths with x in place of Y, all whole numbers."""
        scale = np.append(self.pieces.most, np.ones(len(self.bent), np.int64)).astype(float)
        rows, room = self.all_rows()
        most, worth = self.columns()
        scaled = csc_array(rows @ diags_array(scale))
        scaled.data = np.rint(scaled.data)
        return scaled, room, np.rint(most / scale), np.rint(worth * scale)

    @property
    def _a_unit(self) -> FloatArray:
        return self.gain / self.pieces.most


def whole_problem(instance: ModuleInstance, xi: int) -> WholeProblem:
    """Write an instance of whole items as a problem over reuse intervals."""
    pieces, useful = uncapped_problem(instance, xi), np.maximum(instance.total - xi, 0)
    some = useful[pieces.turn] > 0
    columns = {name: getattr(pieces, name)[some] for name in ("turn", "first", "last", "most", "weight")}
    pieces = replace(pieces, **columns)
    gain, most = np.minimum(pieces.most, useful[pieces.turn]), np.zeros(len(useful), np.int64)
    np.add.at(most, pieces.turn, gain)
    tier = Tiers((instance.capacity,))
    return WholeProblem(pieces, tier, instance.total, xi, np.flatnonzero(most > useful), gain)


def solve_items(problem: WholeProblem, time_limit: float | None = None) -> tuple[IntArray, float]:
    """Return what branch and bound keeps, and its bound on what is saved; `SolverError` without a plan in time."""
    pieces, bent = problem.pieces, len(problem.bent)
    if not len(pieces.turn):
        return pieces.most, 0.0
    matrix, room, most, worth = problem.by_items()
    order = np.roll(np.arange(matrix.shape[1]), bent)  # the last columns are the whole ones
    program = packing(matrix[:, order], room, most[order], worth[order], whole=len(pieces.turn))
    answer = solve_whole(program, time_limit, mip_abs_gap=ROUNDING)
    if answer.values is None:
        raise SolverError(answer.status or NOT_WHOLE)
    return np.rint(answer.values[bent:]).astype(np.int64) * pieces.most, answer.bound + ROUNDING


def plans(problem: WholeProblem, wanted: FloatArray | None = None) -> Iterator[IntArray]:
    """Yield what each reuse keeps in some plans: by ends, by what a unit of room saves, and as is wanted."""
    pieces = problem.pieces
    length = np.maximum(pieces.last - pieces.first + 1, 0)
    saves = problem.gain / (pieces.most * np.maximum(length, 1))
    yield _filled(problem, np.lexsort((-saves, pieces.last)))
    yield _filled(problem, np.lexsort((pieces.last, -saves)))
    if wanted is not None:
        yield _filled(problem, np.lexsort((-saves, -wanted / pieces.most)))


def saved(problem: WholeProblem, kept: IntArray) -> int:
    """Return what a plan saves, exact."""
    return exact_sum(np.minimum(problem.pieces.reused(kept, len(problem.total)), problem.useful))


def _filled(problem: WholeProblem, order: IntArray) -> IntArray:
    pieces: IntervalProblem = problem.pieces
    kept, lacking, free = np.zeros(len(order), np.int64), problem.useful.copy(), pieces.room.copy()
    sizes, items = (len(order), len(lacking), len(free)), (pieces.turn, pieces.first, pieces.last, pieces.most)
    call("keep_whole_items", sizes, order, items, lacking, free, kept)
    return kept
