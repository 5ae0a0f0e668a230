"""The truncated belief MDP as quantecon takes it: a row for each pair of a state and a decision that it allows."""

from dataclasses import dataclass, replace

import numpy as np
from quantecon.markov import DiscreteDP
from scipy.sparse import csr_matrix

from teltheory.belief.model import after, allocations, arrivals, excess


@dataclass(frozen=True)
class Pairs:
    """An MDP as quantecon takes it: a row for each pair of a state and a decision that it allows, sorted.

    Attributes
    ----------
    states : dict of (int, tuple of int) to int
        Number of each configuration with what is cached.
    decisions : list of tuple of int
        The decision of each row.
    rewards : ndarray of float64, shape (pairs,)
        Minus the expected excess of the next turn.
    transitions : csr_matrix, shape (pairs, states)
        Probabilities.
    state, action : ndarray of int64, shape (pairs,)
        The state of each row; decisions of a state are counted from 0.
    """

    states: dict
    decisions: list
    rewards: np.ndarray
    transitions: csr_matrix
    state: np.ndarray
    action: np.ndarray

    def solver(self, discount):
        """Return quantecon's `DiscreteDP`."""
        return DiscreteDP(self.rewards, self.transitions, discount, self.state, self.action)


def pairs(of):
    """Return all pairs of a truncated graph's states and decisions; only its configurations are used."""
    nodes = {state: node for node, state in enumerate(of.nodes)}
    number = {}
    states = {}
    found = []
    row, decisions, allowed = [], [], []
    for state, node in nodes.items():
        every = _decisions(of.model, state)
        number.update({(node, kept): len(number) + i for i, kept in enumerate(every)})
        found += _rows(of, state, every, nodes)
        for cached in _cached(of.model, state):
            states[node, cached] = len(states)
            choice = allocations(of.model, state, cached)
            row += [number[node, kept] for kept in choice]
            decisions += choice
            allowed.append(len(choice))
    rewards = np.array([-cost for cost, _ in found])[row]
    of_state = np.repeat(np.arange(len(states)), allowed)
    action = np.concatenate([np.arange(length) for length in allowed])
    return Pairs(states, decisions, rewards, _matrix(found, states)[row], of_state, action)


def _decisions(of, state):
    """Return all that may be kept where everything is cached."""
    return allocations(of, state, tuple(known.past for known in state.conversations))


def _cached(of, state):
    """Yield what can be cached before the cut: what fits of the others, and all of the last one."""
    *others, last = (known.past for known in state.conversations)
    for kept in allocations(replace(of, forced=False), state, (*others, 0)):
        yield (*kept[:-1], last)


def _rows(of, state, decisions, nodes):
    """Yield the row of each decision at a configuration."""
    turns = []
    for arrival in arrivals(of.model, state):
        following, places = _then(of, state, arrival)
        turns.append(
            (float(arrival.probability), arrival, nodes[following], places, following.conversations[-1].past)
        )
    for kept in decisions:
        cost, chances = 0.0, {}
        for probability, arrival, node, places, past in turns:
            cost += probability * excess(of.model, state, kept, arrival)
            key = node, (*(kept[i] for i in places), past)
            chances[key] = chances.get(key, 0.0) + probability
        yield cost, chances


def _then(of, state, arrival):
    """Return the configuration after a turn, and the places of the conversations that it keeps beside the last."""
    then = after(of.model, state, arrival)
    following, forgotten = of.truncation.of(then)
    return following, [i for place, i in enumerate(then.recency[:-1]) if place != forgotten]


def _matrix(rows, states):
    ends = np.cumsum([0, *(len(chances) for _, chances in rows)])
    columns = np.array([states[key] for _, chances in rows for key in chances])
    probabilities = np.array([chance for _, chances in rows for chance in chances.values()])
    return csr_matrix((probabilities, columns, ends), shape=(len(rows), len(states)))
