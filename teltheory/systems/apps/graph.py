"""The graph of a session: requests, joined by the variables that they produce and consume (Parrot, Section 4.2).

1. A variable has one producer or none (then a client sets it), and any number of consumers.
2. Request B follows request A if B consumes what A produces. The graph has no cycle.
3. The order of a session is topological; among requests that could be next it is that of submission.
4. The stage of a request is its longest distance to a request that nothing follows, as the generations of the
   reversed graph have it: what is needed at one time for a result is in one stage.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from heapq import heappop, heappush

from teltheory.base.extras import needed
from teltheory.systems.apps.faults import CONFLICT, UNKNOWN, AppError
from teltheory.systems.apps.requests import Request


@dataclass(frozen=True)
class Graph:
    """Requests by number, and who produces and consumes what. Make one with `Graph.of`.

    Attributes
    ----------
    requests : mapping of int to Request
        In order of submission.
    producers : mapping of str to int
        The request that produces a variable.
    consumers : mapping of str to tuple of int
        Requests that consume a variable, in order of submission.
    before, after : mapping of int to tuple of int
        Requests that a request follows, and those that follow it.
    order : tuple of int
        Topological; among requests that could be next that of submission.
    """

    requests: Mapping[int, Request]
    producers: Mapping[str, int]
    consumers: Mapping[str, tuple[int, ...]]
    before: Mapping[int, tuple[int, ...]]
    after: Mapping[int, tuple[int, ...]]
    order: tuple[int, ...]

    @classmethod
    def of(cls, requests: Iterable[Request]) -> Graph:
        """Join requests by their variables.

        Raises
        ------
        AppError
            409: two producers of a variable, or a cycle, which is named.
        """
        by_id = {request.id: request for request in requests}
        producers = _producers(by_id.values())
        consumers: dict[str, tuple[int, ...]] = {}
        for k, request in by_id.items():
            for variable in dict.fromkeys(request.inputs):
                consumers[variable] = (*consumers.get(variable, ()), k)
        before = {
            k: tuple(dict.fromkeys(producers[v] for v in request.inputs if v in producers))
            for k, request in by_id.items()
        }
        after: dict[int, list[int]] = {k: [] for k in by_id}
        for k, earlier in before.items():
            for other in earlier:
                after[other].append(k)
        followers = {k: tuple(others) for k, others in after.items()}
        return cls(by_id, producers, consumers, before, followers, _order(by_id, before, followers))

    def producer(self, variable: str) -> Request | None:
        """Return the request that produces a variable; None if a client sets it (the paper's GetProducer)."""
        self._known(variable)
        return self.requests[self.producers[variable]] if variable in self.producers else None

    def consumers_of(self, variable: str) -> tuple[Request, ...]:
        """Return the requests that consume a variable (the paper's GetConsumers)."""
        self._known(variable)
        return tuple(self.requests[k] for k in self.consumers.get(variable, ()))

    def stages(self) -> dict[int, int]:
        """Return the stage of each request, see the top of the file."""
        networkx = needed("networkx", "apps")
        reversed_graph = networkx.DiGraph(self.after)
        generations = networkx.topological_generations(reversed_graph.reverse(copy=False))
        return {k: stage for stage, generation in enumerate(generations) for k in generation}

    def below(self, request: int) -> tuple[int, ...]:
        """Return what follows a request directly or through others, in order."""
        reached = {request}
        for k in self.order:
            if reached.intersection(self.before[k]):
                reached.add(k)
        return tuple(k for k in self.order if k in reached and k != request)

    def _known(self, variable: str) -> None:
        if variable not in self.producers and variable not in self.consumers:
            raise AppError(
                UNKNOWN, f"variable {variable!r}", "no request that uses it", "a variable of the session"
            )


def _producers(requests: Iterable[Request]) -> dict[str, int]:
    found: dict[str, Request] = {}
    for request in requests:
        for variable in request.outputs:
            if variable in found:
                two = f"two producers, {found[variable].place} and {request.place}"
                raise AppError(CONFLICT, f"variable {variable!r}", two, "one")
            found[variable] = request
    return {variable: request.id for variable, request in found.items()}


def _order(
    requests: Mapping[int, Request], before: Mapping[int, Sequence[int]], after: Mapping[int, Sequence[int]]
) -> tuple[int, ...]:
    """Return the topological order in which the first submitted goes first."""
    try:
        TopologicalSorter(before).prepare()
    except CycleError as error:
        named = " -> ".join(requests[k].place for k in error.args[1])
        raise AppError(CONFLICT, "session", f"a cycle: {named}", "requests that can be put in an order") from None
    left = {k: len(before[k]) for k in requests}
    ready = [k for k, count in left.items() if count == 0]
    order: list[int] = []
    while ready:
        k = heappop(ready)
        order.append(k)
        for other in after[k]:
            left[other] -= 1
            if left[other] == 0:
                heappush(ready, other)
    return tuple(order)
