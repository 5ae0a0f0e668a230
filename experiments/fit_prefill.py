"""Fit the prefill of the A100 timings, linear operators and attention apart, and compare three models with them.

    python -m experiments.fit_prefill ../shared/data/a100_llama2_7b_prefill.csv

1. `linear_ms` depends on the uncached tokens u alone: max(floor, alpha u + beta), by Huber's regression.
2. `attention_ms` depends on the pairs of tokens: gamma (n^2 - c^2) + a constant, likewise; c = 0 in the timings.
3. The model is max(floor, alpha u + gamma (n^2 - c^2) + beta): beta is the sum of both constants, and the floor is
   that of step 1 plus the median attention of the prompts that lie on it. This is `A100_LLAMA2_7B_PREFILL`.
"""

import csv
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from teltheory.calibration.cells import MedianCells
from teltheory.calibration.forms import FORMULAS, as_model, fit_formula
from teltheory.calibration.robust import huber
from teltheory.cost.latency import LatencyModel
from teltheory.cost.latency_files import EMBEDDED
from teltheory.model.numbers import FloatArray
from teltheory.paper.script import markdown, run

COLUMNS = ("prompt_tokens", "linear_ms", "attention_ms")
RANGES = ((1, 64), (72, 128), (136, 256), (264, 504), (512, 1024), (1056, 4096), (1, 4096))


def timings(path: Path) -> FloatArray:
    """Return tokens of each prompt, and the seconds of its linear operators and of its attention; shape (3, m)."""
    with path.open() as file:
        rows = [[float(row[name]) for name in COLUMNS] for row in csv.DictReader(file)]
    columns: FloatArray = np.array(rows).T / np.array([[1], [1000], [1000]])
    return columns


def fitted(tokens: FloatArray, linear: FloatArray, attention: FloatArray) -> LatencyModel:
    """Return the model of the timings, its numbers rounded to seven digits."""
    n = tokens.astype(np.int64)
    alpha, _, beta, floor = fit_formula(FORMULAS["linear-floor"], MedianCells(n, 0 * n, linear, 0 * n + 1))
    pairs = np.stack([tokens**2, np.ones(len(tokens))], axis=1)
    gamma, launch = huber(pairs[None], attention[None], np.ones((1, len(tokens)), np.bool_), (0,))[0]
    on = alpha * tokens + beta < floor
    return as_model(np.array([alpha, gamma, beta + launch, floor + np.median(attention[on])]))


def error_rows(tokens: FloatArray, seconds: FloatArray) -> Iterator[list[str]]:
    """Yield, per range of lengths, the mean and the largest relative error of each model."""
    off = [np.abs(model.ttft(tokens) / seconds - 1) for model in EMBEDDED.values()]
    for low, high in RANGES:
        some = (tokens >= low) & (tokens <= high)
        yield [f"{low:,}-{high:,}", *(f"{errors[some].mean():.1%}, {errors[some].max():.1%}" for errors in off)]


def lines(file: str) -> Iterator[str]:
    """Yield the numbers of the fit and the table of errors."""
    tokens, linear, attention = timings(Path(file))
    model = fitted(tokens, linear, attention)
    for name in ("per_token", "per_pair", "constant", "floor"):
        yield f"{name:9} {float(getattr(model, name)):.6e} s"
    yield "\nMean and largest relative error\n"
    yield from markdown(("tokens", *EMBEDDED), error_rows(tokens, linear + attention), "r" * (1 + len(EMBEDDED)))


if __name__ == "__main__":
    run(lines, __doc__)
