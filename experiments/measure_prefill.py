"""Prefill times of a Llama-shaped decoder with random weights, over total and cached tokens, as CSV.

    python experiments/measure_prefill.py prefill.csv
    python experiments/measure_prefill.py toy.csv --shape toy --device cpu --lengths 64 128

PyTorch only; it is no dependency. One forward pass computes the keys and values of the uncached tokens, attends to
the cached ones, and ends with the next token's number, which is what a time to first token is made of without a
server. Weights are random, as the time doesn't depend on them. Each cell is the median of its repeats, after three
passes that don't count, and the order of cells is shuffled.
"""

import argparse
import csv
import random
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

COLUMNS = ("prompt_tokens", "cached_tokens", "ttft_s", "shape", "dtype", "device")
WARM_UP = 3


class Shape(NamedTuple):
    """Sizes of a decoder with rotary positions, RMS norms and gated feed-forward layers."""

    layers: int
    width: int
    heads: int
    inner: int
    vocabulary: int


SHAPES = {"llama-7b": Shape(32, 4096, 32, 11_008, 32_000), "toy": Shape(2, 64, 4, 172, 512)}


class Decoder:
    """A decoder with random weights and a cache of keys and values for prompts up to `longest` tokens."""

    def __init__(self, torch: Any, shape: Shape, longest: int, device: str, dtype: Any) -> None:
        self.torch, self.shape, self.dim = torch, shape, shape.width // shape.heads
        there = {"device": device, "dtype": dtype}

        def weight(*sizes: int) -> Any:
            return torch.randn(*sizes, **there) * sizes[-1] ** -0.5

        width, inner = shape.width, shape.inner
        self.embedding, self.head = weight(shape.vocabulary, width), weight(shape.vocabulary, width)
        sizes = ((3 * width, width), (width, width), (2 * inner, width), (width, inner))
        self.layers = [[weight(*size) for size in sizes] for _ in range(shape.layers)]
        self.norm = torch.ones(width, **there)
        self.cache = torch.randn(shape.layers, 2, shape.heads, longest, self.dim, **there)
        turns = 10_000.0 ** (-torch.arange(0, self.dim, 2, device=device) / self.dim)
        angles = torch.arange(longest, device=device)[:, None] * turns
        self.cos, self.sin = angles.cos().to(dtype), angles.sin().to(dtype)

    def logits(self, tokens: Any, cached: int) -> Any:
        """Return the logits after `cached` tokens, whose keys and values are there, and `tokens`, shape (u,)."""
        functional, total = self.torch.nn.functional, cached + len(tokens)
        x = self.embedding[tokens]
        for cache, (into, out, up, down) in zip(self.cache, self.layers, strict=True):
            split = (self._normed(x) @ into.T).view(len(tokens), 3, self.shape.heads, self.dim)
            queries, keys, values = split.permute(1, 2, 0, 3)
            cache[0, :, cached:total], cache[1, :, cached:total] = self._turned(keys, cached), values
            attended = self._attention(self._turned(queries, cached), cache[:, None, :, :total], cached)
            x = x + attended.transpose(0, 1).reshape(len(tokens), -1) @ out.T
            gate, value = (self._normed(x) @ up.T).chunk(2, dim=-1)
            x = x + (functional.silu(gate) * value) @ down.T
        return self._normed(x[-1]) @ self.head.T

    def _attention(self, queries: Any, cache: Any, cached: int) -> Any:
        """Attend from tokens cached, cached + 1, ... to all before and at them."""
        from torch.nn.attention.bias import causal_lower_right

        mask = causal_lower_right(queries.shape[1], cached + queries.shape[1]) if cached else None
        attend = self.torch.nn.functional.scaled_dot_product_attention
        return attend(queries[None], cache[0], cache[1], attn_mask=mask, is_causal=not cached)[0]

    def _normed(self, x: Any) -> Any:
        return self.torch.nn.functional.rms_norm(x, (self.shape.width,), self.norm)

    def _turned(self, x: Any, first: int) -> Any:
        """Rotate pairs of each head, shape (heads, u, dim), by their positions from `first` on."""
        cos, sin = (table[first : first + x.shape[1]] for table in (self.cos, self.sin))
        even, odd = x.chunk(2, dim=-1)
        return self.torch.cat((even * cos - odd * sin, odd * cos + even * sin), dim=-1)


def seconds(torch: Any, decoder: Decoder, prompt: Any, cached: int) -> float:
    """Return how long the first token takes, `prompt` of shape (n,) with its first `cached` tokens cached."""
    if prompt.is_cuda:
        torch.cuda.synchronize()
    start = time.perf_counter()
    int(decoder.logits(prompt[cached:], cached).argmax())  # waits until a GPU is done
    return time.perf_counter() - start


def rows(torch: Any, asked: argparse.Namespace) -> Iterator[tuple[int, int, float]]:
    """Yield prompt tokens, cached tokens and median seconds of each cell, in ascending order."""
    cells = sorted({(n, int(share * n)) for n in asked.lengths for share in asked.shares})
    shape, longest = SHAPES[asked.shape], max(asked.lengths)
    decoder = Decoder(torch, shape, longest, asked.device, getattr(torch, asked.dtype))
    prompt = torch.randint(shape.vocabulary, (longest,), device=asked.device)
    times: dict[tuple[int, int], list[float]] = {cell: [] for cell in cells}
    order = random.Random(0)
    for _ in range(WARM_UP + asked.repeats):
        for n, cached in order.sample(cells, len(cells)):
            times[n, cached].append(seconds(torch, decoder, prompt[:n], cached))
    for cell in cells:
        yield *cell, statistics.median(times[cell][WARM_UP:])


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("out", type=Path, help="the CSV file to write")
    parser.add_argument("--shape", choices=SHAPES, default="llama-7b")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--dtype", default="bfloat16", choices=("bfloat16", "float16", "float32"))
    parser.add_argument("--lengths", type=int, nargs="+", default=[256, 512, 1024, 2048, 4096, 8192])
    parser.add_argument("--shares", type=float, nargs="+", default=[0, 0.25, 0.5, 0.75, 0.9], help="cached")
    parser.add_argument("--repeats", type=int, default=15)
    return parser.parse_args()


def main() -> int:
    """Write the CSV; return the exit code."""
    asked = arguments()
    try:
        import torch
    except ModuleNotFoundError:
        sys.stderr.write("measure_prefill needs PyTorch: pip install torch\n")
        return 2
    if asked.device == "cuda" and not torch.cuda.is_available():
        sys.stderr.write("measure_prefill found no CUDA device; a small trial: --shape toy --device cpu\n")
        return 2
    device = torch.cuda.get_device_name() if asked.device == "cuda" else f"CPU, {torch.get_num_threads()} threads"
    with torch.inference_mode(), asked.out.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for n, cached, took in rows(torch, asked):
            writer.writerow((n, cached, f"{took:.9f}", asked.shape, asked.dtype, device))
    return 0


if __name__ == "__main__":
    sys.exit(main())
