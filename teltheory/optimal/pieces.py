"""Piecewise-linear costs as an interval problem: a column for each piece of a turn's reuse, over its interval.

A *piece* is the stretch between two points of a turn's costs; a unit of it gains what the cost falls by. Where the
gains of a turn never rise from piece to piece, its cost is convex, the most worthy pieces are filled first by
themselves, and the interval problem with the gains as weights is the problem. Where they rise, neighbouring pieces
are pooled until they no longer do: their average gains are those of the lower convex envelope, and the problem's
optimum is a bound. (Pooling adjacent violators is the envelope: Barlow et al. 1972.)
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from teltheory.model.instance import Instance
from teltheory.model.numbers import IntArray
from teltheory.optimal.certificate import max_reuse
from teltheory.optimal.costs import PiecewiseCosts
from teltheory.optimal.intervals import IntervalProblem, interval_problem

FINEST = 20


@dataclass(frozen=True)
class Pieces:
    """Stretches of reuse, turn after turn, each turn's from the first unit on: `length` units, 1 or more.

    `gain` is what the cost falls by over the whole piece, 0 or more.
    """

    turn: IntArray
    length: IntArray
    gain: IntArray

    @property
    def rate(self) -> IntArray:
        """What the cost falls by a unit, rounded down; shape (s,)."""
        return self.gain // self.length

    @property
    def rising(self) -> IntArray:
        """Pieces, by number, that gain more a unit than the piece before them in the same turn."""
        again = self.turn[1:] == self.turn[:-1]
        return np.flatnonzero(again & (self.rate[1:] > self.rate[:-1])) + 1


def pieces_of(instance: Instance, costs: PiecewiseCosts) -> Pieces:
    """Return the pieces that a turn can reuse, without those at a turn's end that gain nothing."""
    within = costs.up_to(max_reuse(instance))
    again = within.turn[1:] == within.turn[:-1]
    keep = again & (within.cost > within.cost[within.offsets[1:] - 1][within.turn])[:-1]
    return Pieces(within.turn[1:][keep], np.diff(within.reuse)[keep], -np.diff(within.cost)[keep])


def pooled(pieces: Pieces) -> Pieces:
    """Return the pieces of the lower convex envelopes."""
    merged: list[tuple[int, int, int]] = []
    for piece in zip(*(c.tolist() for c in (pieces.turn, pieces.length, pieces.gain)), strict=True):
        turn, length, gain = piece
        while merged and merged[-1][0] == turn and merged[-1][2] * length < gain * merged[-1][1]:
            _, more, worth = merged.pop()
            length, gain = length + more, gain + worth
        merged.append((turn, length, gain))
    turn, length, gain = np.array(merged, np.int64).reshape(-1, 3).T
    return Pieces(turn, length, gain)


def envelope_problem(instance: Instance, costs: PiecewiseCosts, pieces: Pieces) -> tuple[IntervalProblem, int]:
    """Return the interval problem over the convex envelopes and the number that its whole weights are divided by.

    Without rising pieces the weights are the gains themselves, divided by 1.
    """
    envelope, divisor = pieces, 1
    if len(pieces.rising):
        envelope = pooled(pieces)
        largest = int(envelope.rate.max()) + 1
        divisor = 2 ** max(0, FINEST - largest.bit_length())
    weight = np.array(
        [g * divisor // n for g, n in zip(envelope.gain.tolist(), envelope.length.tolist(), strict=True)]
    )
    some = weight > 0
    nothing = costs.total(np.zeros(len(instance.trace), np.int64))
    problem = _problem(instance, envelope.turn[some], envelope.length[some], weight[some].astype(np.int64))
    return replace(problem, unavoidable=nothing * divisor), divisor


def turns_problem(instance: Instance, pieces: Pieces) -> IntervalProblem:
    """Return the interval problem with one interval a turn, of at most what the turn's pieces add up to."""
    turn, begins = np.unique(pieces.turn, return_index=True)
    most = np.add.reduceat(pieces.length, begins) if len(turn) else pieces.length
    return _problem(instance, turn, most, np.ones_like(most))


def _problem(instance: Instance, turn: IntArray, most: IntArray, weight: IntArray) -> IntervalProblem:
    plain = interval_problem(instance, 0)
    place = np.searchsorted(plain.turn, turn)
    return IntervalProblem(turn, plain.first[place], plain.last[place], most, plain.room, 0, weight)
