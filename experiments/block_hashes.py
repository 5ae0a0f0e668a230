"""What experiments on shared prefixes read: the block hashes of a trace, and when agents' sessions start."""

from pathlib import Path

import teltheory as tt
from teltheory.errors import ArgumentError
from teltheory.workloads.times import Times

STARTS_A_SECOND = 0.1


def forest_of(trace_file: str, times: Times | None = None) -> tt.Forest:
    """Return the forest of a trace's block hashes; an error if it has none."""
    forest = tt.read_trace(trace_file, times=times).blocks
    if forest is None:
        raise ArgumentError("trace", trace_file, "one with block hashes")
    return forest


def assumed_starts(trace_file: str) -> Times | None:
    """Return the start times that are assumed of the sessions in a folder, whose files have none."""
    return Times(None, rate=STARTS_A_SECOND) if Path(trace_file).is_dir() else None
