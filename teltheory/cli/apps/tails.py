"""What `teltheory apps replay` and `teltheory apps optimum` share: the question, and the options that ask it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import get_args

import click

from teltheory.cli.asked.options import capacity_option, forced_option, together
from teltheory.cli.asked.question import read_capacities, sizes_of
from teltheory.cli.parts import option
from teltheory.errors import ArgumentError
from teltheory.model.applications import ApplicationTrace, Measure
from teltheory.model.display import counted
from teltheory.model.units import PeakShare, listed_values, read_tokens

LEGEND = (
    "excess: tokens above the threshold, over all applications, of what all turns of an application (sum) or its "
    "heaviest path computed. above: applications with some. largest: that of one application."
)


@dataclass(frozen=True)
class TailGrid:
    """Capacities, thresholds and measures, in tokens."""

    capacities: tuple[int | PeakShare, ...]
    xis: tuple[int, ...]
    measures: tuple[Measure, ...]

    @classmethod
    def of(cls, capacities: tuple[str, ...], xis: tuple[str, ...], measure: str) -> TailGrid:
        """Read the options; each needs a value."""
        for name, texts in (("--capacity", capacities), ("--xi", xis)):
            if not texts:
                raise ArgumentError(name, None, "tokens, such as 300k; a comma lists")
        thresholds = dict.fromkeys(read_tokens("--xi", one) for one in listed_values("--xi", xis))
        measures = get_args(Measure) if measure == "both" else (measure,)
        return cls(read_capacities(capacities), tuple(thresholds), measures)

    def cells(self, apps: ApplicationTrace) -> Iterator[tuple[int, int, Measure]]:
        """Yield every capacity with every threshold and measure."""
        return product(sizes_of(apps.trace, self.capacities)[0], self.xis, self.measures)


def told(apps: ApplicationTrace) -> str:
    """Return what a trace is, in a sentence."""
    edges = counted(sum(map(len, apps.before)), "edge")
    conversations = counted(apps.trace.conversations, "conversation")
    return f"{counted(apps.applications, 'application')}: {counted(len(apps), 'turn')}, {conversations}, {edges}."


grid_options = together(
    capacity_option,
    option(
        "--xi",
        "xis",
        multiple=True,
        metavar="TOKENS,...",
        help="Threshold in tokens. One for all turns of an application: 2800 or 5k; a comma lists.",
    ),
    option(
        "--measure",
        type=click.Choice([*get_args(Measure), "both"]),
        default="sum",
        show_default=True,
        help="Whether the excess is summed over all turns or over the heaviest path.",
    ),
    forced_option,
)
