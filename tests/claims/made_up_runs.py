"""Runs that were made up."""

from itertools import product

from teltheory.paper.grid import XI_MS
from teltheory.paper.printed import CAPACITIES
from teltheory.paper.rows import POLICIES, RunRow
from teltheory.paper.tables import RunTable


def foresight(tels, percentiles=None):
    """Runs of all six policies on four traces that differ a little, the same at every place of the grid."""
    percentiles = percentiles or {}
    found = []
    for k, (c, xi, p) in product(range(4), product(CAPACITIES, XI_MS, POLICIES)):
        tel = round(tels.get(p, 900) * (1 + k / 100))
        found.append(RunRow(f"trace {k}", c, xi, p, *_percentiles(percentiles, p, c, xi, k), 0, tel))
    return RunTable(found)


def _percentiles(percentiles, policy, capacity, xi, k):
    found = percentiles.get((policy, capacity, xi), percentiles.get(policy, (50.0, 200.0, 300.0, 500.0)))
    return [value + k / 1000 for value in found]
