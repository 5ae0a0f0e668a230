"""What hints may be assumed where nothing recorded them: ends, times to keep, times of return; arrays alone."""

from __future__ import annotations

import math
from bisect import insort
from collections.abc import Mapping, Sequence

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.model.numbers import FloatArray, IntArray
from teltheory.model.turns import consecutive_turns
from teltheory.model.units import Seconds, seconds_of

ORACLE, BY_STOP, LEARNT = "oracle", "stop", "learnt"
SURE = 0.99
"""The share of earlier silences that is taken to say that an agent which is silent for longer is over."""


def last_requests(agent: IntArray) -> IntArray:
    """Return the last request of each agent that has an id, 0 or more."""
    last = dict(zip(agent.tolist(), range(len(agent)), strict=True))
    last.pop(-1, None)
    return np.array(sorted(last.values()), np.int64)


def returns(agent: IntArray, arrival: FloatArray) -> FloatArray:
    """Return when each request's agent asks again, not a number if never; shape (n,)."""
    found = np.full(len(agent), np.nan)
    earlier, later = consecutive_turns(agent)
    found[earlier] = arrival[later]
    return found


def needed_stops(stop: Sequence[str] | None, wanted: str) -> Sequence[str]:
    """Return why responses ended, which is needed for something."""
    if stop is None:
        raise ArgumentError("trace", "no stop reasons", f"stop reasons, {wanted}")
    return stop


def seconds_by_stop(stop: Sequence[str] | None, given: Mapping[str, Seconds] | Seconds, n: int) -> FloatArray:
    """Return the seconds to keep after each of n responses, given for all or by `stop`; not a number where not."""
    if not isinstance(given, Mapping):
        return np.full(n, float(seconds_of("retain", given)))
    read = {reason: float(seconds_of("retain", value)) for reason, value in given.items()}
    return np.array([read.get(reason, np.nan) for reason in needed_stops(stop, "by which retain is given")])


def silences_taken(silence: FloatArray, stop: Sequence[str] | None, resume: Seconds) -> FloatArray:
    """Return the silence that each request's agent is taken to have; not a number where it says nothing.

    `resume` is "oracle" (what it has), "stop" (the median by `stop`) or a time.
    """
    if resume == ORACLE:
        return silence
    if resume != BY_STOP:
        return np.full(len(silence), float(seconds_of("resume", resume)))
    reasons = np.array(needed_stops(stop, "by which agents come back"))
    known = {reason: silence[(reasons == reason) & ~np.isnan(silence)] for reason in {*reasons.tolist()}}
    medians = {reason: float(np.median(found)) if len(found) else np.nan for reason, found in known.items()}
    return np.array([medians[reason] for reason in reasons.tolist()], np.float64)


def learnt_silences(
    agent: IntArray, arrival: FloatArray, ended: FloatArray, stop: Sequence[str] | None, share: float = 0.5
) -> FloatArray:
    """Return the silence that each request's agent is taken to have by what was seen until it came; shape (n,).

    Of all silences before this request that followed the same stop reason it is the least that `share` of them do
    not exceed; not a number while there is none.
    """
    seen, before = dict[str, list[float]](), dict[int, int]()
    reasons = [""] * len(agent) if stop is None else stop
    found = np.full(len(agent), np.nan)
    for k, (who, now) in enumerate(zip(agent.tolist(), arrival.tolist(), strict=True)):
        if who in before:
            insort(seen.setdefault(reasons[before[who]], []), now - float(ended[before[who]]))
        before[who] = k
        earlier = seen.get(reasons[k])
        if earlier:
            found[k] = earlier[max(math.ceil(share * len(earlier)) - 1, 0)]
    return found
