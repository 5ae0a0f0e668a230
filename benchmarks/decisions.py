"""Sweeps of the belief MDP against quantecon's backward induction, on the same graph of configurations.

quantecon: `DiscreteDP` by pairs of a state and an action, with a sparse matrix of transitions, a row a pair, and
`backward_induction`. The matrix is made from the configurations, with the model's own arrivals, and is not timed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from importlib import import_module
from time import perf_counter
from typing import Any, TypeVar

import numpy as np
from scipy.sparse import csr_matrix

from benchmarks.peers import installed
from benchmarks.timing import Job, Ratio, Report, Timing, measure
from teltheory.belief.configurations import Truncation
from teltheory.belief.graph import Graph, truncated_graph
from teltheory.belief.induction import backward_induction
from teltheory.belief.model import (
    Allocation,
    Arrival,
    BeliefMDP,
    Kind,
    State,
    after,
    allocations,
    arrivals,
    excess,
    first_turn,
)
from teltheory.numbers import FloatArray, IntArray
from teltheory.workloads.laws import Finite, fixed

T = TypeVar("T")

DISCOUNT = 0.95
TURNS = 20
CAPACITY = 6
OURS = "ours"
QUANTECON = "quantecon"
HALF = Fraction(1, 2)


def graph(most_known: int) -> Graph:
    """Return the configurations: two kinds of conversations, pasts up to 3 tokens, beliefs of 1/2 and 1."""
    one_or_two = Finite((1, 2), (HALF, HALF))
    kinds = (Kind(1, (one_or_two,), fixed(1), HALF), Kind(3, (one_or_two,), fixed(1), HALF))
    model = BeliefMDP(CAPACITY, 1, kinds)
    return truncated_graph(model, first_turn(model, 0, 1, 1), Truncation(3, HALF, most_known))


def against_quantecon(most_known: int, rounds: int, report: Report) -> dict[str, Any]:
    """Time backward induction over `TURNS` turns, ours and quantecon's; return plain data.

    Parameters
    ----------
    most_known : int
        Most conversations at a time.
    rounds : int
        Timings of each.
    report : callable
        Called with what is measured next.
    """
    report("configurations of the belief MDP")
    of, seconds = _timed(lambda: graph(most_known))
    built, jobs, difference = {OURS: seconds}, [Job(OURS, lambda _: backward_induction(of, TURNS, DISCOUNT))], None
    if installed(QUANTECON) is not None:
        import_module("quantecon.markov")
        report("quantecon's matrix")
        (rows, solver), built[QUANTECON] = _timed(lambda: _solver(of))
        jobs.append(Job(QUANTECON, lambda _: _quantecon(solver)))
        difference = _difference(of, rows, solver)
    timings = measure(jobs, rounds, report)
    return {
        **{"configurations": len(of.nodes), "states": of.states, "pairs": of.pairs, "capacity": CAPACITY},
        **{"turns": TURNS, "most_known": most_known, "difference": difference},
        "rows": [_report(name, timing, timings[OURS], built[name], of.pairs) for name, timing in timings.items()],
    }


def _timed(make: Callable[[], T]) -> tuple[T, float]:
    start = perf_counter()
    made = make()
    return made, perf_counter() - start


def _report(name: str, timing: Timing, ours: Timing, built: float, pairs: int) -> dict[str, Any]:
    speed = TURNS * pairs / timing.median
    ratio = asdict(Ratio.of(timing, ours))
    return {"name": name, **timing.as_dict(), "built": built, "backups_a_second": speed, "times": ratio}


def _solver(of: Graph) -> tuple[Pairs, Any]:
    rows = pairs(of)
    return rows, rows.solver(DISCOUNT)


def _quantecon(solver: Any) -> FloatArray:
    from quantecon.markov import backward_induction as theirs

    return np.asarray(theirs(solver, TURNS)[0][0])


def _difference(of: Graph, rows: Pairs, solver: Any) -> float:
    """Return the largest difference of a value."""
    ours, theirs = backward_induction(of, TURNS, DISCOUNT), _quantecon(solver)
    values = np.array([ours.cost(of.nodes[node], cached) for node, cached in rows.states])
    return float(np.abs(values + theirs).max())


Key = tuple[int, Allocation]
"""Number of a configuration, and what is cached or kept, its conversations least recent first."""
Row = tuple[float, dict[Key, float]]
"""The next turn's expected excess, and the probabilities of the next states."""


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

    states: dict[Key, int]
    decisions: list[Allocation]
    rewards: FloatArray
    transitions: Any
    state: IntArray
    action: IntArray

    def solver(self, discount: float) -> Any:
        """Return quantecon's `DiscreteDP`."""
        from quantecon.markov import DiscreteDP

        return DiscreteDP(self.rewards, self.transitions, discount, self.state, self.action)


def pairs(of: Graph) -> Pairs:
    """Return all pairs of a truncated graph's states and decisions; only its configurations are used."""
    nodes = {state: node for node, state in enumerate(of.nodes)}
    number: dict[Key, int] = {}
    states: dict[Key, int] = {}
    found: list[Row] = []
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


def _decisions(of: BeliefMDP, state: State) -> list[Allocation]:
    """Return all that may be kept where everything is cached."""
    return allocations(of, state, tuple(known.past for known in state.conversations))


def _cached(of: BeliefMDP, state: State) -> Iterator[Allocation]:
    """Yield what can be cached before the cut: what fits of the others, and all of the last one."""
    *others, last = (known.past for known in state.conversations)
    for kept in allocations(replace(of, forced=False), state, (*others, 0)):
        yield (*kept[:-1], last)


def _rows(of: Graph, state: State, decisions: list[Allocation], nodes: dict[State, int]) -> Iterator[Row]:
    """Yield the row of each decision at a configuration."""
    turns = []
    for arrival in arrivals(of.model, state):
        following, places = _then(of, state, arrival)
        turns.append(
            (float(arrival.probability), arrival, nodes[following], places, following.conversations[-1].past)
        )
    for kept in decisions:
        cost, chances = 0.0, dict[Key, float]()
        for probability, arrival, node, places, past in turns:
            cost += probability * excess(of.model, state, kept, arrival)
            key = node, (*(kept[i] for i in places), past)
            chances[key] = chances.get(key, 0.0) + probability
        yield cost, chances


def _then(of: Graph, state: State, arrival: Arrival) -> tuple[State, list[int]]:
    """Return the configuration after a turn, and the places of the conversations that it keeps beside the last."""
    assert of.truncation is not None
    then = after(of.model, state, arrival)
    following, forgotten = of.truncation.of(then)
    return following, [i for place, i in enumerate(then.recency[:-1]) if place != forgotten]


def _matrix(rows: list[Row], states: dict[Key, int]) -> Any:
    ends = np.cumsum([0, *(len(chances) for _, chances in rows)])
    columns = np.array([states[key] for _, chances in rows for key in chances])
    probabilities = np.array([chance for _, chances in rows for chance in chances.values()])
    return csr_matrix((probabilities, columns, ends), shape=(len(rows), len(states)))
