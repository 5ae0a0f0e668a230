"""What a setting is judged by: TEL above an SLO, the turns above it, or a percentile of TTFT; what it may cost.

The cost is the server's work, and the median of TTFT, next to LRU. The prefilled tokens are at most `work` times
LRU's. P50 is at most `median` times LRU's, or below half of the SLO, where nobody waits for it. All comparisons
are exact.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from teltheory.cost.bootstrap import Blocks, Values
from teltheory.cost.goals import SLO, Level, read_goal
from teltheory.cost.latency import A100_LLAMA2_7B, Latency
from teltheory.cost.metrics import above_slo
from teltheory.errors import ArgumentError
from teltheory.model.numbers import FloatArray, rational
from teltheory.model.outcome import Outcome
from teltheory.model.units import seconds_of

WORK_COST = Fraction(105, 100)
MEDIAN_COST = Fraction(110, 100)
WORK = "prefilled tokens"
MEDIAN = "P50"


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
        Level of the percentile of TTFT that counts, in (0, 1); None if something above the SLO counts.
    misses : bool
        Without a level: whether the turns above the SLO count, and not TEL.
    """

    slo: Fraction
    latency: Latency = A100_LLAMA2_7B
    level: Fraction | None = None
    misses: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "slo", seconds_of("slo", self.slo))
        if self.level is not None and not 0 < rational("level", self.level) < 1:
            raise ArgumentError("level", str(self.level), "a level above 0 and below 1, such as 95/100")

    @classmethod
    def of(cls, text: str, slo: Fraction, latency: Latency = A100_LLAMA2_7B) -> Goal:
        """Return the goal that ``tel``, ``slo`` or a percentile such as ``p95`` stands for."""
        asked = read_goal(text)
        if not isinstance(asked, Level):
            return cls(slo, latency, misses=asked == SLO)
        if asked.q == 1:
            raise ArgumentError("goal", text, "a percentile below p100, such as p95 or p99.9")
        return cls(slo, latency, asked.q)

    @cached_property
    def xi(self) -> int:
        """The SLO's threshold in tokens, the largest u with TTFT(u, 0) <= slo."""
        return self.latency.threshold(self.slo)

    @property
    def name(self) -> str:
        """In a few words, as the subject of a sentence."""
        if self.level is not None:
            return f"P{float(100 * self.level):g} of TTFT"
        return f"{'the number of turns' if self.misses else 'TEL'} above {float(self.slo):g} s"

    def losses(self, outcome: Outcome) -> Values:
        """Return what counts of each turn: tokens (or blocks) above the threshold, 1 above the SLO, or seconds."""
        spent = outcome.in_tokens()
        if self.level is not None:
            return self.latency.ttft(spent.uncached, spent.cached)
        if self.misses:
            return above_slo(spent, self.latency, self.slo).astype(np.int64)
        return outcome.excess_units(self.xi // outcome.block_size)

    def worth(self, losses: Values, blocks: Blocks, draws: FloatArray) -> FloatArray:
        """Return the goal's number in each draw; shape (draws,)."""
        if self.level is None:
            return blocks.sums(losses, draws)
        return blocks.percentiles(losses, draws, self.level)

    def gain(self, lru: Values, policy: Values, blocks: Blocks, draws: FloatArray) -> FloatArray:
        """Return by what share a policy is below LRU in each draw, 0 if LRU has 0; shape (draws,)."""
        return share_below(*(self.worth(losses, blocks, draws) for losses in (lru, policy)))


def share_below(before: FloatArray, after: FloatArray) -> FloatArray:
    """Return by what share numbers are below others, 0 where those are 0."""
    return np.divide(before - after, before, out=np.zeros_like(before), where=before > 0)


@dataclass(frozen=True)
class Cost:
    """What some turns cost under a policy.

    Tokens that were computed, the share of the input that was cached, P50 and P95 of TTFT in seconds, and TEL
    above the SLO: in tokens, of a forest in its blocks, in a queue in seconds.
    """

    prefilled: int
    hit_rate: float
    p50: float
    p95: float
    tel: float


@dataclass(frozen=True)
class CostLimits:
    """What a recommendation may cost.

    In multiples of LRU's, at least 1, None for no limit: prefilled tokens, and P50, which below half of the SLO
    may be anything.
    """

    work: Fraction | None = WORK_COST
    median: Fraction | None = MEDIAN_COST

    def __post_init__(self) -> None:
        for argument, value in (("work_cost", self.work), ("median_cost", self.median)):
            if value is not None and rational(argument, value) < 1:
                raise ArgumentError(argument, str(value), "a multiple of LRU's, at least 1, or None for no limit")

    def broken(self, lru: Cost, tried: Cost, slo: Fraction) -> Iterator[str]:
        """Yield what is above its limit: `WORK`, `MEDIAN`."""
        if self.work is not None and tried.prefilled > self.work * lru.prefilled:
            yield WORK
        p50 = Fraction(tried.p50)
        if self.median is not None and p50 > self.median * Fraction(lru.p50) and p50 >= slo / 2:
            yield MEDIAN

    def most_p50(self, lru: Cost, slo: Fraction) -> float | None:
        """Return the P50 up to which all is allowed, in seconds; None if every one is."""
        return None if self.median is None else max(float(self.median) * lru.p50, float(slo / 2))
