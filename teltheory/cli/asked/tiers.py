"""Tiers of memory on the command line: `--tier SIZE,...[:LOAD]`, fastest first."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import click

from teltheory.cli.asked.options import Option, bundled
from teltheory.cli.asked.question import read_capacity, size_lines
from teltheory.cli.asked.served import ServedModel
from teltheory.cli.parts import option
from teltheory.cost.links import load_seconds, marginal_seconds
from teltheory.errors import ArgumentError, listed
from teltheory.model.tiers import LOADINGS, MODES, Loading, Mode, Tiers
from teltheory.model.units import listed_values

MICRO = 10**6


@dataclass(frozen=True)
class Tiered:
    """Tiers as they were asked for; none if there is no `--tier`."""

    tiers: tuple[str, ...] = ()
    tier_mode: Mode = "exclusive"
    loading: Loading = "additive"

    def __bool__(self) -> bool:
        return bool(self.tiers)

    def read(self, served: ServedModel) -> tuple[Tiers, ...]:
        """Return the tiers, in tokens: with several sizes of a tier every choice of them."""
        if not self.tiers:
            return ()
        sizes = [[read_capacity("--tier", size, served.shape) for size in each] for each in self._sizes()]
        loads = self._loads(served)
        try:
            return tuple(Tiers(chosen, loads, self.tier_mode, self.loading) for chosen in product(*sizes))
        except ArgumentError as error:
            raise ArgumentError("--tier", listed(self.tiers), f"{error.expected} ({error.argument})") from None

    def lines(self, served: ServedModel) -> Iterator[str]:
        """Yield what sizes in bytes are in tokens, and what loading from each slower tier costs."""
        yield from size_lines("Tier", [size for each in self._sizes() for size in each], served.shape)
        for number, load in enumerate(self._loads(served)[1:], start=1):
            yield load_line(number, load, served)

    def _sizes(self) -> list[tuple[str, ...]]:
        return [listed_values("--tier", [text.partition(":")[0]]) for text in self.tiers]

    def _loads(self, served: ServedModel) -> list[Fraction]:
        """Return rho of each tier, exact: the first is the memory that a prefill writes to."""
        first, *slower = (text.partition(":")[2] for text in self.tiers)
        if first:
            expected = "the first tier, the GPU's, without what loading costs: --tier SIZE before it"
            raise ArgumentError("--tier", self.tiers[0], expected)
        loads = zip(self.tiers[1:], slower, strict=True)
        return [Fraction(0), *(_ratio(text, load, served) for text, load in loads)]


def _ratio(text: str, load: str, served: ServedModel) -> Fraction:
    if not load:
        costs = f"what loading costs: {text}:pcie4, :25GB/s, :18.5us per token or :0.26"
        raise ArgumentError("--tier", text, costs)
    latency = served.latency_or_tokens if _is_ratio(load) else served.needed_latency
    return load_seconds("--tier", load, served.shape, latency) / marginal_seconds(latency)


def _is_ratio(text: str) -> bool:
    return text.replace(".", "", 1).replace("/", "", 1).isdecimal()


def load_line(number: int, load: Fraction, served: ServedModel) -> str:
    """Return what loading from a tier costs, as a sentence."""
    rounded = float(Tiers((0, 0), (0, load)).loads[1])
    if served.unit == "tok":
        return f"Tier {number}: a token loads in {rounded:g} of the time that computing it takes (ρ)."
    micro = float(load * marginal_seconds(served.latency_or_tokens) * MICRO)
    return f"Tier {number}: {micro:.3g} µs to load a token, ρ = {rounded:g} of computing it."


tier_options: Option = bundled(
    "tiered",
    Tiered,
    option(
        "--tier",
        "tiers",
        multiple=True,
        metavar="SIZE,...[:LOAD]",
        help="Tier of memory, fastest first. 300k, then 1M:pcie4; or :25GB/s, :18.5us per token, :0.26.",
    ),
    option(
        "--tier-mode",
        type=click.Choice(MODES),
        default=MODES[0],
        show_default=True,
        help="Where else a loaded block is: nowhere, in all slower tiers, or as the copy that it leaves.",
    ),
    option(
        "--loading",
        type=click.Choice(LOADINGS),
        default=LOADINGS[0],
        show_default=True,
        help="Whether a turn loads before it computes or meanwhile.",
    ),
)
