"""What is replayed, and where: a sample of the conversation model or a custom trace, its prefixes, the machine."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from importlib.metadata import version

import numpy as np

from teltheory.base.processor import processor
from teltheory.bench.peers import installed
from teltheory.errors import FileError
from teltheory.model.trace import Trace
from teltheory.workloads import ConversationModel, sample_conversations

SEED = 20250
BLOCK = 16
CAPACITY = 300_000
XI = 2800
Q_HAT = 200
CUTOFF = 1024
FEWEST = 100
"""Turns of the shortest trace that is measured."""


@dataclass(frozen=True)
class BenchPlan:
    """How much is measured; lengths in turns, and block reads of the long forest."""

    turns: int
    capacity: int
    rounds: int
    peers: int
    plain: int
    sizes: tuple[int, ...]
    optimum: int
    memory: int
    reads: int
    quick: bool

    @classmethod
    def of(cls, turns: int, capacity: int, rounds: int | None = None, quick: bool = False) -> BenchPlan:
        """Return the plan for a trace of so many turns."""
        first, peers, plain, optimum, memory, reads = 10_000, 100_000, 2_000, 1_000_000, 2_000_000, 10_000_000
        if quick:
            first, peers, plain, optimum, memory, reads = 1_000, 2_000, 300, 10_000, 50_000, 200_000
        lengths = (first * 10**k for k in range(len(str(turns))))
        sizes = (*(size for size in lengths if size < turns), turns)
        most = rounds or (3 if quick else 5)
        short = min(turns, peers), min(turns, plain)
        return cls(turns, capacity, most, *short, sizes, optimum, memory, reads, quick)


def load(file: str | None, turns: int | None = None, quick: bool = False, read: Trace | None = None) -> Trace:
    """Return the trace to measure on: the first turns of a file, or a sample with a fixed seed."""
    n = turns or (20_000 if quick else 10_000_000)
    if read is None:
        return sample_conversations(ConversationModel(), n, np.random.default_rng(SEED))
    trace = read[:n]
    if len(trace) < FEWEST or not (trace.past[:FEWEST] >= BLOCK).any():
        raise FileError(f"{file}: found {len(trace)} turns, expected {FEWEST} or more with {BLOCK} tokens or more")
    return trace


def source(file: str | None) -> str:
    """Return in words where `load` takes the trace from."""
    return f"a sample of the conversation model, seed {SEED}" if file is None else "the beginning of a file"


def machine() -> dict[str, str | int | None]:
    """Return processor, cores, system, and the versions of what computes; no name of a host, no path."""
    return {
        "processor": processor(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        **{name: version(name) for name in ("teltheory", "numpy")},
        "libcachesim": installed(),
    }
