"""The least excess of tiny traces of applications by trying every content of the cache after every turn.

This is the judge of everything else in this folder, so it shares nothing with it but the trace. A state is what
the cache holds of each conversation, and what each turn so far computed: the excess of an application is that of
all of its turns, so none of it may be forgotten.

1. A turn reuses what is held of its conversation, at most its history.
2. Then its conversation is at hand, and any content that fits may be kept: of each conversation a prefix of what
   is at hand; under forced caching all of the one that came.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from teltheory.model.applications import ApplicationTrace

State = tuple[tuple[int, ...], tuple[int, ...]]


def least_excess(
    apps: ApplicationTrace, capacity: int, xi: Sequence[int], measure: str = "sum", forced: bool = False
) -> int:
    """Return the least excess of all applications under any policy; for some six turns of a few tokens."""
    trace = apps.trace
    codes, histories = trace.code.tolist(), trace.history.tolist()
    states: set[State] = {((0,) * trace.conversations, ())}
    for k, theta in enumerate(codes):
        after: set[State] = set()
        for content, computed in states:
            uncached = (*computed, int(trace.total[k]) - min(content[theta], histories[k]))
            at_hand = [*content[:theta], int(trace.past[k]), *content[theta + 1 :]]
            kept = _contents(at_hand, capacity, theta if forced else None) if k + 1 < len(codes) else [content]
            after |= {(one, uncached) for one in kept}
        states = after
    return min(sum(_excesses(apps, computed, xi, measure)) for _, computed in states)


def _contents(at_hand: Sequence[int], capacity: int, pinned: int | None) -> Iterator[tuple[int, ...]]:
    least = [held if code == pinned else 0 for code, held in enumerate(at_hand)]
    ranges = (range(low, min(held, capacity) + 1) for low, held in zip(least, at_hand, strict=True))
    return (kept for kept in product(*ranges) if sum(kept) <= capacity)


def _excesses(apps: ApplicationTrace, computed: Sequence[int], xi: Sequence[int], measure: str) -> Iterator[int]:
    for application, turns in enumerate(apps.turns):
        routes = [turns] if measure == "sum" else list(_paths(apps, turns))
        yield max(0, max(sum(computed[k] for k in route) for route in routes) - xi[application])


def _paths(apps: ApplicationTrace, turns: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield all paths up to each turn."""
    known: dict[int, list[tuple[int, ...]]] = {}
    for k in turns:
        earlier = [path for j in apps.before[k] for path in known[j]] or [()]
        known[k] = [(*path, k) for path in earlier]
        yield from known[k]
