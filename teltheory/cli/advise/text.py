"""An advice as tables, as plain data, and as a page to show to others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from rich.table import Table

from teltheory.advice.sentences import asked, cost, engine_line, findings, headline, judged, tables_of
from teltheory.advice.sentences_of_ends import ends_lines
from teltheory.advice.sentences_of_frontier import TEXTS
from teltheory.advice.words import memory
from teltheory.cli.advise.frontier import frontier_as_data, frontier_chart
from teltheory.cli.advise.tail import tail_charts
from teltheory.cli.printed.tables import plain_table
from teltheory.model.display import counted
from teltheory.model.tiers import tiers_of
from teltheory.report.markdown import bullets, paragraphs, plain_text, table
from teltheory.report.page import Card, Section

if TYPE_CHECKING:
    from altair import Chart, VConcatChart

    from teltheory.advice import Advice
    from teltheory.advice.advice import AtEfficiency

LEAD = (
    "A threshold for T-LRU, chosen on the first part of the trace and judged on the rest, in the order of time. "
    "Intervals are 95 %, of paired draws of whole conversations, sessions or root prefixes."
)
LEAD_IN_QUEUE = (
    "A setting for T-LRU on replicas with queues, chosen in the queue on the first part of the trace and judged "
    "there on the rest, in the order of time. Intervals are 95 %, of paired draws of whole conversations, "
    "sessions or root prefixes."
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
METHOD_IN_QUEUE = (
    "All policies are served at the same speed; TTFT = wait + load + compute, and TEL is the seconds above the "
    "SLO, summed over turns.",
    "What is above the SLO is charged to the wait first, then to loading, then to computing.",
    "util: busy seconds over those of all replicas from the first arrival of the rest to the last. gain: share by "
    "which the goal is below LRU's under the router that was asked for; a loss is negative.",
)


def advice_tables(advice: Advice) -> Iterator[Table]:
    """Yield the tables for the terminal."""
    for title, heads, rows in tables_of(advice):
        yield plain_table(title, heads, rows, (*heads[:1], *TEXTS))


def advice_as_data(advice: Advice) -> dict[str, Any]:
    """Return an advice as plain data; shares and seconds are numbers, the SLO and the level too."""
    goal, held, sizes = advice.goal, advice.held_out, list(tiers_of(advice.capacity).capacities)
    return {
        "capacity": sizes if len(sizes) > 1 else sizes[0],
        "goal": goal.name,
        "slo": float(goal.slo),
        "slo_tokens": goal.xi,
        "level": number(goal.level),
        "first_turns": advice.start,
        "rest_turns": advice.turns - advice.start,
        "work_cost": number(advice.limits.work),
        "median_cost": number(advice.limits.median),
        "recommended": advice.recommended,
        "policy": advice.policy,
        "xi": advice.xi,
        "q_hat": advice.q_hat,
        "kept_promise": advice.kept_promise,
        "choice": asdict(advice.choice),
        "held_out": asdict(held) | {"margin": held.margin, "gain": asdict(held.gain)},
        "frontier": frontier_as_data(advice.frontier),
        "warnings": list(advice.warnings),
        "why": list(advice.why),
        "rules": str(advice.rules),
        "engines": [asdict(setting) for setting in advice.engines],
        "ends": None if advice.ends is None else asdict(advice.ends) | {"recommended": advice.ends.recommended},
        **_queue_as_data(advice),
        **({"band": [_at_as_data(one, advice) for one in advice.band]} if advice.band else {}),
    }


def _at_as_data(at: AtEfficiency, middle: Advice) -> dict[str, Any]:
    """Return the advice at an efficiency as plain data; null for what there is not."""
    one = (at.advice or middle) if at.reached else None
    found = {"slo_tokens": one.goal.xi, "recommended": one.recommended, "xi": one.xi} if one else {}
    return {"efficiency": float(at.efficiency), "reached": at.reached, **found}


def _queue_as_data(advice: Advice) -> dict[str, Any]:
    """Return how the trace was served as plain data; nothing of an idle server."""
    serving, tiers = advice.serving, tiers_of(advice.capacity)
    if serving is None:
        return {}
    return {
        "loads": [float(load) for load in tiers.loads],
        "tiers": len(tiers) > 1,
        "replicas": serving.replicas,
        "router": advice.held_out.rows[0].router,
        "load": advice.load,
        "stretch": float(serving.stretch),
        "ticks": serving.ticks,
    }


def number(value: Fraction | None) -> float | None:
    """Return a fraction as plain data."""
    return None if value is None else float(value)


def advice_card(advice: Advice) -> Card:
    """Return the advice as a number of a page's summary."""
    where = f"at {memory(advice)}"
    if advice.serving is not None:
        where = f"on {counted(advice.serving.replicas, 'replica')} of {memory(advice)}"
    if not advice.recommended:
        return Card("LRU", f"stay with it {where}")
    gain = f"{100 * advice.held_out.gain.value:.1f} %"
    return Card(gain, f"{advice.goal.name}, lower than LRU's {where}", "good")


def advice_section(anchor: str, advice: Advice) -> Section:
    """Return an advice as a section of a page, with its charts."""
    texts = [*_advised(advice), bullets(list(map(plain_text, findings(advice))))]
    texts += [f"> **Warning.** {plain_text(warning)}" for warning in advice.warnings]
    for title, heads, rows in tables_of(advice):
        texts += [f"**{title}**", table(heads, (map(plain_text, row) for row in rows), "---:")]
    charts: list[Chart | VConcatChart] = list(tail_charts(advice.held_out))
    charts += [frontier_chart(advice)] if len(advice.points) > 1 else []
    title = f"Capacity {memory(advice)}" if advice.serving is None else f"{memory(advice)} a replica"
    return Section(anchor, title, paragraphs(texts), charts)


def advice_in_short(advice: Advice) -> Iterator[str]:
    """Yield an advice as Markdown: the setting, what it gains on the rest and costs there, and what to mind."""
    yield from _advised(advice)
    yield bullets([judged(advice), cost(advice), *(f"Mind: {warning}" for warning in advice.warnings)])


def _advised(advice: Advice) -> Iterator[str]:
    yield plain_text(asked(advice))
    yield f"**{plain_text(headline(advice))}**"
    for setting in advice.engines:
        arguments = f"\n\n    {setting.arguments}" if setting.recommended else ""
        yield f"{plain_text(engine_line(setting, advice.goal))}{arguments}"
    for line in ends_lines(advice):
        yield f"    {line.strip()}" if line.startswith("  ") else plain_text(line)
