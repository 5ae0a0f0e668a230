"""What a truncation does to a state, and how far its values are from those without it."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from belief.random_models import random_model, random_truncated_graphs

from teltheory.belief.configurations import Truncation, by_recency
from teltheory.belief.coupling import truncation_error
from teltheory.belief.graph import layered_graph, truncated_graph
from teltheory.belief.induction import backward_induction, value_iteration
from teltheory.belief.model import BeliefMDP, Kind, Known, State, first_turn
from teltheory.errors import ArgumentError
from teltheory.workloads.laws import fixed

HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)
ONE_KIND = (Kind(1, (fixed(1),)),)


def known(alive, past=1):
    return Known(0, 1, Fraction(alive), past)


def test_pasts_and_beliefs_are_limited():
    state = State((known(Fraction(1, 9), 7), known(1, 2)), (0, 1))
    of = Truncation(5, QUARTER, 2).of(state)
    assert of == (State((known(QUARTER, 5), known(1, 2)), (0, 1)), None)


def test_the_smallest_belief_is_forgotten_and_of_several_the_least_recent():
    first, second, third, last = known(HALF), known(QUARTER, 2), known(Fraction(1, 8), 3), known(1)
    state = State((last, third, second, first), (3, 2, 1, 0))
    assert Truncation(9, Fraction(1, 16), 3).of(state) == (State((first, second, last), (0, 1, 2)), 2)
    assert Truncation(9, QUARTER, 3).of(state) == (State((first, known(QUARTER, 3), last), (0, 1, 2)), 1)


def test_the_last_one_is_never_forgotten():
    state = State((known(1), known(1, 2)), (0, 1))
    assert Truncation(9, HALF, 1).of(state) == (State((known(1, 2),), (0,)), 0)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [((-1, HALF, 1), "longest_past"), ((1, Fraction(0), 1), "least_belief"), ((1, HALF, 0), "most_known")],
)
def test_wrong_arguments_are_named(arguments, named):
    with pytest.raises(ArgumentError, match=named):
        Truncation(*arguments)


def test_the_first_configuration_must_be_one_of_the_truncation():
    model = BeliefMDP(2, 0, ONE_KIND)
    with pytest.raises(ArgumentError, match="the truncation does not change"):
        truncated_graph(model, first_turn(model, 0, 3, 0), Truncation(2, HALF, 2))


def test_too_many_configurations_are_an_error():
    model = BeliefMDP(2, 0, ONE_KIND)
    start, truncation = first_turn(model, 0, 1, 0), Truncation(3, QUARTER, 2)
    nodes = len(truncated_graph(model, start, truncation).nodes)
    assert len(truncated_graph(model, start, truncation, nodes).nodes) == nodes
    with pytest.raises(ArgumentError, match=f"leaves {nodes - 1} configurations at most"):
        truncated_graph(model, start, truncation, nodes - 1)


def test_graphs_are_closed_and_chances_have_sum_one():
    for graph in random_truncated_graphs(np.random.default_rng(21), 50, 60):
        arrays = graph.arrays
        assert all(graph.truncation.of(state) == (by_recency(state), None) for state in graph.nodes)
        edges = arrays.group[arrays.group_at]
        sums = np.add.reduceat(arrays.probability, edges[:-1])
        assert sums == pytest.approx(1)
        assert len(set(graph.nodes)) == len(graph.nodes)
        assert (arrays.intact <= arrays.probability).all()


def test_a_truncation_that_is_wide_enough_changes_nothing():
    """Two and three turns on a layered graph, and as many sweeps of a truncation that they stay within."""
    compared = 0
    rng = np.random.default_rng(22)
    for _ in range(60):
        model = replace(random_model(rng, forced=False, longest=1), capacity=2, death_rate=1)
        model = replace(model, gaps=model.gaps[:1] if model.race else ((HALF, Fraction(1)),))
        model = replace(model, kinds=(replace(model.kinds[0], share=Fraction(1), response=fixed(0)),))
        start = first_turn(model, 0, model.kinds[0].prompts[0].lengths[-1], 0)
        layered = layered_graph(model, start, 3)
        least = min(known.alive for state in layered.nodes for known in state.conversations)
        if least < Fraction(1, 9):
            continue
        graph = truncated_graph(model, start, Truncation(3, least, 3))
        for discount in (1.0, 0.7):
            exact = backward_induction(layered, discount=discount)
            ours = backward_induction(graph, 3, discount)
            for cached in range(start.conversations[0].past + 1):
                assert ours.cost(start, (cached,)) == pytest.approx(exact.cost(start, (cached,)), abs=1e-12)
        compared += 1
    assert compared > 15


@pytest.mark.long
def test_a_finer_truncation_is_within_both_errors():
    """The model's own value is within its error of each, so they are within the sum of each other."""
    discount, shares = 0.2, []
    for graph in random_truncated_graphs(np.random.default_rng(23), 25, 30):
        old = graph.truncation
        finer = Truncation(old.longest_past + (not graph.model.forced), old.least_belief / 2, old.most_known + 1)
        try:
            wide = truncated_graph(graph.model, graph.nodes[0], finer, 300)
        except ArgumentError:
            continue
        errors = truncation_error(graph, discount)[0], truncation_error(wide, discount)[0]
        narrow_values, wide_values = (value_iteration(g, discount, 1e-10) for g in (graph, wide))
        start = graph.nodes[0]
        cached = tuple(known.past for known in start.conversations)
        difference = abs(narrow_values.cost(start, cached) - wide_values.cost(start, cached))
        assert difference <= sum(errors) + 1e-9
        assert errors[1] <= errors[0] * 1.5 + 1e-9 or finer.longest_past > old.longest_past
        shares.append(difference / errors[0] if errors[0] else 0.0)
    assert len(shares) > 10
    assert max(shares) > 0.01


def test_the_error_is_zero_where_nothing_is_ever_changed():
    """Prompts of nothing after the first, nobody new, nobody who leaves: two configurations."""
    model = BeliefMDP(2, 0, (Kind(1, (fixed(1), fixed(0))),), Fraction(0), death_rate=0)
    graph = truncated_graph(model, first_turn(model, 0, 1, 0), Truncation(1, Fraction(1), 1))
    assert truncation_error(graph, 0.9) == pytest.approx(0, abs=1e-9)


def test_the_error_by_hand():
    """One conversation, prompts of 1, pasts up to 2, xi = 0: from a past of 1 the second turn changes it.

    From 2 the next one does: h = 1/4 and 1/2 with beta = 1/2; P = 3, U = (3 + 1) / (1/2) + (1/2) / (1/4).
    """
    model = BeliefMDP(2, 0, ONE_KIND, Fraction(0), death_rate=0)
    graph = truncated_graph(model, first_turn(model, 0, 1, 0), Truncation(2, Fraction(1), 1))
    assert [state.conversations[0].past for state in graph.nodes] == [1, 2]
    assert truncation_error(graph, 0.5) == pytest.approx([10 / 4, 10 / 2])


def test_the_error_needs_a_truncation_and_a_discount_below_one():
    model = BeliefMDP(2, 0, ONE_KIND)
    start = first_turn(model, 0, 1, 0)
    with pytest.raises(ArgumentError, match="the graph of a truncation"):
        truncation_error(layered_graph(model, start, 1), 0.5)
    with pytest.raises(ArgumentError, match="discount"):
        truncation_error(truncated_graph(model, start, Truncation(1, HALF, 1)), 1.0)
