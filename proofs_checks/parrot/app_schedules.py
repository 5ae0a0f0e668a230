"""Algorithm 1 against the best assignment and order of requests on engines, in whole units of time.

The judge tries everything that can be started at every unit of time. docs/proofs-parrot.md has the proofs.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from proofs_checks.parrot.origins import PAPER
from proofs_checks.parrot.small_schedules import ONE, TWO, SmallSchedules, World, least
from teltheory.claims.claim import Values, rows
from teltheory.claims.listed import Listed, ToldCase
from teltheory.claims.origin import reading, sharpness
from teltheory.optimal.schedules import Scheduling, Task, TaskServer
from teltheory.systems.apps.schedules import by_algorithm_1, cost, finished, in_order_of_requests

row = rows(source="Application-centric scheduling (Parrot, Section 5.4), against the best schedule")
EQUAL, UNEQUAL = ((TaskServer(1, 2), TaskServer(1, 2)),), ((TaskServer(2, 2), TaskServer(1, 2)),)
UNITS = "in whole units of time, requests that are together on an engine do not slow each other"


def against_the_best(case: World, **readings: Any) -> Values:
    """Return what Algorithm 1 and the best plan cost."""
    found = cost(case.problem, by_algorithm_1(case.problem, **readings))
    return {"Algorithm 1": found, "least": least(case.problem, found)}


def is_best(of: Values) -> bool:
    """Whether no plan is better."""
    return bool(of["Algorithm 1"] == of["least"])


latency = row(
    "parrot.schedules.latency",
    "Algorithm 1 has the least sum of the applications' latencies of all schedules.",
    relation=is_best,
    space=SmallSchedules({1: 3, 2: 3}, {1: 3, 2: 3, 3: 2}, ONE),
    origin=reading(f"it optimises end-to-end latency; {UNITS}"),
)(against_the_best)

makespan = row(
    "parrot.schedules.makespan",
    "Algorithm 1 ends all requests as early as any schedule does.",
    relation=is_best,
    space=SmallSchedules({1: 2, 2: 2, 3: 2}, {1: 3, 2: 3, 3: 3}, TWO, goal="makespan"),
    origin=reading(f"it optimises the use of the cluster; {UNITS}"),
)(against_the_best)


@dataclass(frozen=True)
class Chains(ToldCase):
    """So many applications, each a chain of so many requests of one unit, on one engine."""

    applications: int
    requests: int

    def problem(self) -> Scheduling:
        """Return the problem; requests are numbered stage by stage."""
        apps = self.applications
        tasks = [
            Task(app, 1, (app + apps * (stage - 1),) if stage else ())
            for stage in range(self.requests)
            for app in range(apps)
        ]
        return Scheduling.of(tasks)


def chains(most: int) -> Iterator[Iterator[Chains]]:
    """Yield chains of up to so many requests in all."""
    for total in range(1, most + 1):
        yield (Chains(apps, total // apps) for apps in range(1, total + 1) if total % apps == 0)


def up_to(quick: int, full: int) -> Listed[Chains]:
    """Return equal chains as a space."""
    return Listed(chains, quick, full, "applications that are chains of equal length, up to {} requests in all")


@row(
    "parrot.schedules.equal-chains",
    "Of chains of equal length that arrive together on one engine, application after application has the least "
    "sum of latencies.",
    relation=is_best,
    space=up_to(6, 8),
)
def equal_chains(case: Chains) -> Values:
    """Compare with everything."""
    return against_the_best(World(case.problem()))


@row(
    "parrot.schedules.order",
    "Chains of equal length on one engine with room for one request run application after application: 4 x (A -> "
    "B) as 0 4 1 5 2 6 3 7.",
    relation=lambda of: of["order"] == of["application after application"],
    space=up_to(24, 60),
    origin=PAPER,
)
def order(case: Chains) -> Values:
    """Compare the order of the starts."""
    starts = [one.start for one in by_algorithm_1(case.problem())]
    apps, length = case.applications, case.requests
    by_app = [app + apps * stage for app in range(apps) for stage in range(length)]
    return {"order": sorted(range(len(starts)), key=starts.__getitem__), "application after application": by_app}


def nobody_later(of: Values) -> bool:
    """Whether no application is done later than by the baseline."""
    return all(ours <= theirs for ours, theirs in zip(of["Algorithm 1"], of["request by request"], strict=True))


def both_orders(problem: Scheduling) -> Values:
    """Return when applications are done, by Algorithm 1, and request by request in the order of their coming."""
    plans = {"Algorithm 1": by_algorithm_1(problem), "request by request": in_order_of_requests(problem)}
    return {name: finished(problem, plan) for name, plan in plans.items()}


slowed_equal = row(
    "parrot.slowed.equal-chains",
    "On one engine no application is done later by Algorithm 1 than request by request, if all are chains of "
    "equal length that arrive together, as the 25 summaries of Figure 13.",
    relation=nobody_later,
    space=up_to(24, 60),
    origin=PAPER,
)(lambda case: both_orders(case.problem()))

ANY_CHAINS = SmallSchedules({2: 1, 3: 1, 4: 1, 5: 1}, {2: 2, 3: 2, 4: 2, 5: 1, 6: 1}, ONE, edges="chains")
slowed = row(
    "parrot.slowed.chains",
    "The same if chains have any lengths.",
    relation=nobody_later,
    space=ANY_CHAINS,
    origin=sharpness("parrot.slowed.equal-chains", "the applications are alike"),
)(lambda case: both_orders(case.problem))


@row(
    "parrot.slowed.chains.ascending",
    "The same if chains have any lengths, requests of one unit, and no application has fewer requests than one "
    "that was submitted before it.",
    relation=nobody_later,
    space=ANY_CHAINS,
)
def ascending(case: World) -> Values | None:
    """Compare where lengths rise."""
    apps = [task.application for task in case.problem.tasks]
    lengths = [apps.count(app) for app in sorted(set(apps))]
    equal = {task.work for task in case.problem.tasks} == {1}
    return both_orders(case.problem) if equal and lengths == sorted(lengths) else None


@row(
    "parrot.schedules.graham",
    "On m equal engines with room for one request each, without prefixes, Algorithm 1's last end is at most 2 - "
    "1/m times the least: it is a list schedule (Graham 1966).",
    relation=lambda of: of["Algorithm 1"] <= of["2 - 1/m"] * of["least"],
    space=SmallSchedules(
        {1: 3, 2: 3, 3: 2, 4: 1},
        {1: 3, 2: 3, 3: 3, 4: 2},
        (*TWO, (TaskServer(), TaskServer(), TaskServer())),
        goal="makespan",
    ),
)
def graham(case: World) -> Values:
    """Compare with everything."""
    return {**against_the_best(case), "2 - 1/m": 2 - Fraction(1, len(case.problem.servers))}


@dataclass(frozen=True)
class Family(ToldCase):
    """A number n that a family of cases goes by."""

    n: int


def family(first: int, quick: int, full: int, note: str) -> Listed[Family]:
    """Return a family as a space."""
    return Listed(lambda most: (iter([Family(n)]) for n in range(first, most + 1)), quick, full, note)


@row(
    "parrot.schedules.unbounded",
    "One application of n x n units before n of one unit, on one engine: the sum of latencies is (2 n + 1) / 3 "
    "times the least, more than any number.",
    relation=lambda of: of["Algorithm 1"] == of["(2 n + 1) / 3"] * of["least"],
    space=family(1, 3, 4, "n from 1 to {}"),
)
def unbounded(case: Family) -> Values:
    """Compare with everything."""
    problem = Scheduling.of([Task(0, case.n**2), *(Task(1 + k, 1) for k in range(case.n))])
    return {**against_the_best(World(problem)), "(2 n + 1) / 3": Fraction(2 * case.n + 1, 3)}


def both_ties(case: World) -> Values:
    """Return what plans cost that pack or spread where engines lose the same."""
    return {ties: cost(case.problem, by_algorithm_1(case.problem, ties=ties)) for ties in ("spread", "pack")}


FEW, MORE = {2: 2, 3: 1}, {2: 2, 3: 2, 4: 1}
spread = row(
    "parrot.ties.spread",
    "Spreading requests over engines that lose the same never has a larger sum of latencies than packing them.",
    relation=lambda of: of["spread"] <= of["pack"],
    space=SmallSchedules(FEW, MORE, EQUAL, tokens=2),
    origin=reading("ties go to the engine with the fewest tokens for its speed"),
)(both_ties)

pack = row(
    "parrot.ties.pack",
    "Packing never has a larger sum of latencies than spreading.",
    relation=lambda of: of["pack"] <= of["spread"],
    space=SmallSchedules(FEW, MORE, UNEQUAL, tokens=2),
    origin=reading("ties go to the engine with the least room"),
)(both_ties)

same_ties = row(
    "parrot.ties.same",
    "Both have the same if engines are equal, requests too in their tokens, and no prefix is shared.",
    relation=lambda of: of["spread"] == of["pack"],
    space=SmallSchedules({2: 2, 3: 2, 4: 1}, {2: 2, 3: 2, 4: 2}, EQUAL),
)(both_ties)
