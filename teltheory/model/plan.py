"""Whether some policy reuses at least so much at each turn: a check in exact whole numbers.

A plan says for each turn how much of its conversation's past is kept for it, all the way from the conversation's
turn before. It can be carried out if and only if

1. no turn is promised more than its history, or than the initial cache holds for it, and
2. at no step more is kept than there is room.

Step t is the cache at the start of turn t, turns and steps counted from 1. What is kept between turns s and e of a
conversation takes room at the steps s + 1 ... e; what the initial cache holds has s = 0. Under forced caching the
conversation of turn t - 1 is exempt at step t: its own part begins a step later, and its past lessens the room.

This module uses nothing of what makes plans, and nothing of `teltheory.optimal.certificate`, which says the same
of intervals and rooms in arrays: each is to be read, and trusted, by itself.
"""

from collections.abc import Iterator
from itertools import accumulate

import numpy as np

from teltheory.errors import CertificateError
from teltheory.model.initial import Initial
from teltheory.model.instance import Instance
from teltheory.model.numbers import IntArray
from teltheory.model.trace import Trace


def check_plan(
    trace: Trace, capacity: int, kept: IntArray, forced: bool = False, initial: Initial = ()
) -> IntArray:
    """Check that some policy reuses at least ``kept[k]`` at turn k; O(n), no solver.

    Return what each turn computes when it reuses just that. If no policy does, raise a CertificateError that names
    the turn or step.
    """
    instance = Instance.of(trace, capacity, forced=forced, initial=initial)
    n = len(trace)
    if not isinstance(kept, np.ndarray) or kept.dtype != np.int64 or kept.shape != (n,):
        found = f"{len(kept)} values" if isinstance(kept, np.ndarray) else type(kept).__name__
        raise CertificateError(f"kept: found {found}, expected {n} values of int64, one a turn")
    change = [0] * (n + 2)
    for turn, (amount, there, first) in enumerate(zip(kept.tolist(), *_intervals(instance), strict=True)):
        if not 0 <= amount <= there:
            raise CertificateError(f"kept[{turn}]: found {amount}, expected 0 to {there}")
        if first <= turn + 1:
            change[first] += amount
            change[turn + 2] -= amount
    for step, (taken, room) in enumerate(zip(accumulate(change[1 : n + 1]), _rooms(instance), strict=True), 1):
        if taken > room:
            raise CertificateError(f"kept: found {taken} at step {step}, expected at most the room of {room}")
    return np.asarray(instance.total - kept)


def _intervals(instance: Instance) -> tuple[list[int], list[int]]:
    """Return how much of its past can be there at each turn, and the first step at which it takes room."""
    held = {start.code: start.cached for start in instance.initial}
    latest: dict[int, int] = {}
    there, first = [], []
    for turn, (code, history) in enumerate(
        zip(instance.requests.code.tolist(), instance.history.tolist(), strict=True)
    ):
        there.append(history if code in latest else min(history, held.get(code, 0)))
        first.append(latest[code] + 2 + instance.forced if code in latest else 1)
        latest[code] = turn
    return there, first


def _rooms(instance: Instance) -> Iterator[int]:
    """Yield the room at each step."""
    exempt = [0, *instance.past[:-1].tolist()] if instance.forced else [0] * len(instance.requests)
    return (instance.capacity - past for past in exempt[: len(instance.requests)])
