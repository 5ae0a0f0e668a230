"""The latency models that come with the toolkit, by the names that the command line knows them by."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from teltheory.cost.attention import A100_LLAMA2_7B_ATTENTION
from teltheory.cost.latency import A100_LLAMA2_7B, LatencyModel
from teltheory.cost.latency_files import read_latency
from teltheory.cost.latency_table import TableLatency
from teltheory.errors import ArgumentError, printable

EMBEDDED: dict[str, LatencyModel | TableLatency] = {
    "a100-llama2-7b": A100_LLAMA2_7B,
    "a100-llama2-7b-attention": A100_LLAMA2_7B_ATTENTION,
}
MEASURED = {"llama-2-7b": A100_LLAMA2_7B, "vicuna-7b": A100_LLAMA2_7B}
"""Latencies by the model that they are right for; Vicuna is Llama 2 with other weights of the same shape."""


def latency_named(text: str) -> LatencyModel | TableLatency:
    """Return an embedded model by its name, or that of a JSON file, which is its name if it has none."""
    if text in EMBEDDED:
        return EMBEDDED[text]
    if Path(text).suffix != ".json":
        raise ArgumentError("--latency", text, f"{', '.join(EMBEDDED)} or a file that ends in .json")
    model = read_latency(text)
    return replace(model, name=printable(model.name or Path(text).name))
