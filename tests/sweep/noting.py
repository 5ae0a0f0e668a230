"""Policies for the tests of sweeps, which spawned processes and Dask workers import from here.

`NotingLRU` notes in a folder that it ran, and where; one that is held waits there for a file `go`. `Reading` reads
one column of a trace.
"""

import os
import pickle
import signal
from dataclasses import dataclass, fields, replace
from pathlib import Path
from tempfile import mkstemp

import numpy as np
from waiting import wait_for

import teltheory as tt
from teltheory.cost.latency import A100_LLAMA2_7B
from teltheory.policies import LeastRecentlyUsed
from teltheory.policies.spec import Spec
from teltheory.sweep import Grid, TraceAtHand, sweep

MEASUREMENTS = 6 * 2 + 2 + 2 + 2
"""Of the noting grid: six noting policies, LRU, T-LRU and the optimum, at two thresholds."""


@dataclass(frozen=True)
class NotingLRU:
    number: int
    folder: str
    held: bool = False
    deadly: bool = False

    def cut(self, conversations, overflow):
        if len(conversations) == 1:
            self.note()
        for conversation in conversations:
            gone = min(conversation.cached, max(overflow, 0))
            conversation.cached -= gone
            overflow -= gone

    def note(self):
        os.close(mkstemp(prefix=f"run-{self.number}-{os.getpid()}-", dir=self.folder)[0])
        if self.deadly:
            os.kill(os.getpid(), signal.SIGKILL)
        if self.held:
            wait_for((Path(self.folder) / "go").exists)


@dataclass(frozen=True)
class Made:
    """Stands for a `Spec`: makes a policy whatever is asked for."""

    text: str
    policy: object

    def build(self, xi, q_hat, cutoff, latency, slo):
        return self.policy


def as_sent(work, items, processes):
    """Do here what spawned processes do: work, items and results are copies that went through pickle."""
    assert processes > 1
    work = copied(work)
    yield from ((i, copied(work(copied(item)))) for i, item in enumerate(items))


def copied(value):
    return pickle.loads(pickle.dumps(value))  # noqa: S301


def runs(folder, number=None):
    """Return (number, process) of every run that was noted."""
    noted = [file.name.split("-") for file in Path(folder).glob("run-*")]
    return sorted((int(n), int(pid)) for _, n, pid, _ in noted if number in (None, int(n)))


def some_trace(turns=60, seed=1):
    rng = np.random.default_rng(seed)
    conversation = [0, 1, *rng.integers(0, 5, turns - 2).tolist()]
    return tt.Trace.from_turns(conversation, rng.integers(0, 9, turns), rng.integers(0, 9, turns))


def noting_grid(folder, held=None, deadly=None):
    """Six noting policies and two of the toolkit's own, at one capacity and two thresholds."""
    policies = [NotingLRU(n, str(folder), n == held, n == deadly) for n in range(6)]
    noting = [Made(f"noting-{policy.number}", policy) for policy in policies]
    return Grid([*noting, Spec("lru"), Spec("tlru")], (30,), (5, 9), q_hat=4)


def expected_cells(folder, trace=None):
    """Return what an uninterrupted sweep in this process finds; it notes its runs in `folder`."""
    folder.mkdir(exist_ok=True)
    return sweep(trace or some_trace(), noting_grid(folder), A100_LLAMA2_7B)


NOT_READ = {"report", "blocks"}
"""How a trace was read, and what its requests share: nothing that a policy of private conversations asks."""

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
    "hints": tt.Hints.announce(TRACE),
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
        here, there = getattr(instance.requests, self.column), getattr(TRACE, self.column)
        same = here is there if self.column == "hints" else np.array_equal(here, there)
        return lambda turn: tt.LRU() if same else KeepsNothing()


def other(column):
    """Return a trace that differs from `TRACE` in one column."""
    return TraceAtHand(replace(TRACE, **{column: CHANGED[column]}), column)


READING = Grid([Made(column, Reading(column)) for column in COLUMNS], (30,), (0,), q_hat=4)
EVERY = [TraceAtHand(TRACE, "as it is"), *map(other, COLUMNS)]
