"""Summaries of long documents, as chains and as map and reduce (Parrot, Sections 8.2 and 8.3).

1. Chain: call i reads the instructions, the summary so far and chunk i, and writes the next summary.
2. Map and reduce: each chunk is summarised on its own; one call reads all summaries.

Lengths are in tokens. The instructions are the same for every document, so that a server can share them.
"""

from __future__ import annotations

from teltheory.systems.apps.workloads.application import ClientApp, Piece, call, text

INSTRUCTIONS = 40
"""Tokens before the first variable; the prompts in the authors' scripts have 20 to 60."""


def chain_summary(
    document: str, chunks: int, chunk: int = 440, output: int = 50, get: str = "latency", arrival: float = 0.0
) -> ClientApp:
    """Return a chain over a document.

    Parameters
    ----------
    document : str
        Its name: chunks of documents with different names have nothing in common.
    chunks, chunk, output : int
        Calls, and tokens of each chunk and of each summary. Chunks of "1,024 tokens" are about 440 in the timings
        that the authors released.
    get : str
        The criterion of the last summary.
    arrival : float
        Seconds.
    """
    first = text("chain first", INSTRUCTIONS), ("input", "c0")
    requests = [call(0, first, "s0", output)]
    for i in range(1, chunks):
        parts = text("chain next", INSTRUCTIONS), ("input", f"s{i - 1}"), ("input", f"c{i}")
        requests.append(call(i, parts, f"s{i}", output))
    values = {f"c{i}": text(f"{document} {i}", chunk) for i in range(chunks)}
    return ClientApp(tuple(requests), {f"s{chunks - 1}": get}, values, arrival, "chain")


def map_reduce(
    document: str, chunks: int, chunk: int = 440, output: int = 50, get: str = "latency", arrival: float = 0.0
) -> ClientApp:
    """Return a summary by map and reduce; the arguments are those of `chain_summary`."""
    maps = [call(i, (text("map", INSTRUCTIONS), ("input", f"c{i}")), f"m{i}", output) for i in range(chunks)]
    parts: tuple[Piece, ...] = (text("reduce", INSTRUCTIONS), *(("input", f"m{i}") for i in range(chunks)))
    values = {f"c{i}": text(f"{document} {i}", chunk) for i in range(chunks)}
    requests = (*maps, call(chunks, parts, "summary", output))
    return ClientApp(requests, {"summary": get}, values, arrival, "map-reduce")
