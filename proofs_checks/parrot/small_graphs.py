"""Small sessions: requests of one output each, who needs whose output, and what a client gets of them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import TypeAlias

from teltheory.claims.listed import Listed, ToldCase
from teltheory.systems.apps import Graph, Port, Request

Before: TypeAlias = tuple[tuple[int, ...], ...]
"""Of each request those whose outputs it needs, all with smaller numbers."""
Gets: TypeAlias = tuple[tuple[int, str], ...]
"""Whose output is got by which criterion, in the order of the gets."""


@dataclass(frozen=True)
class Session(ToldCase):
    """Requests and gets."""

    before: Before
    gets: Gets = ()

    def measures(self) -> dict[str, int]:
        """Return requests, edges and gets."""
        return {"requests": len(self.before), "edges": sum(map(len, self.before)), "gets": len(self.gets)}

    def graph(self, order: Sequence[int] | None = None) -> Graph:
        """Return its graph if its requests are submitted in an order, and numbered so."""
        return graph_of(self.before, range(len(self.before)) if order is None else order)

    def reaches(self, first: int, last: int) -> bool:
        """Return whether a request depends on another one, by following what it needs."""
        return any(one == first or self.reaches(first, one) for one in self.before[last])


def graph_of(before: Before, order: Sequence[int]) -> Graph:
    """Return the graph of requests that are submitted in an order; request k's output is the variable "k"."""
    return Graph.of(
        Request(number, tuple(Port(str(i), k == i, str(i)) for i in (*before[k], k)))
        for number, k in enumerate(order)
    )


def befores(requests: int) -> Iterator[Before]:
    """Yield what requests can need."""
    return product(*([one for n in range(k + 1) for one in combinations(range(k), n)] for k in range(requests)))


def gets_of(requests: int, criteria: Sequence[str]) -> Iterator[Gets]:
    """Yield all gets, at most one of each request, in the order of the requests."""
    for chosen in product((None, *criteria), repeat=requests):
        yield tuple((k, criterion) for k, criterion in enumerate(chosen) if criterion is not None)


def sessions(criteria: Sequence[str]) -> Callable[[int], Iterator[Iterator[Session]]]:
    """Return all sessions with such gets, by the number of requests."""

    def of(requests: int) -> Iterator[Session]:
        every = [Session(*pair) for pair in product(befores(requests), gets_of(requests, criteria))]
        return iter(sorted(every, key=Session.size))

    return lambda most: (of(requests) for requests in range(1, most + 1))


def small_sessions(criteria: Sequence[str], quick: int, full: int) -> Listed[Session]:
    """Return them as a space."""
    names = ", ".join(criteria)
    return Listed(sessions(criteria), quick, full, f"1 to {{}} requests of one output each; gets by {names}")
