"""Sweeps and their workers killed at random times until the sweep is through: `python long_kill.py ROUNDS SEED`.

Every round sweeps one grid with a store. The sweep or one of its two workers is killed after a random time, and a
killed sweep is started again. In the end the cells must be those of a sweep that was left alone, no finished
measurement may have been computed twice, and the store must have each once.
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

from stored import rows
from sweep.noting import MEASUREMENTS, expected_cells, runs

NAP = 0.15
"""Seconds that each noting job takes, so that a kill meets them at work."""


def start(folder, store):
    script = str(Path(__file__).with_name("sweeping.py"))
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    command = [sys.executable, script, str(folder), str(store), "2", "-1", str(NAP)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)


def kill_one(process, folder, random):
    """Kill the sweep or the worker that began a job last; return whether it was the sweep."""
    time.sleep(random.uniform(0, 2.0))
    begun = sorted(folder.glob("run-*"), key=lambda file: file.stat().st_mtime)
    worker = int(begun[-1].name.split("-")[2]) if begun else None
    sweep_dies = worker is None or random.random() < 0.6
    try:
        os.kill(process.pid if sweep_dies else worker, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return sweep_dies


def sweep_through(folder, store, random):
    """Kill and start again until a sweep ends by itself; return its cells, and how many kills of each kind."""
    kills = Counter()
    while True:
        process = start(folder, store)
        kills["sweep" if kill_one(process, folder, random) else "worker"] += 1
        printed, complaint = process.communicate()
        if process.returncode == 0:
            return json.loads(printed), kills
        assert process.returncode == -signal.SIGKILL, complaint.decode()


def one_round(random):
    """Sweep through, with kills, and check what came of it; return the kills and the runs that were cut off."""
    with TemporaryDirectory() as name:
        folder, store = Path(name) / "runs", Path(name) / "out.store"
        folder.mkdir()
        cells, kills = sweep_through(folder, store, random)
        assert cells == [cell.as_dict() for cell in expected_cells(Path(name) / "expected")]
        assert len(rows(store)) == MEASUREMENTS
        cut_off = len(runs(folder)) - 6
        assert 0 <= cut_off <= 2 * kills.total(), "a kill lost more than the jobs that were running"
        return kills, cut_off


def main(rounds, seed):
    random, kills, cut_off = Random(seed), Counter(), 0
    for _ in range(rounds):
        killed, lost = one_round(random)
        kills, cut_off = kills + killed, cut_off + lost
    sys.stdout.write(f"{rounds} rounds: {kills['sweep']} sweeps and {kills['worker']} workers killed, ")
    sys.stdout.write(f"{cut_off} replays cut off and run again, every result as if nothing had happened\n")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
