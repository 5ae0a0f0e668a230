"""`teltheory advise`: a setting of T-LRU for a trace, a capacity and an SLO."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.markup import escape

from teltheory.cli.advice_lines import advice_as_data, advice_lines, advice_table
from teltheory.cli.advice_page import write_advice
from teltheory.cli.objectives import read_level
from teltheory.cli.options import (
    capacity_option,
    json_option,
    latency_option,
    model_option,
    read_capacities,
    read_sizes,
    shape_of,
)
from teltheory.cli.output import check_target, console, progress_bar, write_json
from teltheory.cli.replay import about
from teltheory.cli.traces import Reading, report_lines, trace_options, turns_as_data
from teltheory.embedded import latency_named
from teltheory.errors import ArgumentError
from teltheory.kv_cache import Architecture
from teltheory.latency import A100_LLAMA2_7B, seconds
from teltheory.policies.policy import AnyPolicy
from teltheory.policies.spec import parse_policy
from teltheory.trace import Trace

if TYPE_CHECKING:
    from teltheory.advice import Advice


@click.command()
@click.argument("trace_file", metavar="TRACE")
@click.option("--quantile", metavar="pNN", help="Make this percentile of TTFT small, such as p95; else TEL.")
@click.option("--policy", "policy_text", metavar="POLICY", help="Another one with a threshold than T-LRU.")
@click.option("--q-hat", "q_hat", type=click.IntRange(0), help="Prompt estimate; the first part's mean prompt.")
@click.option("--first", default="0.5", show_default=True, metavar="SHARE", help="Of the turns: to choose on.")
@click.option("--slo", required=True, metavar="TIME", help="TTFT that turns should keep: 200ms.")
@capacity_option
@latency_option
@model_option
@click.option("--html", "page", metavar="FILE", help="Also write a page to show to others.")
@trace_options()
@json_option
def advise(
    trace_file: str,
    quantile: str | None,
    policy_text: str | None,
    q_hat: int | None,
    first: str,
    capacities: tuple[str, ...],
    slo: str,
    latency: str | None,
    model: str | None,
    page: str | None,
    reading: Reading,
    target: str | None,
) -> int:
    """Choose T-LRU's threshold for TRACE on its first part, judge it on the rest, and print engines' settings.

    What is to be small is the tail excess latency above the SLO, or with --quantile that percentile of TTFT.
    """
    check_target(target)
    check_page(page)
    given = None if latency is None else latency_named(latency)
    ttft, shape = given or A100_LLAMA2_7B, shape_of(given, model)
    within, level, share = seconds("slo", slo), _level(quantile), _share(first)
    ttft.threshold(within)
    made = None if policy_text is None else _policy(policy_text)
    sizes = read_capacities(capacities, shape)
    trace = reading.read(trace_file)
    from teltheory.advice import MARGINS
    from teltheory.advice import advise as advised

    found = []
    with about(trace_file), progress_bar() as bar:
        task = bar.add_task("Trying settings", total=len(sizes) * MARGINS)

        def step() -> None:
            bar.advance(task)

        for size in sizes:
            advice = advised(
                trace,
                size,
                within,
                level,
                ttft,
                policy=made,
                q_hat=q_hat,
                first=share,
                seed=reading.seed,
                progress=step,
            )
            found.append(advice)
    said = [*about_trace(trace, found[0].start), f"TTFT = {ttft.name}. Thresholds and TEL are in tokens."]
    said += read_sizes(capacities, shape)
    if target != "-":
        _print(console(), said, found, shape)
    if page is not None:
        write_advice(page, trace_file, said, found, shape, reading.seed)
    if target is not None:
        advices = [advice_as_data(advice) for advice in found]
        write_json(target, {"trace": turns_as_data(trace), "latency": ttft.name, "advice": advices})
    return 0


def _policy(text: str) -> Callable[[int, int], AnyPolicy]:
    spec = parse_policy(text)
    if not spec.needs("xi"):
        raise ArgumentError("--policy", text, "a policy whose xi is left to be chosen, such as tlru:trim=eager")
    return spec.build


def _level(text: str | None) -> Fraction | None:
    if text is None:
        return None
    level = read_level(text.lower())
    if level is None or level.q == 1:
        raise ArgumentError("--quantile", text, "a percentile below p100, such as p95 or p99.9")
    return level.q


def _share(text: str) -> Fraction:
    try:
        share = Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise ArgumentError("--first", text, "a share of the turns such as 0.5 or 1/2") from None
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
        f"Trace: {len(trace):,} turns, {trace.conversations:,} conversations.",
        *report_lines(trace),
        f"Chosen on the first {start:,} turns, judged on the other {len(trace) - start:,}, in the order of time.",
    ]


def _print(out: Console, said: Sequence[str], found: Sequence[Advice], shape: Architecture | None) -> None:
    for line in said:
        out.print(escape(line), highlight=False)
    for advice in found:
        out.print()
        for line in advice_lines(advice, shape):
            out.print(escape(line), highlight=False, soft_wrap=line.startswith("  "))
        out.print(advice_table(advice))
