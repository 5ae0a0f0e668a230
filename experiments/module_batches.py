"""Prompts of modules in batches: memory with shared modules and without, and time beside one prompt after another.

    python -m experiments.module_batches FILE

SmolLM2-135M, float32, one thread, drawn tokens, one schema a cell. Each prompt imports `shared` tokens that all
import and `own` tokens that it alone imports (members of one union: the same positions), and has `FRESH` new ones;
`DECODED` are decoded, the first of them from the prefill. Items are encoded before. FILE gets a row a repeat, with
seconds of the clock and of the processor; the table has medians of the processor's, which other work on the
machine changes less.

*Together* is one sequence with a mask over everything; *one by one* is the same prompts after each other, each
with its own keys and values alone. Both take the same items, in turn.
"""

import csv
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from teltheory.base.extras import needed
from teltheory.paper.script import markdown, run
from teltheory.systems.modules import PromptPlan, layout, plan, read_prompt, read_schema, resolve
from teltheory.systems.modules.bench import drawn_tokenizer, stopwatch
from teltheory.systems.modules.runtime import (
    Model,
    decode,
    decode_together,
    encode,
    load_model,
    prefill,
    prefill_together,
    tokens_together,
)

CELLS = ((512, 0), (0, 512))
"""Shared and own tokens of a prompt."""
BATCHES = (1, 4, 16)
FRESH, DECODED, REPEATS = 32, 8, 3
Work = Callable[[Any, list[Any]], Any]
"""Takes what is asked and what was done before, and adds to that."""


class Row(NamedTuple):
    """One repeat: prompts, tokens of each, bytes of keys and values, seconds of the clock and of the processor."""

    prompts: int
    shared: int
    own: int
    fresh: int
    decoded: int
    bytes_together: int
    bytes_apart: int
    way: str
    repeat: int
    prefill_s: float
    prefill_cpu_s: float
    decode_s: float
    decode_cpu_s: float


def planned(model: Model, shared: int, own: int) -> list[PromptPlan]:
    """Return as many prompts as the largest batch has."""
    tokenizer = drawn_tokenizer(model.tokenizer, model.module.config.vocab_size)
    members = "".join(f'<module name="m{k}">{own} {k}</module>' for k in range(max(BATCHES)))
    union = f"<union>{members}</union>" if own else ""
    all_of = f'<module name="all">{shared} all</module>' if shared else ""
    laid = layout(read_schema(f'<schema name="drawn">{all_of}{union}</schema>'), tokenizer)
    imports = [("<all/>" if shared else "") + (f"<m{k}/>" if own else "") for k in range(max(BATCHES))]
    sources = (f'<prompt schema="drawn">{modules}{FRESH} new-{k}</prompt>' for k, modules in enumerate(imports))
    return [plan(resolve(read_prompt(source), laid)) for source in sources]


def measured(model: Model, plans: Sequence[PromptPlan], shared: int, own: int) -> Iterator[Row]:
    """Yield the rows of one batch, after a round that does not count."""
    buffer = model.buffer()
    kept = encode(model, plans[0].resolved.layout, list(dict.fromkeys(i for one in plans for i in one.items)))
    together, apart = (tokens * model.token_bytes for tokens in tokens_together(plans))
    works: dict[str, tuple[list[Any], Work, Work]] = {
        "together": (
            [plans],
            lambda asked, done: done.append(prefill_together(model, asked, kept, buffer)),
            lambda asked, done: decode_together(model, done[-1], DECODED),
        ),
        "one by one": (
            list(plans),
            lambda asked, done: done.append(prefill(model, asked, kept, buffer)),
            lambda asked, done: decode(model, done[-1], DECODED),
        ),
    }
    for repeat in range(-1, REPEATS):
        for way, work in works.items():
            spent = seconds(*work)
            if repeat >= 0:
                yield Row(len(plans), shared, own, FRESH, DECODED, together, apart, way, repeat, *spent)


def seconds(asked: Sequence[Any], *works: Work) -> list[float]:
    """Return, for each work, seconds of the clock and of the processor, over all that is asked."""
    spent, done = [0.0] * (2 * len(works)), list[Any]()
    for one in asked:
        for k, work in enumerate(works):
            wall, cpu = stopwatch(partial(work, one, done))
            spent[2 * k] += wall
            spent[2 * k + 1] += cpu
    return spent


def all_rows() -> Iterator[Row]:
    """Yield the rows of the grid."""
    needed("torch", "modules").set_num_threads(1)
    model = load_model("smollm2")
    endless = replace(model, tokenizer=replace(model.tokenizer, end=None))
    for shared, own in CELLS:
        plans = planned(endless, shared, own)
        for prompts in BATCHES:
            yield from measured(endless, plans[:prompts], shared, own)


def cells(rows: Sequence[Row]) -> Iterator[list[str]]:
    """Yield the lines of the table, medians over the repeats."""
    for (shared, own, prompts), group in groupby(rows, lambda row: (row.shared, row.own, row.prompts)):
        repeats = list(group)
        yield (
            [f"{shared} + {own}", str(prompts)]
            + [f"{size / 2**20:,.0f}" for size in (repeats[0].bytes_together, repeats[0].bytes_apart)]
            + [
                f"{found:.2f}" if column == "prefill_cpu_s" else f"{prompts * (DECODED - 1) / found:.0f}"
                for column in ("prefill_cpu_s", "decode_cpu_s")
                for way in ("together", "one by one")
                for found in [median(getattr(row, column) for row in repeats if row.way == way)]
            ]
        )


def lines(file: str) -> Iterator[str]:
    """Write the rows and yield the table."""
    rows = list(all_rows())
    with Path(file).open("w", newline="", encoding="utf-8") as out:
        csv.writer(out).writerows([Row._fields, *rows])
    columns = (
        *("shared + own", "prompts", "MiB together", "MiB apart", "prefill s, together", "one by one"),
        *("decoded tokens/s, together", "one by one"),
    )
    yield from markdown(columns, cells(rows), "lrrrrrrr")


if __name__ == "__main__":
    run(lines, __doc__)
