"""Fewest SLO violations and best percentiles are strongly NP-hard (ours), and so is what the paper says of them.

`teltheory.optimal.slo.path_flow` makes a trace of an unsplittable flow on a path with unit profits;
docs/proofs-limits.md has the proofs, and says whose theorem the hardness of those flows is. Here both sides of
the reduction are decided by trying everything: all sets of tasks on one side, all caches on the other.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, combinations_with_replacement, product
from math import ceil
from typing import Any

from proofs_checks.tail_optimized.theorem_b1 import all_equal
from teltheory.claims.claim import SecondRoute, Values, rows
from teltheory.claims.listed import Listed, ToldCase, told
from teltheory.claims.origin import BOTH
from teltheory.model.instance import Instance
from teltheory.optimal.chains.brute_force import all_reuses, smallest_rising_total
from teltheory.optimal.slo.path_flow import (
    CacheQuestion,
    PathFlow,
    PathTask,
    percentile_question,
    violations_question,
    with_uniform_capacity,
)
from teltheory.optimal.slo.percentile import best_percentile
from teltheory.optimal.slo.violations import fewest_violations

FIT, KEEP = "tasks that fit", "turns that keep the SLO"
POSSIBLE = "P_q <= xi is possible"
LEVELS = (Fraction(1, 2), Fraction(3, 4), Fraction(15, 16))
TAIL = (Fraction(9, 10), Fraction(19, 20), Fraction(99, 100))
"""The paper's levels."""


def most_that_fit(flow: PathFlow) -> int:
    """Return the most tasks that fit, by trying every set."""
    numbers = range(len(flow.tasks))
    sizes = (size for size in range(len(numbers), 0, -1) if any(map(flow.fits, combinations(numbers, size))))
    return next(sizes, 0)


@dataclass(frozen=True)
class FlowCase(ToldCase):
    """A flow and the caching mode of its trace; for percentiles a level and a number of tasks."""

    flow: PathFlow
    forced: bool = False
    q: Fraction = Fraction(1, 2)
    wanted: int = 0

    def measures(self) -> dict[str, int]:
        return {"tasks": len(self.flow.tasks), "edges": self.flow.edges}

    def as_counterexample(self, values: Values) -> dict[str, Any]:
        asked = {"q": self.q, "wanted": self.wanted} if self.wanted else {}
        flow = {"tasks": self.flow.tasks, "capacity": self.flow.capacity}
        return told({**flow, "forced": self.forced, **asked, "values": values})


Limits = tuple[tuple[int, int, int], ...]
"""Of flows of 1, 2, ... tasks: the edges, the largest demand, the largest capacity."""


def flows(quick: Limits, full: Limits, forced: bool = False, levels: Sequence[Fraction] = ()) -> Listed[FlowCase]:
    """Return all flows within limits; for percentiles, each asks for every number of tasks at every level."""

    def up_to(limits: Limits) -> Iterator[Iterator[FlowCase]]:
        for tasks, limit in enumerate(limits, start=1):
            yield (case for flow in _flows(tasks, *limit) for case in asked(flow))

    def asked(flow: PathFlow) -> list[FlowCase]:
        wanted = product(levels, range(1, len(flow.tasks) + 1))
        return [FlowCase(flow, forced, *one) for one in wanted] if levels else [FlowCase(flow, forced)]

    def note(limits: Limits) -> dict[str, str]:
        rows = (
            f"{tasks} on {edges} edges with demands to {demand} and capacities to {capacity}"
            for tasks, (edges, demand, capacity) in enumerate(limits, start=1)
        )
        return {"what": "all sets of tasks, " + ", ".join(rows)}

    return Listed(up_to, quick, full, note)


def _flows(count: int, edges: int, demand: int, capacity: int) -> Iterator[PathFlow]:
    for room in range(1, capacity + 1):
        for tasks in combinations_with_replacement(kinds(edges, min(demand, room)), count):
            if min(task.first for task in tasks) == 1:
                yield PathFlow(tasks, room)


def kinds(edges: int, demand: int) -> list[PathTask]:
    """Return every task on so many edges, up to a demand."""
    spans = combinations_with_replacement(range(1, edges + 1), 2)
    return [PathTask(first, last, d) for first, last in spans for d in range(1, demand + 1)]


def instance(question: CacheQuestion) -> Instance:
    """Return a question's trace with its capacity."""
    return Instance.of(question.trace, question.capacity, forced=question.forced)


def violations(case: FlowCase) -> Values:
    """Count what fits by all sets of tasks, and which turns keep the SLO by all caches."""
    question = violations_question(case.flow, case.forced)
    least = smallest_rising_total(instance(question), lambda uncached: uncached > question.xi)
    return {FIT: most_that_fit(case.flow), KEEP: len(case.flow.tasks) - least}


def violations_by_search(case: FlowCase, values: Values) -> Values:
    """Count those turns by the search for the fewest violations, if it proves its answer without a solver."""
    question = violations_question(case.flow, case.forced)
    found = fewest_violations(question.trace, question.capacity, question.xi, question.forced)
    proved = not found.by_solver and found.upper == found.lower
    return {KEEP: len(case.flow.tasks) - found.upper if proved else -1}


def percentiles(case: FlowCase) -> Values:
    """Ask whether so many tasks fit, and whether some policy has a percentile of xi or less."""
    question = percentile_question(case.flow, case.q, case.wanted, case.forced)
    ways = uncached_by_all_policies(case.flow, case.forced)
    added = question.trace.prompt[len(next(iter(ways))) :].tolist()
    least = min(percentile([*uncached, *added], case.q) for uncached in ways)
    return {FIT: most_that_fit(case.flow) >= case.wanted, POSSIBLE: least <= question.xi}


@lru_cache(maxsize=1)
def uncached_by_all_policies(flow: PathFlow, forced: bool) -> set[tuple[int, ...]]:
    """Return the uncached lengths, without the turns that are added for percentiles, that policies reach."""
    tried = instance(violations_question(flow, forced))
    totals = tried.total.tolist()
    return {tuple(total - x for total, x in zip(totals, reuses, strict=True)) for reuses in all_reuses(tried)}


def percentile(uncached: Sequence[int], q: Fraction) -> int:
    """Return the ceil(q n)-th smallest, the smallest for q = 0."""
    return sorted(uncached)[max(ceil(q * len(uncached)), 1) - 1]


def percentile_by_search(case: FlowCase, values: Values) -> Values:
    """Ask the search for the best percentile, of the trace with all its turns."""
    question = percentile_question(case.flow, case.q, case.wanted, case.forced)
    found = best_percentile(question.trace, question.capacity, float(case.q), question.forced)
    proved = not found.by_solver and found.upper == found.lower
    return {POSSIBLE: found.upper <= question.xi if proved else None}


@dataclass(frozen=True)
class OwnCapacities(ToldCase):
    """Tasks on edges with capacities of their own."""

    tasks: tuple[PathTask, ...]
    capacities: tuple[int, ...]

    def measures(self) -> dict[str, int]:
        return {"tasks": len(self.tasks), "edges": len(self.capacities)}


def own_capacities(most: int) -> Iterator[Iterator[OwnCapacities]]:
    """Yield up to so many tasks on two edges, with all demands and capacities up to 3, fewest tasks first."""
    for count in range(1, most + 1):
        tasks = combinations_with_replacement(kinds(2, 3), count)
        yield (OwnCapacities(some, room) for room, some in product(product(range(4), repeat=2), tasks))


def uniform(case: OwnCapacities) -> Values:
    """Count what fits with own capacities, and with one capacity and fillers, by all sets of tasks."""
    flow, fillers = with_uniform_capacity(case.tasks, case.capacities)
    fitting = (
        len(chosen)
        for size in range(len(case.tasks) + 1)
        for chosen in combinations(case.tasks, size)
        if all(
            sum(d for first, last, d in chosen if first <= edge <= last) <= room
            for edge, room in enumerate(case.capacities, start=1)
        )
    )
    return {FIT: max(fitting), "with one capacity, less the fillers": most_that_fit(flow) - fillers}


@dataclass(frozen=True)
class Requests(ToldCase):
    """General caching in the fault model: pages of some sizes are requested, and each fault costs 1."""

    pages: tuple[int, ...]
    sizes: tuple[int, ...]
    capacity: int
    bypassing: bool

    def measures(self) -> dict[str, int]:
        return {"requests": len(self.pages), "pages": len(self.sizes)}

    def tasks_and_capacities(self) -> tuple[list[PathTask], list[int]]:
        """Return a task for each two consecutive requests of a page, and the edges' capacities."""
        last: dict[int, int] = {}
        tasks = []
        for time, page in enumerate(self.pages, start=1):
            if page in last:
                first = last[page] + (not self.bypassing)
                tasks.append(PathTask(first, time - 1, self.sizes[page]))
            last[page] = time
        room = [self.capacity - (0 if self.bypassing else self.sizes[page]) for page in self.pages]
        return tasks, room

    def fewest_faults(self) -> int:
        """Return the fewest faults, by trying all contents of the cache."""
        faults: dict[frozenset[int], int] = {frozenset(): 0}
        for page in self.pages:
            after: dict[frozenset[int], int] = {}
            for held, count in faults.items():
                cost = count + (page not in held)
                for kept in self._contents(held | {page}, page):
                    after[kept] = min(cost, after.get(kept, cost))
            faults = after
        return min(faults.values())

    def _contents(self, at_hand: frozenset[int], page: int) -> Iterator[frozenset[int]]:
        for count in range(len(at_hand) + 1):
            for kept in map(frozenset, combinations(sorted(at_hand), count)):
                fits = sum(self.sizes[one] for one in kept) <= self.capacity
                if fits and (self.bypassing or page in kept):
                    yield kept


def requests(most: int) -> Iterator[Iterator[Requests]]:
    """Yield up to so many requests of up to three pages of sizes 1 to 3, numbered in order of appearance."""
    return map(_requests, range(1, most + 1))


def _requests(count: int) -> Iterator[Requests]:
    for pages in product(range(3), repeat=count):
        if all(page <= max(pages[:k], default=-1) + 1 for k, page in enumerate(pages)):
            for sizes in product((1, 2, 3), repeat=max(pages) + 1):
                for capacity, bypassing in product(range(max(sizes), sum(sizes) + 1), (False, True)):
                    yield Requests(pages, sizes, capacity, bypassing)


def caching(case: Requests) -> Values:
    """Count the faults by all contents of the cache, and by the tasks that fit."""
    tasks, room = case.tasks_and_capacities()
    some = [task for task in tasks if task.first <= task.last]
    kept = len(tasks) - len(some)
    if some:
        flow, fillers = with_uniform_capacity(some, room)
        kept += most_that_fit(flow) - fillers
    return {"fewest faults": case.fewest_faults(), "requests less tasks": len(case.pages) - kept}


FEWEST_BY_SEARCH = SecondRoute(
    "the search for the fewest violations, proved without a solver", violations_by_search
)
BEST_BY_SEARCH = SecondRoute("the search for the best percentile, proved without a solver", percentile_by_search)
SOURCE = "Beyond the paper: docs/limits.md"

row = rows(source=SOURCE, relation=all_equal)

slo = row(
    "slo.np-hard",
    "Fewest SLO violations are strongly NP-hard: an unsplittable flow on a path with unit profits becomes a trace "
    "in which as many turns can keep the SLO as tasks fit.",
    space=flows(((3, 3, 4), (3, 3, 4), (3, 3, 4), (2, 2, 3)), ((4, 3, 5), (4, 3, 5), (3, 3, 5), (3, 2, 4))),
    second=FEWEST_BY_SEARCH,
)(violations)

slo_forced = replace(
    slo,
    id="slo.np-hard.forced",
    statement="The same under forced caching.",
    space=flows(((3, 3, 4), (3, 3, 4), (2, 2, 3)), ((4, 3, 5), (4, 3, 5), (3, 3, 4)), forced=True),
)

slo_caching = row(
    "slo.np-hard.caching",
    "The fewest faults of general caching in the fault model, with or without bypassing, are the requests less "
    "the most tasks that fit.",
    space=Listed(requests, 5, 6, lambda most: {"what": f"up to {most} requests of up to 3 pages with sizes to 3"}),
)(caching)

slo_uniform = row(
    "slo.np-hard.uniform",
    "Tasks of one edge and demand 1 that fill all edges up to one capacity add their number to the most that fit.",
    space=Listed(
        own_capacities,
        3,
        4,
        lambda most: {"what": f"up to {most} tasks on two edges with demands to 3 and capacities to 3"},
    ),
)(uniform)

best = row(
    "percentile.np-hard",
    "Best percentiles are strongly NP-hard, at every level between 0 and 1: with turns added that never or always "
    "exceed xi, P_q <= xi is possible exactly where a number of tasks fits.",
    space=flows(((3, 2, 2), (3, 2, 2), (2, 2, 2)), ((3, 3, 4), (3, 3, 3), (3, 2, 2)), levels=LEVELS),
    second=BEST_BY_SEARCH,
)(percentiles)

best_forced = replace(
    best,
    id="percentile.np-hard.forced",
    statement="The same under forced caching.",
    space=flows(((3, 2, 2), (3, 2, 2)), ((3, 3, 3), (3, 2, 2)), forced=True, levels=LEVELS),
)

as_the_paper_says = row(
    "appendix-g.hard",
    "Solving for the optimal policy for tail latency (P90, P95, P99) is computationally hard.",
    source="Appendix G.1",
    space=flows(((3, 2, 2), (3, 2, 2), (2, 1, 2)), ((3, 3, 4), (3, 3, 3), (2, 2, 2)), levels=TAIL),
    origin=BOTH,
)(percentiles)
