"""What the toolkit costs before it does anything: seconds of whole processes, on a disk that is warm.

    python -m benchmarks.door [--rounds 15]

Processes take turns; the first of each is not counted. *times* is against a Python that does nothing.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

from benchmarks.machine import machine
from benchmarks.timing import Job, Ratio, Report, measure

NOTHING = "python -c pass"
DOORS = {
    NOTHING: ("-c", "pass"),
    "import numpy": ("-c", "import numpy"),
    "import teltheory": ("-c", "import teltheory"),
    "teltheory --help": ("-m", "teltheory", "--help"),
}
ROUNDS = 15


def door(rounds: int = ROUNDS, report: Report = lambda _: None) -> list[dict[str, Any]]:
    """Return a row a door: seconds of a process, and how many times those of an idle Python."""
    jobs = [Job(name, partial(_run, arguments)) for name, arguments in DOORS.items()]
    timings = measure(jobs, rounds, report)
    return [
        {"name": name, **timing.as_dict(), "times": asdict(Ratio.of(timing, timings[NOTHING]))}
        for name, timing in timings.items()
    ]


def _run(arguments: Sequence[str], _: object) -> None:
    subprocess.run([sys.executable, *arguments], stdout=subprocess.DEVNULL, check=True)


def lines(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Return the rows as lines of text."""
    found = [f"{'process':18} {'seconds':>8}   {'quickest to slowest':19} {'times':>6}"]
    for row in rows:
        spread = f"({row['low']:.3f}–{row['high']:.3f})"
        found.append(f"{row['name']:18} {row['median']:8.3f}   {spread:19} {row['times']['ratio']:6.1f}")
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    rounds = parser.parse_args(arguments).rounds
    facts = machine()
    sys.stdout.write(
        f"{facts['processor']}, {facts['cores']} cores, Python {facts['python']}, medians of {rounds}\n"
    )
    sys.stdout.writelines(line + "\n" for line in lines(door(rounds)))


if __name__ == "__main__":
    main()
