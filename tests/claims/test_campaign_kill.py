import json
import os
import signal
import subprocess
import sys
from multiprocessing.pool import ThreadPool

import pytest
from claims.long_campaign_kill import kept, start
from claims.noted_trials import A_ROUND, FEW, NotedTrial, campaign, claim_named, left_alone, store_at, told, tries
from dask_cluster import cluster
from stored import rows
from sweep.noting import runs, wait_for

from teltheory.claims.campaign import run

HELD, BATCHES = 4, 2 * A_ROUND
ONE_HELD_TWICE = {rank: 2 if rank == HELD else 1 for rank in range(BATCHES)}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "runs").mkdir()
    return tmp_path / "runs"


@pytest.mark.long
def test_a_killed_campaign_goes_on_where_it_was(tmp_path, folder):
    store = tmp_path / "out.store"
    victim = start(folder, store, held=HELD, nap=0, batches=BATCHES)
    wait_for(lambda: runs(folder, HELD) and len(rows(store)) == BATCHES - 1)
    victim.kill()
    victim.wait()
    before = rows(store)
    (folder / "go").touch()
    victim.communicate()

    printed, complaint = start(folder, store, held=HELD, nap=0, batches=BATCHES).communicate()
    assert json.loads(printed) == json.loads(json.dumps(left_alone()))
    assert complaint == b""
    assert rows(store)[: len(before)] == before
    assert sorted(kept(store)) == list(range(BATCHES))
    assert tries(folder) == ONE_HELD_TWICE


def kill_the_held_one(folder):
    wait_for(lambda: runs(folder, HELD))
    ((_, process),) = runs(folder, HELD)
    assert process != os.getpid()
    os.kill(process, signal.SIGKILL)
    (folder / "go").touch()


@pytest.mark.long
def test_a_killed_worker_loses_its_batch_and_nothing_else(tmp_path, folder):
    plan = campaign(trial=NotedTrial(claim_named, None, FEW, str(folder), HELD))
    store = store_at(tmp_path / "out.store")
    with ThreadPool(1) as thread:
        killing = thread.apply_async(kill_the_held_one, [folder])
        run(plan, store, workers=2)
        killing.get()
    assert told(plan, store) == left_alone()
    assert tries(folder) == ONE_HELD_TWICE
    assert sorted(kept(tmp_path / "out.store")) == list(range(BATCHES))


@pytest.mark.long
def test_a_killed_dask_worker_loses_nothing_that_was_finished(tmp_path, folder, capfd):
    plan = campaign(trial=NotedTrial(claim_named, None, FEW, str(folder), HELD))
    store = store_at(tmp_path / "out.store")
    with cluster(tmp_path / "cluster") as (address, _, _), ThreadPool(1) as thread:
        killing = thread.apply_async(kill_the_held_one, [folder])
        run(plan, store, scheduler=address)
        killing.get()
    assert told(plan, store) == left_alone()
    assert tries(folder)[HELD] == 2
    assert sorted(kept(tmp_path / "out.store")) == list(range(BATCHES))
    assert capfd.readouterr() == ("", "")


@pytest.mark.long
def test_an_interrupted_campaign_ends_at_once_and_quietly(tmp_path):
    store = tmp_path / "out.store"
    command = ["verify", "--claim", "theorem-31", "--budget", "1h", "--workers", "1", "--store", str(store)]
    process = subprocess.Popen(
        [sys.executable, "-m", "teltheory", *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    wait_for(lambda: len(rows(store)) >= 2)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60) == (b"", b"\nteltheory: interrupted\n")
    assert process.returncode == 130
    assert len(rows(store)) >= 2
