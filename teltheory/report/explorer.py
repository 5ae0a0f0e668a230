"""LRU, T-LRU and the hindsight optimum over capacities and thresholds, as one chart whose inputs choose both.

1. The steps are round numbers, each at most a third more than the one before if the trace is short. Capacities
   go from a thousandth of what holds everything to all of it; thresholds from the TTFT that without a cache nine
   turns in ten are above, to that which one in a hundred is above.
2. If replays at all of them were more than `MOST_TURNS` turns, the steps are wider: effort is bounded by turns,
   never by time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from teltheory.cost.latency import Latency
from teltheory.cost.metrics import share_closed
from teltheory.errors import ArgumentError
from teltheory.model.numbers import exact_sum
from teltheory.model.trace import Trace

if TYPE_CHECKING:
    from altair import VConcatChart

SERIES = ((10, 12, 15, 20, 25, 30, 40, 50, 60, 80), (10, 15, 20, 30, 50, 70), (10, 20, 50))
"""Round numbers of a decade, in tenths: the finest, and wider ones."""
MOST_TURNS = 30_000_000
POLICIES = {"lru": "LRU", "tlru": "T-LRU"}
OPTIMUM = "Hindsight optimum"
MEASURES = {
    "P50 s": ".3f",
    "P90 s": ".3f",
    "P95 s": ".3f",
    "P99 s": ".3f",
    "hit rate": ".1%",
    "prefilled tokens": ",",
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
    def of(cls, trace: Trace, latency: Latency) -> Steps:
        """Return the finest steps that `MOST_TURNS` allows for a trace of one turn or more."""
        for series in SERIES:
            sizes = spaced_capacities(trace, series)
            slos = {latency.threshold(slo): slo for slo in spaced_slos(trace, latency, series)}
            if len(sizes) * len(slos) * len(trace) <= MOST_TURNS:
                break
        return cls(sizes, slos)


def spaced_capacities(trace: Trace, series: Sequence[int]) -> list[int]:
    """Return round capacities up to where nothing is evicted any more, over three decades."""
    most = max(exact_sum(np.asarray(trace.past[trace.next_turn == len(trace)])), 1)
    steps = round_numbers(max(Fraction(most, 1000), Fraction(1)), Fraction(most), series)
    return [int(step) for step in steps if step.denominator == 1]


def spaced_slos(trace: Trace, latency: Latency, series: Sequence[int]) -> list[Fraction]:
    """Return round times, in whole milliseconds, among the TTFTs without a cache."""
    low, high = np.quantile(latency.ttft(trace.total), (0.1, 0.99), method="inverted_cdf").tolist()
    least = Fraction(1, 1000)
    steps = round_numbers(max(Fraction(low), least), max(Fraction(high), least), series)
    return [step for step in steps if (step / least).denominator == 1 and _has_threshold(latency, step)]


def _has_threshold(latency: Latency, slo: Fraction) -> bool:
    try:
        return latency.threshold(slo) >= 0
    except ArgumentError:
        return False


def round_numbers(low: Fraction, high: Fraction, series: Sequence[int]) -> list[Fraction]:
    """Return the round numbers from the last that is at most `low` to the first that is `high` or more."""
    power = Fraction(10) ** -12
    while power * 10 <= low:
        power *= 10
    steps: list[Fraction] = []
    while not steps or steps[-1] < high:
        steps += [power * Fraction(tenths, 10) for tenths in series]
        power *= 10
    first = max(i for i, step in enumerate(steps) if step <= low)
    last = min(i for i, step in enumerate(steps) if step >= high)
    return steps[first : last + 1]


def explorer(title: str, cells: Iterable[Any], steps: Steps, start: tuple[int, int]) -> VConcatChart:
    """Return a chart: the numbers at a capacity and a threshold, and curves of one measure along both."""
    import altair as alt

    chosen = _inputs(steps, start)
    data = alt.InlineData(values=list(_rows(cells)))
    parts = [_numbers(), _said(), alt.hconcat(_curve("capacity", "threshold"), _curve("threshold", "capacity"))]
    return alt.vconcat(*parts, data=data, title=title).add_params(*chosen)


def _inputs(steps: Steps, start: tuple[int, int]) -> list[Any]:
    import altair as alt

    labels = [f"{time_text(slo)} = {xi:,} tokens" for xi, slo in steps.slos.items()]
    sizes = {size: f"{size:,} tokens" for size in steps.capacities}
    asked = (
        ("capacity", "Capacity C ", list(sizes), list(sizes.values()), closest(list(sizes), start[0])),
        ("threshold", "Threshold ξ ", list(steps.slos), labels, closest(list(steps.slos), start[1])),
        ("measure", "The curves show ", list(MEASURES), list(MEASURES), "TEL"),
    )
    return [
        alt.param(name, value=value, bind=alt.binding_select(options=options, labels=shown, name=label))
        for name, label, options, shown, value in asked
    ]


def _rows(cells: Iterable[Any]) -> Iterator[dict[str, Any]]:
    """Yield a row for each policy at each step; other plans may reach the optimum, so it has a TEL alone."""
    lru_p95 = 0.0
    for cell in cells:
        place = {"capacity": cell.capacity, "threshold": cell.xi}
        numbers = (
            cell.p50,
            cell.p90,
            cell.p95,
            cell.p99,
            cell.hit_rate,
            cell.prefilled,
            cell.violations,
            cell.tel,
        )
        yield place | {"policy": POLICIES[cell.policy]} | dict(zip(MEASURES, numbers, strict=True))
        if cell.policy == "lru":
            lru_p95 = cell.p95
        else:
            said = compared(cell.lru, cell.tel, cell.optimum, lru_p95, cell.p95)
            yield place | {"policy": OPTIMUM, "TEL": cell.optimum, "said": said}


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


def _said() -> Any:
    import altair as alt

    said = alt.Chart(width=800, height=20).mark_text(align="left", limit=900, fontSize=12)
    return said.encode(x=alt.value(0), text="said:N").transform_filter(f"{AT} && isValid(datum.said)")


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
    return f"T-LRU's TEL is {_percent(Fraction(abs(tlru - lru), lru))} {'below' if tlru < lru else 'above'} LRU's"


def _closed(lru: int, tlru: int, optimum: int) -> str:
    share = share_closed(lru, tlru, optimum)
    if share is None:
        return ", which is the least of any policy" if lru else ""
    return f"; it closes {_percent(share)} of LRU's distance to the hindsight optimum" if share > 0 else ""


def _percent(share: Fraction) -> str:
    return f"{round(float(share) * 100, 1) + 0.0:.1f} %"


def closest(steps: Sequence[int], wanted: int) -> int:
    """Return the step closest to a number."""
    return min(steps, key=lambda step: abs(step - wanted))


def time_text(slo: Fraction) -> str:
    """Return seconds as milliseconds below one."""
    return f"{float(slo):g} s" if slo >= 1 else f"{float(slo * 1000):g} ms"
