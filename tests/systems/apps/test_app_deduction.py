"""Labels as the join over all gets, and task groups whose members never depend on each other."""

from itertools import permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from systems.apps.small_graphs import call, graphs

from teltheory.errors import ArgumentError
from teltheory.systems.apps import AppError, Graph
from teltheory.systems.apps.deduction import LABELS, PASSED_ON, RANK, groups, labels, strictest

CRITERIA = st.sampled_from(LABELS)


@st.composite
def asked(draw: st.DrawFn) -> tuple[Graph, dict[str, str]]:
    graph = draw(graphs())
    return graph, draw(st.dictionaries(st.sampled_from(sorted(graph.producers)), CRITERIA))


def plainly(graph: Graph, gets: dict[str, str]) -> dict[int, str]:
    """Labels written a second time: request by request, the strictest over the gets that reach it."""
    found = {}
    for k in graph.requests:
        own = [gets[v] for v in graph.requests[k].outputs if v in gets]
        below = [PASSED_ON[gets[v]] for b in graph.below(k) for v in graph.requests[b].outputs if v in gets]
        found[k] = strictest(*own, *below)
    return found


@given(asked())
def test_a_label_is_the_strictest_of_all_gets_that_reach_a_request(case: tuple[Graph, dict[str, str]]) -> None:
    """The pass over the graph equals the definition, whatever the order of the gets."""
    graph, gets = case
    expected = plainly(graph, gets)
    assert labels(graph, gets) == expected
    assert labels(graph, dict(reversed(gets.items()))) == expected


@given(asked(), st.data())
def test_labels_are_monotone(case: tuple[Graph, dict[str, str]], data: st.DataObject) -> None:
    """One get more, or a stricter one, makes no request's label less strict."""
    graph, gets = case
    before = labels(graph, gets)
    variable = data.draw(st.sampled_from(sorted(graph.producers)))
    stricter = data.draw(CRITERIA.filter(lambda label: RANK[label] >= RANK[gets.get(variable, LABELS[0])]))
    after = labels(graph, {**gets, variable: stricter})
    assert all(RANK[before[k]] <= RANK[after[k]] for k in before)


def test_labels_are_the_least() -> None:
    """On a diamond with a tail: of all labellings that the gets and the edges allow, each request's least."""
    graph = Graph.of(
        [call(0, (), ("a",)), call(1, ("a",), ("b",)), call(2, ("a",), ("c",)), call(3, ("b",), ("d",))]
    )
    for b, c, d in permutations(LABELS, 3):
        gets = {"b": b, "c": c, "d": d}
        allowed = [
            rank
            for rank in product(range(4), repeat=4)
            if all(rank[graph.producers[v]] >= RANK[label] for v, label in gets.items())
            and all(rank[e] >= RANK[PASSED_ON[LABELS[rank[k]]]] for k in range(4) for e in graph.before[k])
        ]
        assert [RANK[label] for _, label in sorted(labels(graph, gets).items())] == [
            min(ranks) for ranks in zip(*allowed, strict=True)
        ]


@pytest.mark.parametrize("criterion", ["tpot", "ttft"])
def test_what_comes_before_a_stream_is_for_latency(criterion: str) -> None:
    """Nobody streams it, by either rule."""
    graph = Graph.of([call(0, (), ("a",)), call(1, ("a",), ("b",))])
    for rule in ("join", "first"):
        assert labels(graph, {"b": criterion}, rule=rule) == {0: "latency", 1: criterion}


def test_a_first_visit_depends_on_the_order_of_the_gets() -> None:
    """The smallest case: A -> B, where A's output is got for throughput and B's for latency."""
    graph = Graph.of([call(0, (), ("a",)), call(1, ("a",), ("b",))])
    gets = {"a": "throughput", "b": "latency"}
    assert labels(graph, gets, rule="first") == {0: "throughput", 1: "latency"}
    assert labels(graph, dict(reversed(gets.items())), rule="first") == {0: "latency", 1: "latency"}
    assert labels(graph, gets) == {0: "latency", 1: "latency"}


@given(asked())
def test_one_criterion_is_one_label_by_either_rule(case: tuple[Graph, dict[str, str]]) -> None:
    """If all gets have one criterion of the paper's two, the first visit is the join."""
    graph, gets = case
    for criterion in LABELS[:2]:
        same = dict.fromkeys(gets, criterion)
        assert labels(graph, same, rule="first") == labels(graph, same)


@pytest.mark.parametrize(
    ("gets", "code", "found"),
    [({"a": "speed"}, 400, "criterion 'speed'"), ({"z": "latency"}, 404, "get of 'z': found no request")],
)
def test_a_wrong_get_is_named(gets: dict[str, str], code: int, found: str) -> None:
    assert refused(AppError, found, lambda: labels(Graph.of([call(0, ("t",), ("a",))]), gets)).code == code


def test_wrong_readings_are_named() -> None:
    graph = Graph.of([call(0, ("t",), ("a",))])
    refused(ArgumentError, "rule: found 'last'", labels, graph, {}, rule="last")
    refused(ArgumentError, "reading: found 'level'", groups, graph, {0: "latency"}, "level")


def test_a_get_of_what_a_client_sets_asks_nothing() -> None:
    graph = Graph.of([call(0, ("t",), ("a",))])
    for rule in ("join", "first"):
        assert labels(graph, {"t": "latency"}, rule=rule) == {0: "throughput"}


def test_groups_of_a_map_and_of_figure_9() -> None:
    """Maps are one group by either reading; two results of one request are a group by stage alone."""
    maps = [call(k, (f"t{k}",), (f"s{k}",)) for k in range(16)]
    graph = Graph.of([*maps, call(16, tuple(f"s{k}" for k in range(16)), ("sum",))])
    found = labels(graph, {"sum": "latency"})
    assert groups(graph, found) == groups(graph, found, "consumer") == [tuple(range(16))]
    figure = Graph.of([call(0, ("t",), ("m",)), call(1, ("m",), ("x",)), call(2, ("m",), ("y",))])
    found = labels(figure, {"x": "latency", "y": "latency"})
    assert set(found.values()) == {"latency"}
    assert groups(figure, found) == [(1, 2)]
    assert groups(figure, found, "consumer") == []


def test_what_asks_for_throughput_alone_moves_no_stage() -> None:
    """A latency result that a throughput request consumes is side by side with the other latency result."""
    graph = Graph.of([call(0, ("t",), ("a",)), call(1, ("t",), ("b",)), call(2, ("a",), ("c",))])
    found = labels(graph, {"a": "latency", "b": "latency", "c": "throughput"})
    assert found == {0: "latency", 1: "latency", 2: "throughput"}
    assert groups(graph, found) == [(0, 1)]


def test_inputs_of_one_request_may_depend_on_each_other() -> None:
    """A -> B -> C with A -> C: why a group by consumer counts the first consumer alone."""
    graph = Graph.of([call(0, ("b", "a"), ("c",)), call(1, ("a",), ("b",)), call(2, ("t",), ("a",))])
    assert set(graph.before[0]) == {1, 2}
    assert 1 in graph.below(2)
    found = labels(graph, {"c": "latency"})
    assert groups(graph, found, "consumer") == groups(graph, found) == []


@given(asked(), st.sampled_from(["stage", "consumer"]))
def test_members_of_a_group_never_depend_on_each_other(case: tuple[Graph, dict[str, str]], reading: str) -> None:
    """Two or more latency requests of one model, in one group each, none below another."""
    graph, gets = case
    found = labels(graph, gets)
    grouped = groups(graph, found, reading)
    everyone = [k for members in grouped for k in members]
    assert len(everyone) == len(set(everyone))
    for members in grouped:
        assert len(members) > 1
        assert {found[k] for k in members} == {"latency"}
        assert len({graph.requests[k].model for k in members}) == 1
        assert not any(set(graph.below(k)) & set(members) for k in members)
    if reading == "consumer":
        for members in grouped:
            assert set.intersection(*(set(graph.after[k]) for k in members))
