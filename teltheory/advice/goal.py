"""What a setting is judged by: the tail excess latency above an SLO, or a percentile of TTFT."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from teltheory.bootstrap import Blocks, Values
from teltheory.errors import ArgumentError
from teltheory.latency import A100_LLAMA2_7B, Latency
from teltheory.metrics import excess
from teltheory.numbers import FloatArray, IntArray, rational
from teltheory.outcome import Outcome


@dataclass(frozen=True)
class Goal:
    """What is to be small.

    Attributes
    ----------
    slo : Fraction
        Seconds to the first token.
    latency : Latency
        Turns tokens into seconds.
    level : Fraction or None
        Level of the percentile of TTFT that counts, in (0, 1); None where TEL above the SLO counts.
    """

    slo: Fraction
    latency: Latency = A100_LLAMA2_7B
    level: Fraction | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "slo", rational("slo", self.slo))
        if self.level is not None and not 0 < rational("level", self.level) < 1:
            raise ArgumentError("level", str(self.level), "a level above 0 and below 1, such as 95/100")

    @cached_property
    def xi(self) -> int:
        """The SLO's threshold in tokens, the largest u with TTFT(u, 0) <= slo."""
        return self.latency.threshold(self.slo)

    @property
    def name(self) -> str:
        """In a few words."""
        if self.level is None:
            return f"TEL above {float(self.slo):g} s"
        return f"P{float(100 * self.level):g} of TTFT"

    def losses(self, outcome: Outcome) -> Values:
        """Return what counts of each turn: tokens above the threshold, or seconds to the first token."""
        if self.level is None:
            return excess(outcome, self.xi)
        return self.latency.ttft(outcome.uncached, outcome.cached)

    def worth(self, losses: Values, blocks: Blocks, draws: IntArray) -> FloatArray:
        """Return the goal's number in each draw; shape (draws,)."""
        if self.level is None:
            return blocks.sums(losses, draws)
        return blocks.percentiles(losses, draws, self.level)

    def gain(self, lru: Values, policy: Values, blocks: Blocks, draws: IntArray) -> FloatArray:
        """Return by what share a policy is below LRU in each draw, 0 where LRU has 0; shape (draws,)."""
        return relative_gain(self.worth(lru, blocks, draws), self.worth(policy, blocks, draws))


def relative_gain(before: FloatArray, after: FloatArray) -> FloatArray:
    """Return (before - after) / before elementwise, 0 where `before` is 0."""
    return np.divide(before - after, before, out=np.zeros_like(before), where=before > 0)
