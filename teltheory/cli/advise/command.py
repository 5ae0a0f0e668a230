"""`teltheory advise`: a setting of T-LRU for a trace, a capacity and an SLO."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from teltheory.base.extras import check_report
from teltheory.cli.advise.frontier import draw_frontiers
from teltheory.cli.advise.question import AdviceQuestion, Advised, Planned, plan_options, write_found
from teltheory.cli.asked.completion import policies
from teltheory.cli.asked.options import (
    capacity_option,
    goal_option,
    gpu_hour_option,
    prefix_options,
    q_hat_option,
    rules_option,
    served_options,
    table_options,
    trace_options,
)
from teltheory.cli.asked.pictures import Picture, picture_options
from teltheory.cli.asked.prefixes import Prefixes, block_lines, reading_as_data, reading_line
from teltheory.cli.asked.question import chosen_capacities, read_capacities, read_sizes, sizes_of
from teltheory.cli.asked.served import ServedModel
from teltheory.cli.asked.serving import Loaded, serving_options
from teltheory.cli.asked.tiers import Tiered, tier_options
from teltheory.cli.asked.traces import Reading, hint_lines, report_lines, turns_as_data
from teltheory.cli.parts import command, option
from teltheory.cli.printed.money import GpuPrice
from teltheory.cli.printed.output import check_targets, console, show, write_json
from teltheory.cost.given import in_text
from teltheory.errors import ArgumentError
from teltheory.model.announcement import Announcement
from teltheory.model.forest import Forest
from teltheory.model.hints import CLOSE
from teltheory.model.numbers import read_fraction
from teltheory.model.trace import Trace
from teltheory.model.units import read_time
from teltheory.policies.named import maker_of

if TYPE_CHECKING:
    from teltheory.advice import Advice


NO_ENDS = (
    "Where no advice on ends follows: there is one of T-LRU alone, where agents return and turns overflow, in one "
    "tier, in a strict cache or by SGLang's rules, and on replicas by round-robin or hash."
)


@command(None, "advise trace.jsonl --capacity 40GiB --model llama-2-7b --slo 200ms")
@click.argument("trace_file", metavar="TRACE")
@goal_option
@option(
    "--work-cost",
    default="1.05",
    show_default=True,
    metavar="TIMES",
    help="Most tokens to prefill, as a multiple of LRU's, or none for no limit.",
)
@option(
    "--median-cost",
    default="1.10",
    show_default=True,
    metavar="TIMES",
    help="Largest median TTFT, as a multiple of LRU's; below half of the SLO all are allowed.",
)
@option(
    "--policy",
    "policy_text",
    metavar="POLICY",
    shell_complete=policies,
    help="Policy of the cache. One with a threshold; T-LRU if left out.",
)
@q_hat_option
@option(
    "--hints",
    type=click.Choice([CLOSE]),
    help="Hints that policies hear. The end of each agent, or of each conversation where none is named.",
)
@option(
    "--first",
    default="0.5",
    show_default=True,
    metavar="SHARE",
    help="Share of the turns that the setting is chosen on.",
)
@option(
    "--slo",
    required=True,
    metavar="TIME",
    help="Threshold as a time to first token. The one that turns should keep, 200ms.",
)
@capacity_option
@tier_options
@serving_options()
@plan_options
@served_options
@gpu_hour_option
@option("--html", "page", metavar="FILE", help="Also write a page to FILE, to show to others.")
@picture_options("It shows what more gain costs")
@trace_options()
@prefix_options(rules_option)
@table_options
def advise(
    trace_file: str,
    capacities: tuple[str, ...],
    page: str | None,
    served: ServedModel,
    picture: Picture,
    tiered: Tiered,
    loaded: Loaded,
    planned: Planned,
    reading: Reading,
    prefixes: Prefixes,
    gpu_hour: float | None,
    target: str | None,
    hints: str | None,
    **given: Any,
) -> int:
    """Choose T-LRU's threshold for TRACE and an SLO.

    It is chosen on the first part of TRACE and judged on the rest. Settings for engines are printed.

    What is to be small is the tail excess latency above the SLO (--goal tel), the number of turns above it (slo)
    or a percentile of TTFT (p95). What it may cost: --work-cost, --median-cost, in multiples of LRU's, or none.

    With --replicas, --router, --load, --tier or --plan it is the queue of a loaded server, and TEL is in seconds.
    """
    _check_targets(target, page)
    wish, shape = _read_wish(served, **given) | {"seed": reading.seed, "rules": prefixes.rules}, served.shape
    sizes = read_capacities(capacities, shape)
    prefixes.check(forced=False)
    picture.check()
    asked = replace(AdviceQuestion.of(tiered, loaded, planned, served, sizes), price=_price(gpu_hour, served))
    trace = reading.read(trace_file)
    requests = hearing(prefixes.of(trace), hints)
    chosen, origin = chosen_capacities(requests)
    wanted, shares = sizes_of(requests, sizes)
    sized = [*read_sizes(capacities, shape), *shares] if sizes else [origin]
    found = asked.answer(trace_file, requests, wanted or chosen, wish)
    notes = [*(asked.said or sized), *ends_said(requests, hints, found)]
    told = Preface.of(trace_file, trace, requests, prefixes, served, found[0].advice, notes)
    _report(told, found, requests.scale, page, target, reading.seed)
    draw_frontiers(picture, [one.advice for one in found], Path(trace_file).name)
    return 0


def hearing(requests: Trace | Forest, hints: str | None) -> Any:
    """Return requests with the ends that are announced, if they are asked for."""
    return requests if hints is None else Announcement().on(requests, (hints,))


def ends_said(requests: Trace | Forest, hints: str | None, found: Sequence[Advised]) -> list[str]:
    """Return what is assumed of ends that are asked for, or where there is no advice on them."""
    if hints is None:
        return []
    return [*hint_lines(requests), *[NO_ENDS] * any(one.advice.ends is None for one in found)]


def _price(hour: float | None, served: ServedModel) -> GpuPrice | None:
    """Return what prefill costs, None if no price is given."""
    return None if hour is None else GpuPrice(hour, served.tensor_parallel or 1, served.needed_latency)


def _check_targets(target: str | None, page: str | None) -> None:
    """Refuse, before anything else, files that can't be written."""
    if page == "-":
        raise ArgumentError("--html", page, "a file")
    check_targets({"--json": target, "--html": page})
    if page is not None:
        check_report()


@dataclass(frozen=True)
class Preface:
    """What is said of a trace and of its advice, in sentences and as plain data."""

    file: str
    said: list[str]
    data: dict[str, Any]

    @classmethod
    def of(
        cls,
        file: str,
        trace: Trace,
        requests: Trace | Forest,
        prefixes: Prefixes,
        served: ServedModel,
        advice: Advice,
        sized: Sequence[str],
    ) -> Preface:
        """Return how a trace was read and split."""
        idle, rest = advice.serving is None, len(trace) - advice.start
        blocks = list(block_lines(trace, requests, prefixes, "blocks" if idle else "seconds"))
        split = f"Chosen on the first {advice.start:,} turns, judged on the other {rest:,}, in the order of time."
        notes = [served.sentence(bool(blocks) or not idle), *sized]
        data = {"trace": turns_as_data(trace), **reading_as_data(requests, prefixes)}
        data |= {"latency": served.needed_latency.name, "notes": notes}
        return cls(file, [reading_line(trace, requests), *(blocks or report_lines(trace)), split, *notes], data)


def _report(
    told: Preface, found: list[Advised], unit: int, page: str | None, target: str | None, seed: int
) -> None:
    """Print advice, and write its page and its JSON."""
    if target != "-":
        show(console(), *told.said)
        for one in found:
            one.show(unit)
    if page is not None:
        write_found(page, told.file, told.said, found, unit, seed)
    if target is not None:
        write_json(target, told.data | {"advice": [one.as_data(unit) for one in found]})


def _read_wish(
    served: ServedModel,
    slo: str,
    goal: str,
    work_cost: str,
    median_cost: str,
    policy_text: str | None,
    first: str,
    q_hat: int | None,
) -> dict[str, Any]:
    """Return what was asked for, of whatever trace and capacities, as `teltheory.advise` takes it."""
    from teltheory.advice import Goal

    latency, within = served.needed_latency, read_time("slo", slo)
    Goal.of(goal, within, latency)
    latency.threshold(within)
    return {
        "slo": within,
        "latency": latency,
        "goal": goal,
        "work_cost": _times("--work-cost", work_cost),
        "median_cost": _times("--median-cost", median_cost),
        "policy": None if policy_text is None else maker_of(policy_text, "--policy"),
        "q_hat": in_text(q_hat),
        "first": _share(first),
    }


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
