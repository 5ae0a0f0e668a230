"""What a long trace takes of memory: a sample, its replays, its capacity curve, and its Parquet file.

    python -m teltheory.bench.footprint [--turns 10000000]

*peak*: the most that a step held at a time beyond what the process held before it; *kept*: what its value holds
afterwards. The system counts them: `VmRSS` is what the process has in memory, `VmHWM` its peak, which writing 5 to
`/proc/self/clear_refs` resets; `resource` can't reset it, and tracemalloc does not see what compiled code takes.
Every array beyond 64 KiB is a mapping of its own (`MALLOC_MMAP_THRESHOLD_`), which goes back to the system when it
is freed. Each step first runs on a few turns, so that machine code and modules are not counted. The steps follow
each other in a separate process.
"""

import argparse
import gc
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import numpy as np

import teltheory as tt
from teltheory.bench.replays import GROWING, LEAST_RECENT, policies, sample
from teltheory.bench.workload import CAPACITY, XI, machine
from teltheory.model.trace import Trace

TURNS = 10_000_000
FEW = 3_000
CAPACITIES = 100
_STATUS, _RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def steps(trace: Trace, file: Path) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield what is measured on a trace after it was sampled: a name and what is done."""
    yield "index, and replay under LRU", lambda: tt.replay(trace, tt.LRU(), CAPACITY, engine="kernel")
    for name in GROWING:
        policy = policies()[name]
        yield f"replay under {name}", partial(tt.replay, trace, policy, CAPACITY, engine="kernel")
    yield "capacity curve of T-LRU, least-recent", lambda: _curve(trace)
    yield "write as Parquet", lambda: tt.write_trace(trace, file)
    yield "read from Parquet", lambda: tt.read_trace(file)


def _curve(trace: Trace) -> object:
    """Return a curve and what it says of some capacities."""
    curve = tt.capacity_curve(trace, policies()[LEAST_RECENT])
    capacities = np.linspace(0, 10 * CAPACITY, CAPACITIES).astype(np.int64).tolist()
    return curve, curve.tail_excess_latency(capacities, xi=XI)


def footprint(turns: int) -> list[dict[str, Any]] | None:
    """Return a row per step, measured in a separate process; None on a system that does not count memory."""
    if not os.access(_RESET, os.W_OK):
        return None
    command = [sys.executable, "-m", "teltheory.bench.footprint", "--turns", str(turns), "--rows"]
    settings = {**os.environ, "MALLOC_MMAP_THRESHOLD_": "65536"}
    done = subprocess.run(command, env=settings, capture_output=True, text=True, check=True)
    rows: list[dict[str, Any]] = json.loads(done.stdout)
    return rows


def measured(turns: int) -> list[dict[str, Any]]:
    """Return a row per step, measured in this process."""
    with TemporaryDirectory() as folder:
        file = Path(folder, "trace.parquet")
        for _, step in steps(sample(FEW), file):
            step()
        first, trace = added("sample the conversation model", turns, lambda: sample(turns))
        return [first, *(added(name, turns, step)[0] for name, step in steps(trace, file))]


def added(name: str, turns: int, step: Callable[[], Any]) -> tuple[dict[str, Any], Any]:
    """Run a step; return the bytes that it added, at its peak and while its value is alive, and the value."""
    gc.collect()
    _RESET.write_text("5")
    before, start = _bytes("VmRSS"), perf_counter()
    value = step()
    sizes = {"peak": _bytes("VmHWM") - before, "kept": _bytes("VmRSS") - before}
    return {"name": name, "turns": turns, **sizes, "seconds": perf_counter() - start}, value


def _bytes(field: str) -> int:
    line = next(line for line in _STATUS.read_text().splitlines() if line.startswith(field + ":"))
    return int(line.split()[1]) * 1024


def lines(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Return the rows as lines of text."""
    found = [f"{'step':38} {'peak, MB':>9} {'a turn, B':>9} {'kept, MB':>9} {'a turn, B':>9} {'seconds':>8}"]
    for row in rows:
        sizes = (f"{row[key] / 1e6:9,.0f} {row[key] / row['turns']:9.1f}" for key in ("peak", "kept"))
        found.append(f"{row['name']:38} {' '.join(sizes)} {row['seconds']:8.1f}")
    return found


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
