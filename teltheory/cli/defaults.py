"""Capacities and thresholds if none is given: chosen by the trace, with a sentence that says how."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from teltheory.cost.goals import Level
from teltheory.cost.latency import Latency
from teltheory.cost.metrics import ttft_quantiles, ttft_violations
from teltheory.errors import listed
from teltheory.model.numbers import INT64_MAX
from teltheory.model.outcome import Outcome
from teltheory.model.trace import Trace
from teltheory.model.units import Time
from teltheory.policies.online import LRU
from teltheory.replay import replay

if TYPE_CHECKING:
    from teltheory.cli.options import Thresholds

SHARES = (5, 20, 50)
LEVELS = tuple(Level(f"p{level}", Fraction(level, 100)) for level in (90, 95, 99))


def chosen_capacities(trace: Trace) -> tuple[tuple[int, ...], str]:
    """Return 5, 20 and 50 % of what an endless cache holds at its peak, to two digits, and a sentence."""
    peak = trace.peak
    sizes = tuple(dict.fromkeys(min(_two_digits(Fraction(share * peak, 100)), INT64_MAX) for share in SHARES))
    shares = f"{SHARES[0]}, {SHARES[1]} and {SHARES[2]} %"
    origin = f"{shares} of the {peak:,} tokens that an endless cache holds at its peak"
    return sizes, f"Capacities, as none is given: {origin}, to two digits."


def _two_digits(value: Fraction) -> int:
    """Round to two significant digits, halves up."""
    unit: int = 10 ** max(len(str(int(value))) - 2, 0)
    return int(value / unit + Fraction(1, 2)) * unit


def chosen_thresholds(
    trace: Trace, capacity: int, latency: Latency, in_seconds: bool, forced: bool = False
) -> tuple[list[int | Time], str]:
    """Return LRU's P90, P95 and P99 at a capacity, and a sentence: of TTFT, or of uncached tokens.

    In seconds a percentile is the least whole number of milliseconds that so many turns keep; a trace without
    turns has the threshold 0.
    """
    lru = replay(trace, LRU(), capacity, forced)
    of = "TTFT, rounded up to milliseconds" if in_seconds else "uncached tokens"
    levels = "{}, {} and {}".format(*(level.text.upper() for level in LEVELS))
    origin = f"Thresholds, as none is given: LRU's {levels} of {of}, at a capacity of {capacity:,} tokens."
    if not len(lru):
        return [0], origin
    if not in_seconds:
        return [level.of(lru.uncached) for level in LEVELS], origin
    return [_milliseconds(lru, level, latency) for level in LEVELS], origin


def _milliseconds(lru: Outcome, level: Level, latency: Latency) -> Time:
    """Return the least whole number of milliseconds that LRU's turns keep, except a share of them."""
    late = len(lru) - level.rank(len(lru))
    least = max(float(ttft_quantiles(lru, (float(level.q),), latency)[0]), float(latency.ttft(0)))
    number = int(least * 1000)
    while ttft_violations(lru, latency, Fraction(number, 1000)) > late or float(latency.ttft(0)) * 1000 > number:
        number += 1
    return Time(f"{number}ms", Fraction(number, 1000))


def notes(trace: Trace, capacities: Sequence[int], thresholds: Thresholds) -> list[str]:
    """Return what makes rows alike: capacities that are never full, thresholds that no turn can be above."""
    lines, longest = [], int(trace.total.max()) if len(trace) else 0
    roomy = [f"{size:,}" for size in capacities if size >= trace.peak]
    if roomy:
        peak = f"all pasts together have {trace.peak:,} tokens at their peak"
        lines.append(f"Never full, so that nothing is evicted for want of room: capacity {listed(roomy)}; {peak}.")
    lax = [thresholds.label(xi) for xi in thresholds.xis if xi >= longest]
    if lax:
        most = f"the longest input has {longest:,} tokens"
        lines.append(f"No turn can be above the threshold {listed(lax)}: {most}.")
    return lines
