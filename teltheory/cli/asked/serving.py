"""Replicas and queues on the command line: `--replicas`, `--router`, `--load` or `--stretch`, `--ticks`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from itertools import product
from typing import Any

import click

from teltheory.cli.asked.options import Option, bundled
from teltheory.cli.parts import option
from teltheory.cost.decoding import A100_DECODE
from teltheory.cost.latency import Latency
from teltheory.errors import ArgumentError
from teltheory.model.forest import Forest
from teltheory.model.numbers import read_fraction
from teltheory.model.tiers import Tiers
from teltheory.model.trace import Trace
from teltheory.model.units import listed_values
from teltheory.serving.batching import Chunked
from teltheory.serving.routers import ROUTERS
from teltheory.serving.serve import Serving, stretch_for
from teltheory.serving.work import TICKS, Ticks

ROUTER = "round-robin"
"""The router where none is named."""
LOAD = "Share of the time that LRU is busy, such as 0.7; arrivals are stretched to give it."


@dataclass(frozen=True, kw_only=True)
class Way:
    """What all choices of replicas, router and load have in common; None is left out."""

    stretch: str | None = None
    ticks: Ticks | None = None
    overload: bool = False
    chunk: int | None = None
    decode: bool = False
    shared: bool = False

    def serving(
        self, replicas: int | None, router: str | None, load: str | None
    ) -> tuple[Serving, Fraction | None]:
        """Return how requests are served, and the load, if one was given."""
        if load is not None and self.stretch is not None:
            raise ArgumentError("--stretch", self.stretch, "none with --load")
        pace = self._stretch(), self.ticks or TICKS[0], self._batching(), self.shared
        serving = Serving(replicas or 1, router or ROUTER, *pace)
        return serving, None if load is None else read_load("--load", load, overload=self.overload)

    def _stretch(self) -> Fraction:
        expected = "a number above 0, such as 0.5"
        stretch = Fraction(1) if self.stretch is None else read_fraction("--stretch", self.stretch, expected)
        if stretch <= 0:
            raise ArgumentError("--stretch", self.stretch, expected)
        return stretch

    def _batching(self) -> Chunked | None:
        if self.chunk is None and not self.decode:
            return None
        return Chunked(self.chunk, A100_DECODE if self.decode else None)


@dataclass(frozen=True, kw_only=True)
class Loaded(Way):
    """How requests are served, as it was asked for."""

    replicas: int | None = None
    router: str | None = None
    load: str | None = None

    def __bool__(self) -> bool:
        return any(getattr(self, field.name) for field in fields(self))

    def read(self) -> tuple[Serving, Fraction | None]:
        """Return how requests are served, and the load, if one was given."""
        return self.serving(self.replicas, self.router, self.load)


@dataclass(frozen=True, kw_only=True)
class Servers(Way):
    """Every choice of what several options list."""

    replicas: tuple[str, ...] = ()
    routers: tuple[str, ...] = ()
    loads: tuple[str, ...] = ()

    def read(self) -> list[tuple[Serving, Fraction | None]]:
        """Return how requests are served, and the load if one was given, of each choice."""
        numbers = tuple(map(_replicas, listed_values("--replicas", self.replicas))) or (None,)
        routers = listed_values("--router", self.routers) or (None,)
        loads = listed_values("--load", self.loads) or (None,)
        return [self.serving(*choice) for choice in product(numbers, routers, loads)]

    def at(self, requests: Trace | Forest, tiers: Tiers, latency: Latency) -> list[Serving]:
        """Return what serves requests in tiers, with the stretch that each load is there."""
        found: dict[tuple[int, Fraction], float] = {}
        return [self._stretched(*choice, found, requests, tiers, latency) for choice in self.read()]

    def _stretched(
        self, serving: Serving, load: Fraction | None, found: dict[tuple[int, Fraction], float], *where: Any
    ) -> Serving:
        if load is None:
            return serving
        place = serving.replicas, load
        if place not in found:
            requests, tiers, latency = where
            found[place] = stretch_for(
                requests, tiers.in_blocks(requests.block_size), latency, *place, serving.ticks
            )
        return replace(serving, stretch=found[place])


def _replicas(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise ArgumentError("--replicas", text, "a whole number of replicas, 1 or more")
    return int(text)


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
    if isinstance(serving.batching, Chunked):
        yield f"{_in_chunks(serving.batching)}."
    if serving.shared:
        yield "All replicas share one last tier."
    if overload >= 1:
        yield (
            f"Overloaded: LRU has {overload:.2f} s of work for each second of a replica. Queues grow without "
            f"bound: TEL depends on how long the trace is."
        )


def _in_chunks(batching: Chunked) -> str:
    size = "one prompt" if batching.chunk is None else f"{batching.chunk:,} prompt tokens"
    decoding = "" if batching.decode is None else ", answers are made beside them"
    return f"An iteration computes {size}, first come, first served{decoding}"


def servers_options() -> Option:
    """Return a decorator that adds the same options with lists of values, handed over as `servers`."""
    return bundled(
        "servers",
        Servers,
        option(
            "--replicas",
            multiple=True,
            metavar="N,...",
            help="Number of replicas, each with a cache and a queue. A comma lists: 1,2,4.",
        ),
        option(
            "--router",
            "routers",
            multiple=True,
            metavar="NAME,...",
            help=f"Router of requests to replicas. {', '.join(ROUTERS)}.",
        ),
        option("--load", "loads", multiple=True, metavar="SHARE,...", help=LOAD),
        *_arrivals(),
    )


def _arrivals() -> tuple[Option, ...]:
    return (
        option("--stretch", metavar="TIMES", help="Multiply all arrival times by this number."),
        option(
            "--ticks",
            type=click.Choice(TICKS),
            help="Whether arrivals at the same time stay together or are spread evenly.",
        ),
        option("--overload", is_flag=True, help="Allow loads of 1 and more."),
        option("--chunk", type=click.IntRange(1), metavar="N", help="Compute prompts in chunks of N tokens."),
        option("--decode", is_flag=True, help="Decode answers beside prompts, as an A100 does."),
        option(
            "--share-last-tier",
            "shared",
            is_flag=True,
            help="Make the last tier one store of all replicas.",
        ),
    )


def serving_options() -> Option:
    """Return a decorator that adds how requests are served, handed over as `loaded`."""
    return bundled(
        "loaded",
        Loaded,
        option(
            "--replicas",
            type=click.IntRange(1),
            metavar="N",
            help="Number of replicas, each with a cache and a queue.",
        ),
        option("--router", metavar="NAME", help=f"Router of requests to replicas. {', '.join(ROUTERS)}."),
        option("--load", metavar="SHARE", help=LOAD),
        *_arrivals(),
    )
