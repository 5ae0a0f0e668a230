import json
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from stored import rows
from sweep.noting import MEASUREMENTS, expected_cells, noting_grid, runs, some_trace
from sweep.serving_cells import TRACE, serving_grid
from waiting import wait_for

from teltheory.base.store import text_of
from teltheory.cost.latency import A100_LLAMA2_7B
from teltheory.sweep import sweep

TESTS = Path(__file__).parents[1]
HELD = 3


def start_sweep(kind, folder, store):
    script = str(TESTS / "sweep" / "sweeping.py")
    arguments = [kind, str(folder), str(store), "2", str(HELD)]
    environment = {**os.environ, "PYTHONPATH": str(TESTS)}
    return subprocess.Popen(
        [sys.executable, script, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    )


def killed(kind, folder, store, least):
    """Kill a sweep that is held and has as many results, let its workers end, and return what it stored."""
    victim = start_sweep(kind, folder, store)
    wait_for(lambda: runs(folder, HELD) and len(rows(store)) >= least)
    victim.send_signal(signal.SIGKILL)
    victim.wait()
    before = rows(store)
    (folder / "go").touch()
    victim.communicate()
    return before


def keys(store):
    return [text_of(about) for about, _ in rows(store)]


def test_a_killed_sweep_resumes_where_it_was(tmp_path):
    finished = MEASUREMENTS - 2
    folder, store = tmp_path / "runs", tmp_path / "out.store"
    folder.mkdir()
    before = killed("replays", folder, store, finished)
    resumed = sweep(some_trace(), noting_grid(folder, HELD), A100_LLAMA2_7B, store=store)
    assert resumed == expected_cells(tmp_path / "expected")
    assert rows(store)[: len(before)] == before
    assert len(before) == finished
    assert len(keys(store)) == len(set(keys(store))) == MEASUREMENTS
    assert Counter(number for number, _ in runs(folder)) == {n: 2 if n == HELD else 1 for n in range(6)}


@pytest.mark.long
def test_a_killed_sweep_of_servers_resumes_where_it_was(tmp_path):
    folder, store = tmp_path / "runs", tmp_path / "out.store"
    folder.mkdir()
    before = killed("servers", folder, store, 2)
    printed, complaint = start_sweep("servers", folder, store).communicate()
    expected = sweep(TRACE, serving_grid(tmp_path), A100_LLAMA2_7B)
    assert json.loads(printed) == json.loads(json.dumps([cell.as_dict() for cell in expected]))
    assert complaint == b""
    assert rows(store)[: len(before)] == before
    done = sweep(TRACE, serving_grid(folder, HELD), A100_LLAMA2_7B, store=store, scheduler="tcp://127.0.0.1:1")
    assert done == expected  # all is in the store, and nobody asks the scheduler
