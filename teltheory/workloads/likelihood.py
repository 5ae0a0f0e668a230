"""How likely an observed trace is under the conversation model, the hidden deaths integrated out.

From `start` to `end`, T seconds, every turn is observed and no death; the first turn of a conversation is its
birth. The m births have the density lambda_conv**m exp(-lambda_conv T). A conversation of rate lambda whose k
further turns come within g seconds of its birth, and which is silent for the s seconds that are left, has the
density

   lambda**k exp(-(mu + lambda) g) (exp(-(mu + lambda) s) + mu / (mu + lambda) (1 - exp(-(mu + lambda) s))):

alive and silent to the end, or dead some time before it. Where lambda is not known it is averaged over the kinds,
and over the gamma law of a kind that has one. The same holds where observation ends with the n-th turn instead of
at a given time. Lengths multiply this by the probability of each of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.model.numbers import FloatArray, IntArray
from teltheory.model.trace import Trace
from teltheory.workloads.conversations import turn_numbers, turns_by_law
from teltheory.workloads.laws import Law
from teltheory.workloads.model import Conversations, GammaRates, Kind

NODES = 48
NEGLIGIBLE = 45.0


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


def log_likelihood(
    model: Conversations,
    trace: Trace,
    *,
    lengths: bool = False,
    start: float = 0.0,
    end: float | None = None,
) -> float:
    """Return the logarithm of the density of an observed trace, the hidden deaths integrated out.

    Parameters
    ----------
    model : ConversationModel or ConversationMixture
        Rates and laws.
    trace : Trace
        With arrival times. A conversation's first turn is taken for its birth.
    lengths : bool
        Whether prompts and responses count too, not only who arrives when. With one kind they add their own
        logarithm; with several they also speak of each conversation's kind. An empirical law gives a length its
        share among those seen, and -inf to one never seen.
    start, end : float
        Seconds of the observation; `end` is the last arrival if it is left out.

    Returns
    -------
    float
        In units of 1 / second for each turn; -inf if a length is impossible.

    Raises
    ------
    ArgumentError
        If the trace has no arrival times, or some outside the observation.
    """
    seen = histories(trace, start, end)
    of_births = len(seen.returns) * np.log(model.birth_rate) - model.birth_rate * seen.seconds
    joint = _joint(model, trace, seen, lengths)
    return float(of_births + np.logaddexp.reduce(joint, axis=1).sum())


def kind_posterior(
    model: Conversations,
    trace: Trace,
    *,
    lengths: bool = True,
    start: float = 0.0,
    end: float | None = None,
) -> FloatArray:
    """Return the probability of each kind for each conversation, given the trace; shape (conversations, kinds).

    The arguments are those of `log_likelihood`.

    Raises
    ------
    ArgumentError
        As `log_likelihood`, and if a conversation is impossible for every kind.
    """
    joint = _joint(model, trace, histories(trace, start, end), lengths)
    of_conversation = np.logaddexp.reduce(joint, axis=1, keepdims=True)
    for code in np.flatnonzero(np.isneginf(of_conversation))[:1]:
        raise ArgumentError("model", f"no kind that allows the lengths of conversation {code}", "one that does")
    return np.asarray(np.exp(joint - of_conversation), np.float64)


def _joint(model: Conversations, trace: Trace, seen: Histories, lengths: bool) -> FloatArray:
    """Return the logarithm of share times density of each conversation under each kind."""
    columns = []
    number = turn_numbers(trace.code) if lengths else None
    for kind in model.kinds:
        column = np.log(kind.share) + log_arrivals(kind.turn_rate, model.death_rate, seen)
        if number is not None:
            column += log_lengths(kind, trace, number)
        columns.append(column)
    return np.stack(columns, axis=1)


def log_arrivals(turn_rate: float | GammaRates, death_rate: float, seen: Histories) -> FloatArray:
    """Return the logarithm of the density of each conversation's further turns and last silence."""
    if isinstance(turn_rate, GammaRates):
        return _log_arrivals_gamma(turn_rate, death_rate, seen)
    both = death_rate + turn_rate
    silent = np.log((death_rate + turn_rate * np.exp(-both * seen.silence)) / both)
    return np.asarray(seen.returns * np.log(turn_rate) - both * seen.active + silent, np.float64)


def _log_arrivals_gamma(rates: GammaRates, death_rate: float, seen: Histories) -> FloatArray:
    """Average over lambda first, and then over the time of the death.

    For a gamma law of shape a and rate r, lambda**k exp(-lambda z) has the mean
    Gamma(a + k) / Gamma(a) r**a / (r + z)**(a + k), and z is g + x for a death x <= s seconds after the last turn.
    With y = log(1 + x / (r + g)), the integral over x of mu exp(-mu x) times this has a smooth integrand that
    falls about exponentially; it is taken by Gauss and Legendre's rule up to where it no longer counts.
    """
    from scipy.special import gammaln

    shape = rates.shape
    inverse = shape / rates.mean
    order, known = shape + seen.returns, inverse + seen.active
    at_once = gammaln(order) - gammaln(shape) + shape * np.log(inverse) - order * np.log(known)
    weight, all_silence = death_rate * known, np.log1p(seen.silence / known)
    furthest = np.minimum(all_silence, np.log1p(NEGLIGIBLE / weight))
    furthest = np.minimum(furthest, NEGLIGIBLE / np.maximum(order - 1, 1e-9))
    dead = np.zeros_like(known)
    for node, share in zip(*np.polynomial.legendre.leggauss(NODES), strict=True):
        y = furthest * (node + 1) / 2
        dead += share * np.exp((1 - order) * y - weight * np.expm1(y))
    dead *= weight * furthest / 2
    alive = np.exp(-death_rate * seen.silence - order * all_silence)
    return np.asarray(at_once - death_rate * seen.active + np.log(alive + dead), np.float64)


def log_lengths(kind: Kind, trace: Trace, number: IntArray) -> FloatArray:
    """Return the logarithm of the probability of each conversation's lengths under a kind's laws."""
    prompts, responses = kind.laws
    of_turn = _log_probabilities(prompts, trace.prompt, number)
    of_turn += _log_probabilities(responses, trace.response, number)
    sums = np.bincount(trace.code, of_turn, minlength=trace.conversations)
    return np.asarray(sums, np.float64)


def _log_probabilities(laws: Sequence[Law], lengths: IntArray, number: IntArray) -> FloatArray:
    logarithms = np.empty(len(lengths), np.float64)
    for law, places in turns_by_law(laws, number):
        logarithms[places] = law.log_probability(lengths[places])
    return logarithms
