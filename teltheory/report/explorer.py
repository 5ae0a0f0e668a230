"""The numbers behind two sliders: LRU, T-LRU and the hindsight optimum over capacities and thresholds.

1. The steps are round numbers, each at most a third more than the one before where the trace is short. Capacities
   go from a thousandth of what holds everything to all of it; thresholds from the TTFT that without a cache nine
   turns in ten are above, to that which one in a hundred is above.
2. LRU is replayed at every capacity, T-LRU (round-robin trim) at every capacity and threshold. Where that is more
   than `MOST_TURNS`, the steps are wider: effort is bounded by turns, never by time.
3. Every number becomes the text that the page shows, so that the page computes none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from teltheory.cost.latency import Latency
from teltheory.errors import ArgumentError
from teltheory.metrics import share_closed, slo_violations, tail_excess_latency, ttft_quantiles, ttft_violations
from teltheory.numbers import exact_sum
from teltheory.optimal import hindsight_optimum
from teltheory.outcome import Outcome
from teltheory.policies.online import LRU, TLRU
from teltheory.policies.spec import default_estimate
from teltheory.replay import replay
from teltheory.report.blocks import Axis, Explorer, Tick
from teltheory.trace import Trace

SERIES = ((10, 12, 15, 20, 25, 30, 40, 50, 60, 80), (10, 15, 20, 30, 50, 70), (10, 20, 50))
"""Round numbers of a decade, in tenths: the finest, and wider ones."""

MOST_TURNS = 30_000_000
LEVELS = (0.5, 0.9, 0.95, 0.99)
MEASURES = ("P50 s", "P90 s", "P95 s", "P99 s", "hit rate", "prefilled tokens", "turns above the SLO", "TEL")
POLICIES = ("LRU", "T-LRU", "Hindsight optimum")


@dataclass(frozen=True)
class _Numbers:
    """What a policy is worth at a capacity and threshold."""

    percentiles: Sequence[float]
    hit_rate: Fraction
    prefilled: int
    slow: int
    tel: int

    @property
    def texts(self) -> tuple[str, ...]:
        """As the page shows them."""
        work = (_percent(self.hit_rate), f"{self.prefilled:,}")
        return (*(f"{value:.3f}" for value in self.percentiles), *work, f"{self.slow:,}", f"{self.tel:,}")


def explore(
    anchor: str,
    title: str,
    trace: Trace,
    latency: Latency,
    capacities: Sequence[int] = (),
    slos: Sequence[Fraction] = (),
    q_hat: int | None = None,
    start: tuple[int, Fraction] | None = None,
) -> Explorer:
    """Replay a trace over a grid of capacities and thresholds; optional caching, empty start.

    Parameters
    ----------
    anchor, title : str
        Of the block.
    trace : Trace
        The turns, in tokens; one or more.
    latency : Latency
        Turns tokens into TTFT, and an SLO into its threshold.
    capacities : sequence of int
        Steps of the first slider, ascending; chosen here where it is empty.
    slos : sequence of Fraction
        Steps of the second slider in seconds, ascending; chosen here where it is empty.
    q_hat : int, optional
        T-LRU's estimate of the next prompt; the mean prompt of the turns that continue a conversation, rounded up,
        where it is left out.
    start : (int, Fraction), optional
        Capacity and SLO; the sliders start at the steps closest to them.

    Raises
    ------
    ArgumentError
        For a trace without turns, or an SLO that no threshold belongs to.
    """
    if not len(trace):
        raise ArgumentError("trace", "one without turns", "at least one turn")
    sizes, times = _steps(trace, latency, capacities, slos)
    thresholds = [latency.threshold(slo) for slo in times]
    estimate = default_estimate(trace) if q_hat is None else q_hat
    found = [_column(trace, latency, size, list(zip(times, thresholds, strict=True)), estimate) for size in sizes]
    size, slo = start or (sizes[len(sizes) // 2], times[len(times) // 2])
    axes = (
        Axis("Capacity C", [_capacity(size) for size in sizes], closest(sizes, size)),
        Axis(
            "Threshold ξ", [_threshold(*pair) for pair in zip(times, thresholds, strict=True)], closest(times, slo)
        ),
    )
    texts = [[cell for cell, _ in column] for column in found]
    sentences = [[sentence for _, sentence in column] for column in found]
    return Explorer(anchor, title, axes, MEASURES, POLICIES, texts, sentences, MEASURES.index("TEL"))


def _column(
    trace: Trace, latency: Latency, capacity: int, thresholds: Sequence[tuple[Fraction, int]], q_hat: int
) -> list[tuple[list[tuple[str, ...]], str]]:
    """Return texts and sentence at each threshold, at one capacity."""
    lru = replay(trace, LRU(), capacity, engine="kernel")
    percentiles = ttft_quantiles(lru, LEVELS, latency).tolist()
    return [
        _cell(
            _worth(lru, percentiles, latency, slo, xi),
            measure(replay(trace, TLRU(xi, q_hat), capacity, engine="kernel"), latency, slo, xi),
            hindsight_optimum(trace, capacity, xi).objective,
        )
        for slo, xi in thresholds
    ]


def measure(outcome: Outcome, latency: Latency, slo: Fraction, xi: int) -> _Numbers:
    """Return what an outcome is worth."""
    return _worth(outcome, ttft_quantiles(outcome, LEVELS, latency).tolist(), latency, slo, xi)


def _worth(outcome: Outcome, percentiles: Sequence[float], latency: Latency, slo: Fraction, xi: int) -> _Numbers:
    free = latency.cached_is_free
    slow = slo_violations(outcome, xi) if free else ttft_violations(outcome, latency, slo)
    return _Numbers(percentiles, outcome.hit_rate, outcome.prefilled, slow, tail_excess_latency(outcome, xi))


def _cell(lru: _Numbers, tlru: _Numbers, optimum: int) -> tuple[list[tuple[str, ...]], str]:
    unknown = ("",) * (len(MEASURES) - 1)
    said = compared(lru.tel, tlru.tel, optimum, lru.percentiles[2], tlru.percentiles[2])
    return [lru.texts, tlru.texts, (*unknown, f"{optimum:,}")], said


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


def _steps(
    trace: Trace, latency: Latency, capacities: Sequence[int], slos: Sequence[Fraction]
) -> tuple[list[int], list[Fraction]]:
    """Return the steps of both sliders: the finest that `MOST_TURNS` allows."""
    for series in SERIES:
        sizes = list(capacities) or spaced_capacities(trace, series)
        times = list(slos) or spaced_slos(trace, latency, series)
        if len(sizes) * len(times) * len(trace) <= MOST_TURNS:
            break
    return sizes, times


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


def closest(steps: Sequence[int] | Sequence[Fraction], wanted: int | Fraction) -> int:
    """Return the place of the step closest to a number."""
    distances = [abs(Fraction(step) - wanted) for step in steps]
    return distances.index(min(distances))


def _capacity(size: int) -> Tick:
    return Tick(size, f"{size:,} tokens", _short(Fraction(size)))


def _threshold(slo: Fraction, xi: int) -> Tick:
    time = f"{float(slo):g} s" if slo >= 1 else f"{float(slo * 1000):g} ms"
    return Tick(int(slo * 1_000_000), f"{time} = {xi:,} tokens", time)


def _short(number: Fraction) -> str:
    for size, letter in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if number >= size:
            return f"{float(number / size):g}{letter}"
    return f"{float(number):g}"
