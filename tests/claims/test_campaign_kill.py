"""A campaign that is ended from without resumes where it was; tests/processes has what a killed worker loses."""

import json
import signal
import subprocess
import sys

import pytest
from stored import rows
from waiting import wait_for

VERIFY = [sys.executable, "-m", "teltheory", "verify", "--workers=2", "--claim=theorem-31.strict"]


def without_seconds(ledger):
    return [{**row, "seconds": 0} for row in json.loads(ledger.read_text())["claims"]]


@pytest.mark.long
@pytest.mark.parametrize("ended_by", [signal.SIGKILL, signal.SIGINT])
def test_a_campaign_that_was_ended_resumes_where_it_was(ended_by, tmp_path):
    store, whole, resumed = (tmp_path / name for name in ("out.store", "whole.json", "resumed.json"))
    victim = subprocess.Popen([*VERIFY, "--budget=1h", f"--store={store}"], stderr=subprocess.PIPE)
    wait_for(lambda: len(rows(store)) >= 2)
    victim.send_signal(ended_by)
    _, told = victim.communicate(timeout=60)
    if ended_by == signal.SIGINT:
        assert victim.returncode == 130
        assert told.endswith(b"\nteltheory: interrupted\n")
    before = rows(store)
    subprocess.run([*VERIFY, "--batches=6", f"--store={store}", f"--json={resumed}"], check=True)
    assert rows(store)[: len(before)] == before
    assert len({json.dumps(about) for about, _ in rows(store)}) == len(rows(store))
    subprocess.run([*VERIFY, "--batches=6", f"--json={whole}"], check=True)
    assert without_seconds(resumed) == without_seconds(whole)
