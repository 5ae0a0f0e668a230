"""Sides of what the best schedule costs that no solver is needed for, and those that prices prove.

1. An application takes no less than its heaviest chain, each task alone on the fastest server, its prefix there.
2. If an incumbent costs U and all applications but one at least L together, that one takes at most U - L: the last
   end of a better plan, the horizon of the program.
3. Any prices p >= 0 of the rows A y <= b prove worth y <= p b + sum of most max(0, worth - p A), in whole numbers.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csc_array

from teltheory.model.numbers import IntArray
from teltheory.optimal.schedules.problem import Scheduling

FINENESS = 2**20
"""Prices are whole multiples of one over this."""


def applications_of(problem: Scheduling) -> dict[int, list[int]]:
    """Return the tasks of each application; for the makespan all tasks, as if they were of one."""
    if problem.goal == "makespan":
        return {0: list(range(len(problem.tasks)))}
    found: dict[int, list[int]] = {}
    for j, task in enumerate(problem.tasks):
        found.setdefault(task.application, []).append(j)
    return found


def least_ends(problem: Scheduling) -> dict[int, int]:
    """Return the time before which no application is done, by the heaviest chain."""
    ends: list[int] = []
    for j, task in enumerate(problem.tasks):
        fastest = min(problem.time(j, s, True) for s in range(len(problem.servers)) if problem.fits(j, s))
        begin = max([problem.arrivals[task.application], *(ends[i] for i in task.after)])
        ends.append(begin + fastest)
    return {a: max(ends[j] for j in tasks) for a, tasks in applications_of(problem).items()}


def least_by_chains(problem: Scheduling) -> int:
    """Return what every plan costs at least, by the heaviest chains."""
    ends = least_ends(problem)
    if problem.goal == "makespan":
        return max(ends.values(), default=0)
    return sum(end - problem.arrivals[a] for a, end in ends.items())


def horizon(problem: Scheduling, upper: int) -> int:
    """Return a time by which every plan ends that costs no more than `upper`."""
    spare, ends = upper - least_by_chains(problem), least_ends(problem)
    return max((end + spare for end in ends.values()), default=0)


def proved_by_prices(matrix: csc_array, sides: IntArray, worth: IntArray, prices: IntArray) -> int:
    """Return a whole number that no 0-1 point is worth more than; prices are in 1 / `FINENESS`, 0 or more.

    Rows, sides and worths are whole numbers.
    """
    paid = prices @ matrix.astype(np.int64)
    over = np.maximum(worth * FINENESS - paid, 0)
    return int((int(prices @ sides) + int(over.sum())) // FINENESS)
