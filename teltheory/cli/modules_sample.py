"""`teltheory modules sample`: a trace of module sets by laws, or a log of prompts drawn from a schema."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import click
import numpy as np

from teltheory.cli.options import MOST_TURNS, together, whole
from teltheory.cli.output import check_target, console, show, write_text
from teltheory.errors import ArgumentError
from teltheory.formats.module_sets import write_module_trace
from teltheory.workloads.laws import Law, Quantiles, fixed
from teltheory.workloads.module_sets import draw_module_trace

_RANGE = re.compile(r"([0-9]{1,9})(?:\.\.([0-9]{1,9}))?")
_zipf = click.option(
    "--zipf", type=click.FloatRange(0, 2), default=1.0, show_default=True, help="Skew of popularity."
)
_again = click.option(
    "--again", type=click.FloatRange(0, 1), default=0.0, help="Share of requests for an earlier one's modules."
)
_options = together(
    click.option("--schema", metavar="SCHEMA", help="Draw prompts from it; else module sets by laws."),
    click.option("--requests", type=click.IntRange(0, MOST_TURNS), default=2000, show_default=True),
    whole("--items", 100, "Modules to choose from, without --schema."),
    whole("--together", 4, "Modules that a request chooses, without --schema.", least=0),
    whole("--always", 0, "Modules of every request besides, without --schema.", least=0),
    click.option("--size", "sizes", default="200..2000", show_default=True, help="Tokens of a module."),
    click.option(
        "--fresh", default="20..200", show_default=True, help="New tokens of a request; of prompts words."
    ),
    _zipf,
    _again,
    whole("--within", 100, "How far back the earlier request lies at most."),
    whole("--seed", 0, "Of what is drawn.", least=0),
)


@click.command()
@click.argument("target", metavar="OUT")
@_options
def sample(target: str, schema: str | None, requests: int, fresh: str, seed: int, **laws: Any) -> int:
    """Draw requests for modules and write them to OUT.

    OUT is JSON lines: sets of modules by laws, or with --schema a log of prompts.
    """
    check_target(target)
    rng = np.random.default_rng(seed)
    new = read_range("--fresh", fresh)
    of_sets = {name: laws.pop(name) for name in ("items", "together", "always", "sizes")}
    if schema is None:
        sizes = read_range("--size", of_sets.pop("sizes"))
        trace = draw_module_trace(requests, sizes=sizes, fresh=new, rng=rng, **of_sets, **laws)
        write_module_trace(trace, target)
        show(
            console(), f"{len(trace):,} requests for {len(trace.sizes):,} modules of {trace.sizes.sum():,} tokens."
        )
        return 0
    from teltheory.modules.drawing import draw_prompts
    from teltheory.modules.pml.reading import read_schema

    root = read_schema(Path(schema))
    prompts = draw_prompts(root, requests, new, rng, **laws)
    write_text(target, "".join(json.dumps({"prompt": prompt}) + "\n" for prompt in prompts))
    show(console(), f"{len(prompts):,} prompts of the schema {root.name}.")
    return 0


def read_range(option: str, text: str) -> Law:
    """Read lengths such as 20..200, all equally likely, or one length."""
    found = _RANGE.fullmatch(text)
    low, high = (int(found[1]), int(found[2] or found[1])) if found else (1, 0)
    if low > high:
        raise ArgumentError(option, text, "a number of tokens such as 200, or two such as 20..200")
    return fixed(low) if low == high else Quantiles((0.0, 1.0), (max(low - 1.0, 0.0), float(high)))
