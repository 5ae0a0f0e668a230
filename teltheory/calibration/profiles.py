"""A prefill profile from measurements on a grid of cached and uncached tokens, as RAGCache takes one offline."""

import numpy as np

from teltheory.calibration.cells import cells_of
from teltheory.calibration.runs import TTFTRuns
from teltheory.cost.profile import PrefillProfile
from teltheory.errors import ArgumentError


def measured_profile(runs: TTFTRuns) -> PrefillProfile:
    """Return the medians of measured TTFTs as a profile.

    Parameters
    ----------
    runs : TTFTRuns
        From `read_ttft_runs`; requests of each number of cached tokens with each number of uncached tokens.

    Raises
    ------
    ArgumentError
        If a pair was not measured; the error names it. `fit_latency` makes a model of such measurements, and
        `PrefillProfile.of_latency` a profile of that.
    """
    cells, _ = cells_of(runs)
    rows, i = np.unique(cells.cached_tokens, return_inverse=True)
    columns, j = np.unique(cells.uncached_tokens, return_inverse=True)
    table = np.full((len(rows), len(columns)), np.nan)
    table[i, j] = cells.seconds
    for row, column in np.argwhere(np.isnan(table))[:1].tolist():
        pair = f"{rows[row]:,} cached and {columns[column]:,} uncached tokens"
        raise ArgumentError("runs", f"no request of {pair}", "requests of each cached with each uncached number")
    return PrefillProfile(tuple(rows.tolist()), tuple(columns.tolist()), tuple(map(tuple, table.tolist())))
