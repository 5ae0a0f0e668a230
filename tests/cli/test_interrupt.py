import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

CHILDREN = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children")


def children(pid):
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


@pytest.mark.long
@pytest.mark.skipif(not CHILDREN.exists(), reason="this system does not list a process's children")
def test_an_interrupted_verify_ends_at_once_and_in_order(tmp_path):
    command = [sys.executable, "-m", "teltheory", "verify", "--workers", "2", "--json", str(tmp_path / "out.json")]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)
    for _ in range(600):
        if len(children(process.pid)) >= 3:
            break
        time.sleep(0.1)
    time.sleep(2)
    os.killpg(process.pid, signal.SIGINT)
    _, printed = process.communicate(timeout=60)
    assert process.returncode == 130
    assert printed.strip() == "teltheory: interrupted"
    assert list(tmp_path.iterdir()) == []
