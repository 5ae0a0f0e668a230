"""Jobs with intervals of time, of which one is to be chosen for a job, as turns of applications.

An interval is a conversation of two turns: a prompt of 1 at its begin, nothing at its end. A job computes the same
without a cache, whatever its intervals, as a job with fewer of them has a longer last prompt.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import TypeAlias

from proofs_checks.parrot.small_applications import Applications, Measure
from proofs_checks.tiers.chains import Row, strings
from teltheory.claims.listed import ToldCase

Intervals: TypeAlias = tuple[Row, ...]


@dataclass(frozen=True)
class Jobs(ToldCase):
    """Of each job its intervals (begin, end), at times that are used once."""

    jobs: tuple[Intervals, ...]

    def measures(self) -> dict[str, int]:
        """Return intervals and jobs."""
        return {"intervals": sum(map(len, self.jobs)), "jobs": len(self.jobs)}

    @property
    def served(self) -> int:
        """How many jobs can be served by intervals that do not overlap, by trying every choice."""
        choices = product(*(((), *job) for job in self.jobs))
        return max(len(chosen) for chosen in map(chosen_ones, choices) if apart(chosen))

    def applications(self, measure: Measure = "sum", together: bool = False) -> Applications:
        """Return the turns, by which a job's follow each other; `together`: all jobs are of one application."""
        most = max(map(len, self.jobs))
        ends = sorted((time, j, i) for j, job in enumerate(self.jobs) for i, one in enumerate(job) for time in one)
        names: dict[Row, int] = {}
        last: dict[int, int] = {}
        turns: list[Row] = []
        after: list[Row] = []
        for k, (time, j, i) in enumerate(ends):
            begins = time == self.jobs[j][i][0]
            prompt = 1 if begins else (0 if i else 2 * (most - len(self.jobs[j])))
            turns.append((0 if together else j, names.setdefault((j, i), len(names)), prompt, 0))
            after.append((last[j],) if j in last else ())
            last[j] = k
        return Applications(tuple(turns), tuple(after), 1, 2 * most - 1, measure)


def chosen_ones(choice: Sequence[Row]) -> list[Row]:
    """Return the intervals of jobs for which one was chosen, in order."""
    return sorted(one for one in choice if one)


def apart(chosen: Sequence[Row]) -> bool:
    """Whether intervals in order do not overlap."""
    return all(end < begin for (_, end), (begin, _) in pairwise(chosen))


def pairings(times: Row) -> Iterator[Intervals]:
    """Yield all ways to make intervals of times."""
    if not times:
        yield ()
    for k in range(1, len(times)):
        for rest in pairings(times[1:k] + times[k + 1 :]):
            yield ((times[0], times[k]), *rest)


def small_jobs(most: int) -> Iterator[Iterator[Jobs]]:
    """Yield all jobs, by how many intervals they have in all."""
    return map(of_intervals, range(1, most + 1))


def of_intervals(count: int) -> Iterator[Jobs]:
    """Yield all jobs with so many intervals in all."""
    for pairs in pairings(tuple(range(2 * count))):
        for owners in strings(count):
            grouped: list[list[Row]] = [[] for _ in range(max(owners) + 1)]
            for one, job in zip(pairs, owners, strict=True):
                grouped[job].append(one)
            yield Jobs(tuple(map(tuple, grouped)))
