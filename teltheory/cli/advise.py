"""`teltheory advise`: a setting of T-LRU for a trace, a capacity and an SLO."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.markup import escape

from teltheory.cli.advice_lines import advice_as_data, advice_lines, advice_table
from teltheory.cli.advice_page import write_advice
from teltheory.cli.defaults import chosen_capacities
from teltheory.cli.goal_option import asked_goal, goal_option
from teltheory.cli.options import capacity_option, json_option, read_capacities, read_sizes
from teltheory.cli.output import check_target, console, progress_bar, show, write_json
from teltheory.cli.replay import about
from teltheory.cli.served import Served, served_options
from teltheory.cli.traces import Reading, about_turns, trace_options, turns_as_data
from teltheory.cost.kv_cache import KVSize
from teltheory.errors import ArgumentError
from teltheory.model.numbers import read_fraction
from teltheory.model.trace import Trace
from teltheory.model.units import read_time
from teltheory.policies.policy import AnyPolicy
from teltheory.policies.spec import parse_policy

if TYPE_CHECKING:
    from teltheory.advice import Advice


@click.command()
@click.argument("trace_file", metavar="TRACE")
@goal_option("--quantile")
@click.option(
    "--work-cost", default="1.05", show_default=True, metavar="TIMES", help="Most prefill, in multiples of LRU's."
)
@click.option(
    "--median-cost",
    default="1.10",
    show_default=True,
    metavar="TIMES",
    help="Most P50; below SLO / 2 all will do.",
)
@click.option("--policy", "policy_text", metavar="POLICY", help="Another one with a threshold than T-LRU.")
@click.option("--q-hat", "q_hat", type=click.IntRange(0), help="Prompt estimate; what the SLO leaves.")
@click.option("--first", default="0.5", show_default=True, metavar="SHARE", help="Of the turns: to choose on.")
@click.option("--slo", required=True, metavar="TIME", help="TTFT that turns should keep: 200ms.")
@capacity_option
@served_options
@click.option("--html", "page", metavar="FILE", help="Also write a page to show to others.")
@trace_options()
@json_option
def advise(
    trace_file: str,
    capacities: tuple[str, ...],
    page: str | None,
    served: Served,
    reading: Reading,
    target: str | None,
    **wished: Any,
) -> int:
    """Choose T-LRU's threshold for TRACE on its first part, judge it on the rest, and print engines' settings.

    What is to be small is the tail excess latency above the SLO (--goal tel), the number of turns above it (slo)
    or a percentile of TTFT (p95). What it may cost: --work-cost, --median-cost, in multiples of LRU's, or none.
    """
    check_target(target)
    check_page(page)
    wish, shape = read_wish(served, **wished), served.shape
    sizes = read_capacities(capacities, shape)
    trace = reading.read(trace_file)
    chosen, origin = chosen_capacities(trace)
    with about(trace_file):
        found = advices(trace, sizes or chosen, reading.seed, wish)
    notes = [served.sentence, *(read_sizes(capacities, shape) if sizes else [origin])]
    said = [*about_trace(trace, found[0].start), *notes]
    if target != "-":
        _print(console(), said, found, shape)
    if page is not None:
        write_advice(page, trace_file, said, found, shape, reading.seed)
    if target is not None:
        data = {"trace": turns_as_data(trace), "latency": served.needed_latency.name, "notes": notes}
        write_json(target, data | {"advice": [advice_as_data(advice) for advice in found]})
    return 0


def advices(trace: Trace, sizes: Sequence[int], seed: int, wish: dict[str, Any]) -> list[Advice]:
    """Return an advice for each capacity, with a progress bar."""
    from teltheory.advice import MARGINS
    from teltheory.advice import advise as advise_on

    with progress_bar() as bar:
        task = bar.add_task("Trying settings", total=len(sizes) * MARGINS)
        return [advise_on(trace, size, **wish, seed=seed, progress=lambda: bar.advance(task)) for size in sizes]


def read_wish(
    served: Served,
    slo: str,
    goal: str | None,
    before: str | None,
    work_cost: str,
    median_cost: str,
    policy_text: str | None,
    first: str,
    q_hat: int | None,
) -> dict[str, Any]:
    """Return what was asked for, of whatever trace and capacities, as `teltheory.advise` takes it."""
    from teltheory.advice import Goal

    ttft, within, share = served.needed_latency, read_time("slo", slo), _share(first)
    ttft.threshold(within)
    aim = asked_goal(goal, before, "--quantile")
    Goal.of(aim, within, ttft)
    work, median = _times("--work-cost", work_cost), _times("--median-cost", median_cost)
    policy = None if policy_text is None else _policy(policy_text)
    return {
        "slo": within,
        "latency": ttft,
        "goal": aim,
        "work_cost": work,
        "median_cost": median,
        "policy": policy,
        "q_hat": q_hat,
        "first": share,
    }


def _policy(text: str) -> Callable[[int, int], AnyPolicy]:
    spec = parse_policy(text)
    if not spec.needs("xi"):
        raise ArgumentError("--policy", text, "a policy whose xi is left to be chosen, such as tlru:trim=eager")
    return spec.build


def _times(option: str, text: str) -> Fraction | None:
    expected = "a multiple of LRU's such as 1.05, at least 1, or none"
    times = None if text.lower() == "none" else read_fraction(option, text, expected)
    if times is not None and times < 1:
        raise ArgumentError(option, text, expected)
    return times


def _share(text: str) -> Fraction:
    share = read_fraction("--first", text, "a share of the turns such as 0.5 or 1/2")
    if not 0 < share < 1:
        raise ArgumentError("--first", text, "a share of the turns, above 0 and below 1")
    return share


def check_page(page: str | None) -> None:
    """Check, before long work, that the page can be written."""
    if page == "-":
        raise ArgumentError("--html", page, "a file")
    check_target(page)


def about_trace(trace: Trace, start: int) -> list[str]:
    """Return what was read, and how it is split."""
    return [
        *about_turns(trace),
        f"Chosen on the first {start:,} turns, judged on the other {len(trace) - start:,}, in the order of time.",
    ]


def _print(out: Console, said: Sequence[str], found: Sequence[Advice], shape: KVSize | None) -> None:
    show(out, *said)
    for advice in found:
        out.print()
        for line in advice_lines(advice, shape):
            out.print(escape(line), highlight=False, soft_wrap=line.startswith("  "))
        show(out, advice_table(advice))
