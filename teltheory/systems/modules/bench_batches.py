"""Batches that share modules, together and one by one: memory of keys and values, and throughput."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from random import Random

from teltheory.errors import ArgumentError
from teltheory.systems.modules.bench import BenchCell, drawn_prompts, stopwatch
from teltheory.systems.modules.items import PromptPlan
from teltheory.systems.modules.runtime import Model, decode, encode, prefill
from teltheory.systems.modules.runtime.batch import decode_together, prefill_together


@dataclass(frozen=True)
class PromptBatch:
    """A batch of prompts with the same kept modules.

    Attributes
    ----------
    prompts : int
        How many.
    together_bytes, alone_bytes : int
        Keys and values at the end of decoding: of one sequence that has each module once, and of all prompts if
        each has its own copy.
    together, alone : tuple of float
        Seconds on the clock of each repeat, prefill and decoding.
    """

    prompts: int
    together_bytes: int
    alone_bytes: int
    together: tuple[float, ...]
    alone: tuple[float, ...]


def batches(
    model: Model, sizes: Iterable[int], shared: tuple[int, int, int], repeats: int = 5, seed: int = 0
) -> Iterator[PromptBatch]:
    """Yield batches by size, both ways interleaved.

    Parameters
    ----------
    model : Model
        The model; answers do not end before all their tokens are there.
    sizes : iterable of int
        Prompts of each batch.
    shared : three int
        Of each prompt: kept tokens, fresh tokens, tokens of its answer.
    repeats : int
        How often each way is timed, after one pass that does not count.
    seed : int
        Seed of the tokens and of the order.

    Raises
    ------
    ArgumentError
        A batch of no prompt.
    """
    endless = replace(model, tokenizer=replace(model.tokenizer, end=None))
    for size in sizes:
        if size < 1:
            raise ArgumentError("batch", size, "1 prompt or more")
        plans = drawn_prompts(model.tokenizer, model.module.config.vocab_size, BenchCell(*shared[:2]), seed, size)
        yield _batch(endless, plans, shared[2], repeats, Random(seed))


def _batch(model: Model, plans: list[PromptPlan], tokens: int, repeats: int, draws: Random) -> PromptBatch:
    kept = encode(model, plans[0].resolved.layout, plans[0].items)
    buffers = {name: model.buffer() for name in ("together", "alone")}

    def together() -> None:
        decode_together(model, prefill_together(model, plans, kept, buffers["together"]), tokens)

    def alone() -> None:
        for plan in plans:
            decode(model, prefill(model, plan, kept, buffers["alone"]), tokens)

    work = {"together": together, "alone": alone}
    found: dict[str, list[float]] = {name: [] for name in work}
    for repeat in range(repeats + 1):
        for name in draws.sample(list(work), len(work)):
            seconds, _ = stopwatch(work[name])
            if repeat:
                found[name].append(seconds)
    used = {name: buffer.used * model.token_bytes for name, buffer in buffers.items()}
    times = {name: tuple(seconds) for name, seconds in found.items()}
    return PromptBatch(len(plans), used["together"], len(plans) * used["alone"], **times)
