"""The graph of configurations, as arrays that compiled code goes through.

A node is a configuration, and where the horizon is finite the number of turns to come. Its edges have
probabilities, and say which conversation's cache the child's state is without: that is all a transition needs
(`belief.layout`), and nothing is stored for a state and a decision.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from teltheory.belief.configurations import Move, NextTurn, Truncation, by_recency, next_turn_of
from teltheory.belief.layout import Layout
from teltheory.belief.model import Allocation, BeliefMDP, State
from teltheory.errors import ArgumentError
from teltheory.model.numbers import FloatArray, IntArray, whole_number


class Arrays(NamedTuple):
    """A graph as arrays; nodes of the same caps share a layout, and `most` is the most decisions of a node.

    `table`, `decision`, `group_at` and `group` say where the states, decisions and groups of each node and the
    edges of each group begin, and how many there are in all. `first_at`, `less_at` and `without_at` say where a
    layout's part of `first`, `less` and `without` begins; these are those of every `Layout`, row by row. With n
    conversations a node has n + 1 groups: in group j are the edges that drop conversation j, in the last one those
    that drop none. Each edge has a probability, and that of the edge without the truncation changing anything
    (`intact`).
    """

    forced: bool
    most: int
    conversations: IntArray
    layout: IntArray
    table: IntArray
    decision: IntArray
    group_at: IntArray
    states: IntArray
    first_at: IntArray
    less_at: IntArray
    without_at: IntArray
    first: IntArray
    less: IntArray
    without: IntArray
    excess: FloatArray
    group: IntArray
    child: IntArray
    probability: FloatArray
    intact: FloatArray


@dataclass(frozen=True, eq=False)
class Graph:
    """Configurations that follow a first one, each with its conversations least recent first.

    The first one comes first, and with a horizon no node comes before one with more turns to come. `turns` is None
    if the graph is that of a truncation, and has cycles.
    """

    model: BeliefMDP
    turns: int | None
    truncation: Truncation | None
    nodes: tuple[State, ...]
    layouts: tuple[Layout, ...]
    arrays: Arrays

    @property
    def states(self) -> int:
        """Number of states: a node, and what is cached."""
        return int(self.arrays.table[-1])

    @cached_property
    def pairs(self) -> int:
        """Number of pairs of a state and a decision that it allows."""
        forced = self.model.forced
        number = {layout: layout.pairs(forced) for layout in set(self.layouts)}
        return sum(number[layout] for layout in self.layouts)

    @cached_property
    def _numbers(self) -> dict[State, int]:
        return {state: v for v, state in reversed(list(enumerate(self.nodes)))}

    def node(self, state: State) -> int:
        """Return the number of a configuration's node; of several, the one with the most turns to come."""
        number = self._numbers.get(by_recency(state))
        if number is None:
            raise ArgumentError("state", state, "a configuration that the graph has")
        return number

    def decision_limits(self, state: State, cached: Allocation) -> Allocation:
        """Return what is cached, least recent first: at most the past of each conversation."""
        pasts = [known.past for known in state.conversations]
        if len(cached) != len(pasts):
            raise ArgumentError("cached", cached, f"{len(pasts)} numbers, one a conversation")
        for amount, past in zip(cached, pasts, strict=True):
            if whole_number("cached", amount) > past:
                raise ArgumentError("cached", cached, f"at most the pasts, {pasts}")
        return tuple(cached[i] for i in state.recency)

    def intact_moves(self) -> csr_array[np.float64]:
        """Return the probability of each move without the truncation changing anything; shape (nodes, nodes)."""
        arrays, nodes = self.arrays, len(self.nodes)
        edges = arrays.group[arrays.group_at]
        return csr_array((arrays.intact, arrays.child, edges), shape=(nodes, nodes))


def layered_graph(model: BeliefMDP, state: State, turns: int) -> Graph:
    """Return the configurations of the next turns, 1 or more, each with the number of turns to come."""
    if whole_number("turns", turns) == 0:
        raise ArgumentError("turns", 0, "1 or more")
    return _graph(model, by_recency(state), turns, None)


def truncated_graph(model: BeliefMDP, state: State, truncation: Truncation, most_nodes: int = 1_000_000) -> Graph:
    """Return every configuration that follows the first one under a truncation; no horizon.

    Parameters
    ----------
    model : BeliefMDP
        The model.
    state : State
        The first configuration, one that the truncation does not change.
    truncation : Truncation
        What makes the graph finite.
    most_nodes : int
        Configurations at which to give up.

    Raises
    ------
    ArgumentError
        Where the truncation changes the first configuration, or there are more configurations than that.
    ForcedCachingError
        Under forced caching, where a past can be longer than the capacity.
    """
    if truncation.of(state) != (by_recency(state), None):
        raise ArgumentError("state", state, "a configuration that the truncation does not change")
    return _graph(model, by_recency(state), None, truncation, most_nodes)


def _graph(
    model: BeliefMDP, root: State, turns: int | None, truncation: Truncation | None, most: float = inf
) -> Graph:
    keys = {(root, turns or 0): 0}
    order = list(keys)
    following: dict[State, NextTurn] = {}
    edges: list[list[tuple[Move, int]]] = []
    for state, left in order:
        if len(order) > most:
            raise ArgumentError("truncation", truncation, f"one that leaves {most} configurations at most")
        if state not in following:
            following[state] = next_turn_of(model, state, truncation)
        edges.append([])
        for move in following[state].moves if left != 1 else ():
            key = (move.child, max(left - 1, 0))
            if keys.setdefault(key, len(order)) == len(order):
                order.append(key)
            edges[-1].append((move, keys[key]))
    nodes = tuple(state for state, _ in order)
    shared: dict[Layout, Layout] = {}
    layouts = tuple(shared.setdefault(layout, layout) for layout in (_layout(model, state) for state in nodes))
    arrays = _arrays(model, layouts, [following[state] for state in nodes], edges)
    return Graph(model, turns, truncation, nodes, layouts, arrays)


def _layout(model: BeliefMDP, state: State) -> Layout:
    return Layout(tuple(min(known.past, model.capacity) for known in state.conversations), model.capacity)


def _arrays(
    model: BeliefMDP,
    layouts: Sequence[Layout],
    following: Sequence[NextTurn],
    edges: Sequence[Sequence[tuple[Move, int]]],
) -> Arrays:
    kinds = {layout: i for i, layout in enumerate(dict.fromkeys(layouts))}
    number = np.array([kinds[layout] for layout in layouts], np.int64)
    states = np.array([len(layout.states) for layout in kinds], np.int64)
    decisions = np.array([len(layout.decisions) for layout in kinds], np.int64)
    conversations = np.array([len(layout.caps) for layout in layouts], np.int64)
    return Arrays(
        model.forced,
        int(decisions.max()),
        conversations,
        number,
        _starts(states[number]),
        _starts(decisions[number]),
        _starts(conversations + 1),
        states,
        _starts(states + 1)[:-1],
        _starts([layout.less.size for layout in kinds])[:-1],
        _starts([layout.without.size for layout in kinds])[:-1],
        np.concatenate([layout.first for layout in kinds]),
        np.concatenate([layout.less.ravel() for layout in kinds]),
        np.concatenate([layout.without.ravel() for layout in kinds]),
        np.concatenate([_excess(layout, turn) for layout, turn in zip(layouts, following, strict=True)]),
        *_edges(conversations, following, edges),
    )


def _excess(layout: Layout, turn: NextTurn) -> FloatArray:
    """Return the next turn's expected excess; shape (decisions,)."""
    amounts = zip(turn.costs, layout.decisions.T, strict=True)
    return np.asarray(sum(cost[kept] for cost, kept in amounts), np.float64)


def _edges(
    conversations: IntArray, following: Sequence[NextTurn], edges: Sequence[Sequence[tuple[Move, int]]]
) -> tuple[IntArray, IntArray, FloatArray, FloatArray]:
    """Return groups, children, probabilities and probabilities of staying intact, sorted by groups."""
    rows = [
        (base + move.dropped, child, float(chances.probability), float(chances.intact))
        for base, turn, of_node in zip(_starts(conversations + 1)[:-1].tolist(), following, edges, strict=True)
        for move, child in of_node
        for chances in [turn.moves[move]]
    ]
    rows.sort()
    groups = np.bincount([row[0] for row in rows], minlength=int((conversations + 1).sum()))
    columns = [np.array([row[i] for row in rows], kind) for i, kind in ((1, np.int64), (2, float), (3, float))]
    return _starts(groups), columns[0], columns[1], columns[2]


def _starts(lengths: Sequence[int] | IntArray) -> IntArray:
    """Return where parts of such lengths begin, and where the last one ends."""
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(np.asarray(lengths, np.int64))))
