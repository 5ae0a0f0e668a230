"""Memory a turn, measured in a process of its own that `memory_a_turn` starts.

The system counts: `VmRSS` is what the process has in memory, `VmHWM` its peak, which writing 5 to
`/proc/self/clear_refs` resets. So what compiled code takes is counted as what numpy takes is, and pages that
nothing has written to are not. Every array beyond 64 KiB is a mapping of its own (`MALLOC_MMAP_THRESHOLD_`) and
goes back to the system when it is freed; otherwise what the allocator keeps would hide what a replay takes.

*index*: what the trace keeps after its first replay; *outcome*: what a replay returns; *peak*: the most that a
further replay holds at a time beyond the trace and its index, the outcome included.
"""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np

from benchmarks.ours import GROWING, chosen
from benchmarks.workload import CAPACITY, SEED
from teltheory.policies.policy import Policy
from teltheory.replay import replay
from teltheory.trace import Trace
from teltheory.workloads import ConversationModel, sample_conversations

_STATUS = Path("/proc/self/status")
_RESET = Path("/proc/self/clear_refs")
WITH_MAPPINGS = {"MALLOC_MMAP_THRESHOLD_": "65536"}
Value = TypeVar("Value")


@dataclass(frozen=True)
class Added(Generic[Value]):
    """Bytes that a step added to the process: at its peak, and afterwards, while its value is alive."""

    peak: int
    kept: int
    value: Value


def added(step: Callable[[], Value]) -> Added[Value]:
    """Run a step and return what it added."""
    gc.collect()
    _RESET.write_text("5")
    before = _bytes("VmRSS")
    value = step()
    return Added(_bytes("VmHWM") - before, _bytes("VmRSS") - before, value)


def _bytes(field: str) -> int:
    line = next(line for line in _STATUS.read_text().splitlines() if line.startswith(field + ":"))
    return int(line.split()[1]) * 1024


def counts() -> bool:
    """Whether the system counts a process's peak of memory, and lets it be reset."""
    return os.access(_RESET, os.W_OK)


def memory_a_turn(turns: int) -> list[dict[str, Any]] | None:
    """Return a row a policy, bytes a turn; None on a system that does not count them."""
    if not counts():
        return None
    command = [sys.executable, "-m", "benchmarks.memory", str(turns)]
    done = subprocess.run(command, env={**os.environ, **WITH_MAPPINGS}, capture_output=True, text=True, check=True)
    rows: list[dict[str, Any]] = json.loads(done.stdout)
    return rows


def _main(turns: int) -> list[dict[str, Any]]:
    trace = sample_conversations(ConversationModel(), turns, np.random.default_rng(SEED))
    few = sample_conversations(ConversationModel(), 3000, np.random.default_rng(SEED))
    for policy in chosen(GROWING).values():
        replay(few, policy, CAPACITY // 100, engine="kernel")
    return [_row(name, policy, replace(trace)) for name, policy in chosen(GROWING).items()]


def _row(name: str, policy: Policy, trace: Trace) -> dict[str, Any]:
    first = added(lambda: replay(trace, policy, CAPACITY, engine="kernel"))
    further = added(lambda: replay(trace, policy, CAPACITY, engine="kernel"))
    found = {"index": first.kept - further.kept, "outcome": further.kept, "peak": further.peak}
    return {"name": name, "turns": len(trace), **{key: size / len(trace) for key, size in found.items()}}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(_main(int(sys.argv[1]))))
