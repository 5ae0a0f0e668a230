"""Backward induction and value iteration for the belief MDP in floating point, on a graph of configurations.

With beta the discount and W = 0 after the last turn,

    W(v, X) = min_Y J(v, Y),    J(v, Y) = E[excess + beta W(next v, next X)],

at every node v and for every X that fits (`belief.graph`, `belief.sweeps`). A policy is evaluated by its decisions
in place of the minimum. `belief.mdp.Solver` is the version to be read, and judges this one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from teltheory.belief.graph import Arrays, Graph
from teltheory.belief.model import Allocation, BeliefMDP, Policy, State
from teltheory.belief.sweeps import best_sweep, policy_sweep
from teltheory.errors import ArgumentError
from teltheory.model.numbers import FloatArray, IntArray, whole_number

Sweep: TypeAlias = Callable[[Arrays, FloatArray, FloatArray, float, IntArray], None]


@dataclass(frozen=True, eq=False)
class Solution:
    """Values of every state of a graph, node by node, in each in the order of `Layout.states`.

    `later` is what the last of the `sweeps` read: `values` is the least cost of a decision, or the policy's, with
    it. `bound` is the most that a value differs from that of the infinite horizon, rounding aside; 0 with a
    horizon. `choices` has the decision at every state, a number of `Layout.decisions`: the policy's, or the best
    with `later`. With a horizon these are the best decisions; without, the policy that repeats them costs at most
    2 `bound` more than the best, as the last sweep bounds its values too.
    """

    graph: Graph
    discount: float
    values: FloatArray
    later: FloatArray
    sweeps: int
    bound: float
    choices: IntArray
    of_policy: bool

    @property
    def backups(self) -> int:
        """State-action backups: pairs of a state and an allowed decision, times sweeps.

        With a policy there is one decision a state. The sweeps minimise over the pairs without going through them.
        """
        return self.sweeps * (self.graph.states if self.of_policy else self.graph.pairs)

    def cost(self, state: State, cached: Allocation) -> float:
        """Return W before the cut; `cached` is in the state's order.

        Under a policy all of the last one has to be cached, and the rest has to fit.
        """
        node, limits = self.graph.node(state), self.graph.decision_limits(state, cached)
        place = self.graph.layouts[node].place_of_state.get(limits[:-1])
        if place is not None and limits[-1] == self.graph.nodes[node].conversations[-1].past:
            return float(self.values[self.graph.arrays.table[node] + place])
        if self.of_policy:
            raise ArgumentError("cached", cached, "all of the last one, and of the others what fits")
        return float(self._costs(node)[self._allowed(node, limits)].min())

    def cost_of_keeping(self, state: State, kept: Allocation) -> float:
        """Return J after the cut; `kept` as `cached` in `cost`, and it must fit."""
        node, amounts = self.graph.node(state), self.graph.decision_limits(state, kept)
        place = self.graph.layouts[node].place_of_decision.get(amounts)
        if place is None:
            raise ArgumentError("kept", kept, f"{self.graph.model.capacity} tokens at most")
        return float(self._costs(node)[place])

    def best(self, state: State, cached: Allocation) -> Allocation:
        """Return what to keep; arguments and errors as in `cost`."""
        node = self.graph.node(state)
        allowed = self._allowed(node, self.graph.decision_limits(state, cached))
        place = allowed[self._costs(node)[allowed].argmin()]
        kept = dict(zip(state.recency, self.graph.layouts[node].decisions[place].tolist(), strict=True))
        return tuple(kept[i] for i in range(len(kept)))

    def _costs(self, node: int) -> FloatArray:
        """Return J of every decision of a node."""
        arrays, layout = self.graph.arrays, self.graph.layouts[node]
        cost = arrays.excess[arrays.decision[node] : arrays.decision[node + 1]].copy()
        for dropped in range(len(layout.caps) + 1):
            group = arrays.group_at[node] + dropped
            edges = slice(arrays.group[group], arrays.group[group + 1])
            for child, probability in zip(arrays.child[edges], arrays.probability[edges], strict=True):
                later = self.later[arrays.table[child] : arrays.table[child + 1]]
                same = later if dropped == len(layout.caps) else later[layout.without[dropped]]
                cost += self.discount * probability * same
        return np.asarray(cost)

    def _allowed(self, node: int, limits: Allocation) -> IntArray:
        """Return the numbers of the decisions that some limits allow."""
        decisions = self.graph.layouts[node].decisions
        allowed = (decisions <= np.array(limits)).all(axis=1)
        if self.graph.model.forced:
            allowed &= decisions[:, -1] == self.graph.layouts[node].caps[-1]
        if not allowed.any():
            raise ArgumentError("cached", limits, "all of the last one, under forced caching")
        return np.flatnonzero(allowed)


def backward_induction(
    graph: Graph, turns: int | None = None, discount: float = 1.0, choices: IntArray | None = None
) -> Solution:
    """Return the expected excess of the next turns, every value from the values with one turn less.

    Parameters
    ----------
    graph : Graph
        The graph.
    turns : int, optional
        Horizon, 1 or more: needed with a truncation; a layered graph has its own.
    discount : float
        Factor, in [0, 1], on the excess of each turn after the next.
    choices : ndarray of int64, shape (states,), optional
        A policy (`decisions_of`, `Solution.choices`); the best decisions where left out.

    Raises
    ------
    ArgumentError
        Where the horizon or the discount is not as above.
    """
    if not 0 <= discount <= 1:
        raise ArgumentError("discount", discount, "a number in [0, 1]")
    sweeps = _sweeps(graph, turns)
    values, later = np.zeros(graph.states), np.zeros(graph.states)
    if graph.turns is not None:
        later = values
    sweep, chosen = _sweep(graph, choices)
    for _ in range(sweeps):
        values, later = later, values
        sweep(graph.arrays, later, values, discount, chosen)
    return Solution(graph, discount, values, later, sweeps, 0.0, chosen, choices is not None)


def _sweeps(graph: Graph, turns: int | None) -> int:
    if graph.turns is None:
        if turns is None or whole_number("turns", turns) == 0:
            raise ArgumentError("turns", turns, "1 or more, as the graph has no horizon")
        return turns
    if turns is not None and turns != graph.turns:
        raise ArgumentError("turns", turns, f"{graph.turns}, the horizon of the graph")
    return 1


def value_iteration(
    graph: Graph,
    discount: float,
    tolerance: float = 1e-9,
    choices: IntArray | None = None,
    most_sweeps: int = 100_000,
) -> Solution:
    """Return the expected discounted excess of all turns, within a tolerance.

    With d the least and D the largest change of a value in the last sweep, the value of the infinite horizon is
    between W + beta d / (1 - beta) and W + beta D / (1 - beta) at every state (MacQueen). The middle is returned.

    Parameters
    ----------
    graph : Graph
        The graph of a truncation.
    discount : float
        beta, in [0, 1).
    tolerance : float
        Bound on the error at which to stop, above 0; the bound does not cover rounding.
    choices : ndarray of int64, shape (states,), optional
        A policy; the best decisions where left out.
    most_sweeps : int
        Sweeps after which to stop in any case; `Solution.bound` says how far it got.

    Raises
    ------
    ArgumentError
        Where an argument is not as above.
    """
    if graph.turns is not None:
        raise ArgumentError("graph", graph.turns, "a graph without a horizon")
    if not 0 <= discount < 1:
        raise ArgumentError("discount", discount, "a number in [0, 1)")
    if not tolerance > 0:
        raise ArgumentError("tolerance", tolerance, "a number above 0")
    values, later, sweeps = np.zeros(graph.states), np.zeros(graph.states), 0
    bound, middle = np.inf, 0.0
    sweep, chosen = _sweep(graph, choices)
    while bound > tolerance and sweeps < most_sweeps:
        values, later, sweeps = later, values, sweeps + 1
        sweep(graph.arrays, later, values, discount, chosen)
        change = values - later
        low, high = (discount / (1 - discount) * float(end) for end in (change.min(), change.max()))
        bound, middle = (high - low) / 2, (high + low) / 2
    values += middle
    if discount > 0:
        later += middle / discount
    return Solution(graph, discount, values, later, sweeps, bound, chosen, choices is not None)


def _sweep(graph: Graph, choices: IntArray | None) -> tuple[Sweep, IntArray]:
    """Return the sweep, and the decisions that it follows or writes."""
    if choices is None:
        return best_sweep, np.empty(graph.states, np.int64)
    if choices.shape != (graph.states,):
        raise ArgumentError("choices", choices.shape, f"the shape ({graph.states},)")
    return policy_sweep, choices


def decisions_of(graph: Graph, policy: Policy) -> IntArray:
    """Return a policy's decision at every state of a graph; shape (states,), numbers of `Layout.decisions`.

    Parameters
    ----------
    graph : Graph
        The graph.
    policy : Policy
        Called with the model, a configuration (its conversations least recent first) and what is cached.

    Raises
    ------
    ArgumentError
        Where the policy keeps what it may not.
    """
    choices = np.empty(graph.states, np.int64)
    for node, (state, layout) in enumerate(zip(graph.nodes, graph.layouts, strict=True)):
        for place, others in enumerate(layout.states.tolist(), int(graph.arrays.table[node])):
            cached = (*others, state.conversations[-1].past)
            kept = policy(graph.model, state, cached)
            choices[place] = layout.place_of_decision.get(kept, -1)
            if choices[place] < 0 or not _is_allowed(graph.model, cached, kept):
                raise ArgumentError("policy", kept, f"an allocation that {state} with {cached} cached allows")
    return choices


def _is_allowed(model: BeliefMDP, cached: Allocation, kept: Allocation) -> bool:
    within = all(amount <= limit for amount, limit in zip(kept, cached, strict=True))
    return within and (not model.forced or kept[-1] == cached[-1])
