"""Rates of deaths and further turns fitted to the arrival times of a trace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.model.numbers import FloatArray
from teltheory.workloads.laws import LARGEST
from teltheory.workloads.likelihood import Histories, log_arrivals
from teltheory.workloads.maximum import maximise, standard_errors
from teltheory.workloads.model import LEAST_VARIED, MOST_VARIED, GammaRates

SLOWEST = 1e-6
MOST_LOPSIDED = 20.0
WIDTHS = (2.0, 5.0, 20.0)
VARIATIONS = (0.3, 1.0)


@dataclass(frozen=True)
class FittedRates:
    """Fitted death rate and (turn rate, share) of each kind, with standard errors by name."""

    death_rate: float
    turn_rates: tuple[tuple[float | GammaRates, float], ...]
    log_likelihood: float
    errors: Mapping[str, float]


def _start(seen: Histories) -> tuple[float, float]:
    """Return mu and lambda from the gaps, of mean 1 / (mu + lambda), and the share of turns with a next one."""
    returns, conversations = seen.returns.sum(), len(seen.returns)
    both = returns / seen.active.sum()
    return both * conversations / (returns + conversations), both * returns / (returns + conversations)


def fit_kinds(seen: Histories, kinds: int) -> FittedRates:
    """Fit mu, a rate a kind, and shares; x is log mu, the logarithms of the rates, and log(share_j / share_0)."""
    limits = rate_bounds(seen)
    bounds = [limits] * (kinds + 1) + [(-MOST_LOPSIDED, MOST_LOPSIDED)] * (kinds - 1)
    value = partial(kinds_log_likelihood, seen=seen)
    x = maximise(value, _starts(seen, kinds), bounds, partial(kinds_slopes, seen=seen))
    _check_inside(x[: kinds + 1], limits)
    x = in_order(x)
    errors = dict(zip(_names(kinds), standard_errors(value, x, bounds, _natural).tolist(), strict=True))
    turn_rates = tuple(zip(np.exp(x[1 : kinds + 1]).tolist(), np.exp(_log_shares(x)).tolist(), strict=True))
    return FittedRates(float(np.exp(x[0])), turn_rates, value(x), errors)


def _starts(seen: Histories, kinds: int) -> list[FloatArray]:
    death_rate, rate = _start(seen)
    steps = np.linspace(-1, 1, kinds) if kinds > 1 else np.zeros(1)
    widths = WIDTHS if kinds > 1 else WIDTHS[:1]
    rates = [np.log([death_rate, *(rate * width**steps)]) for width in widths]
    return [np.append(start, np.zeros(kinds - 1)) for start in rates]


def _names(kinds: int) -> list[str]:
    if kinds == 1:
        return ["death_rate", "turn_rate"]
    return ["death_rate", *(f"{name}[{j}]" for name in ("turn_rate", "share") for j in range(kinds))]


def kinds_log_likelihood(x: FloatArray, seen: Histories) -> float:
    """Return the log-likelihood of the further turns under kinds; x is as in `fit_kinds`."""
    return float(np.logaddexp.reduce(_joint(x, seen), axis=1).sum())


def kinds_slopes(x: FloatArray, seen: Histories) -> FloatArray:
    """Return the derivatives of `kinds_log_likelihood` in x; shape (2 kinds,)."""
    kinds, joint = len(x) // 2, _joint(x, seen)
    weight = np.exp(joint - np.logaddexp.reduce(joint, axis=1, keepdims=True))
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
    """Return the logarithm of share times density of each conversation under each kind."""
    mu, rates = np.exp(x[0]), np.exp(x[1 : len(x) // 2 + 1])
    return np.stack([log_arrivals(rate, mu, seen) for rate in rates], axis=1) + _log_shares(x)


def _log_shares(x: FloatArray) -> FloatArray:
    tilts = np.append(0.0, x[len(x) // 2 + 1 :])
    return np.asarray(tilts - np.logaddexp.reduce(tilts), np.float64)


def _natural(x: FloatArray) -> FloatArray:
    kinds = len(x) // 2
    return np.concatenate((np.exp(x[: kinds + 1]), np.exp(_log_shares(x)) if kinds > 1 else []))


def in_order(x: FloatArray) -> FloatArray:
    """Return the same parameters, as in `kinds_log_likelihood`, with the kinds in order of their rates."""
    kinds = len(x) // 2
    order = np.argsort(x[1 : kinds + 1])
    tilts = np.append(0.0, x[kinds + 1 :])[order]
    return np.concatenate((x[:1], x[1 : kinds + 1][order], tilts[1:] - tilts[0]))


def fit_gamma(seen: Histories) -> FittedRates:
    """Fit mu, the mean rate and its coefficient of variation, all by their logarithms."""
    death_rate, rate = _start(seen)
    spread = (float(np.log(LEAST_VARIED)), float(np.log(MOST_VARIED)))
    bounds = [rate_bounds(seen), rate_bounds(seen), spread]
    starts = [np.log([death_rate, rate, variation]) for variation in VARIATIONS]

    def value(x: FloatArray) -> float:
        mu, mean, variation = np.exp(x)
        varied = GammaRates(float(mean), float(np.clip(variation, LEAST_VARIED, MOST_VARIED)))
        return float(log_arrivals(varied, float(mu), seen).sum())

    x = maximise(value, starts, bounds)
    _check_inside(x[:2], bounds[0])
    names = ("death_rate", "turn_rate.mean", "turn_rate.variation")
    errors = dict(zip(names, standard_errors(value, x, bounds, np.exp).tolist(), strict=True))
    mu, mean, variation = np.exp(x).tolist()
    law = GammaRates(mean, min(max(variation, LEAST_VARIED), MOST_VARIED))
    return FittedRates(mu, ((law, 1.0),), value(x), errors)


def rate_bounds(seen: Histories) -> tuple[float, float]:
    """Return the least and the largest logarithm of a rate that is tried.

    The least is one event in a million times the observation; a kind that never returns gets it.
    """
    return float(np.log(SLOWEST / seen.seconds)), float(np.log(LARGEST)) - 1e-9


def _check_inside(logarithms: FloatArray, bounds: tuple[float, float]) -> None:
    low, high = bounds
    if logarithms[0] < low + 1e-3:
        raise ArgumentError("trace", "no silence that speaks of a death", "a longer observation, or fewer kinds")
    if logarithms.max() > high - 1e-3:
        raise ArgumentError("trace", "turns of a conversation all at once", "arrivals at different times")
