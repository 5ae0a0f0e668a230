"""An advice as a table, as plain data, and as a page to show to others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.table import Table

from teltheory.advice.sentences import (
    HEADER,
    asked,
    cost,
    findings,
    headline,
    in_memory,
    judged,
    rest_of,
)
from teltheory.advice.sentences_of_frontier import tables_of_frontier
from teltheory.cli.advise.frontier import frontier_as_data, frontier_chart
from teltheory.cli.printed.output import write_text
from teltheory.cli.printed.tables import plain_table
from teltheory.cost.kv_cache import KVSize
from teltheory.report.markdown import bullets, facts, paragraphs, plain_text, table
from teltheory.report.page import Card, Page, Section, digest, render, versions

if TYPE_CHECKING:
    from teltheory.advice import Advice, QueueAdvice


LEAD = (
    "A threshold for T-LRU, chosen on the first part of the trace and judged on the rest, in the order of time. "
    "Intervals are 95 %, of a paired block bootstrap."
)
METHOD = (
    "ξ - Q̂ is chosen on the first part alone, from replays of T-LRU, which trims the least recent surplus first, "
    "at up to 48 values; those that keep the limits on the prefill and on P50 are allowed.",
    "What is promised is an interval for the gain on the rest, as wide as chance, the errors of promises from "
    "beginnings of the first part, and a trend there ask for.",
    "The rest begins with the cache that each policy has by then. The hindsight optimum is the least TEL there of "
    "any plan for the whole trace.",
    "hit: share of the input that was cached. prefill: tokens that were computed. written: tokens that were "
    "written to the cache. slow: turns with a "
    "TTFT above the SLO. TEL: tokens above the SLO's threshold, summed over turns. regret: TEL above the "
    "hindsight optimum.",
)


def advice_table(advice: Advice) -> Table:
    """Return the policies on the rest."""
    return plain_table(*rest_of(advice), HEADER[:1])


def advice_as_data(advice: Advice) -> dict[str, Any]:
    """Return an advice as plain data; shares and seconds are numbers, the SLO and the level too."""
    return {"capacity": advice.capacity, **judged_as_data(advice)}


def judged_as_data(advice: Advice | QueueAdvice) -> dict[str, Any]:
    """Return how a setting was chosen and what it did on the rest as plain data."""
    goal = advice.goal
    return {
        "goal": goal.name,
        "slo": float(goal.slo),
        "slo_tokens": goal.xi,
        "level": number(goal.level),
        "first_turns": advice.start,
        "rest_turns": advice.turns - advice.start,
        "work_cost": number(advice.limits.work),
        "median_cost": number(advice.limits.median),
        "recommended": advice.recommended,
        "xi": advice.xi,
        "q_hat": advice.q_hat,
        "kept_promise": advice.kept_promise,
        "choice": asdict(advice.choice),
        "held_out": asdict(advice.held_out),
        "frontier": frontier_as_data(advice.frontier),
        "warnings": list(advice.warnings),
        "engines": [asdict(setting) for setting in advice.engines],
    }


def number(value: Fraction | None) -> float | None:
    """Return a fraction as plain data."""
    return None if value is None else float(value)


def write_advice(
    target: str, file: str, about: Sequence[str], advices: Sequence[Advice], shape: KVSize | None, seed: int
) -> None:
    """Write a page with an advice for each capacity."""
    sections = [_section(f"capacity-{i}", advice, shape) for i, advice in enumerate(advices, start=1)]
    trace = Path(file)
    source = [(trace.name, f"SHA-256 {digest(trace)}")] if trace.is_file() else []
    made = facts([*versions(), ("Seed of the draws", str(seed)), *source])
    method = Section("method", "How it was found", bullets([*about, *METHOD]))
    cards = [_card(advice, shape) for advice in advices]
    page = Page(
        f"T-LRU on {trace.name}",
        LEAD,
        cards,
        "",
        [*sections, method, Section("provenance", "Provenance", made)],
    )
    write_text(target, render(page))


def _card(advice: Advice, shape: KVSize | None) -> Card:
    where = f"at {in_memory([advice.capacity], shape)}"
    if not advice.recommended:
        return Card("LRU", f"stay with it {where}")
    gain = f"{100 * advice.held_out.gain.value:.1f} %"
    return Card(gain, f"{advice.goal.name}, lower than LRU's {where}", "good")


def _section(anchor: str, advice: Advice, shape: KVSize | None) -> Section:
    charts = [frontier_chart(advice)] if len(advice.points) > 1 else []
    return Section(
        anchor, f"Capacity {in_memory([advice.capacity], shape)}", paragraphs(_parts(advice, shape)), charts
    )


def advice_in_short(advice: Advice) -> Iterator[str]:
    """Yield an advice as Markdown: the setting, what it gains on the rest and costs there, and what to mind."""
    yield from _advised(advice)
    yield bullets([judged(advice), cost(advice), *(f"Mind: {warning}" for warning in advice.warnings)])


def _advised(advice: Advice) -> Iterator[str]:
    yield plain_text(asked(advice))
    yield f"**{plain_text(headline(advice))}**"
    for setting in advice.engines:
        yield f"{plain_text(setting.engine)} ({plain_text(setting.release)}):\n\n    {setting.arguments}"


def _parts(advice: Advice, shape: KVSize | None) -> Iterator[str]:
    yield from _advised(advice)
    yield bullets(list(findings(advice, shape)))
    yield from (f"> **Warning.** {plain_text(warning)}" for warning in advice.warnings)
    for title, heads, rows in (rest_of(advice), *tables_of_frontier(advice)):
        yield f"**{title}**"
        yield table(heads, (map(plain_text, row) for row in rows), "---:")
