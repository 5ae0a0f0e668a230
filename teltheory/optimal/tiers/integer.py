"""The problem in tiers as an integer program, over reuse intervals, with HiGHS; for small instances."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csc_array

from teltheory.errors import NOT_WHOLE, SolverError
from teltheory.model.numbers import IntArray
from teltheory.optimal.solver import packing, solve_whole
from teltheory.optimal.tiers.problem import TieredProblem

WHOLE = 1e-6


class WholeSolution(NamedTuple):
    """What the solver says: whole amounts of each tier and piece, and what turns save at most, in parts."""

    kept: IntArray
    bound: float


def solve_tiers(problem: TieredProblem, time_limit: float | None = None) -> WholeSolution:
    """Solve by branch and bound; `SolverError` if no plan was found in time.

    The columns s come first, as the last ones are the whole ones.
    """
    tiers, pieces, bent = len(problem.tiers), len(problem.pieces.turn), len(problem.bent)
    if not pieces:
        return WholeSolution(np.zeros((tiers, 0), np.int64), 0.0)
    matrix, room = problem.all_rows()
    order = np.roll(np.arange(matrix.shape[1]), bent)
    most, worth = (column[order] for column in problem.columns())
    program = packing(csc_array(matrix[:, order]), room, most, worth, whole=tiers * pieces)
    answer = solve_whole(program, time_limit, mip_abs_gap=WHOLE)
    if answer.values is None:
        raise SolverError(answer.status or NOT_WHOLE)
    kept = np.rint(answer.values[bent:]).astype(np.int64)
    return WholeSolution(kept.reshape(tiers, pieces), answer.bound + WHOLE)
