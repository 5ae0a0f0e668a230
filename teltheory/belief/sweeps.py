"""Compiled sweeps over a graph of configurations: every state's value from its children's.

At each node J, the cost of every decision, is the next turn's expected excess plus the discounted mean of the
children's values. The least cost in a state's row of decisions is its value if of the others all is kept that is
cached. Less may be kept, so its value is the least of these over all states with less: a running minimum along
each conversation, instead of one over all decisions.
"""

from __future__ import annotations

import numpy as np

from teltheory.belief.graph import Arrays
from teltheory.model.numbers import FloatArray, IntArray
from teltheory.replay.compiled import compiled, inlined


@compiled
def best_sweep(graph: Arrays, read: FloatArray, write: FloatArray, discount: float, choices: IntArray) -> None:
    """Write the value and the best decision of every state, children's values being read.

    From the last node to the first, so that with a horizon one array can be read and written.
    """
    cost, later = np.empty(graph.most), np.empty(graph.most)
    for node in range(len(graph.layout) - 1, -1, -1):
        _cost_of_decisions(graph, node, read, discount, cost, later)
        _least(graph, node, cost, write, choices)


@compiled
def policy_sweep(graph: Arrays, read: FloatArray, write: FloatArray, discount: float, choices: IntArray) -> None:
    """Write the value of every state under given decisions, as `best_sweep` does under the best."""
    cost, later = np.empty(graph.most), np.empty(graph.most)
    for node in range(len(graph.layout) - 1, -1, -1):
        _cost_of_decisions(graph, node, read, discount, cost, later)
        for state in range(graph.table[node], graph.table[node + 1]):
            write[state] = cost[choices[state]]


@inlined
def _cost_of_decisions(
    graph: Arrays, node: int, read: FloatArray, discount: float, cost: FloatArray, later: FloatArray
) -> None:
    """Write J of every decision of a node into `cost`; `later` is room for as many."""
    n, first = graph.conversations[node], graph.decision[node]
    decisions = graph.decision[node + 1] - first
    excess = graph.excess[first : first + decisions]
    for k in range(decisions):
        cost[k] = excess[k]
    for dropped in range(n + 1):
        group = graph.group_at[node] + dropped
        if graph.group[group] == graph.group[group + 1]:
            continue
        size = _mean_of_children(graph, group, read, discount, later)
        if dropped == n:
            for k in range(size):
                cost[k] += later[k]
        else:
            plane = graph.without_at[graph.layout[node]] + dropped * decisions
            without = graph.without[plane : plane + decisions]
            for k in range(decisions):
                cost[k] += later[without[k]]


@inlined
def _mean_of_children(graph: Arrays, group: int, read: FloatArray, discount: float, later: FloatArray) -> int:
    """Write the discounted mean of the values of a group's children; return how many there are."""
    child = graph.child[graph.group[group]]
    size = graph.table[child + 1] - graph.table[child]
    later[:size] = 0.0
    for edge in range(graph.group[group], graph.group[group + 1]):
        weight, begin = discount * graph.probability[edge], graph.table[graph.child[edge]]
        values = read[begin : begin + size]
        for k in range(size):
            later[k] += weight * values[k]
    return int(size)


@inlined
def _least(graph: Arrays, node: int, cost: FloatArray, value: FloatArray, choices: IntArray) -> None:
    """Write each state's least cost of a decision, and the decision."""
    layout, table = graph.layout[node], graph.table[node]
    states, at = graph.states[layout], graph.first_at[layout]
    first = graph.first[at : at + states + 1]
    values, choice = value[table : table + states], choices[table : table + states]
    skipped = first[1] - 1 if graph.forced else 0
    for state in range(states):
        least, decision = np.inf, 0
        for k in range(first[state] + skipped, first[state + 1]):
            if cost[k] < least:
                least, decision = cost[k], k
        values[state], choice[state] = least, decision
    for i in range(graph.conversations[node] - 1):
        plane = graph.less_at[layout] + i * states
        less = graph.less[plane : plane + states]
        for state in range(states):
            if values[less[state]] < values[state]:
                values[state], choice[state] = values[less[state]], choice[less[state]]
