"""What computes here, for what is measured."""

import platform
from pathlib import Path


def processor() -> str:
    """Return the name of this machine's processor; no name of a host."""
    facts = Path("/proc/cpuinfo")
    lines = facts.read_text().splitlines() if facts.is_file() else []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return next(iter(named), platform.processor() or "unknown")
