"""The tail in a queue as a chart of a page: what the seconds above the SLO are, of each policy and router."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import singledispatch
from typing import TYPE_CHECKING

from teltheory.advice.held_out import HeldOut, Row
from teltheory.advice.in_queue import HeldInQueue

if TYPE_CHECKING:
    from altair import Chart

PARTS = ("wait", "load", "compute")
MOST = 10
"""Bars are left out that are more than so many times as long as the first: it could not be seen beside them."""


@singledispatch
def tail_charts(held: HeldOut) -> Iterator[Chart]:
    """Yield what the seconds above the SLO are on the rest; where nobody can wait, all are computing."""
    return iter(())


@tail_charts.register(HeldInQueue)
def _(held: HeldInQueue) -> Iterator[Chart]:
    yield parts_of([*held.rows, *(row for row in held.routers if row is not held.rows[0]), held.endless])


def parts_of(rows: Sequence[Row]) -> Chart:
    """Return what the seconds above the SLO are of each row."""
    import altair as alt

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
