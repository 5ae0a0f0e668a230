"""Whether measured TTFTs are linear in the uncached tokens (Section 2 and Figure 3).

The share of the variance that the best line explains is the squared correlation, and that is computed in fractions
from the medians of equal requests, so no fit stands between the data and the verdict. A table without cached
tokens decides only the cold case.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from operator import mul
from pathlib import Path
from typing import Any

from teltheory.calibration.cells import MedianCells, cells_of
from teltheory.calibration.runs import read_ttft_runs
from teltheory.claims.claim import Values, rows
from teltheory.claims.data_files import data_file
from teltheory.claims.listed import Listed, ToldCase
from teltheory.claims.origin import reading

LINEAR_ENOUGH = Fraction(99, 100)
SOURCE = "Section 2, Figure 3"


@dataclass(frozen=True)
class Measured(ToldCase):
    """The requests to one model (None: the file has one) in a file of the data folder."""

    file: str
    model: str | None

    @property
    def cells(self) -> MedianCells:
        """The medians of equal requests."""
        return _cells(data_file(self.file), self.model)

    def measures(self) -> dict[str, int]:
        return {"cells": len(self.cells)}

    def as_counterexample(self, values: Values) -> dict[str, Any]:
        found = {name: f"{float(value):.6f}" for name, value in values.items()}
        return {"file": self.file, "model": self.model, **self.measures(), "values": found}


@cache
def _cells(file: Path, model: str | None) -> MedianCells:
    return cells_of(read_ttft_runs(file, model=model))[0]


def measured(file: str, models: tuple[str | None, ...], what: str) -> Listed[Measured]:
    """Return the models of a file in the data folder, as one class; `what` was measured, in words."""

    def up_to(models: tuple[str | None, ...]) -> Iterator[list[Measured]]:
        data_file(file)
        yield [Measured(file, model) for model in models]

    return Listed(up_to, models, models, f"{file}: {what}")


def explained(cells: MedianCells) -> Fraction:
    """Return R^2 of the best line through (u, median TTFT), the squared correlation."""
    u = [Fraction(int(value)) for value in cells.uncached_tokens]
    y = [Fraction(repr(float(value))) for value in cells.seconds]
    left, right = ([value - sum(column, Fraction(0)) / len(column) for value in column] for column in (u, y))
    return _product(left, right) ** 2 / (_product(left, left) * _product(right, right))


def _product(left: Sequence[Fraction], right: Sequence[Fraction]) -> Fraction:
    return sum(map(mul, left, right), Fraction(0))


def is_linear(values: Values) -> bool:
    """Whether a line explains at least 99 % of the variance."""
    return bool(values["R^2"] >= LINEAR_ENOUGH)


def squared_correlation(case: Measured) -> Values:
    """Compute R^2."""
    return {"R^2": explained(case.cells)}


row = rows(source=SOURCE, relation=is_linear)

vllm_cpu = row(
    "figure-3.vllm-cpu",
    "TTFT is linear in the uncached tokens, R^2 >= 0.99 on the medians of equal requests: vLLM 0.32 on two CPU "
    "cores, 0 to 98 % of the prompt cached.",
    space=measured(
        "vllm_cpu_ttft.csv",
        ("llama-28M-8L", "llama-5M-4L"),
        "420 requests to two models, medians of 34 cells of each",
    ),
    origin=reading("roughly linear: R^2 >= 0.99 on medians, on a server that is not the paper's"),
)(squared_correlation)

a100_cold = row(
    "figure-3.a100-cold",
    "TTFT is linear in the tokens of a prompt of which nothing is cached, R^2 >= 0.99: prefill of Llama-2-7B on "
    "an A100, composed of operators' timings, 1 to 4,096 tokens.",
    space=measured("a100_llama2_7b_prefill.csv", (None,), "259 lengths, nothing cached"),
    origin=reading("roughly linear: R^2 >= 0.99, where nothing is cached"),
)(squared_correlation)
