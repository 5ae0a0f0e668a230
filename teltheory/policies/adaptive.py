"""T-LRU whose threshold follows the tail that was observed (Zhang et al. 2025, Section 4.2, "adaptively").

The paper: "the decision-maker can periodically update xi to match the desired tail latency TTFT observed over
recent turns". Spelt out, after every turn:

1. What the turn computed is observed: its uncached length.
2. Once `window` turns were observed, and after every `every` turns more, the candidate is
   floor(share * P), P the ceil(quantile * window)-th smallest of the last `window` observations.
3. xi becomes the candidate, unless it differs from it by at most `hysteresis` times the larger of the two.
4. The cache is cut as T-LRU(xi, q_hat, trim) cuts it.

Nothing but the past is handed in, so that the threshold cannot depend on the future.
"""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import count

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.model.numbers import IntArray, rational, whole_number
from teltheory.policies.online import TLRU
from teltheory.policies.policy import Length, Trim, check_parameters


@dataclass(frozen=True)
class AdaptiveTLRU:
    """Tail-Optimized LRU with a threshold that follows the observed tail.

    Parameters
    ----------
    xi : int or str
        Threshold until the first update, in the trace's unit.
    q_hat : int or str, optional
        Estimate of the next prompt, in the trace's unit; as for `TLRU`.
    quantile : Fraction
        The percentile of uncached lengths to match, above 0 and at most 1.
    share : Fraction
        Threshold over percentile, 0 or more; 1 is the paper's rule to the letter, which docs/adaptive.md finds
        too high.
    window : int
        Turns whose uncached lengths are looked at, 1 or more.
    every : int
        Turns between two updates, 1 or more.
    hysteresis : Fraction
        Change, as a share of the larger threshold, up to which the threshold stays; at 1 it stays forever.
    trim : {"round-robin", "least-recent", "eager"} or None
        As for `TLRU`.
    """

    name = "adaptive"
    loop = "adaptive"
    xi: Length
    q_hat: Length = None
    quantile: Fraction = Fraction(19, 20)
    share: Fraction = Fraction(4, 5)
    window: int = 500
    every: int = 100
    hysteresis: Fraction = Fraction(1, 20)
    trim: Trim | None = None

    def __post_init__(self) -> None:
        for name in ("window", "every"):
            object.__setattr__(self, name, whole_number(name, getattr(self, name)))
            if getattr(self, name) < 1:
                raise ArgumentError(name, getattr(self, name), "1 turn or more")
        for name in ("share", "hysteresis"):
            object.__setattr__(self, name, rational(name, getattr(self, name), 0))
        object.__setattr__(self, "quantile", rational("quantile", self.quantile, 0, 1, above=True))
        check_parameters(self)

    def at(self, xi: int) -> TLRU:
        """Return the policy that cuts while the threshold is `xi`."""
        return TLRU(xi, self.q_hat, self.trim)

    def updates_after(self, observed: int) -> bool:
        """Whether the threshold is updated after so many turns."""
        return observed >= self.window and (observed - self.window) % self.every == 0

    def updated(self, xi: int, recent: Sequence[int] | IntArray) -> int:
        """Return the threshold that follows `xi` an update, from the last `window` uncached lengths."""
        rank = -(-self.quantile.numerator * self.window // self.quantile.denominator)
        percentile = int(np.partition(np.asarray(recent, np.int64), rank - 1)[rank - 1])
        candidate = percentile * self.share.numerator // self.share.denominator
        return xi if abs(candidate - xi) <= self.hysteresis * max(candidate, xi) else candidate

    def observing(self) -> Callable[[int], TLRU]:
        """Return what takes the uncached length of each turn, in order, and says how to cut after it."""
        tlru, recent, observed = self.at(self.xi), deque[int](maxlen=self.window), count(1)

        def after(uncached: int) -> TLRU:
            nonlocal tlru
            recent.append(uncached)
            if self.updates_after(next(observed)):
                tlru = self.at(self.updated(tlru.xi, recent))
            return tlru

        return after
