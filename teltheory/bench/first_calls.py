"""What whole commands cost: CPU seconds from the start of Python to the last line, those of child processes too.

    python -m teltheory.bench.first_calls [--rounds 3] [--mooncake FILE]

Python's bytecode of the package is there, as an installer leaves it; nothing else is kept between calls, so a
first call is like any other. All runs on one core where the system can be asked for that. The traces are samples
of 6,000 turns or requests; with ``--mooncake`` commands on the recorded trace in that file are measured too.
"""

import argparse
import compileall
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from teltheory.bench.workload import machine

SAMPLES = {
    "chats.csv": "trace sample wildchat-like chats.csv --turns 6000",
    "modules.jsonl": "modules sample modules.jsonl --requests 6000",
}
COMMANDS = {
    "replay chats.csv": 1.0,
    "curve chats.csv": 1.0,
    "optimum chats.csv": 1.0,
    "advise chats.csv --slo 200ms": 1.0,
    "simulate replicas chats.csv": 1.5,
    "modules replay modules.jsonl": 1.5,
    "rag serve synthetic:2000 --requests 600 --tier 20k --tier 200k:pcie4": 3.0,
}
"""Commands, and what they may cost on one slow core (docs/speed.md)."""
ON_MOONCAKE = {
    "replay mooncake.jsonl": 2.0,
    "advise mooncake.jsonl --slo 2s": 3.0,
    "advise mooncake.jsonl --slo 2s --tier 1M --tier 4M:0.26": 8.0,
    "advise mooncake.jsonl --slo 2s --replicas 4 --load 0.5": 15.0,
}
ROUNDS = 3


def first_calls(
    commands: Mapping[str, float], folder: Path, rounds: int = ROUNDS
) -> Iterator[tuple[str, list[float]]]:
    """Yield each command and its CPU seconds, ascending; it runs in a folder."""
    for command in commands:
        yield command, sorted(cpu_seconds(command, folder) for _ in range(rounds))


def cpu_seconds(command: str, folder: Path) -> float:
    """Run a command of the toolkit in a folder; return the CPU seconds of its processes."""
    words = [sys.executable, "-m", "teltheory", *command.split()]
    process = subprocess.Popen(words, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = process.stderr.read() if process.stderr else b""
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"teltheory {command}: {said.decode(errors='replace')}")
    return used.ru_utime + used.ru_stime


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="how often each is run")
    parser.add_argument("--mooncake", type=Path, metavar="FILE", help="the recorded trace")
    asked, facts = parser.parse_args(arguments), machine()
    commands = {**COMMANDS, **(ON_MOONCAKE if asked.mooncake else {})}
    print_line = sys.stdout.write
    print_line(f"{facts['processor']}, Python {facts['python']}, CPU seconds, medians of {asked.rounds}\n")
    print_line(f"{'teltheory ...':70} {'seconds':>8}   least to most    asked\n")
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    compileall.compile_dir(Path(__file__).parents[1], quiet=1)
    with TemporaryDirectory() as name:
        folder = Path(name)
        for sample in SAMPLES.values():
            cpu_seconds(sample, folder)
        if asked.mooncake:
            (folder / "mooncake.jsonl").symlink_to(asked.mooncake.resolve())
        for command, took in first_calls(commands, folder, asked.rounds):
            spread = f"({took[0]:.2f}–{took[-1]:.2f})"
            print_line(f"{command:70} {median(took):8.2f}   {spread:15} {commands[command]:6.1f}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
