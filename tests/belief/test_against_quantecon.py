"""The truncated belief MDP against quantecon's DiscreteDP, with a row for each pair of a state and a decision."""

import numpy as np
import pytest
from belief.quantecon_pairs import pairs
from belief.random_models import arbitrary, random_truncated_graphs
from quantecon.markov import backward_induction as quantecon_induction

from teltheory.belief.induction import backward_induction, decisions_of, value_iteration

INSTANCES = 50
ROUNDING = 1e-9


@pytest.fixture(scope="module")
def instances():
    """Graphs, quantecon's form of them, its solver and a discount."""
    rng, found = np.random.default_rng(11), []
    for graph in random_truncated_graphs(rng, INSTANCES, 60):
        discount = float(rng.uniform(0.3, 0.95))
        rows = pairs(graph)
        found.append((graph, rows, rows.solver(discount), discount))
    return found


def values_of(solution, rows):
    """Return our values in quantecon's order, with the reward's sign."""
    graph = solution.graph
    return -np.array([solution.cost(graph.nodes[node], cached) for node, cached in rows.states])


def test_instances_are_of_every_sort(instances):
    models = [graph.model for graph, *_ in instances]
    assert {model.forced for model in models} == {model.race for model in models} == {False, True}
    assert {model.belief for model in models} == {"paper", "bayes"}
    assert max(len(state.conversations) for graph, *_ in instances for state in graph.nodes) == 3
    assert sum(graph.pairs for graph, *_ in instances) > 3_000


def test_there_are_as_many_states_and_pairs(instances):
    for graph, rows, *_ in instances:
        assert (graph.states, graph.pairs) == (len(rows.states), len(rows.rewards))


@pytest.mark.parametrize("turns", [1, 4])
def test_backward_induction(instances, turns):
    for graph, rows, solver, discount in instances:
        theirs, _ = quantecon_induction(solver, turns)
        ours = backward_induction(graph, turns, discount)
        assert ours.backups == turns * len(rows.rewards)
        assert values_of(ours, rows) == pytest.approx(theirs[0], abs=ROUNDING)


def test_value_iteration_is_within_its_bound_of_policy_iteration(instances):
    for graph, rows, solver, discount in instances:
        theirs = solver.solve(method="policy_iteration").v
        for tolerance in (1e-1, 1e-4, 1e-10):
            ours = value_iteration(graph, discount, tolerance)
            assert ours.bound <= tolerance
            assert abs(values_of(ours, rows) - theirs).max() <= ours.bound + ROUNDING


def test_the_best_decision_has_the_cost_of_its_state(instances):
    for graph, rows, _, discount in instances[:40]:
        ours = value_iteration(graph, discount, 0.1)
        for node, cached in list(rows.states)[:20]:
            kept = ours.best(graph.nodes[node], cached)
            cost = ours.cost(graph.nodes[node], cached)
            assert ours.cost_of_keeping(graph.nodes[node], kept) == pytest.approx(cost, abs=ROUNDING)


def sigma(choices, graph, rows, solver):
    """Return decisions in quantecon's form."""
    wanted = [
        tuple(graph.layouts[node].decisions[choices[graph.arrays.table[node] + _place(graph, node, cached)]])
        for node, cached in rows.states
    ]
    begin = np.append(solver.a_indptr[:-1], len(rows.decisions))
    found = [rows.decisions[begin[s] : begin[s + 1]].index(kept) for s, kept in enumerate(wanted)]
    return np.array(found)


def _place(graph, node, cached):
    return graph.layouts[node].place_of_state[cached[:-1]]


def test_the_value_of_a_policy(instances):
    for number, (graph, rows, solver, discount) in enumerate(instances):
        choices = decisions_of(graph, arbitrary(number))
        theirs = solver.evaluate_policy(sigma(choices, graph, rows, solver))
        ours = value_iteration(graph, discount, 1e-7, choices)
        assert abs(values_of(ours, rows) - theirs).max() <= ours.bound + ROUNDING


def test_the_best_decisions_cost_at_most_twice_the_bound_more(instances):
    losses = []
    for graph, rows, solver, discount in instances:
        best = solver.solve(method="policy_iteration").v
        ours = value_iteration(graph, discount, 2.0)
        loss = best - solver.evaluate_policy(sigma(ours.choices, graph, rows, solver))
        assert loss.max() <= 2 * ours.bound + ROUNDING
        losses.append(loss.max())
    assert max(losses) > ROUNDING


def test_sweeps_end_where_they_are_told_to(instances):
    graph, rows, solver, discount = max(instances, key=lambda instance: instance[0].pairs)
    ours = value_iteration(graph, discount, 1e-12, most_sweeps=3)
    assert ours.sweeps == 3
    assert ours.bound > 1e-12
    theirs = solver.solve(method="policy_iteration").v
    assert abs(values_of(ours, rows) - theirs).max() <= ours.bound + ROUNDING
