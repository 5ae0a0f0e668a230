"""Statement F: the least TEL of a forest in a cache with holes; see docs/forest-optimum.md for the proofs.

The judge tries every content of the cache, block by block; the rows hold greedy, linear programs, their
certificates, and starts that are given against it.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from itertools import chain, combinations
from typing import Any

import numpy as np

from proofs_checks.forest.judges import optimum, optimum_from
from proofs_checks.forest.programs import intervals, most_kept, needed, rooms
from teltheory.claims.claim import Unshrunk, Values, rows
from teltheory.claims.compiled.forests import CompiledForests
from teltheory.claims.forests import ForestCase, Limits, SmallForests
from teltheory.claims.listed import Listed, told
from teltheory.claims.origin import sharpness
from teltheory.model.forest import Forest
from teltheory.model.instance import ForestInstance
from teltheory.model.numbers import readonly
from teltheory.optimal import hindsight_optimum
from teltheory.optimal.exact import LinearProgram, proved_optimum
from teltheory.optimal.hindsight import Method
from teltheory.optimal.methods import greedily
from teltheory.policies import TailOptimizedBelady

ENUMERATED = SmallForests({1: 5, 2: 5, 3: 5, 4: 5, 5: 4}, {1: 6, 2: 6, 3: 6, 4: 6, 5: 5, 6: 4})
PLAIN = SmallForests({1: 3, 2: 3, 3: 3}, {1: 4, 2: 4, 3: 4}, samples=20_000)
SMALL = SmallForests({1: 2, 2: 2, 3: 2}, {1: 3, 2: 3, 3: 3}, samples=100, most_requests=5, most_blocks=5)


def all_equal(values: Values) -> bool:
    """Whether all values are the same."""
    first, *others = values.values()
    return all(other == first for other in others)


def by_greedy(instance: ForestInstance, xi: int) -> int:
    """Return the TEL that Tail-Optimized Belady over reuse intervals says it reaches."""
    kept, _ = greedily(instance, xi)
    return int(np.maximum(instance.total - xi, 0).sum() - kept.sum())


def greedy_and_optimum(case: ForestCase) -> Values:
    """Hold the greedy against the judge."""
    return {"greedy": by_greedy(case.instance, case.xi), "optimum": optimum(case)}


row = rows(source="docs/forest-optimum.md, statement F", relation=all_equal, space=PLAIN)

statement_f = row(
    "forest.optimum",
    "In a cache with holes the greedy over reuse intervals (what is needed furthest away goes first, of one "
    "request the deepest block first) reaches the least TEL of any policy, on every forest.",
    compiled=CompiledForests("greedy and optimum", ENUMERATED),
)(greedy_and_optimum)

forced = row(
    "forest.optimum.forced",
    "The same under forced caching: the path of the latest request is not cut.",
    space=replace(PLAIN, forced=True),
    compiled=CompiledForests("greedy and optimum", replace(ENUMERATED, forced=True)),
)(greedy_and_optimum)

running = row(
    "forest.optimum.running",
    "The same if the paths of the latest two requests are not cut.",
    space=replace(PLAIN, forced=True, running=2, samples=5_000),
    compiled=CompiledForests("greedy and optimum", replace(ENUMERATED, forced=True, running=2)),
)(greedy_and_optimum)


def relaxations(case: ForestCase) -> Values:
    """Solve the problem block by block, and over intervals without precedence, both in fractions.

    The first has 0 <= x[v, t] <= 1 for each block at each step and a precedence between the blocks of a request;
    the second one 0 <= y <= 1 for each interval that is needed, and the rooms.
    """
    from teltheory.optimal.trees.formulation import forest_model

    by_blocks = LinearProgram.of_model(forest_model(case.instance, case.xi, strict=False, relaxed=True))
    without = sum(case.excesses_of([0] * len(case.ask)))
    return {
        "block by block": proved_optimum(by_blocks).objective,
        "over intervals": without - most_kept(case, intervals(case), needed(case)),
        "optimum": optimum(case),
    }


integral = row(
    "forest.optimum.relaxation",
    "The linear relaxation of the problem written block by block has a whole optimum, and the precedence between "
    "the blocks of a request is redundant: over reuse intervals the relaxation without it has the same optimum.",
    space=SMALL,
)(relaxations)

integral_forced = row(
    "forest.optimum.relaxation.forced",
    "The same under forced caching, with two requests that run.",
    space=replace(SMALL, forced=True, running=2),
)(relaxations)


METHODS: tuple[Method, ...] = ("greedy", "lp", "milp", "pyomo")


def by_every_method(case: ForestCase) -> Values:
    """Ask for the optimum by each method; none is believed without its certificate."""
    asked = (case.forest, case.capacity, case.xi, case.forced)
    values: dict[str, int] = {"optimum": optimum(case)}
    for method in METHODS:
        values[method] = hindsight_optimum(*asked, method=method, cache="holes").lower
    return values


methods = row(
    "forest.optimum.methods",
    "The greedy, the linear program over intervals, the integer program over intervals and the problem written "
    "block by block all find the least TEL.",
    space=SMALL,
    certified=True,
)(by_every_method)


def certified(case: ForestCase) -> Values:
    """Count what Tail-Optimized Belady keeps as a replayed policy, and the bound of the greedy's steps P."""
    _, steps = greedily(case.instance, case.xi)
    room, worth = rooms(case), needed(case)
    uncovered = [one for one in intervals(case) if not any(one.first <= step <= one.end for step in steps)]
    return {
        "kept": sum(case.excesses_of([0] * len(case.ask))) - case.tel(TailOptimizedBelady(case.xi), "holes"),
        "room at P and needed blocks that cover none": sum(room[step - 1] for step in steps.tolist())
        + sum(map(worth, uncovered)),
    }


certificate = row(
    "forest.optimum.certificate",
    "A set P of steps proves every optimum: what Tail-Optimized Belady keeps is the room at P and the needed "
    "blocks whose reuse intervals cover no step of P.",
    space=replace(PLAIN, samples=2_000),
    certified=True,
)(certified)

certificate_forced = row(
    "forest.optimum.certificate.forced",
    "The same under forced caching, with two requests that run.",
    space=replace(PLAIN, samples=2_000, forced=True, running=2),
    certified=True,
)(certified)


@dataclass(frozen=True)
class Started(Unshrunk):
    """A case, and the blocks that are cached before its first request."""

    case: ForestCase
    start: tuple[int, ...]

    @property
    def closed(self) -> tuple[int, ...]:
        """The blocks of the start that all blocks above are in as well."""
        found: list[int] = []
        for block in self.start:
            above = self.case.shape.parent[block]
            found += [block] * (above < 0 or above in found)
        return tuple(found)

    @property
    def in_front(self) -> ForestInstance:
        """The same from an empty cache, with a request of total 0 in front for each end of the start."""
        case, shape = self.case, self.case.shape
        inner = {shape.parent[block] for block in self.start}
        leaves = [block for block in self.start if block not in inner]
        nothing = [0] * len(leaves)
        columns = ([*leaves, *shape.leaf], [*nothing, *case.ask], [*nothing, *case.total])
        leaf, ask, total = (readonly(np.array(column, np.int64)) for column in columns)
        forest = Forest.of_nodes(readonly(np.array(shape.parent, np.int64)), leaf, ask, total)
        return ForestInstance.of(forest, case.capacity, forced=case.forced)

    @property
    def at_hand(self) -> tuple[int, ...]:
        """Leading blocks of each path that the start or an earlier request had."""
        seen, known = set(self.start), []
        for path in self.case.shape.paths:
            known.append(next((i for i, block in enumerate(path) if block not in seen), len(path)))
            seen.update(path)
        return tuple(known)

    def size(self) -> tuple[Any, ...]:
        """Return the order of "smallest"."""
        return (*self.case.size(), len(self.start), self.start)

    def measures(self) -> dict[str, int]:
        """Return requests and blocks."""
        return self.case.measures()

    def as_counterexample(self, values: Values) -> dict[str, Any]:
        """Return the case with its start."""
        plain = self.case.as_counterexample(values)
        facts = {"requests": plain["paths"], "start": [block + 1 for block in self.start], "need": self.case.need}
        return told({**facts, "C": self.case.capacity, "values": values})


NEEDS_OF_ALL = SmallForests({}, {}, totals=lambda ask, known, xi: range(xi, xi + ask + 1))


def started(limits: Limits, forced: bool, closed: bool) -> Iterator[Iterator[Started]]:
    """Yield every small forest with every vector of needs, capacity, and start that fits."""
    space = replace(NEEDS_OF_ALL, quick=limits, forced=forced)
    return (_started(cases, closed) for cases in space.classes("quick"))


def _started(cases: Iterator[ForestCase], closed: bool) -> Iterator[Started]:
    for case in cases:
        for start in _subsets(range(len(case.shape.parent)), case.capacity):
            one = Started(case, start)
            if not closed or one.closed == start:
                yield one


def _subsets(blocks: Collection[int], most: int) -> Iterator[tuple[int, ...]]:
    return chain.from_iterable(combinations(blocks, size) for size in range(min(most, len(blocks)) + 1))


def starts(quick: Limits, full: Limits, *, forced: bool = False, closed: bool = False) -> Listed[Started]:
    """Return the space of small forests with a start."""
    note = f"{'starts that are closed towards the root' if closed else 'any start'}; blocks by requests {{}}"
    return Listed(lambda limits: started(limits, forced, closed), quick, full, note)


QUICK, FULL = {1: 3, 2: 3}, {1: 3, 2: 3, 3: 3}


def from_a_start(one: Started) -> Values:
    """Hold the greedy on the forest with requests in front against the judge from the start."""
    told_by_front = by_greedy(one.in_front, one.case.xi)
    return {"greedy with requests in front": told_by_front, "optimum": optimum_from(one.case, one.start)}


start_row = row(
    "forest.optimum.start",
    "A start that is closed towards the root is worth as much as requests of total 0 in front of the trace, one "
    "for each end of its paths: the greedy on the trace with them reaches the optimum from the start.",
    space=starts(QUICK, FULL, closed=True),
)(from_a_start)

start_forced = row(
    "forest.optimum.start.forced",
    "The same under forced caching, with one request that runs.",
    space=starts(QUICK, FULL, closed=True, forced=True),
)(from_a_start)


def over_intervals(one: Started) -> Values:
    """Solve the relaxation over intervals that begin at the start, or at a request, in fractions."""
    case = one.case
    kept = most_kept(case, intervals(case, one.start), needed(case, one.at_hand))
    without = sum(case.excesses_of([0] * len(case.ask)))
    return {"over intervals": without - kept, "optimum": optimum_from(case, one.start)}


any_start = row(
    "forest.optimum.start.any",
    "From any start, with holes or not, the relaxation over reuse intervals has the optimum, if a request counts "
    "as needing no more than the leading blocks that the start or an earlier request had.",
    space=starts({1: 3, 2: 2}, {1: 3, 2: 3}),
)(over_intervals)


@row(
    "forest.optimum.start.holes",
    "A start with holes is worth no more than the part of it that is closed towards the root.",
    space=starts(QUICK, QUICK),
    origin=sharpness("forest.optimum.start", "the start is closed towards the root"),
)
def start_with_holes(one: Started) -> Values:
    """Hold the optimum from a start against that from its closed part."""
    return {
        "from the start": optimum_from(one.case, one.start),
        "from its closed part": optimum_from(one.case, one.closed),
    }
