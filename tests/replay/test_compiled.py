"""Machine code on disk is never older than the sources that it was made of."""

from __future__ import annotations

import subprocess
import sys

import pytest

CALLER = """
from teltheory.replay.compiled import compiled
from tiny.callee import answer

@compiled
def twice():
    return 2 * answer()

print(twice(), sum(twice.stats.cache_hits.values()))
"""
CALLEE = """
from teltheory.replay.compiled import compiled

@compiled
def answer():
    return {}
"""


@pytest.mark.long
def test_a_change_in_another_file_is_seen(tmp_path):
    package = tmp_path / "tiny"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "caller.py").write_text(CALLER)
    printed = []
    for value in (3, 3, 5):
        (package / "callee.py").write_text(CALLEE.format(value))
        command = [sys.executable, "-c", f"import sys; sys.path.append({str(tmp_path)!r}); import tiny.caller"]
        run = subprocess.run(command, capture_output=True, text=True, check=True)
        printed.append(run.stdout.split())
    assert printed == [["6", "0"], ["6", "1"], ["10", "0"]]


@pytest.mark.long
def test_of_processes_at_the_same_time_one_compiles(tmp_path):
    package = tmp_path / "tiny"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "caller.py").write_text(CALLER)
    (package / "callee.py").write_text(CALLEE.format(3))
    command = [sys.executable, "-c", f"import sys; sys.path.append({str(tmp_path)!r}); import tiny.caller"]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    printed = sorted(process.communicate()[0].split() for process in started)
    assert printed == [["6", "0"], ["6", "1"]]
