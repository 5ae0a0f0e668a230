"""What a command is asked: capacities and thresholds as they were given, or as the trace chooses them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from teltheory.cli.served import Served
from teltheory.cli.traces import about_turns, turns_as_data
from teltheory.cost.goals import Level
from teltheory.cost.kv_cache import KVSize
from teltheory.cost.latency import Latency
from teltheory.cost.metrics import ttft_quantiles, ttft_violations
from teltheory.errors import ArgumentError, listed
from teltheory.model.numbers import INT64_MAX
from teltheory.model.outcome import Outcome
from teltheory.model.trace import Trace
from teltheory.model.units import Time, bytes_in, listed_values, read_time, read_tokens
from teltheory.policies.online import LRU
from teltheory.policies.spec import FOR_SLOS, Spec, default_estimate
from teltheory.replay import in_reference, replay
from teltheory.sweep import Grid

SHARES = (5, 20, 50)
LEVELS = tuple(Level(f"p{level}", Fraction(level, 100)) for level in (90, 95, 99))


@dataclass(frozen=True)
class Thresholds:
    """Thresholds in tokens, each with the TTFT that it was given as.

    `unit` is of percentiles: "s", or "tok" if nothing has a latency, and `latency` counts tokens.
    """

    xis: tuple[int, ...]
    slos: dict[int, Time]
    latency: Latency
    unit: str = "s"

    @classmethod
    def of(cls, given: Sequence[int | Time], latency: Latency, unit: str = "s") -> Thresholds:
        """Return thresholds that were given in tokens or as a TTFT: first those in tokens."""
        slos = {latency.threshold(one.seconds): one for one in given if isinstance(one, Time)}
        xis = [one for one in given if isinstance(one, int)]
        return cls(tuple(dict.fromkeys([*xis, *slos])), slos, latency, unit)

    @property
    def seconds(self) -> dict[int, Fraction]:
        """The thresholds that were given as a TTFT, in seconds."""
        return {xi: slo.seconds for xi, slo in self.slos.items()}

    def label(self, xi: int) -> str:
        """Return a threshold as a table shows it."""
        return f"{self.slos[xi]} = {xi:,} tokens" if xi in self.slos else f"{xi:,} tokens"

    def heading(self, name: str) -> str:
        """Return the heading of a column; that of a percentile, such as "P95 s", has its unit."""
        return f"{name.removesuffix(' s')} {self.unit}" if name.startswith("P") else name

    def shown(self, value: float | None) -> str:
        """Return a percentile as a table shows it."""
        return "" if value is None else f"{value:.3f}" if self.unit == "s" else f"{value:,.0f}"


@dataclass(frozen=True)
class Question:
    """What was asked for, before the trace is read; what is empty is chosen by the trace."""

    thresholds: Thresholds
    capacities: tuple[int, ...]
    said: tuple[str, ...]
    specs: Sequence[Spec]
    q_hat: int | None
    forced: bool

    def on(self, trace: Trace) -> Asked:
        """Return the question with what the trace chooses, and sentences that say so."""
        found, sizes, said = self.thresholds, self.capacities, list(self.said)
        if not sizes:
            sizes, origin = chosen_capacities(trace)
            said.append(origin)
        if not found.xis:
            middle = sorted(sizes)[len(sizes) // 2]
            given, origin = chosen_thresholds(trace, middle, found.latency, found.unit == "s", self.forced)
            found = Thresholds.of(given, found.latency, found.unit)
            said.append(origin)
        estimate = default_estimate(trace) if self.q_hat is None else self.q_hat
        slos, latency = found.seconds, found.latency
        grid = Grid(self.specs, sizes, found.xis, estimate, forced=self.forced, slos=slos, latency=latency)
        notes = (*said, *_alike(trace, sizes, found))
        return Asked(trace, grid, found, notes, estimated=self.q_hat is None)


@dataclass(frozen=True)
class Asked:
    """A trace, what is replayed on it, and what is to be said of both."""

    trace: Trace
    grid: Grid
    thresholds: Thresholds
    notes: tuple[str, ...]
    estimated: bool

    def lines(self) -> list[str]:
        """Return what stands above every table: the trace, its chaining, the latency model, the defaults."""
        lines, grid = [*about_turns(self.trace), *self.notes], self.grid
        if self.estimated and any(spec.needs("q_hat") for spec in grid.policies):
            lines.append(
                f"Q̂ = {grid.q_hat:,} where a policy has none of its own: the mean prompt of the turns that "
                f"continue a conversation, rounded up."
            )
        if any(spec.needs("cutoff") for spec in grid.policies):
            lines.append(f"Threshold-LRU has the cutoff {grid.cutoff}.")
        slow = [
            one.text
            for one in grid.policies
            for xi in grid.thresholds[:1]
            if in_reference(grid.build(one, xi, int), len(self.trace))
        ]
        if slow:
            lines.append(f"Replayed by the slow reference, as no compiled loop is known to fit: {listed(slow)}.")
        return lines

    @property
    def caching(self) -> str:
        """The caching mode as a sentence."""
        return f"{'Forced' if self.grid.forced else 'Optional'} caching."

    def as_data(self) -> dict[str, Any]:
        """Return the trace, and what was assumed, as plain data."""
        return {
            "trace": turns_as_data(self.trace),
            "latency": self.thresholds.latency.name,
            "unit": self.thresholds.unit,
            "notes": list(self.notes),
            "q_hat": self.grid.q_hat,
            "cutoff": self.grid.cutoff,
            "forced": self.grid.forced,
            "slo": {str(xi): slo.text for xi, slo in self.thresholds.slos.items()},
        }


def read_question(
    specs: Sequence[Spec],
    *,
    capacities: Sequence[str],
    xis: Sequence[str],
    slos: Sequence[str],
    served: Served,
    forced: bool = False,
    q_hat: int | None = None,
) -> Question:
    """Return what was asked for: the thresholds given; where every policy has its own, those."""
    given: list[int | Time] = [read_tokens("xi", text) for text in listed_values("xi", xis)]
    given += [Time(text, read_time("slo", text)) for text in listed_values("slo", slos)]
    named = [value for spec in specs for key, value in spec.given if key == "xi" and isinstance(value, int | Time)]
    in_seconds = any(isinstance(one, Time) for one in (*given, *named)) or any(s.name in FOR_SLOS for s in specs)
    if not given and not any(spec.needs("xi") for spec in specs):
        given = named
    sizes = read_capacities(capacities, served.shape)
    latency = served.needed_latency if in_seconds else served.latency_or_tokens
    said = (served.sentence, *read_sizes(capacities, served.shape))
    return Question(Thresholds.of(given, latency, served.unit), sizes, said, specs, q_hat, forced)


def read_capacities(given: Sequence[str], shape: KVSize | None = None) -> tuple[int, ...]:
    """Return the capacities that were given, in tokens."""
    return tuple(dict.fromkeys(_capacity(text, shape) for text in listed_values("capacity", given)))


def _capacity(text: str, shape: KVSize | None) -> int:
    """Read a capacity: tokens, or bytes of the KV cache of a model, as many tokens as fit."""
    size = bytes_in(text)
    if size is None:
        return read_tokens("capacity", text, or_bytes=True)
    if shape is None:
        models = "--model vicuna-7b, --config FILE.json or --kv-bytes N"
        raise ArgumentError("capacity", text, f"tokens such as 300k, or the model whose bytes they are: {models}")
    return shape.tokens(int(size))


def read_sizes(given: Sequence[str], shape: KVSize | None) -> Iterator[str]:
    """Yield a line for each capacity that was given in bytes."""
    for text in listed_values("capacity", given):
        if shape is not None and bytes_in(text) is not None:
            size = f"{shape.bytes_per_token:,} bytes ({shape.name})"
            yield f"Capacity {text} is {_capacity(text, shape):,} tokens of {size}."


def chosen_capacities(trace: Trace) -> tuple[tuple[int, ...], str]:
    """Return 5, 20 and 50 % of what an endless cache holds at its peak, to two digits, and a sentence."""
    peak = trace.peak
    sizes = tuple(dict.fromkeys(min(two_digits(Fraction(share * peak, 100)), INT64_MAX) for share in SHARES))
    shares = f"{SHARES[0]}, {SHARES[1]} and {SHARES[2]} %"
    origin = f"{shares} of the {peak:,} tokens that an endless cache holds at its peak"
    return sizes, f"Capacities, as none is given: {origin}, to two digits."


def two_digits(value: Fraction) -> int:
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


def _alike(trace: Trace, capacities: Sequence[int], thresholds: Thresholds) -> Iterator[str]:
    """Yield what makes rows alike: capacities that are never full, thresholds that no turn can be above."""
    roomy = [f"{size:,}" for size in capacities if size >= trace.peak]
    if roomy:
        peak = f"all pasts together have {trace.peak:,} tokens at their peak"
        yield f"Never full, so that nothing is evicted for want of room: capacity {listed(roomy)}; {peak}."
    longest = int(trace.total.max(initial=0))
    lax = [thresholds.label(xi) for xi in thresholds.xis if xi >= longest]
    if lax:
        most = f"the longest input has {longest:,} tokens"
        yield f"No turn can be above the threshold {listed(lax)}: {most}."
