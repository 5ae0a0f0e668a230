import os
import signal
from collections import Counter
from multiprocessing.pool import ThreadPool
from pathlib import Path

import pytest
from dask_cluster import cluster
from stored import rows
from sweep.noting import EVERY, MEASUREMENTS, READING, expected_cells, noting_grid, runs, some_trace
from waiting import wait_for

from teltheory.cost.latency import A100_LLAMA2_7B
from teltheory.errors import WorkerError
from teltheory.policies.spec import Spec
from teltheory.sweep import Grid, Sample, TraceFile, sweep
from teltheory.workloads import ConversationModel

HELD = 3


def held_process(folder):
    wait_for(lambda: runs(folder, HELD))
    ((_, process),) = runs(folder, HELD)
    return process


@pytest.mark.long
def test_a_killed_dask_worker_loses_its_job_and_nothing_else(tmp_path, capfd):
    folder, store = tmp_path / "runs", tmp_path / "out.store"
    folder.mkdir()

    def kill_the_held_one(workers):
        process = held_process(folder)
        assert process in [worker.pid for worker in workers]
        os.kill(process, signal.SIGKILL)
        (folder / "go").touch()

    grid = noting_grid(folder, held=HELD)
    with cluster(tmp_path / "cluster") as (address, _, workers), ThreadPool(1) as thread:
        killing = thread.apply_async(kill_the_held_one, [workers])
        cells = sweep(some_trace(), grid, A100_LLAMA2_7B, store=store, scheduler=address)
        killing.get()
    assert cells == expected_cells(tmp_path / "expected")
    assert runs(folder, HELD)[0][1] != runs(folder, HELD)[1][1]
    assert Counter(number for number, _ in runs(folder))[HELD] == 2
    assert len(rows(store)) == MEASUREMENTS
    assert sweep(some_trace(), grid, A100_LLAMA2_7B, store=store, scheduler="tcp://127.0.0.1:1") == cells
    assert capfd.readouterr() == ("", "")


@pytest.mark.long
def test_a_cluster_finds_what_one_process_finds(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("only-here.csv").write_text("conversation,prompt,response\nA,100,0\nB,90,0\nA,100,0\nB,7,1\n")
    samples = [Sample(ConversationModel(), 300, seed) for seed in (1, 2)]
    traces = [TraceFile("only-here.csv"), some_trace(), *samples]
    grid = Grid([Spec("tlru"), Spec("belady")], (100, 5000), (50, 300), q_hat=None)
    with cluster(tmp_path / "cluster") as (address, _, _):
        cells = sweep(traces, grid, A100_LLAMA2_7B, scheduler=address)
        read = sweep(EVERY, READING, A100_LLAMA2_7B, scheduler=address)
    assert cells == sweep(traces, grid, A100_LLAMA2_7B)
    assert read == sweep(EVERY, READING, A100_LLAMA2_7B)
    assert len(cells) == 4 * 2 * 2 * 2


@pytest.mark.long
def test_a_job_that_the_scheduler_gives_up_is_an_error_after_the_others(tmp_path):
    """The scheduler gives up what was on a worker that died, so at most the next job with the deadly one."""
    grid, store = noting_grid(tmp_path, deadly=4), tmp_path / "out.store"
    with (
        cluster(tmp_path / "cluster", DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES="0") as (address, _, _),
        pytest.raises(WorkerError, match=r"at capacity 30: found 1 workers dead while it was on them"),
    ):
        sweep(some_trace(), grid, A100_LLAMA2_7B, store=store, scheduler=address)
    assert not any("NotingLRU(number=4" in about["policy"] for about, _ in rows(store))
    assert MEASUREMENTS - 4 <= len(rows(store)) <= MEASUREMENTS - 2
    assert len(runs(tmp_path, 4)) == 1


@pytest.mark.long
def test_a_scheduler_that_dies_ends_the_sweep(tmp_path):
    def kill(scheduler):
        held_process(tmp_path)
        scheduler.kill()

    grid = noting_grid(tmp_path, held=HELD)
    with cluster(tmp_path / "cluster") as (address, scheduler, _), ThreadPool(1) as thread:
        killing = thread.apply_async(kill, [scheduler])
        with pytest.raises(WorkerError, match=r"no scheduler at .* any more"):
            sweep(some_trace(), grid, A100_LLAMA2_7B, scheduler=address)
        killing.get()
