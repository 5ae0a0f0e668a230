"""How likely an observed trace is under the conversation model, and the model that makes it most likely.

From `start` to `end`, T seconds, every turn is observed and no death; the first turn of a conversation is its
birth. The m births have the density lambda_conv**m exp(-lambda_conv T). A conversation of rate lambda whose k
further turns come within g seconds of its birth, and which is silent for the s seconds that are left, has the
density

   lambda**k exp(-(mu + lambda) g) (exp(-(mu + lambda) s) + mu / (mu + lambda) (1 - exp(-(mu + lambda) s))):

alive and silent to the end, or dead some time before it. Over several kinds it is averaged with their shares. The
same holds where observation ends with the n-th turn instead of at a given time.

Births, further turns and lengths are fitted apart, since the likelihood is their product: all kinds share the laws
of the lengths. Rates are sought by their logarithms, shares by the logarithms of their ratios to the first.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, TypeAlias

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.model.display import in_short
from teltheory.model.numbers import LARGEST, FloatArray, IntArray, whole_number
from teltheory.model.trace import Trace
from teltheory.workloads.laws import WIDEST, Empirical, Law, LogNormal
from teltheory.workloads.model import ConversationMixture, Conversations, GammaRates, Kind


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


LengthLaws: TypeAlias = Literal["lognormal", "empirical"]
Bounds: TypeAlias = Sequence[tuple[float, float]]
NARROWEST = 1e-7
SLOWEST = 1e-6
"""Events in the whole observation at the least rate that is tried; a kind that never returns gets it."""
MOST_LOPSIDED = 20.0
WIDTHS = (2.0, 5.0, 20.0)
"""How far apart the rates are from which several kinds are sought."""


@in_short
@dataclass(frozen=True)
class FittedConversations:
    """A conversation model fitted to a trace.

    Attributes
    ----------
    model : ConversationMixture
        The fitted model; several kinds in order of their turn rates.
    log_likelihood : float
        Logarithm of the density of the arrival times (births, further turns, silences) under the model.
    conversations, turns : int
        How many were used.
    seconds : float
        Length of the observation.
    """

    model: ConversationMixture
    log_likelihood: float
    conversations: int
    turns: int
    seconds: float


def fit_conversations(
    trace: Trace,
    kinds: int = 1,
    *,
    lengths: LengthLaws = "lognormal",
    start: float = 0.0,
    end: float | None = None,
) -> FittedConversations:
    """Fit the conversation model to an observed trace by maximum likelihood, the hidden deaths integrated out.

    Parameters
    ----------
    trace : Trace
        With arrival times. A conversation's first turn is taken for its birth.
    kinds : int
        Number of different turn rates.
    lengths : {"lognormal", "empirical"}
        Laws of prompts and responses: lognormal, rounded up, or the lengths that were seen.
    start, end : float
        Seconds of the observation; `end` is the last arrival if it is left out.

    Returns
    -------
    FittedConversations

    Raises
    ------
    ArgumentError
        If the trace has no arrival times, or nothing in it tells a rate: no conversation returns, all turns
        come at once, or no silence is long enough to speak of a death.
    """
    seen = histories(trace, start, end)
    _check(seen)
    most = int(np.count_nonzero(seen.returns))
    if not 1 <= whole_number("kinds", kinds) <= most:
        raise ArgumentError("kinds", kinds, f"1 to {most}, the conversations that return")
    if lengths not in ("lognormal", "empirical"):
        raise ArgumentError("lengths", lengths, "'lognormal' or 'empirical'")
    fit_law: Callable[[IntArray], Law] = fit_lognormal if lengths == "lognormal" else Empirical.of
    laws = fit_law(trace.prompt), fit_law(trace.response)
    x = fit_kinds(seen, kinds)
    death_rate, *rates = np.exp(x[: kinds + 1]).tolist()
    shares = np.exp(_log_shares(x)).tolist()
    births = len(seen.returns)
    birth_rate = births / seen.seconds
    mixture = tuple(Kind(rate, *laws, share) for rate, share in zip(rates, shares, strict=True))
    likelihood = float(births * np.log(birth_rate) - births + kinds_log_likelihood(x, seen))
    model = ConversationMixture(birth_rate, death_rate, mixture)
    return FittedConversations(model, likelihood, births, len(trace), seen.seconds)


def _check(seen: Histories) -> None:
    if not seen.returns.any():
        raise ArgumentError("trace", "no conversation that returns", "one or more, to fit the turn rate")
    if not seen.active.any():
        raise ArgumentError("trace", "no time between turns of a conversation", "arrivals at different times")
    if not seen.silence.any():
        raise ArgumentError("trace", "no silence after a last turn", "a later end, to fit the death rate")


def fit_kinds(seen: Histories, kinds: int) -> FloatArray:
    """Fit mu, a rate a kind, and shares; x is log mu, the logarithms of the rates, and log(share_j / share_0)."""
    low, high = float(np.log(SLOWEST / seen.seconds)), float(np.log(LARGEST)) - 1e-9
    bounds = [(low, high)] * (kinds + 1) + [(-MOST_LOPSIDED, MOST_LOPSIDED)] * (kinds - 1)
    value, slopes = partial(kinds_log_likelihood, seen=seen), partial(kinds_slopes, seen=seen)
    x = max((_climb(value, start, bounds, slopes) for start in _starts(seen, kinds)), key=value)
    if x[0] < low + 1e-3:
        raise ArgumentError("trace", "no silence that speaks of a death", "a longer observation, or fewer kinds")
    if x[: kinds + 1].max() > high - 1e-3:
        raise ArgumentError("trace", "turns of a conversation all at once", "arrivals at different times")
    order = np.argsort(x[1 : kinds + 1])
    tilts = np.append(0.0, x[kinds + 1 :])[order]
    return np.concatenate((x[:1], x[1 : kinds + 1][order], tilts[1:] - tilts[0]))


def _starts(seen: Histories, kinds: int) -> list[FloatArray]:
    """Return x near mu and lambda by gaps, of mean 1 / (mu + lambda), and the share of turns with a next one."""
    returns, conversations = seen.returns.sum(), len(seen.returns)
    both = returns / seen.active.sum() / (returns + conversations)
    steps = np.linspace(-1, 1, kinds) if kinds > 1 else np.zeros(1)
    widths = WIDTHS if kinds > 1 else WIDTHS[:1]
    rates = [np.log([both * conversations, *(both * returns * width**steps)]) for width in widths]
    return [np.append(start, np.zeros(kinds - 1)) for start in rates]


def kinds_log_likelihood(x: FloatArray, seen: Histories) -> float:
    """Return the log-likelihood of the further turns under kinds; x is as in `fit_kinds`."""
    return float(np.logaddexp.reduce(_joint(x, seen), axis=1).sum())


def kinds_slopes(x: FloatArray, seen: Histories) -> FloatArray:
    """Return the derivatives of `kinds_log_likelihood` in x; shape (2 kinds,)."""
    kinds, likely = len(x) // 2, _joint(x, seen)
    weight = np.exp(likely - np.logaddexp.reduce(likely, axis=1, keepdims=True))
    mu, rates = np.exp(x[0]), np.exp(x[1 : kinds + 1])
    of_death, of_turn = np.zeros(1), np.empty(kinds)
    for j, rate in enumerate(rates):
        silent = np.exp(-(mu + rate) * seen.silence)
        fading, alike = rate * seen.silence * silent, seen.active + 1 / (mu + rate)
        dead_or_silent = mu + rate * silent
        of_death += mu * weight[:, j] @ ((1 - fading) / dead_or_silent - alike)
        of_turn[j] = weight[:, j] @ (seen.returns + rate * ((silent - fading) / dead_or_silent - alike))
    of_share = weight.sum(axis=0) - len(weight) * np.exp(_log_shares(x))
    return np.concatenate((of_death, of_turn, of_share[1:]))


def _joint(x: FloatArray, seen: Histories) -> FloatArray:
    return joint(np.exp(x[1 : len(x) // 2 + 1]), _log_shares(x), float(np.exp(x[0])), seen)


def _log_shares(x: FloatArray) -> FloatArray:
    tilts = np.append(0.0, x[len(x) // 2 + 1 :])
    return np.asarray(tilts - np.logaddexp.reduce(tilts), np.float64)


def fit_lognormal(lengths: IntArray) -> LogNormal:
    """Fit a lognormal law, rounded up, by maximum likelihood; the spread is 0 if all lengths are the same."""
    known, counts = np.unique(lengths, return_counts=True)
    if known[0] < 1:
        raise ArgumentError("lengths", "a length of 0", "1 token or more for a lognormal law, or 'empirical'")
    if len(known) == 1:
        return LogNormal(float(known[0]), 0.0)

    def law(x: FloatArray) -> LogNormal:
        mean, spread = np.exp(x).tolist()
        return LogNormal(min(mean, LARGEST), min(spread, WIDEST))

    logarithms = np.log(known - 0.5)
    centre = np.average(logarithms, weights=counts)
    spread = np.sqrt(np.average((logarithms - centre) ** 2, weights=counts))
    bounds = [(-1.0, float(np.log(LARGEST))), (float(np.log(NARROWEST)), float(np.log(WIDEST)))]
    start = np.array([centre + spread**2 / 2, np.log(spread)])
    return law(_climb(lambda x: float(counts @ law(x).log_probability(known)), start, bounds))


def _climb(
    value: Callable[[FloatArray], float],
    start: FloatArray,
    bounds: Bounds,
    slopes: Callable[[FloatArray], FloatArray] | None = None,
) -> FloatArray:
    """Return where a function has the maximum that is reached from `start`."""
    from scipy.optimize import minimize

    start = np.clip(start, *np.transpose(bounds))
    scale = -(abs(value(start)) or 1.0)
    options: Any = {"ftol": 1e-12, "gtol": 1e-8, "maxiter": 1000}
    descent: Any = None if slopes is None else (lambda x: slopes(x) / scale)

    def cost(x: FloatArray) -> float:
        return value(x) / scale

    end = minimize(cost, start, (), "L-BFGS-B", descent, bounds=bounds, options=options)
    return np.asarray(end.x, np.float64)
