"""A capacity plan: what `--plan` asks for, and the answer as sentences, a table, plain data and a section."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import asdict
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from rich.table import Table

from teltheory.cli.question import read_capacity
from teltheory.cli.serving_options import read_load
from teltheory.cli.tables import plain_table
from teltheory.cost.goals import read_level
from teltheory.cost.kv_cache import KVSize
from teltheory.errors import ArgumentError, listed
from teltheory.model.numbers import whole_number
from teltheory.report.markdown import paragraphs, plain_text, table
from teltheory.report.page import Section

if TYPE_CHECKING:
    from teltheory.advice.planning import Plan

LOAD, REPLICAS = "load", "replicas"
EXPECTED = "replicas=1..16, tier0=100k,300k,1M or load=0.5,0.7,0.9"
RANGE = re.compile(r"(\d{1,9})\.\.(\d{1,9})", re.ASCII)
MOST = 1000
"""Numbers that a range may have."""
HEADER = ("P", "interval", "keeps the SLO", "util", "slow", "TEL s")


def read_plan(text: str, shape: KVSize | None, *, overload: bool) -> tuple[str, list[int | Fraction]]:
    """Return the resource and the grid of `--plan`; capacities in tokens."""
    resource, equals, rest = text.partition("=")
    if not equals or not re.fullmatch(rf"{LOAD}|{REPLICAS}|tier\d+", resource, re.ASCII):
        raise ArgumentError("--plan", text, EXPECTED)
    items = [item.strip() for item in rest.split(",")]
    if resource == LOAD:
        return resource, [read_load("--plan", item, overload=overload) for item in items]
    if resource == REPLICAS:
        return resource, [number for item in items for number in _range(text, item)]
    return resource, [read_capacity("--plan", item, shape) for item in items]


def _range(text: str, item: str) -> range:
    found = RANGE.fullmatch(item)
    first, last = (found[1], found[2]) if found else (item, item)
    try:
        numbers = range(int(first), int(last) + 1)
    except ValueError:
        raise ArgumentError("--plan", text, EXPECTED) from None
    if not numbers or numbers[0] < 1 or len(numbers) > MOST:
        raise ArgumentError("--plan", text, f"replicas from 1 on, {MOST} numbers at most")
    return numbers


def read_percentile(text: str) -> Fraction:
    """Return the percentile of `--percentile` as a number up to 100."""
    level = read_level(text.lower())
    if level is None:
        raise ArgumentError("--percentile", text, "a percentile such as p95")
    return 100 * level.q


def plan_lines(plan: Plan, policy: str, block_size: int) -> Iterator[str]:
    """Yield what a plan says."""
    name, slo = f"P{float(100 * plan.level):g}", f"{float(plan.slo):g} s"
    tried = f"{len(plan.tried)} tried, {_text(plan, plan.tried[0].number, block_size)} to "
    tried += _text(plan, plan.tried[-1].number, block_size)
    less = "smaller" if plan.resource == LOAD else "larger"
    most = "largest" if plan.resource == LOAD else "smallest"
    wanted = f"such that it and every {less} one tried have a {name} of TTFT of {slo} at most"
    if plan.answer is None:
        last = plan.tried[-1]
        yield (
            f"PLAN, {policy}: no {_noun(plan)} of the {tried}, is enough: even at "
            f"{_text(plan, last.number, block_size)} {name} is {last.percentile.value:.3f} s, above {slo}."
        )
    else:
        answer = _text(plan, plan.answer, block_size)
        yield f"PLAN, {policy}: {answer} is the {most} {_noun(plan)} {wanted} ({tried})."
    said = f"In {100 * plan.share:.0f} % of the draws of blocks of time the answer is the same"
    if plan.low != plan.high:
        ends = [_end(plan, end, block_size) for end in (plan.low, plan.high)]
        said += f", in 95 % from {ends[0]} to {ends[1]}"
    yield f"{said}."
    if plan.exceptions:
        numbers = listed([_text(plan, number, block_size) for number in plan.exceptions])
        yield f"Exceptions: {numbers} would do on this trace, although a number that is more generous does not."


def _noun(plan: Plan) -> str:
    if plan.resource in (LOAD, REPLICAS):
        return {LOAD: "load", REPLICAS: "number of replicas"}[plan.resource]
    return f"capacity of tier {plan.resource.removeprefix('tier')}"


def _text(plan: Plan, number: float, block_size: int) -> str:
    if plan.resource == LOAD:
        return f"{number:g}"
    return f"{number:,}" if plan.resource == REPLICAS else f"{number * block_size:,}"


def _end(plan: Plan, number: float | None, block_size: int) -> str:
    return "none of them" if number is None else _text(plan, number, block_size)


def plan_heads(plan: Plan) -> tuple[str, ...]:
    """Return the columns of a plan."""
    what = plan.resource if plan.resource in (LOAD, REPLICAS) else f"{plan.resource} tokens"
    return (what, f"P{float(100 * plan.level):g} s", *HEADER[1:])


def plan_rows(plan: Plan, block_size: int) -> Iterator[tuple[str, ...]]:
    """Yield the numbers tried as text under `plan_heads`."""
    for one in plan.tried:
        found = one.percentile
        keeps = "yes" if one.meets else "no"
        if one.number in plan.exceptions:
            keeps = "yes, an exception"
        if one.number == plan.answer:
            keeps = "yes: the answer"
        ends = f"[{max(found.low, 0.0):.3f}, {found.high:.3f}]"
        counts = (f"{one.utilisation:.3f}", f"{one.slow:,}", f"{one.tel:,.0f}")
        yield _text(plan, one.number, block_size), f"{found.value:.3f}", ends, keeps, *counts


def plan_table(plan: Plan, policy: str, block_size: int) -> Table:
    """Return the numbers tried for the terminal."""
    return plain_table(f"Plan, {policy}", plan_heads(plan), plan_rows(plan, block_size), ("keeps the SLO",))


def plan_as_data(plan: Plan, policy: str, block_size: int) -> dict[str, Any]:
    """Return a plan as plain data; capacities in tokens."""

    def tokens(number: float | None) -> float | None:
        return number if number is None or plan.resource in (LOAD, REPLICAS) else number * block_size

    data = asdict(plan) | {"policy": policy, "level": float(plan.level), "slo": float(plan.slo)}
    data |= {name: tokens(getattr(plan, name)) for name in ("answer", "low", "high")}
    data["exceptions"] = [tokens(number) for number in plan.exceptions]
    data["tried"] = [asdict(one) | {"number": tokens(one.number)} for one in plan.tried]
    return data


def plan_section(anchor: str, plan: Plan, policy: str, block_size: int) -> Section:
    """Return a plan as a section of a page."""
    rows = (map(plain_text, row) for row in plan_rows(plan, block_size))
    texts = [*map(plain_text, plan_lines(plan, policy, block_size)), table(plan_heads(plan), rows, "---:")]
    return Section(anchor, f"Plan of {_noun(plan)}, {policy}", paragraphs(texts))


def check_tier(resource: str, tiers: int) -> None:
    """Refuse a tier that is not there."""
    number = whole_number("--plan", int(resource.removeprefix("tier"))) if resource.startswith("tier") else 0
    if number >= tiers:
        raise ArgumentError("--plan", resource, f"a tier from tier0 to tier{tiers - 1}")
