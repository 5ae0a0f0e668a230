"""What the cache holds at each step, block by block: the check of solvers' answers, and the optimum by trying all.

This is the judge of everything else in this folder, written from the problem's description. Before request k the
cache holds a set of units, at first the initial cache. The request hits the leading units of its input that are
in it; afterwards its whole path is at hand, and any part of all that may be kept that fits and, in a strict cache,
is closed towards the root. Under forced caching the paths of the requests that run stay. `by_units` forests are
meant throughout: a node is a unit.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import combinations

from teltheory.errors import CertificateError
from teltheory.model.instance import ForestInstance
from teltheory.model.nodes import path_to

State = frozenset[int]


def hits_of(instance: ForestInstance, states: Sequence[Collection[int]], strict: bool) -> list[int]:
    """Return what each request hits if the cache holds ``states[k]`` before it; `CertificateError` if it can't."""
    forest, before = instance.requests, begun_of(instance)
    hits = []
    for k, held in enumerate(map(frozenset, states)):
        if not held <= before:
            raise CertificateError(f"states[{k}]: found units {sorted(held - before)}, which are not at hand")
        if len(held) > instance.capacity:
            raise CertificateError(f"states[{k}]: found {len(held)} units, expected {instance.capacity} at most")
        if not running_at(instance, k) <= held:
            raise CertificateError(f"states[{k}]: found no path of a running request, expected all of them")
        if strict and not is_closed(instance, held):
            raise CertificateError(f"states[{k}]: found a unit without its parent, expected none")
        path = forest.path(k)
        hits.append(leading(path[: forest.ask[k]], held))
        before = held | frozenset(path)
    return hits


def least_tel(instance: ForestInstance, xi: int, strict: bool) -> int:
    """Return the least TEL of any policy by trying every content of the cache; for some ten units."""
    total = instance.total.tolist()
    return least_cost(instance, lambda k, hits: max(total[k] - hits - xi, 0), strict)


def least_cost(instance: ForestInstance, cost: Callable[[int, int], int], strict: bool) -> int:
    """Return the smallest sum over requests of ``cost(request, hits)`` that any policy reaches."""
    forest, n = instance.requests, len(instance)
    values: dict[State, int] = {begun_of(instance): 0}
    for k, ask in enumerate(forest.ask.tolist()):
        path, least, after = forest.path(k), dict[State, int](), dict[State, int]()
        for held, value in values.items():
            paid, at_hand = value + cost(k, leading(path[:ask], held)), held.union(path)
            least[at_hand] = min(paid, least.get(at_hand, paid))
        for at_hand, paid in least.items():
            for state in [frozenset[int]()] if k == n - 1 else successors(instance, k, at_hand, strict):
                after[state] = min(paid, after.get(state, paid))
        values = after
    return min(values.values())


def successors(instance: ForestInstance, k: int, at_hand: State, strict: bool) -> Iterator[State]:
    """Yield every content of the cache after request k."""
    stay = running_at(instance, k + 1)
    others = sorted(at_hand - stay)
    for size in range(min(instance.capacity - len(stay), len(others)) + 1):
        for kept in combinations(others, size):
            state = stay | frozenset(kept)
            if not strict or is_closed(instance, state):
                yield state


def begun_of(instance: ForestInstance) -> State:
    """Return the units of the initial cache."""
    paths = ((path_to(instance.requests.parent, start.leaf), start.cached) for start in instance.initial)
    return frozenset(node for path, cached in paths for node in path[:cached])


def running_at(instance: ForestInstance, k: int) -> State:
    """Return the units of the paths that are exempt from the cut before request k."""
    latest = range(max(k - instance.exempt, 0), k)
    return frozenset(node for request in latest for node in instance.requests.path(request))


def is_closed(instance: ForestInstance, held: State) -> bool:
    """Whether every unit's parent is held too."""
    parent = instance.requests.parent
    return all(parent[node] < 0 or int(parent[node]) in held for node in held)


def leading(path: Sequence[int], held: State) -> int:
    """Return how many leading units of a path are held."""
    return next((i for i, node in enumerate(path) if node not in held), len(path))
