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
from teltheory.model.display import percent
from teltheory.model.forest import Forest
from teltheory.model.numbers import IntArray
from teltheory.model.trace import Trace

if TYPE_CHECKING:
    from altair import ConcatChart

MOST_TURNS = 30_000_000
STEPS = (4, 24)
"""Fewest and most capacities, and so of thresholds."""
POLICIES = {"lru": "LRU", "tlru": "T-LRU"}
OPTIMUM = "Hindsight optimum"
NAMES = [*POLICIES.values(), OPTIMUM]
COLOURS, DASHES = ["#888888", "#2b83ba", "#d95f0e"], [[1, 0], [1, 0], [6, 3]]
MEASURES = {
    "TEL": ",",
    "TEL vs LRU": "+.1%",
    "P50 s": ".3f",
    "P90 s": ".3f",
    "P95 s": ".3f",
    "P99 s": ".3f",
    "hit rate": ".1%",
    "prefilled tokens": ",",
    "written tokens": ",",
    "slow turns": ",",
}
"""What is shown of each policy, and how its numbers are written."""
NUMBERS = ("capacity", "threshold", *MEASURES)
CURVE = 460
"""Pixels of a curve's width; the page makes it narrower where there is less room."""
SHORT = "abs(datum.value) >= 10000 ? format(datum.value, '~s') : datum.label"


@dataclass(frozen=True)
class ChartChoices:
    """What the inputs of a chart choose from.

    Capacities in tokens, ascending, and thresholds in tokens, ascending, each with its seconds.
    """

    capacities: Sequence[int]
    slos: Mapping[int, Fraction]

    @classmethod
    def of(cls, trace: Trace | Forest, latency: Latency) -> ChartChoices:
        """Return as many steps as `MOST_TURNS` allows for a trace of one turn or more."""
        fewest, most = STEPS
        number = min(max(isqrt(MOST_TURNS // len(trace)), fewest), most)
        every, inputs = _lengths(trace)
        low, high = np.quantile(latency.ttft(inputs), (0.1, 0.99), method="inverted_cdf").tolist()
        slos = [Fraction(ms, 1000) for ms in spaced(1000 * low, 1000 * high, number)]
        return cls(spaced(every / 1000, every, number), {latency.threshold(slo): slo for slo in slos})


def _lengths(trace: Trace | Forest) -> tuple[int, IntArray]:
    """Return the tokens that hold everything, at least 1, and those of each input."""
    return max(int(trace.held[-1]) * trace.scale, 1), trace.inputs


def spaced(low: float, high: float, number: int) -> list[int]:
    """Return whole numbers from `low` to `high`, 1 or more and with two digits, rounded up to them."""
    found = set[int]()
    for value in np.geomspace(max(low, 1), max(high, 1), number).tolist():
        unit = 10 ** max(len(str(math.ceil(value))) - 2, 0)
        found.add(math.ceil(value / unit) * unit)
    return sorted(found)


def explorer(title: str, cells: Iterable[Any], steps: ChartChoices, start: tuple[int, int]) -> ConcatChart:
    """Return a chart: curves of one measure along both inputs, and all numbers at what they choose."""
    import altair as alt

    numbers = alt.CsvDataFormat(type="csv", parse=dict.fromkeys(NUMBERS, "number"))
    data = alt.InlineData(values=_csv(cells), format=numbers)
    parts = [_curve("capacity", "threshold"), _curve("threshold", "capacity"), _numbers()]
    return alt.concat(*parts, columns=2, data=data, title=title).add_params(*_inputs(steps, start))


def _inputs(steps: ChartChoices, start: tuple[int, int]) -> list[Any]:
    import altair as alt

    times = (f"{float(slo):g} s" if slo >= 1 else f"{float(1000 * slo):g} ms" for slo in steps.slos.values())
    labels = [f"{time} = {xi:,} tokens" for xi, time in zip(steps.slos, times, strict=True)]
    sizes = {size: f"{size:,} tokens" for size in steps.capacities}

    def closest(steps: Iterable[int], wanted: int) -> int:
        return min(steps, key=lambda step: abs(step - wanted))

    asked = (
        ("measure", "The curves show ", list(MEASURES), list(MEASURES), "TEL"),
        ("capacity", "Capacity C ", list(sizes), list(sizes.values()), closest(sizes, start[0])),
        ("threshold", "Threshold ξ ", list(steps.slos), labels, closest(steps.slos, start[1])),
    )
    return [
        alt.param(name, value=value, bind=alt.binding_select(options=options, labels=shown, name=label))
        for name, label, options, shown, value in asked
    ]


def _csv(cells: Iterable[Any]) -> str:
    """Return the rows as text, their numbers with five digits, or whole."""
    lines = [",".join(("policy", *NUMBERS))]
    for row in _rows(cells):
        numbers = (row.get(name) for name in NUMBERS)
        shown = ("" if n is None else str(n) if isinstance(n, int) else f"{n:.5g}" for n in numbers)
        lines.append(",".join((row["policy"], *shown)))
    return "\n".join(lines)


def _rows(cells: Iterable[Any]) -> Iterator[dict[str, Any]]:
    """Yield a row for each policy at each step; other plans may reach the optimum, so it has a TEL alone."""
    for cell in cells:
        place = {"capacity": cell.capacity, "threshold": cell.xi}
        percentiles = (cell.p50, cell.p90, cell.p95, cell.p99)
        work = (cell.hit_rate, cell.prefilled, cell.written, cell.violations)
        numbers = (cell.tel, _share(cell.tel, cell.lru), *percentiles, *work)
        yield place | {"policy": POLICIES[cell.policy]} | dict(zip(MEASURES, numbers, strict=True))
        if cell.policy == "lru":
            best = {"TEL": cell.optimum, "TEL vs LRU": _share(cell.optimum, cell.lru)}
            yield place | {"policy": OPTIMUM} | best


def _share(tel: int, lru: int) -> float | None:
    return (tel - lru) / lru if lru else None


AT = "datum.capacity == capacity && datum.threshold == threshold"
HEAD = "datum.label == 'Hindsight optimum' ? 'optimum' : datum.label"


def _numbers() -> Any:
    """Return the numbers at the chosen step: a line a measure, a column a policy."""
    import altair as alt

    forms = "{" + ", ".join(f"'{name}': '{form}'" for name, form in MEASURES.items()) + "}"
    head = alt.Axis(orient="top", labelAngle=0, labelExpr=HEAD, domain=False, ticks=False)
    side = alt.Axis(domain=False, ticks=False)
    title = alt.Title(
        alt.expr("'All numbers at capacity ' + format(capacity, ',') + ', ξ = ' + format(threshold, ',')")
    )
    chart = alt.Chart(title=title, width=CURVE, height=alt.Step(19)).mark_text(fontSize=12)
    return (
        chart.transform_filter(AT)
        .transform_fold(list(MEASURES), as_=["measured", "value"])
        .transform_filter("isValid(datum.value)")
        .transform_calculate(shown=f"format(datum.value, {forms}[datum.measured])")
        .encode(
            x=alt.X("policy:N", sort=NAMES, title=None, axis=head),
            y=alt.Y("measured:N", sort=list(MEASURES), title=None, axis=side),
            text="shown:N",
        )
    )


def _curve(along: str, at: str) -> Any:
    """Return the chosen measure along one input, at what the other one has chosen; a pointer shows its values."""
    import altair as alt

    x = alt.X(f"{along}:Q", scale=alt.Scale(type="log", nice=False), title=f"{along} (tokens)")
    x = x.axis(alt.Axis(format="~s", labelOverlap=True))
    y = alt.Y("value:Q", scale=alt.Scale(zero=False), title=None, axis=alt.Axis(labelExpr=SHORT))
    colour = alt.Color("policy:N", title=None, legend=alt.Legend(orient="top"))
    dash = alt.StrokeDash("policy:N", title=None)
    title = alt.Title(alt.expr(f"measure + ' at {at} ' + format({at}, ',')"))
    near = alt.selection_point(name=f"near_{along}", fields=[along], on="pointerover", nearest=True, empty=False)
    tips = [alt.Tooltip(f"{along}:Q", format=","), *(alt.Tooltip(f"{name}:Q", format=",.4~f") for name in NAMES)]
    line = (
        alt.Chart()
        .mark_line()
        .encode(x, y, colour.scale(domain=NAMES, range=COLOURS), dash.scale(domain=NAMES, range=DASHES))
    )
    pointed = (
        alt.Chart()
        .transform_pivot("policy", value="value", groupby=[along])
        .mark_rule()
        .encode(x, opacity=alt.condition(near, alt.value(0.6), alt.value(0)), tooltip=tips)
    )
    chosen = alt.Chart(alt.InlineData(values=[{}])).mark_rule(strokeDash=[2, 3])
    return (
        alt.layer(line, chosen.transform_calculate(**{along: along}).encode(x=x), pointed.add_params(near))
        .properties(title=title, width=CURVE, height=230)
        .transform_filter(f"datum.{at} == {at}")
        .transform_calculate(value="datum[measure]")
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
