"""A Dask cluster on this machine, for tests."""

import json
import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

from waiting import wait_for

TESTS = Path(__file__).parent


@contextmanager
def processes(commands, folder, **settings):
    """Run commands that end with the block, in a folder that no relative path of a test leads to."""
    environment = {**os.environ, "PYTHONPATH": str(TESTS), **settings}
    elsewhere = {"cwd": folder, "env": environment, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    started = [subprocess.Popen([sys.executable, "-m", *command], **elsewhere) for command in commands]
    try:
        yield started
    finally:
        for process in started:
            process.kill()
            process.wait()


@contextmanager
def cluster(folder, **settings):
    """Start a scheduler and two workers; yield the address, the scheduler's process and the workers'."""
    folder.mkdir()
    contact = folder / "scheduler.json"
    here = ["--host", "127.0.0.1", "--no-dashboard"]
    scheduler = ["distributed.cli.dask_scheduler", *here, "--port", "0", "--scheduler-file", str(contact)]
    worker = [
        "distributed.cli.dask_worker", *here, "--scheduler-file", str(contact), "--no-nanny", "--nthreads", "1",
        "--memory-limit", "0", "--local-directory", str(folder),
    ]  # fmt: skip
    with processes([scheduler], folder, **settings) as (head,):
        wait_for(lambda: contact.exists() and contact.read_text().endswith("}"))
        with processes([worker, worker], folder, **settings) as hands:
            yield json.loads(contact.read_text())["address"], head, hands
