"""Options that several commands share, each declared once."""

from collections.abc import Callable
from dataclasses import fields
from functools import wraps
from typing import Any, TypeAlias, get_args

import click
from click.core import ParameterSource

from teltheory.cli.asked.completion import gpus, models, policies
from teltheory.cli.asked.prefixes import Prefixes
from teltheory.cli.asked.served import DEFAULT, ServedModel
from teltheory.cli.asked.traces import Reading
from teltheory.cli.parts import option
from teltheory.cli.printed.columns import explain_option
from teltheory.cost.kv_cache import NUMBERS
from teltheory.cost.latency_files import EMBEDDED
from teltheory.errors import ArgumentError
from teltheory.formats import FORMATS
from teltheory.model.numbers import INT64_MAX
from teltheory.model.units import LONG_TIMES, read_time
from teltheory.optimal.methods import BlockCache

Option: TypeAlias = Callable[[Callable[..., Any]], Callable[..., Any]]

SEED = "Seed of what is drawn at random."
EFFORT = "How many cases each claim is tried on."
REQUESTS = "Number of requests."
MOST_TURNS = 10**9
"""Turns of a sample: a hundred gigabytes of times and lengths."""


def whole(name: str, default: int, help: str, least: int = 1, dest: str | None = None) -> Option:
    """Return an option that takes a whole number; `dest` is what the command calls it."""
    names, kind = (name, dest) if dest else (name,), click.IntRange(least)
    return option(*names, type=kind, default=default, show_default=True, help=help)


def together(*options: Option) -> Option:
    """Return a decorator that adds several options, in the order in which a command's help lists them."""

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        for one in reversed(options):
            command = one(command)
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


capacity_option = option(
    "--capacity",
    "capacities",
    multiple=True,
    metavar="SIZE,...",
    help="Capacity of the cache. 300k tokens, 40GiB of a model, or 10% of an endless cache's peak; a comma lists.",
)
policy_option = option(
    "--policy",
    "policies",
    multiple=True,
    metavar="POLICY",
    shell_complete=policies,
    help="Policy of the cache. lru, tlru:xi=200ms,trim=eager; a comma lists.",
)
q_hat_option = option(
    "--q-hat",
    "q_hat",
    type=click.IntRange(0),
    help="Estimated next prompt, for policies that have no q_hat of their own.",
)
goal_option = option(
    "--goal",
    default="tel",
    metavar="tel|slo|pNN",
    help="What is to be small. tel: tail excess latency; slo: turns above it; p95: a percentile of TTFT.",
)
forced_option = option("--forced", is_flag=True, help="Use forced caching instead of optional caching.")
workers_option = option(
    "--workers", type=click.IntRange(1), default=None, help="Number of processes; one per core if left out."
)
json_option = option(
    "--json", "target", metavar="FILE", help="Also write JSON to FILE, or to standard output for -."
)
table_options = together(json_option, explain_option)
"""Of a command that prints tables."""
_xi_option = option(
    "--xi", "xis", multiple=True, metavar="TOKENS,...", help="Threshold in tokens. 2800 or 5k; a comma lists."
)
_slo_option = option(
    "--slo",
    "slos",
    multiple=True,
    metavar="TIME,...",
    help="Threshold as a time to first token. 200ms or 2s; a comma lists.",
)
served_options = bundled(
    "served",
    ServedModel,
    option(
        "--latency",
        metavar="NAME|FILE.json",
        help=f"Latency model of the server. {', '.join(EMBEDDED)}, or a file.",
    ),
    option(
        "--model",
        metavar="NAME",
        shell_complete=models,
        help=f"Model whose KV cache and latency are meant, such as {DEFAULT}.",
    ),
    option("--config", metavar="FILE.json", help="Model as a config.json of Hugging Face."),
    option("--kv-bytes", type=click.IntRange(1, INT64_MAX), metavar="N", help="Bytes of the KV cache per token."),
    option(
        "--tensor-parallel",
        type=click.IntRange(1),
        metavar="N",
        help="Number of GPUs that share a replica's model.",
    ),
    option("--kv-dtype", type=click.Choice(list(NUMBERS)), help="Number format of the KV cache."),
    option("--accept-latency-of", metavar="NAME", help=f"Use the latency of another model, such as {DEFAULT}."),
    option(
        "--gpu",
        metavar="NAME",
        shell_complete=gpus,
        help="Estimate the latency of --model on this GPU, with a band. a100, h100, h200, b200, l40s, mi300x, ...",
    ),
)
gpu_hour_option = option(
    "--gpu-hour",
    type=click.FloatRange(0, min_open=True),
    metavar="PRICE",
    help="Price of a GPU for an hour. Seconds of prefill are shown in money too.",
)
chains_option = option("--chains", is_flag=True, help="Ignore what requests share: each conversation is private.")
block_size_option = option(
    "--block-size",
    type=click.IntRange(1, INT64_MAX),
    metavar="N",
    help="Tokens in a block of the cache. If left out, as the trace has them.",
)
without_option = option(
    "--without",
    metavar="PART",
    help="Leave out a part of all inputs: system-prompt, tools, or a number of first tokens.",
)
rules_option = option(
    "--rules",
    metavar="RULES",
    help="Rules of the cache of blocks. strict, holes, vllm, sglang, trtllm, sglang:chunk=2048:split=yes.",
)
block_cache_option = option(
    "--cache",
    type=click.Choice(get_args(BlockCache)),
    default="strict",
    show_default=True,
    help="What may stay in the cache. Caches of whole nodes have no known optimum.",
)
running_option = option(
    "--running",
    type=click.IntRange(1),
    default=1,
    metavar="N",
    help="Number of requests that run at a time, with --forced.",
)


def served_model_option(**settings: Any) -> Option:
    """Return the option that says by which name a server knows its model."""
    name = "Name of the model on its server."
    return option("--served-model", "model", metavar="NAME", help=name, **settings)


api_key_option = option(
    "--api-key-env",
    metavar="NAME",
    help="Environment variable with the server's API key; none is sent without it.",
)
store_option = option("--store", metavar="FILE", help="Keep finished work in FILE, and do nothing twice.")
scheduler_option = option(
    "--scheduler", metavar="ADDRESS", help="Do the work on a Dask cluster, such as tcp://host:8786."
)


def prefix_options(*more: Option) -> Option:
    """Return a decorator that adds --chains, --block-size, --without and more, to read what requests share."""
    return bundled("prefixes", Prefixes, chains_option, block_size_option, without_option, *more)


grid_options = together(capacity_option, _xi_option, _slo_option, served_options)
"""What `read_question` is asked, except the policies."""


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


arrivals_option = option(
    "--arrivals",
    metavar="FILE",
    help="File whose arrival times the turns get, in their order. Azure's traces, or a log.",
)


def trace_options(seed: int = 0) -> Option:
    """Return a decorator that adds what says how a trace is read, handed over as `reading`."""
    tokenizers = "Tokenizer of texts. A tokenizer.json, a .tiktoken file, or characters/4."
    laws = "Law of arrival times, where none are known. sharegpt, exponential:mean=360,rate=1, lognormal, pareto."
    return bundled(
        "reading",
        Reading,
        option(
            "--format",
            "format",
            metavar="NAME",
            default="auto",
            show_default=True,
            help=f"Format of the file. {', '.join((*FORMATS,))}.",
        ),
        option("--tokenizer", metavar="FILE", help=tokenizers),
        option("--times", metavar="LAW", help=laws),
        arrivals_option,
        option(
            "--columns",
            metavar="NAME=FIELD,...",
            help="Fields of a log. conversation=session_id,total=prompt_tokens,...",
        ),
        whole("--seed", seed, SEED, least=0),
        option(
            "--blocks",
            type=click.IntRange(1),
            metavar="N",
            help="Tokens in a block of the file's hashes; of texts, blocks that prompts share.",
        ),
        option("--system-prompt", metavar="FILE", help="File with the text that every conversation begins with."),
        option("--hints-file", metavar="FILE", help="Hints recorded beside the trace, JSON lines of envelopes."),
    )
