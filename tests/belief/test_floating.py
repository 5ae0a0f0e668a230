"""The belief MDP in floating point against fractions, and against every policy there is."""

from dataclasses import replace

import numpy as np
import pytest
from belief.policy_trees import Tree
from belief.random_models import (
    arbitrary,
    least_recently_used,
    random_cached,
    random_model,
    random_state,
)

from teltheory.belief.graph import layered_graph
from teltheory.belief.induction import backward_induction, decisions_of, value_iteration
from teltheory.belief.mdp import Solver
from teltheory.belief.model import BeliefMDP, Kind, first_turn
from teltheory.belief.solve import solve
from teltheory.errors import ArgumentError, ForcedCachingError
from teltheory.workloads.laws import fixed

INSTANCES = 120
CLOSE = 1e-9


def instances(number, seed, forced=None, longest=2):
    """Yield small models with a state, a horizon and an order of magnitude of work that fractions can do."""
    rng = np.random.default_rng(seed)
    for _ in range(number):
        model = random_model(rng, forced, longest)
        state = random_state(rng, model, int(rng.integers(0, 3)))
        yield rng, model, state, int(rng.integers(1, 3))


def solvable(number, seed):
    """Yield instances in which forced caching is always possible, with their graphs."""
    for rng, model, state, turns in instances(number, seed):
        try:
            graph = layered_graph(model, state, turns)
        except ForcedCachingError:
            with pytest.raises(ForcedCachingError):
                Solver(model).cost(state, random_cached(rng, model, state), turns)
        else:
            yield rng, graph, state, turns


def test_the_least_cost_is_that_in_fractions():
    compared = []
    for rng, graph, state, turns in solvable(INSTANCES, 1):
        solution, solver = backward_induction(graph), Solver(graph.model)
        for _ in range(3):
            cached = random_cached(rng, graph.model, state)
            exact = float(solver.cost(state, cached, turns))
            assert solution.cost(state, cached) == pytest.approx(exact, abs=CLOSE)
            kept = solution.best(state, cached)
            assert float(solver.cost_of_keeping(state, kept, turns)) == pytest.approx(exact, abs=CLOSE)
            assert solution.cost_of_keeping(state, kept) == pytest.approx(exact, abs=CLOSE)
            compared.append((graph.model, turns))
    models = [model for model, _ in compared]
    assert len(compared) > 200
    for variety in ("belief", "race", "forced"):
        assert len({getattr(model, variety) for model in models}) == 2
    assert {len(model.gaps) for model in models} == {len(model.kinds) for model in models} == {1, 2}


def test_the_cost_of_a_policy_is_that_in_fractions():
    for rng, graph, state, turns in solvable(100, 3):
        policy = arbitrary(int(rng.integers(1000)))
        cached = list(least_recently_used(graph.model, state, random_cached(rng, graph.model, state)))
        cached[state.arrived] = 0
        room = graph.model.capacity
        assert sum(cached) <= room
        cached[state.arrived] = state.conversations[state.arrived].past
        exact = Solver(graph.model, policy).cost(state, tuple(cached), turns)
        found = backward_induction(graph, choices=decisions_of(graph, policy))
        assert found.cost(state, tuple(cached)) == pytest.approx(float(exact), abs=CLOSE)
        assert solve(graph.model, state, tuple(cached), turns, policy, "float") == found.cost(state, tuple(cached))
        assert (found.values >= backward_induction(graph).values - CLOSE).all()


def test_the_greedy_policy_costs_the_least():
    for _, graph, _, _ in solvable(60, 4):
        solution = backward_induction(graph)
        of_greedy = backward_induction(graph, choices=solution.choices)
        assert np.allclose(of_greedy.values, solution.values, rtol=0, atol=CLOSE)


def test_two_turns_by_every_policy_there_is():
    compared, policies = 0, 0
    for rng, graph, state, _ in solvable(100, 5):
        cached = random_cached(rng, graph.model, state)
        tree = Tree(graph.model, state, cached)
        if tree.policies() > 300:
            continue
        try:
            two = layered_graph(graph.model, state, 2)
        except ForcedCachingError:
            continue
        least = tree.least()
        assert Solver(graph.model).cost(state, cached, 2) == least
        assert backward_induction(two).cost(state, cached) == pytest.approx(float(least), abs=CLOSE)
        compared, policies = compared + 1, policies + tree.policies()
    assert compared > 20
    assert policies > 400


def test_a_layered_graph_is_swept_once():
    graph = next(graph for _, graph, _, turns in solvable(50, 6) if turns == 2)
    solution = backward_induction(graph)
    assert (solution.sweeps, solution.backups, solution.bound) == (1, graph.pairs, 0.0)
    assert backward_induction(graph, choices=solution.choices).backups == graph.states


def keep_half(model, state, cached):
    return tuple(min(known.past, model.capacity) // 2 for known in state.conversations)


def keep_nothing(model, state, cached):
    return tuple(0 for _ in cached)


def test_a_policy_may_not_keep_what_is_not_cached_nor_drop_what_is_forced():
    kind = Kind(1, (fixed(2), fixed(0)))
    model = BeliefMDP(4, 0, (kind,))
    graph = layered_graph(model, first_turn(model, 0, 2, 0), 2)
    with pytest.raises(ArgumentError, match=r"policy: found \(1, 1\), .* with \(0, 2\) cached"):
        decisions_of(graph, keep_half)
    assert decisions_of(graph, keep_nothing).tolist() == [0] * graph.states
    forced = replace(model, forced=True)
    with pytest.raises(ArgumentError, match=r"policy: found \(0,\)"):
        decisions_of(layered_graph(forced, first_turn(model, 0, 2, 0), 2), keep_nothing)


def test_wrong_arguments_are_named():
    rng = np.random.default_rng(7)
    model = random_model(rng, forced=False)
    state = random_state(rng, model, 1)
    pasts = tuple(known.past for known in state.conversations)
    graph = layered_graph(model, state, 1)
    solution = backward_induction(graph)
    with pytest.raises(ArgumentError, match="turns: found 0"):
        layered_graph(model, state, 0)
    with pytest.raises(ArgumentError, match="turns: found 2, expected 1, the horizon"):
        backward_induction(graph, 2)
    with pytest.raises(ArgumentError, match="discount: found 1"):
        backward_induction(graph, discount=1.25)
    with pytest.raises(ArgumentError, match="graph: found 1"):
        value_iteration(graph, 0.5)
    with pytest.raises(ArgumentError, match="engine: found 'quick'"):
        solve(model, state, pasts, 1, engine="quick")
    with pytest.raises(ArgumentError, match="cached: found"):
        solution.cost(state, (*pasts, 0))
    with pytest.raises(ArgumentError, match="at most the pasts"):
        solution.cost(state, (pasts[0] + 1, *pasts[1:]))
    with pytest.raises(ArgumentError, match="state: found"):
        solution.cost(random_state(rng, model, 3), pasts)
    with pytest.raises(ArgumentError, match="policy: found"):
        decisions_of(graph, lambda model, state, cached: tuple(amount + 1 for amount in cached))
