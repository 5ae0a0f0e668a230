"""The tests that say in about a minute whether the toolkit works: of a wheel, of a Python, of a machine."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

QUICK = (
    "tests/model/test_instance.py",
    "tests/cost/test_latency.py",
    "tests/cost/test_latency_files.py",
    "tests/cost/test_metrics.py",
    "tests/test_package_data.py",
    "tests/test_public_names.py",
    "tests/model/test_trace.py",
    "tests/cli/test_cli.py",
    "tests/cli/test_convert_command.py",
    "tests/cli/test_loading.py",
    "tests/cli/test_sample_command.py",
    "tests/replay/test_kernel.py",
    "tests/replay/test_reference.py",
    "tests/report/test_page.py",
    "tests/formats/test_mooncake.py",
)
"""Files of the quick part: reading, replaying by reference and kernel, metrics, commands, pages."""

ROOT = Path(__file__).parents[1]


def run(command: Sequence[str | Path], folder: Path = ROOT, **environment: str) -> int:
    """Run a command in a folder, show what it prints, and return its exit code."""
    words = [str(word) for word in command]
    return subprocess.run(words, cwd=folder, env=clean(environment), check=False).returncode


def clean(added: dict[str, str]) -> dict[str, str]:
    """Return this process's environment without what would lead a Python to other packages."""
    left_out = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "NUMBA_CACHE_DIR", "PYTHONPYCACHEPREFIX")
    return {**{name: value for name, value in os.environ.items() if name not in left_out}, **added}
