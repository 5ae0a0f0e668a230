"""Fit a decode step of Llama-2-7B on one A100 from the timings of its operators.

    python -m experiments.fit_decode ../shared/data

1. Linear operators of a batch of n requests take a + b n, for n up to 128.
2. Attention of 32 layers takes c + d K, K the tokens of all contexts together. The timings have 8 heads of 8, the
   model 32 of 32: n of its requests are taken for 4 n of theirs, as a kernel has batch and heads in one dimension.
3. The step is a + c, b is per request, d is per token. Both fits are least squares of relative errors.

These are the numbers of `teltheory.cost.decoding.A100_DECODE`.
"""

import csv
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from teltheory.model.numbers import FloatArray
from teltheory.paper.script import run

LAYERS, HEADS, TIMED_HEADS = 32, 32, 8
MOST = 128


def columns(path: Path, *names: str) -> list[FloatArray]:
    """Return columns of a file of timings."""
    with path.open() as file:
        rows = [[float(row[name]) for name in names] for row in csv.DictReader(file)]
    return list(np.array(rows).T)


def linear(folder: Path) -> tuple[FloatArray, FloatArray]:
    """Return requests and seconds of the linear operators."""
    requests, ms = columns(folder / "a100_llama2_7b_decode_linear.csv", "requests", "ms")
    return requests, ms / 1000


def attention(folder: Path) -> tuple[FloatArray, FloatArray]:
    """Return tokens of all contexts and seconds of attention in all layers, of one request or more."""
    file, names = folder / "a100_decode_attention.csv", ("requests", "context", "num_heads", "ms_per_layer")
    requests, context, heads, ms = columns(file, *names)
    whole: FloatArray = requests * (TIMED_HEADS / HEADS)
    used = (heads == TIMED_HEADS) & (whole >= 1)
    return (whole * context)[used], ms[used] * LAYERS / 1000


def line(x: FloatArray, seconds: FloatArray) -> FloatArray:
    """Return the constant and the slope of the line with the least squares of relative errors."""
    rows = np.stack([1 / seconds, x / seconds], axis=1)
    return np.asarray(np.linalg.lstsq(rows, np.ones(len(x)), rcond=None)[0], np.float64)


def off(x: FloatArray, seconds: FloatArray) -> str:
    """Return the mean and the largest relative error of the line."""
    constant, slope = line(x, seconds)
    errors = np.abs((constant + slope * x) / seconds - 1)
    return f"mean error {errors.mean():.1%}, largest {errors.max():.1%}, {len(x)} timings"


def fitted(requests: FloatArray, seconds: FloatArray, tokens: FloatArray, reading: FloatArray) -> dict[str, float]:
    """Return the numbers of `Decode`, rounded to four digits."""
    (a, b), (c, d) = line(requests, seconds), line(tokens, reading)
    numbers = {"step": a + c, "per_request": b, "per_token": d}
    return {name: float(f"{number:.3e}") for name, number in numbers.items()}


def lines(folder: str) -> Iterator[str]:
    """Yield the numbers of the fit and their errors."""
    requests, seconds = linear(Path(folder))
    few = requests <= MOST
    for name, number in fitted(requests[few], seconds[few], *attention(Path(folder))).items():
        yield f"{name:11} {number:.3e} s"
    yield f"linear operators: {off(requests[few], seconds[few])}"
    yield f"attention: {off(*attention(Path(folder)))}"


if __name__ == "__main__":
    run(lines, __doc__)
