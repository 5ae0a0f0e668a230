"""The data of Figures 3 and 4: TTFT against uncached tokens, and how turns and tokens are distributed."""

from collections.abc import Mapping, Sequence

import numpy as np

from teltheory.calibration.cells import MedianCells, cells_of
from teltheory.calibration.runs import read_ttft_runs
from teltheory.model.numbers import FloatArray, IntArray
from teltheory.model.trace import Trace
from teltheory.paper.rows import AtLeast, TimedRow
from teltheory.sweep.sources import Source
from teltheory.workloads import data_folder
from teltheory.workloads.chat_data import WILDCHAT_AT_LEAST

MEASURED: Mapping[str, tuple[str, str | None]] = {
    "vLLM, CPU, 5 M": ("vllm_cpu_ttft.csv", "llama-5M-4L"),
    "vLLM, CPU, 28 M": ("vllm_cpu_ttft.csv", "llama-28M-8L"),
    "A100, 7 B, cold": ("a100_llama2_7b_prefill.csv", None),
}
"""Files of the data folder and the model in each, by what a figure calls them."""

POINTS = 200
"""Most points of a distribution that a table keeps."""


def missing_measurements() -> list[str]:
    """Return the files of Figure 3 that the data folder does not have."""
    files = dict.fromkeys(file for file, _ in MEASURED.values())
    return [str(data_folder() / file) for file in files if not (data_folder() / file).is_file()]


def timed() -> list[TimedRow]:
    """Return Figure 3's points for every series."""
    return [
        row
        for series, (file, model) in MEASURED.items()
        for row in fitted(series, cells_of(read_ttft_runs(data_folder() / file, model=model))[0])
    ]


def fitted(series: str, cells: MedianCells) -> list[TimedRow]:
    """Fit a line to the medians by least squares."""
    u, y = cells.uncached_tokens.astype(np.float64), 1000 * cells.seconds
    slope, constant = np.polynomial.Polynomial.fit(u, y, 1).convert().coef[::-1]
    line = slope * u + constant
    explained = 1 - float(np.sum((y - line) ** 2) / np.sum((y - y.mean()) ** 2))
    tokens = (cells.prompt_tokens.tolist(), cells.cached_tokens.tolist(), cells.uncached_tokens.tolist())
    rows = zip(*tokens, y.tolist(), line.tolist(), (y - line).tolist(), strict=True)
    return [
        TimedRow(series, len(cells), prompt, cached, uncached, median, fit, left, explained)
        for prompt, cached, uncached, median, fit, left in rows
    ]


def distributions(workloads: Mapping[str, Source]) -> list[AtLeast]:
    """Return Figure 4's distributions for workloads by name, and the turns that WildChat's authors publish."""
    published = [(k, share) for k, share in WILDCHAT_AT_LEAST.items()]
    rows = [AtLeast("wildchat-published", "turns", len(published), *row) for row in published]
    for name, source in workloads.items():
        for quantity, values in quantities(source.load()).items():
            kept = thinned(*survival(values))
            rows += [AtLeast(name, quantity, len(kept), *row) for row in kept]
    return rows


def quantities(trace: Trace) -> dict[str, IntArray]:
    """Return turns and tokens of each conversation, prompt and response of each turn."""
    last = trace.next_turn == len(trace)
    return {
        "turns": np.bincount(trace.code),
        "tokens": trace.past[last],
        "prompt": trace.prompt,
        "response": trace.response,
    }


def survival(values: IntArray) -> tuple[IntArray, FloatArray]:
    """Return the different values, ascending, and the share that has at least each."""
    different, counts = np.unique(values, return_counts=True)
    return different, np.cumsum(counts[::-1])[::-1] / max(len(values), 1)


def thinned(values: IntArray, shares: FloatArray) -> Sequence[tuple[int, float]]:
    """Return at most `POINTS` of a distribution, evenly by the logarithm of value plus one, both ends included."""
    if not len(values):
        return []
    place = np.log1p(values)
    wanted = np.linspace(place[0], place[-1], POINTS)
    kept = np.unique(np.clip(np.searchsorted(place, wanted), 0, len(values) - 1))
    return list(zip(values[kept].tolist(), shares[kept].tolist(), strict=True))
