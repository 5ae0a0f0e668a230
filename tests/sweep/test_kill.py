import json
import os
import signal
import subprocess
import sys
from collections import Counter
from multiprocessing.pool import ThreadPool
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


def start_sweep(folder, store, workers):
    script = str(TESTS / "sweep" / "sweeping.py")
    arguments = [str(folder), str(store), str(workers), str(HELD), "0"]
    environment = {**os.environ, "PYTHONPATH": str(TESTS)}
    return subprocess.Popen(
        [sys.executable, script, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    )


def keys(store):
    return [text_of(about) for about, _ in rows(store)]


@pytest.mark.parametrize(
    ("workers", "finished"), [pytest.param(1, 2 + 3 * 2, marks=pytest.mark.long), (2, MEASUREMENTS - 2)]
)
def test_a_killed_sweep_goes_on_where_it_was(tmp_path, workers, finished):
    folder, store = tmp_path / "runs", tmp_path / "out.store"
    folder.mkdir()
    victim = start_sweep(folder, store, workers)
    wait_for(lambda: runs(folder, HELD) and len(rows(store)) == finished)
    victim.send_signal(signal.SIGKILL)
    victim.wait()
    before = rows(store)
    (folder / "go").touch()
    victim.communicate()

    printed, complaint = start_sweep(folder, store, 2).communicate()
    assert json.loads(printed) == [cell.as_dict() for cell in expected_cells(tmp_path / "expected")]
    assert complaint == b""
    assert rows(store)[: len(before)] == before
    assert len(before) == finished
    assert len(keys(store)) == len(set(keys(store))) == MEASUREMENTS
    assert Counter(number for number, _ in runs(folder)) == {n: 2 if n == HELD else 1 for n in range(6)}


@pytest.mark.parametrize("with_store", [False, True])
@pytest.mark.long
def test_a_killed_worker_loses_its_job_and_nothing_else(tmp_path, with_store):
    folder, store = tmp_path / "runs", tmp_path / "out.store" if with_store else None
    folder.mkdir()

    def kill_the_held_one():
        wait_for(lambda: runs(folder, HELD))
        ((_, process),) = runs(folder, HELD)
        assert process != os.getpid()
        os.kill(process, signal.SIGKILL)
        (folder / "go").touch()

    with ThreadPool(1) as thread:
        killing = thread.apply_async(kill_the_held_one)
        grid = noting_grid(folder, held=HELD)
        cells = sweep(some_trace(), grid, A100_LLAMA2_7B, workers=2, store=store)
        killing.get()
    assert cells == expected_cells(tmp_path / "expected")
    assert Counter(number for number, _ in runs(folder)) == {n: 2 if n == HELD else 1 for n in range(6)}
    if with_store:
        assert len(keys(store)) == len(set(keys(store))) == MEASUREMENTS


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
