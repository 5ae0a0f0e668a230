"""A capacity plan: what `--plan` asks for, and the answer as a table, plain data and a section."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from rich.table import Table

from teltheory.advice.planning import best_of
from teltheory.advice.sentences_of_plan import LOAD, REPLICAS, noun, one_answer, plan_heads, rows_of_all
from teltheory.cli.asked.question import read_capacity
from teltheory.cli.asked.serving import read_load
from teltheory.cli.printed.tables import plain_table
from teltheory.cost.goals import read_level
from teltheory.cost.kv_cache import KVSize
from teltheory.errors import ArgumentError
from teltheory.model.numbers import whole_number
from teltheory.report.markdown import paragraphs, plain_text, table
from teltheory.report.page import Section

if TYPE_CHECKING:
    from teltheory.advice import Advice, Plan

EXPECTED = "replicas=1..16, tier0=100k,300k,1M or load=0.5,0.7,0.9"
RANGE = re.compile(r"(\d{1,9})\.\.(\d{1,9})", re.ASCII)
MOST = 1000
"""Numbers that a range may have."""


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


def plan_table(plans: Mapping[str, Plan], block_size: int) -> Table:
    """Return the numbers tried under each policy for the terminal."""
    heads = ("policy", *plan_heads(next(iter(plans.values())), " tokens"))
    rows = rows_of_all(plans, best_of(plans), block_size)
    return plain_table("Plan", heads, rows, ("policy", "keeps the SLO"))


def plan_sentences(advice: Advice, plans: Mapping[str, Plan], block_size: int) -> list[str]:
    """Return the one answer of some plans in sentences."""
    return list(one_answer(plans, best_of(plans), advice.goal.name, block_size))


def plans_as_data(plans: Mapping[str, Plan], block_size: int) -> list[dict[str, Any]]:
    """Return plans as plain data, each with whether it is the answer."""
    best = best_of(plans) if plans else None
    return [plan_as_data(plan, name, block_size) | {"best": name == best} for name, plan in plans.items()]


def plan_as_data(plan: Plan, policy: str, block_size: int) -> dict[str, Any]:
    """Return a plan as plain data; capacities in tokens."""

    def tokens(number: float | None) -> float | None:
        return number if number is None or plan.resource in (LOAD, REPLICAS) else number * block_size

    data = asdict(plan) | {"policy": policy, "level": float(plan.level), "slo": float(plan.slo)}
    data |= {name: tokens(getattr(plan, name)) for name in ("answer", "low", "high")}
    data["exceptions"] = [tokens(number) for number in plan.exceptions]
    data["tried"] = [asdict(one) | {"number": tokens(one.number)} for one in plan.tried]
    return data


def plan_section(anchor: str, advice: Advice, plans: Mapping[str, Plan], block_size: int) -> Section:
    """Return plans as a section of a page: one answer, and what was tried."""
    one = next(iter(plans.values()))
    rows = (map(plain_text, row) for row in rows_of_all(plans, best_of(plans), block_size))
    texts = [
        *map(plain_text, plan_sentences(advice, plans, block_size)),
        table(("policy", *plan_heads(one, " tokens")), rows, "---:"),
    ]
    return Section(anchor, f"Plan of {noun(one)}", paragraphs(texts))


def check_tier(resource: str, tiers: int) -> None:
    """Refuse a tier that is not there."""
    number = whole_number("--plan", int(resource.removeprefix("tier"))) if resource.startswith("tier") else 0
    if number >= tiers:
        raise ArgumentError("--plan", resource, f"a tier from tier0 to tier{tiers - 1}")
