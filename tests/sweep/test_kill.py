import json
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from stored import rows
from sweep.noting import MEASUREMENTS, expected_cells, noting_grid, runs, some_trace, wait_for

from teltheory.cost.latency import A100_LLAMA2_7B
from teltheory.errors import WorkerError
from teltheory.store import text_of
from teltheory.sweep import sweep

TESTS = Path(__file__).parents[1]
HELD = 3


def start_sweep(folder, store):
    script = str(TESTS / "sweep" / "sweeping.py")
    arguments = [str(folder), str(store), "2", str(HELD), "0"]
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


@pytest.mark.long
def test_a_job_that_kills_its_workers_is_named_and_the_rest_is_kept(tmp_path):
    store = tmp_path / "out.store"
    grid = noting_grid(tmp_path, deadly=4)
    with pytest.raises(
        WorkerError, match=r"NotingLRU\(number=4.* at capacity 30: found 3 processes dead that ran it"
    ):
        sweep(some_trace(), grid, A100_LLAMA2_7B, workers=2, store=store)
    assert len(keys(store)) == len(set(keys(store))) == MEASUREMENTS - 2
    assert Counter(number for number, _ in runs(tmp_path)) == {n: 3 if n == 4 else 1 for n in range(6)}
