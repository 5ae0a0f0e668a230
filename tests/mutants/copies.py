"""Private copies of the project, and commands that run in them under a time limit."""

import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
LEFT_OUT = shutil.ignore_patterns(
    ".git", ".venv", "out", "build", "dist", ".*_cache", ".hypothesis", "*.pyc", "*.egg-info"
)


class Ended(NamedTuple):
    """How a command ended: its exit code (None where its time was up) and what it printed."""

    code: int | None
    out: str
    err: str


def copied(source: Path, folder: Path) -> Path:
    """Copy the project, the library of its loops included."""
    shutil.copytree(source, folder, ignore=LEFT_OUT, symlinks=True)
    return folder


def environment(copy: Path) -> dict[str, str]:
    """Return an environment: the copy before the installed project, the data found, failures not made smaller."""
    data = Path(os.environ.get("TELTHEORY_DATA") or ROOT.parent / "shared" / "data").resolve()
    inherited = {k: v for k, v in os.environ.items() if k != "PYTHONPYCACHEPREFIX"}
    paths = {"PYTHONPATH": str(copy), "TELTHEORY_DATA": str(data), "TELTHEORY_TESTS": "mutants"}
    return {**inherited, **paths}


class Runner:
    """Runs commands in copies from several threads, and can end all of them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[str]] = set()
        self._stopped = False

    def python(self, copy: Path, arguments: list[str], seconds: float) -> Ended:
        """Run `python` in a copy, in a process group of its own, for so many seconds at most."""
        process = self._start(copy, arguments)
        try:
            out, err = process.communicate(timeout=seconds)
            return Ended(process.returncode, out, err)
        except subprocess.TimeoutExpired:
            _kill(process)
            return Ended(None, *process.communicate())
        finally:
            with self._lock:
                self._running.discard(process)

    def build(self, copy: Path, seconds: float) -> Ended:
        """Compile a copy's C files; what a fault leaves unused is no error."""
        return self.python(copy, ["release/loops.py", "--flags=-Wno-error"], seconds)

    def _start(self, copy: Path, arguments: list[str]) -> subprocess.Popen[str]:
        with self._lock:
            if self._stopped:
                raise InterruptedError
            process = subprocess.Popen(
                [sys.executable, *arguments],
                cwd=copy,
                env=environment(copy),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                start_new_session=True,
            )
            self._running.add(process)
        return process

    def stop(self) -> None:
        """End what runs, with all that it started, and start nothing more."""
        with self._lock:
            self._stopped = True
            for process in self._running:
                _kill(process)


def _kill(process: subprocess.Popen[str]) -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
