"""How likely an observed trace is under the conversation model, the hidden deaths integrated out.

From `start` to `end`, T seconds, every turn is observed and no death; the first turn of a conversation is its
birth. The m births have the density lambda_conv**m exp(-lambda_conv T). A conversation of rate lambda whose k
further turns come within g seconds of its birth, and which is silent for the s seconds that are left, has the
density

   lambda**k exp(-(mu + lambda) g) (exp(-(mu + lambda) s) + mu / (mu + lambda) (1 - exp(-(mu + lambda) s))):

alive and silent to the end, or dead some time before it. Over several kinds it is averaged with their shares. The
same holds where observation ends with the n-th turn instead of at a given time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.model.numbers import FloatArray
from teltheory.model.trace import Trace
from teltheory.workloads.model import Conversations, GammaRates


@dataclass(frozen=True, eq=False)
class Histories:
    """What arrival times say of conversations, in seconds; arrays have one entry per conversation, by code.

    `seconds` is the length T of the observation. A conversation has k further turns (`returns`); it is `active`
    for g seconds, from its first turn to its last, and then there are s seconds of `silence`.
    """

    seconds: float
    returns: FloatArray
    active: FloatArray
    silence: FloatArray


def histories(trace: Trace, start: float = 0.0, end: float | None = None) -> Histories:
    """Return what the likelihood of the arrival times depends on."""
    seconds = trace.arrival
    if seconds is None:
        raise ArgumentError("trace", "no arrival times", "a trace with the column arrival")
    if len(trace) and not start <= seconds[0]:
        raise ArgumentError("start", start, f"a number of seconds, at most the first arrival {seconds[0]}")
    last = float(seconds[-1]) if len(trace) else start
    end = last if end is None else end
    if not last <= end < np.inf:
        raise ArgumentError("end", end, f"a number of seconds, at least the last arrival {last}")
    first_turn, last_turn = ~trace.continuing, trace.next_turn == len(trace)
    births, latest = seconds[first_turn], np.empty(trace.conversations, np.float64)
    latest[trace.code[last_turn]] = seconds[last_turn]
    returns = np.bincount(trace.code, minlength=len(births)) - 1
    return Histories(float(end) - start, returns.astype(np.float64), latest - births, end - latest)


def log_likelihood(model: Conversations, trace: Trace, *, start: float = 0.0, end: float | None = None) -> float:
    """Return the logarithm of the density of observed arrival times, the hidden deaths integrated out.

    Parameters
    ----------
    model : ConversationModel or ConversationMixture
        With one turn rate for each kind; the laws of the lengths do not count.
    trace : Trace
        With arrival times. A conversation's first turn is taken for its birth.
    start, end : float
        Seconds of the observation; `end` is the last arrival if it is left out.

    Returns
    -------
    float
        In units of 1 / second for each turn.

    Raises
    ------
    ArgumentError
        If the trace has no arrival times, or some outside the observation, or rates follow a gamma law.
    """
    seen = histories(trace, start, end)
    rates = [kind.turn_rate for kind in model.kinds if not isinstance(kind.turn_rate, GammaRates)]
    if len(rates) < len(model.kinds):
        raise ArgumentError("model", "rates of a gamma law", "one turn rate for each kind")
    log_shares = np.log([kind.share for kind in model.kinds])
    of_births = len(seen.returns) * np.log(model.birth_rate) - model.birth_rate * seen.seconds
    return float(of_births + np.logaddexp.reduce(joint(rates, log_shares, model.death_rate, seen), axis=1).sum())


def joint(
    turn_rates: Sequence[float] | FloatArray, log_shares: FloatArray, death_rate: float, seen: Histories
) -> FloatArray:
    """Return the logarithm of share times density of each conversation under each kind."""
    of_kinds = [log_arrivals(rate, death_rate, seen) for rate in turn_rates]
    return np.asarray(np.stack(of_kinds, axis=1) + log_shares, np.float64)


def log_arrivals(turn_rate: float, death_rate: float, seen: Histories) -> FloatArray:
    """Return the logarithm of the density of each conversation's further turns and last silence."""
    both = death_rate + turn_rate
    silent = np.log((death_rate + turn_rate * np.exp(-both * seen.silence)) / both)
    return np.asarray(seen.returns * np.log(turn_rate) - both * seen.active + silent, np.float64)
