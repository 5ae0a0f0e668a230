"""The compact form of the hindsight problem: one variable a turn, one row a step, an interval matrix.

Between a turn s of a conversation and its next turn e only what is kept *all the way* is reused. So y_e, what
turn e reuses, is the one decision, with

    0 <= y_e <= min(h_e, max(0, total_e - xi)),

(more than total - xi brings no more, Theorem B.1), and it takes y_e of the capacity at the start of every step
s + 1 ... e, its reuse interval. Then TEL = sum of max(0, total - xi) - sum of y, and the problem is

    max sum_e y_e   subject to   sum of y_e over the intervals that cover t  <=  C_t   for every step t.

A conversation of the initial cache has s = 0 and y_e at most what it holds. Under optional caching C_t = C.
Under forced caching (9) the conversation that arrived at step t - 1 holds its whole past at step t, so there
C_t = C - past and its own interval begins one step later.

With weights, what interval k keeps is worth weight_k a unit, and the sum of weight y is maximised. Several
intervals may belong to one turn: the parts of its reuse that are worth more and less.

The ones of each column are consecutive, so the matrix is totally unimodular and the linear relaxation has an
integral optimum (Fulkerson and Gross 1965; Schrijver 1986, section 19.4).
"""

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from scipy.sparse import csc_array

from teltheory.model.instance import Instance
from teltheory.model.numbers import FloatArray, IntArray, exact_dot, running_sums

Numbers = TypeVar("Numbers", IntArray, FloatArray)


@dataclass(frozen=True)
class IntervalProblem:
    """Reuse intervals of an instance; steps are counted from 1, step t is the cache at the start of turn t.

    Turn ``turn[k]``, counted from 0, reuses what interval k keeps at the steps ``first[k]`` to ``last[k]``, none
    if ``first[k] > last[k]``: ``most[k]`` at most, worth ``weight[k]``, 1 or more, a unit. ``room[t]`` is the
    capacity of step t; entry 0 is unused. `unavoidable` is the cost without a cache, sum of weight max(0, total -
    xi) for TEL.
    """

    turn: IntArray
    first: IntArray
    last: IntArray
    most: IntArray
    room: IntArray
    unavoidable: int
    weight: IntArray

    def matrix(self) -> tuple[csc_array, IntArray]:
        """Return the rows that are needed as a sparse 0-1 matrix (rows x intervals) and their right sides."""
        steps = self.needed_steps()
        return self.rows(steps), self.room[steps]

    def needed_steps(self) -> IntArray:
        """Return the steps whose rows imply all others, ascending: those of the maximal cliques of intervals.

        A step is left out where the next step, or the last one that is not left out, is covered by the same
        intervals and more, with no more room.
        """
        steps = np.arange(1, len(self.room))
        ends = np.isin(steps, self.last)
        tighter_next = np.append(self.room[2:] <= self.room[1:-1], False) if len(steps) else ends
        steps = steps[ends | ~tighter_next]
        begun = np.cumsum(np.bincount(self.first[self.first <= self.last], minlength=len(self.room) + 1))[steps]
        tighter_before = (np.diff(begun) == 0) & (self.room[steps[:-1]] <= self.room[steps[1:]])
        needed: IntArray = steps[np.append(True, ~tighter_before)[: len(steps)]]
        return needed

    def binding_steps(self) -> IntArray:
        """Return the needed steps at which not everything fits together."""
        steps = self.needed_steps()
        return steps[self.occupied(self.most)[steps] > self.room[steps]]

    def rows(self, steps: IntArray) -> csc_array:
        """Return the rows of ascending steps as a sparse 0-1 matrix (rows x intervals), an interval matrix."""
        begin, end = self.places(steps)
        lengths = end - begin
        pointer = np.concatenate(([0], np.cumsum(lengths)))
        indices = np.arange(pointer[-1]) - np.repeat(pointer[:-1] - begin, lengths)
        return csc_array((np.ones(len(indices)), indices, pointer), shape=(len(steps), len(lengths)))

    def places(self, steps: IntArray) -> tuple[IntArray, IntArray]:
        """Return, for each interval, where among ascending `steps` it begins and ends to cover them (a slice)."""
        begin, end = np.searchsorted(steps, self.first), np.searchsorted(steps, self.last, side="right")
        return begin, np.maximum(begin, end)

    def reused(self, kept: IntArray, turns: int) -> IntArray:
        """Return what each of `turns` turns reuses when interval k keeps ``kept[k]``."""
        cached = np.zeros(turns, np.int64)
        np.add.at(cached, self.turn, kept)
        return cached

    def feasible(self, kept: IntArray) -> bool:
        """Whether whole amounts `kept` respect every bound and every step's room, in exact integers."""
        if np.any(kept < 0) or np.any(kept > self.most):
            return False
        return bool(np.all(self.occupied(kept)[1:] <= self.room[1:]))

    def occupied(self, kept: Numbers) -> Numbers:
        """Return what the amounts `kept`, within their bounds, take of the room at each step; entry 0 is unused.

        What is kept at one step belongs to different conversations, so it adds up to less than 2**63 tokens.
        """
        change = np.zeros(len(self.room) + 1, kept.dtype)
        covering = self.first <= self.last
        np.add.at(change, self.first[covering], kept[covering])
        np.subtract.at(change, self.last[covering] + 1, kept[covering])
        return np.cumsum(change[:-1])

    def worth(self, kept: IntArray) -> int:
        """Return what the amounts `kept` are worth together."""
        return exact_dot(self.weight, kept)

    def worth_upper_bound(self, steps: IntArray, prices: IntArray) -> int:
        """Return the bound on `worth` that whole prices of ascending steps give."""
        begin, end = self.places(steps)
        up_to = running_sums(prices)
        beyond = np.maximum(self.weight - (up_to[end] - up_to[begin]), 0)
        return exact_dot(prices, self.room[steps]) + exact_dot(beyond, self.most)


def interval_problem(instance: Instance, xi: int, weight: IntArray | None = None) -> IntervalProblem:
    """Write an instance as a problem over reuse intervals; `weight` is of the turns, 0 or more, 1 if left out."""
    trace, n = instance.requests, len(instance.requests)
    weight = np.ones(n, np.int64) if weight is None else weight
    worth = np.maximum(instance.total - xi, 0)
    most = np.minimum(most_reused(instance), worth)
    turn = np.flatnonzero((most > 0) & (weight > 0))
    room = np.full(n + 1, instance.capacity, np.int64)
    first = trace.previous_turn[turn] + 2
    if instance.forced:
        room[2:] -= instance.past[:-1]
        first += trace.continuing[turn]
    return IntervalProblem(turn, first, turn + 1, most[turn], room, exact_dot(weight, worth), weight[turn])


def most_reused(instance: Instance) -> IntArray:
    """Return the most that each turn can reuse: its history, or what was held of it at the start."""
    most, trace = instance.history.copy(), instance.requests
    first_turn = ~trace.continuing
    held = {start.code: start.cached for start in instance.initial}
    from_start = np.array([held.get(code, 0) for code in trace.code[first_turn].tolist()], np.int64)
    most[first_turn] = np.minimum(most[first_turn], from_start)
    return most


def least_between(values: Numbers, first: IntArray, last: IntArray, empty: float) -> Numbers:
    """Return the least of values[first ... last] for each pair, `empty` where first > last; by powers of two."""
    least = np.full(len(first), empty, values.dtype)
    length = last - first + 1
    width, table = 1, values
    while np.any(length >= width):
        some = np.flatnonzero((length >= width) & (length < 2 * width))
        least[some] = np.minimum(table[first[some]], table[last[some] - width + 1])
        table = np.minimum(table[:-width], table[width:])
        width *= 2
    return least
