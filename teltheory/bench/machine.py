"""The machine and the versions that a run was made with; no names of hosts, no paths."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from pathlib import Path

from teltheory.bench.peers import PEERS, installed


def machine() -> dict[str, str | int | None]:
    """Return the processor, its cores, the system, and the versions of what computes."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        **{name: version(name) for name in ("teltheory", "numpy", "numba")},
        **{name: installed(name) for name in PEERS},
    }


def _processor() -> str:
    facts = Path("/proc/cpuinfo")
    lines = facts.read_text().splitlines() if facts.is_file() else []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return next(iter(named), platform.processor() or "unknown")
