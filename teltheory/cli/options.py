"""Options that several commands share, each declared once."""

from collections.abc import Callable
from dataclasses import fields
from functools import wraps
from typing import Any, TypeAlias, get_args

import click
from click.core import ParameterSource

from teltheory.cli.prefixes import Prefixes
from teltheory.cli.served import DEFAULT, Served
from teltheory.cli.traces import Reading
from teltheory.cost.kv_cache import NUMBERS
from teltheory.cost.latency_files import EMBEDDED
from teltheory.errors import ArgumentError
from teltheory.formats import FORMATS
from teltheory.model.numbers import INT64_MAX
from teltheory.model.units import LONG_TIMES, read_time
from teltheory.optimal.trees.hindsight import BlockCache

Option: TypeAlias = Callable[[Callable[..., Any]], Callable[..., Any]]

MOST_TURNS = 10**9
"""Turns of a sample: a hundred gigabytes of times and lengths."""


def whole(name: str, default: int, help: str, least: int = 1) -> Option:
    """Return an option that takes a whole number."""
    return click.option(name, type=click.IntRange(least), default=default, show_default=True, help=help)


def together(*options: Option) -> Option:
    """Return a decorator that adds several options, in the order in which a command's help lists them."""

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def bundled(name: str, kind: type[Any], *options: Option) -> Option:
    """Return a decorator that adds options, handed over as one: a dataclass whose fields have their names.

    Fields without an option have their defaults.
    """

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def called(*args: Any, **given: Any) -> Any:
            values = {field.name: given.pop(field.name) for field in fields(kind) if field.name in given}
            return command(*args, **{name: kind(**values)}, **given)

        return together(*options)(called)

    return add


capacity_option = click.option(
    "--capacity", "capacities", multiple=True, metavar="SIZE,...", help="300k,1M tokens, or 40GiB; a comma lists."
)
policy_option = click.option(
    "--policy", "policies", multiple=True, metavar="POLICY", help="lru,tlru:xi=200ms,trim=eager; a comma lists."
)
q_hat_option = click.option(
    "--q-hat", "q_hat", type=click.IntRange(0), help="Prompt estimate for policies without their own."
)
goal_option = click.option(
    "--goal",
    default="tel",
    metavar="tel|slo|pNN",
    help="TEL (as when left out), turns above the SLO, or p95 of TTFT.",
)
forced_option = click.option("--forced", is_flag=True, help="Forced caching instead of optional caching.")
workers_option = click.option(
    "--workers", type=click.IntRange(1), default=None, help="Processes; one a core when left out."
)
json_option = click.option("--json", "target", metavar="FILE", help="Also write JSON; - for standard output.")
_xi_option = click.option("--xi", "xis", multiple=True, metavar="TOKENS,...", help="Thresholds: 2800,5k.")
_slo_option = click.option(
    "--slo", "slos", multiple=True, metavar="TIME,...", help="Thresholds as TTFT: 200ms,2s."
)
served_options = bundled(
    "served",
    Served,
    click.option("--latency", metavar="NAME|FILE.json", help=f"TTFT: {', '.join(EMBEDDED)} or a file."),
    click.option("--model", metavar="NAME", help=f"Whose KV cache and TTFT: {DEFAULT}."),
    click.option("--config", metavar="FILE.json", help="Whose KV cache: a Hugging Face config.json."),
    click.option("--kv-bytes", type=click.IntRange(1, INT64_MAX), metavar="N", help="Bytes a token."),
    click.option("--tensor-parallel", type=click.IntRange(1), metavar="N", help="GPUs of a replica."),
    click.option("--kv-dtype", type=click.Choice(list(NUMBERS)), help="Numbers of the KV cache."),
    click.option("--accept-latency-of", metavar="NAME", help=f"Take the TTFT of another model: {DEFAULT}."),
)
chains_option = click.option(
    "--chains", is_flag=True, help="Private conversations, even if the trace says what requests share."
)
block_size_option = click.option(
    "--block-size", type=click.IntRange(1, INT64_MAX), metavar="N", help="Count shared prefixes in such blocks."
)
without_option = click.option(
    "--without", metavar="PART", help="Replay inputs without it: system-prompt, tools, or their first TOKENS."
)
cache_option = click.option(
    "--cache",
    default="strict",
    show_default=True,
    metavar="CACHE",
    help="Of shared blocks: strict, holes, radix, radix:2048, radix-split.",
)
block_cache_option = click.option(
    "--cache",
    type=click.Choice(get_args(BlockCache)),
    default="strict",
    show_default=True,
    help="Of shared blocks; whole nodes have no known optimum.",
)
running_option = click.option(
    "--running", type=click.IntRange(1), default=1, metavar="N", help="Requests at a time, with --forced."
)


def prefix_options(*more: Option) -> Option:
    """Return a decorator that adds --chains, --block-size, --without and more, to read what requests share."""
    return bundled("prefixes", Prefixes, chains_option, block_size_option, without_option, *more)


grid_options = together(capacity_option, _xi_option, _slo_option, served_options, json_option)
"""What `read_question` is asked, except the policies; and --json."""


def alone(option: str, *beside: str) -> None:
    """Refuse options of the current command that an option makes void; `beside` has the names of the others."""
    context = click.get_current_context()
    for param in context.command.params:
        void = isinstance(param, click.Option) and param.name not in beside
        if void and context.get_parameter_source(str(param.name)) is ParameterSource.COMMANDLINE:
            found = context.params.get(str(param.name), "it")
            said = ",".join(map(str, found)) if isinstance(found, tuple) else found
            raise ArgumentError(param.opts[0], said, f"none with {option}")


def duration(ctx: click.Context, param: click.Parameter, text: str | None) -> float | None:
    """Return how long something may take, in seconds: the callback of an option that takes a time."""
    return None if text is None else float(read_time(param.opts[0], text, LONG_TIMES))


def trace_options(seed: int = 0) -> Option:
    """Return a decorator that adds what says how a trace is read, handed over as `reading`."""
    tokenizers = "For text: a tokenizer.json, a .tiktoken file, or characters/4."
    laws = "Assumed times: sharegpt, exponential:mean=360,rate=1, lognormal, pareto."
    return bundled(
        "reading",
        Reading,
        click.option("--format", "format", default="auto", show_default=True, help=f"auto, {', '.join(FORMATS)}."),
        click.option("--tokenizer", metavar="FILE", help=tokenizers),
        click.option("--times", metavar="LAW", help=laws),
        whole("--seed", seed, "Of what is drawn.", least=0),
        click.option(
            "--blocks", type=click.IntRange(1), metavar="N", help="Tokens per block; of text: share blocks."
        ),
        click.option("--system-prompt", metavar="FILE", help="Text that conversations of text begin with."),
    )
