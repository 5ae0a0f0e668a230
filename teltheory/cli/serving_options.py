"""Replicas and queues on the command line: `--replicas`, `--router`, `--load` or `--stretch`, `--ticks`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from fractions import Fraction

import click

from teltheory.cli.options import Option, bundled
from teltheory.errors import ArgumentError
from teltheory.model.numbers import read_fraction
from teltheory.serving.routers import ROUTERS
from teltheory.serving.serve import Serving
from teltheory.serving.work import TICKS, Ticks

ROUTER = "round-robin"
"""The router where none is named."""


@dataclass(frozen=True)
class Loaded:
    """How requests are served, as it was asked for; None is left out."""

    replicas: int | None = None
    router: str | None = None
    load: str | None = None
    stretch: str | None = None
    ticks: Ticks | None = None
    overload: bool = False

    def __bool__(self) -> bool:
        return any(getattr(self, field.name) for field in fields(self))

    def read(self) -> tuple[Serving, Fraction | None]:
        """Return how requests are served, and the load, if one was given."""
        if self.load is not None and self.stretch is not None:
            raise ArgumentError("--stretch", self.stretch, "none with --load")
        stretch = Fraction(1)
        if self.stretch is not None:
            stretch = read_fraction("--stretch", self.stretch, "a number above 0, such as 0.5")
            if stretch <= 0:
                raise ArgumentError("--stretch", self.stretch, "a number above 0, such as 0.5")
        serving = Serving(self.replicas or 1, self.router or ROUTER, stretch, self.ticks or TICKS[0])
        return serving, None if self.load is None else read_load("--load", self.load, overload=self.overload)


def read_load(argument: str, text: str, *, overload: bool) -> Fraction:
    """Read a load, below 1 unless there is `--overload`."""
    load = read_fraction(argument, text, "a load above 0 such as 0.7")
    if load <= 0:
        raise ArgumentError(argument, text, "a load above 0 such as 0.7")
    if load >= 1 and not overload:
        raise ArgumentError(argument, text, "a load below 1, as queues grow without bound, or --overload with it")
    return load


def speed_lines(serving: Serving, load: Fraction | None, overload: float) -> Iterator[str]:
    """Yield at which speed requests are served, and whether that is too fast.

    `overload` is the load that LRU really has.
    """
    ticks = ", ticks spread evenly" if serving.ticks == "spread" else ""
    if load is not None:
        stretch = f"arrivals are stretched by {float(serving.stretch):.4g} for all policies"
        yield f"Load {float(load):g}: {stretch}{ticks}."
    elif serving.stretch != 1:
        yield f"Arrivals are stretched by {float(serving.stretch):.4g} for all policies{ticks}."
    else:
        yield f"Arrivals as the trace has them{ticks}."
    if overload >= 1:
        yield (
            f"Overloaded: LRU has {overload:.2f} s of work for each second of a replica. Queues grow without "
            f"bound: TEL depends on how long the trace is."
        )


def serving_options() -> Option:
    """Return a decorator that adds how requests are served, handed over as `loaded`."""
    return bundled(
        "loaded",
        Loaded,
        click.option("--replicas", type=click.IntRange(1), metavar="N", help="Each with a cache and a queue."),
        click.option("--router", metavar="NAME", help=f"{', '.join(ROUTERS)}."),
        click.option("--load", metavar="SHARE", help="Stretch arrivals so that LRU is busy for it: 0.7."),
        click.option("--stretch", metavar="TIMES", help="Multiply arrivals."),
        click.option("--ticks", type=click.Choice(TICKS), help="Arrivals at one time: so, or spread evenly."),
        click.option("--overload", is_flag=True, help="Run loads of 1 and more."),
    )
