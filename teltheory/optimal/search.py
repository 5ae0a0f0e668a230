"""A search for good choices of reuse intervals along the steps, and a bound from what it left out.

Steps are gone through in order. A *state* is the set of chosen intervals that cover the present row; of all
choices that led to it the best is kept. Prices of the linear relaxation say how good a choice is whatever comes
later: with UB the bound of the prices, each interval that is chosen though it pays more than 1, each one that is
left out though it pays less, and all room or weight that has a price and is not used, is *slack*, and at the end

    number chosen  =  UB - slack.

So a state whose slack is above UB - target can't lead to `target` intervals, and is dropped for good. Where more
states are left than the search may hold, those with the least slack go on; the least slack of the others gives a
bound for what they could have led to. All numbers are whole; slack is counted in units of 1 / `PRECISION`.

States are held in `STATES_BYTES` of memory and their choices, which share their beginnings, in `MOST_LINKS` links.
If either is full, again only the states with the least slack go on.
"""

from __future__ import annotations

from collections import defaultdict
from time import monotonic
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from teltheory.numbers import BoolArray, IntArray
from teltheory.optimal.links import NOTHING, Links, Numbers
from teltheory.optimal.selection import Selection
from teltheory.optimal.slo_solver import PRECISION, PricedRow, Relaxation

WORD = 64
LARGEST = 2**62
MIXER = np.uint64(0x9E3779B97F4A7C15)
STATES_BYTES = 3 * 2**27
"""What the states may take while an interval is chosen or left out: those before, those after, and their order."""
MOST_LINKS = 2**24


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
    link: Numbers

    def only(self, some: BoolArray | IntArray) -> _States:
        return _States(self.bits[some], self.taken[some], self.slack[some], self.link[some])


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


def most_states(words: int) -> int:
    """Return how many fit into `STATES_BYTES`: twice their own bytes and, for their order, nine whole numbers."""
    own = 8 * words + 8 + 8 + 4
    return STATES_BYTES // (2 * own + 72)


class _Search:
    """A search under way."""

    def __init__(self, problem: Selection, slacks: _Slacks, target: int, width: int) -> None:
        self._problem, self._slacks, self._target = problem, slacks, target
        self._allowed = slacks.bound - target * PRECISION
        self._links = Links(max(MOST_LINKS, len(problem) + 1))
        self._left_out: int | None = None
        covering = problem.begin < problem.end
        self._begins = _by_row(problem.begin, covering)
        self._ends = _by_row(problem.end, covering)
        self._place: dict[int, int] = {}
        self._free: list[int] = list(range(_most_at_once(problem)))[::-1]
        self._words = max(1, -(-len(self._free) // WORD))
        self._held = most_states(self._words)
        self._width = min(width, self._held)

    def run(self, deadline: float) -> Found:
        nothing = np.zeros(1, np.int64)
        no_link = np.full(1, NOTHING, np.int32)
        states = _States(np.zeros((1, self._words), np.uint64), nothing, nothing, no_link)
        room = self._problem.room[self._problem.rows]
        for row in range(len(room)):
            for interval in self._begins.get(row, ()):
                if monotonic() >= deadline:
                    return Found(None, self._slacks.bound // PRECISION, complete=False)
                states = self._with_and_without(self._linked(states), interval, int(room[row]))
            states = self._priced(states, row, int(room[row]))
            states = self._narrowed(states, self._width)
            states = self._merged(states, self._ends.get(row + 1, ()))
            if not len(states.slack):
                return self._found(None, self._target - 1)
        return self._best(states)

    def _linked(self, states: _States) -> _States:
        """Make room for a link from each state; where all links are needed half of the states go on."""
        while not self._links.room_for(len(states.slack)):
            states = states._replace(link=self._links.cleaned(states.link))
            if not self._links.room_for(len(states.slack)):
                states = self._narrowed(states, len(states.slack) // 2)
        return states

    def _with_and_without(self, states: _States, interval: int, room: int) -> _States:
        need, slacks = int(self._problem.need[interval]), self._slacks
        without, chosen = states.slack + slacks.left_out[interval], states.slack + slacks.chosen[interval]
        stay = np.flatnonzero(without <= self._allowed)
        join = np.flatnonzero((chosen <= self._allowed) & (states.taken + need <= room))
        slack = np.concatenate((without[stay], chosen[join]))
        kept = self._least(slack, self._held)
        stay, join, slack = stay[kept[: len(stay)]], join[kept[len(stay) :]], slack[kept]
        both, old = np.concatenate((stay, join)), len(stay)
        bits, taken, link = states.bits[both], states.taken[both], states.link[both]
        place = self._place[interval] = self._free.pop()
        bits[old:, place // WORD] |= np.uint64(1 << (place % WORD))
        taken[old:] += need
        link[old:] = self._links.append(interval, link[old:])
        return _States(bits, taken, slack, link)

    def _priced(self, states: _States, row: int, room: int) -> _States:
        """Add the slack of the row and drop what does not fit or has too much of it."""
        slack = states.slack
        for priced in self._slacks.rows.get(row, ()):
            slack = slack + priced.price * (priced.most - self._weight(states, priced))
        return states._replace(slack=slack).only((slack <= self._allowed) & (states.taken <= room))

    def _weight(self, states: _States, priced: PricedRow) -> IntArray:
        if not priced.is_cut:
            return states.taken
        weight = np.zeros(len(states.slack), np.int64)
        for interval, each in zip(priced.intervals.tolist(), priced.weights.tolist(), strict=True):
            weight += self._has(states, interval) * each
        return weight

    def _has(self, states: _States, interval: int) -> IntArray:
        place = self._place[interval]
        word = states.bits[:, place // WORD]
        return ((word >> np.uint64(place % WORD)) & np.uint64(1)).astype(np.int64)

    def _narrowed(self, states: _States, most: int) -> _States:
        return states if len(states.slack) <= most else states.only(self._least(states.slack, most))

    def _least(self, slack: IntArray, most: int) -> BoolArray:
        """Return which states go on where at most so many can, those with the least slack."""
        kept = np.ones(len(slack), np.bool_)
        if len(slack) > most:
            others = np.argpartition(slack, most)[most:]
            kept[others] = False
            least = int(slack[others].min())
            self._left_out = least if self._left_out is None else min(self._left_out, least)
        return kept

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
        order = np.lexsort((states.slack, _marks(bits)))
        first = np.zeros(len(order), np.bool_)
        first[0] = True
        for word in bits.T:
            first[1:] |= word[order[1:]] != word[order[:-1]]
        return states._replace(taken=taken).only(order[first])

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


def _marks(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return a number for each state that is the same for equal ones, and seldom for others."""
    mark = bits[:, 0]
    for word in bits.T[1:]:
        mark = ((mark ^ (mark >> np.uint64(32))) * MIXER) ^ word
    return mark


def _by_row(rows: IntArray, some: BoolArray) -> dict[int, list[int]]:
    found: dict[int, list[int]] = defaultdict(list)
    for interval in np.flatnonzero(some).tolist():
        found[int(rows[interval])].append(interval)
    return found


def _most_at_once(problem: Selection) -> int:
    return int(problem.occupied(np.ones(len(problem), np.int64)).max(initial=0))
