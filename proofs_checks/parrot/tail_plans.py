"""What the best plan costs applications: plans of whole tokens are all tried, those in fractions a linear program.

A stay is from a turn to the next one of its conversation; what is kept of it is at most the past, and takes room
between the two. An application saves v <= U, U its excess without a cache; and of each route r it saves no more
than its stays keep and what r lies below the heaviest route:  v <= sum of y over r + slack_r.
"""

from fractions import Fraction
from functools import cache
from itertools import product
from typing import NamedTuple

from proofs_checks.parrot.small_applications import Applications
from proofs_checks.prompt_cache.exact_programs import greatest
from proofs_checks.tiers.chains import Row


class Route(NamedTuple):
    """A route: the number of its application, its slack, and its stays."""

    owner: int
    slack: int
    stays: Row


class Saving(NamedTuple):
    """How much can be saved: stays (begin, end, most), the most that each application saves, routes, the room."""

    stays: tuple[Row, ...]
    most: Row
    routes: tuple[Route, ...]
    capacity: int


def saving(case: Applications) -> Saving:
    """Return the problem of a case, with times renumbered in their order, and without what saves nothing."""
    needs = case.excesses(case.totals)
    owners = {application: k for k, application in enumerate(a for a in needs if needs[a])}
    used = [k for k in range(len(case.turns)) if case.turns[k][0] in owners and case.previous(k) >= 0]
    ends = [(case.previous(k), k, case.pasts[case.previous(k)]) for k in used if case.pasts[case.previous(k)]]
    number = {time: k for k, time in enumerate(sorted({time for begin, end, _ in ends for time in (begin, end)}))}
    place = {end: j for j, (_, end, _) in enumerate(ends)}
    routes = []
    for route in case.routes:
        application = case.turns[route[0]][0]
        if application in owners:
            slack = needs[application] - (sum(case.totals[k] for k in route) - case.xi)
            routes.append(Route(owners[application], slack, tuple(place[k] for k in route if k in place)))
    stays = tuple((number[begin], number[end], most) for begin, end, most in ends)
    return Saving(stays, tuple(needs[a] for a in owners), tuple(dict.fromkeys(routes)), case.capacity)


def least(case: Applications) -> int:
    """Return the least excess of all plans of whole tokens, by trying each."""
    return sum(case.excesses(case.totals).values()) - _most_saved(saving(case))


def relaxed(case: Applications) -> Fraction:
    """Return the least excess of plans in fractions."""
    return sum(case.excesses(case.totals).values()) - _relaxed(saving(case))


@cache
def _most_saved(problem: Saving) -> int:
    plans = product(*(range(min(most, problem.capacity) + 1) for *_, most in problem.stays))
    return max(_saved(problem, plan) for plan in plans if _fits(problem, plan))


def _fits(problem: Saving, plan: Row) -> bool:
    times = {begin for begin, *_ in problem.stays}
    held = (
        sum(kept for (begin, end, _), kept in zip(problem.stays, plan, strict=True) if begin <= time < end)
        for time in times
    )
    return all(amount <= problem.capacity for amount in held)


def _saved(problem: Saving, plan: Row) -> int:
    saved = list(problem.most)
    for route in problem.routes:
        reached = route.slack + sum(plan[j] for j in route.stays)
        saved[route.owner] = min(saved[route.owner], reached)
    return sum(saved)


@cache
def _relaxed(problem: Saving) -> Fraction:
    """Return the most that is saved in fractions: columns are applications, then stays."""
    owners, stays = len(problem.most), len(problem.stays)
    rows, bounds = [], []
    for k, most in enumerate((*problem.most, *(stay[2] for stay in problem.stays))):
        rows.append([int(j == k) for j in range(owners + stays)])
        bounds.append(most)
    for route in problem.routes:
        kept = [-int(j in route.stays) for j in range(stays)]
        rows.append([int(j == route.owner) for j in range(owners)] + kept)
        bounds.append(route.slack)
    for time in sorted({begin for begin, *_ in problem.stays}):
        rows.append([0] * owners + [int(begin <= time < end) for begin, end, _ in problem.stays])
        bounds.append(problem.capacity)
    return greatest([1] * owners + [0] * stays, rows, bounds)
