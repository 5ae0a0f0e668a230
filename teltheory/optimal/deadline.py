"""Time limits as moments on the clock of `time.monotonic`."""

from math import inf
from time import monotonic

from teltheory.errors import ArgumentError


def deadline_of(time_limit: float | None) -> float:
    """Return when a time limit in seconds ends; never, if there is none."""
    if time_limit is None:
        return inf
    if isinstance(time_limit, bool) or not isinstance(time_limit, (int, float)) or not time_limit >= 0:
        raise ArgumentError("time_limit", time_limit, "seconds, 0 or more")
    return monotonic() + time_limit


def seconds_left(deadline: float) -> float | None:
    """Return the seconds until a deadline, None if it never comes."""
    return None if deadline == inf else max(0.0, deadline - monotonic())


def part_of(deadline: float, share: float) -> float:
    """Return when a share of the time until a deadline is over; never, if it never comes."""
    return deadline if deadline == inf else monotonic() + share * max(0.0, deadline - monotonic())
