"""What a long trace takes of memory: a sample, its replays, its capacity curve, and its Parquet file.

    python -m benchmarks.footprint [--turns 10000000]

*peak*: the most that a step held at a time beyond what the process held before it; *kept*: what its value holds
afterwards; both in bytes a turn too. `benchmarks.memory` says how they are counted. Each step first runs on a few
turns, so that machine code and modules are not counted. The steps follow each other in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, TypeVar

import numpy as np

import teltheory as tt
from benchmarks.machine import machine
from benchmarks.memory import WITH_MAPPINGS, added, counts
from benchmarks.ours import LEAST_RECENT, ROUND_ROBIN, TAIL_OPTIMIZED, policies
from benchmarks.workload import CAPACITY, SEED, XI
from teltheory.trace import Trace

TURNS = 10_000_000
FEW = 3_000
REPLAYED = ("LRU", LEAST_RECENT, ROUND_ROBIN, TAIL_OPTIMIZED)
CAPACITIES = 100

Step = Callable[[], object]
Value = TypeVar("Value")


def steps(trace: Trace, file: Path) -> Iterator[tuple[str, Step]]:
    """Yield what is measured on a trace after it was sampled: a name and what is done."""
    yield "index, and replay under LRU", lambda: tt.replay(trace, tt.LRU(), CAPACITY, engine="kernel")
    for name in REPLAYED:
        policy = policies()[name]
        yield f"replay under {name}", partial(tt.replay, trace, policy, CAPACITY, engine="kernel")
    yield "capacity curve of T-LRU, least-recent", lambda: _curve(trace)
    yield "write as Parquet", lambda: tt.write_trace(trace, file)
    yield "read from Parquet", lambda: tt.read_trace(file)


def _sample(turns: int) -> Trace:
    return tt.sample_conversations(tt.ConversationModel(), turns, np.random.default_rng(SEED))


def _curve(trace: Trace) -> object:
    """Return a curve and what it says of some capacities."""
    curve = tt.capacity_curve(trace, policies()[LEAST_RECENT])
    capacities = np.linspace(0, 10 * CAPACITY, CAPACITIES).astype(np.int64).tolist()
    return curve, curve.tail_excess_latency(capacities, xi=XI)


def footprint(turns: int) -> list[dict[str, Any]] | None:
    """Return a row a step, measured in a process of its own; None on a system that does not count memory."""
    if not counts():
        return None
    command = [sys.executable, "-m", "benchmarks.footprint", "--turns", str(turns), "--rows"]
    done = subprocess.run(command, env={**os.environ, **WITH_MAPPINGS}, capture_output=True, text=True, check=True)
    rows: list[dict[str, Any]] = json.loads(done.stdout)
    return rows


def measured(turns: int) -> list[dict[str, Any]]:
    """Return a row a step, measured in this process."""
    with TemporaryDirectory() as folder:
        file = Path(folder, "trace.parquet")
        for _, step in steps(_sample(FEW), file):
            step()
        first, trace = _measured("sample the conversation model", turns, lambda: _sample(turns))
        return [first, *(_measured(name, turns, step)[0] for name, step in steps(trace, file))]


def _measured(name: str, turns: int, step: Callable[[], Value]) -> tuple[dict[str, Any], Value]:
    start = perf_counter()
    found = added(step)
    row = {"name": name, "turns": turns, "peak": found.peak, "kept": found.kept, "seconds": perf_counter() - start}
    return row, found.value


def lines(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Return the rows as lines of text."""
    head = f"{'step':38} {'peak, MB':>9} {'a turn, B':>9} {'kept, MB':>9} {'a turn, B':>9} {'seconds':>8}"
    return [head, *map(_line, rows)]


def _line(row: dict[str, Any]) -> str:
    sizes = (f"{row[key] / 1e6:9,.0f} {row[key] / row['turns']:9.1f}" for key in ("peak", "kept"))
    return f"{row['name']:38} {' '.join(sizes)} {row['seconds']:8.1f}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=TURNS)
    parser.add_argument("--rows", action="store_true", help="measure in this process and print rows as JSON")
    given = parser.parse_args(arguments)
    if given.rows:
        sys.stdout.write(json.dumps(measured(given.turns)))
        return
    rows = footprint(given.turns)
    if rows is None:
        sys.exit("this system does not count a process's peak of memory (/proc/self/clear_refs)")
    facts = machine()
    sys.stdout.write(
        f"{facts['processor']}, {facts['cores']} cores, {facts['system']}, Python {facts['python']}, "
        f"numpy {facts['numpy']}; {given.turns:,} turns\n"
    )
    sys.stdout.writelines(line + "\n" for line in lines(rows))


if __name__ == "__main__":
    main()
