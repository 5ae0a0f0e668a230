import json
import os
import signal
import subprocess
import sys
from multiprocessing.pool import ThreadPool
from pathlib import Path

import pytest
from claims.noted_trials import (
    A_ROUND,
    FEW,
    NotedTrial,
    campaign,
    claim_named,
    left_alone,
    ranks,
    store_at,
    told,
    tries,
)
from stored import rows
from sweep.noting import runs, wait_for

from teltheory.claims.batches import Batch
from teltheory.claims.campaign import run

HELD, BATCHES = 4, 2 * A_ROUND
ONE_HELD_TWICE = {rank: 2 if rank == HELD else 1 for rank in range(BATCHES)}


def start(folder, store):
    script = Path(__file__).with_name("campaigning.py")
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    command = [sys.executable, script, folder, store, HELD, BATCHES]
    return subprocess.Popen(
        list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    )


def kept(store):
    """Return the places of the batches that a file has, each as often as it is there."""
    return [ranks(Batch(about["claim"], about["generator"], about["number"])) for about, _ in rows(store)]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "runs").mkdir()
    return tmp_path / "runs"


@pytest.mark.long
def test_a_killed_campaign_goes_on_where_it_was(tmp_path, folder):
    store = tmp_path / "out.store"
    victim = start(folder, store)
    wait_for(lambda: runs(folder, HELD) and len(rows(store)) == BATCHES - 1)
    victim.kill()
    victim.wait()
    before = rows(store)
    (folder / "go").touch()
    victim.communicate()

    printed, complaint = start(folder, store).communicate()
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
    plan = campaign(trial=NotedTrial(claim_named, FEW, str(folder), HELD))
    store = store_at(tmp_path / "out.store")
    with ThreadPool(1) as thread:
        killing = thread.apply_async(kill_the_held_one, [folder])
        run(plan, store, workers=2)
        killing.get()
    assert told(plan, store) == left_alone()
    assert tries(folder) == ONE_HELD_TWICE
    assert sorted(kept(tmp_path / "out.store")) == list(range(BATCHES))


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
