"""Traces of module sets by laws: popularity by Zipf, sets that come back, items that every request needs."""

from __future__ import annotations

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.model.module_trace import ModuleTrace
from teltheory.model.numbers import IntArray, readonly, real_number, whole_number
from teltheory.workloads.laws import Law


def draw_module_trace(
    requests: int,
    items: int,
    together: int,
    sizes: Law,
    fresh: Law,
    rng: np.random.Generator,
    *,
    zipf: float = 1.0,
    again: float = 0.0,
    within: int = 100,
    always: int = 0,
) -> ModuleTrace:
    """Draw requests for sets of items.

    Without the last three options it is like retrieval: every request draws its documents anew. With them it is
    like conversations over a schema: text that every prompt has, and prompts that import what an earlier one did.

    Parameters
    ----------
    requests, items : int
        Number of requests, and of items to choose from: r, from 0, is drawn in proportion to (r + 1) ** -zipf.
    together : int
        Items that a request chooses, each once, one after another; at most half of all.
    sizes, fresh : Law
        Tokens of the items, 1 or more (0 is drawn as 1), and fresh tokens of the requests.
    rng : numpy.random.Generator
        What draws.
    zipf : float
        Skew of the popularity, 0 (none) to 2.
    again, within : float, int
        Probability that a request chooses what an earlier one did, from 0 to 1; how many requests back that one
        lies at most, all distances being equally likely.
    always : int
        Items that every request needs besides; they have the largest numbers.
    """
    n = whole_number("requests", requests)
    if not 0 <= whole_number("together", together) <= whole_number("items", items) // 2:
        raise ArgumentError("together", together, f"at most half of the {items} items")
    real_number("zipf", zipf, 0, 2, closed=True)
    chosen = _distinct(items, zipf, n, together, rng)[came_back(n, again, within, rng)]
    everywhere = np.broadcast_to(np.arange(items, items + whole_number("always", always)), (n, always))
    members = np.sort(np.hstack((chosen, everywhere)), axis=1)
    lengths = np.maximum(sizes.sample(rng, items + always), 1)
    offsets = np.arange(n + 1, dtype=np.int64) * (together + always)
    return ModuleTrace(
        readonly(lengths), readonly(members.ravel()), readonly(offsets), readonly(fresh.sample(rng, n))
    )


def zipf_ranks(items: int, zipf: float, count: int, rng: np.random.Generator) -> IntArray:
    """Draw `count` ranks from 0, each r in proportion to (r + 1) ** -zipf, 0 <= zipf <= 100."""
    shares = np.cumsum(np.arange(1.0, items + 1) ** -real_number("zipf", zipf, 0, 100, closed=True))
    return np.searchsorted(shares[:-1] / shares[-1], rng.random(count), side="right").astype(np.int64)


def _distinct(items: int, zipf: float, n: int, together: int, rng: np.random.Generator) -> IntArray:
    """Draw items of each request one after another; what it has already is drawn again."""
    chosen = np.empty((n, together), np.int64)
    for column in range(together):
        left = np.arange(n)
        while len(left):
            drawn = chosen[left, column] = zipf_ranks(items, zipf, len(left), rng)
            left = left[(chosen[left, :column] == drawn[:, None]).any(axis=1)]
    return chosen


def came_back(n: int, again: float, within: int, rng: np.random.Generator) -> IntArray:
    """Return for each request whose choice it has: its own, or that of one up to `within` before it.

    Parameters
    ----------
    n : int
        Number of requests.
    again : float
        Probability that a request has the choice of an earlier one, 0 to 1.
    within : int
        How far back that one lies at most, 1 or more; all distances are equally likely.
    rng : numpy.random.Generator
        What draws.

    Returns
    -------
    ndarray of int64, shape (n,)
        The request that chose, which has its own choice.
    """
    if whole_number("within", within) < 1:
        raise ArgumentError("within", within, "1 request or more")
    share = real_number("again", again, 0, 1, closed=True)
    places = np.arange(n, dtype=np.int64)
    back = rng.integers(1, within, n, endpoint=True)
    source = np.where((rng.random(n) < share) & (back <= places), places - back, places)
    while (source != source[source]).any():
        source = source[source]
    return source
