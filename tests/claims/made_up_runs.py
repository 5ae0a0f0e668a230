"""Runs that were made up, and cells that a null model made."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from teltheory.claims.worlds import Given
from teltheory.paper.grid import XI_MS
from teltheory.paper.printed import CAPACITIES
from teltheory.paper.rows import POLICIES, Run
from teltheory.paper.tables import Runs


@dataclass(frozen=True)
class Fed:
    """A cell with the values that somebody else computed."""

    row: str
    column: str
    values: Any

    def shown(self, values):
        return ""


def fed_with_a_null_model(claim, verdict, name):
    """The claim with a null model's cells in the place of those of a verdict."""
    places = verdict.numbers["cells"]
    cells = claim.rule.nulls[name]([place["values"] for place in places])
    fed = tuple(Fed(place["row"], place["column"], cell) for place, cell in zip(places, cells, strict=True))
    return replace(claim, values=lambda case: case.values, space=Given(fed, "a null model's cells"))


def foresight(tels, percentiles=None):
    """Runs of all six policies on four traces that differ a little, the same at every place of the grid."""
    percentiles = percentiles or {}
    found = []
    for k, (c, xi, p) in product(range(4), product(CAPACITIES, XI_MS, POLICIES)):
        tel = round(tels.get(p, 900) * (1 + k / 100))
        found.append(Run(f"trace {k}", c, xi, p, *_percentiles(percentiles, p, c, xi, k), 0, tel))
    return Runs(found)


def _percentiles(percentiles, policy, capacity, xi, k):
    found = percentiles.get((policy, capacity, xi), percentiles.get(policy, (50.0, 200.0, 300.0, 500.0)))
    return [value + k / 1000 for value in found]
