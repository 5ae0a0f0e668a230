"""Single calls: background load, and popular applications with long instructions (Parrot, Section 8.3).

1. Bing-like: one prompt of about 6,000 tokens that all users share but for their own part; outputs 180 to 800.
2. GPTs-like: four applications, each with its own prompt, in equal shares, as a Poisson process.
3. Chat: prompts and outputs of a chat service; nothing is shared.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from teltheory.systems.apps.workloads.application import ClientApp, call, text

GPTS = {
    "productivity": (7_437, 7, 704),
    "image": (1_116, 8, 89),
    "programming": (1_694, 4, 631),
    "data": (2_031, 4, 416),
}
"""Tokens of prompt, query and output; the authors' `top4.json`."""
BING_SHARED, BING_OWN, BING_OUTPUT = 5_400, (100, 600), (183, 192, 209, 253, 360, 619, 800)
"""Shared tokens, own ones, and outputs of the authors' 64 calls: the quantiles `QUANTILES`."""
QUANTILES = (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0)
CHAT_PROMPT, CHAT_OUTPUT = 60.0, 200.0
"""Medians of a first turn of at most 1,024 tokens; both lognormal with sigma 1, and assumed."""


def single(
    name: str, shared: str, own: str, output: int, get: str = "latency", arrival: float = 0.0, kind: str = "chat"
) -> ClientApp:
    """Return an application of one call: a shared text, then an input of its own."""
    parts = (*((shared,) if shared else ()), ("input", "query"))
    return ClientApp((call(0, parts, name, output),), {name: get}, {"query": own}, arrival, kind)


def background(
    rate: float, seconds: float, rng: np.random.Generator, prompt: int = 512, output: int = 50
) -> list[ClientApp]:
    """Return calls of other applications as a Poisson process; the seed's are of 512 words and 50 tokens."""
    times = _poisson(rate, seconds, rng)
    return [
        single("o", "", text(f"background {i}", prompt), output, arrival=at, kind="background")
        for i, at in enumerate(times)
    ]


def bing_like(users: int, rng: np.random.Generator) -> list[ClientApp]:
    """Return calls that share one long prompt, all at once."""
    shared, own = text("search copilot", BING_SHARED), rng.integers(*BING_OWN, users, endpoint=True)
    outputs = np.interp(rng.random(users), QUANTILES, BING_OUTPUT).astype(int)
    sizes = enumerate(zip(own.tolist(), outputs.tolist(), strict=True))
    return [single("o", shared, text(f"user {i}", n), out, "throughput", 0.0, "bing") for i, (n, out) in sizes]


def gpts_like(rate: float, calls: int, rng: np.random.Generator, get: str = "throughput") -> list[ClientApp]:
    """Return so many calls of four applications, as a Poisson process of a rate a second."""
    times = np.cumsum(rng.exponential(1.0, calls)) / rate
    which = rng.integers(len(GPTS), size=calls).tolist()
    sizes = [(name, *GPTS[name]) for name in GPTS]
    drawn = [(i, at, *sizes[a]) for i, (a, at) in enumerate(zip(which, times.tolist(), strict=True))]
    return [
        single("o", text(name, prompt), text(f"q{i}", query), output, get, at, name)
        for i, at, name, prompt, query, output in drawn
    ]


def chat(calls: int, every: float, rng: np.random.Generator, get: str = "latency") -> list[ClientApp]:
    """Return calls of a chat service, one each `every` seconds, with lengths as `CHAT_PROMPT` says."""
    prompts = np.clip(rng.lognormal(np.log(CHAT_PROMPT), 1.0, calls), 4, 1024).astype(int).tolist()
    outputs = np.clip(rng.lognormal(np.log(CHAT_OUTPUT), 1.0, calls), 4, 1024).astype(int).tolist()
    sizes = enumerate(zip(prompts, outputs, strict=True))
    return [single("o", "", text(f"chat {i}", n), out, get, i * every) for i, (n, out) in sizes]


def _poisson(rate: float, seconds: float, rng: np.random.Generator) -> Iterator[float]:
    at = float(rng.exponential(1 / rate)) if rate else seconds
    while at < seconds:
        yield at
        at += float(rng.exponential(1 / rate))
