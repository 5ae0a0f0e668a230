"""The belief MDP solved in one call, exactly or in floating point."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal, TypeAlias

from teltheory.belief.graph import layered_graph
from teltheory.belief.induction import backward_induction, decisions_of
from teltheory.belief.mdp import Solver
from teltheory.belief.model import Allocation, BeliefMDP, Policy, State
from teltheory.errors import ArgumentError

Engine: TypeAlias = Literal["exact", "float"]


def solve(
    model: BeliefMDP,
    state: State,
    cached: Allocation,
    turns: int,
    policy: Policy | None = None,
    engine: Engine = "exact",
) -> Fraction | float:
    """Return the expected excess of the next turns, before the cut.

    Parameters
    ----------
    model : BeliefMDP
        The model.
    state : State
        The state, right after a turn.
    cached : tuple of int
        What is cached of each of its conversations.
    turns : int
        Horizon, 1 or more.
    policy : Policy, optional
        What is kept; the best where left out. With the floating engine it sees conversations least recent first.
    engine : {"exact", "float"}
        `Solver`, or `teltheory.belief.induction` on a layered graph.

    Returns
    -------
    Fraction or float
        W, exactly or in floating point.
    """
    if engine == "exact":
        return Solver(model, policy).cost(state, cached, turns)
    if engine != "float":
        raise ArgumentError("engine", engine, "'exact' or 'float'")
    graph = layered_graph(model, state, turns)
    choices = None if policy is None else decisions_of(graph, policy)
    return backward_induction(graph, choices=choices).cost(state, cached)
