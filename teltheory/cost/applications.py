"""What an outcome is worth to applications: the excess of each above its own threshold.

An application's excess is max(0, W - xi). W is what all of its turns computed ("sum"), or what the turns of the
heaviest path in its graph did ("path"), so that turns beside each other are counted once. With one turn in each
application both are `teltheory.cost.metrics.excess`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.model.applications import ApplicationTrace, Measure, thresholds
from teltheory.model.numbers import IntArray, exact_sum, readonly
from teltheory.model.outcome import Outcome


def application_uncached(apps: ApplicationTrace, outcome: Outcome, measure: Measure = "sum") -> IntArray:
    """Return what each application's heaviest route computed, in the trace's unit; shape (applications,)."""
    if len(outcome) != len(apps):
        raise ArgumentError("outcome", f"one of {len(outcome)} turns", f"one of {len(apps)}, as the applications")
    uncached = outcome.uncached.tolist()
    weights = [apps.weight(application, uncached, measure) for application in range(apps.applications)]
    return readonly(np.array(weights, np.int64))


def application_excess(
    apps: ApplicationTrace, outcome: Outcome, xi: int | Sequence[int] | IntArray, measure: Measure = "sum"
) -> IntArray:
    """Return max(0, W - xi) of each application.

    Parameters
    ----------
    apps : ApplicationTrace
        The applications.
    outcome : Outcome
        What each of their turns computed.
    xi : int or sequence of int
        Threshold, one for all applications or one for each, in the trace's unit.
    measure : {"sum", "path"}
        Whether W is of all turns or of the heaviest path.

    Returns
    -------
    ndarray of int64, shape (applications,)
        Exact, in the trace's unit.
    """
    above = application_uncached(apps, outcome, measure) - np.array(thresholds(apps, xi), np.int64)
    return readonly(np.maximum(above, 0))


def application_tel(
    apps: ApplicationTrace, outcome: Outcome, xi: int | Sequence[int] | IntArray, measure: Measure = "sum"
) -> int:
    """Return the sum of `application_excess`; exact."""
    return exact_sum(application_excess(apps, outcome, xi, measure))
