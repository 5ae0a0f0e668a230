"""An advice in a queue as tables, as plain data, and as a section of a page."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from rich.table import Table

from teltheory.advice.sentences_in_queue import asked, findings, headline, memory, tables_of
from teltheory.advice.sentences_of_frontier import TEXTS
from teltheory.cli.advise.frontier import frontier_chart
from teltheory.cli.advise.text import judged_as_data
from teltheory.cli.printed.tables import plain_table
from teltheory.model.display import counted
from teltheory.model.tiers import Tiers, tiers_of
from teltheory.report.markdown import bullets, paragraphs, plain_text, table
from teltheory.report.page import Card, Section

if TYPE_CHECKING:
    from altair import Chart, VConcatChart

    from teltheory.advice.held_in_queue import QueueRow
    from teltheory.advice.loaded import QueueAdvice

LEAD = (
    "A setting for T-LRU on replicas with queues, chosen in the queue on the first part of the trace and judged "
    "there on the rest, in the order of time. Intervals are 95 %, of a paired block bootstrap."
)
METHOD = (
    "All policies are served at the same speed; TTFT = wait + load + compute, and TEL is the seconds above the "
    "SLO, summed over turns.",
    "What is above the SLO is charged to the wait first, then to loading, then to computing.",
    "util: busy seconds over those of all replicas from the first arrival of the rest to the last. gain: share by "
    "which the goal is below LRU's under the router that was asked for; a loss is negative.",
)


def queue_tables(advice: QueueAdvice) -> Iterator[Table]:
    """Yield the tables for the terminal."""
    for title, heads, rows in tables_of(advice):
        yield plain_table(title, heads, rows, (*heads[:1], *TEXTS))


def queue_as_data(advice: QueueAdvice) -> dict[str, Any]:
    """Return an advice as plain data; shares and seconds are numbers."""
    serving, capacity, tiers = advice.serving, advice.capacity, tiers_of(advice.capacity)
    return {
        "capacity": list(tiers.capacities) if isinstance(capacity, Tiers) else capacity,
        "loads": [float(load) for load in tiers.loads],
        "tiers": isinstance(capacity, Tiers),
        "replicas": serving.replicas,
        "router": advice.held_out.rows[0].router,
        "load": advice.load,
        "stretch": float(serving.stretch),
        "ticks": serving.ticks,
        **judged_as_data(advice),
        "policy": advice.policy,
        "why": list(advice.why),
    }


def queue_card(advice: QueueAdvice) -> Card:
    """Return the advice as a number of a page's summary."""
    where = f"on {counted(advice.serving.replicas, 'replica')} of {memory(advice)}"
    if not advice.recommended:
        return Card("LRU", f"stay with it {where}")
    return Card(
        f"{100 * advice.held_out.gain.value:.1f} %", f"{advice.goal.name}, lower than LRU's {where}", "good"
    )


def queue_section(anchor: str, advice: QueueAdvice) -> Section:
    """Return an advice as a section of a page, with what each part of the tail is."""
    texts = [plain_text(asked(advice)), f"**{plain_text(headline(advice))}**"]
    texts += [
        f"{plain_text(one.engine)} ({plain_text(one.release)}):\n\n    {one.arguments}" for one in advice.engines
    ]
    texts.append(bullets(list(map(plain_text, findings(advice)))))
    texts += [f"> **Warning.** {plain_text(warning)}" for warning in advice.warnings]
    for title, heads, rows in tables_of(advice):
        texts += [f"**{title}**", table(heads, (map(plain_text, row) for row in rows), "---:")]
    charts: list[Chart | VConcatChart] = [
        _parts(advice),
        *([frontier_chart(advice)] if len(advice.choice.tried) > 1 else []),
    ]
    return Section(anchor, f"{memory(advice)} a replica", paragraphs(texts), charts)


PARTS = ("wait", "load", "compute")
MOST = 10
"""Bars are left out that are more than so many times as long as the first: it could not be seen beside them."""


def _parts(advice: QueueAdvice) -> Chart:
    """Return what the seconds above the SLO are, of each policy and router on the rest."""
    import altair as alt

    held = advice.held_out
    rows: Sequence[QueueRow] = [
        *held.rows,
        *(row for row in held.routers if row is not held.rows[0]),
        held.endless,
    ]
    seconds = [{part: getattr(row, part) for part in PARTS} for row in rows]
    most = MOST * sum(seconds[0].values()) or math.inf
    parts = [
        {"served": f"{row.policy}, {row.router}", "part": part, "place": k, "seconds": of_row[part]}
        for row, of_row in zip(rows, seconds, strict=True)
        if sum(of_row.values()) <= most
        for k, part in enumerate(PARTS)
    ]
    longer = sum(sum(of_row.values()) > most for of_row in seconds)
    said = f"without {longer} that have more than {MOST} times as many as LRU" if longer else ""
    title = alt.Title("Seconds above the SLO on the rest", subtitle=said)
    names = list(dict.fromkeys(part["served"] for part in parts))
    chart: Chart = (
        alt.Chart(alt.InlineData(values=parts), width=600, title=title)
        .mark_bar()
        .encode(
            x=alt.X("seconds:Q", title="seconds above the SLO"),
            y=alt.Y("served:N", title=None, sort=names, axis=alt.Axis(labelLimit=0)),
            color=alt.Color("part:N", title=None, sort=PARTS, legend=alt.Legend(orient="top")),
            order="place:Q",
            tooltip=["served:N", "part:N", alt.Tooltip("seconds:Q", format=",.0f")],
        )
    )
    return chart
