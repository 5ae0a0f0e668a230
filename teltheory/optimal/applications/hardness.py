"""The job interval selection problem as a question about applications (proof: docs/proofs-parrot.md).

Jobs have intervals of time; one is to be chosen for a job, and chosen ones must not overlap. How many jobs can be
served at most is hard to say, even with two intervals a job (Spieksma 1999, "On the approximability of an interval
scheduling problem", Journal of Scheduling 2).

Each interval is a conversation of two turns: the first, at its begin, has a prompt of 1; the second, at its end,
has nothing new, and reuses the one token if a cache of one token kept it all the way. A job is an application, and
its threshold is one less than what it computes without a cache. So its excess is 0 if one of its intervals is
kept, else 1, and the least excess of all applications is the number of jobs that can't be served. All numbers are
0 and 1 but thresholds, which are below twice the intervals of a job: so the question is hard in the strong sense.
By "path" it is the same, as the turns of an application follow each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, product
from typing import NamedTuple

from teltheory.errors import ArgumentError
from teltheory.model.applications import ApplicationTrace
from teltheory.model.trace import Trace

Jobs = Sequence[Sequence[tuple[int, int]]]
"""Of each job its intervals (begin, end): times that are used once, begin < end."""


class ApplicationQuestion(NamedTuple):
    """Applications whose least excess, with these thresholds, is the number of jobs that can't be served."""

    apps: ApplicationTrace
    capacity: int
    xi: tuple[int, ...]


def job_question(jobs: Jobs) -> ApplicationQuestion:
    """Return the question of jobs: with `capacity`, the least excess is jobs - `most_jobs`."""
    events = sorted(
        (time, j, i) for j, intervals in enumerate(jobs) for i, one in enumerate(intervals) for time in one
    )
    times = [time for time, *_ in events]
    if len(set(times)) < len(times):
        raise ArgumentError("jobs", [list(one) for one in jobs], "times that are used once")
    for j, intervals in enumerate(jobs):
        if not intervals or any(begin >= end for begin, end in intervals):
            raise ArgumentError(f"jobs[{j}]", list(intervals), "intervals (begin, end), begin < end")
    begins = {begin for intervals in jobs for begin, _ in intervals}
    trace = Trace.from_turns(
        [f"{j}/{i}" for _, j, i in events], [int(time in begins) for time in times], [0] * len(events)
    )
    last: dict[int, int] = {}
    after: list[list[int]] = []
    for k, (_, j, _) in enumerate(events):
        after.append([last[j]] if j in last else [])
        last[j] = k
    apps = ApplicationTrace.of(trace, [j for _, j, _ in events], after)
    return ApplicationQuestion(apps, 1, tuple(2 * len(jobs[int(name)]) - 1 for name in apps.names))


def most_jobs(jobs: Jobs) -> int:
    """Return how many jobs can be served, by trying every choice."""
    choices = product(*((None, *intervals) for intervals in jobs))
    return max(_served([one for one in chosen if one is not None]) for chosen in choices)


def _served(chosen: Sequence[tuple[int, int]]) -> int:
    ordered = sorted(chosen)
    apart = all(end < begin for (_, end), (begin, _) in pairwise(ordered))
    return len(chosen) if apart else 0
