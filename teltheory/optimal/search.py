"""A search for good choices of reuse intervals along the steps, and a bound from what it left out.

Steps are gone through in order. A *state* is the set of chosen intervals that cover the present row; of all
choices that led to it the best is kept. Prices of the linear relaxation say how good a choice is whatever comes
later: with UB the bound of the prices, each interval that is chosen though it pays more than 1, each one that is
left out though it pays less, and all room or weight that has a price and is not used, is *slack*, and at the end

    number chosen  =  UB - slack.

So a state whose slack is above UB - target can't lead to `target` intervals, and is dropped for good. Where more
states are left than the search may hold, those with the least slack go on; the least slack of the others gives a
bound for what they could have led to. All numbers are whole; slack is counted in units of 1 / `PRECISION`.
"""

from __future__ import annotations

from collections import defaultdict
from time import monotonic
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from teltheory.numbers import BoolArray, IntArray
from teltheory.optimal.selection import Selection
from teltheory.optimal.slo_solver import PRECISION, PricedRow, Relaxation

WORD = 64
LARGEST = 2**62
FEWEST_LINKS = 1_000_000
NOTHING = -1


class Found(NamedTuple):
    """What a search says.

    Attributes
    ----------
    chosen : ndarray of bool or None
        A choice of at least the target.
    most : int
        No choice has more.
    complete : bool
        Whether no state was left out for want of room, so that whoever repeats it needs no more states.
    """

    chosen: BoolArray | None
    most: int
    complete: bool


class _States(NamedTuple):
    """One state an entry: what is chosen as bits, what that takes, its slack, the last link of its choices."""

    bits: NDArray[np.uint64]
    taken: IntArray
    slack: IntArray
    link: IntArray

    def only(self, some: BoolArray | IntArray) -> _States:
        return _States(self.bits[some], self.taken[some], self.slack[some], self.link[some])


class _Links:
    """Choices as linked lists that share their beginnings: an interval, and the link before it."""

    def __init__(self) -> None:
        self.interval: IntArray = np.empty(0, np.int64)
        self.before: IntArray = np.empty(0, np.int64)
        self._clean_at = FEWEST_LINKS

    def append(self, interval: int, before: IntArray) -> IntArray:
        """Choose an interval after other choices; return the new links."""
        new = np.arange(len(self.before), len(self.before) + len(before))
        self.interval = np.concatenate((self.interval, np.full(len(before), interval)))
        self.before = np.concatenate((self.before, before))
        return new

    def chosen(self, link: int, intervals: int) -> BoolArray:
        """Return the choice that ends in a link."""
        chosen = np.zeros(intervals, np.bool_)
        while link != NOTHING:
            chosen[self.interval[link]] = True
            link = int(self.before[link])
        return chosen

    def cleaned(self, ends: IntArray) -> IntArray:
        """Forget what leads to none of some ends, if there is much of it; return the ends' new numbers."""
        if len(self.before) < self._clean_at:
            return ends
        reached = np.zeros(len(self.before) + 1, np.bool_)
        front = np.unique(ends)
        while len(front):
            reached[front] = True
            front = np.unique(self.before[front[front != NOTHING]])
            front = front[~reached[front]]
        reached[NOTHING] = False
        number = np.append(np.cumsum(reached[:-1]) - 1, NOTHING)
        kept = reached[:-1]
        self.interval, self.before = self.interval[kept], number[self.before[kept]]
        self._clean_at = max(FEWEST_LINKS, 4 * len(self.before))
        return np.asarray(number[ends])


class _Slacks(NamedTuple):
    """Slack by interval when it is chosen or left out, rows with a price, and all that the prices allow."""

    chosen: IntArray
    left_out: IntArray
    rows: dict[int, list[PricedRow]]
    bound: int

    @classmethod
    def of(cls, problem: Selection, relaxation: Relaxation) -> _Slacks | None:
        """Evaluate prices; None where 64 bits may not hold their sums."""
        profit = [PRECISION] * len(problem)
        bound, rows = 0, defaultdict(list)
        for row in relaxation.rows:
            rows[row.row].append(row)
            bound += row.price * row.most
            for interval, weight in zip(row.intervals.tolist(), row.weights.tolist(), strict=True):
                profit[interval] -= row.price * weight
        if bound + sum(abs(value) for value in profit) > LARGEST:
            return None
        value = np.array(profit, np.int64)
        gain: IntArray = np.maximum(value, 0)
        return cls(gain - value, gain, rows, bound + int(gain.sum()))


def search(problem: Selection, relaxation: Relaxation, target: int, width: int, deadline: float) -> Found:
    """Look for a choice of at least `target` intervals.

    Parameters
    ----------
    problem : Selection
        The intervals.
    relaxation : Relaxation
        Prices.
    target : int
        Size of a choice worth finding.
    width : int
        States to go on with at each row.
    deadline : float
        On the clock of `time.monotonic`; an unfinished search has found nothing.
    """
    slacks = _Slacks.of(problem, relaxation)
    if slacks is None:
        return Found(None, len(problem), complete=False)
    if slacks.bound < target * PRECISION:
        return Found(None, slacks.bound // PRECISION, complete=True)
    return _Search(problem, slacks, target, width).run(deadline)


class _Search:
    """A search under way."""

    def __init__(self, problem: Selection, slacks: _Slacks, target: int, width: int) -> None:
        self._problem, self._slacks, self._width, self._target = problem, slacks, width, target
        self._allowed = slacks.bound - target * PRECISION
        self._links = _Links()
        self._left_out: int | None = None
        covering = problem.begin < problem.end
        self._begins = _by_row(problem.begin, covering)
        self._ends = _by_row(problem.end, covering)
        self._place: dict[int, int] = {}
        self._free: list[int] = list(range(_most_at_once(problem)))[::-1]

    def run(self, deadline: float) -> Found:
        words = max(1, -(-len(self._free) // WORD))
        nothing = np.zeros(1, np.int64)
        states = _States(np.zeros((1, words), np.uint64), nothing, nothing, np.full(1, NOTHING))
        room = self._problem.room[self._problem.rows]
        for row in range(len(room)):
            if monotonic() >= deadline:
                return Found(None, self._slacks.bound // PRECISION, complete=False)
            for interval in self._begins.get(row, ()):
                states = self._with_and_without(states, interval, int(room[row]))
            states = self._priced(states, row, int(room[row]))
            states = self._merged(self._narrowed(states), self._ends.get(row + 1, ()))
            if not len(states.slack):
                return self._found(None, self._target - 1)
        return self._best(states)

    def _with_and_without(self, states: _States, interval: int, room: int) -> _States:
        place = self._place[interval] = self._free.pop()
        need, slacks = int(self._problem.need[interval]), self._slacks
        without = states._replace(slack=states.slack + slacks.left_out[interval])
        chosen = states._replace(taken=states.taken + need, slack=states.slack + slacks.chosen[interval])
        chosen = chosen.only((chosen.taken <= room) & (chosen.slack <= self._allowed))
        chosen.bits[:, place // WORD] |= np.uint64(1 << (place % WORD))
        chosen = chosen._replace(link=self._links.append(interval, chosen.link))
        without = without.only(without.slack <= self._allowed)
        return _States(*(np.concatenate(pair) for pair in zip(chosen, without, strict=True)))

    def _priced(self, states: _States, row: int, room: int) -> _States:
        """Add the slack of the row and drop what does not fit or has too much of it."""
        slack = states.slack
        for priced in self._slacks.rows.get(row, ()):
            weight = np.zeros(len(slack), np.int64)
            for interval, each in zip(priced.intervals.tolist(), priced.weights.tolist(), strict=True):
                weight += self._has(states, interval) * each
            slack = slack + priced.price * (priced.most - weight)
        return states._replace(slack=slack).only((slack <= self._allowed) & (states.taken <= room))

    def _has(self, states: _States, interval: int) -> IntArray:
        place = self._place[interval]
        word = states.bits[:, place // WORD]
        return ((word >> np.uint64(place % WORD)) & np.uint64(1)).astype(np.int64)

    def _narrowed(self, states: _States) -> _States:
        if len(states.slack) <= self._width:
            return states
        order = np.argpartition(states.slack, self._width)
        least = int(states.slack[order[self._width :]].min())
        self._left_out = least if self._left_out is None else min(self._left_out, least)
        return states.only(order[: self._width])

    def _merged(self, states: _States, ended: list[int] | tuple[()]) -> _States:
        """Forget intervals that end; of states that become the same go on with the one of least slack."""
        if not ended or not len(states.slack):
            return states
        bits, taken = states.bits, states.taken
        for interval in ended:
            taken = taken - self._has(states, interval) * int(self._problem.need[interval])
            place = self._place.pop(interval)
            bits[:, place // WORD] &= ~np.uint64(1 << (place % WORD))
            self._free.append(place)
        order = np.lexsort((states.slack, *bits.T))
        first = np.append(True, np.any(bits[order[1:]] != bits[order[:-1]], axis=1))
        states = states._replace(taken=taken).only(order[first])
        return states._replace(link=self._links.cleaned(states.link))

    def _best(self, states: _States) -> Found:
        best = int(np.argmin(states.slack))
        count = (self._slacks.bound - int(states.slack[best])) // PRECISION
        chosen = self._links.chosen(int(states.link[best]), len(self._problem))
        chosen |= self._problem.begin >= self._problem.end
        return self._found(chosen, count)

    def _found(self, chosen: BoolArray | None, most: int) -> Found:
        if self._left_out is None:
            return Found(chosen, most, complete=True)
        return Found(chosen, max(most, (self._slacks.bound - self._left_out) // PRECISION), complete=False)


def _by_row(rows: IntArray, some: BoolArray) -> dict[int, list[int]]:
    found: dict[int, list[int]] = defaultdict(list)
    for interval in np.flatnonzero(some).tolist():
        found[int(rows[interval])].append(interval)
    return found


def _most_at_once(problem: Selection) -> int:
    return int(problem.occupied(np.ones(len(problem), np.int64)).max(initial=0))
