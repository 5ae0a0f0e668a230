"""What the toolkit costs before it does anything: seconds of whole processes, on a disk that is warm.

Processes take turns; *times* is against a Python that does nothing.
"""

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

from teltheory.bench.timing import Report, TimedJob, TimeRatio, measure

NOTHING = "python -c pass"
DOORS = {
    NOTHING: ("-c", "pass"),
    "import numpy": ("-c", "import numpy"),
    "import teltheory": ("-c", "import teltheory"),
    "teltheory --help": ("-m", "teltheory", "--help"),
}


def door(rounds: int, report: Report = lambda _: None) -> list[dict[str, Any]]:
    """Return a row per door: seconds of a process, and how many times those of an idle Python."""
    jobs = [TimedJob(name, partial(_run, arguments)) for name, arguments in DOORS.items()]
    timings = measure(jobs, rounds, report)
    return [
        {"name": name, **timing.as_dict(), "times": asdict(TimeRatio.of(timing, timings[NOTHING]))}
        for name, timing in timings.items()
    ]


def _run(arguments: Sequence[str], _: object) -> None:
    subprocess.run([sys.executable, *arguments], stdout=subprocess.DEVNULL, check=True)
