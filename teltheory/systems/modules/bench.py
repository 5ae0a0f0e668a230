"""Times to the first token with modules kept and without, interleaved in one process, on drawn tokens.

A schema has modules of `MODULE` tokens, each in a union with a longer one that no prompt imports, so that a prompt
has gaps. Of each cell, kept tokens and fresh ones, four things are timed in a new order each time:

=======  ===============================================================================================
way      what is timed
=======  ===============================================================================================
full     all tokens in one pass, one after another: no cache, no gaps
gaps     all tokens in one pass, at the schema's positions
cached   kept keys and values copied into a buffer, and the fresh tokens computed
cold     encoding each module by itself (way "alone"), which the first use of a schema costs, without an answer
=======  ===============================================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from random import Random
from statistics import median
from time import perf_counter, process_time

from teltheory.errors import ArgumentError
from teltheory.model.numbers import whole_number
from teltheory.systems.modules.items import PromptPlan, plan
from teltheory.systems.modules.pml.layout import layout
from teltheory.systems.modules.pml.prompt import read_prompt, resolve
from teltheory.systems.modules.pml.reading import read_schema
from teltheory.systems.modules.pml.tokens import Tokenizer
from teltheory.systems.modules.runtime import Buffer, Model, encode, prefill
from teltheory.systems.modules.runtime.full import prefill_full

MODULE, GAP = 128, 16
"""Tokens of a module, and empty positions behind it."""
WAYS = ("full", "gaps", "cached", "cold")


@dataclass(frozen=True)
class BenchCell:
    """A prompt: tokens that are kept, and tokens that are fresh."""

    kept: int
    fresh: int


@dataclass(frozen=True)
class Timed:
    """Seconds of each repeat of a way in a cell, on the clock and of the processor."""

    cell: BenchCell
    way: str
    wall: tuple[float, ...]
    cpu: tuple[float, ...]

    @property
    def seconds(self) -> float:
        """Median of the clock."""
        return median(self.wall)


def drawn_tokenizer(tokenizer: Tokenizer, vocabulary: int) -> Tokenizer:
    """Return a tokenizer that makes of the text "5 seed" five random tokens, the same for the same seed."""

    def encode(text: str) -> list[int]:
        number, _, own = text.strip().partition(" ")
        draws = Random(own)
        return [draws.randrange(vocabulary) for _ in range(int(number))]

    return Tokenizer("drawn", encode, tokenizer.decode, tokenizer.unknown, tokenizer.end)


def drawn_prompts(
    tokenizer: Tokenizer, vocabulary: int, cell: BenchCell, seed: int = 0, number: int = 1
) -> list[PromptPlan]:
    """Return prompts of random tokens whose kept ones are in modules that they share, with a gap behind each."""
    drawn = drawn_tokenizer(tokenizer, vocabulary)
    sizes = [min(MODULE, cell.kept - at) for at in range(0, cell.kept, MODULE)]
    unions = "".join(
        f'<union><module name="m{k}">{size} {seed}-{k}</module><module name="o{k}">{size + GAP} o</module></union>'
        for k, size in enumerate(sizes)
    )
    schema = layout(read_schema(f'<schema name="drawn">{unions}</schema>'), drawn)
    imports = "".join(f"<m{k}/>" for k in range(len(sizes)))
    texts = [f'<prompt schema="drawn">{imports}{cell.fresh} {seed}-new-{k}</prompt>' for k in range(number)]
    return [plan(resolve(read_prompt(text), schema)) for text in texts]


def timed(
    model: Model,
    cells: Sequence[BenchCell],
    repeats: int = 5,
    seed: int = 0,
    track: Callable[[Iterable[BenchCell]], Iterable[BenchCell]] = iter,
) -> list[Timed]:
    """Time each way in each cell.

    Parameters
    ----------
    model : Model
        The model.
    cells : sequence of Cell
        Prompts.
    repeats : int
        How often each way is timed, after one pass that does not count.
    seed : int
        Seed of the tokens and of the order.
    track : callable
        Takes the cells and yields them, as a progress bar does.

    Raises
    ------
    ArgumentError
        A prompt without a fresh token, or one of more positions than the model has.
    """
    repeats = whole_number("repeats", repeats)
    if repeats < 1:
        raise ArgumentError("repeats", repeats, "1 or more")
    for cell in cells:
        if cell.fresh < 1:
            raise ArgumentError("fresh", cell.fresh, "1 token or more")
        model.check_positions("kept", cell.kept + -(-cell.kept // MODULE) * GAP + cell.fresh)
    return [one for cell in track(cells) for one in _timed(model, cell, repeats, Random(seed))]


def _timed(model: Model, cell: BenchCell, repeats: int, draws: Random) -> list[Timed]:
    seed, vocabulary = draws.randrange(2**30), model.module.config.vocab_size
    work = _work(model, drawn_prompts(model.tokenizer, vocabulary, cell, seed)[0])
    found: dict[str, list[tuple[float, float]]] = {way: [] for way in WAYS}
    for repeat in range(repeats + 1):
        for way in draws.sample(WAYS, len(WAYS)):
            seconds = stopwatch(work[way])
            if repeat:
                found[way].append(seconds)
    return [Timed(cell, way, *zip(*found[way], strict=True)) for way in WAYS]


def _work(model: Model, planned: PromptPlan) -> dict[str, Callable[[], object]]:
    """Return what is timed; all answers go into one buffer."""
    buffer, schema, asked = model.buffer(), planned.resolved.layout, planned.resolved
    kept = encode(model, schema, planned.items)

    def first_token(prefilled: Callable[[Buffer], object]) -> int:
        return int(prefilled(buffer).logits.argmax())  # type: ignore[attr-defined]

    return {
        "full": partial(first_token, lambda buffer: prefill_full(model, asked, buffer=buffer)),
        "gaps": partial(first_token, lambda buffer: prefill_full(model, asked, gaps=True, buffer=buffer)),
        "cached": partial(first_token, lambda buffer: prefill(model, planned, kept, buffer)),
        "cold": lambda: encode(model, schema, planned.items),
    }


def stopwatch(work: Callable[[], object]) -> tuple[float, float]:
    """Return seconds of the clock and of the processor that some work takes."""
    wall, cpu = perf_counter(), process_time()
    work()
    return perf_counter() - wall, process_time() - cpu
