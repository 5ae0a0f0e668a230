"""Options that several commands share, and the reading of their values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypeVar

import click

from teltheory.cli.defaults import chosen_capacities, chosen_thresholds
from teltheory.cli.served import Served, served_options
from teltheory.cost.kv_cache import KVSize
from teltheory.cost.latency import Latency
from teltheory.errors import ArgumentError
from teltheory.model.trace import Trace
from teltheory.model.units import LONG_TIMES, Time, bytes_in, listed_values, read_time, read_tokens
from teltheory.policies.spec import FOR_SLOS, Spec

F = TypeVar("F", bound=Callable[..., Any])

MOST_TURNS = 10**9
"""Turns of a sample: a hundred gigabytes of times and lengths."""


def grid_options(command: F) -> F:
    """Add what `curve_options` adds, and --forced."""
    forced = click.option("--forced", is_flag=True, help="Forced caching instead of optional caching.")
    return curve_options(forced(command))


def curve_options(command: F) -> F:
    """Add --capacity, --xi, --slo and --json, and what `served_options` adds."""
    options = (
        capacity_option,
        click.option("--xi", "xis", multiple=True, metavar="TOKENS,...", help="Thresholds: 2800,5k."),
        click.option("--slo", "slos", multiple=True, metavar="TIME,...", help="Thresholds as TTFT: 200ms,2s."),
        served_options,
        json_option,
    )
    for option in reversed(options):
        command = option(command)
    return command


capacity_option = click.option(
    "--capacity", "capacities", multiple=True, metavar="SIZE,...", help="300k,1M tokens, or 40GiB; a comma lists."
)
workers_option = click.option(
    "--workers", type=click.IntRange(1), default=None, help="Processes; one a core when left out."
)
json_option = click.option("--json", "target", metavar="FILE", help="Also write JSON; - for standard output.")


def duration(ctx: click.Context, param: click.Parameter, text: str | None) -> float | None:
    """Return how long something may take, in seconds: the callback of an option that takes a time."""
    return None if text is None else float(read_time(param.opts[0], text, LONG_TIMES))


@dataclass(frozen=True)
class Thresholds:
    """Thresholds in tokens, each with the TTFT that it was given as.

    `unit` is of percentiles: "s", or "tok" if nothing has a latency, and `latency` counts tokens.
    """

    xis: tuple[int, ...]
    slos: dict[int, Time]
    latency: Latency
    said: tuple[str, ...] = ()
    unit: str = "s"

    @classmethod
    def of(cls, given: Sequence[int | Time], latency: Latency, unit: str = "s") -> Thresholds:
        """Return thresholds that were given in tokens or as a TTFT: first those in tokens."""
        slos = {latency.threshold(one.seconds): one for one in given if isinstance(one, Time)}
        xis = [one for one in given if isinstance(one, int)]
        return cls(tuple(dict.fromkeys([*xis, *slos])), slos, latency, unit=unit)

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

    @property
    def for_grid(self) -> dict[str, Any]:
        """What a grid needs for thresholds in seconds."""
        return {"slos": self.seconds, "latency": self.latency}


@dataclass(frozen=True)
class Question:
    """What was asked for, before the trace is read; what is empty is chosen by the trace."""

    thresholds: Thresholds
    capacities: tuple[int, ...]

    def on(self, trace: Trace, forced: bool = False) -> tuple[Thresholds, tuple[int, ...]]:
        """Return thresholds and capacities, chosen by the trace if none were given, and said to be."""
        found, said = self.thresholds, list(self.thresholds.said)
        sizes, origin = chosen_capacities(trace) if not self.capacities else (self.capacities, None)
        if origin is not None:
            said.append(origin)
        if not found.xis:
            middle = sorted(sizes)[len(sizes) // 2]
            given, origin = chosen_thresholds(trace, middle, found.latency, found.unit == "s", forced)
            found = Thresholds.of(given, found.latency, found.unit)
            said.append(origin)
        return replace(found, said=tuple(said)), sizes


def read_question(
    xis: Sequence[str], slos: Sequence[str], capacities: Sequence[str], served: Served, specs: Sequence[Spec] = ()
) -> Question:
    """Return what was asked for: the thresholds given; where every policy has its own, those."""
    sizes = read_capacities(capacities, served.shape)
    given = read_thresholds(xis, slos)
    named = [value for spec in specs for key, value in spec.given if key == "xi" and isinstance(value, int | Time)]
    in_seconds = any(isinstance(one, Time) for one in (*given, *named)) or any(s.name in FOR_SLOS for s in specs)
    if not given and not any(spec.needs("xi") for spec in specs):
        given = named
    latency = served.needed_latency if in_seconds else served.latency_or_tokens
    found = Thresholds.of(given, latency, served.unit)
    return Question(replace(found, said=(served.sentence, *read_sizes(capacities, served.shape))), sizes)


def read_thresholds(xis: Sequence[str], slos: Sequence[str]) -> list[int | Time]:
    """Return the thresholds that were given."""
    whole = [read_tokens("xi", text) for text in listed_values("xi", xis)]
    return [*whole, *(Time(text, read_time("slo", text)) for text in listed_values("slo", slos))]


def read_capacities(given: Sequence[str], shape: KVSize | None = None) -> tuple[int, ...]:
    """Return the capacities that were given, in tokens."""
    return tuple(dict.fromkeys(capacity(text, shape) for text in listed_values("capacity", given)))


def capacity(text: str, shape: KVSize | None) -> int:
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
            yield f"Capacity {text} is {capacity(text, shape):,} tokens of {size}."
