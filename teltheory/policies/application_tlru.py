"""T-LRU with a budget that the turns of an application share.

A request-level threshold says of each turn how much it may compute. An application has one threshold for all of
its turns (`teltheory.model.applications`), so after every turn the rest of it is split among the turns to come:

1. The graph of an application is known when its first turn arrives (Parrot, Section 4.1: all requests are
   submitted before the first runs), and so is an estimate of the input of each of its turns.
2. After each turn the turns of its application that are still to come are given thresholds, by a split.
3. The budget of a conversation is min(L, max(0, n - threshold)), n the estimate for its next turn. That is T-LRU's
   max(0, L + Q - xi) where the estimate is L + Q. A conversation without a turn to come has the budget 0.
4. Surplus goes first, then LRU, as T-LRU does it (Zhang et al. 2025, Algorithm 1).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from teltheory.errors import ArgumentError
from teltheory.model.applications import ApplicationTrace, Measure, check_measure, thresholds
from teltheory.model.numbers import IntArray, whole_number
from teltheory.policies.node import Node
from teltheory.policies.policy import TRIMS, LeastRecentlyUsed, Trim


class Share(NamedTuple):
    """What a split knows of a turn to come.

    Attributes
    ----------
    xi : int
        The application's threshold.
    used : int
        What its turns have computed so far; by "path", those on the heaviest path to this turn.
    turns : int
        Turns on the longest path from this turn on, itself included.
    others : int
        The most that the other turns compute together, those that are done and those to come; by "path", on the
        heaviest path through this turn.
    """

    xi: int
    used: int
    turns: int
    others: int


def equal(share: Share) -> int:
    """Return the rest of the threshold over the turns left on the longest path, rounded down."""
    return max(0, share.xi - share.used) // share.turns


def reserve(share: Share) -> int:
    """Return what is free even if no other turn finds anything in the cache; below 0 if nothing is."""
    return share.xi - share.others


def request_level(share: Share) -> int:
    """Return the whole threshold, for each turn anew."""
    return share.xi


Split = Literal["equal", "reserve", "request"] | Callable[[Share], int]
SPLITS: Mapping[str, Callable[[Share], int]] = {"equal": equal, "reserve": reserve, "request": request_level}


@dataclass(frozen=True)
class ApplicationTLRU:
    """Tail-Optimized LRU with one threshold an application. `on` makes a policy for a trace of it.

    Parameters
    ----------
    xi : int or sequence of int
        Threshold, one for all applications or one for each, in the trace's unit.
    split : {"equal", "reserve", "request"} or callable
        How the turns to come share it: `equal` (the default), `reserve`, which is never worse than LRU for any
        application (docs/parrot.md), `request_level`, or a function of a `Share`.
    measure : {"sum", "path"}
        Whether all turns of an application share it, or those of each path.
    trim : {"round-robin", "least-recent", "eager"}
        As for `TLRU`.
    totals : sequence of int or None
        Estimate of the input of each turn, in the trace's unit; None: exact. `reserve` keeps its promise if no
        turn's input is longer.
    """

    name = "application-tlru"
    xi: int | Sequence[int] | IntArray
    split: Split = "equal"
    measure: Measure = "sum"
    trim: Trim = "round-robin"
    totals: Sequence[int] | IntArray | None = None

    def __post_init__(self) -> None:
        check_measure(self.measure)
        if not callable(self.split) and self.split not in SPLITS:
            raise ArgumentError("split", self.split, ", ".join(SPLITS) + " or a function of a Share")
        if self.trim not in TRIMS:
            raise ArgumentError("trim", self.trim, "one of " + ", ".join(TRIMS))

    def on(self, apps: ApplicationTrace) -> BoundApplicationTLRU:
        """Return the policy for a trace."""
        given = apps.trace.total.tolist() if self.totals is None else list(self.totals)
        if len(given) != len(apps):
            raise ArgumentError("totals", f"{len(given)} values", f"{len(apps)}, one a turn")
        totals = tuple(whole_number(f"totals[{k}]", total) for k, total in enumerate(given))
        split = self.split if callable(self.split) else SPLITS[self.split]
        return BoundApplicationTLRU(apps, thresholds(apps, self.xi), split, self.measure, self.trim, totals)


@dataclass(frozen=True)
class BoundApplicationTLRU:
    """`ApplicationTLRU` for a trace: it observes what turns computed."""

    apps: ApplicationTrace
    xi: tuple[int, ...]
    split: Callable[[Share], int]
    measure: Measure
    trim: Trim
    totals: tuple[int, ...]

    def observing(self) -> Callable[[int], LeastRecentlyUsed]:
        """Return what takes the uncached length of each turn, in order, and says how to cut after it."""
        uncached: list[int] = []
        given: dict[int, int] = {}

        def after(computed: int) -> LeastRecentlyUsed:
            application = int(self.apps.application[len(uncached)])
            uncached.append(computed)
            given.update(self.shares(application, uncached))
            return SharedBudgets(given, self.totals, self.trim)

        return after

    def shares(self, application: int, uncached: Sequence[int]) -> dict[int, int]:
        """Return the thresholds of an application's turns to come, given what all turns so far computed."""
        turns, done = self.apps.turns[application], len(uncached)
        computed = {k: uncached[k] if k < done else 0 for k in turns}
        most = {k: uncached[k] if k < done else self.totals[k] for k in turns}
        if self.measure == "sum":
            together, most_together = sum(computed.values()), sum(most.values())
            facts = {k: (together, most_together - most[k]) for k in turns}
        else:
            used, to = self.apps.heaviest(turns, computed), self.apps.heaviest(turns, most)
            onwards = self.apps.heaviest(turns, most, backwards=True)
            facts = {k: (used[k], to[k] + onwards[k] - 2 * most[k]) for k in turns}
        shares = {k: Share(self.xi[application], f[0], self.apps.left[k], f[1]) for k, f in facts.items()}
        return {k: self._threshold(k, share) for k, share in shares.items() if k >= done}

    def _threshold(self, turn: int, share: Share) -> int:
        found = self.split(share)
        if type(found) is not int:
            raise ArgumentError("split", found, f"a whole number for turn {turn}")
        return found


@dataclass(frozen=True)
class SharedBudgets(LeastRecentlyUsed):
    """T-LRU's rules while turns to come have these thresholds."""

    thresholds: Mapping[int, int]
    totals: Sequence[int]
    trim: Trim

    def budget(self, node: Node) -> int:
        """Return min(L, max(0, n - threshold)) for the conversation's next turn; 0 if none is to come."""
        if node.next is None:
            return 0
        turn = node.next.turn
        return min(node.past, max(0, self.totals[turn] - self.thresholds[turn]))
