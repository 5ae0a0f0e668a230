"""What the toolkit costs before it does anything: seconds of whole processes, on a disk that is warm.

    python -m teltheory.bench.door [--rounds 15]

Processes take turns; *times* is against a Python that does nothing.
"""

import argparse
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

from teltheory.bench.timing import Report, TimedJob, TimeRatio, measure
from teltheory.bench.workload import machine

NOTHING = "python -c pass"
DOORS = {
    NOTHING: ("-c", "pass"),
    "import numpy": ("-c", "import numpy"),
    "import teltheory": ("-c", "import teltheory"),
    "teltheory --help": ("-m", "teltheory", "--help"),
}
ROUNDS = 15


def door(rounds: int = ROUNDS, report: Report = lambda _: None) -> list[dict[str, Any]]:
    """Return a row per door: seconds of a process, and how many times those of an idle Python."""
    jobs = [TimedJob(name, partial(_run, arguments)) for name, arguments in DOORS.items()]
    timings = measure(jobs, rounds, report)
    return [
        {"name": name, **timing.as_dict(), "times": asdict(TimeRatio.of(timing, timings[NOTHING]))}
        for name, timing in timings.items()
    ]


def _run(arguments: Sequence[str], _: object) -> None:
    subprocess.run([sys.executable, *arguments], stdout=subprocess.DEVNULL, check=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    rounds, facts = parser.parse_args(arguments).rounds, machine()
    text = f"{facts['processor']}, {facts['cores']} cores, Python {facts['python']}, medians of {rounds}\n"
    text += f"{'process':18} {'seconds':>8}   {'quickest to slowest':19} {'times':>6}\n"
    for row in door(rounds):
        spread = f"({row['low']:.3f}–{row['high']:.3f})"
        text += f"{row['name']:18} {row['median']:8.3f}   {spread:19} {row['times']['ratio']:6.1f}\n"
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
