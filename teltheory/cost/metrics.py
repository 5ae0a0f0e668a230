"""What an outcome is worth: tail excess latency, percentiles, SLO violations, distance to the optimum."""

from collections.abc import Sequence
from fractions import Fraction
from typing import overload

import numpy as np
from numpy.typing import NDArray

from teltheory.cost.latency import Latency
from teltheory.errors import ArgumentError
from teltheory.model.forest import Forest
from teltheory.model.numbers import FloatArray, IntArray, exact_sum, whole_number
from teltheory.model.outcome import Outcome
from teltheory.model.tiers import TieredOutcome
from teltheory.model.trace import Trace


def _seconds(outcome: Outcome, latency: Latency) -> FloatArray:
    """Return the TTFT of each turn."""
    return latency.ttft(_in_one_tier(outcome).uncached, outcome.cached)


def _in_one_tier(outcome: Outcome) -> Outcome:
    """Return an outcome, unless it is one in tiers: that does not say how many seconds a load takes."""
    if isinstance(outcome, TieredOutcome):
        raise ArgumentError("outcome", "one in tiers", "one of one memory, as a load takes seconds of its own")
    return outcome


def excess(outcome: Outcome, xi: int) -> IntArray:
    """Return max(uncached - xi, 0) of each turn, shape (n,), in the trace's unit."""
    return np.maximum(outcome.uncached - whole_number("xi", xi), 0)


@overload
def tail_excess_latency(outcome: Outcome, xi: int) -> int: ...


@overload
def tail_excess_latency(outcome: TieredOutcome, xi: int) -> Fraction: ...


def tail_excess_latency(outcome: Outcome | TieredOutcome, xi: int) -> int | Fraction:
    """Return TEL = sum over turns of max(uncached - xi, 0) (Zhang et al. 2025, Section 2).

    Parameters
    ----------
    outcome : Outcome or TieredOutcome
        What each turn computed.
    xi : int
        Threshold, in the trace's unit.

    Returns
    -------
    int or Fraction
        Exact, in the trace's unit; of tiers a Fraction.
    """
    if isinstance(outcome, TieredOutcome):
        return Fraction(exact_sum(outcome.excess_units(xi)), outcome.denominator)
    return exact_sum(excess(outcome, xi))


def tail_excess_seconds(outcome: Outcome, latency: Latency, slo: float) -> float:
    """Return the sum over turns of max(TTFT - slo, 0), in seconds."""
    return float(np.maximum(_seconds(outcome, latency) - slo, 0.0).sum())


def ttft_quantiles(outcome: Outcome, qs: Sequence[float], latency: Latency) -> FloatArray:
    """Return percentiles of TTFT in seconds; the one at q is the ceil(q n)-th smallest value.

    Parameters
    ----------
    outcome : Outcome
        What each turn computed; an empty one has percentiles NaN.
    qs : sequence of float
        Levels in (0, 1], such as 0.95.
    latency : Latency
        Turns tokens into seconds.
    """
    for q in qs:
        if not 0 < q <= 1:
            raise ArgumentError("qs", q, "a level above 0, at most 1")
    seconds = _seconds(outcome, latency)
    if not len(outcome):
        return np.full(len(qs), np.nan)
    return np.quantile(seconds, np.asarray(qs, np.float64), method="inverted_cdf")


def slo_violations(outcome: Outcome | TieredOutcome, xi: int) -> int:
    """Return the number of turns with more than xi uncached: those whose TTFT is above the SLO behind xi."""
    if isinstance(outcome, TieredOutcome):
        return int(np.count_nonzero(outcome.excess_units(xi)))
    return int(np.count_nonzero(outcome.uncached > whole_number("xi", xi)))


def ttft_violations(outcome: Outcome, latency: Latency, slo: Fraction) -> int:
    """Return the number of turns whose TTFT is above `slo` seconds, without rounding.

    If cached tokens cost nothing these are the `slo_violations` at the model's threshold.
    """
    return int(np.count_nonzero(above_slo(outcome, latency, slo)))


def above_slo(outcome: Outcome, latency: Latency, slo: Fraction) -> NDArray[np.bool_]:
    """Return whether each turn's TTFT is above `slo` seconds, without rounding; shape (n,)."""
    total = _in_one_tier(outcome).uncached + outcome.cached
    return outcome.uncached > latency.safe_uncached(total, slo)


def write_volume(outcome: Outcome, trace: Trace | Forest) -> int:
    """Return what was written to the cache: of each path, input and output, what was not cached before.

    Parameters
    ----------
    outcome : Outcome
        What each turn reused in a cache that starts empty, in the trace's unit or (`Outcome.in_tokens`) in tokens.
    trace : Trace or Forest
        What was replayed. On a forest a path ends with its last full block.

    Returns
    -------
    int
        Exact, in the outcome's unit.
    """
    if outcome.written is not None:
        return exact_sum(outcome.written)
    if isinstance(trace, Forest):
        raise ArgumentError("outcome", "no written units", "one of a replay of the forest")
    return exact_sum(trace.past) - outcome.reused


def share_closed(lru: int, policy: int, optimum: int) -> Fraction | None:
    """Return (LRU - policy) / (LRU - optimum), the share of LRU's distance to the optimum that is closed.

    None if LRU is optimal, so that there is no distance.
    """
    return None if lru == optimum else Fraction(lru - policy, lru - optimum)
