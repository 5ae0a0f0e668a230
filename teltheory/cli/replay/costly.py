"""Which policies cost more than twice as much as LRU, in one line: of the prefill, and of P50 of TTFT."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from teltheory.errors import listed
from teltheory.sweep import Cell, ServedCell

MOST = 2
"""How many times LRU's is worth a line."""


def costly(cells: Sequence[Cell] | Sequence[ServedCell]) -> Iterator[str]:
    """Yield one line on the policies that compute, or whose P50 is, more than twice as much as LRU's somewhere."""
    found: dict[tuple[str, str], float] = {}
    for cell in cells:
        pairs = {"prefill": (cell.lru_prefilled, cell.prefilled), "P50 of TTFT": (cell.lru_p50, cell.p50)}
        for name, (lru, own) in pairs.items():
            if own is not None and lru is not None and own > MOST * lru:
                place = (cell.policy, name)
                found[place] = max(found.get(place, 0.0), own / lru if lru else float("inf"))
    if found:
        said = [f"the {name} of {policy}, up to {times:.1f} times" for (policy, name), times in found.items()]
        yield f"Mind: more than twice LRU's, at some capacity or threshold: {listed(said)}."
