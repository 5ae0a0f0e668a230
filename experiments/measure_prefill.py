"""Prefill times of a Llama-shaped decoder with random weights, over total and cached tokens, as CSV.

    python experiments/measure_prefill.py --out prefill.csv
    python experiments/measure_prefill.py --shape toy --device cpu --lengths 64,128 --out toy.csv

PyTorch only; it is no dependency. One forward pass computes the keys and values of the uncached tokens, attends to
the cached ones, and ends with the next token's number, which is what a time to first token is made of without a
server. Weights are random, as the time doesn't depend on them. Times are from CUDA events, or from the clock on a
CPU; each cell is the median of its repeats, after warm-up, and the order of cells is shuffled.
"""

from __future__ import annotations

import argparse
import csv
import random
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

COLUMNS = ("prompt_tokens", "cached_tokens", "ttft_s", "shape", "dtype", "device")


@dataclass(frozen=True)
class Shape:
    """Sizes of a decoder with rotary positions, RMS norms and gated feed-forward layers."""

    layers: int
    width: int
    heads: int
    inner: int
    vocabulary: int


SHAPES = {
    "llama-7b": Shape(layers=32, width=4096, heads=32, inner=11_008, vocabulary=32_000),
    "toy": Shape(layers=2, width=64, heads=4, inner=172, vocabulary=512),
}


class Decoder:
    """A decoder with random weights and a cache of keys and values for prompts up to `longest` tokens."""

    def __init__(self, torch: Any, shape: Shape, longest: int, device: str, dtype: Any) -> None:
        self.torch, self.shape, self.dim = torch, shape, shape.width // shape.heads

        def weight(*sizes: int) -> Any:
            return torch.randn(*sizes, device=device, dtype=dtype) * sizes[-1] ** -0.5

        width, inner = shape.width, shape.inner
        self.embedding, self.head = weight(shape.vocabulary, width), weight(shape.vocabulary, width)
        sizes = ((3 * width, width), (width, width), (2 * inner, width), (width, inner))
        self.layers = [[weight(*size) for size in sizes] for _ in range(shape.layers)]
        self.norm = torch.ones(width, device=device, dtype=dtype)
        cache = (shape.layers, 2, shape.heads, longest, self.dim)
        self.cache = torch.randn(*cache, device=device, dtype=dtype)
        turns = 10_000.0 ** (-torch.arange(0, self.dim, 2, device=device, dtype=torch.float32) / self.dim)
        angles = torch.arange(longest, device=device, dtype=torch.float32)[:, None] * turns
        self.cos, self.sin = angles.cos().to(dtype), angles.sin().to(dtype)

    def logits(self, tokens: Any, cached: int) -> Any:
        """Return the logits after `cached` tokens, whose keys and values are there, and `tokens`, shape (u,)."""
        x = self.embedding[tokens]
        for number, weights in enumerate(self.layers):
            x = self._layer(x, weights, self.cache[number], cached)
        return self._normed(x[-1]) @ self.head.T

    def _layer(self, x: Any, weights: Sequence[Any], cache: Any, cached: int) -> Any:
        queries_keys_values, out, up, down = weights
        count = x.shape[0]
        total = cached + count
        split = (
            (self._normed(x) @ queries_keys_values.T)
            .view(count, 3, self.shape.heads, self.dim)
            .permute(1, 2, 0, 3)
        )
        queries, keys = self._turned(split[0], cached), self._turned(split[1], cached)
        cache[0, :, cached:total], cache[1, :, cached:total] = keys, split[2]
        x = x + self._attention(queries, cache[:, :, :total], cached).transpose(0, 1).reshape(count, -1) @ out.T
        gate, value = (self._normed(x) @ up.T).chunk(2, dim=-1)
        return x + (self.torch.nn.functional.silu(gate) * value) @ down.T

    def _attention(self, queries: Any, cache: Any, cached: int) -> Any:
        """Attend from tokens cached, cached + 1, ... to all before and at them."""
        attend = self.torch.nn.functional.scaled_dot_product_attention
        if cached == 0:
            return attend(queries[None], cache[0][None], cache[1][None], is_causal=True)[0]
        mask = self._mask(queries.shape[1], cached)
        return attend(queries[None], cache[0][None], cache[1][None], attn_mask=mask)[0]

    def _mask(self, count: int, cached: int) -> Any:
        """Return what attends with the causal diagonal in the lower right corner, as a kernel knows it."""
        from torch.nn.attention.bias import causal_lower_right

        return causal_lower_right(count, cached + count)

    def _normed(self, x: Any) -> Any:
        return self.torch.nn.functional.rms_norm(x, (self.shape.width,), self.norm)

    def _turned(self, x: Any, first: int) -> Any:
        """Rotate pairs of each head, shape (heads, u, dim), by their positions from `first` on."""
        cos, sin = (table[first : first + x.shape[1]] for table in (self.cos, self.sin))
        even, odd = x.chunk(2, dim=-1)
        return self.torch.cat((even * cos - odd * sin, odd * cos + even * sin), dim=-1)


def seconds(torch: Any, decoder: Decoder, prompt: Any, cached: int) -> float:
    """Return how long the first token takes, `prompt` of shape (n,) with its first `cached` tokens cached."""
    if prompt.device.type == "cuda":
        began, ended = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        torch.cuda.synchronize()
        began.record()
        decoder.logits(prompt[cached:], cached).argmax()
        ended.record()
        torch.cuda.synchronize()
        return float(began.elapsed_time(ended)) / 1000
    start = time.perf_counter()
    int(decoder.logits(prompt[cached:], cached).argmax())
    return time.perf_counter() - start


def rows(torch: Any, asked: argparse.Namespace) -> Iterator[tuple[int, int, float]]:
    """Yield prompt tokens, cached tokens and median seconds of each cell, in ascending order."""
    dtype = getattr(torch, asked.dtype)
    cells = sorted({(n, int(share * n)) for n in asked.lengths for share in asked.shares})
    decoder = Decoder(torch, SHAPES[asked.shape], max(asked.lengths), asked.device, dtype)
    prompt = torch.randint(SHAPES[asked.shape].vocabulary, (max(asked.lengths),), device=asked.device)
    times: dict[tuple[int, int], list[float]] = {cell: [] for cell in cells}
    order = random.Random(asked.seed)
    for number in range(asked.warm_up + asked.repeats):
        for n, cached in order.sample(cells, len(cells)):
            took = seconds(torch, decoder, prompt[:n], cached)
            if number >= asked.warm_up:
                times[n, cached].append(took)
    for cell in cells:
        yield *cell, statistics.median(times[cell])


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, required=True, help="the CSV file to write")
    parser.add_argument("--shape", choices=SHAPES, default="llama-7b")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--dtype", default="bfloat16", choices=("bfloat16", "float16", "float32"))
    parser.add_argument(
        "--lengths", type=_numbers(int), default=[256, 512, 1024, 2048, 4096, 8192], help="256,512"
    )
    parser.add_argument("--shares", type=_numbers(float), default=[0, 0.25, 0.5, 0.75, 0.9], help="0,0.5")
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--warm-up", type=int, default=3, help="passes that don't count")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    if min(asked.lengths) < 1 or not all(0 <= share < 1 for share in asked.shares):
        parser.error("lengths must be positive, and shares at least 0 and below 1")
    return asked


def _numbers(kind: type) -> Any:
    def numbers(text: str) -> list[Any]:
        return [kind(part) for part in text.split(",")]

    return numbers


def device_name(torch: Any, device: str) -> str:
    """Return the name of the device, as the column `device` has it."""
    return (
        str(torch.cuda.get_device_name(device))
        if device.startswith("cuda")
        else f"CPU, {torch.get_num_threads()} threads"
    )


def main() -> int:
    """Write the CSV; return the exit code."""
    asked = arguments()
    try:
        import torch
    except ModuleNotFoundError:
        sys.stderr.write("measure_prefill needs PyTorch: pip install torch\n")
        return 2
    if asked.device.startswith("cuda") and not torch.cuda.is_available():
        sys.stderr.write("measure_prefill found no CUDA device; a small trial: --shape toy --device cpu\n")
        return 2
    torch.manual_seed(asked.seed)
    about = (asked.shape, asked.dtype, device_name(torch, asked.device))
    with torch.inference_mode(), asked.out.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for n, cached, took in rows(torch, asked):
            writer.writerow((n, cached, f"{took:.9f}", *about))
    return 0


if __name__ == "__main__":
    sys.exit(main())
