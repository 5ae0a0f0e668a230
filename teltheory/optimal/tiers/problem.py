"""The hindsight problem in tiers over reuse intervals.

What is in a tier may sink at any time, for nothing, and rises only at its own turn. So between a turn s of a
conversation and its next turn e nothing matters but where each unit is at e. Let Y_i be what tiers 0 to i hold of
it then: they held as much at every step of the interval, s + 1 ... e. With S_i = C_0 + ... + C_i,

    0 <= Y_0 <= Y_1 <= ... <= history,      sum of Y_i over the intervals that cover t  <=  S_i   for all t and i,

and nothing else is asked: docs/proofs-tiers.md has the proof. Let w_i = rho_(i+1) - rho_i, rho_(last+1) = 1. By
Abel's summation the excess of e is max(0, total - xi - sum of w_i Y_i), so with T = max(0, total - xi) a turn
saves min(T, sum of w_i Y_i), and TEL = sum of T - sum of what is saved. If loading is overlapped, a turn saves
min(T, Y_last, total - sum of rho_i x_i).

More than T / (1 - rho_last), rounded up, is of no use in any tier, and more than T if loading is overlapped. On a
forest a request has several pieces, those of its path with one last request before each, as in
`teltheory.optimal.trees.intervals`. This is the problem of a cache with holes, and a lower side of a strict one. A
request for a set of modules has a piece for each item, those that were used last first.

All is written in parts of a unit, `tiers.denominator` of them, so that every number of the program is whole.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from scipy.sparse import csr_array, eye_array, hstack, kron, vstack

from teltheory.model.instance import Instances
from teltheory.model.numbers import FloatArray, IntArray
from teltheory.model.tiers import Tiers
from teltheory.optimal.chains.intervals import IntervalProblem
from teltheory.optimal.methods import problem_of


@dataclass(frozen=True)
class TieredProblem:
    """Pieces of what turns can reuse, in tiers; columns are Y of each piece in tier 0, in tier 1, ..., then s.

    Attributes
    ----------
    pieces : IntervalProblem
        A piece is an interval, with the units that can be of use; those of a turn are together, root first. Its
        room is that of tier 0.
    tiers : Tiers
        The tiers.
    total : ndarray of int64, shape (n,)
        What a prefill with an empty cache computes.
    xi : int
        The threshold.
    bent : ndarray of int64
        Turns, ascending, whose saving is not the sum over their units: each has a column s, what it saves, in
        parts.
    """

    pieces: IntervalProblem
    tiers: Tiers
    total: IntArray
    xi: int
    bent: IntArray

    @property
    def useful(self) -> IntArray:
        """What each turn exceeds the threshold by without a cache, T; shape (n,)."""
        return np.maximum(self.total - self.xi, 0)

    def rooms(self) -> IntArray:
        """Return the room of tiers 0 to i at each step, entry 0 unused; shape (tiers, n + 1)."""
        return self.pieces.room + (np.array(self.tiers.pooled, np.int64) - self.tiers.pooled[0])[:, None]

    def columns(self) -> tuple[FloatArray, FloatArray]:
        """Return the upper bounds of the columns, and what each is worth, in parts."""
        straight = ~np.isin(self.pieces.turn, self.bent)
        worth = np.outer(worths(self.tiers), straight).ravel()
        most, saved = np.tile(self.pieces.most, len(self.tiers)), self.useful[self.bent]
        bounds = np.concatenate((most, saved * self.tiers.denominator)).astype(float)
        return bounds, np.concatenate((worth, np.ones(len(saved))))

    def links(self) -> tuple[csr_array, FloatArray]:
        """Return the rows that are no capacity, and their right sides.

        They are Y_i - Y_(i+1) <= 0 of each piece; s - sum of w_i Y_i <= 0 of each bent turn; and if loading is
        overlapped s + sum of rho_i x_i <= total of each bent turn.
        """
        tiers, bent = len(self.tiers), len(self.bent)
        steps_up = eye_array(tiers - 1, tiers) - eye_array(tiers - 1, tiers, k=1)
        nested = kron(steps_up, eye_array(len(self.pieces.turn)))
        rows = [hstack((nested, csr_array((nested.shape[0], bent)))), self._of_bent(-worths(self.tiers))]
        right: list[FloatArray] = [np.zeros(nested.shape[0] + bent)]
        if self.tiers.loading == "overlapped":
            rows.append(self._of_bent(loads_a_unit(self.tiers)))
            right.append((self.total[self.bent] * self.tiers.denominator).astype(float))
        return csr_array(vstack(rows)), np.concatenate(right)

    def _of_bent(self, a_unit: FloatArray) -> csr_array:
        """Return the rows s + sum of ``a_unit[i]`` Y_i of all bent turns."""
        mine = np.flatnonzero(np.isin(self.pieces.turn, self.bent))
        row = np.searchsorted(self.bent, self.pieces.turn[mine])
        ones = np.ones(len(mine))
        pieces = csr_array((ones, (row, mine)), shape=(len(self.bent), len(self.pieces.turn)))
        return csr_array(hstack((kron(a_unit[None, :], pieces), eye_array(len(self.bent)))))

    def capacity_rows(self, steps: IntArray, tier: int) -> csr_array:
        """Return the rows of ascending steps of tiers 0 to `tier`, over all columns."""
        rows = self.pieces.rows(steps)
        behind = (len(self.tiers) - 1 - tier) * rows.shape[1] + len(self.bent)
        beside = [csr_array((len(steps), columns)) for columns in (tier * rows.shape[1], behind)]
        return csr_array(hstack((beside[0], rows, beside[1])))

    def all_rows(self) -> tuple[csr_array, FloatArray]:
        """Return all rows, and their right sides."""
        links, right = self.links()
        steps = self.pieces.needed_steps()
        rows = [links, *(self.capacity_rows(steps, tier) for tier in range(len(self.tiers)))]
        return csr_array(vstack(rows)), np.concatenate((right, *self.rooms()[:, steps]))

    def amounts(self, values: FloatArray) -> FloatArray:
        """Return Y of each tier and piece; shape (tiers, pieces)."""
        return values[: len(self.tiers) * len(self.pieces.turn)].reshape(len(self.tiers), -1)

    def leading(self, amounts: FloatArray) -> FloatArray:
        """Return what each turn reuses of tiers 0 to i, all its pieces together; shape (tiers, n)."""
        together = np.zeros((len(self.tiers), len(self.total)))
        for tier, kept in enumerate(amounts):
            np.add.at(together[tier], self.pieces.turn, kept)
        return together


def parts(tiers: Tiers) -> list[int]:
    """Return the parts of a unit that loading takes in each tier, and those of computing."""
    return [int(Fraction(load) * tiers.denominator) for load in (*tiers.loads, 1)]


def worths(tiers: Tiers) -> FloatArray:
    """Return the parts that a unit of Y_i saves, w_i; if loading is overlapped those that are not computed."""
    if tiers.loading == "overlapped":
        return np.array([0.0] * (len(tiers) - 1) + [float(tiers.denominator)])
    return np.diff(parts(tiers)).astype(float)


def loads_a_unit(tiers: Tiers) -> FloatArray:
    """Return the parts that a unit of Y_i takes to load: sum of rho_i x_i = sum of these times Y_i."""
    return -np.diff([*parts(tiers)[:-1], 0]).astype(float)


def enough(tiers: Tiers, useful: IntArray) -> IntArray:
    """Return how many units a turn can use at most, whatever tier they are in; shape (n,)."""
    if tiers.loading == "overlapped":
        return useful
    worth = 1 - Fraction(tiers.loads[-1])
    return np.array([-(-units * worth.denominator // worth.numerator) for units in useful.tolist()], np.int64)


def tiered_problem(instance: Instances, tiers: Tiers, xi: int) -> TieredProblem:
    """Write an instance, whose capacity is that of tier 0, as a problem over reuse intervals."""
    pieces = problem_of(instance, 0)
    useful = np.maximum(instance.total - xi, 0)
    pieces = _up_to(pieces, enough(tiers, useful))
    return TieredProblem(pieces, tiers, instance.total, xi, _bent(pieces, tiers, useful, xi))


def _up_to(pieces: IntervalProblem, most: IntArray) -> IntervalProblem:
    """Return the pieces of the first ``most[turn]`` units of each turn."""
    above = running_within(pieces.turn, pieces.most)
    units = np.minimum(pieces.most, most[pieces.turn] - above)
    some = units > 0
    columns = {name: getattr(pieces, name)[some] for name in ("turn", "first", "last", "weight")}
    return replace(pieces, most=units[some], **columns)


def running_within(turn: IntArray, units: IntArray) -> IntArray:
    """Return the units of the pieces of the same turn before each piece."""
    before = np.cumsum(units) - units
    return np.asarray(before - before[np.searchsorted(turn, turn)])


def _bent(pieces: IntervalProblem, tiers: Tiers, useful: IntArray, xi: int) -> IntArray:
    """Return the turns that can have more than they need, or, if loading is overlapped, load longer than xi."""
    most = np.zeros(len(useful), np.int64)
    np.add.at(most, pieces.turn, pieces.most)
    if tiers.loading == "overlapped":
        load = Fraction(tiers.loads[-1])
        return np.flatnonzero(most * load.numerator > xi * load.denominator)
    return np.flatnonzero(most > useful)
