"""The roofline judged on the A100's composed timings, leaving out what is to be predicted.

    python experiments/judge_roofline.py ../shared/data

1. Each length of the prefill file is predicted from all others: their least and largest efficiency are the band,
   their median is the middle.
2. Each file is predicted from the others: prefill from the linear operators of decoding and the other way round.
3. The band without a measurement, 25 to 70 %, is held against every timing.

Efficiency is the roofline's time at the peaks over the timing. All timings are of operators: no launch, scheduler
or network is in them, so a served TTFT can be longer than what is printed here, never shorter.
"""

from __future__ import annotations

import argparse
import csv
import sys
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import numpy as np

from teltheory.cost.catalogue import architecture, gpu
from teltheory.cost.roofline import BAND, estimated

PEAK = (Fraction(1, 4), Fraction(1), Fraction(7, 10))
MODEL, GPU = "llama-2-7b", "a100"


class Timings(NamedTuple):
    """Tokens, seconds, and the roofline's seconds at the peaks."""

    name: str
    tokens: np.ndarray
    seconds: np.ndarray
    peak: np.ndarray

    @property
    def efficiencies(self) -> np.ndarray:
        """Share of the peaks at each number of tokens."""
        found: np.ndarray = self.peak / self.seconds
        return found


class Judged(NamedTuple):
    """How often a band has what was left out, and how far its middle is off, in the median and at most."""

    left_out: str
    cases: int
    inside: float
    median_error: float
    largest_error: float


def timings(folder: Path) -> list[Timings]:
    """Return prefill, and the linear operators of one decode step, which attend to nothing."""
    at_peak = estimated(architecture(MODEL), gpu(GPU), band=PEAK)
    prefill, linear = (_columns(folder / file, *names) for file, *names in FILES)
    step = np.maximum(float(at_peak.per_token) * linear[0], float(at_peak.floor))
    return [Timings("prefill", *prefill, at_peak.ttft(prefill[0])), Timings("decode linear", *linear, step)]


FILES = (
    ("a100_llama2_7b_prefill.csv", "prompt_tokens", "prefill_ms"),
    ("a100_llama2_7b_decode_linear.csv", "requests", "ms"),
)


def _columns(file: Path, tokens: str, milliseconds: str) -> tuple[np.ndarray, np.ndarray]:
    with file.open(encoding="utf-8", newline="") as lines:
        rows = [(int(row[tokens]), float(row[milliseconds]) / 1000) for row in csv.DictReader(lines)]
    return np.array([n for n, _ in rows]), np.array([s for _, s in rows])


def left_out_one_by_one(one: Timings) -> Judged:
    """Predict each number of tokens from all others."""
    efficiencies = one.efficiencies
    others = [np.delete(efficiencies, i) for i in range(len(efficiencies))]
    bands = np.array([(other.min(), np.median(other), other.max()) for other in others])
    return _judged(f"{one.name}, each length", one, bands)


def left_out_as_a_whole(one: Timings, other: Timings) -> Judged:
    """Predict one file from the other."""
    known = other.efficiencies
    band = (known.min(), np.median(known), known.max())
    return _judged(f"{one.name}, by {other.name}", one, np.tile(band, (len(one.tokens), 1)))


def without_a_measurement(one: Timings) -> Judged:
    """Predict a file from the band that stands where nothing was measured."""
    return _judged(f"{one.name}, by no measurement", one, np.tile([*map(float, BAND)], (len(one.tokens), 1)))


def _judged(name: str, one: Timings, bands: np.ndarray) -> Judged:
    least, middle, most = bands.T
    inside = (least <= one.efficiencies) & (one.efficiencies <= most)
    error = np.abs(one.efficiencies / middle - 1)
    return Judged(name, len(inside), float(inside.mean()), float(np.median(error)), float(error.max()))


def judgements(folder: Path) -> list[Judged]:
    """Return all judgements."""
    prefill, linear = timings(folder)
    alone = [left_out_one_by_one(one) for one in (prefill, linear)]
    whole = [left_out_as_a_whole(prefill, linear), left_out_as_a_whole(linear, prefill)]
    return [*alone, *whole, *(without_a_measurement(one) for one in (prefill, linear))]


def main() -> int:
    """Print the judgements; return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, help="the folder of the data")
    found = judgements(parser.parse_args().folder)
    sys.stdout.write(f"{'left out':34}{'cases':>6}{'in band':>10}{'median error':>14}{'largest':>10}\n")
    for row in found:
        shares = f"{row.inside:>9.1%} {row.median_error:>13.1%} {row.largest_error:>9.1%}"
        sys.stdout.write(f"{row.left_out:34}{row.cases:>6}{shares}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
