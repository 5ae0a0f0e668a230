"""What a latency model that does not fit costs in tokens: thresholds and TEL-safe budgets that are off.

For SLOs within the range of the measured TTFTs the threshold xi is the most uncached tokens of a prompt without a
cached prefix, and the budget of an input is what must stay cached of it, n less the most uncached tokens that keep
the SLO. Both are compared within the lengths that were measured.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from teltheory.calibration.cells import Cells
from teltheory.calibration.forms import rounded
from teltheory.cost.latency import Latency
from teltheory.errors import ArgumentError
from teltheory.model.numbers import IntArray

LEVELS = (0.1, 0.25, 0.5, 0.75, 0.9)
MOST_TOTALS = 64
WORTH_A_WARNING = 0.05


@dataclass(frozen=True)
class TokenError:
    """Largest differences of xi and of the budget between two models, in tokens, and the SLOs (in seconds)."""

    threshold: int
    threshold_slo: float
    budget: int
    budget_slo: float
    budget_total: int
    longest: int

    @property
    def matters(self) -> bool:
        """Whether the larger one is more than a twentieth of the longest prompt."""
        return max(self.threshold, self.budget) > WORTH_A_WARNING * self.longest

    def __str__(self) -> str:
        return (
            f"xi is off by up to {self.threshold:,} tokens (SLO {self.threshold_slo:.4g} s), the budget by up to "
            f"{self.budget:,} tokens (an input of {self.budget_total:,} tokens, SLO {self.budget_slo:.4g} s)"
        )


def token_error(model: Latency, judged_by: Latency, cells: Cells) -> TokenError:
    """Return how far a model's thresholds and budgets are from another's, over the range of the data."""
    slos = [rounded(float(value)) for value in np.unique(np.quantile(cells.seconds, LEVELS))]
    longest = int(cells.prompt_tokens.max())
    different = np.unique(cells.prompt_tokens)
    levels = np.linspace(0, 1, min(MOST_TOTALS, len(different)))
    totals = np.unique(np.quantile(different, levels, method="nearest")).astype(np.int64)
    xi = [abs(_threshold(model, slo, longest) - _threshold(judged_by, slo, longest)) for slo in slos]
    budgets = np.array([np.abs(_safe(model, totals, slo) - _safe(judged_by, totals, slo)) for slo in slos])
    worst = int(np.argmax(xi))
    at, place = np.unravel_index(int(np.argmax(budgets)), budgets.shape)
    return TokenError(
        xi[worst], float(slos[worst]), int(budgets.max()), float(slos[int(at)]), int(totals[place]), longest
    )


def _threshold(model: Latency, slo: Fraction, longest: int) -> int:
    try:
        return min(model.threshold(slo), longest)
    except ArgumentError:
        flat = float(model.ttft(longest)) <= slo
        return longest if flat else 0


def _safe(model: Latency, totals: IntArray, slo: Fraction) -> IntArray:
    return np.maximum(model.safe_uncached(totals, slo), 0)
