"""The clock: jobs take turns, so that a disturbance meets all of them, and medians are compared.

1. Every job runs untimed first: compilation, page faults and lazily built indexes are not in its timings.
2. In each round every job runs once, with the garbage collector off. A job quicker than `SHORTEST` runs several
   times in a row and its timing is the mean, because a single call would measure the clock.
3. A job that has used up `PATIENCE` sits out further rounds, once it has had `FEWEST`.
"""

from __future__ import annotations

import gc
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import Any

SHORTEST = 0.02
PATIENCE = 15.0
FEWEST = 3

Report = Callable[[str], object]
"""Called with what is measured next."""


def nothing() -> None:
    """Prepare nothing."""


@dataclass(frozen=True)
class Job:
    """Something to time.

    Attributes
    ----------
    name : str
        What a table calls it.
    call : callable
        What is timed; takes what `prepare` returned. Its value is dropped after the clock has stopped.
    prepare : callable
        Called before each timed call; not timed. With it, a timing is always that of one call.
    """

    name: str
    call: Callable[[Any], object]
    prepare: Callable[[], Any] = nothing


@dataclass(frozen=True)
class Timing:
    """Seconds a call, one entry a round."""

    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        """Median of the rounds."""
        return median(self.seconds)

    def as_dict(self) -> dict[str, Any]:
        """Return the timing as plain data; the spread is from the quickest to the slowest round."""
        return {
            "median": self.median,
            "low": min(self.seconds),
            "high": max(self.seconds),
            "seconds": list(self.seconds),
        }


@dataclass(frozen=True)
class Ratio:
    """How many times as long one job took as another: medians, and the spread over rounds."""

    ratio: float
    low: float
    high: float

    @classmethod
    def of(cls, slower: Timing, quicker: Timing) -> Ratio:
        """Divide the medians; low and high are the extremes of the rounds that both took part in."""
        rounds = [a / b for a, b in zip(slower.seconds, quicker.seconds, strict=False)]
        return cls(slower.median / quicker.median, min(rounds), max(rounds))


def measure(jobs: Sequence[Job], rounds: int, report: Report = lambda _: None) -> dict[str, Timing]:
    """Time jobs against each other.

    Parameters
    ----------
    jobs : sequence of Job
        With different names.
    rounds : int
        Timings of each job, at least 1.
    report : callable
        Called with a job's name before each of its calls.

    Returns
    -------
    dict of str to Timing
        A timing for each job, in the order given.
    """
    with _no_collection():
        calls = {}
        for job in jobs:
            report(job.name)
            calls[job.name] = _warm_up(job)
        timings: dict[str, list[float]] = {job.name: [] for job in jobs}
        for _ in range(rounds):
            for job in jobs:
                if _goes_on(timings[job.name], calls[job.name]):
                    report(job.name)
                    timings[job.name].append(_seconds(job, calls[job.name]))
    return {name: Timing(tuple(seconds)) for name, seconds in timings.items()}


def _warm_up(job: Job) -> int:
    """Run a job untimed; return how many of its calls in a row make a timing."""
    quickest = _seconds(job, 1)
    if job.prepare is not nothing:
        return 1
    if quickest < 1:
        quickest = _seconds(job, 1)
    return max(1, min(1000, math.ceil(SHORTEST / quickest)))


def _goes_on(seconds: Sequence[float], calls: int) -> bool:
    return len(seconds) < FEWEST or sum(seconds) * calls < PATIENCE


def _seconds(job: Job, calls: int) -> float:
    """Return the seconds of one call, the mean of several calls in a row."""
    prepared = job.prepare()
    start = perf_counter()
    for _ in range(calls):
        value = job.call(prepared)
    elapsed = perf_counter() - start
    del value
    return elapsed / calls


@contextmanager
def _no_collection() -> Iterator[None]:
    was_on = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
