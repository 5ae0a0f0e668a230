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
from teltheory.bench import forests
from teltheory.bench.replays import GROWING, LEAST_RECENT, policies, sample
from teltheory.bench.workload import CAPACITY, XI, machine
from teltheory.model.forest import Forest
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


def forest_steps(forest: Forest) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield what is measured on a forest: a name and what is done."""
    lru, tlru = forests.in_blocks(forest).values()
    capacity = max(CAPACITY // forest.block_size, 1)
    yield "runs, and replay under LRU", lambda: tt.replay(forest, lru, capacity, engine="kernel")
    yield f"replay under {LEAST_RECENT}", lambda: tt.replay(forest, tlru, capacity, engine="kernel")
    yield f"capacity curve of {LEAST_RECENT}", lambda: tt.capacity_curve(forest, tlru)
    xi = XI // forest.block_size
    yield "optimum with its certificate", lambda: tt.hindsight_optimum(forest, capacity, xi, cache="holes")


def footprint(turns: int) -> list[dict[str, Any]] | None:
    """Return a row per step, measured in a separate process; None on a system that does not count memory."""
    return _apart("--turns", str(turns))


def forest_footprint(reads: int, quick: bool) -> list[dict[str, Any]] | None:
    """Return a row per step on a forest of so many block reads; the *turns* of a row are its blocks."""
    return _apart("--reads", str(reads), *(["--quick"] if quick else []))


def _apart(*arguments: str) -> list[dict[str, Any]] | None:
    if not os.access(_RESET, os.W_OK):
        return None
    command = [sys.executable, "-m", "teltheory.bench.footprint", *arguments, "--rows"]
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


def measured_forest(reads: int, quick: bool) -> list[dict[str, Any]]:
    """Return a row per step on a long forest, measured in this process; per block, not per read."""
    made = forests.long(reads, quick)[0]
    blocks = made.nodes
    for _, step in forest_steps(forests.sampled(FEW)):
        step()
    first, forest = added("the forest itself", blocks, partial(forests.repeated, made, 1))
    return [first, *(added(name, blocks, step)[0] for name, step in forest_steps(forest))]


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


def lines(rows: Sequence[dict[str, Any]], each: str = "a turn") -> list[str]:
    """Return the rows as lines of text."""
    share = f"{each}, B"
    found = [f"{'step':38} {'peak, MB':>9} {share:>9} {'kept, MB':>9} {share:>9} {'seconds':>8}"]
    for row in rows:
        sizes = (f"{row[key] / 1e6:9,.0f} {row[key] / row['turns']:9.1f}" for key in ("peak", "kept"))
        found.append(f"{row['name']:38} {' '.join(sizes)} {row['seconds']:8.1f}")
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=TURNS)
    parser.add_argument("--reads", type=int, help="a forest of so many block reads; columns are per block")
    parser.add_argument("--quick", action="store_true", help="a sample, without looking for data")
    parser.add_argument("--rows", action="store_true", help="measure in this process and print rows as JSON")
    given = parser.parse_args(arguments)
    if given.rows:
        rows = measured_forest(given.reads, given.quick) if given.reads else measured(given.turns)
        sys.stdout.write(json.dumps(rows))
        return
    found = forest_footprint(given.reads, given.quick) if given.reads else footprint(given.turns)
    if found is None:
        sys.exit("this system does not count a process's peak of memory (/proc/self/clear_refs)")
    facts = machine()
    sys.stdout.write(
        f"{facts['processor']}, {facts['cores']} cores, {facts['system']}, Python {facts['python']}, "
        f"numpy {facts['numpy']}; {found[0]['turns']:,} {'blocks' if given.reads else 'turns'}\n"
    )
    sys.stdout.writelines(line + "\n" for line in lines(found, "a block" if given.reads else "a turn"))


if __name__ == "__main__":
    main()
