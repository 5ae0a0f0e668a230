"""Small traces of module sets, all of a size or some with a seed, for judges that try every content of a cache."""

from collections.abc import Iterator
from itertools import chain, combinations, product
from typing import Any, NamedTuple

import numpy as np

import teltheory as tt


class SetCase(NamedTuple):
    """A trace of module sets with the arguments of an optimum."""

    trace: tt.ModuleTrace
    capacity: int
    xi: int
    forced: bool = False

    def optimum(self, method: Any = "auto", cache: Any = "strict") -> tt.Optimum:
        return tt.hindsight_optimum(self.trace, self.capacity, self.xi, self.forced, method=method, cache=cache)

    def check(self, certificate: Any) -> None:
        tt.check_certificate(self.trace, self.capacity, self.xi, certificate, self.forced)


def subsets(items: int) -> list[tuple[int, ...]]:
    return list(chain.from_iterable(combinations(range(items), k) for k in range(1, items + 1)))


def every_trace(items: int, requests: int, size: int) -> Iterator[tuple[list[tuple[int, ...]], tuple[int, ...]]]:
    """Yield the sets and sizes of all traces, each once up to the names of its items."""
    for asked in product(subsets(items), repeat=requests):
        first = list(dict.fromkeys(item for request in asked for item in request))
        if first == list(range(items)):
            for sizes in product(range(1, size + 1), repeat=items):
                yield list(asked), sizes


def every_need(asked: list[tuple[int, ...]], sizes: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Yield all that requests can be above xi, up to what any cache could hold for them."""
    seen: set[int] = set()
    most = []
    for request in asked:
        most.append(sum(sizes[item] for item in request if item in seen))
        seen |= set(request)
    return product(*(range(units + 1) for units in most))


def with_needs(asked: list[tuple[int, ...]], sizes: tuple[int, ...], needs: tuple[int, ...]) -> tuple[Any, int]:
    """Return a trace and an xi by which request k exceeds xi by ``needs[k]`` without a cache."""
    together = [sum(sizes[item] for item in request) for request in asked]
    xi = max(together)
    fresh = [xi + need - units for need, units in zip(needs, together, strict=True)]
    return tt.ModuleTrace.from_requests(asked, sizes, fresh), xi


def every_case(items: int, requests: int, size: int) -> Iterator[SetCase]:
    """Yield all small worlds: every trace, every need of its requests, every capacity that can matter."""
    for asked, sizes in every_trace(items, requests, size):
        for needs in every_need(asked, sizes):
            trace, xi = with_needs(asked, sizes, needs)
            for capacity in range(sum(sizes) + 1):
                yield SetCase(trace, capacity, xi)


def some_cases(count: int, seed: int, items: int = 4, requests: int = 6, size: int = 3) -> Iterator[SetCase]:
    """Yield random cases, some of them forced."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        sizes = rng.integers(1, size + 1, rng.integers(1, items + 1))
        asked = [
            np.flatnonzero(rng.random(len(sizes)) < rng.choice((0.3, 0.6))).tolist()
            for _ in range(rng.integers(0, requests + 1))
        ]
        trace = tt.ModuleTrace.from_requests(asked, sizes.tolist(), rng.integers(0, 3, len(asked)).tolist())
        xi, forced = int(rng.integers(0, 7)), bool(rng.random() < 0.3)
        least = int((trace.total - trace.fresh)[:-1].max(initial=0)) if forced else 0
        yield SetCase(trace, least + int(rng.integers(0, 3 if forced else int(sizes.sum()) + 1)), xi, forced)
