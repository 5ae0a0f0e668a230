"""Kill long work at many moments, and compare what it ends with, byte for byte, with what undisturbed work makes.

    python tests/processes/long_kills.py [--moments 30] [--seed 1] [WORK ...]

1. Each work runs undisturbed twice, in folders of their own; the second time takes T seconds.
2. It runs in another folder and gets SIGKILL, which no process can answer, at a moment drawn from 0 to T/2 after
   its start. Then it begins again on what is there. When one ends before its moment, what it made is compared, and
   the next begins in an empty folder. After the last kill it may end, and is compared.
3. No process that it had started may be left ten seconds after a kill.
4. The disk is full (a limit on the size of files, so that no disk has to be filled), or the folder is read-only:
   the work ends with an error of one line, and once there is room it ends as if nothing had been.

The work: a sweep and a campaign with a store, `reproduce` on two sections, and `calibrate`. What a Dask worker
that is killed loses is in tests/sweep/test_cluster.py.
"""

import argparse
import ctypes
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from teltheory.formats import write_trace
from teltheory.workloads import wildchat_like

PATIENCE = 10.0
PR_CAPBSET_DROP, DAC = 24, (1, 2, 3)
"""What Linux calls taking a capability away, and the capabilities that go beyond the permissions of files."""
ROOT = Path(__file__).parents[2]
TRACE, RUNS = "chat.csv", "runs.csv"
Made = Mapping[str, bytes]


@dataclass(frozen=True)
class Work:
    """A command, what it is given in its folder, and which files it makes."""

    name: str
    command: str
    makes: tuple[str, ...]
    writes: int = 10_000
    plain: Callable[[bytes], bytes] = field(default=bytes)

    def made(self, folder: Path) -> Made:
        """Return all that was made."""
        files = [file for place in self.makes for file in _files(folder / place)]
        return {str(file.relative_to(folder)): self.plain(file.read_bytes()) for file in files}


def _files(place: Path) -> list[Path]:
    return sorted(file for file in place.rglob("*") if file.is_file()) if place.is_dir() else [place]


def without_seconds(ledger: bytes) -> bytes:
    """Return a ledger without the seconds that each row took."""
    claims = [{**row, "seconds": 0} for row in json.loads(ledger)["claims"]]
    return json.dumps(claims).encode()


REPLAY = (
    f"replay {TRACE} --capacity 1k,2k,4k,8k,16k --slo 100ms,200ms --workers 2 --store out.store --json cells.json"
)
VERIFY = "verify --claim theorem-31.strict --batches 6 --workers 2 --store out.store --json ledger.json"
REPRODUCE = f"reproduce --section trimming --section printed_numbers --trace {TRACE} --out out --workers 2"
CALIBRATE = f"calibrate {RUNS} --save model.json --json fit.json"
WORKS = (
    Work("sweep", REPLAY, ("cells.json",)),
    Work("campaign", VERIFY, ("ledger.json",), plain=without_seconds),
    Work("reproduce", REPRODUCE, ("out",)),
    Work("calibrate", CALIBRATE, ("model.json", "fit.json"), writes=100),
)


def given(folder: Path) -> Path:
    """Make a folder with the trace and the measured runs that the works read."""
    folder.mkdir(parents=True)
    write_trace(wildchat_like().sample(4000, np.random.default_rng(1)), folder / TRACE)
    rng = np.random.default_rng(2)
    lines = ["prompt_tokens,cached_tokens,ttft_s"]
    for _ in range(3000):
        prompt = int(rng.integers(200, 8000))
        cached = int(rng.integers(0, prompt))
        lines.append(f"{prompt},{cached},{(0.01 + 7e-5 * (prompt - cached)) * rng.lognormal(0, 0.02):.6f}")
    (folder / RUNS).write_text("\n".join(lines) + "\n")
    return folder


def start(work: Work, folder: Path, **how: object) -> subprocess.Popen[bytes]:
    """Start a work in its folder, in a group of processes of its own."""
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}
    return subprocess.Popen(
        [sys.executable, "-m", "teltheory", *work.command.split()],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
        **how,  # type: ignore[call-overload]
    )


def ended(process: subprocess.Popen[bytes]) -> str:
    """Wait until a work ends; return what it complained of. It must not be killed nor have a fault of its own."""
    complaint = process.communicate()[1].decode()
    if process.returncode not in (0, 1, 2) or "Traceback" in complaint:
        raise SystemExit(f"ended with {process.returncode}: {complaint}")
    return complaint if process.returncode else ""


def killed(process: subprocess.Popen[bytes], seconds: float) -> bool:
    """Kill a work after so many seconds; return False if it ended before. What it started must end by itself."""
    try:
        process.wait(seconds)
        return False
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.wait()
    last = time.monotonic() + PATIENCE
    while _is_there(process.pid):
        if time.monotonic() > last:
            os.killpg(process.pid, signal.SIGKILL)
            raise SystemExit(f"found a process of {process.args} {PATIENCE:g} s after it was killed")
        time.sleep(0.05)
    return True


def _is_there(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def undisturbed(work: Work, inputs: Path, folder: Path) -> tuple[Made, float]:
    """Run a work; return what it made, and the seconds that it took."""
    shutil.copytree(inputs, folder)
    begin = time.monotonic()
    complaint = ended(start(work, folder))
    if complaint:
        raise SystemExit(f"{work.name}, undisturbed: {complaint}")
    return work.made(folder), time.monotonic() - begin


def disturbed(work: Work, inputs: Path, folder: Path, expected: Made, moments: Sequence[float]) -> int:
    """Kill a work at these moments after its starts; return how often it ended, each time as expected."""
    shutil.copytree(inputs, folder)
    ends = 0
    for moment in moments:
        while not killed(process := start(work, folder), moment):
            compare(work, folder, expected, ended(process))
            ends += 1
            shutil.rmtree(folder)
            shutil.copytree(inputs, folder)
    compare(work, folder, expected, ended(start(work, folder)))
    return ends + 1


def compare(work: Work, folder: Path, expected: Made, complaint: str = "") -> None:
    """End the program unless a work made what was expected, and left nothing half-written beside it."""
    found = {} if complaint else work.made(folder)
    if complaint or found != expected:
        names = sorted(name for name in {*found, *expected} if found.get(name) != expected.get(name))
        raise SystemExit(f"{work.name}: {complaint or f'found other bytes in {names}'}")
    left = sorted(file.name for file in folder.rglob(".*") if file.is_file())
    if left:
        say(f"{work.name}: left by killed runs: {len(left)} hidden files, such as {left[0]}")


def without_room(work: Work, inputs: Path, folder: Path, expected: Made) -> str:
    """Let no file grow beyond a size, then run again; return the error."""

    def limited() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (work.writes, resource.RLIM_INFINITY))

    shutil.copytree(inputs, folder)
    complaint = ended(start(work, folder, preexec_fn=limited))
    compare(work, folder, expected, ended(start(work, folder)))
    return complaint


def read_only(work: Work, inputs: Path, folder: Path, expected: Made) -> str:
    """Let the folder be read-only, then run again; return the error."""
    shutil.copytree(inputs, folder)
    folder.chmod(0o555)
    complaint = ended(start(work, folder, preexec_fn=_like_anybody))
    folder.chmod(0o755)
    compare(work, folder, expected, ended(start(work, folder)))
    return complaint


def _like_anybody() -> None:
    """Give up what lets root write where nobody may."""
    for capability in DAC:
        ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)


def say(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def try_out(work: Work, top: Path, moments: int, seed: int) -> None:
    """Disturb a work in all ways, and print what came of it."""
    inputs = top / "given"
    undisturbed(work, inputs, top / work.name / "first")
    expected, seconds = undisturbed(work, inputs, top / work.name / "second")
    compare(work, top / work.name / "first", expected)
    drawn = random.Random(f"{work.name}, {seed}")
    when = [drawn.uniform(0, seconds / 2) for _ in range(moments)]
    ends = disturbed(work, inputs, top / work.name / "killed", expected, when)
    say(
        f"{work.name}: {seconds:.1f} s undisturbed, killed {moments} times, ended {ends} times with the same bytes"
    )
    for how in (without_room, read_only):
        complaint = how(work, inputs, top / work.name / how.__name__, expected).strip()
        if not complaint or "\n" in complaint:
            raise SystemExit(f"{work.name}, {how.__name__}: found {complaint!r}, expected an error of one line")
        say(f"{work.name}, {how.__name__.replace('_', ' ')}: {complaint}; then the same bytes")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command."""
    names = [work.name for work in WORKS]
    parser = argparse.ArgumentParser(description="Kill long work and compare what it ends with.")
    parser.add_argument("works", nargs="*", metavar="WORK", help=f"{', '.join(names)}; all when left out")
    parser.add_argument("--moments", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    unknown = set(options.works) - set(names)
    if unknown:
        parser.error(f"WORK: found {', '.join(sorted(unknown))}, expected {', '.join(names)}")
    with TemporaryDirectory(prefix="teltheory-kills-") as name:
        top = Path(name)
        top.chmod(0o755)
        given(top / "given")
        for work in WORKS:
            if work.name in (options.works or names):
                try_out(work, top, options.moments, options.seed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
