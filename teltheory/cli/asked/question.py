"""What a command is asked: capacities and thresholds as they were given, or as the trace chooses them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from teltheory.cli.asked.prefixes import (
    PRIVATE,
    Prefixes,
    block_lines,
    in_tokens,
    reading_as_data,
    reading_line,
)
from teltheory.cli.asked.served import ServedModel
from teltheory.cli.asked.traces import report_lines, turns_as_data
from teltheory.cost.given import in_text, models_for, read_size, scarce
from teltheory.cost.goals import Level
from teltheory.cost.kv_cache import KVSize
from teltheory.cost.latency import Latency
from teltheory.cost.metrics import ttft_quantiles, ttft_violations
from teltheory.cost.roofline import Roofline
from teltheory.errors import listed
from teltheory.model.forest import Forest
from teltheory.model.module_trace import ModuleTrace
from teltheory.model.numbers import INT64_MAX
from teltheory.model.outcome import Outcome
from teltheory.model.requests import Requests
from teltheory.model.tiers import Tiers
from teltheory.model.trace import Trace
from teltheory.model.units import PeakShare, Time, bytes_in, listed_values, read_share, read_time, read_tokens
from teltheory.optimal.trees.hindsight import HOLES_LEGEND
from teltheory.policies.online import LRU
from teltheory.policies.policy import trim_left_out
from teltheory.policies.spec import FOR_SLOS, AnySpec, Spec, default_estimate
from teltheory.problem import Problem
from teltheory.replay import in_reference
from teltheory.replay.engine_rules import Rules
from teltheory.sweep import Grid

SHARES = (5, 20, 50)
REGRET_LEGEND = (
    "regret: TEL above the hindsight optimum. closed: share of LRU's distance to the optimum that is closed."
)
LEVELS = tuple(Level(f"p{level}", Fraction(level, 100)) for level in (90, 95, 99))


@dataclass(frozen=True)
class Thresholds:
    """Thresholds in tokens, each with the TTFT that it was given as.

    `unit` is of percentiles: "s", or "tok" if nothing has a latency, and `latency` counts tokens. `block_size` has
    the tokens per block of a forest, whose TEL is in blocks.
    """

    xis: tuple[int, ...]
    slos: dict[int, Time]
    latency: Latency
    unit: str = "s"
    block_size: int | None = None

    @classmethod
    def of(
        cls, given: Sequence[int | Time], latency: Latency, unit: str = "s", block_size: int | None = None
    ) -> Thresholds:
        """Return thresholds that were given in tokens or as a TTFT: first those in tokens."""
        slos = {latency.threshold(one.seconds): one for one in given if isinstance(one, Time)}
        xis = [one for one in given if isinstance(one, int)]
        return cls(tuple(dict.fromkeys([*xis, *slos])), slos, latency, unit, block_size)

    @property
    def seconds(self) -> dict[int, Fraction]:
        """The thresholds that were given as a TTFT, in seconds."""
        return {xi: slo.seconds for xi, slo in self.slos.items()}

    def label(self, xi: int) -> str:
        """Return a threshold as a table shows it."""
        return f"{self.slos[xi]} = {self.size(xi)}" if xi in self.slos else self.size(xi)

    def size(self, tokens: int) -> str:
        """Return a length as a table shows it."""
        return in_tokens(tokens, self.block_size)

    def heading(self, name: str) -> str:
        """Return the heading of a column; that of a percentile, such as "P95 s", has its unit, and so has TEL."""
        if name == "TEL" and self.block_size is not None:
            return "TEL blocks"
        return f"{name.removesuffix(' s')} {self.unit}" if name.startswith("P") else name

    def shown(self, value: float | None) -> str:
        """Return a percentile as a table shows it."""
        return "" if value is None else f"{value:.3f}" if self.unit == "s" else f"{value:,.0f}"


@dataclass(frozen=True)
class Question:
    """What was asked for, before the trace is read; what is empty is chosen by the trace."""

    thresholds: Thresholds
    capacities: tuple[int | PeakShare, ...]
    said: tuple[str, ...]
    specs: Sequence[Any]
    q_hat: int | None
    forced: bool
    served: ServedModel
    prefixes: Prefixes = PRIVATE

    def on(self, trace: Trace) -> Asked:
        """Return the question with what the trace chooses, and sentences that say so."""
        requests = self.prefixes.of(trace)
        shared = requests.shared
        found = replace(self.thresholds, block_size=requests.block_size if shared else None)
        wanted, shares = sizes_of(requests, self.capacities)
        sizes, said = wanted, [self.served.sentence(shared), *self.said, *shares]
        if not sizes:
            sizes, origin = chosen_capacities(requests)
            said.append(origin)
        if not found.xis:
            middle = sorted(sizes)[len(sizes) // 2]
            given, origin = chosen_thresholds(
                requests,
                middle,
                found.latency,
                found.unit == "s",
                forced=self.forced,
                rules=self.prefixes.ruled,
                running=self.prefixes.running,
            )
            found = Thresholds.of(given, found.latency, found.unit, found.block_size)
            said.append(origin)
        estimate = default_estimate(requests) if self.q_hat is None else self.q_hat
        grid = Grid(
            self.specs,
            sizes,
            found.xis,
            estimate,
            forced=self.forced,
            slos=found.seconds,
            latency=found.latency,
            rules=self.prefixes.ruled,
            running=self.prefixes.running,
            in_tokens=True,
        )
        notes = (*said, *scarce(requests, wanted), *_alike(requests, sizes, found))
        return Asked(trace, requests, self.prefixes, grid, found, notes, estimated=self.q_hat is None)


@dataclass(frozen=True)
class Asked:
    """A trace, what of it is replayed and how, and what is to be said of all that."""

    trace: Trace
    requests: Trace | Forest
    prefixes: Prefixes
    grid: Grid
    thresholds: Thresholds
    notes: tuple[str, ...]
    estimated: bool

    def lines(self) -> list[str]:
        """Return what stands above every table: how the trace is read, the latency model, the defaults."""
        lines, grid = [reading_line(self.trace, self.requests)], self.grid
        lines += [
            *([] if self.shared else report_lines(self.trace)),
            *self.notes,
            *block_lines(self.trace, self.requests, self.prefixes),
        ]
        if self.estimated and any(spec.needs("q_hat") for spec in grid.policies):
            new = "prompt of the turns that continue a conversation"
            if self.shared:
                new = "of what is new in the requests that begin with something known"
            lines.append(f"Q̂ = {self._estimate} where a policy has none of its own: the mean {new}, rounded up.")
        if any(spec.needs("trim") for spec in grid.policies):
            why = "conversations are private" if self._private else "requests share prefixes"
            lines.append(f"Trim = {self.trim} where a policy has none of its own, as {why}.")
        if any(spec.needs("cutoff") for spec in grid.policies):
            lines.append(f"Threshold-LRU has the cutoff {grid.cutoff}.")
        slow = [
            one.text
            for one in grid.policies
            for xi in grid.thresholds[:1]
            if isinstance(one, Spec) and in_reference(grid.build(one, xi, int), len(self.trace))
        ]
        if slow:
            lines.append(f"Replayed by the slow reference, as no compiled loop is known to fit: {listed(slow)}.")
        return lines

    def at(self, capacity: int | Tiers | None = None, xi: int | None = None, **others: Any) -> Problem:
        """Return what is asked at a capacity and a threshold, both in tokens."""
        grid, latency = self.grid, self.thresholds.latency
        rules = {"forced": grid.forced, "cache": grid.rules.cache, "running": grid.running} | others
        return Problem(self.requests, in_text(capacity), in_text(xi), latency=latency, **rules)

    @property
    def _estimate(self) -> str:
        """The prompt estimate as text; in blocks it is rounded up."""
        q_hat, unit = self.grid.q_hat or 0, self.requests.scale
        return f"{q_hat:,}" + (f" tokens = {-(-q_hat // unit):,} blocks" if self.shared else "")

    @property
    def trim(self) -> str:
        """How surplus goes where a policy does not say so."""
        return trim_left_out(self._private)

    @property
    def _private(self) -> bool:
        """Whether conversations are private, in a cache that keeps any prefix of them."""
        return self.requests.is_private and (not self.shared or self.grid.rules.nodes is None)

    @property
    def shared(self) -> bool:
        """Whether shared prefixes are replayed."""
        return self.requests.shared

    @property
    def caching(self) -> str:
        """The caching mode as a sentence, and the cache of shared prefixes."""
        grid = self.grid
        running = f", {grid.running:,} requests at a time" if grid.running > 1 else ""
        rules = f" Rules: {grid.rules}." if self.shared else ""
        forced = grid.forced or grid.rules.references
        return f"{'Forced' if forced else 'Optional'} caching{running}.{rules}"

    @property
    def distance(self) -> str:
        """What the distance to the optimum is, in sentences; of shared prefixes which optimum."""
        return f"{REGRET_LEGEND} {HOLES_LEGEND}" if self.shared else REGRET_LEGEND

    def as_data(self) -> dict[str, Any]:
        """Return the trace, and what was assumed, as plain data."""
        return {
            "trace": turns_as_data(self.trace),
            **reading_as_data(self.requests, self.prefixes),
            "latency": self.thresholds.latency.name,
            "unit": self.thresholds.unit,
            "notes": list(self.notes),
            "q_hat": self.grid.q_hat,
            "cutoff": self.grid.cutoff,
            "trim": self.trim,
            "forced": self.grid.forced,
            "slo": {str(xi): slo.text for xi, slo in self.thresholds.slos.items()},
        }


def read_question(
    specs: Sequence[AnySpec],
    *,
    capacities: Sequence[str],
    xis: Sequence[str],
    slos: Sequence[str],
    served: ServedModel,
    forced: bool = False,
    q_hat: int | None = None,
    prefixes: Prefixes = PRIVATE,
) -> Question:
    """Return what was asked for: the thresholds given; where every policy has its own, those."""
    if prefixes is not PRIVATE:
        prefixes.check(forced)
    for spec in specs:
        Rules.of(spec.rules or prefixes.ruled)
    given: list[int | Time] = [read_tokens("xi", text) for text in listed_values("xi", xis)]
    given += [Time(text, read_time("slo", text)) for text in listed_values("slo", slos)]
    named = [value for spec in specs for key, value in spec.given if key == "xi" and isinstance(value, int | Time)]
    names = {name for spec in specs for name in spec.names}
    in_seconds = any(isinstance(one, Time) for one in (*given, *named)) or not names.isdisjoint(FOR_SLOS)
    if not given and not any(spec.needs("xi") for spec in specs):
        given = named
    sizes = read_capacities(capacities, served.shape)
    latency = served.needed_latency if in_seconds else served.latency_or_tokens
    said = (*read_sizes(capacities, served.shape), *_in_band(given, latency))
    found = Thresholds.of(given, latency, served.unit)
    return Question(found, sizes, said, specs, q_hat, forced, served, prefixes)


def _in_band(given: Sequence[int | Time], latency: Latency) -> Iterator[str]:
    """Yield the band of each threshold that was given as a TTFT, if the latency is estimated."""
    if isinstance(latency, Roofline):
        for slo in given:
            if isinstance(slo, Time):
                here, band = latency.threshold(slo.seconds), latency.reach(slo.seconds)
                yield f"Threshold {slo} is {here:,} tokens, {band} within the band."


def read_capacities(given: Sequence[str], shape: KVSize | None = None) -> tuple[int | PeakShare, ...]:
    """Return the capacities that were given, in tokens, or as shares of the trace's peak."""
    texts = listed_values("capacity", given)
    found = (read_share("capacity", text) or read_capacity("capacity", text, shape) for text in texts)
    return tuple(dict.fromkeys(found))


def sizes_of(requests: Requests, given: Sequence[int | PeakShare]) -> tuple[tuple[int, ...], list[str]]:
    """Return capacities in tokens, and a sentence for each share of the peak."""
    shares = [one for one in given if isinstance(one, PeakShare)]
    peak = requests.peak * requests.scale if shares else 0
    sizes = dict.fromkeys(one.of(peak) if isinstance(one, PeakShare) else one for one in given)
    whole = f"of the {peak:,} that an endless cache holds at its peak"
    return tuple(sizes), [f"Capacity {one.text} is {one.of(peak):,} tokens {whole}." for one in shares]


def read_capacity(argument: str, text: str, shape: KVSize | None) -> int:
    """Read a capacity: tokens, or bytes of the KV cache of a model, as many tokens as fit."""
    ways = f"{models_for('--model ', '--latency FILE.json')}, --config FILE.json or --kv-bytes N"
    return read_size(argument, text, shape, ways)


def read_sizes(given: Sequence[str], shape: KVSize | None) -> Iterator[str]:
    """Yield a line for each capacity that was given in bytes."""
    return size_lines("Capacity", listed_values("capacity", given), shape)


def size_lines(what: str, sizes: Sequence[str], shape: KVSize | None) -> Iterator[str]:
    """Yield a line for each size that was given in bytes."""
    for text in sizes:
        if shape is not None and bytes_in(text) is not None:
            size = f"{shape.bytes_per_token:,} bytes ({shape.name})"
            yield f"{what} {text} is {read_capacity(what.lower(), text, shape):,} tokens of {size}."


def chosen_capacities(requests: Trace | Forest) -> tuple[tuple[int, ...], str]:
    """Return 5, 20 and 50 % of what an endless cache holds at its peak, to two digits, and a sentence."""
    peak = requests.peak * requests.scale
    sizes = tuple(dict.fromkeys(min(two_digits(Fraction(share * peak, 100)), INT64_MAX) for share in SHARES))
    shares = f"{SHARES[0]}, {SHARES[1]} and {SHARES[2]} %"
    origin = f"{shares} of the {peak:,} tokens that an endless cache holds at its peak"
    return sizes, f"Capacities, as none is given: {origin}, to two digits."


def two_digits(value: Fraction) -> int:
    """Round to two significant digits, halves up."""
    unit: int = 10 ** max(len(str(int(value))) - 2, 0)
    return int(value / unit + Fraction(1, 2)) * unit


def chosen_thresholds(
    requests: Trace | Forest | ModuleTrace, capacity: int, latency: Latency, in_seconds: bool, **caching: Any
) -> tuple[list[int | Time], str]:
    """Return LRU's P90, P95 and P99 at a capacity, and a sentence: of TTFT, or of uncached tokens.

    In seconds a percentile is the least whole number of milliseconds that so many turns keep; a trace without
    turns has the threshold 0. `caching` is as `Problem` takes it.
    """
    lru = Problem(requests, in_text(capacity), **caching).replay(LRU()).in_tokens()
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


def _alike(requests: Trace | Forest, capacities: Sequence[int], thresholds: Thresholds) -> Iterator[str]:
    """Yield what makes rows alike: capacities that are never full, thresholds that no turn can be above."""
    most = requests.peak * requests.scale
    roomy = [f"{size:,}" for size in capacities if size >= most]
    if roomy:
        peak = f"all pasts together have {most:,} tokens at their peak"
        if requests.shared:
            peak = f"all blocks together have {most:,} tokens"
        yield f"Never full, so that nothing is evicted for want of room: capacity {listed(roomy)}; {peak}."
    longest = int(requests.inputs.max(initial=0))
    lax = [thresholds.label(xi) for xi in thresholds.xis if xi >= longest]
    if lax:
        yield f"No turn can be above the threshold {listed(lax)}: the longest input has {longest:,} tokens."
