"""Compiled sweeps over a graph of configurations: every state's value from its children's.

At each node J, the cost of every decision, is the next turn's expected excess plus the discounted mean of the
children's values. The least cost in a state's row of decisions is its value if of the others all is kept that is
cached. Less may be kept, so its value is the least of these over all states with less: a running minimum along
each conversation, instead of one over all decisions.
"""

from __future__ import annotations

import numpy as np

from teltheory.belief.graph import Arrays
from teltheory.numbers import FloatArray, IntArray
from teltheory.replay.compiled import compiled


@compiled
def best_sweep(graph: Arrays, read: FloatArray, write: FloatArray, discount: float) -> None:
    """Write the value of every state under the best decisions, children's values being read.

    From the last node to the first, so that with a horizon one array can be read and written.

    Parameters
    ----------
    graph : Arrays
        The graph.
    read, write : ndarray of float64, shape (states,)
        Values.
    discount : float
        Of what comes after the next turn.
    """
    cost, later, choice = np.empty(graph.most), np.empty(graph.most), np.empty(graph.most, np.int64)
    for node in range(len(graph.layout) - 1, -1, -1):
        cost_of_decisions(graph, node, read, discount, cost, later)
        _least(graph, node, cost, write, choice)


@compiled
def greedy_sweep(graph: Arrays, read: FloatArray, discount: float, choices: IntArray) -> None:
    """Write the best decision of every state; shape (states,), numbers of decisions in the node's layout."""
    cost, later, choice = np.empty(graph.most), np.empty(graph.most), np.empty(graph.most, np.int64)
    value = np.empty(graph.table[-1])
    for node in range(len(graph.layout)):
        cost_of_decisions(graph, node, read, discount, cost, later)
        _least(graph, node, cost, value, choice)
        choices[graph.table[node] : graph.table[node + 1]] = choice[: graph.table[node + 1] - graph.table[node]]


@compiled
def policy_sweep(graph: Arrays, read: FloatArray, write: FloatArray, discount: float, choices: IntArray) -> None:
    """Write the value of every state under given decisions, as `best_sweep` does under the best."""
    cost, later = np.empty(graph.most), np.empty(graph.most)
    for node in range(len(graph.layout) - 1, -1, -1):
        cost_of_decisions(graph, node, read, discount, cost, later)
        for state in range(graph.table[node], graph.table[node + 1]):
            write[state] = cost[choices[state]]


@compiled
def cost_of_decisions(
    graph: Arrays, node: int, read: FloatArray, discount: float, cost: FloatArray, later: FloatArray
) -> None:
    """Write J of every decision of a node into `cost`; `later` is room for as many."""
    _expected_excess(graph, node, cost)
    n, layout = graph.conversations[node], graph.layout[node]
    states = graph.states[layout]
    first = graph.first[graph.first_at[layout] : graph.first_at[layout] + states + 1]
    group = graph.axis[node] + node
    for dropped in range(n + 1):
        size = _mean_of_children(graph, group + dropped, read, discount, later)
        if size == 0:
            continue
        if dropped == n:
            cost[:size] += later[:size]
        elif dropped == n - 1:
            _add_to_rows(first, later, cost)
        else:
            plane = graph.plane_at[layout] + dropped * states
            _add_rows(first, graph.without[plane : plane + states], later, cost)


@compiled
def _expected_excess(graph: Arrays, node: int, cost: FloatArray) -> None:
    n, layout, axis = graph.conversations[node], graph.layout[node], graph.axis[node]
    states, plane, at = graph.states[layout], graph.plane_at[layout], graph.first_at[layout]
    last = graph.cost_at[axis + n - 1]
    for state in range(states):
        fixed = 0.0
        for i in range(n - 1):
            fixed += graph.cost[graph.cost_at[axis + i] + graph.cached[plane + i * states + state]]
        begin = graph.first[at + state]
        for k in range(graph.first[at + state + 1] - begin):
            cost[begin + k] = fixed + graph.cost[last + k]


@compiled
def _mean_of_children(graph: Arrays, group: int, read: FloatArray, discount: float, later: FloatArray) -> int:
    """Write the discounted mean of a group's children's values; return how many there are."""
    begin, end = graph.group[group], graph.group[group + 1]
    if begin == end:
        return 0
    size = graph.table[graph.child[begin] + 1] - graph.table[graph.child[begin]]
    later[:size] = 0.0
    for edge in range(begin, end):
        weight, values = discount * graph.probability[edge], graph.table[graph.child[edge]]
        for k in range(size):
            later[k] += weight * read[values + k]
    return int(size)


@compiled
def _add_to_rows(first: IntArray, later: FloatArray, cost: FloatArray) -> None:
    for state in range(len(first) - 1):
        for k in range(first[state], first[state + 1]):
            cost[k] += later[state]


@compiled
def _add_rows(first: IntArray, without: IntArray, later: FloatArray, cost: FloatArray) -> None:
    for state in range(len(without)):
        begin, source = first[state], without[state]
        for k in range(first[state + 1] - begin):
            cost[begin + k] += later[source + k]


@compiled
def _least(graph: Arrays, node: int, cost: FloatArray, value: FloatArray, choice: IntArray) -> None:
    """Write each state's least cost of a decision, and the decision."""
    layout, table = graph.layout[node], graph.table[node]
    states, plane = graph.states[layout], graph.plane_at[layout]
    first = graph.first[graph.first_at[layout] : graph.first_at[layout] + states + 1]
    skipped = first[1] - 1 if graph.forced else 0
    for state in range(states):
        value[table + state] = np.inf
        for k in range(first[state] + skipped, first[state + 1]):
            if cost[k] < value[table + state]:
                value[table + state], choice[state] = cost[k], k
    for i in range(graph.conversations[node] - 1):
        for state in range(states):
            less = graph.less[plane + i * states + state]
            if value[table + less] < value[table + state]:
                value[table + state], choice[state] = value[table + less], choice[less]
