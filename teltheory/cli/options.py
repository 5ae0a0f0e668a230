"""Options that several commands share, and the reading of their values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypeVar

import click

from teltheory.embedded import EMBEDDED, latency_named
from teltheory.errors import ArgumentError
from teltheory.kv_cache import ARCHITECTURES, Architecture, architecture
from teltheory.latency import A100_LLAMA2_7B, Latency
from teltheory.policies.spec import Spec
from teltheory.units import Time, bytes_in, listed_values, read_time, read_tokens

F = TypeVar("F", bound=Callable[..., Any])

DEFAULT_CAPACITIES = ("0.3M", "1M", "3M")
MOST_TURNS = 10**9
"""Turns of a sample: a hundred gigabytes of times and lengths."""
DEFAULT_SLOS = ("500ms", "1s", "2s", "3s", "5s")


def grid_options(command: F) -> F:
    """Add --capacity, --xi, --slo, --latency, --model, --forced and --json."""
    forced = click.option("--forced", is_flag=True, help="Forced caching instead of optional caching.")
    return curve_options(forced(command))


def curve_options(command: F) -> F:
    """Add --capacity, --xi, --slo, --latency, --model and --json."""
    options = (
        capacity_option,
        click.option("--xi", "xis", multiple=True, metavar="TOKENS,...", help="Thresholds: 2800,5k."),
        click.option("--slo", "slos", multiple=True, metavar="TIME,...", help="Thresholds as TTFT: 200ms,2s."),
        latency_option,
        model_option,
        json_option,
    )
    for option in reversed(options):
        command = option(command)
    return command


capacity_option = click.option(
    "--capacity", "capacities", multiple=True, metavar="SIZE,...", help="300k,1M tokens, or 40GiB; a comma lists."
)
latency_option = click.option(
    "--latency", metavar="NAME|FILE.json", help=f"TTFT: {', '.join(EMBEDDED)} (the first) or a file."
)
model_option = click.option("--model", metavar="NAME", help="Whose KV cache a capacity in bytes holds: vicuna-7b.")
workers_option = click.option(
    "--workers", type=click.IntRange(1), default=None, help="Processes; one a core when left out."
)
json_option = click.option("--json", "target", metavar="FILE", help="Also write JSON; - for standard output.")


@dataclass(frozen=True)
class Thresholds:
    """Thresholds in tokens, each with the TTFT that it was given as.

    Attributes
    ----------
    xis : tuple of int
        Thresholds.
    slos : dict of int to Time
        Those that were given as a TTFT.
    latency : Latency
        Turns tokens into seconds.
    sizes : tuple of str
        What is to be said of capacities that were given in bytes.
    """

    xis: tuple[int, ...]
    slos: dict[int, Time]
    latency: Latency
    sizes: tuple[str, ...] = ()

    @property
    def seconds(self) -> dict[int, Fraction]:
        """The thresholds that were given as a TTFT, in seconds."""
        return {xi: slo.seconds for xi, slo in self.slos.items()}

    def label(self, xi: int) -> str:
        """Return a threshold as a table shows it."""
        return f"{self.slos[xi]} = {xi:,} tokens" if xi in self.slos else f"{xi:,} tokens"

    @property
    def for_grid(self) -> dict[str, Any]:
        """What a grid needs for thresholds in seconds."""
        return {"slos": self.seconds, "latency": self.latency}


def read_capacities(given: Sequence[str], shape: Architecture | None = None) -> tuple[int, ...]:
    """Return the capacities in tokens, or the defaults where none is given."""
    texts = listed_values("capacity", given) or DEFAULT_CAPACITIES
    return tuple(dict.fromkeys(capacity(text, shape) for text in texts))


def capacity(text: str, shape: Architecture | None) -> int:
    """Read a capacity: tokens, or bytes of the KV cache of a model, as many tokens as fit."""
    size = bytes_in(text)
    if size is None:
        return read_tokens("capacity", text, or_bytes=True)
    if shape is None:
        raise ArgumentError("capacity", text, "tokens, or a model whose KV cache it is: --model vicuna-7b")
    return shape.tokens(int(size))


def shape_of(latency: Latency | None, model: str | None) -> Architecture | None:
    """Return the architecture that --model names, else the one that a given latency model was measured on."""
    if model is not None:
        return architecture(model)
    origin = None if latency is None else latency.provenance
    return None if origin is None else ARCHITECTURES.get(origin.model)


def read_sizes(given: Sequence[str], shape: Architecture | None) -> tuple[str, ...]:
    """Return a line for each capacity that was given in bytes."""
    return tuple(
        f"Capacity {text} is {capacity(text, shape):,} tokens of {shape.bytes_per_token:,} bytes ({shape.name})."
        for text in listed_values("capacity", given)
        if shape is not None and bytes_in(text) is not None
    )


def read_question(
    xis: Sequence[str],
    slos: Sequence[str],
    capacities: Sequence[str],
    latency: str | None,
    model: str | None,
    specs: Sequence[Spec] = (),
) -> tuple[Thresholds, tuple[int, ...]]:
    """Return thresholds, with latency model and what is to be said of sizes, and capacities."""
    given = None if latency is None else latency_named(latency)
    shape = shape_of(given, model)
    thresholds = thresholds_for(specs, xis, slos, given or A100_LLAMA2_7B)
    return replace(thresholds, sizes=read_sizes(capacities, shape)), read_capacities(capacities, shape)


def read_thresholds(
    xis: Sequence[str],
    slos: Sequence[str],
    elsewhere: Sequence[int | Time] = (),
    latency: Latency = A100_LLAMA2_7B,
) -> Thresholds:
    """Return the thresholds: those given, else those that policies name, else the defaults."""
    given: list[int | Time] = [read_tokens("xi", text) for text in listed_values("xi", xis)]
    given += [Time(text, read_time("slo", text)) for text in listed_values("slo", slos)]
    given = given or list(elsewhere) or [Time(text, read_time("slo", text)) for text in DEFAULT_SLOS]
    slos_of = {latency.threshold(one.seconds): one for one in given if isinstance(one, Time)}
    xis_of = [one for one in given if isinstance(one, int)]
    return Thresholds(tuple(dict.fromkeys([*xis_of, *slos_of])), slos_of, latency)


def thresholds_for(
    specs: Sequence[Spec], xis: Sequence[str], slos: Sequence[str], latency: Latency = A100_LLAMA2_7B
) -> Thresholds:
    """Return the thresholds: those given; where every policy has its own, those; else the defaults."""
    named = [value for spec in specs for key, value in spec.given if key == "xi" and isinstance(value, int | Time)]
    return read_thresholds(xis, slos, () if any(spec.needs("xi") for spec in specs) else named, latency)
