"""Labels of requests and task groups, deduced from what a client gets (Parrot, Section 5.2).

1. A get asks for a variable by a criterion: throughput, latency, time per token, time to the first token.
2. Go through the requests from the last to the first in topological order. A request's label is the strictest
   of the criteria of its own outputs and of what its consumers pass on; where nothing asks for it, throughput.
3. A request passes its label on to those before it, but "ttft" and "tpot" as "latency": nobody streams theirs.
4. Requests with the label "latency" that run side by side are a task group, to be finished as a whole.

The paper is silent on a request that several gets reach: here the strictest wins, so that the order of the gets
does not matter. ParrotServe's own rule, the first get to reach a request, is a reading (``rule="first"``).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from teltheory.errors import ArgumentError
from teltheory.systems.apps.faults import MALFORMED, UNKNOWN, AppError
from teltheory.systems.apps.graph import Graph

LABELS = ("throughput", "latency", "tpot", "ttft")
"""The criteria, from the least to the most strict."""

RANK = {label: rank for rank, label in enumerate(LABELS)}
PASSED_ON = {"throughput": "throughput", "latency": "latency", "tpot": "latency", "ttft": "latency"}
RULES, READINGS = ("join", "first"), ("stage", "consumer")


def strictest(*labels: str | None) -> str:
    """Return the strictest of some labels; None stands for none, and "throughput" is the least."""
    return max((label for label in labels if label is not None), key=RANK.__getitem__, default=LABELS[0])


def labels(graph: Graph, gets: Mapping[str, str], rule: str = "join") -> dict[int, str]:
    """Return the label of each request, by number.

    Parameters
    ----------
    graph : Graph
        The session.
    gets : mapping of str to str
        The criterion of each variable that a client gets, in the order of the gets.
    rule : {"join", "first"}
        What becomes of a request that several gets reach: the strictest wins, or the first one.

    Raises
    ------
    AppError
        400: a criterion that is none; 404: a variable that no request uses.
    """
    if rule not in RULES:
        raise ArgumentError("rule", rule, " or ".join(map(repr, RULES)))
    for variable, criterion in gets.items():
        _check_get(graph, variable, criterion)
    return _joined(graph, gets) if rule == "join" else _first(graph, gets)


def check_reading(reading: str) -> None:
    """Refuse a reading of task groups that is none."""
    if reading not in READINGS:
        raise ArgumentError("reading", reading, " or ".join(map(repr, READINGS)))


def groups(graph: Graph, labels: Mapping[int, str], reading: str = "stage") -> list[tuple[int, ...]]:
    """Return the task groups: two or more requests with the label "latency", and no request in two groups.

    Parameters
    ----------
    graph : Graph
        The session.
    labels : mapping of int to str
        The label of each request.
    reading : {"stage", "consumer"}
        Those of one stage, counted from the results (the longest way to a request that nothing latency-sensitive
        follows); or those whose first latency-sensitive consumer, in topological order, is the same request.

    Notes
    -----
    A group has one model, and its members never depend on each other. By stage: along an edge the stage falls.
    By consumer: if Y follows X, then X has a consumer that is Y or stands before Y, so X's first consumer stands
    before Y's. Without "first" they could: in A -> B -> C with A -> C, both A and B are inputs of C.
    """
    check_reading(reading)
    sensitive = [k for k in graph.order if labels[k] != "throughput"]
    together = _stages(graph, sensitive) if reading == "stage" else _first_consumers(graph, sensitive)
    found: dict[Hashable, list[int]] = {}
    for k in sensitive:
        if labels[k] == "latency" and k in together:
            found.setdefault((together[k], graph.requests[k].model), []).append(k)
    return [tuple(members) for members in found.values() if len(members) > 1]


def _check_get(graph: Graph, variable: str, criterion: str) -> None:
    place = f"get of {variable!r}"
    if criterion not in RANK:
        raise AppError(MALFORMED, place, f"criterion {criterion!r}", f"one of {', '.join(LABELS)}")
    if variable not in graph.producers and variable not in graph.consumers:
        raise AppError(UNKNOWN, place, "no request that uses it", "a variable of the session")


def _joined(graph: Graph, gets: Mapping[str, str]) -> dict[int, str]:
    asked: dict[int, str] = dict.fromkeys(graph.order, LABELS[0])
    for k in reversed(graph.order):
        own = (gets.get(variable) for variable in graph.requests[k].outputs)
        asked[k] = strictest(asked[k], *own)
        for earlier in graph.before[k]:
            asked[earlier] = strictest(asked[earlier], PASSED_ON[asked[k]])
    return asked


def _first(graph: Graph, gets: Mapping[str, str]) -> dict[int, str]:
    """Return labels where a get labels what no get before it has reached."""
    asked = reached(graph, gets)
    return {k: asked[k][1] if k in asked else LABELS[0] for k in graph.order}


def reached(graph: Graph, gets: Mapping[str, str]) -> dict[int, tuple[int | None, str]]:
    """Return what gets reach, one after another, as ParrotServe goes: the consumer that led there, and the label.

    A get goes to its producer, and from a request to the producers of its inputs, in the order of the prompt, the
    depth first; it turns back at what was reached before.
    """
    asked: dict[int, tuple[int | None, str]] = {}
    for variable, criterion in gets.items():
        ahead: list[tuple[int, int | None, str]] = []
        ahead += [(graph.producers[variable], None, criterion)] if variable in graph.producers else []
        while ahead:
            k, consumer, label = ahead.pop()
            if k not in asked:
                asked[k] = (consumer, label)
                ahead += [(earlier, k, PASSED_ON[label]) for earlier in reversed(graph.before[k])]
    return asked


def _stages(graph: Graph, sensitive: list[int]) -> dict[int, int]:
    return Graph.of(graph.requests[k] for k in sorted(sensitive)).stages()


def _first_consumers(graph: Graph, sensitive: list[int]) -> dict[int, int]:
    found: dict[int, int] = {}
    for k in sensitive:
        for earlier in graph.before[k]:
            found.setdefault(earlier, k)
    return found
