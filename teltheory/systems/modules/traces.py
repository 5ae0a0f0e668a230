"""A trace of module sets from a schema and a log of prompts: what each prompt has in a cache, and what is fresh.

Items are numbered from the end of the schema to its beginning, so that of the items of one prompt a module's are
older than those of the modules around it, and the schema's own text is the most recent: nothing that holds others
goes before them under LRU.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from pathlib import Path as File

from teltheory.base.input_files import check_file
from teltheory.errors import FileError, shown
from teltheory.formats.opened import lines_of, opened_text
from teltheory.formats.rows import json_lines
from teltheory.model.module_trace import ModuleTrace
from teltheory.systems.modules.items import Item, PromptPlan, Way, by_age, plan, size
from teltheory.systems.modules.pml.layout import Layout
from teltheory.systems.modules.pml.prompt import Prompt, read_prompt, resolve
from teltheory.systems.modules.pml.roles import CHATML, Roles
from teltheory.systems.modules.pml.schema import Path


def module_trace(
    layout: Layout,
    prompts: Sequence[Prompt],
    way: Way = "alone",
    scaffolds: Sequence[Sequence[Path]] = (),
    arrival: Sequence[float] | None = None,
) -> ModuleTrace:
    """Return the trace of prompts made from one schema.

    Parameters
    ----------
    layout : Layout
        The schema, laid out.
    prompts : sequence of Prompt
        In order of arrival.
    way : {"alone", "ancestors", "whole"}
        What encodings see; it changes no size.
    scaffolds : sequence of sequences of paths
        See `teltheory.systems.modules.items.plan`.
    arrival : sequence of float, optional
        Seconds, never decreasing.

    Raises
    ------
    FileError
        For a prompt that does not fit the schema, with its number from 0; see `resolve`.
    """
    plans = [_planned(k, prompt, layout, way, scaffolds) for k, prompt in enumerate(prompts)]
    items = by_age(layout, {item for one in plans for item in one.items})
    numbers: dict[Item, int] = dict(zip(items, count()))
    return ModuleTrace.from_requests(
        [[numbers[item] for item in one.items] for one in plans],
        [size(layout, item) for item in items],
        [sum(len(piece.tokens) for piece in one.fresh) for one in plans],
        arrival,
        [item.name for item in items],
    )


def _planned(k: int, prompt: Prompt, layout: Layout, way: Way, scaffolds: Sequence[Sequence[Path]]) -> PromptPlan:
    try:
        return plan(resolve(prompt, layout), way, scaffolds)
    except FileError as error:
        raise FileError(f"prompt {k}: {error}") from None


def read_prompts(path: str | File, roles: Roles = CHATML) -> tuple[list[Prompt], list[float] | None]:
    """Read a log of prompts: JSON lines with ``prompt``, its source, and ``arrival`` in seconds, all or none.

    Raises
    ------
    FileError
        Names file and line of the log; a prompt's own mistakes are named by their line in the prompt.
    """
    file = File(path)
    check_file(file, "a log of prompts")
    with opened_text(file) as text:
        rows = list(json_lines(file, lines_of(file, text)))
    prompts: list[Prompt] = []
    arrivals: list[float] = []
    for number, row in rows:
        source = row.get("prompt")
        if not isinstance(source, str) or not row.keys() <= {"prompt", "arrival"}:
            found = shown(sorted(row), 60)
            raise FileError(
                f"{file}, line {number}: found the fields {found}, expected prompt, and arrival or not"
            )
        try:
            prompts.append(read_prompt(source, roles))
        except FileError as error:
            raise FileError(f"{file}, line {number}, prompt: {error}") from None
        if "arrival" in row:
            arrivals.append(row["arrival"])
    if arrivals and len(arrivals) < len(rows):
        raise FileError(
            f"{file}, arrival: found {len(arrivals)}, expected {len(rows)}, one in every line, or none"
        )
    return prompts, arrivals or None
