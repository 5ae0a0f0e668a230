"""The probe and the fit together against a server with a known law, on a virtual clock.

    PYTHONPATH=tests python tests/calibration/long_recovery.py SEEDS FIRST

In how many of the seeds alpha, beta and gamma each lie within their own 95 % intervals of `tt.fit_latency`.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np
from calibration.loopback import Engine, Law
from calibration.probing import run_probe, small_plan, virtual

import teltheory as tt

LAW = Law(alpha=7.2e-5, beta=0.012, gamma=2.0e-8, noise=0.001)
TRUTH = {"per_token": LAW.alpha, "constant": LAW.beta, "per_pair": LAW.gamma}
LENGTHS, SHARES = (128, 256, 512, 1024, 2048), (0, 0.25, 0.5, 0.75, 0.9)


def recovered(seed: int, folder: Path) -> dict[str, bool]:
    """Return whether each parameter lies within its interval."""
    file = folder / f"{seed}.jsonl"
    plan = small_plan(lengths=LENGTHS, shares=SHARES, repeats=3, seed=seed)
    run_probe(virtual(Engine(LAW, rng=np.random.default_rng(seed))), plan, file, seed)
    fitted = tt.fit_latency(tt.read_ttft_runs(file), form="attention", rng=np.random.default_rng(seed))
    return {name: low <= TRUTH[name] <= high for name, (low, high) in fitted.intervals.items() if name in TRUTH}


def main(seeds: int, first: int) -> int:
    """Count, print, and return 1 where a parameter is inside less than nine times in ten."""
    with tempfile.TemporaryDirectory() as folder:
        found = [recovered(seed, Path(folder)) for seed in range(first, first + seeds)]
    inside = {name: sum(seed[name] for seed in found) for name in TRUTH}
    sys.stdout.write(
        f"{seeds} seeds: "
        + ", ".join(f"{name} within its interval {count}" for name, count in inside.items())
        + "\n"
    )
    return int(any(10 * count < 9 * seeds for count in inside.values()))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: long_recovery.py SEEDS FIRST")
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
