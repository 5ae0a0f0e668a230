"""A plain replay of applications: the judge of the rows. It uses nothing of the package.

A turn finds what is kept of its conversation. Then all of its conversation is at hand, and the cache is cut: it
loses surplus first, by the way of trimming, then the ends of the conversations that came longest ago. What is
surplus follows from the thresholds of the turns to come, which are found by going through all routes.
"""

from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias

from proofs_checks.parrot.small_applications import Applications

Trim: TypeAlias = Literal["round-robin", "least-recent", "eager"]
TRIMS: tuple[Trim, ...] = ("round-robin", "least-recent", "eager")
Split: TypeAlias = Callable[[Applications, Sequence[int], int], int]
"""The threshold of a turn to come, given what the turns so far computed."""


def request_level(case: Applications, uncached: Sequence[int], turn: int) -> int:
    """Return the whole threshold for each turn."""
    return case.xi


def equal(case: Applications, uncached: Sequence[int], turn: int) -> int:
    """Return the rest of the threshold over the turns left on the longest path."""
    through = [path for path in case.paths if turn in path]
    left = max(len(path) - path.index(turn) for path in through)
    if case.measure == "sum":
        mine = (k for k in range(len(uncached)) if case.turns[k][0] == case.turns[turn][0])
        used = sum(uncached[k] for k in mine)
    else:
        used = max(sum(uncached[k] for k in path[: path.index(turn)] if k < len(uncached)) for path in through)
    return max(0, case.xi - used) // left


def reserve(case: Applications, uncached: Sequence[int], turn: int) -> int:
    """Return what is free if all other turns to come compute all that is expected."""
    most = [total + case.over for total in case.totals]
    most[: len(uncached)] = uncached
    through = (route for route in case.routes if turn in route)
    return case.xi - max(sum(most[k] for k in route if k != turn) for route in through)


def computed(case: Applications, split: Split | None = None, trim: Trim = "least-recent") -> list[int]:
    """Return what each turn computes, under LRU if no split is given."""
    kept: dict[int, int] = {}
    past: dict[int, int] = {}
    uncached: list[int] = []
    recency: list[int] = []
    for k, turn in enumerate(case.turns):
        conversation = turn[1]
        uncached.append(case.totals[k] - kept.get(conversation, 0))
        kept[conversation] = past[conversation] = case.pasts[k]
        recency = [other for other in recency if other != conversation] + [conversation]
        budget = (
            past if split is None else {name: _budget(case, split, uncached, name, past[name]) for name in kept}
        )
        _cut(kept, budget, recency, case.capacity, trim)
    return uncached


def _budget(case: Applications, split: Split, uncached: Sequence[int], conversation: int, past: int) -> int:
    coming = [k for k in range(len(uncached), len(case.turns)) if case.turns[k][1] == conversation]
    if not coming:
        return 0
    expected = case.totals[coming[0]] + case.over
    return min(past, max(0, expected - split(case, uncached, coming[0])))


def _cut(kept: dict[int, int], budget: dict[int, int], recency: Sequence[int], capacity: int, trim: Trim) -> None:
    if trim == "eager":
        kept.update({name: min(held, budget[name]) for name, held in kept.items()})
    order = list(kept) if trim == "round-robin" else recency
    while sum(kept.values()) > capacity and any(kept[name] > budget[name] for name in kept):
        surplus = [name for name in order if kept[name] > budget[name]]
        for name in surplus if trim == "round-robin" else surplus[:1]:
            if sum(kept.values()) > capacity:
                kept[name] -= 1
    for name in recency:
        kept[name] -= min(kept[name], max(0, sum(kept.values()) - capacity))


def belady(case: Applications) -> list[int]:
    """Return what each turn computes if on overflow the conversation whose next turn is furthest goes first."""
    kept: dict[int, int] = {}
    uncached: list[int] = []
    for k, (_, conversation, _, _) in enumerate(case.turns):
        uncached.append(case.totals[k] - kept.get(conversation, 0))
        kept[conversation] = case.pasts[k]
        for name in sorted(kept, key=lambda name: -_next_turn(case, name, k)):
            kept[name] -= min(kept[name], max(0, sum(kept.values()) - case.capacity))
    return uncached


def _next_turn(case: Applications, conversation: int, turn: int) -> int:
    n = len(case.turns)
    return next((k for k in range(turn + 1, n) if case.turns[k][1] == conversation), n)
