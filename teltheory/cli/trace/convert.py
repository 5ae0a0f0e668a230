"""Traces written to files: `teltheory trace convert` and `teltheory trace sample`."""

from typing import Any

import click
import numpy as np

from teltheory.cli.asked.options import MOST_TURNS, SEED, arrivals_option, trace_options
from teltheory.cli.asked.traces import Reading, about_turns, arriving, report_lines
from teltheory.cli.parts import command, option
from teltheory.cli.printed.output import check_target, console, show
from teltheory.errors import ArgumentError
from teltheory.formats import write_trace
from teltheory.workloads import Chats, parse_times, sharegpt_like, wildchat_like

NAMES = ("wildchat-like", "sharegpt-like")


@command(None, "trace convert chats.json own.parquet --tokenizer characters/4")
@click.argument("trace_file", metavar="TRACE")
@click.argument("target", metavar="OUT")
@trace_options()
def convert(trace_file: str, target: str, reading: Reading) -> int:
    """Write TRACE to OUT in the toolkit's own format.

    OUT is a .csv, .jsonl or .parquet file. TRACE is a file of any format, or a folder of shards. OUT is written
    whole or not at all, and holds lengths, times and the numbers of shared blocks alone. What was assumed is
    printed, and is no part of OUT.
    """
    check_target(target)
    trace = reading.read(trace_file)
    write_trace(trace, target)
    show(console(), *about_turns(trace))
    return 0


@command(None, "trace sample wildchat-like trace.csv --turns 2000")
@click.argument("workload", metavar="WORKLOAD", type=click.Choice(NAMES))
@click.argument("target", metavar="OUT")
@option(
    "--turns",
    type=click.IntRange(0, MOST_TURNS),
    default=2000,
    show_default=True,
    help="Number of turns. Exactly so many are drawn.",
)
@option("--seed", type=click.IntRange(0), default=0, show_default=True, help=SEED)
@option(
    "--gaps",
    metavar="LAW",
    help="Law of the times between turns, wildchat-like: exponential:mean=400, lognormal:... or pareto:...",
)
@option("--longest", type=click.IntRange(1), help="Number of turns in the longest conversation.")
@option("--mean-prompt", type=click.FloatRange(0, min_open=True), help="Mean length of a prompt in tokens.")
@arrivals_option
def sample(workload: str, target: str, turns: int, seed: int, arrivals: str | None, **assumptions: Any) -> int:
    """Draw a trace like those of the paper, and write it to OUT.

    It has the first turns of WORKLOAD. OUT is a .csv, .jsonl or .parquet file. What is left out is as
    docs/workloads.md says. The same seed gives the same turns.
    """
    check_target(target)
    chats = _chosen(workload, assumptions)
    trace = arriving(chats.sample(turns, np.random.default_rng(seed)), arrivals)
    write_trace(trace, target)
    show(
        console(),
        f"{chats.name}: {len(trace):,} turns, {trace.conversations:,} conversations.",
        f"Assumed: starts {chats.seconds_between_starts:g} s apart in the mean, gaps inside {chats.gaps}.",
        *([] if arrivals is None else [f"{report_lines(trace)[1]} Their order is that of the assumed times."]),
        f"Means: {chats.mean_turns:.2f} turns per conversation (at most {chats.turns.lengths[-1]}), prompts of "
        f"{chats.mean_prompt:.0f} and responses of {chats.mean_response:.0f} tokens.",
    )
    return 0


def _chosen(workload: str, given: dict[str, Any]) -> Chats:
    """Return the workload under the assumptions that were given."""
    assumptions = {name: value for name, value in given.items() if value is not None}
    if "gaps" in assumptions:
        if workload != "wildchat-like":
            raise ArgumentError("gaps", assumptions["gaps"], "none, as the paper gives ShareGPT's times")
        times = parse_times(assumptions["gaps"])
        if times.gaps is None or times.rate is not None:
            raise ArgumentError("gaps", assumptions["gaps"], "exponential:mean=400, lognormal:... or pareto:...")
        assumptions["gaps"] = times.gaps
    return wildchat_like(**assumptions) if workload == "wildchat-like" else sharegpt_like(**assumptions)
