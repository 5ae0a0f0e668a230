"""Campaigns and their workers killed at random times until they are through: `long_campaign_kill.py ROUNDS SEED`.

Every round is one campaign with a store. First one of its two workers is killed after a random time, then the
process that hands out; what is left is started again, and killed again now and then, until it ends by itself. In
the end the campaign must have found what one finds that was left alone, every batch must be in the store once, and
no batch may have been tried again that was in the store when something was killed.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from claims.noted_trials import A_ROUND, left_alone, ranks, store_at, tries
from stored import rows
from sweep.noting import wait_for

from teltheory.claims.batches import Batch

BATCHES = 5 * A_ROUND
NAP = 0.05
"""Seconds that each batch takes on top, so that a kill meets them at work."""


def start(folder, store, held=-1, nap=NAP, batches=BATCHES):
    script = str(Path(__file__).with_name("campaigning.py"))
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    command = [sys.executable, script, *map(str, (folder, store, 2, held, nap, batches))]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)


def kept(store):
    """Return the places of the batches that a file has, each as often as it is there."""
    names = ("claim", "generator", "number")
    return [ranks(Batch(*(about[name] for name in names))) for about, _ in rows(store)]


class Witness:
    """Remembers which batches were finished at a kill, and how often they had been tried until then."""

    def __init__(self, folder, store):
        self.folder, self.store = folder, store
        self.finished = {}

    def look(self):
        there = kept(self.store)
        counted = tries(self.folder)
        self.finished |= {rank: counted[rank] for rank in there if rank not in self.finished}

    def check(self):
        counted = tries(self.folder)
        repeated = [rank for rank, often in self.finished.items() if counted[rank] != often]
        assert not repeated, f"tried again although they were in the store: {repeated}"


def kill_a_worker(process, witness, random, kills):
    """Kill the worker that began a batch last, where one is at work."""
    tried = tries(witness.folder).total()
    if random.random() < 0.8:
        wait_for(lambda: tries(witness.folder).total() > tried or process.poll() is not None)
    time.sleep(random.uniform(0, 1.0))
    begun = sorted(witness.folder.glob("run-*"), key=lambda file: file.stat().st_mtime)
    if begun and process.poll() is None:
        try:
            os.kill(int(begun[-1].name.split("-")[2]), signal.SIGKILL)
        except ProcessLookupError:
            return
        kills["workers"] += 1
        witness.look()


def kill_the_campaign(process, witness, random, kills):
    time.sleep(random.uniform(0, 1.0))
    if process.poll() is None:
        process.kill()
        kills["campaigns"] += 1
        process.wait()
        witness.look()


def through(witness, random, kills):
    """Kill and start again until a campaign ends by itself; return what it told."""
    again = 1.0
    while True:
        process = start(witness.folder, witness.store)
        kill_a_worker(process, witness, random, kills)
        if random.random() < again:
            kill_the_campaign(process, witness, random, kills)
        again = 0.4
        printed, complaint = process.communicate()
        if process.returncode == 0:
            return json.loads(printed)
        assert process.returncode == -signal.SIGKILL, complaint.decode()


def one_round(random, kills, expected):
    with TemporaryDirectory() as name:
        witness = Witness(Path(name) / "runs", Path(name) / "out.store")
        witness.folder.mkdir()
        before = kills.total()
        told = through(witness, random, kills)
        witness.check()
        assert told == expected, "the campaign found something else"
        assert sorted(kept(witness.store)) == list(range(BATCHES)), "a batch is lost or there twice"
        assert len(store_at(witness.store)) == BATCHES
        cut_off = tries(witness.folder).total() - BATCHES
        assert 0 <= cut_off <= 2 * (kills.total() - before), "a kill lost more than the batches that were tried"
        return cut_off


def main(rounds, seed):
    random, kills = Random(seed), Counter()
    expected = json.loads(json.dumps(left_alone(BATCHES)))
    cut_off = 0
    for number in range(rounds):
        cut_off += one_round(random, kills, expected)
        sys.stderr.write(f"{number + 1} of {rounds} campaigns, {kills.total()} kills\n")
    sys.stdout.write(f"{rounds} campaigns of {BATCHES} batches: {kills['campaigns']} times the campaign and ")
    sys.stdout.write(f"{kills['workers']} times a worker killed, {cut_off} batches cut off and tried again, ")
    sys.stdout.write("none lost, none that was finished repeated, every result as if nothing had happened\n")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
