"""`teltheory modules sample`: a trace of module sets by laws, or a log of prompts drawn from a schema."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import click
import numpy as np

from teltheory.cli.asked.options import MOST_TURNS, REQUESTS, SEED, together, whole
from teltheory.cli.parts import command, option
from teltheory.cli.printed.output import check_target, console, show, write_text
from teltheory.errors import ArgumentError
from teltheory.formats.module_sets import write_module_trace
from teltheory.workloads.laws import Law, Quantiles, fixed
from teltheory.workloads.module_sets import draw_module_trace

_RANGE = re.compile(r"([0-9]{1,9})(?:\.\.([0-9]{1,9}))?")
_zipf = option(
    "--zipf", type=click.FloatRange(0, 2), default=1.0, show_default=True, help="Skew of popularity; 0 is uniform."
)
_again = option(
    "--repeat-share",
    "again",
    type=click.FloatRange(0, 1),
    default=0.0,
    help="Share of requests that ask for an earlier one's modules.",
)
_options = together(
    option(
        "--schema", metavar="SCHEMA", help="Schema of the prompts. Left out, sets of modules are drawn by laws."
    ),
    option("--requests", type=click.IntRange(0, MOST_TURNS), default=2000, show_default=True, help=REQUESTS),
    whole("--items", 100, "Number of modules to choose from, without --schema."),
    whole("--together", 4, "Number of modules that a request chooses, without --schema.", least=0),
    whole("--always", 0, "Number of modules that every request has besides, without --schema.", least=0),
    option("--size", "sizes", default="200..2000", metavar="N..M", show_default=True, help="Tokens in a module."),
    option(
        "--fresh",
        default="20..200",
        metavar="N..M",
        show_default=True,
        help="New tokens of a request. With --schema, words.",
    ),
    _zipf,
    _again,
    whole(
        "--look-back",
        100,
        "How many requests back the one that is repeated may lie.",
        dest="within",
    ),
    whole("--seed", 0, SEED, least=0),
)


@command(None, "modules sample sets.jsonl --requests 2000")
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
    from teltheory.systems.modules.drawing import draw_prompts
    from teltheory.systems.modules.pml.reading import read_schema

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
