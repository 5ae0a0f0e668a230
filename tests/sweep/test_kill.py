import json
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

from stored import rows
from sweep.noting import MEASUREMENTS, expected_cells, runs, wait_for

from teltheory.base.store import text_of

TESTS = Path(__file__).parents[1]
HELD = 3


def start_sweep(folder, store):
    script = str(TESTS / "sweep" / "sweeping.py")
    arguments = [str(folder), str(store), "2", str(HELD)]
    environment = {**os.environ, "PYTHONPATH": str(TESTS)}
    return subprocess.Popen(
        [sys.executable, script, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    )


def keys(store):
    return [text_of(about) for about, _ in rows(store)]


def test_a_killed_sweep_resumes_where_it_was(tmp_path):
    finished = MEASUREMENTS - 2
    folder, store = tmp_path / "runs", tmp_path / "out.store"
    folder.mkdir()
    victim = start_sweep(folder, store)
    wait_for(lambda: runs(folder, HELD) and len(rows(store)) == finished)
    victim.send_signal(signal.SIGKILL)
    victim.wait()
    before = rows(store)
    (folder / "go").touch()
    victim.communicate()

    printed, complaint = start_sweep(folder, store).communicate()
    assert json.loads(printed) == [cell.as_dict() for cell in expected_cells(tmp_path / "expected")]
    assert complaint == b""
    assert rows(store)[: len(before)] == before
    assert len(before) == finished
    assert len(keys(store)) == len(set(keys(store))) == MEASUREMENTS
    assert Counter(number for number, _ in runs(folder)) == {n: 2 if n == HELD else 1 for n in range(6)}
