"""The frontier of an advice: for the terminal, as plain data, as a figure and as a chart of a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from teltheory.advice.words import memory
from teltheory.cli.asked.pictures import Picture
from teltheory.plots.frontier import PARTS, caption_of_frontier, draw_frontier, drawn_points

if TYPE_CHECKING:
    from altair import VConcatChart

    from teltheory.advice import Advice, Frontier


def frontier_as_data(frontier: Frontier) -> dict[str, Any]:
    """Return every point on both parts as plain data, with the limits there and what is advised."""
    lru, marks = frontier.lru, ("front", "shown", "further")
    on = {name: set(getattr(frontier, name)) for name in marks}
    points = [
        asdict(point)
        | {name: point in some for name, some in on.items()}
        | {"chosen": point == frontier.chosen, "advised": point == frontier.advised}
        for point in frontier.points
    ]
    limits = {"first": frontier.most(lru.first)} | ({} if lru.rest is None else {"rest": frontier.most(lru.rest)})
    return {
        "tel_unit": frontier.unit,
        "limits": {part: asdict(most) for part, most in limits.items()},
        "points": points,
    }


def draw_frontiers(picture: Picture, advices: Sequence[Advice], trace: str) -> None:
    """Draw the frontier of each advice, if a figure is asked for."""
    found, goal = [frontier_as_data(advice.frontier) for advice in advices], advices[0].goal.name
    memories = [memory(advice) for advice in advices]
    picture.draw(
        lambda: draw_frontier(found, memories, goal, trace),
        caption_of_frontier(found, memories, goal, trace),
    )


def frontier_chart(advice: Advice) -> VConcatChart:
    """Return gain and P50 of every setting on both parts against the prefill, the limits, and what is advised."""
    import altair as alt

    data = frontier_as_data(advice.frontier)
    rows = [row for part in PARTS for row in _rows(data, part)]
    limits = [row for part in PARTS if part in data["limits"] for row in _limits(data, part)]
    x = alt.X("prefill:Q", title="prefill, times LRU's", scale=alt.Scale(zero=False))
    part = alt.Color("part:N", title=None, legend=alt.Legend(orient="top"))
    tips = ["policy:N", "part:N", *(alt.Tooltip(f"{name}:Q", format=form) for name, form in TIPS.items())]
    tips.append("broken:N")
    size = alt.condition("datum.advised", alt.value(200), alt.value(40))
    every = alt.Chart(alt.InlineData(values=rows), width=600, height=190)
    dots = every.mark_point(filled=True).encode(x=x, color=part, size=size, tooltip=tips)
    lines = every.transform_filter("datum.front").mark_line().encode(x=x, color=part)
    rules = alt.Chart(alt.InlineData(values=limits)).mark_rule(strokeDash=[4, 3])
    work = rules.encode(x="prefill:Q", color=part)
    upper, lower = (
        alt.layer(lines.encode(y=y), dots.encode(y=y), *marks)
        for y, marks in (
            (alt.Y("gain:Q", title=f"{advice.goal.name}, below LRU's", axis=alt.Axis(format="%")), [work]),
            (alt.Y("p50:Q", title="P50 of TTFT, s"), [work, rules.encode(y="p50:Q", color=part)]),
        )
    )
    return alt.vconcat(upper, lower, title="Frontier: large is what is advised, dashed are the limits")


TIPS = {
    "xi": ",",
    "q_hat": ",",
    "gain": ".1%",
    "prefill": ".3f",
    "p50": ".3f",
    "p95": ".3f",
    "hit_rate": ".1%",
    "tel": ",",
}
"""Numbers that a point of the chart tells, and their formats."""


def _rows(data: dict[str, Any], part: str) -> Iterator[dict[str, Any]]:
    """Yield the points that are drawn of a part as rows of a chart."""
    points = drawn_points(data, part)
    for point in points:
        cost = point[part]["cost"]
        place = {name: point[name] for name in ("policy", "xi", "q_hat", "front", "advised")}
        times = cost["prefilled"] / max(points[0][part]["cost"]["prefilled"], 1)
        yield (
            place
            | cost
            | {
                "part": PARTS[part][0],
                "prefill": times,
                "gain": point[part]["gain"],
                "broken": ", ".join(point[part]["broken"]) or "none",
            }
        )


def _limits(data: dict[str, Any], part: str) -> Iterator[dict[str, Any]]:
    """Yield the limits on a part as rows of a chart."""
    most, lru = data["limits"][part], data["points"][0][part]["cost"]
    if most["prefilled"] is not None:
        yield {"part": PARTS[part][0], "prefill": most["prefilled"] / max(lru["prefilled"], 1)}
    if most["p50"] is not None:
        yield {"part": PARTS[part][0], "p50": most["p50"]}
