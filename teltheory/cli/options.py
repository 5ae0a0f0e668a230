"""Options that several commands share, and the reading of their values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any, TypeVar

import click

from teltheory.embedded import EMBEDDED, latency_named
from teltheory.errors import ArgumentError
from teltheory.kv_cache import ARCHITECTURES, Architecture, architecture, size_in_bytes
from teltheory.latency import A100_LLAMA2_7B, MOST_DIGITS, Latency, seconds
from teltheory.numbers import whole_number
from teltheory.policies.spec import Spec

F = TypeVar("F", bound=Callable[..., Any])

DEFAULT_CAPACITIES = ("0.3M", "1M", "3M")
MOST_TURNS = 10**9
"""Turns of a sample: a hundred gigabytes of times and lengths."""
DEFAULT_SLOS = ("500ms", "1s", "2s", "3s", "5s")
_MULTIPLES = {"k": 10**3, "M": 10**6, "G": 10**9}


def grid_options(command: F) -> F:
    """Add --capacity, --xi, --slo, --latency, --model, --forced and --json."""
    forced = click.option("--forced", is_flag=True, help="Forced caching instead of optional caching.")
    return curve_options(forced(command))


def curve_options(command: F) -> F:
    """Add --capacity, --xi, --slo, --latency, --model and --json."""
    options = (
        capacity_option,
        click.option("--xi", "xis", multiple=True, metavar="TOKENS", help="Threshold in tokens; repeatable."),
        click.option(
            "--slo", "slos", multiple=True, metavar="TIME", help="Threshold as a TTFT; repeatable: 200ms."
        ),
        latency_option,
        model_option,
        json_option,
    )
    for option in reversed(options):
        command = option(command)
    return command


capacity_option = click.option(
    "--capacity", "capacities", multiple=True, metavar="SIZE", help="Repeatable: 300000, 0.3M or 40GiB."
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
    slos : dict of int to str
        Those that were given as a TTFT, as they were given.
    latency : Latency
        Turns tokens into seconds.
    sizes : tuple of str
        What is to be said of capacities that were given in bytes.
    """

    xis: tuple[int, ...]
    slos: dict[int, str]
    latency: Latency
    sizes: tuple[str, ...] = ()

    @property
    def seconds(self) -> dict[int, Fraction]:
        """The thresholds that were given as a TTFT, in seconds."""
        return {xi: seconds("slo", text) for xi, text in self.slos.items()}

    def label(self, xi: int) -> str:
        """Return a threshold as a table shows it."""
        return f"{self.slos[xi]} = {xi:,} tokens" if xi in self.slos else f"{xi:,} tokens"

    @property
    def for_grid(self) -> dict[str, Any]:
        """What a grid needs for thresholds in seconds."""
        return {"slos": self.seconds, "latency": self.latency}


def tokens(argument: str, text: str) -> int:
    """Read a whole number of tokens such as ``300000``, ``300_000``, ``0.3M`` or ``300k``."""
    number = text.strip().replace("_", "").replace(",", "")
    factor = _MULTIPLES.get(number[-1:], 1)
    try:
        value = Decimal(number[:-1] if factor > 1 else number)
    except InvalidOperation:
        raise ArgumentError(argument, text, "a whole number of tokens such as 300000 or 0.3M") from None
    if not value.is_finite() or abs(value.adjusted()) > MOST_DIGITS or Fraction(value) * factor % 1:
        raise ArgumentError(argument, text, "a whole number of tokens such as 300000 or 0.3M")
    return whole_number(argument, int(Fraction(value) * factor))


def read_capacities(given: Sequence[str], shape: Architecture | None = None) -> tuple[int, ...]:
    """Return the capacities in tokens, or the defaults where none is given."""
    return tuple(dict.fromkeys(capacity(text, shape) for text in given or DEFAULT_CAPACITIES))


def capacity(text: str, shape: Architecture | None) -> int:
    """Read a capacity: tokens, or bytes of the KV cache of a model, as many tokens as fit."""
    size = size_in_bytes(text)
    if size is None:
        return tokens("capacity", text)
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
        for text in given
        if shape is not None and size_in_bytes(text) is not None
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
    xis: Sequence[str], slos: Sequence[str], elsewhere: Sequence[int] = (), latency: Latency = A100_LLAMA2_7B
) -> Thresholds:
    """Return the thresholds: those given, else those that policies name, else the defaults."""
    whole = [tokens("xi", text) for text in xis]
    if not whole and not slos:
        whole = list(elsewhere)
        slos = () if elsewhere else DEFAULT_SLOS
    named = {latency.threshold(seconds("slo", text)): text for text in slos}
    return Thresholds(tuple(dict.fromkeys([*whole, *named])), named, latency)


def thresholds_for(
    specs: Sequence[Spec], xis: Sequence[str], slos: Sequence[str], latency: Latency = A100_LLAMA2_7B
) -> Thresholds:
    """Return the thresholds: those given; where every policy has its own, those; else the defaults."""
    named = [int(value) for spec in specs for key, value in spec.given if key == "xi"]
    return read_thresholds(xis, slos, () if any(spec.needs("xi") for spec in specs) else named, latency)
