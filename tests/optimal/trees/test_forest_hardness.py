"""Graphs and flows as forests: independent vertices are chains that stay, tasks that fit are documents that do."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refusals, refused

import teltheory as tt
from proofs_checks.forest.hard_caches import NEVER, ChainCaches, most_that_fit, tel_of_contents, unlike_graphs
from teltheory.errors import ArgumentError, CertificateError
from teltheory.model.instance import ForestInstance
from teltheory.optimal.slo.path_flow import PathFlow, PathTask
from teltheory.optimal.trees.hardness import (
    ForestQuestion,
    VertexGraph,
    contents_of,
    documents_question,
    independence_question,
)
from teltheory.optimal.trees.judge import hits_of, least_tel
from teltheory.optimal.trees.strict_program import strict_states

CYCLE = VertexGraph(7, tuple((k, (k + 1) % 7) for k in range(7)))
ALMOST = tuple(combinations(range(5), 2))[:-1]
TASKS = st.builds(
    lambda span, demand: PathTask(min(span), max(span), demand),
    st.tuples(st.integers(1, 3), st.integers(1, 3)),
    st.integers(1, 3),
)
FLOWS = st.builds(
    lambda tasks, room: PathFlow(tuple(tasks), room), st.lists(TASKS, min_size=1, max_size=4), st.integers(1, 6)
)


def instance(question, forced=False):
    return ForestInstance.of(question.forest, question.capacity, forced=forced)


def tel_by_the_judge(question, contents, forced):
    states = [frozenset(), *contents][: len(question.forest)]
    hits = hits_of(instance(question, forced), states, strict=True)
    return int(np.maximum(question.forest.total - hits - question.xi, 0).sum())


@pytest.mark.parametrize("wanted", [1, 3, 4])
@pytest.mark.parametrize("forced", [False, True])
def test_the_chains_of_independent_vertices_and_no_others_can_stay(wanted, forced):
    question = independence_question(CYCLE, wanted)
    for chosen in combinations(range(7), wanted):
        contents = list(contents_of(CYCLE, chosen))
        if CYCLE.independent(chosen):
            tel = tel_by_the_judge(question, contents, forced)
            assert tel == tel_of_contents(question, contents) == 7 - wanted
        else:
            assert tel_of_contents(question, contents) == NEVER
            told = f"found {7 + wanted} units, expected {6 + wanted} at most"
            refused(CertificateError, told, tel_by_the_judge, question, contents, forced)


def test_all_trees_are_chains_of_two_blocks_and_only_vs_are_worth_something_at_the_end():
    question = independence_question(CYCLE, 3)
    forest = question.forest
    assert forest.parent.tolist() == [-1, 0, -1, 2, -1, 4, -1, 6, -1, 8, -1, 10, -1, 12]
    assert len(forest) == 7 + 7 * 2 * 5 + 2 * 7
    assert [forest.path(k) for k in question.returns] == [[2 * k, 2 * k + 1] for k in range(7)]
    assert set(forest.total.tolist()) == {1, 2, 3, 4}


@pytest.mark.parametrize("edges", [ALMOST, (*ALMOST, (3, 4))])
@pytest.mark.parametrize("forced", [False, True])
def test_an_integer_program_decides_whether_two_vertices_are_independent(edges, forced):
    graph = VertexGraph(5, edges)
    question = independence_question(graph, 2)
    states, bound = strict_states(instance(question, forced), question.xi)
    tel = 3 if edges == ALMOST else 4
    assert tel_by_the_judge(question, states[1:], forced) == round(bound) == tel
    assert ChainCaches(question, forced).tel == tel


def one_tree(paths, totals):
    return [(-1, *path) for path in paths], [total + 1 for total in totals]


def without_tails(paths, totals):
    new = iter(range(100, 1000))
    padded = [
        (*path, *(next(new) for _ in range(total - len(path)))) for path, total in zip(paths, totals, strict=True)
    ]
    return padded, totals


def three_running(paths, totals):
    return [p for path in paths for p in (path, (-1,), (-1,))], [t for total in totals for t in (total, 1, 1)]


@pytest.mark.parametrize("edges", [ALMOST, (*ALMOST, (3, 4))])
@pytest.mark.parametrize(
    ("variant", "depth", "room", "more", "running"),
    [(one_tree, 3, 1, 1, 0), (one_tree, 3, 1, 1, 1), (without_tails, 4, 0, 0, 0), (three_running, 2, 1, 0, 3)],
)
def test_one_tree_no_tails_and_several_running_requests_are_as_hard(edges, variant, depth, room, more, running):
    question = independence_question(VertexGraph(5, edges), 2)
    forest = question.forest
    paths, totals = variant([forest.path(k) for k in range(len(forest))], forest.total.tolist())
    changed = tt.Forest.from_paths(paths, total=totals)
    met = ForestInstance.of(changed, question.capacity + room, forced=running > 0, running=max(running, 1))
    states, bound = strict_states(met, question.xi)
    tel = int(np.maximum(changed.total - hits_of(met, states, strict=True) - question.xi, 0).sum())
    assert max(changed.depth.tolist()) == depth
    assert tel == round(bound) == more + (3 if edges == ALMOST else 4)


@settings(max_examples=40, deadline=None)
@given(st.data(), st.integers(0, 4), st.integers(0, 2), st.booleans())
def test_caches_of_chains_are_all_that_the_judge_tries(data, capacity, xi, forced):
    blocks = [(0,), (0, 1), (2,), (2, 3), (2, 3, 4)]
    paths = [(0, 1), (2, 3, 4), *data.draw(st.lists(st.sampled_from(blocks), max_size=6))]
    total = [data.draw(st.integers(len(path), len(path) + 3)) for path in paths]
    forest = tt.Forest.from_paths(paths, total=total)
    capacity = max(capacity, 3) if forced else capacity
    question = ForestQuestion(forest, capacity, xi, ())
    assert ChainCaches(question, forced).tel == least_tel(instance(question, forced), xi, strict=True)


@settings(max_examples=40, deadline=None)
@given(FLOWS, st.booleans())
def test_as_many_documents_stay_as_tasks_fit(flow, forced):
    question = documents_question(flow, forced)
    caches = ChainCaches(question, forced)
    assert len(flow.tasks) - caches.tel == most_that_fit(flow)
    assert flow.fits(caches.whole())
    assert len(caches.whole()) == most_that_fit(flow)


@settings(max_examples=20, deadline=None)
@given(FLOWS)
def test_no_replay_of_whole_nodes_keeps_more_than_fits(flow):
    question = documents_question(flow, forced=True)
    for policy in (tt.LRU(), tt.TailOptimizedBelady(question.xi)):
        outcome = tt.replay(question.forest, policy, question.capacity, cache=tt.RadixNodes(), forced=True)
        assert tt.tail_excess_latency(outcome, question.xi) >= len(flow.tasks) - most_that_fit(flow)


def test_graphs_that_differ_by_names_alone_are_tried_once():
    assert [len(unlike_graphs(vertices)) for vertices in (3, 4, 5)] == [4, 11, 34]


test_a_wrong_graph_or_number_is_named = refusals(
    ArgumentError,
    ("edges[0]: found (0, 3), expected two of the vertices 0 ... 2", lambda: VertexGraph(3, ((0, 3),))),
    ("edges[0]: found (1, 1), expected two of the vertices", lambda: VertexGraph(3, ((1, 1),))),
    ("wanted: found 5, expected 1 to 4, three less than", lambda: independence_question(CYCLE, 5)),
    ("wanted: found 0, expected 1 to 4", lambda: independence_question(CYCLE, 0)),
)
