"""What an outcome is worth: tail excess latency, percentiles, SLO violations, distance to the optimum."""

from collections.abc import Sequence
from fractions import Fraction
from typing import overload

import numpy as np
from numpy.typing import NDArray

from teltheory.cost.latency import Latency
from teltheory.cost.links import marginal_seconds
from teltheory.errors import ArgumentError
from teltheory.model.forest import Forest
from teltheory.model.numbers import FloatArray, Ratio, exact_sum
from teltheory.model.outcome import Outcome
from teltheory.model.tiers import TieredOutcome
from teltheory.model.trace import Trace
from teltheory.model.units import Seconds, seconds_of


def ttft_seconds(outcome: Outcome | TieredOutcome, latency: Latency) -> FloatArray:
    """Return the TTFT of each turn on an idle server, shape (n,); in tiers with what loading takes.

    A token of tier i loads in rho_i times the marginal seconds of an uncached token, before the prefill, or, if
    loading is overlapped, beside it.
    """
    reused = outcome.by_tier.sum(axis=0)
    computing = latency.ttft(outcome.total - reused, reused)
    if not any(outcome.loads):
        return computing
    loading = loading_seconds(outcome, latency)
    return np.maximum(computing, loading) if outcome.overlapped else computing + loading


def loading_seconds(outcome: Outcome | TieredOutcome, latency: Latency) -> FloatArray:
    """Return what loading takes each turn, in seconds; shape (n,)."""
    a_token = [float(load * marginal_seconds(latency)) for load in outcome.loads]
    return np.asarray(np.asarray(a_token) @ outcome.by_tier, np.float64)


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
    if not hasattr(outcome, "tel"):
        raise ArgumentError("outcome", type(outcome).__name__, "an Outcome, such as replay(...) returns")
    return outcome.tel(xi)


def tail_excess_seconds(outcome: Outcome | TieredOutcome, latency: Latency, slo: Seconds) -> float:
    """Return the sum over turns of max(TTFT - slo, 0), in seconds."""
    return float(np.maximum(ttft_seconds(outcome, latency) - float(seconds_of("slo", slo)), 0.0).sum())


def ttft_quantiles(outcome: Outcome | TieredOutcome, qs: Sequence[float], latency: Latency) -> FloatArray:
    """Return percentiles of TTFT in seconds; the one at q is the ceil(q n)-th smallest value.

    Parameters
    ----------
    outcome : Outcome or TieredOutcome
        What each turn computed; an empty one has percentiles NaN.
    qs : sequence of float
        Levels in (0, 1], such as 0.95.
    latency : Latency
        Turns tokens into seconds.
    """
    for q in qs:
        if not 0 < q <= 1:
            raise ArgumentError("qs", q, "a level above 0, at most 1")
    seconds = ttft_seconds(outcome, latency)
    if not len(outcome):
        return np.full(len(qs), np.nan)
    places = np.maximum(np.ceil(len(outcome) * np.asarray(qs, np.float64) - 1).astype(int), 0)
    return np.asarray(np.partition(seconds, sorted(set(places.tolist())))[places], np.float64)


def slo_violations(outcome: Outcome | TieredOutcome, xi: int) -> int:
    """Return the number of turns with more than xi uncached: those whose TTFT is above the SLO behind xi."""
    return int(np.count_nonzero(outcome.excess_units(xi)))


def ttft_violations(outcome: Outcome | TieredOutcome, latency: Latency, slo: Seconds) -> int:
    """Return the number of turns whose TTFT is above `slo` seconds, without rounding.

    If cached tokens cost nothing these are the `slo_violations` at the model's threshold.
    """
    return int(np.count_nonzero(above_slo(outcome, latency, slo)))


def above_slo(outcome: Outcome | TieredOutcome, latency: Latency, slo: Seconds) -> NDArray[np.bool_]:
    """Return whether each turn's TTFT is above `slo` seconds, shape (n,); rounded only if something is loaded."""
    if any(outcome.loads):
        return ttft_seconds(outcome, latency) > float(seconds_of("slo", slo))
    computed = outcome.total - outcome.by_tier.sum(axis=0)
    return np.asarray(computed > latency.safe_uncached(outcome.total, seconds_of("slo", slo)))


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
    if trace.shared:
        raise ArgumentError("outcome", "no written units", "one of a replay of the forest")
    return exact_sum(trace.past) - outcome.reused


def share_closed(lru: int | Fraction, policy: int | Fraction, optimum: int | Fraction) -> Fraction | None:
    """Return (LRU - policy) / (LRU - optimum), the share of LRU's distance to the optimum that is closed.

    None if LRU is optimal, so that there is no distance.
    """
    return None if lru == optimum else Ratio(lru - policy) / (lru - optimum)
