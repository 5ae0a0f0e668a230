"""Fuzz every reader and the command line for as long as there is time.

    PYTHONPATH=tests python tests/fuzz/long_fuzz.py --minutes 30 --seed 1 [--only parquet] [--out out/fuzz]

`--only command` has command lines alone; those that work for minutes are looked at up to where their work begins.
Input number n of a seed is always the same one. The folder OUT/seed-1 keeps how far the run came, so that the same
command goes on where the last one stopped, and a file for each distinct fault, which

    PYTHONPATH=tests python tests/fuzz/long_fuzz.py --again OUT/seed-1/fault-1.store.jsonl

reads again. The readers run in a process of their own: one that dies is a fault, and the run goes on after it.
Ends with 1 where there is a fault.
"""

import argparse
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
import traceback
from collections import Counter
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

COMMAND_SHARE = 0.02
MEMORY = 8 << 30
SAVED_EVERY = 200
ROOT = Path(__file__).parents[2]


class State:
    """How far a run came, in a file."""

    def __init__(self, folder):
        self.file, self.at = folder / "state.json", folder / "current"
        held = json.loads(self.file.read_text()) if self.file.is_file() else {}
        self.next, self.seconds = held.get("next", 0), held.get("seconds", 0.0)
        self.counts, self.faults = Counter(held.get("counts", {})), held.get("faults", {})

    def looks_at(self, name):
        """Note which input comes now, and the name of its file, for the case that this process dies of it."""
        self.at.write_text(f"{self.next} {name}")

    def save(self):
        held = {"next": self.next, "seconds": self.seconds, "counts": self.counts, "faults": self.faults}
        beside = self.file.with_suffix(".new")
        beside.write_text(json.dumps(held, indent=1))
        beside.replace(self.file)

    def fault(self, key, number, what, reproducer):
        """Count a fault; the first of its kind keeps its input."""
        known = self.faults.setdefault(key, {"number": number, "times": 0, "what": what[:400], "file": None})
        known["times"] += 1
        if known["file"] is None and reproducer.is_file():
            kept = self.file.with_name(f"fault-{len(self.faults)}.{reproducer.name}")
            shutil.copy(reproducer, kept)
            known["file"] = str(kept)

    def summary(self):
        counts = ", ".join(f"{name} {count:,}" for name, count in sorted(self.counts.items()))
        lines = [f"{self.next:,} inputs in {self.seconds / 60:.1f} minutes: {counts}; {len(self.faults)} faults"]
        for key, fault in self.faults.items():
            lines.append(
                f"{fault['times']} times {key}: {fault['what']} ({fault['file'] or 'the numbers of a seed'})"
            )
        return "\n".join(lines)


def input_of(seed, number, folder, only=""):
    """Return the name of an input's format, what looks at it, and its file, written into a folder."""
    from fuzz.commands import arguments, judged_command
    from fuzz.formats import formats, path_for
    from fuzz.mutations import mutated
    from fuzz.oracle import judged

    random = Random(f"{seed} {number}")
    if only == "command" or (not only and random.random() < COMMAND_SHARE):
        given = arguments(random, folder)
        listed = folder / "arguments.json"
        listed.write_text(json.dumps(given))
        return f"command {given[0]}", lambda: f"exit code {judged_command(given)}", listed
    one = random.choice([one for one in formats().values() if only in one.name])
    path = path_for(one, folder)
    path.write_bytes(mutated(random, one.kind, one.valid))
    return one.name, lambda: judged(one.read, path), path


def place_of(error):
    """Return the innermost line of the toolkit that an error went through."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [f for f in frames if Path(f.filename).is_relative_to(ROOT) and "/tests/" not in f.filename]
    own = [f for f in own if "/.venv/" not in f.filename]
    return f"{Path(own[-1].filename).relative_to(ROOT)}:{own[-1].lineno}" if own else "the oracle"


def look_at(state, seed, folder, only):
    """Look at the next input."""
    state.looks_at("")
    name, look, file = input_of(seed, state.next, folder, only)
    kept = state.file.with_name(name.replace(" ", "-"))
    shutil.copy(file, kept)
    state.looks_at(kept.name)
    try:
        state.counts[look()] += 1
    except Exception as error:
        state.fault(f"{name} {type(error).__name__} {place_of(error)}", state.next, str(error), kept)
    for left in (*folder.iterdir(), kept):
        shutil.rmtree(left) if left.is_dir() and not left.is_symlink() else left.unlink()
    state.next += 1


def child(folder, seed, minutes, only):
    """Look at inputs until the time is over."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    state, begin = State(folder), time.monotonic()
    before = state.seconds
    memory = "/dev/shm" if Path("/dev/shm").is_dir() else None
    with TemporaryDirectory(dir=memory) as name:
        work = Path(name) / "work"
        work.mkdir()
        os.chdir(work)
        while time.monotonic() - begin < 60 * minutes:
            look_at(state, seed, work, only)
            if state.next % SAVED_EVERY == 0:
                state.seconds = before + time.monotonic() - begin
                state.save()
        os.chdir(folder)
    state.seconds = before + time.monotonic() - begin
    state.save()


def run(folder, seed, minutes, only):
    """Run children until the time is over; note what one that died was looking at."""
    folder.mkdir(parents=True, exist_ok=True)
    end = time.monotonic() + 60 * minutes
    while (left := end - time.monotonic()) > 1:
        begin, before = time.monotonic(), State(folder).seconds
        command = [sys.executable, __file__, "--child", "--minutes", str(left / 60), "--seed", str(seed)]
        command += ["--out", str(folder.parent), "--only", only]
        ended = subprocess.run(command, check=False, stderr=subprocess.DEVNULL)
        if ended.returncode == 0:
            break
        state = State(folder)
        number, _, name = state.at.read_text().partition(" ")
        died = signal.Signals(-ended.returncode).name if ended.returncode < 0 else f"code {ended.returncode}"
        state.fault(f"{name or 'making it'} died of {died}", int(number), "its process died", folder / name)
        state.seconds = before + time.monotonic() - begin
        state.next = int(number) + 1
        state.save()
    return State(folder)


def again(file):
    """Look at the input of a fault again."""
    from fuzz.commands import judged_command
    from fuzz.formats import formats, path_for
    from fuzz.oracle import judged

    content, name = file.read_bytes(), file.name.split(".", 1)[1]
    with TemporaryDirectory() as folder:
        if name.startswith("command"):
            os.chdir(folder)
            return f"exit code {judged_command(json.loads(content))}"
        path = path_for(formats()[name], Path(folder))
        path.write_bytes(content)
        return judged(formats()[name].read, path)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=ROOT / "out" / "fuzz")
    parser.add_argument("--only", default="", help="formats whose names have this in them; command: no formats")
    parser.add_argument("--again", type=Path)
    parser.add_argument("--child", action="store_true")
    given = parser.parse_args()
    folder = given.out.absolute() / f"{given.only}seed-{given.seed}"
    if given.again is not None:
        sys.stdout.write(f"{again(given.again)}\n")
    elif given.child:
        child(folder, given.seed, given.minutes, given.only)
    else:
        state = run(folder, given.seed, given.minutes, given.only)
        sys.stdout.write(f"seed {given.seed}: {state.summary()}\n")
        sys.exit(bool(state.faults))


if __name__ == "__main__":
    main()
