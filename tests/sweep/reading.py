"""A policy that reads one column of a trace, for the tests of sweeps: processes and Dask workers import it."""

from dataclasses import dataclass, fields, replace

import numpy as np
from sweep.noting import Made

import teltheory as tt
from teltheory.policies import LeastRecentlyUsed
from teltheory.sweep import Grid, TraceAtHand

NOT_READ = {"report"}
"""Says how a trace was read, which is nothing that a policy asks."""

COLUMNS = [field.name for field in fields(tt.Trace) if field.name not in NOT_READ]
TRACE = tt.Trace.from_turns(["x", "a", "x", "a"], [3, 4, 5, 6], [1, 2, 3, 4], [0, 1, 2, 3], [0, 0, 2, 1])
CHANGED = {
    "conversation": np.array([9, -3, 9, -3]),
    "prompt": np.array([3, 4, 5, 7]),
    "response": np.array([1, 2, 3, 5]),
    "history": np.array([0, 0, 2, 2]),
    "arrival": np.array([0, 1, 2, 3.5]),
    "cumulative": True,
    "names": ("x", "b"),
    "block_size": 2,
}


@dataclass(frozen=True)
class KeepsNothing(LeastRecentlyUsed):
    def drops(self, conversation):
        return True


@dataclass(frozen=True)
class Reading:
    """LRU where a column is what it is in `TRACE`, and no cache at all elsewhere."""

    column: str

    def bound_to(self, instance):
        same = np.array_equal(getattr(instance.trace, self.column), getattr(TRACE, self.column))
        return lambda turn: tt.LRU() if same else KeepsNothing()


def other(column):
    """Return a trace that differs from `TRACE` in one column."""
    return TraceAtHand(replace(TRACE, **{column: CHANGED[column]}), column)


READING = Grid([Made(column, Reading(column)) for column in COLUMNS], (30,), (0,), q_hat=4)
EVERY = [TraceAtHand(TRACE, "as it is"), *map(other, COLUMNS)]
