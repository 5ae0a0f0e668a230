"""Piecewise-linear costs as an interval problem: a column for each piece of a turn's reuse, over its interval.

A *piece* is the stretch between two points of a turn's costs; a unit of it gains what the cost falls by. Where the
gains of a turn never rise from piece to piece, its cost is convex, the most worthy pieces are filled first by
themselves, and the interval problem with the gains as weights is the problem. Where they rise, neighbouring pieces
are pooled until they no longer do: their average gains are those of the lower convex envelope, and the problem's
optimum is a bound. (Pooling adjacent violators is the envelope: Barlow et al. 1972.)

**Where gains rise**, HiGHS solves an integer program over the pieces. They fall into *runs* in which gains do not
rise. Piece s is taken up to a share 0 <= t_s <= 1, and a binary z stands between two runs of a turn: the pieces
before it are full where z = 1, those after it empty where z = 0,

    t_s >= z for s in the run before,   t_s <= z for s in the run after.

Each t_s lies between two binaries, so for one turn alone the relaxation is its lower convex envelope. The room's
rows are those of the interval problem, over x = sum of length t. HiGHS knows no special ordered sets, hence the
binaries. The caller counts what the plan costs in whole numbers; the bound is the solver's word, and said to be.
"""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import coo_array, csc_array, hstack, vstack

from teltheory.model.instance import Instance
from teltheory.model.numbers import FloatArray, IntArray
from teltheory.optimal.chains.intervals import IntervalProblem, interval_problem, most_reused
from teltheory.optimal.chains.lazy import cut_to_room
from teltheory.optimal.costs.of_turns import PiecewiseCosts
from teltheory.optimal.solver import packing, solve_whole

FINEST = 20
TOLERANCE = 1e-6


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
    within = costs.up_to(most_reused(instance))
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

    Without rising pieces the weights are the gains a unit themselves, divided by 1, and the prices are whole.
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
    nothing = costs.total(np.zeros(len(instance.requests), np.int64))
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


class Chosen(NamedTuple):
    """A feasible plan or None, the solver's bound on what is gained, and its word for how it stopped or None."""

    kept: IntArray | None
    most: float
    status: str | None


def choose_pieces(
    problem: IntervalProblem, pieces: Pieces, start: IntArray, time_limit: float | None = None
) -> Chosen:
    """Solve the integer program from a feasible plan, what each interval keeps at the beginning.

    The problem has one interval per turn, of at most what its pieces add up to. The bound is loosened by the
    solver's tolerance.
    """
    worth = float(max(1, pieces.gain.max(initial=1)))
    model, shares = _model(problem, pieces, worth), _as_shares(problem, pieces, start)
    answer = solve_whole(model, time_limit, shares, mip_abs_gap=TOLERANCE)
    most = (answer.bound + TOLERANCE) * worth
    if answer.values is None:
        return Chosen(None, most, answer.status)
    kept = np.zeros(len(problem.turn))
    np.add.at(kept, _place(problem, pieces), answer.values[: len(pieces.turn)] * pieces.length)
    return Chosen(cut_to_room(problem, np.rint(kept).astype(np.int64)), most, answer.status)


def _place(problem: IntervalProblem, pieces: Pieces) -> IntArray:
    """Return the interval of each piece."""
    return np.searchsorted(problem.turn, pieces.turn)


def _as_shares(problem: IntervalProblem, pieces: Pieces, kept: IntArray) -> FloatArray:
    """Return the shares and binaries of a plan: pieces fill in order, a binary is 1 if the last is full."""
    place, length = _place(problem, pieces), pieces.length
    before = np.cumsum(length) - length
    before -= before[np.searchsorted(pieces.turn, pieces.turn)]
    shares = np.clip((kept[place] - before) / length, 0.0, 1.0)
    return np.concatenate((shares, (shares[pieces.rising - 1] >= 1.0).astype(float)))


def _model(problem: IntervalProblem, pieces: Pieces, worth: float) -> Any:
    """Return the program over shares, then binaries; its rows are those of the room, then of the binaries."""
    s, z = len(pieces.turn), len(pieces.rising)
    matrix, room = _room_rows(problem, pieces)
    links = _links(pieces)
    whole = csc_array(vstack((hstack((matrix, csc_array((matrix.shape[0], z)))), links)))
    worths = np.concatenate((pieces.gain / worth, np.zeros(z)))
    return packing(whole, np.concatenate((room, np.zeros(links.shape[0]))), np.ones(s + z), worths, whole=z)


def _room_rows(problem: IntervalProblem, pieces: Pieces) -> tuple[csc_array, FloatArray]:
    """Return the rows that can bind, over shares, and their right sides; both divided by the room."""
    steps = problem.binding_steps()
    scale = np.maximum(problem.room[steps], 1).astype(float)
    rows = (
        problem.rows(steps)[:, _place(problem, pieces)]
        .multiply(pieces.length[None, :])
        .multiply(1 / scale[:, None])
    )
    return csc_array(rows), problem.room[steps] / scale


def _links(pieces: Pieces) -> coo_array:
    """Return the rows z - t <= 0 of the pieces in the run before each binary, and t - z <= 0 of those after it."""
    s, rising = len(pieces.turn), pieces.rising
    new_run = np.diff(pieces.turn, prepend=-1) != 0
    new_run[rising] = True
    run, begins = np.cumsum(new_run) - 1, np.flatnonzero(new_run)
    binary_before = np.full(len(begins), -1)
    binary_before[run[rising]] = np.arange(len(rising))
    binary_after = np.full(len(begins), -1)
    binary_after[run[rising] - 1] = np.arange(len(rising))
    full, empty = np.flatnonzero(binary_after[run] >= 0), np.flatnonzero(binary_before[run] >= 0)
    share, binary = (
        np.concatenate((full, empty)),
        np.concatenate((binary_after[run[full]], binary_before[run[empty]])),
    )
    sign = np.concatenate((np.full(len(full), -1.0), np.ones(len(empty))))
    row = np.arange(len(share))
    places = (np.concatenate((row, row)), np.concatenate((share, s + binary)))
    return coo_array((np.concatenate((sign, -sign)), places), shape=(len(share), s + len(rising)))
