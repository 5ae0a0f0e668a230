"""Exact dynamic programming for the belief MDP (`teltheory.belief.model`): backward induction with memory.

With W_0 = 0,

    W_m(state, X) = min_Y J_m(state, Y),    J_m(state, Y) = E[cost + W_{m-1}(next state, next X)],

so W_m is the least expected excess of the next m turns. With a policy in place of the minimum it is the policy's
cost. Plain recursion in fractions, to be read beside the paper; `teltheory.belief.tables` is the quicker one.
"""

from fractions import Fraction
from functools import cache

from teltheory.belief.model import (
    Allocation,
    BeliefMDP,
    Policy,
    State,
    after,
    allocations,
    arrivals,
    at_hand,
    excess,
)


class Solver:
    """Backward induction with memory: the least expected excess, or that of a policy."""

    def __init__(self, model: BeliefMDP, policy: Policy | None = None) -> None:
        self.model, self.policy = model, policy
        self._known: dict[tuple[State, Allocation, int], Fraction] = {}
        self._following = cache(lambda now: [(turn, after(model, now, turn)) for turn in arrivals(model, now)])

    def cost(self, state: State, cached: Allocation, turns: int) -> Fraction:
        """Return W: the expected excess of the next `turns` turns, before the cut."""
        if turns == 0:
            return Fraction(0)
        key = (state, cached, turns)
        if key not in self._known:
            self._known[key] = self._cut(state, cached, turns)
        return self._known[key]

    def _cut(self, state: State, cached: Allocation, turns: int) -> Fraction:
        if self.policy is not None:
            return self.cost_of_keeping(state, self.policy(self.model, state, cached), turns)
        return min(self.cost_of_keeping(state, kept, turns) for kept in allocations(self.model, state, cached))

    def cost_of_keeping(self, state: State, kept: Allocation, turns: int) -> Fraction:
        """Return J: the expected excess of the next `turns` turns, after the cut."""
        cost = Fraction(0)
        for arrival, then in self._following(state):
            later = self.cost(then, at_hand(then, kept), turns - 1)
            cost += arrival.probability * (excess(self.model, state, kept, arrival) + later)
        return cost
