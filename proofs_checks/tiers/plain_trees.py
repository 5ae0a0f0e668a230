"""Requests that share prefixes in small tiers, and a plain replay, the judge, that uses nothing of the package.

A unit is the path down to it, so that its parent is all but its last step. A request finds the longest head of its
path that the tiers hold, all of which is in tier 0 then. What the policy does not keep at all of a path that has
ended sinks, the deepest first. While a tier is too full its first leaf sinks: a unit without a child in that tier.
Whatever sinks may fill the next tier, which is cut at once; out of the last tier a unit is gone. Under forced
caching tier 0 loses nothing of the path whose turn it is, which ends when the next request comes.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Literal, TypeAlias

from proofs_checks.tiers.chains import Row
from teltheory.claims.claim import Enumerated
from teltheory.claims.listed import ToldCase, told

Unit: TypeAlias = Row
Rule: TypeAlias = Literal["LRU", "threshold", "T-LRU", "Belady"]
Mark: TypeAlias = Literal["high-water", "resident", "last"]
"""What the past of a unit is: the longest path through it so far, or since it was last computed; or the last."""


@dataclass(frozen=True)
class Paths(ToldCase):
    """Requests as paths, in tiers; xi is a policy's parameter. A unit of tier i is worth 1 - loads[i] / parts."""

    paths: tuple[Unit, ...]
    capacities: Row
    loads: Row
    parts: int = 4
    xi: int = 0
    forced: bool = False

    def size(self) -> tuple[Any, ...]:
        """Return requests and units, then C, xi and forced, of equal ones any fixed order."""
        return (*self.measures().values(), self.capacities, self.loads, self.xi, self.forced, self.paths)

    def measures(self) -> dict[str, int]:
        """Return requests, and units of all paths together."""
        return {"requests": len(self.paths), "units": sum(map(len, self.paths))}

    def as_counterexample(self, values: Any) -> dict[str, Any]:
        """Return the case with its values."""
        facts = {"requests": self.paths, "capacities": self.capacities, "loads": self.loads, "parts": self.parts}
        return told({**facts, "xi": self.xi, "forced": self.forced, "values": values})


@dataclass(frozen=True)
class SmallPaths(Enumerated):
    """All requests up to so many units, by the number of requests, with all capacities of all numbers of tiers.

    A request goes down a path of the tree so far, any, and some new units down from there. `xi` are the
    thresholds, None for all; `ways` whether cases are forced, if each path but the last fits into tier 0.
    """

    quick: Mapping[int, int]
    full: Mapping[int, int]
    loads: tuple[Row, ...] = ((0, 0), (0, 0, 0))
    xi: Row | None = None
    ways: tuple[bool, ...] = (False, True)

    def classes(self, effort: str) -> Iterator[Iterator[Paths]]:
        """Yield the cases of each number of requests and units."""
        for requests, most in getattr(self, effort).items():
            yield from (self._cases(requests, units) for units in range(1, most + 1))

    def bounds(self, effort: str) -> dict[str, Any]:
        """Return what is enumerated, in words."""
        most = ", ".join(f"{requests}: {units}" for requests, units in getattr(self, effort).items())
        ways = " and ".join("forced" if way else "optional" for way in self.ways)
        loads = ", ".join("/".join(map(str, row)) for row in self.loads)
        xi = "all" if self.xi is None else ", ".join(map(str, self.xi))
        return {"cases": f"all trees with most units of paths by requests {most}; {ways}; loads {loads}; xi {xi}"}

    def _cases(self, requests: int, units: int) -> Iterator[Paths]:
        for paths in trees(requests, units):
            most = len({head for path in paths for head in heads(path)})
            for loads in self.loads:
                every = product(range(most + 1), repeat=len(loads))
                sizes = (row for row in every if sum(row) <= most)
                yield from (case for row in sizes for case in self._parameters(Paths(paths, row, loads)))

    def _parameters(self, case: Paths) -> Iterator[Paths]:
        fits = max(map(len, case.paths[:-1]), default=0) <= case.capacities[0]
        for xi in range(max(map(len, case.paths)) + 1) if self.xi is None else self.xi:
            yield from (replace(case, xi=xi, forced=way) for way in self.ways if fits or not way)


def trees(requests: int, units: int) -> Iterator[tuple[Unit, ...]]:
    """Yield so many paths with so many units together; each goes on from a unit of those before, or the root."""
    if requests == 0:
        if units == 0:
            yield ()
        return
    for before in range(units + 1):
        for paths in trees(requests - 1, before):
            known = {head for path in paths for head in heads(path)} | {()}
            for above in sorted(known):
                if len(above) <= units - before:
                    child = sum(len(unit) == len(above) + 1 and unit[:-1] == above for unit in known)
                    more = units - before - len(above)
                    yield (*paths, (*above, *((child,) if more else ()), *(0,) * (more - 1)))


def heads(path: Unit) -> list[Unit]:
    """Return the units of a path, root first."""
    return [path[: depth + 1] for depth in range(len(path))]


@dataclass
class TreeCascade:
    """Tiers of units under one policy in all of them."""

    case: Paths
    rule: Rule
    trim: Literal["least-recent", "eager"] = "least-recent"
    mark: Mark = "high-water"
    scaled: bool = False

    def __post_init__(self) -> None:
        self.tier: dict[Unit, int] = {}
        self.last: dict[Unit, int] = {}
        self.past: dict[Unit, int] = {}
        self.exempt: set[Unit] = set()

    def found(self) -> list[list[int]]:
        """Return, request by request, what is found of each tier."""
        return [self._request(k, heads(path)) for k, path in enumerate(self.case.paths)]

    def _request(self, k: int, path: list[Unit]) -> list[int]:
        found = [sum(self.tier.get(unit) == i for unit in path) for i in range(len(self.case.capacities))]
        for unit in path:
            before = self.past.get(unit, 0) if self.mark == "high-water" or unit in self.tier else 0
            self.past[unit] = len(path) if self.mark == "last" else max(before, len(path))
            self.tier[unit], self.last[unit] = 0, k
        ended = path
        if self.case.forced:
            ended, self.exempt = heads(self.case.paths[k - 1] if k else ()), set(path)
        if not self.case.forced or len(path) <= self.case.capacities[0]:
            self._prune(ended)
            self._fit(0)
        return found

    def _prune(self, ended: list[Unit]) -> None:
        for unit in reversed(ended):
            if self._may_go(unit, 0) and self._is_unwanted(unit):
                self._sink(unit)

    def _fit(self, tier: int) -> None:
        while sum(i == tier for i in self.tier.values()) > self.case.capacities[tier]:
            self._sink(min((unit for unit in self.tier if self._may_go(unit, tier)), key=self._order))

    def _sink(self, unit: Unit) -> None:
        tier = self.tier.pop(unit) + 1
        if tier < len(self.case.capacities):
            self.tier[unit] = tier
            if self._may_go(unit, tier) and self._is_unwanted(unit):
                self._sink(unit)
            else:
                self._fit(tier)

    def _may_go(self, unit: Unit, tier: int) -> bool:
        if self.tier.get(unit) != tier or (tier == 0 and unit in self.exempt):
            return False
        return not any(i == tier and below[:-1] == unit for below, i in self.tier.items())

    def _budget(self, unit: Unit) -> int:
        """Return how many units of a path through a unit are worth keeping, where it is now."""
        past = most = self.past[unit]
        if self.rule == "LRU" or (self.rule == "threshold" and past > self.case.xi):
            return past
        if self.rule == "Belady":
            turn, history = self._next(unit)
            past = len(self.case.paths[turn]) if turn < len(self.case.paths) else 0
            most = history
        budget = 0 if self.rule == "threshold" else min(most, max(0, past - self.case.xi))
        less = self.case.parts - (self.case.loads[self.tier[unit]] if self.scaled else 0)
        return min(most, -(-budget * self.case.parts // less))

    def _next(self, unit: Unit) -> tuple[int, int]:
        """Return the next request through a unit, else their number, and how much of its path came before."""
        paths = self.case.paths
        turn = next((j for j in range(self.last[unit] + 1, len(paths)) if unit in heads(paths[j])), len(paths))
        known = {head for path in paths[:turn] for head in heads(path)}
        return turn, sum(head in known for head in heads(paths[turn])) if turn < len(paths) else 0

    def _is_unwanted(self, unit: Unit) -> bool:
        return (self.trim == "eager" or self.rule == "threshold") and self._budget(unit) < len(unit)

    def _order(self, unit: Unit) -> tuple[int, ...]:
        """Return a unit's place in the order, in which the smallest goes first."""
        recency = (self.last[unit], -len(unit))
        if self.rule == "Belady":
            turn, _ = self._next(unit)
            if self._budget(unit) < len(unit):
                return (0, int(turn < len(self.case.paths)), *recency)
            return (1, -turn, *recency)
        return (int(self._budget(unit) >= len(unit)), *recency)
