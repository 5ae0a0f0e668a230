"""`teltheory modules replay`: requests for module sets under policies."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import click

from teltheory.cli.asked.options import bundled, forced_option, grid_options, policy_option, q_hat_option
from teltheory.cli.asked.question import read_question
from teltheory.cli.asked.traces import given
from teltheory.cli.modules.tables import Sets
from teltheory.cli.parts import command, option
from teltheory.cli.printed.written import Written, written_options
from teltheory.cli.replay.command import about
from teltheory.errors import ArgumentError, FileError
from teltheory.formats.module_sets import read_module_trace
from teltheory.model.module_trace import ModuleTrace
from teltheory.policies.spec import parse_policy, policy_texts
from teltheory.replay.sets import SetCache

POLICIES = (
    "lru",
    "lfu",
    "gdsf",
    "tlru",
    "tlru:trim=least-recent",
    "tlru:trim=eager",
    "shared-tlru",
    "length-aware",
    "belady",
    "tail-optimized-belady",
)
"""What is replayed where no policy is named."""


@dataclass(frozen=True)
class ModuleReading:
    """How the requests are read: module sets, or prompts of a schema."""

    schema: str | None
    tokenizer: str
    scaffolds: tuple[str, ...]

    def read(self, file: str) -> ModuleTrace:
        """Return the trace."""
        if self.schema is None:
            if self.scaffolds:
                raise ArgumentError("--scaffold", self.scaffolds[0], "--schema with it")
            return read_module_trace(file)
        from teltheory.cli.modules.options import scaffolds_of
        from teltheory.systems.modules.pml.layout import layout
        from teltheory.systems.modules.pml.reading import read_schema
        from teltheory.systems.modules.tokenizers import tokenizer_of
        from teltheory.systems.modules.traces import module_trace, read_prompts

        laid_out = layout(read_schema(Path(self.schema)), tokenizer_of(self.tokenizer))
        prompts, arrivals = read_prompts(file)
        scaffolds = scaffolds_of(laid_out, self.scaffolds)
        try:
            return module_trace(laid_out, prompts, "alone", scaffolds, arrivals)
        except FileError as error:
            raise FileError(f"{file}, {error}") from None


@command(None, "modules replay sets.jsonl --capacity 20k --xi 2800")
@click.argument("trace_file", metavar="TRACE")
@policy_option
@q_hat_option
@bundled(
    "requests",
    ModuleReading,
    option("--schema", metavar="SCHEMA", help="Schema of the prompts. TRACE is then a log of prompts."),
    option(
        "--tokenizer",
        default="bytes",
        show_default=True,
        metavar="NAME|FILE",
        help="Tokenizer of texts. bytes, smollm2, or a file.",
    ),
    option(
        "--scaffold",
        "scaffolds",
        multiple=True,
        metavar="A+B/C",
        help="Modules that are encoded together; repeatable.",
    ),
)
@option(
    "--cache",
    type=click.Choice(get_args(SetCache)),
    default="strict",
    show_default=True,
    help="What may stay in the cache. strict: any prefix of a module; whole: whole modules.",
)
@forced_option
@grid_options
@written_options
def replay(
    trace_file: str,
    policies: tuple[str, ...],
    requests: ModuleReading,
    cache: SetCache,
    written: Written,
    **asked: Any,
) -> int:
    """Replay requests for sets of modules under policies.

    TRACE is JSON lines: the sizes of modules, then the modules and the fresh tokens of each request; or, with
    --schema, a log of prompts. `teltheory modules sample` writes both.
    """
    written.check()
    question = read_question([parse_policy(text) for text in policy_texts(policies) or POLICIES], **asked)
    with given(trace_file) as file:
        trace = requests.read(file)
    with about(trace_file):
        sets = Sets.of(trace, question, cache)
        rows = list(sets.rows())
    written.report(sets.parts(rows), sets.as_data(rows))
    return 0
