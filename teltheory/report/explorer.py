"""LRU, T-LRU and the hindsight optimum over capacities and thresholds, as one chart whose inputs choose both.

1. The steps have two digits, and are evenly spaced on a logarithmic scale. Capacities go from a thousandth of what
   holds everything to all of it; thresholds from the TTFT that without a cache nine turns in ten are above, to
   that which one in a hundred is above.
2. If replays at all of them were more than `MOST_TURNS` turns, there are fewer: effort is bounded by turns, never
   by time.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from teltheory.cost.latency import Latency
from teltheory.cost.metrics import share_closed
from teltheory.model.forest import Forest
from teltheory.model.numbers import IntArray, exact_sum
from teltheory.model.trace import Trace
from teltheory.report.words import percent

if TYPE_CHECKING:
    from altair import VConcatChart

MOST_TURNS = 30_000_000
STEPS = (4, 28)
"""Fewest and most capacities, and so of thresholds."""
POLICIES = {"lru": "LRU", "tlru": "T-LRU"}
OPTIMUM = "Hindsight optimum"
MEASURES = {
    "P50 s": ".3f",
    "P90 s": ".3f",
    "P95 s": ".3f",
    "P99 s": ".3f",
    "hit rate": ".1%",
    "prefilled tokens": ",",
    "written tokens": ",",
    "turns above the SLO": ",",
    "TEL": ",",
}
"""What is shown of each policy, and how its numbers are written."""


@dataclass(frozen=True)
class Steps:
    """What the inputs of a chart choose from.

    Capacities in tokens, ascending, and thresholds in tokens, ascending, each with its seconds.
    """

    capacities: Sequence[int]
    slos: Mapping[int, Fraction]

    @classmethod
    def of(cls, trace: Trace | Forest, latency: Latency) -> Steps:
        """Return as many steps as `MOST_TURNS` allows for a trace of one turn or more."""
        fewest, most = STEPS
        number = min(max(isqrt(MOST_TURNS // len(trace)), fewest), most)
        every, inputs = _lengths(trace)
        low, high = np.quantile(latency.ttft(inputs), (0.1, 0.99), method="inverted_cdf").tolist()
        slos = [Fraction(ms, 1000) for ms in spaced(1000 * low, 1000 * high, number)]
        return cls(spaced(every / 1000, every, number), {latency.threshold(slo): slo for slo in slos})


def _lengths(trace: Trace | Forest) -> tuple[int, IntArray]:
    """Return the tokens that hold everything, at least 1, and those of each input."""
    if isinstance(trace, Forest):
        return max(trace.units * trace.block_size, 1), trace.inputs
    return max(exact_sum(np.asarray(trace.past[trace.next_turn == len(trace)])), 1), trace.total


def spaced(low: float, high: float, number: int) -> list[int]:
    """Return whole numbers from `low` to `high`, 1 or more and with two digits, rounded up to them."""
    found = set[int]()
    for value in np.geomspace(max(low, 1), max(high, 1), number).tolist():
        unit = 10 ** max(len(str(math.ceil(value))) - 2, 0)
        found.add(math.ceil(value / unit) * unit)
    return sorted(found)


def explorer(title: str, cells: Iterable[Any], steps: Steps, start: tuple[int, int]) -> VConcatChart:
    """Return a chart: the numbers at a capacity and a threshold, and curves of one measure along both."""
    import altair as alt

    chosen = _inputs(steps, start)
    data = alt.InlineData(values=list(_rows(cells)))
    parts = [_numbers(), alt.hconcat(_curve("capacity", "threshold"), _curve("threshold", "capacity"))]
    return alt.vconcat(*parts, data=data, title=title).add_params(*chosen)


def _inputs(steps: Steps, start: tuple[int, int]) -> list[Any]:
    import altair as alt

    times = (f"{float(slo):g} s" if slo >= 1 else f"{float(1000 * slo):g} ms" for slo in steps.slos.values())
    labels = [f"{time} = {xi:,} tokens" for xi, time in zip(steps.slos, times, strict=True)]
    sizes = {size: f"{size:,} tokens" for size in steps.capacities}

    def closest(steps: Iterable[int], wanted: int) -> int:
        return min(steps, key=lambda step: abs(step - wanted))

    asked = (
        ("capacity", "Capacity C ", list(sizes), list(sizes.values()), closest(sizes, start[0])),
        ("threshold", "Threshold ξ ", list(steps.slos), labels, closest(steps.slos, start[1])),
        ("measure", "The curves show ", list(MEASURES), list(MEASURES), "TEL"),
    )
    return [
        alt.param(name, value=value, bind=alt.binding_select(options=options, labels=shown, name=label))
        for name, label, options, shown, value in asked
    ]


def _rows(cells: Iterable[Any]) -> Iterator[dict[str, Any]]:
    """Yield a row for each policy at each step; other plans may reach the optimum, so it has a TEL alone."""
    for cell in cells:
        place = {"capacity": cell.capacity, "threshold": cell.xi}
        percentiles = (cell.p50, cell.p90, cell.p95, cell.p99)
        numbers = (*percentiles, cell.hit_rate, cell.prefilled, cell.written, cell.violations, cell.tel)
        yield place | {"policy": POLICIES[cell.policy]} | dict(zip(MEASURES, numbers, strict=True))
        if cell.policy == "lru":
            yield place | {"policy": OPTIMUM, "TEL": cell.optimum}


AT = "datum.capacity == capacity && datum.threshold == threshold"


def _numbers() -> Any:
    """Return the numbers at the chosen step: a column a measure."""
    import altair as alt

    names = alt.Y("policy:N", scale=alt.Scale(domain=[*POLICIES.values(), OPTIMUM]), title=None)
    columns = []
    for i, (name, form) in enumerate(MEASURES.items()):
        y = names if i == 0 else names.axis(None)
        known = f"{AT} && isValid(datum['{name}'])"
        text = alt.Chart(title=alt.Title(name, fontSize=10)).mark_text().transform_filter(known)
        columns.append(
            text.encode(y=y, text=alt.Text(name, type="quantitative", format=form)).properties(width=105)
        )
    return alt.hconcat(*columns, spacing=0)


def _curve(along: str, at: str) -> Any:
    """Return the chosen measure along one input, at what the other one has chosen."""
    import altair as alt

    place, value = alt.Tooltip(f"{along}:Q", format=","), alt.Tooltip("value:Q", format=",.4~f")
    x = alt.X(f"{along}:Q", scale=alt.Scale(type="log"), axis=alt.Axis(format="~s"), title=f"{along} (tokens)")
    colour = alt.Color(
        "policy:N", sort=[*POLICIES.values(), OPTIMUM], title=None, legend=alt.Legend(orient="bottom")
    )
    title = alt.Title(alt.expr(f"measure + ' at {at} ' + format({at}, ',')"))
    line = alt.Chart(title=title, width=380, height=240).mark_line(point=True)
    drawn = line.encode(x=x, y=alt.Y("value:Q", title=None), color=colour, tooltip=["policy:N", place, value])
    here = alt.Chart(alt.InlineData(values=[{}])).mark_rule(strokeDash=[2, 3])
    return alt.layer(
        drawn.transform_filter(f"datum.{at} == {at}").transform_calculate(value="datum[measure]"),
        here.transform_calculate(**{along: along}).encode(x=f"{along}:Q"),
    )


def compared(lru: int, tlru: int, optimum: int, lru_p95: float, tlru_p95: float) -> str:
    """Return in a sentence what T-LRU is worth beside LRU and the optimum: TEL, and P95 of TTFT."""
    tail = f"P95 of TTFT is {tlru_p95:.3f} s under T-LRU and {lru_p95:.3f} s under LRU."
    return f"{_beside(lru, tlru)}{_closed(lru, tlru, optimum)}. {tail}"


def _beside(lru: int, tlru: int) -> str:
    if not lru:
        own = f"leaves a TEL of {tlru:,}" if tlru else "leaves none"
        return f"LRU leaves no tail above this threshold, and T-LRU {own}"
    if tlru == lru:
        return "T-LRU's TEL is the same as LRU's"
    return f"T-LRU's TEL is {percent(Fraction(abs(tlru - lru), lru))} {'below' if tlru < lru else 'above'} LRU's"


def _closed(lru: int, tlru: int, optimum: int) -> str:
    share = share_closed(lru, tlru, optimum)
    if share is None:
        return ", which is the least of any policy" if lru else ""
    return f"; it closes {percent(share)} of LRU's distance to the hindsight optimum" if share > 0 else ""
