"""Timings by `timeit`, whose jobs take turns: a disturbance meets all of them, and medians are compared.

1. Every job runs twice first: compilation, page faults and lazily built indexes are not in its timings.
2. In each round every job runs once. A job quicker than `SHORTEST` runs several times in a row and its timing is
   the mean, because a single call would measure the clock.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from timeit import Timer
from typing import Any

SHORTEST = 0.02

Report = Callable[[str], object]
"""Called with what is measured next."""


@dataclass(frozen=True)
class TimedJob:
    """Something to time."""

    name: str
    call: Callable[[Any], object]
    prepare: Callable[[], Any] | None = None

    def timer(self) -> Timer:
        """Return what times the job."""
        names = {"call": self.call, "prepare": self.prepare or dict}
        return Timer("call(value)", "value = prepare()", globals=names)

    def calls(self, seconds: float) -> int:
        """Return the calls of one timing, if one call takes so long."""
        return 1 if self.prepare else max(1, math.ceil(SHORTEST / max(seconds, 1e-9)))


@dataclass(frozen=True)
class Timing:
    """Seconds of a call, one entry per round."""

    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        """Median of the rounds."""
        return median(self.seconds)

    def as_dict(self) -> dict[str, Any]:
        """Return the timing as plain data; the spread is from the quickest to the slowest round."""
        spread = {"low": min(self.seconds), "high": max(self.seconds)}
        return {"median": self.median, **spread, "seconds": list(self.seconds)}


@dataclass(frozen=True)
class TimeRatio:
    """How many times as long one job took as another: medians, and the spread over rounds."""

    ratio: float
    low: float
    high: float

    @classmethod
    def of(cls, slower: Timing, quicker: Timing) -> TimeRatio:
        """Divide two timings of the same run."""
        rounds = [a / b for a, b in zip(slower.seconds, quicker.seconds, strict=True)]
        return cls(slower.median / quicker.median, min(rounds), max(rounds))


def measure(jobs: Sequence[TimedJob], rounds: int, report: Report = lambda _: None) -> dict[str, Timing]:
    """Time jobs in turns; return their timings by name."""
    timers = {job.name: job.timer() for job in jobs}
    calls, seconds = dict[str, int](), dict[str, list[float]]()
    for job in jobs:
        report(job.name)
        timers[job.name].timeit(1)
        calls[job.name] = job.calls(timers[job.name].timeit(1))
    for _ in range(rounds):
        for name, timer in timers.items():
            report(name)
            seconds.setdefault(name, []).append(timer.timeit(calls[name]) / calls[name])
    return {name: Timing(tuple(found)) for name, found in seconds.items()}
