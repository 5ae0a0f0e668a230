"""`teltheory sample`: a workload like WildChat's or ShareGPT's as a file, for those who do not have the data."""

from __future__ import annotations

from typing import Any

import click
import numpy as np

from teltheory.cli.options import MOST_TURNS
from teltheory.cli.output import check_target, console, show
from teltheory.errors import ArgumentError
from teltheory.formats import write_trace
from teltheory.workloads import Chats, parse_times, sharegpt_like, wildchat_like

NAMES = ("wildchat-like", "sharegpt-like")


@click.command()
@click.argument("workload", metavar="WORKLOAD", type=click.Choice(NAMES))
@click.argument("target", metavar="OUT")
@click.option(
    "--turns", type=click.IntRange(0, MOST_TURNS), default=2000, show_default=True, help="Length of the trace."
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of the sample.")
@click.option("--gaps", metavar="LAW", help="WildChat-like: exponential:mean=400, lognormal:..., pareto:...")
@click.option("--longest", type=click.IntRange(1), help="Turns of the longest conversation.")
@click.option("--mean-prompt", type=click.FloatRange(0, min_open=True), help="Mean prompt, in tokens.")
def sample(workload: str, target: str, turns: int, seed: int, **assumptions: Any) -> int:
    """Write the first turns of WORKLOAD (wildchat-like or sharegpt-like) to OUT, a .csv, .jsonl or .parquet file.

    What is left out is as docs/workloads.md says. The same seed gives the same turns.
    """
    check_target(target)
    chats = chosen(workload, {name: value for name, value in assumptions.items() if value is not None})
    trace = chats.sample(turns, np.random.default_rng(seed))
    write_trace(trace, target)
    show(console(), f"{chats.name}: {len(trace):,} turns, {trace.conversations:,} conversations.", *said(chats))
    return 0


def chosen(workload: str, assumptions: dict[str, Any]) -> Chats:
    """Return the workload under the assumptions that were given."""
    if "gaps" in assumptions:
        if workload != "wildchat-like":
            raise ArgumentError("gaps", assumptions["gaps"], "none, as the paper gives ShareGPT's times")
        times = parse_times(assumptions["gaps"])
        if times.gaps is None or times.rate is not None:
            raise ArgumentError("gaps", assumptions["gaps"], "exponential:mean=400, lognormal:... or pareto:...")
        assumptions = {**assumptions, "gaps": times.gaps}
    return wildchat_like(**assumptions) if workload == "wildchat-like" else sharegpt_like(**assumptions)


def said(chats: Chats) -> list[str]:
    """Return what is assumed, in sentences."""
    return [
        f"Assumed: starts {chats.seconds_between_starts:g} s apart in the mean, gaps inside {chats.gaps}.",
        f"Means: {chats.mean_turns:.2f} turns a conversation (at most {chats.turns.lengths[-1]}), prompts of "
        f"{chats.mean_prompt:.0f} and responses of {chats.mean_response:.0f} tokens.",
    ]
